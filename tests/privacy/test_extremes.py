"""Accounts where the parameters are tiny or huge: against values of many digits, and by what scaling says of them.

The golden values are the definitions in mpmath with 400 digits, not the formulas of the code:

    gaussian  ncdf(mu/2 - x/mu) - exp(x) ncdf(-mu/2 - x/mu)
    pure      sum over j with l = epsilon (2 j - uses) > x of binomial(uses, j) p^j (1 - p)^(uses - j) (1 - exp(x - l)),
              p = 1/(1 + exp(-epsilon))
    once      (exp(eta/2) - exp(x/2))^2/expm1(eta), of one bounded range
    twice     the largest over t in [0, eta], by ternary search around the best of 400, of
              (exp(eta) - exp(t))/expm1(eta) once(x - t) + expm1(t)/expm1(eta) once(x - t + eta)
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from dprepro.mechanisms import GaussianShift, NoisyTop, PureLoss
from dprepro.privacy import compose, privacy_loss
from dprepro.privacy.ranges import range_delta, range_epsilon
from dprepro.privacy.sampled import sampled_epsilon
from dprepro.privacy.worst_pairs import gaussian_delta, gaussian_epsilon, mixed_epsilon, pure_epsilon

GAUSSIAN = (
    (1e-15, 3.0e-15, 3.8215431704772417e-19),
    (1e-12, 5.0e-13, 1.9779655740135548e-13),
    (1e-12, 8.0e-12, 7.5502624119767e-29),
    (1e-8, 1.0e-8, 8.3315471004263652e-10),
    (1e-6, 3.5e-5, 3.2088606371718729e-276),
    (1e-3, 0.003, 3.827279372473897e-7),
    (0.5, 2.5, 9.0609386933581876e-8),
    (0.6, 3.0, 1.3782794341813685e-7),
    (2.0, 20.0, 2.016028801306039e-20),
    (20.0, 300.0, 2.2727748823194894e-7),
    (1e3, 510000.0, 7.5436689540244472e-24),
    (1e4, 50030000.0, 0.0013494549789097063),
)
"""mu, x, delta(x)."""

PURE = (
    (1e-15, 1, 4.0e-16, 3.0000000000000006e-16),
    (1e-12, 9, 1.8e-12, 5.2734375000047461e-13),
    (1e-9, 1000, 5.0e-8, 7.6663336527829635e-10),
    (1e-6, 3, 2.7e-6, 3.750005062502025e-8),
    (0.001, 1000, 0.8, 2.4882775517490404e-165),
    (1.0, 200, 198.0, 5.3368289250363802e-28),
    (1e4, 2, 19998.0, 0.86466471676338731),
)
"""epsilon, uses, x, delta(x)."""

RANGES = (
    (1e-8, 1, 1.0e-9, 2.0250000010125e-9),
    (1e-7, 1, 3.1e-8, 1.1902500184488748e-8),
    (5e-6, 1, 4.15e-6, 3.6125074959415684e-8),
    (1e-3, 1, 0.00047, 7.0241502298569558e-5),
    (3.0, 1, 1.83, 0.20643290688983848),
    (45.0, 1, 25.65, 0.99987433415999061),
    (1e-7, 2, 2.0e-8, 2.2250000222499992e-8),
    (5e-6, 2, 4.0e-6, 3.2000064000013333e-7),
    (1e-3, 2, 0.0011, 2.7014852137178147e-5),
    (3.0, 2, 2.1, 0.42638329399518093),
)
"""eta, uses, x, delta(x)."""


@pytest.mark.parametrize(("mu", "x", "delta"), GAUSSIAN)
def test_a_gaussian_shift_keeps_its_digits(mu: float, x: float, delta: float) -> None:
    assert gaussian_epsilon(mu, delta) == pytest.approx(x, rel=1e-9)
    assert gaussian_delta(mu, np.array([x]))[0] == pytest.approx(delta, rel=1e-7)  # x has 16 digits
    below = -math.expm1(-x) + math.exp(-x) * delta  # the two data sets exchanged
    assert gaussian_delta(mu, np.array([-x]))[0] == pytest.approx(below, rel=1e-9)


@pytest.mark.parametrize(("epsilon", "uses", "x", "delta"), PURE)
def test_pure_losses_keep_their_digits(epsilon: float, uses: int, x: float, delta: float) -> None:
    assert x * (1 - 1e-12) <= pure_epsilon(epsilon, uses, delta) <= x * (1 + 1e-7)
    assert pure_epsilon(epsilon, uses, 1e-300) == uses * epsilon


@pytest.mark.parametrize(("eta", "uses", "x", "delta"), RANGES)
def test_bounded_ranges_keep_their_digits_and_are_certified_from_above(
    eta: float, uses: int, x: float, delta: float
) -> None:
    """Chords cost a relative 1e-3 of epsilon; rounding may not take that back."""
    assert x * (1 - 1e-12) <= range_epsilon(eta, uses, delta) <= x * 1.005
    assert delta * (1 - 1e-12) <= range_delta(eta, uses, x) <= delta * 1.01


ACCOUNTS: dict[str, Callable[[float, float], float]] = {
    "gaussian": lambda size, delta: gaussian_epsilon(size, delta),
    "pure": lambda size, delta: pure_epsilon(size, 5, delta),
    "mixed": lambda size, delta: mixed_epsilon(((size, 3), (size / 3, 2)), size, delta),
    "range": lambda size, delta: range_epsilon(size, 3, delta),
    "sampled": lambda size, delta: sampled_epsilon(size, 10, 50, delta),
}
LEAST = {"range": 1e-7, "sampled": 1e-7}
"""Sizes below which a delta of a fifth of them is not computed; that at all larger ones must be."""


@pytest.mark.parametrize("name", ACCOUNTS)
def test_small_losses_scale_with_delta(name: str) -> None:
    """Where all log-ratios are small, delta and epsilon are proportional to them, to the first order."""
    sizes = [size for size in (1e-14, 1e-11, 1e-8, 1e-7, 1e-6) if size >= LEAST.get(name, 0.0)]
    shares = [ACCOUNTS[name](size, 0.05 * size) / size for size in sizes]
    assert shares[0] > 0.1
    assert shares == pytest.approx([ACCOUNTS[name](1e-5, 5e-7) / 1e-5] * len(shares), rel=1e-3)


def test_a_sample_of_all_records_is_no_sample() -> None:
    for mu, delta in ((1e-7, 1e-9), (1e-4, 1e-6), (1.0, 1e-3)):
        exact = gaussian_epsilon(mu * math.sqrt(30), delta)
        assert exact <= sampled_epsilon(mu, 1, 30, delta) <= exact * 1.002


def test_what_two_laws_differ_by_costs_no_epsilon() -> None:
    for mu in (1e-15, 1e-12):
        assert sampled_epsilon(mu, 1, 1, 1e-9) == 0
        assert compose([(GaussianShift(mu), 1), (PureLoss(mu), 2)], 1e-9).epsilon == 0


def test_huge_losses_cost_no_more_than_their_sum() -> None:
    assert privacy_loss(PureLoss(1e4), 3, 1e-12).epsilon == pytest.approx(3e4, rel=1e-9)
    assert range_epsilon(1e4, 3, 1e-6) == math.inf  # left to the others
    assert privacy_loss(GaussianShift(1e4), 1, 1e-300).epsilon == pytest.approx(5e7 + 37.04 * 1e4, rel=1e-5)


def test_the_chance_of_a_choice_below_all_floats_has_a_logarithm() -> None:
    """Two candidates 2000 scales apart: the worse is chosen with probability (1/2 + 2000/4) e^-2000."""
    found = NoisyTop(0.5).log_chance(np.array([1000.0, 0.0]), np.array([1]))
    assert found == pytest.approx(-2000 + math.log(0.5 + 500), rel=1e-12)
