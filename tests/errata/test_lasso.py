"""Slips of print in Talwar, Thakurta and Zhang (2015), each computed from the printed formula and from what holds."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import optimize, stats

from dprepro.mechanisms.selection import GumbelMin, LaplaceMin


def test_remark_1_needs_the_diameter_of_the_set() -> None:
    """The parabola theta^2 on [-1, 1], of Hessian lambda = 2: Definition 2.1 gives 8 between the ends."""
    start, end, hessian = -1.0, 1.0, 2.0

    def curvature(gamma: float) -> float:
        point = start + gamma * (end - start)
        return 2 / gamma**2 * (point**2 - start**2 - (point - start) * 2 * start)

    assert [curvature(gamma) for gamma in (0.1, 0.5, 1.0)] == pytest.approx([8, 8, 8])
    assert hessian * max(abs(start), abs(end)) ** 2 == 2  # the largest norm, as ||C||_1 is defined in Algorithm 2
    assert hessian * (end - start) ** 2 == 8  # the diameter


def test_algorithm_3_and_its_proof_print_two_different_noises() -> None:
    """32 L_2 T log^2(n/delta)/(n epsilon)^2 and the same with T/delta, at the T of Theorem B.2."""
    n, delta, curvature, lipschitz_times_width = 1e6, 1e-6, 8, 4
    steps = (curvature * n / lipschitz_times_width) ** (2 / 3)
    assert (math.log(n / delta) / math.log(steps / delta)) ** 2 == pytest.approx(1.38, abs=0.01)


@pytest.mark.parametrize("steps", [100, 1000, 100_000])
def test_theorem_a_2_fails_for_a_constant_step(steps: int) -> None:
    """(phi - 1)^2 on [-1, 1] from -1, whose exact linear minimiser is always 1: beta may be as small as one likes."""
    curvature, beta = 2 * 2**2, 0.01
    bound = 2 * curvature / (steps + 2) * (1 + beta)

    def risk(step_sizes: np.ndarray) -> float:
        return float(4 * np.prod(1 - step_sizes) ** 2)

    rounds = np.arange(1, steps)
    constant = risk(np.full(steps - 1, 1 / (steps + 2)))
    assert constant == pytest.approx(4 / math.e**2, rel=0.1)
    assert constant > 3 * bound
    assert risk(2 / (rounds + 2)) < bound


def test_the_databases_of_theorem_3_1_have_w_plus_tau_w_p_records() -> None:
    """k rows give k ||theta||^2 if their columns are orthogonal; the proof sets k = tau w p and then counts w p."""
    signs = np.array([[1, 1], [1, -1]])
    rows = np.kron(np.kron(signs, signs), signs)[:, :5]  # k = 8 rows, p = 5 orthogonal columns
    theta = np.array([0.3, -0.1, 0.2, 0.0, 0.4])
    assert np.sum((rows @ theta) ** 2) == pytest.approx(len(rows) * theta @ theta)
    for m in (1e4, 1e8):
        w, p, tau = m / math.log(m), 1000 * m**2, 0.001
        k = tau * w * p
        assert (w + k) / (w + w * p) == pytest.approx(tau, rel=1e-3)
        assert k > p  # so an entry x_jk of a row with p entries does not exist


def lap_group_first(gap: float, count: int = 2) -> float:
    """P(least of ``count`` Laplace draws plus ``gap`` < least of ``count`` others), scale 1, by quadrature."""
    x = np.linspace(-50, 50, 200_001)

    def survival(at: np.ndarray) -> np.ndarray:
        tail = np.exp(-np.abs(at)) / 2
        return np.where(at < 0, 1 - tail, tail)

    density = count * survival(x - gap) ** (count - 1) * np.exp(-np.abs(x - gap)) / 2
    return float(np.trapezoid(density * survival(x) ** count, x))


def gumbel_group_first(gap: float) -> float:
    """The same for Gumbel noise, for every count."""
    return 1 / (1 + math.exp(gap))


def spent_delta(epsilon: float, uses: int, first: float, second: float) -> float:
    """Hockey-stick divergence of Binomial(uses, first) from Binomial(uses, second), the larger of both directions."""
    count = np.arange(uses + 1)
    one, other = stats.binom.pmf(count, uses, first), stats.binom.pmf(count, uses, second)
    return max(np.maximum(a - math.exp(epsilon) * b, 0).sum() for a, b in ((one, other), (other, one)))


@pytest.mark.parametrize(("first", "most"), [(lap_group_first, 1.24), (gumbel_group_first, 1.03)])
def test_the_scale_of_theorem_2_4_is_not_private_at_epsilon_10(first: Callable[[float], float], most: float) -> None:
    """Losses linear in theta, so that all steps have one gradient; the vertices are two groups of equal scores.

    (Gamma may be any upper bound, so T is free.) The replaced record raises one group by a sensitivity 2 L_1 ||C||_1/n
    and lowers the other by as much: the gap goes from minus to plus one sensitivity. Which groups T - 1 steps chose is
    binomial, and exactly what their choices tell: a lower bound on what the algorithm that publishes its path spends.
    """
    steps, delta = 1000, 1e-6
    for epsilon, factor in ((10.0, most), (1.0, 0.95)):
        shift = 2 * epsilon / math.sqrt(8 * steps * math.log(1 / delta))  # sensitivity over printed scale
        spent = spent_delta(factor * epsilon, steps - 1, first(-shift), first(shift))
        assert (spent > delta) == (epsilon == 10)  # at epsilon = 1 this pair is within the budget


def published_delta(epsilon: float, steps: int, first: float, second: float) -> float:
    """The same for what theta_T tells of the groups: the sum of t + 1 over the steps that chose the first one.

    With mu_t = 2/(t+2) step t has the weight 2 (t + 1)/(T (T + 1)) in theta_T, and a linear functional that is 1 on one
    group of vertices and 0 on the other gives that sum.
    """

    def law(chance: float) -> np.ndarray:
        total = np.zeros(steps * (steps + 1) // 2)
        total[0], top = 1.0, 0
        for weight in range(2, steps + 1):
            after = np.zeros(top + weight + 1)
            after[: top + 1] = total[: top + 1] * (1 - chance)
            after[weight:] += total[: top + 1] * chance
            top += weight
            total[: top + 1] = after
        return total

    one, other = law(first), law(second)
    return max(np.maximum(a - math.exp(epsilon) * b, 0).sum() for a, b in ((one, other), (other, one)))


@pytest.mark.parametrize(("epsilon", "factor"), [(10.0, 1.03), (15.0, 1.1)])
def test_what_algorithm_2_publishes_is_not_private_at_large_epsilon(epsilon: float, factor: float) -> None:
    """The pair of data sets above, with Laplace noise as printed and only theta_T seen; T = 300.

    With exponential selection this pair is within the budget at epsilon = 10.
    """
    steps, delta = 300, 1e-6
    shift = 2 * epsilon / math.sqrt(8 * steps * math.log(1 / delta))
    printed = lap_group_first(-shift), lap_group_first(shift)
    assert published_delta(factor * epsilon, steps, *printed) > delta
    assert published_delta(10.0, steps, gumbel_group_first(-shift), gumbel_group_first(shift)) < delta or epsilon > 10
    if epsilon == 10:  # at epsilon = 3 this pair says nothing against it
        small = 0.3 * shift
        assert published_delta(3.0, steps, lap_group_first(-small), lap_group_first(small)) < 0.1 * delta


def test_theorem_2_2_fails_for_a_linear_loss_whose_curvature_is_0() -> None:
    """theta on [0, 1] from 1, steps 2/(t+2) for t = 1 to T - 1 as in Algorithm 1: 2/(T (T + 1)) of theta_1 stays."""
    for steps in (2, 10, 1000):
        theta = np.prod(1 - 2 / (np.arange(1, steps) + 2))
        assert theta == pytest.approx(2 / (steps * (steps + 1)))
        assert np.prod(1 - 2 / (np.arange(steps) + 2)) == 0  # with t from 0, where mu_0 = 1


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (0.1, 1e-3)])
def test_with_the_printed_noise_one_step_of_algorithm_3_tells_the_data(epsilon: float, delta: float) -> None:
    """C = [-1, 1], n = 1, losses +-L_2 theta, T = 2: theta_2 tells the sign of gradient + noise.

    The shift L_2/sigma grows with the root of L_2 where it should not depend on it.
    """

    def spent(lipschitz: float, power: int) -> float:
        sigma = math.sqrt(32 * lipschitz**power * 2) * math.log(1 / delta) / epsilon
        wrong = float(stats.norm.sf(lipschitz / sigma))
        return (1 - wrong) - math.exp(epsilon) * wrong

    large = 1e3 * (math.log(1 / delta) / epsilon) ** 2
    assert spent(large, 1) > 0.99
    assert spent(large, 2) < delta


def test_the_chance_of_a_group_is_that_of_noisy_minima() -> None:
    """4e5 draws of both mechanisms: 4 standard errors, a false alarm in 1 of 8000 runs (of other seeds)."""
    rng, draws, gap = np.random.default_rng(5), 400_000, 0.3
    for mechanism, first in ((LaplaceMin(1.0), lap_group_first), (GumbelMin(1.0), gumbel_group_first)):
        noise = mechanism.noise(4 * draws, rng).reshape(draws, 2, 2).min(axis=2)
        expected = first(gap)
        error = math.sqrt(expected * (1 - expected) / draws)
        assert np.mean(noise[:, 0] + gap < noise[:, 1]) == pytest.approx(expected, abs=4 * error)


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_theorem_1_1_promises_no_risk_for_one_record_in_one_dimension(epsilon: float) -> None:
    """Answers on a grid of [-1, 1] for (1, 1) and (1, -1): the best by a linear programme, beside log(n p) = 0."""
    delta, places = 0.01, np.linspace(-1, 1, 41)
    size, grown = len(places), math.exp(epsilon)
    # variables: two laws, the excess of each over e^epsilon times the other, and the larger risk
    zero, one = np.zeros((size, size)), np.eye(size)
    rows = [np.hstack([one, -grown * one, -one, zero]), np.hstack([-grown * one, one, zero, -one])]
    upper = [np.hstack([each, np.zeros((size, 1))]) for each in rows]
    sums = np.zeros((4, 4 * size + 1))
    sums[0, 2 * size : 3 * size] = sums[1, 3 * size : 4 * size] = 1
    sums[2, :size], sums[2, -1] = (places - 1) ** 2, -1
    sums[3, size : 2 * size], sums[3, -1] = (places + 1) ** 2, -1
    limits = np.concatenate([np.zeros(2 * size), [delta, delta, 0, 0]])
    total = np.zeros((2, 4 * size + 1))
    total[0, :size] = total[1, size : 2 * size] = 1
    cost = np.append(np.zeros(4 * size), 1.0)
    best = optimize.linprog(cost, np.vstack([*upper, sums]), limits, total, [1, 1]).fun
    assert best > (2 - 4 * delta) / (1 + grown) - 1e-9 > 0.5
    assert math.log(1 * 1) == 0


def test_theorem_2_5_fails_where_gamma_is_small_or_delta_near_1() -> None:
    """A linear loss with L_1 ||C||_1 = 1 from the worst point, run with Gamma as its upper limit."""

    def ratio(n: float, curvature: float, delta: float) -> float:
        steps = max(1, math.ceil((curvature * n) ** (2 / 3)))
        kept = float(np.prod(1 - 2 / (np.arange(1, steps) + 2)))
        rate = curvature ** (1 / 3) * math.log(n * 100) * math.sqrt(math.log(1 / delta)) / n ** (2 / 3)
        return 2 * kept / rate

    assert ratio(1e6, 1e-6, 1e-6) > 1e4  # T = 1
    assert [ratio(n, n**-0.6, 1e-6) for n in (1e9, 1e12)] == pytest.approx([42, 334], rel=0.01)
    assert ratio(1e4, 1.0, 1 - 1e-15) > 100 > 1 > ratio(1e4, 1.0, 1e-6)


def test_theorem_2_6_promises_no_risk_for_linear_losses() -> None:
    """Losses +-theta on [-1, 1], n = 1: the ends are all that matters, and a fair guess with the budget is the best."""
    epsilon, delta = 1.0, 0.01
    right = (math.exp(epsilon) + delta) / (1 + math.exp(epsilon))  # the largest chance of the right end on both
    assert right - math.exp(epsilon) * (1 - right) == pytest.approx(delta)
    assert 2 * (1 - right) == pytest.approx(2 * (1 - delta) / (1 + math.exp(epsilon)))
    assert 2 * (1 - right) > 0.5


def test_equation_6_has_a_logarithm_of_what_is_no_pure_number() -> None:
    """Two vertices, T = 2: one choice with a gap of 1 + W noise scales loses W(1/e) of them in any unit."""
    steps, vertices, gap = 2, 2, 1.2785
    regret = gap / (1 + math.exp(gap)) * (1 - 2 / (steps * (steps + 1)))
    assert regret > 0.18
    for unit in (1.0, 1e-3):
        assert (math.log(steps * unit * vertices) > 0) == (unit == 1)


def test_theorem_3_1_fails_in_one_dimension() -> None:
    """Published moments: 4000 runs on four kinds of data lose less than 24/(n epsilon) in the mean."""
    rng = np.random.default_rng(3)
    for n, epsilon in ((1e3, 1.0), (1e5, 0.1)):
        scale = 4 / (n * epsilon)
        for a, c in ((1.0, 1.0), (1.0, 0.0), (scale, scale), (0.0, 0.0)):
            noisy = np.array([[a], [c]]) + rng.laplace(scale=scale, size=(2, 4000))
            ends = noisy[0] - 2 * np.abs(noisy[1])
            inside = np.clip(noisy[1] / np.where(noisy[0] > 0, noisy[0], 1), -1, 1)
            theta = np.where((noisy[0] > 0) | (ends > 0), inside, np.where(noisy[1] < 0, -1, 1))
            best = float(np.clip(c / a, -1, 1)) if a else 0.0
            risks = (a * theta**2 - 2 * c * theta) - (a * best**2 - 2 * c * best)
            assert risks.mean() < 24 / (n * epsilon)
    n = 1e21  # where 24/(n epsilon) is below a hundredth of the claim
    assert 24 / (n * 0.1) < 0.01 * (n * math.log(n)) ** (-2 / 3)


def test_theorem_3_2_fails_for_one_matrix_that_the_algorithm_knows() -> None:
    """Majority signs of all w + 1 rows are published without a look at the data: two rows that agree are a majority."""
    rng = np.random.default_rng(0)

    def drawn() -> np.ndarray:
        return np.where(rng.random((5, 2000)) < 0.9, 1, -1) * np.where(rng.random(2000) < 0.5, 1, -1)

    def agreements(matrix: np.ndarray) -> list[float]:
        without = [np.delete(matrix, row, axis=0) for row in range(5)]
        return [
            float(np.mean(answer[consensus] == left[0, consensus]))
            for left in without
            if (consensus := np.abs(left.sum(axis=0)) == 4).sum() > 1000
        ]

    known = drawn()
    answer = np.sign(known.sum(axis=0))
    assert agreements(known) == [1.0] * 5
    assert max(agreements(drawn())) < 0.6  # of a matrix that is drawn after the answer: half, up to 5 errors of .01


def test_theorem_3_2_needs_a_budget() -> None:
    """Means of p = 1000 m^2 columns of w = m/ln m rows, all +1 by consensus, with noise that spends a large epsilon."""
    m, delta = 10.0, 1e-6
    rows, columns = m / math.log(m), round(1000 * m**2)
    shift = 200.0  # mu
    deviation = 2 * math.sqrt(columns) / rows / shift
    agrees = np.mean(1 + deviation * np.random.default_rng(0).standard_normal(columns) > 0)
    assert agrees > 0.75
    spent = shift**2 / 2 + shift * math.sqrt(2 * math.log(1 / delta))
    tail = stats.norm.cdf(shift / 2 - spent / shift)
    assert tail < delta
    assert math.isfinite(spent)
    for m in (1e4, 1e8):  # an agreement of 3/4 costs about (30 ln m)^2
        shift = stats.norm.ppf(0.75) * 2 * math.sqrt(1000) * math.log(m)
        spent = shift**2 / 2 + shift * math.sqrt(2 * math.log(1 / delta))
        assert spent == pytest.approx((30 * math.log(m)) ** 2, rel=0.05)
