"""The radius of local strong convexity that objective perturbation needs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from dprepro.bounds import local_convexity

RNG = np.random.default_rng(11)


def huber(distance: float, steepness: float, psi: float) -> float:
    return steepness * (distance**2 / 2 if distance <= psi else psi * (distance - psi / 2))


@pytest.mark.parametrize("kink", [0.5, 1.0, 5.0])
def test_the_answer_of_a_huber_loss_is_where_the_derivation_has_it(kink: float) -> None:
    """Delta = s = 1, three dimensions, a minimiser apart from 0; the objective is minimised as it stands."""
    steepness, best = 20.0, np.array([0.7, -0.2, 0.4])
    psi = kink / (1 + steepness)
    for _ in range(8):
        b = RNG.normal(size=3)
        length = float(np.linalg.norm(b + best))

        def objective(theta: np.ndarray, b: np.ndarray = b) -> float:
            return huber(float(np.linalg.norm(theta - best)), steepness, psi) + float(theta @ theta / 2 + b @ theta)

        answer = minimize(objective, best, method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-13}).x
        expected = length / (1 + steepness) if length <= kink else length - steepness * psi
        found = float(np.linalg.norm(answer - best))
        assert found == pytest.approx(expected, abs=1e-4)
        if length <= kink:
            assert huber(found, steepness, psi) <= local_convexity.draw_allowed(length, steepness) * (1 + 1e-3)
        assert huber(found, steepness, psi) <= length**2 / 4 + 1e-6


@pytest.mark.parametrize(("p", "pull", "reach"), [(1, 0.0, 1.0), (4, 1.5, 0.7), (4, 0.0, 0.5)])
def test_the_chances_of_leaving_and_of_a_larger_risk_are_those_of_draws(p: int, pull: float, reach: float) -> None:
    """40,000 draws; a frequency is off by 4 standard errors once in 16,000."""
    gamma, steepness, granted, draws = 0.1, 50.0, 0.5, 40_000
    length = np.linalg.norm(RNG.normal(size=(draws, p)) + np.eye(1, p) * pull, axis=1)
    kink = reach * local_convexity.needed(p, gamma, pull)
    psi = kink / (1 + steepness)
    distance = np.where(length <= kink, length / (1 + steepness), length - steepness * psi)
    risk = [huber(float(r), steepness, psi) for r in distance]
    rate = p * (1 + math.log(1 / gamma)) / (1 + steepness) + pull**2
    for share, expected in (
        (np.mean(distance > psi), local_convexity.leaves(p, gamma, pull, reach)),
        (np.mean(np.array(risk) > granted * rate), local_convexity.missed(p, gamma, steepness, pull, reach, granted)),
    ):
        assert abs(share - expected) <= 4 * math.sqrt(expected * (1 - expected) / draws) + 1e-12


@pytest.mark.parametrize("p", [1, 5])
def test_the_mean_risk_of_a_huber_loss_is_that_of_draws(p: int) -> None:
    steepness, kink = 30.0, 0.8 * math.sqrt(p)
    length = np.linalg.norm(RNG.normal(size=(40_000, p)), axis=1)
    psi = kink / (1 + steepness)
    risk = [
        huber(float(v / (1 + steepness) if v <= kink else v - steepness * psi), steepness, psi) for v in length
    ]  # fmt: skip
    exact = local_convexity.huber_mean_at_multiple(p, steepness, 0.8)
    assert abs(np.mean(risk) - exact) < 4 * np.std(risk) / 200


def test_the_printed_radius_is_too_small_in_few_dimensions_and_enough_in_many_at_tiny_gamma() -> None:
    printed = [
        local_convexity.printed(p, 1.0, 1e-6, gamma, 1e4, 0.0) / local_convexity.needed(p, gamma, 0.0)
        for p, gamma in ((1, 1e-2), (1e4, 1e-2), (1e4, 1e-6))
    ]  # fmt: skip
    assert printed == pytest.approx([0.283, 0.716, 1.219], abs=2e-3)


@pytest.mark.parametrize("pull", [0.0, 0.3, 8.0])
def test_what_is_stated_is_no_less_than_the_needed_radius_and_theorem_30_asks_for_more(pull: float) -> None:
    for p in (1, 7, 1e3):
        for gamma in (0.99, 0.5, 1e-3, 1e-8):
            needed = local_convexity.needed(p, gamma, pull)
            assert needed <= local_convexity.stated(p, gamma, pull) < local_convexity.theorem_30(p, gamma, 1.0, pull)
            assert local_convexity.leaves(p, gamma, pull, 1.0) == pytest.approx(gamma)


def test_with_its_radius_the_mean_risk_is_within_its_bound_and_with_a_fixed_multiple_it_is_not() -> None:
    for p in (1.0, 4.0, 100.0):
        for steepness in (1e-3, 1.0, 1e3, 1e9, 1e15):
            allowed = local_convexity.mean_allowed(p, steepness)
            assert local_convexity.huber_mean(p, steepness, 1.0) < allowed
            assert local_convexity.huber_mean(p, steepness, 1.7) < allowed
    assert local_convexity.huber_mean_at_multiple(4.0, 1e12, 2.5) > 100 * local_convexity.mean_allowed(4.0, 1e12)
    # the formulas with units: p = 4, s = 3, Delta = 2, eta = 10, n = 100
    assert local_convexity.mean_risk(100, 6.0, 2.0, 10.0, 0.0) == pytest.approx(
        local_convexity.mean_allowed(4.0, 5.0) * 9 / (100 * 2)
    )
    assert local_convexity.risk(100, 4, 6.0, 2.0, 10.0, 1.0, math.exp(-2)) == pytest.approx(
        9 * (2 + 2) ** 2 / (100 * 12) + 2 / 200
    )
