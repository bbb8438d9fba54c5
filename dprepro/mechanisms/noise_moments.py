"""The second moment of the noise that a run has drawn, to be held against its schedule."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Least: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True)
class NoiseMoments:
    """Noise that was really drawn, summed up: what a mechanism returns beside its answer.

    Attributes:
        square: the sum of its squares, in the squared unit of the schedule's ``noise_scale``.
        unit: the mean of that sum where the scale is 1.
        variance: its variance there.
    """

    square: float = 0.0
    unit: float = 0.0
    variance: float = 0.0

    def __add__(self, other: NoiseMoments) -> NoiseMoments:
        return NoiseMoments(self.square + other.square, self.unit + other.unit, self.variance + other.variance)

    def beside(self, factor: float) -> NoiseMoments:
        """The same draws at ``factor`` times the scale and of unit weight, to be added to those of another noise."""
        return NoiseMoments(factor**2 * self.square / self.unit, 1.0, self.variance / self.unit**2)

    def ratio(self, scale: float) -> float:
        """The second moment that was drawn over that of noise of this scale."""
        return self.square / (self.unit * scale**2)

    @property
    def norm(self) -> float:
        """The l2 norm of all that was drawn."""
        return math.sqrt(self.square)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the chi-square law with the same relative variance: 2 unit^2/variance."""
        return 2 * self.unit**2 / self.variance

    @classmethod
    def normal(cls, square: float, count: float) -> NoiseMoments:
        """Of so many normals, whose squares add up to ``square``."""
        return cls(square, count, 2 * count)

    @classmethod
    def of(cls, noise: NDArray[np.float64], second: float, fourth: float) -> NoiseMoments:
        """Of independent draws, any shape, whose law has these raw moments at scale 1."""
        size = noise.size
        return cls(float(np.sum(noise**2)), second * size, (fourth - second**2) * size)

    @classmethod
    def of_least(
        cls, least: Least, squares: NDArray[np.float64], sizes: NDArray[np.float64], draws: float
    ) -> NoiseMoments:
        """Of the least noises of groups of so many candidates, each drawn that often; shapes (groups,).

        ``least`` inverts the cumulative hazard -ln P(z > .) of one draw z of unit scale.
        """
        found = cls()
        for square, size in zip(squares, sizes, strict=True):
            second, fourth = raw_moments(least, float(size))
            found += cls(float(square), second * draws, (fourth - second**2) * draws)
        return found


@lru_cache(maxsize=256)
def raw_moments(least: Least, count: float) -> tuple[float, float]:
    """E z^2 and E z^4 of the least z of ``count`` independent draws.

    The cumulative hazard of one draw, which ``least`` inverts, is at the least of them a unit exponential e over
    ``count``; the integral over v = ln e converges geometrically by the trapezoidal rule.
    """
    v = np.linspace(-60.0, 5.0, 4001)
    weight = np.exp(v - np.exp(v)) * (v[1] - v[0])
    z = least(np.exp(v - math.log(count)))
    return float(weight @ z**2), float(weight @ z**4)


def least_gumbel(hazard: NDArray[np.float64]) -> NDArray[np.float64]:
    """The Gumbel draw for minima whose cumulative hazard is given."""
    return np.asarray(np.log(hazard))


def least_laplace(hazard: NDArray[np.float64]) -> NDArray[np.float64]:
    """The unit Laplace draw whose cumulative hazard is given."""
    below = np.minimum(hazard, math.log(2.0))
    return np.where(hazard < math.log(2.0), np.log(-2.0 * np.expm1(-below)), hazard - math.log(2.0))


def least_normal(hazard: NDArray[np.float64]) -> NDArray[np.float64]:
    """The standard normal draw whose cumulative hazard is given."""
    from scipy.special import ndtri_exp

    # P(z > x) = exp(-hazard); near 1 the other tail is the accurate one
    small = hazard < 0.5
    lower = np.log(-np.expm1(-np.where(small, hazard, 1.0)))
    return np.where(small, ndtri_exp(lower), -ndtri_exp(-np.where(small, 1.0, hazard)))
