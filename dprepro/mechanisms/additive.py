"""Release of a vector with noise: independent on every coordinate, or spherical.

A release returns what is published, and the moments of the noise in it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dprepro.mechanisms.guarantees import GaussianShift, PureLoss
from dprepro.mechanisms.noise_moments import NoiseMoments
from dprepro.mechanisms.published import published, transcribed

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Laplace:
    """Adds Lap(scale) to every coordinate; density exp(-|x|/scale) / (2 scale)."""

    scale: float

    def release(self, value: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, NoiseMoments]:
        """``value`` plus noise, same shape, and the moments of that noise."""
        noisy = published(self, value, value + rng.laplace(0.0, self.scale, size=np.shape(value)))
        return noisy, self.moments(noisy - value)

    def log_chance(self, value: FloatArray, output: FloatArray) -> float:
        """ln of the density of ``output``."""
        apart = np.abs(output - value)
        return -float(apart.sum()) / self.scale - apart.size * math.log(2 * self.scale)

    def guarantee(self, sensitivity: float) -> PureLoss:
        """Privacy of one release of a quantity whose **l1** sensitivity is given."""
        return PureLoss(sensitivity / self.scale)

    def moments(self, noise: FloatArray) -> NoiseMoments:
        """Of such draws, any shape."""
        return NoiseMoments.of(noise, 2.0, 24.0)


@dataclass(frozen=True)
class L2Laplace:
    """Adds b of density proportional to exp(-||b||_2/scale): a uniform direction times a length with a Gamma(p) law."""

    scale: float

    def release(self, value: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, NoiseMoments]:
        """``value``, shape (p,), plus noise, and the moments of that noise."""
        direction = rng.standard_normal(value.size)
        length = float(rng.standard_gamma(value.size)) * self.scale
        noisy = published(self, value, np.asarray(value + length / float(np.linalg.norm(direction)) * direction))
        return noisy, self.moments(noisy - value)

    def log_chance(self, value: FloatArray, output: FloatArray) -> float:
        """ln of the density of ``output``, but for a number that depends on p alone."""
        return -float(np.linalg.norm(output - value)) / self.scale - value.size * math.log(self.scale)

    def guarantee(self, sensitivity: float) -> PureLoss:
        """Privacy of one release of a quantity whose **l2** sensitivity is given."""
        return PureLoss(sensitivity / self.scale)

    def moments(self, noise: FloatArray) -> NoiseMoments:
        """Of one such draw, shape (p,); its length has a Gamma(p) law."""
        p = noise.size
        second = p * (p + 1.0)
        return NoiseMoments(float(noise @ noise), second, second * (p + 2) * (p + 3) - second**2)


@dataclass(frozen=True)
class Gaussian:
    """Adds N(0, scale^2) to every coordinate; ``scale`` is the standard deviation."""

    scale: float

    def release(self, value: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, NoiseMoments]:
        """``value`` plus noise, same shape, and the moments of that noise; at scale 0 nothing is drawn or published."""
        if not self.scale:
            return value, self.moments(np.zeros(np.shape(value)))
        noisy = published(self, value, value + self.scale * rng.standard_normal(np.shape(value)))
        return noisy, self.moments(noisy - value)

    def release_many(
        self, value: FloatArray, rngs: Sequence[np.random.Generator]
    ) -> tuple[FloatArray, Sequence[NoiseMoments]]:
        """One release of ``value``, shape (p,), from each stream, to the bits of `release`; shape (releases, p)."""
        if not self.scale or transcribed():
            found = [self.release(value, rng) for rng in rngs]
            return np.stack([noisy for noisy, _ in found]), [moments for _, moments in found]
        noisy, size = np.empty((len(rngs), value.size)), value.size
        for row, rng in zip(noisy, rngs, strict=True):
            rng.standard_normal(out=row)
        noisy *= self.scale
        noisy += value
        # each sum by itself: of several at once the last bits are others
        squares = [float(row @ row) for row in noisy - value]
        return noisy, [NoiseMoments.normal(square, size) for square in squares]

    def log_chance(self, value: FloatArray, output: FloatArray) -> float:
        """ln of the density of ``output``, but for a number that depends on p alone."""
        apart = (output - value) / self.scale
        return -float(np.sum(apart**2)) / 2 - apart.size * math.log(self.scale)

    def guarantee(self, sensitivity: float) -> GaussianShift:
        """Privacy of one release of a quantity whose **l2** sensitivity is given."""
        return GaussianShift(sensitivity / self.scale)

    def moments(self, noise: FloatArray) -> NoiseMoments:
        """Of such draws, any shape."""
        flat = noise.ravel()
        return NoiseMoments.normal(float(flat @ flat), noise.size)


def vector_noise(name: str, scale: float) -> Gaussian | L2Laplace:
    """The noise of that name for a vector of known l2 sensitivity, ``gaussian`` or ``laplace``, at that scale."""
    return Gaussian(scale) if name == "gaussian" else L2Laplace(scale)
