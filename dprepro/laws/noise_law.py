"""The laws of b on the line, over their scale."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from dprepro.problems.problem_data import FloatArray


class Noise(ABC):
    """A symmetric law with a density."""

    @abstractmethod
    def below(self, u: FloatArray) -> FloatArray:
        """P(b <= u)."""

    @abstractmethod
    def integral(self, u: FloatArray) -> FloatArray:
        """The integral of `below` up to u."""

    def masses(self, limits: FloatArray) -> FloatArray:
        """Of the intervals between ascending limits; without the difference of numbers near one."""
        low, high = limits[:-1], limits[1:]
        left, right = self.below(high) - self.below(low), self.below(-low) - self.below(-high)
        around = 1.0 - self.below(low) - self.below(-high)
        return np.where(high <= 0, left, np.where(low >= 0, right, around))


class NormalNoise(Noise):
    """Standard normal."""

    def below(self, u: FloatArray) -> FloatArray:
        from scipy.special import ndtr

        return np.asarray(ndtr(u))

    def integral(self, u: FloatArray) -> FloatArray:
        density = np.exp(-0.5 * np.square(np.clip(u, -38.0, 38.0))) / math.sqrt(2 * math.pi)
        return u * self.below(u) + density


class LaplaceNoise(Noise):
    """Density exp(-|u|)/2: the gamma density in one dimension."""

    def below(self, u: FloatArray) -> FloatArray:
        tail = 0.5 * np.exp(-np.abs(u))
        return np.where(u < 0, tail, 1.0 - tail)

    def integral(self, u: FloatArray) -> FloatArray:
        return np.maximum(u, 0.0) + 0.5 * np.exp(-np.abs(u))
