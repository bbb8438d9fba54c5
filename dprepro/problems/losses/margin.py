"""Losses of a prediction z = <x, theta> and a label y."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dprepro.problems.losses.base import Loss, MarginLoss
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class SquaredLoss(MarginLoss):
    """phi = (z - y)^2."""

    smoothness: ClassVar[float] = 2.0
    quadratic: ClassVar[tuple[float, float, float] | None] = (1.0, 2.0, 1.0)

    @staticmethod
    def phi(z: Any, y: Any) -> Any:
        return (z - y) ** 2

    @staticmethod
    def slope(z: Any, y: Any) -> Any:
        return 2.0 * (z - y)


@dataclass(frozen=True)
class HalfSquaredLoss(MarginLoss):
    """phi = (z - y)^2 / 2, as Kifer, Smith and Thakurta write linear regression."""

    smoothness: ClassVar[float] = 1.0
    quadratic: ClassVar[tuple[float, float, float] | None] = (0.5, 1.0, 0.5)

    @staticmethod
    def phi(z: Any, y: Any) -> Any:
        return 0.5 * (z - y) ** 2

    @staticmethod
    def slope(z: Any, y: Any) -> Any:
        return z - y


@dataclass(frozen=True)
class LinearLoss(MarginLoss):
    """phi = -z: the lower bounds of Bassily, Smith and Thakurta, section 5, live on it. Labels are not used."""

    smoothness: ClassVar[float] = 0.0
    quadratic: ClassVar[tuple[float, float, float] | None] = (0.0, 0.0, 0.0)

    @staticmethod
    def phi(z: Any, y: Any) -> Any:
        return 0.0 * y - z

    @staticmethod
    def slope(z: Any, y: Any) -> Any:
        return 0.0 * (z > y) - 1.0  # of the shape of both


@dataclass(frozen=True)
class AbsoluteLoss(MarginLoss):
    """phi = |z - y|."""

    @staticmethod
    def phi(z: Any, y: Any) -> Any:
        return np.abs(z - y)

    @staticmethod
    def slope(z: Any, y: Any) -> Any:
        return np.sign(z - y)

    def rounded(self) -> Loss:
        return HuberLoss()

    def affine(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        vector = np.ones_like(y)
        return np.stack([vector, -vector]), np.stack([-y, y])


@dataclass(frozen=True)
class LogisticLoss(MarginLoss):
    """phi = ln(1 + exp(-y z)) for labels |y| <= 1."""

    smoothness: ClassVar[float] = 0.25
    largest_label: ClassVar[float] = 1.0

    @staticmethod
    def phi(z: Any, y: Any) -> Any:
        return np.logaddexp(0.0, -y * z)

    @staticmethod
    def slope(z: Any, y: Any) -> Any:
        return -y / (1.0 + np.exp(np.minimum(y * z, 700.0)))


@dataclass(frozen=True)
class HingeLoss(MarginLoss):
    """phi = (1 - y z)_+. Where |y z| <= 1 on all of the domain it is linear."""

    @staticmethod
    def phi(z: Any, y: Any) -> Any:
        return np.maximum(0.0, 1.0 - y * z)

    @staticmethod
    def slope(z: Any, y: Any) -> Any:
        return -y * (y * z < 1.0)

    def rounded(self) -> Loss:
        return HuberisedPartLoss()

    def affine(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        zero = np.zeros_like(y)
        return np.stack([-y, zero]), np.stack([zero + 1.0, zero])


@dataclass(frozen=True)
class PositivePartLoss(MarginLoss):
    """phi = (y - z)_+, the loss of Appendix A of Bassily, Smith and Thakurta."""

    @staticmethod
    def phi(z: Any, y: Any) -> Any:
        return np.maximum(0.0, y - z)

    @staticmethod
    def slope(z: Any, y: Any) -> Any:
        return -1.0 * (z < y)

    def rounded(self) -> Loss:
        return HuberisedPartLoss()

    def affine(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        zero = np.zeros_like(y)
        return np.stack([zero - 1.0, zero]), np.stack([y, zero])


@dataclass(frozen=True)
class HuberLoss(MarginLoss):
    """phi = r^2/2 for |r| = |z - y| <= 1, and |r| - 1/2 beyond: quadratic at small residuals, robust to large ones."""

    smoothness: ClassVar[float] = 1.0

    @staticmethod
    def phi(z: Any, y: Any) -> Any:
        size, inner = np.abs(z - y), np.minimum(np.abs(z - y), 1.0)
        return inner * (size - 0.5 * inner)

    @staticmethod
    def slope(z: Any, y: Any) -> Any:
        return np.minimum(np.maximum(z - y, -1.0), 1.0)


@dataclass(frozen=True)
class HuberisedPartLoss(MarginLoss):
    """phi = f^(y - z), the positive part rounded within 1: equation (9) of Bassily, Smith and Thakurta with h = 1."""

    smoothness: ClassVar[float] = 0.5

    @staticmethod
    def phi(z: Any, y: Any) -> Any:
        inner = np.minimum(np.maximum(y - z, -1.0), 1.0)
        return np.maximum(0.0, y - z) + 0.25 * (1.0 - np.abs(inner)) ** 2

    @staticmethod
    def slope(z: Any, y: Any) -> Any:
        return -0.5 * (1.0 + np.minimum(np.maximum(y - z, -1.0), 1.0))
