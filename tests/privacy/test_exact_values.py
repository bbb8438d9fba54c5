"""Exact values by other means: integrals of densities and roots, none of the project's closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from dprepro import laws
from dprepro.algorithms import HuberisedObjectivePerturbation, OutputPerturbation, PrintedRegulariser, ReleasedMarginals
from dprepro.budget import Budget, Neighbours
from dprepro.mechanisms import Gaussian, Laplace
from dprepro.privacy import noise_for

EPSILONS = (0.1, 0.5, 1.0, 4.0)
REPLACE = Neighbours.REPLACE_ONE


def density(b: float) -> float:
    """Of N(0, 1)."""
    return math.exp(-b * b / 2) / math.sqrt(2 * math.pi)


def excess(one: Callable[[float], float], other: Callable[[float], float], x: float, *places: float) -> float:
    """The integral of (one - e^x other)_+ between the first place and the last, which split it."""

    def inside(place: float) -> float:
        return max(one(place) - math.exp(x) * other(place), 0.0)

    return sum(quad(inside, *part, epsabs=1e-16, epsrel=1e-7, limit=200)[0] for part in pairwise(places))


def laplace(epsilon: float, at: float, b: float) -> float:
    """Of scale 1/epsilon."""
    return epsilon / 2 * math.exp(-epsilon * abs(b - at))


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Of N(mu, 1) beside N(0, 1), whose ratio is e^x at x/mu + mu/2."""

    def over(x: float) -> float:
        turn = x / mu + mu / 2
        top = max(turn, mu) + 1
        return excess(lambda b: density(b - mu), density, x, turn, top, top + 12) - delta

    return float(brentq(over, 0, 60, rtol=1e-6))


@pytest.mark.parametrize("delta", [1e-2, 1e-6])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_gaussian_noise_marginals_and_sigma_0_spend_what_an_integral_says(epsilon: float, delta: float) -> None:
    """sigma_0^2 = 4 L^2 log(1/delta)/(Delta epsilon n)^2 with L = 1.1, Delta = 1, n = 20, beside a shift of .1."""
    budget = Budget(epsilon, delta, REPLACE)
    sigma = noise_for(lambda scale: Gaussian(scale).guarantee(1.0), 1, budget)
    assert gaussian_epsilon(1 / sigma, delta) == pytest.approx(epsilon, rel=1e-3)
    (pair,) = laws.find(ReleasedMarginals(), None, budget).pairs()
    assert pair.lower_epsilon(delta) == pytest.approx(epsilon, rel=1e-3)
    (pair,) = laws.find(OutputPerturbation(noise="gaussian"), None, budget).pairs()
    sigma_0 = 2 * 1.1 * math.sqrt(math.log(1 / delta)) / (epsilon * 20)
    assert pair.lower_epsilon(delta) == pytest.approx(gaussian_epsilon(0.1 / sigma_0, delta), rel=1e-3)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_laplace_noise_has_the_delta_of_an_integral(epsilon: float) -> None:
    budget = Budget(epsilon, 0.0, REPLACE)
    assert noise_for(lambda scale: Laplace(scale).guarantee(1.0), 1, budget) == pytest.approx(1 / epsilon, rel=1e-3)
    (pair,) = laws.find(ReleasedMarginals(release="laplace"), None, budget).pairs()
    for share in (0.0, 0.5, 0.9):
        moved, still = partial(laplace, epsilon, 1.0), partial(laplace, epsilon, 0.0)
        known = excess(moved, still, share * epsilon, 0, (1 + share) / 2, 1, 1 + 5 / epsilon, 1 + 40 / epsilon)
        assert pair.lower_delta(share * epsilon) == pytest.approx(known, rel=1e-3, abs=2e-5)


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_equation_9_has_the_delta_of_an_integral_of_its_density(epsilon: float) -> None:
    """Printed: theta^2/(8 epsilon h) on [-2, 2]; (1, y) beside a zeroed-out record, for the y that the law tries."""
    delta, h, radius = 1e-6, 0.05, 2.0
    algorithm = HuberisedObjectivePerturbation(regulariser=PrintedRegulariser(), smoothing=h)
    law = laws.find(algorithm, None, Budget(epsilon, delta, Neighbours.ZERO_OUT))
    scale, ridge = math.sqrt(8 * math.log(1 / delta)) / epsilon, 1 / (4 * epsilon * h)
    steps = np.arange(-16, 17) * 0.5 * scale / ridge

    def speaks(y: float, theta: float) -> float:
        z = y - theta
        pull = ridge * theta - min(max(z / (2 * h) + 0.5, 0.0), 1.0)
        return float(density(pull / scale) / scale * (ridge + (abs(z) < h) / (2 * h)))

    def silent(theta: float) -> float:
        return float(density(ridge * theta / scale) / scale * ridge)

    for pair, y in zip(law.pairs(), np.clip(steps, -radius, radius), strict=True):
        ends = np.unique(np.clip([-radius, y - h, y, y + h, radius], -radius, radius))
        quiet = norm.cdf(-ridge * radius / scale), norm.cdf(-ridge * radius / scale)
        slopes = [sign * radius * ridge - min(max((y - sign * radius) / (2 * h) + 0.5, 0.0), 1.0) for sign in (-1, 1)]
        loud = norm.cdf(slopes[0] / scale), norm.sf(slopes[1] / scale)
        grown, both = math.exp(epsilon), (partial(speaks, y), silent)
        known = max(
            excess(*some, epsilon, *ends) + sum(max(a - grown * b, 0.0) for a, b in zip(*atoms, strict=True))
            for some, atoms in ((both, (loud, quiet)), (both[::-1], (quiet, loud)))
        )
        assert pair.lower_delta(epsilon) == pytest.approx(known, rel=1e-3, abs=1e-9)
