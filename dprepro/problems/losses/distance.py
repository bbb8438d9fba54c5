"""Losses of the distance r = ||theta - x||_2 from a record; labels are not used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from dprepro.problems.losses.base import DistanceLoss


@dataclass(frozen=True)
class HalfSquaredDistance(DistanceLoss):
    """phi = r^2/2: 1-strongly convex and 1-smooth; on the unit ball it is 2-Lipschitz, not 1."""

    smoothness: ClassVar[float] = 1.0
    strong_convexity: ClassVar[float | None] = 1.0
    quadratic: ClassVar[tuple[float, float, float] | None] = (0.5, 0.0, 0.0)
    norms: ClassVar[tuple[float, float] | None] = (0.0, 1.0)

    @staticmethod
    def phi(r: Any, y: Any) -> Any:
        return 0.5 * r**2

    @staticmethod
    def slope(r: Any, y: Any) -> Any:
        return 1.0 * r


@dataclass(frozen=True)
class Median(DistanceLoss):
    """phi = r, the Euclidean 1-median: 1-Lipschitz, with a tip at each record."""

    norms: ClassVar[tuple[float, float] | None] = (1.0, 0.0)

    @staticmethod
    def phi(r: Any, y: Any) -> Any:
        return 1.0 * r

    @staticmethod
    def slope(r: Any, y: Any) -> Any:
        return 1.0 * (r > 0.0)


@dataclass(frozen=True)
class SharpDistance(DistanceLoss):
    """phi = r + r^2/2: 1-strongly convex with a tip."""

    strong_convexity: ClassVar[float | None] = 1.0
    norms: ClassVar[tuple[float, float] | None] = (1.0, 1.0)

    @staticmethod
    def phi(r: Any, y: Any) -> Any:
        return r + 0.5 * r**2

    @staticmethod
    def slope(r: Any, y: Any) -> Any:
        return (1.0 + r) * (r > 0.0)
