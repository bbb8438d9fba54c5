"""Losses of one record over an l2 ball, as Bassily, Smith and Thakurta (2014) use them, with their constants.

A record is a vector d of norm at most ``bound``, with a label where the loss has one. theta lies in a ball of radius
``radius`` around zero; all constants are in the l2 norm, of one record's loss.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.errors import unknown
from dprepro.problems.data import FloatArray


@dataclass(frozen=True)
class RecordLoss(ABC):
    """l(theta; d) for K records at once.

    Class attributes:
        name: how a YAML calls it. code: how a compiled loop calls it.
        strong_convexity: Delta. linear_quadratic: whether the mean record is all that the risk sees.
    """

    name: ClassVar[str]
    code: ClassVar[int]
    strong_convexity: ClassVar[float] = 0.0
    linear_quadratic: ClassVar[bool] = False

    @abstractmethod
    def lipschitz(self, radius: float, bound: float) -> float:
        """L over the ball, the best for records of norm at most ``bound``."""

    def smoothness(self, bound: float) -> float:
        """Lipschitz constant of the gradient; inf for the losses with a kink."""
        return float("inf")

    @abstractmethod
    def values(self, theta: FloatArray, records: FloatArray, labels: FloatArray) -> FloatArray:
        """l(theta; d_k) for records (K, p) and labels (K,), shape (K,)."""

    @abstractmethod
    def gradients(self, theta: FloatArray, records: FloatArray, labels: FloatArray) -> FloatArray:
        """A subgradient of each record's loss, shape (K, p); zero is chosen at the tip of a norm."""


class Linear(RecordLoss):
    """l = -<theta, d>: L = bound. Lower and upper bounds of section 5.1 live on it."""

    name, code, linear_quadratic = "linear", 0, True

    def lipschitz(self, radius: float, bound: float) -> float:
        return bound

    def smoothness(self, bound: float) -> float:
        return 0.0

    def values(self, theta: FloatArray, records: FloatArray, labels: FloatArray) -> FloatArray:
        return -records @ theta

    def gradients(self, theta: FloatArray, records: FloatArray, labels: FloatArray) -> FloatArray:
        return -records


class HalfSquaredDistance(RecordLoss):
    """l = ||theta - d||^2 / 2: 1-strongly convex, and (radius + bound)-Lipschitz: 2 on the unit ball, not 1."""

    name, code, strong_convexity, linear_quadratic = "half_squared_distance", 1, 1.0, True

    def lipschitz(self, radius: float, bound: float) -> float:
        return radius + bound

    def smoothness(self, bound: float) -> float:
        return 1.0

    def values(self, theta: FloatArray, records: FloatArray, labels: FloatArray) -> FloatArray:
        return np.asarray(0.5 * np.sum((theta - records) ** 2, axis=1))

    def gradients(self, theta: FloatArray, records: FloatArray, labels: FloatArray) -> FloatArray:
        return theta - records


class Median(RecordLoss):
    """l = ||theta - d||, the Euclidean 1-median: 1-Lipschitz, with a tip at d."""

    name, code = "median", 2

    def lipschitz(self, radius: float, bound: float) -> float:
        return 1.0

    def values(self, theta: FloatArray, records: FloatArray, labels: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.norm(theta - records, axis=1))

    def gradients(self, theta: FloatArray, records: FloatArray, labels: FloatArray) -> FloatArray:
        difference = theta - records
        size = np.linalg.norm(difference, axis=1, keepdims=True)
        return np.asarray(np.divide(difference, size, out=np.zeros_like(difference), where=size > 0))


class SharpDistance(Median):
    """l = ||theta - d|| + ||theta - d||^2 / 2: 1-strongly convex with a tip; (1 + radius + bound)-Lipschitz."""

    name, code, strong_convexity = "sharp_distance", 3, 1.0

    def lipschitz(self, radius: float, bound: float) -> float:
        return 1.0 + radius + bound

    def values(self, theta: FloatArray, records: FloatArray, labels: FloatArray) -> FloatArray:
        size = super().values(theta, records, labels)
        return size + 0.5 * size**2

    def gradients(self, theta: FloatArray, records: FloatArray, labels: FloatArray) -> FloatArray:
        return super().gradients(theta, records, labels) + theta - records


class Hinge(RecordLoss):
    """l = (1 - y <theta, x>)_+: L = bound. With radius * bound <= 1 no margin exceeds 1 and it is linear."""

    name, code = "hinge", 4

    def lipschitz(self, radius: float, bound: float) -> float:
        return bound

    def values(self, theta: FloatArray, records: FloatArray, labels: FloatArray) -> FloatArray:
        return np.asarray(np.maximum(0.0, 1.0 - labels * (records @ theta)))

    def gradients(self, theta: FloatArray, records: FloatArray, labels: FloatArray) -> FloatArray:
        active = labels * (records @ theta) < 1.0
        return np.asarray(-(active * labels)[:, None] * records)


class PositivePart(RecordLoss):
    """l = (y - <theta, x>)_+: L = bound. The loss of Appendix A of the same paper, where labels lie in [-1, 1]."""

    name, code = "positive_part", 5

    def lipschitz(self, radius: float, bound: float) -> float:
        return bound

    def values(self, theta: FloatArray, records: FloatArray, labels: FloatArray) -> FloatArray:
        return np.asarray(np.maximum(0.0, labels - records @ theta))

    def gradients(self, theta: FloatArray, records: FloatArray, labels: FloatArray) -> FloatArray:
        active = records @ theta < labels
        return np.asarray(-(active[:, None] * records))


RECORD_LOSSES: dict[str, RecordLoss] = {
    kind.name: kind() for kind in (Linear, HalfSquaredDistance, Median, SharpDistance, Hinge, PositivePart)
}


def record_loss(name: str) -> RecordLoss:
    """The loss of that name; raises InputError with the choices."""
    if name not in RECORD_LOSSES:
        raise unknown("loss", name, RECORD_LOSSES)
    return RECORD_LOSSES[name]
