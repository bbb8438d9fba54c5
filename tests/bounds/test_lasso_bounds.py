import math

import numpy as np
import pytest

from dprepro import bounds
from dprepro.algorithms import ConstantStep, FrankWolfe
from dprepro.bounds import lasso
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.problems import Domain, L1Ball, Problem, Records, RecordsView, SquaredLoss


def least_squares(features, labels):
    n, p = features.shape
    domain = Domain(SquaredLoss(), L1Ball(p), n, feature_norm=math.inf)
    return Problem(domain, {"records": RecordsView(domain, Records(features, labels))})


def test_theorem_2_2_telescopes_the_recursion_of_definition_2_1():
    """h_{t+1} = (1 - mu) h_t + mu r + mu^2 Gamma/2 run to the end stays below the closed form, closely."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        steps, curvature, initial, regret = (
            int(rng.integers(2, 400)),
            rng.uniform(0, 9),
            rng.uniform(0, 3),
            rng.uniform(0, 1),
        )
        risk = initial
        for t in range(1, steps):
            mu = 2 / (t + 2)
            risk = (1 - mu) * risk + mu * regret + mu**2 * curvature / 2
        bound = bounds.evaluate(
            "lasso.theorem_2_5",
            {"curvature": curvature, "steps": steps, "initial_risk": initial, "step_regret": regret},
        )
        assert risk <= bound * (1 + 1e-12)
        assert bound <= risk + 2 * curvature / steps * (1 + math.log(steps)) / steps + 1e-12


def test_theorem_2_2_is_sharper_than_two_gamma_over_t_plus_two_and_the_first_point():
    for steps in (1, 2, 10, 1000):
        ours = bounds.evaluate("lasso.theorem_2_2", {"curvature": 8, "steps": steps, "initial_risk": 1})
        assert ours <= 2 / (steps * (steps + 1)) + 16 / (steps + 2) + 1e-12


def test_rate_of_theorem_2_5_has_the_claimed_exponents():
    base = {
        "n": 1e6,
        "epsilon": 0.5,
        "delta": 1e-6,
        "curvature": 8,
        "l1_lipschitz": 4,
        "l1_radius": 1,
        "vertices": 2000,
    }

    def exponent(axis, factor=16.0):
        moved = dict(base) | {axis: base[axis] * factor}
        return math.log(
            bounds.evaluate("lasso.theorem_2_5_rate", moved) / bounds.evaluate("lasso.theorem_2_5_rate", base)
        ) / math.log(factor)

    assert exponent("n") == pytest.approx(-2 / 3)
    assert exponent("epsilon") == pytest.approx(-2 / 3)
    assert exponent("curvature") == pytest.approx(1 / 3)
    assert exponent("l1_lipschitz") == pytest.approx(2 / 3)


def test_corollary_2_7_as_printed_does_not_follow_from_theorem_2_5():
    """Erratum: a sum of logarithms where the theorem has a product, ln p sqrt(ln(1/delta)).

    With p = 1/delta both are powers of one logarithm l, l^(3/2) against 2 l + ln n: their ratio grows as l^(1/2).
    """
    ratios = []
    for power in (16, 32, 64, 128):
        point = {"n": 1e6, "p": 10.0**power, "epsilon": 1, "delta": 10.0**-power}
        theorem = point | {"curvature": 8, "l1_lipschitz": 4, "l1_radius": 1, "vertices": 2 * point["p"]}
        ratios.append(
            bounds.evaluate("lasso.theorem_2_5_rate", theorem) / bounds.evaluate("lasso.corollary_2_7_rate", point)
        )
    assert np.diff(np.log(ratios))[-1] / math.log(2) == pytest.approx(0.5, abs=0.1)


def test_curvature_of_the_lasso_is_twice_what_remark_2_prints():
    """Erratum: for records x = (1, ..., 1), y = 0 Definition 2.1 gives 8 on the segment from -e_1 to e_1.

    Remark 2 bounds it by 4 max ||A theta||^2 = 4: it forgets the factor 2 that Definition 2.1 puts in front.
    """
    p = 3
    problem = least_squares(np.ones((4, p)), np.zeros(4))
    start, end, gamma, risk = -np.eye(p)[0], np.eye(p)[0], 0.37, problem.dense.value
    point = start + gamma * (end - start)
    definition = 2 / gamma**2 * (risk(point) - risk(start) - (point - start) @ problem.gradient(start))
    printed = 4 * max(risk(theta) for theta in (start, end))
    assert definition == pytest.approx(8) == problem.domain.curvature
    assert printed == pytest.approx(4)


def test_a_constant_step_keeps_a_share_of_one_over_e_of_the_first_point():
    """Erratum: Algorithm 3 and Theorem A.2 print mu = 1/(T+2) for all t: (1 - mu)^(T-1) theta_1 is left for ever."""
    problem = least_squares(np.eye(2), np.array([1.0, 0.0]))
    budget = Budget(math.inf, 0.0, Neighbours.REPLACE_ONE)
    for steps in (100, 10_000):
        theta = FrankWolfe(steps=steps, step_size=ConstantStep()).solve(problem, budget, np.random.default_rng(0)).theta
        assert 1 - theta[0] == pytest.approx(math.exp(-1), rel=0.05)


def test_sharp_inequalities_are_the_minima_of_their_one_dimensional_programs():
    """Section 3 with k = kappa w p: both levels by brute force, and a gap exactly for tau < (1 - a)/2."""
    grid = np.linspace(0, 1, 200_001)
    for kappa, tau, agreement in ((0.4, 0.1, 0.6), (0.05, 0.02, 0.75), (2.0, 0.19, 0.6)):
        planted = np.min((1 - grid) ** 2 + kappa * grid**2 / (1 - tau))
        forced = np.min((1 - grid) ** 2 + kappa * grid**2 / (agreement + tau))
        assert lasso.sharp_equation_3(7, kappa, tau) == pytest.approx(7 * planted, rel=1e-9)
        assert lasso.sharp_lemma_3_3(7, kappa, tau, agreement) == pytest.approx(7 * forced, rel=1e-9)
        assert forced > planted
    assert lasso.sharp_lemma_3_3(1, 0.4, 0.2, 0.6) == pytest.approx(lasso.sharp_equation_3(1, 0.4, 0.2))


def test_printed_lemma_3_3_holds_up_to_tau_0019_and_the_sharp_one_up_to_079():
    def last(holds):
        low, high = 1e-4, 0.5
        while high - low > 1e-9:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low

    printed = last(lambda tau: lasso.printed_threshold(tau) <= lasso.printed_lemma_3_3(tau))
    sharp = last(lambda tau: lasso.printed_threshold(tau) <= lasso.sharp_threshold(tau))
    planted = last(lambda tau: lasso.printed_equation_3(tau) <= lasso.printed_threshold(tau))
    assert printed == pytest.approx(0.00191, abs=5e-6)
    assert sharp == pytest.approx((1 / 1.1 - 0.75) / 2, rel=1e-6)
    assert planted == pytest.approx(0.025, rel=1e-6)


def test_the_printed_family_needs_a_thousand_rows_and_a_hundred_billion_columns():
    m = 9119
    assert m / math.log(m) == pytest.approx(1000, rel=1e-3)
    assert lasso.printed_columns(m, 0.001) == 1000 * m**2 == pytest.approx(8.3e10, rel=0.01)
    assert lasso.printed_block(m, 0.001) == pytest.approx(lasso.printed_columns(m, 0.001), rel=1e-3)
    assert lasso.printed_records_as_printed(m, 0.001) > 900 * lasso.printed_records(m, 0.001)


@pytest.mark.parametrize(("name", "word"), [("lasso.theorem_9", "theorem_2_5"), ("lass.theorem_2_5", "lasso")])
def test_an_unknown_bound_is_refused_with_the_choices(name, word):
    with pytest.raises(InputError, match=word):
        bounds.find(name)


def test_a_number_that_a_bound_needs_and_nobody_gives_is_named():
    with pytest.raises(InputError, match="needs step_regret"):
        bounds.evaluate("lasso.theorem_2_5", {"curvature": 8, "steps": 2, "initial_risk": 1})
