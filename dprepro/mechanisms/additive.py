"""Release of a vector with noise: independent on every coordinate, or spherical."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dprepro.mechanisms.drawn import Drawn
from dprepro.mechanisms.guarantees import GaussianShift, PureLoss
from dprepro.mechanisms.published import published


@dataclass(frozen=True)
class Laplace:
    """Adds Lap(scale) to every coordinate; density exp(-|x|/scale) / (2 scale)."""

    scale: float

    def release(self, value: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """``value`` plus noise, same shape."""
        return published(self, value, value + rng.laplace(0.0, self.scale, size=np.shape(value)))

    def log_chance(self, value: NDArray[np.float64], output: NDArray[np.float64]) -> float:
        """ln of the density of ``output``."""
        apart = np.abs(output - value)
        return -float(apart.sum()) / self.scale - apart.size * math.log(2 * self.scale)

    def guarantee(self, sensitivity: float) -> PureLoss:
        """Privacy of one release of a quantity whose **l1** sensitivity is given."""
        return PureLoss(sensitivity / self.scale)

    def drawn(self, noise: NDArray[np.float64]) -> Drawn:
        """What such draws, any shape, sum up to."""
        return Drawn.of(noise, 2.0, 24.0)


@dataclass(frozen=True)
class L2Laplace:
    """Adds b of density proportional to exp(-||b||_2/scale): a uniform direction times a length with a Gamma(p) law."""

    scale: float

    def release(self, value: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """``value``, shape (p,), plus noise."""
        direction = rng.standard_normal(value.size)
        length = float(rng.standard_gamma(value.size)) * self.scale
        return published(self, value, np.asarray(value + length / float(np.linalg.norm(direction)) * direction))

    def log_chance(self, value: NDArray[np.float64], output: NDArray[np.float64]) -> float:
        """ln of the density of ``output``, but for a number that depends on p alone."""
        return -float(np.linalg.norm(output - value)) / self.scale - value.size * math.log(self.scale)

    def guarantee(self, sensitivity: float) -> PureLoss:
        """Privacy of one release of a quantity whose **l2** sensitivity is given."""
        return PureLoss(sensitivity / self.scale)

    def drawn(self, noise: NDArray[np.float64]) -> Drawn:
        """What one such draw, shape (p,), sums up to; its length has a Gamma(p) law."""
        p = noise.size
        second = p * (p + 1.0)
        return Drawn(float(noise @ noise), second, second * (p + 2) * (p + 3) - second**2)


@dataclass(frozen=True)
class Gaussian:
    """Adds N(0, scale^2) to every coordinate; ``scale`` is the standard deviation."""

    scale: float

    def release(self, value: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """``value`` plus noise, same shape."""
        return published(self, value, value + self.scale * rng.standard_normal(np.shape(value)))

    def log_chance(self, value: NDArray[np.float64], output: NDArray[np.float64]) -> float:
        """ln of the density of ``output``, but for a number that depends on p alone."""
        apart = (output - value) / self.scale
        return -float(np.sum(apart**2)) / 2 - apart.size * math.log(self.scale)

    def guarantee(self, sensitivity: float) -> GaussianShift:
        """Privacy of one release of a quantity whose **l2** sensitivity is given."""
        return GaussianShift(sensitivity / self.scale)

    def drawn(self, noise: NDArray[np.float64]) -> Drawn:
        """What such draws, any shape, sum up to."""
        flat = noise.ravel()
        return Drawn.normal(float(flat @ flat), noise.size)


def vector_noise(name: str, scale: float) -> Gaussian | L2Laplace:
    """The noise of that name for a vector of known l2 sensitivity, ``gaussian`` or ``laplace``, at that scale."""
    return Gaussian(scale) if name == "gaussian" else L2Laplace(scale)
