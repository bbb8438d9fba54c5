"""Slips of print in Kifer, Smith and Thakurta (2012), each computed from the printed formula and from what holds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats


def noise_scale(epsilon: float, delta: float) -> float:
    """Algorithm 1's standard deviation at zeta = 1."""
    return math.sqrt(8 * math.log(2 / delta) + 4 * epsilon) / epsilon


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 1.25])
def test_with_half_lambda_over_epsilon_the_determinant_alone_exceeds_e_to_the_epsilon(epsilon: float) -> None:
    """One dimension, one added record: where its gradient is zero both data sets need the same noise."""

    def ratio(regulariser: float) -> float:
        return (regulariser + 1) / regulariser  # |db/d alpha| with the record and without, lambda = 1

    assert math.log(ratio(1 / (2 * epsilon))) > epsilon
    assert math.log(ratio(2 / epsilon)) < epsilon / 2


def test_the_shift_of_lemma_14_depends_on_the_noise() -> None:
    """No records against one, (theta - c)^2/2: Gamma = b(alpha; D) - b(alpha; D') = alpha - c, and alpha = -b/Delta."""
    regulariser, centre = 2.0, 0.5
    noise = np.linspace(-1, 1, 5)
    alpha = -noise / regulariser
    shift = -regulariser * alpha - (-(alpha - centre) - regulariser * alpha)
    assert np.corrcoef(noise, shift)[0, 1] == pytest.approx(-1)


@pytest.mark.parametrize("delta", [1e-2, 1e-6])
def test_the_good_set_of_lemma_14_has_its_inequality_reversed(delta: float) -> None:
    """<b, Gamma> is N(0, zeta^2 beta^2) at the largest ||Gamma||; GOOD should have probability 1 - delta or more."""
    printed = float(stats.norm.sf(math.sqrt(2 * math.log(2 / delta))))
    assert printed < delta / 2
    assert 1 - printed > 1 - delta


def replacement_delta(epsilon: float, delta: float, centre: float) -> float:
    """The exact delta(epsilon) of Algorithm 1 in one dimension when one record is replaced by another.

    zeta = lambda = 1, Delta = 2/epsilon. One record is a parabola around ``centre`` that goes on with slope +-1, the
    other a line of slope -1.
    """
    scale, ridge = noise_scale(epsilon, delta), 2 / epsilon
    near = np.linspace(centre - 1.5, centre + 1.5, 200_001)
    reach = 12 * scale / ridge
    alpha = np.concatenate(
        [np.linspace(-reach, centre - 1.5, 50_001)[:-1], near, np.linspace(centre + 1.5, reach, 50_001)[1:]]
    )
    slope, curve = np.clip(alpha - centre, -1, 1), (np.abs(alpha - centre) < 1).astype(float)
    parabola = stats.norm.pdf(ridge * alpha + slope, scale=scale) * (ridge + curve)
    line = stats.norm.pdf(ridge * alpha - 1, scale=scale) * ridge
    assert np.trapezoid(parabola, alpha) == pytest.approx(1, abs=1e-4)
    excess = max(
        np.trapezoid(np.maximum(p - math.exp(epsilon) * q, 0), alpha) for p, q in ((parabola, line), (line, parabola))
    )
    return float(excess)


def test_the_printed_noise_is_short_under_replacement() -> None:
    """The paper's neighbours add or remove a record; two records' gradients may differ by 2 zeta."""
    for epsilon, delta, position, times in ((1.0, 1e-6, -4.0, 1.53), (1.0, 1e-10, -4.5, 145), (0.5, 1e-8, -4.0, 19.5)):
        centre = position * noise_scale(epsilon, delta) * epsilon / 2
        assert replacement_delta(epsilon, delta, centre) == pytest.approx(times * delta, rel=0.01)


def test_claim_22_lacks_a_square() -> None:
    """g(x) = x^2/2 is 1-strongly convex with minimum 0 at 0."""
    theta = 0.5
    assert theta**2 / 2 < abs(theta) / 2


def test_the_consequence_of_lemma_28_fails_for_gamma_near_1() -> None:
    """Pr(||X|| > sqrt(2 p log(1/gamma))) <= gamma for X ~ N(0, I_p)."""

    def exceeds(p: int, gamma: float) -> float:
        return float(stats.chi2.sf(2 * p * math.log(1 / gamma), p))

    assert all(exceeds(p, 0.99) > 0.99 for p in (3, 10, 1000))
    assert exceeds(10_000, 0.62) > 0.9  # the mean of ||X||^2 is p: the bound must exceed it, gamma < e^(-1/2)
    assert all(exceeds(p, gamma) <= gamma for p in (1, 2, 3, 10, 10_000) for gamma in (0.5, 0.1, 1e-3, 1e-9))
    # Lemma 28 itself holds there.
    for p in (3, 10, 1000):
        assert all(stats.chi2.sf(phi * p, p) <= math.exp(-p / 2 * (phi - 1 - math.log(phi))) for phi in (1.0, 1.1, 2.0))


def test_assumption_1_has_one_epsilon_too_many() -> None:
    """Theorem 31's radius sqrt(p) zeta sqrt(log 1/delta)/(epsilon (Delta + eta)) at eta = lambda n/p, n >> p^2."""
    p, n, curvature = 10, 1e12, 2.0
    for epsilon in (0.01, 0.1):
        eta, regulariser, log = curvature * n / p, 2 * curvature / epsilon, math.log(1e6)
        theorem = math.sqrt(p * log) / (epsilon * (regulariser + eta))
        printed = p**1.5 * math.sqrt(log) / (curvature * n * epsilon**2)
        assert printed * epsilon == pytest.approx(theorem, rel=1e-6)


def test_the_law_of_section_3_2_spends_alpha_squared_times_the_budget() -> None:
    """One support's score rises by alpha with an added record, the other supports' scores do not."""
    epsilon, alpha, supports = 0.5, 4.0, 1e6

    def loss(exponent: float) -> float:
        weight = math.exp(-exponent * alpha)
        return math.log((1 / supports) / (weight / (weight + supports - 1)))

    assert loss(epsilon * alpha) == pytest.approx(alpha**2 * epsilon, rel=1e-4)
    assert loss(epsilon / (2 * alpha)) < epsilon  # Algorithm 4


def theorem_35_first_term(s: float, n: float) -> float:
    """16 s zeta^2 (8 log(2/delta) + 2 epsilon) log(2/gamma)/(n epsilon^2 (Delta + n Psi)), with Algorithm 6's zeta."""
    epsilon, zeta = 1.0, 2 * s**1.5
    noise = (8 * math.log(2e6) + 2 * epsilon) * math.log(20)
    return 16 * s * zeta**2 * noise / (n * epsilon**2 * (s / epsilon + n))


def test_theorem_7_should_have_the_fourth_power_of_s() -> None:
    power = math.log(theorem_35_first_term(16, 1e12) / theorem_35_first_term(4, 1e12)) / math.log(4)
    assert power == pytest.approx(4, abs=1e-6)


def test_the_laplace_tail_in_the_proof_of_theorem_8() -> None:
    """Pr(Lap(2 s/(k epsilon)) >= psi), printed first as exp(-psi epsilon k/(4 s))/2 and then with 2 s."""
    s, k, epsilon, psi = 3, 40, 1.0, 0.5
    tail = float(stats.laplace.sf(psi, scale=2 * s / (k * epsilon)))
    assert tail == pytest.approx(math.exp(-psi * epsilon * k / (2 * s)) / 2)
    assert tail < 0.2 * math.exp(-psi * epsilon * k / (4 * s)) / 2


def test_theorem_44_lacks_n_before_psi() -> None:
    """Theorem 43 is its special case and falls as 1/n^2, as Theorem 31 does at eta = n Psi."""

    def power(with_n: bool) -> float:
        risks = []
        for n in (1e8, 1e12):
            strong_convexity = n if with_n else 1.0
            risks.append(64 * 3**4 * (8 * math.log(2e6) + 2) * math.log(10) / (n * (3 + strong_convexity)))
        return math.log(risks[1] / risks[0]) / math.log(1e4)

    assert power(with_n=False) == pytest.approx(-1, abs=1e-6)
    assert power(with_n=True) == pytest.approx(-2, abs=1e-6)
