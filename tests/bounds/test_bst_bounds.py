"""The bounds of Bassily, Smith and Thakurta (2014) against their derivations."""

import math

import numpy as np
import pytest
from scipy.special import gammaincc, ive

from dprepro import bounds
from dprepro.bounds.bst import least_deviation

NUMBERS = {
    "n": 1e5,
    "p": 64.0,
    "epsilon": 1.0,
    "delta": 1e-6,
    "lipschitz": 1.0,
    "diameter": 2.0,
    "strong_convexity": 1.0,
    "smoothness": math.inf,
}


def noise(numbers, steps):
    c = math.sqrt(32 * math.log(numbers["n"] / numbers["delta"]) * math.log(1 / numbers["delta"]))
    return numbers["lipschitz"] * c * math.sqrt(steps) / (numbers["n"] * numbers["epsilon"])


def test_the_explicit_bounds_of_theorem_2_4_are_the_printed_rates_at_n_squared_steps():
    """At T = n^2 the ratio of bound and rate is a number that does not depend on n, p and epsilon (beyond ln T)."""
    first, second = [], []
    for change in ({}, {"n": 1e6}, {"p": 640.0}, {"epsilon": 0.1}, {"n": 1e7, "delta": 1e-12}):
        numbers = NUMBERS | change
        numbers |= {"steps": numbers["n"] ** 2, "noise_scale": noise(numbers, numbers["n"] ** 2)}
        logarithm = (2.5 + 3 * math.log(numbers["n"])) / math.log(numbers["n"] / numbers["delta"])
        first.append(
            bounds.evaluate("bst.theorem_2_4_1", numbers)
            / bounds.evaluate("bst.theorem_2_4_1_rate", numbers)
            / logarithm
        )
        logarithm = (1 + 2 * math.log(numbers["n"])) / math.log(numbers["n"] / numbers["delta"])
        second.append(
            bounds.evaluate("bst.theorem_2_4_2", numbers)
            / bounds.evaluate("bst.theorem_2_4_2_rate", numbers)
            / logarithm
        )
    np.testing.assert_allclose(first, math.sqrt(32), rtol=1e-3)
    np.testing.assert_allclose(second, 17 * 32, rtol=1e-3)


@pytest.mark.parametrize(("p", "n"), [(16.0, 2e4), (64.0, 1e5), (256.0, 1e6)])
def test_the_law_of_linear_losses_is_the_mean_under_the_settled_density(p, n):
    numbers = NUMBERS | {"p": p, "n": n}
    # p s^2 = 8 L^2 and a step of C/(3 L sqrt T); density exp(2 <theta, c>/(eta s^2)) in the ball of radius 1
    least = 2 * least_deviation(numbers["epsilon"], numbers["delta"]) / n
    steps = 8 / (p * least**2)
    eta = 2 / (3 * math.sqrt(steps))
    x = np.linspace(-1, 1, 2_000_001)
    exponent = 2 * x / (eta * 8 / p) + (p - 1) / 2 * np.log(np.maximum(1 - x**2, 1e-300))
    density = np.exp(exponent - exponent.max())
    law = bounds.evaluate("bst.linear_law_tight", numbers)
    assert law == pytest.approx(1 - (x * density).sum() / density.sum(), rel=2 / p**2)
    assert law < bounds.evaluate("bst.theorem_2_4_1", numbers | {"steps": steps, "noise_scale": math.sqrt(8 / p)})


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-6), (1.0, 1e-40), (8.0, 1e-12)])
def test_the_tight_scale_s_noise_has_a_loss_above_epsilon_as_often_as_delta_allows(epsilon, delta):
    one = {"n": 1.0, "p": 1.0, "lipschitz": 1.0, "diameter": 1.0}
    deviation = bounds.evaluate("bst.theorem_2_4_1_tight_scale", one | {"epsilon": epsilon, "delta": delta})
    # delta(epsilon) by quadrature over the shifted density: the integral of (1 - e^(epsilon - loss))_+
    edge = epsilon * deviation**2 + 0.5  # losses above epsilon, x the answer on the data of mean 1
    x = np.linspace(edge, max(edge, 1) + 40 * deviation, 2_000_001)
    loss = (x - 0.5) / deviation**2
    density = np.exp(-0.5 * ((x - 1) / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))
    assert np.trapezoid(density * -np.expm1(epsilon - loss), x) == pytest.approx(delta, rel=1e-4)
    assert deviation < 1.01 * math.sqrt(2 * math.log(1.25 / delta)) / epsilon or epsilon > 1


@pytest.mark.parametrize("p", [2, 8, 64])
def test_theorem_3_2_holds_for_the_exact_risk_of_linear_losses_and_its_rate_is_the_limit(p):
    """mean risk 1 - I_{p/2+1}(a)/I_{p/2}(a), a = n epsilon/(2 L C), tends to (p + 1) L C/(n epsilon)."""
    for n in (10.0, 1e3, 1e5):
        numbers = NUMBERS | {"n": n, "p": float(p)}
        a = n / 4
        risk = 1 - ive(p / 2 + 1, a) / ive(p / 2, a)
        rate = bounds.evaluate("bst.theorem_3_2_rate", numbers)
        assert risk <= rate < bounds.evaluate("bst.theorem_3_2", numbers)
        if n >= 1e5:
            assert risk == pytest.approx(rate, rel=2e-3)


def test_the_printed_tail_integrates_to_a_few_times_the_bound_and_the_planted_one_is_below_the_mean():
    level = np.linspace(0, 60, 60_001)
    tails = np.array([bounds.evaluate("bst.theorem_3_2_tail", NUMBERS | {"level": one}) for one in level[::1000]])
    start = tails[0]
    mean = start + (tails[1] - tails[0]) / (level[1000] - level[0])  # slope times the mean of exp(-level)
    assert 4.4 < mean / bounds.evaluate("bst.theorem_3_2", NUMBERS) < 4.6
    planted = bounds.evaluate("bst.theorem_3_2_tail_too_tight", NUMBERS | {"level": 1.0})
    assert planted < bounds.evaluate("bst.theorem_3_2_rate", NUMBERS)


@pytest.mark.parametrize("p", [1, 3, 20, 300])
def test_a_norm_in_all_of_space_attains_theorem_3_2_and_nears_its_sharp_tail(p):
    """With F = ||theta|| the risk has the Gamma law of shape p and scale 1/(n kappa) = 2 L C/(n epsilon)."""
    numbers = NUMBERS | {"p": float(p)}
    scale = 2 * numbers["lipschitz"] * numbers["diameter"] / (numbers["n"] * numbers["epsilon"])
    assert bounds.evaluate("bst.theorem_3_2", numbers) == pytest.approx(p * scale)
    for level in (0.5, 1.0, 3.0, 10.0):
        reach = bounds.evaluate("bst.theorem_3_2_tail_sharp", numbers | {"level": level})
        share = float(gammaincc(p, reach / scale)) / math.exp(-level)
        assert 0.001 < share < 1
        assert reach < bounds.evaluate("bst.theorem_3_2_tail", numbers | {"level": level})


@pytest.mark.parametrize("slope", [0.0, 0.3, 1.0])
def test_the_recursions_behind_the_bounds_of_the_last_iterate(slope):
    """The worst cases of the smooth strongly convex recursion, and of 1/eta_T - 1/eta_(T-k) and the sum of steps."""
    second_moment, distance = 1.0, slope
    for t in range(1, 2000):
        distance = max(0.0, 1 - 2 / t) * distance + second_moment / t**2
        numbers = NUMBERS | {"lipschitz": 1.0, "smoothness": 1.0, "steps": t + 1.0, "noise_scale": 0.0}
        assert distance / 2 <= bounds.evaluate("bst.theorem_2_4_2", numbers) * (1 + 1e-12)
    steps = 400
    eta = 1 / np.sqrt(np.arange(1, steps + 1))
    for k in range(1, steps):
        assert 1 / eta[-1] - 1 / eta[steps - 1 - k] <= k / math.sqrt(steps) + 1e-12
        assert eta[steps - 1 - k :].sum() <= 2 * (k + 1) / math.sqrt(steps)


def test_theorem_4_3_has_the_printed_rate_up_to_the_constant():
    ratios = []
    for change in ({}, {"n": 1e7}, {"epsilon": 0.3}, {"p": 1000.0, "n": 1e9}):
        numbers = NUMBERS | {"n": 1e6} | change
        ratios.append(bounds.evaluate("bst.theorem_4_3", numbers) / bounds.evaluate("bst.theorem_4_3_rate", numbers))
    np.testing.assert_allclose(ratios, 2 * 2 * 2 * 3 * 4, rtol=1e-6)
