"""The loss of a perturbed minimiser by maps that it may be, and by what is known at the ends."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr

from dprepro.errors import InputError
from dprepro.privacy.perturbed_minimisers import perturbed_delta, perturbed_epsilon, perturbed_mu
from dprepro.privacy.worst_pairs import gaussian_epsilon

SETTINGS = [(0.2, 0.5, 1.0), (0.5, 0.5, 1.0), (0.2, 0.1, 1.0), (1.0, 1.0, 3.0), (2.5, 0.5, 0.6), (0.1, 0.3, 0.5)]


def mass(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.asarray(np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low)))


def largest(mu: float, curvature: float, epsilon: float, comes: bool, step: float = 0.01) -> float:
    """The most that maps lose which in each step keep v - u or raise it at their full rate, by a dynamic programme.

    Steps are of u, where the record goes (u normal), or of v, where it comes (v normal).
    """
    rate = curvature / (1 + curvature) if comes else curvature
    levels = np.arange(-mu, mu + 1e-12, rate * step)  # of v - u
    best = np.zeros(levels.size)
    sign, stretch = (-1, 1 - rate) if comes else (1, 1 + rate)
    for end in np.arange(9, -9, -step):
        start = end - step
        here = float(mass(np.array(start), np.array(end)))
        other = start + sign * levels
        stay = np.maximum(here - math.exp(epsilon) * mass(other, other + step), 0) + best
        rise = np.maximum(here - math.exp(epsilon) * mass(other, other + stretch * step), 0)
        rise[:-1] += best[1:]
        rise[-1] = 0.0
        best = np.maximum(stay, rise)
    return float(best.max())


@pytest.mark.parametrize(("mu", "curvature", "epsilon"), SETTINGS)
def test_no_map_loses_more_and_the_worst_one_that_is_found_comes_near(
    mu: float, curvature: float, epsilon: float
) -> None:
    delta = perturbed_delta(mu, curvature, epsilon)
    found = max(largest(mu, curvature, epsilon, comes) for comes in (True, False))
    assert found <= delta * (1 + 1e-9)
    if mu < 2:  # at the last but one the account is not attained
        assert found >= 0.6 * delta


def test_linear_losses_cost_what_a_gaussian_costs() -> None:
    for delta in (1e-2, 1e-6, 1e-300):
        assert perturbed_epsilon(0.3, 0.0, 1e-6) == pytest.approx(gaussian_epsilon(0.3, 1e-6), rel=1e-8)
        assert perturbed_epsilon(0.3, 1e-3, delta) >= gaussian_epsilon(0.3, delta)


def test_it_is_less_than_the_determinant_and_a_shift_with_two_sides() -> None:
    for mu in (0.05, 0.3, 2.0, 50.0):
        for curvature in (1e-3, 0.1, 1.0, 30.0):
            for delta in (0.3, 1e-6, 1e-200):
                plain = math.log1p(curvature) + max(gaussian_epsilon(mu, delta / 2), mu**2 / 2)
                found = perturbed_epsilon(mu, curvature, delta)
                assert max(0.0, gaussian_epsilon(mu, delta)) * (1 - 1e-8) <= found <= plain
                assert perturbed_delta(mu, curvature, found) <= delta


@pytest.mark.parametrize(("curvature", "noise"), [(0.1, 4.3652), (0.5, 5.7139)])
def test_the_largest_shift_has_the_noise_that_is_known(curvature: float, noise: float) -> None:
    mu = perturbed_mu(curvature, 1.0, 1e-6)
    assert 1 / mu == pytest.approx(noise, abs=1e-4)
    assert perturbed_epsilon(mu, curvature, 1e-6) <= 1
    assert perturbed_epsilon(mu * (1 + 1e-6), curvature, 1e-6) > 1
    assert perturbed_epsilon(perturbed_mu(curvature, 1.0, 1e-300), curvature, 1e-300) <= 1
    with pytest.raises(InputError, match="must exceed"):
        perturbed_mu(2.0, 1.0, 1e-6)


def test_delta_falls_with_epsilon_through_every_regime() -> None:
    for mu, curvature in ((0.4, 1.0), (2.0, 0.3), (5.0, 4.0)):
        curve = [perturbed_delta(mu, curvature, epsilon) for epsilon in np.linspace(0, 15, 301)]
        assert all(np.diff(curve) <= 1e-12)
        assert 0 <= curve[-1] <= curve[0] <= 1
