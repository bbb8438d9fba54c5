"""A number with additive noise: exact values against closed forms, and against the algorithms' own answers."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from dprepro import laws
from dprepro.algorithms import (
    OutputPerturbation,
    RegularisedOutputPerturbation,
    RegularisedRelease,
    ReleasedMarginals,
    StronglyConvexPerturbation,
)
from dprepro.budget import Budget, Neighbours
from dprepro.constructions.corners import Corners
from dprepro.errors import Incompatible
from dprepro.problems import Domain, HalfSquaredDistance, L2Ball, Problem, Records, RecordsView

REPLACE = Neighbours.REPLACE_ONE
SHIFT = 0.1
"""Between the means of twenty records +-1 of which one changes sides."""


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Balle and Wang's delta, inverted by other means than the project's."""

    def excess(x: float) -> float:
        return norm.cdf(mu / 2 - x / mu) - math.exp(x) * norm.cdf(-mu / 2 - x / mu) - delta

    return float(brentq(excess, 0, 60))


@pytest.mark.parametrize("delta", [1e-6, 1e-3, 0.1])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_gaussian_noise_spends_what_the_closed_form_says(epsilon: float, delta: float) -> None:
    """Released marginals spend all of epsilon; the printed sigma_0 what its own shift makes of it."""
    budget = Budget(epsilon, delta, REPLACE)
    (pair,) = laws.find(ReleasedMarginals(), None, budget).pairs()
    assert pair.lower_epsilon(delta) == pytest.approx(epsilon, rel=1e-3)
    printed = OutputPerturbation(noise="gaussian")
    (pair,) = laws.find(printed, None, budget).pairs()
    sigma_0 = 2 * 1.1 / 20 * math.sqrt(math.log(1 / delta)) / epsilon
    assert pair.lower_epsilon(delta) == pytest.approx(gaussian_epsilon(SHIFT / sigma_0, delta), rel=1e-3)


def test_laplace_noise_spends_what_the_closed_form_says() -> None:
    """delta(x) = 1 - exp((x - epsilon)/2) for a shift of epsilon scales; the loss is epsilon."""
    budget = Budget(1.0, 0.0, REPLACE)
    (pair,) = laws.find(ReleasedMarginals(release="laplace"), None, budget).pairs()
    assert pair.lower_loss() == pytest.approx(1.0, rel=1e-3)
    for x in (0.0, 0.3, 0.9):
        assert pair.lower_delta(x) == pytest.approx(-math.expm1((x - 1) / 2), abs=1e-3)


@pytest.mark.parametrize(
    "algorithm",
    [
        ReleasedMarginals(release="laplace"),
        OutputPerturbation(noise="gaussian"),
        RegularisedOutputPerturbation(setting="smooth"),
        RegularisedRelease(noise="laplace"),
        StronglyConvexPerturbation(noise="gaussian"),
    ],
)
@pytest.mark.parametrize("n", [5.0, 20.0])
def test_answers_have_the_law(algorithm, n) -> None:
    """Dvoretzky, Kiefer and Wolfowitz, at atoms of the set's ends too: exceeded once in a million tests.

    Of five records the mean is .2 or more, outside the set.
    """
    data = Corners(loss="half_squared_distance", radius=0.1)
    budget, draws = Budget(1.0, 0.1, REPLACE), 2000
    problem = data.neighbours({"n": n, "p": 1.0}, REPLACE)["plus minus both"][0]
    rng = np.random.default_rng(0)
    found = np.sort([float(algorithm.solve(problem, budget, rng).theta[0]) for _ in range(draws)])
    law = laws.find(algorithm, problem.domain, budget)
    places = np.linspace(-0.11, 0.11, 221)
    seen = np.searchsorted(found, places, side="right") / draws
    assert np.abs(seen - law.below(problem, places)).max() < math.sqrt(math.log(2e6) / (2 * draws))


class ThreeTimes(HalfSquaredDistance):
    """3 r^2/2."""

    smoothness: ClassVar[float] = 3.0
    strong_convexity: ClassVar[float | None] = 3.0
    quadratic: ClassVar[tuple[float, float, float] | None] = (1.5, 0.0, 0.0)
    norms: ClassVar[tuple[float, float] | None] = (0.0, 3.0)

    @staticmethod
    def phi(r: float, y: float) -> float:
        return 1.5 * r**2

    @staticmethod
    def slope(r: float, y: float) -> float:
        return 3.0 * r


@pytest.mark.parametrize("plus", [11, 15])
def test_a_steeper_risk_is_moved_less_by_the_same_noise(plus) -> None:
    """As above, for a loss whose strong convexity is not 1: c + b/(3 n), cut off at the set's ends.

    The mean c of the records is 0.1, inside, or 0.5, outside.
    """
    domain = Domain(ThreeTimes(), L2Ball(1, 0.2), 20)
    records = Records(np.array([[1.0], [-1.0]]), np.zeros(2), np.array([plus, 20.0 - plus]))
    problem = Problem(domain, {"records": RecordsView(domain, records)})
    budget, draws = Budget(1.0, 0.1, REPLACE), 1000
    algorithm, rng = StronglyConvexPerturbation(noise="gaussian"), np.random.default_rng(0)
    found = np.sort([float(algorithm.solve(problem, budget, rng).theta[0]) for _ in range(draws)])
    places = np.linspace(-0.19, 0.19, 77)
    seen = np.searchsorted(found, places, side="right") / draws
    law = laws.find(algorithm, domain, budget)
    assert 0 < seen[0] < seen[-1] < 0.9  # both ends and the inside have some
    assert np.abs(seen - law.below(problem, places)).max() < math.sqrt(math.log(2e6) / (2 * draws))


def test_more_dimensions_are_refused() -> None:
    domain = Domain(HalfSquaredDistance(), L2Ball(2), 20)
    with pytest.raises(Incompatible, match="known in one dimension, not at p=2"):
        laws.find(ReleasedMarginals(), domain, Budget(1.0, 0.1, REPLACE))
