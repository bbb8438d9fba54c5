"""Balls without vertices: l2 and l_q."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dprepro.errors import InputError
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.sets.base import Kernel, NormBall, dual_order, norm
from dprepro.problems.sets.gaussian_widths import mean_normal_norm, mean_normal_power_norm
from dprepro.support.roots import brentq


def project_on_l2_ball(theta: FloatArray, radius: float) -> None:
    """In place: scaled back to the sphere."""
    square = 0.0
    for j in range(theta.shape[0]):
        square += theta[j] * theta[j]
    if square > radius * radius:
        shrink = radius / math.sqrt(square)
        for j in range(theta.shape[0]):
            theta[j] *= shrink


def chord(offset: FloatArray, direction: FloatArray, radius: float) -> float:
    """The larger root s of ||offset + s direction||_2 = radius, for a direction of norm 1 and an offset in the ball."""
    along = float(offset @ direction)
    return max(0.0, math.sqrt(max(0.0, along**2 + radius**2 - float(offset @ offset))) - along)


@dataclass(frozen=True)
class L2Ball(NormBall):
    """{theta : ||theta||_2 <= radius}."""

    title: ClassVar[str] = "an l2 ball"
    projection: ClassVar[Kernel | None] = project_on_l2_ball

    def _order(self) -> float:
        return 2

    def project(self, point: ArrayLike) -> FloatArray:
        vector = self._vector(point)
        size = math.sqrt(float(vector @ vector))
        return vector.copy() if size <= self.radius else vector * (self.radius / size)

    def project_many(self, points: FloatArray) -> FloatArray:
        if points.shape[1:] != (self.p,):
            return super().project_many(points)
        # each sum by itself: of several at once the last bits are others
        sizes = np.sqrt([float(point @ point) for point in points])
        with np.errstate(divide="ignore"):
            return np.where((sizes <= self.radius)[:, None], points, points * (self.radius / sizes)[:, None])

    def minimise_linear(self, direction: ArrayLike) -> FloatArray:
        vector = self._vector(direction)
        largest = float(np.abs(vector).max())
        if largest == 0.0:
            return self.start()
        scaled = vector / largest  # a gradient of 1e-200 has a squared norm of zero
        return -self.radius / math.sqrt(float(scaled @ scaled)) * scaled

    def to_boundary(self, theta: FloatArray, direction: FloatArray) -> float:
        return chord(theta, direction, self.radius)

    def gaussian_width(self) -> float:
        return self.radius * mean_normal_norm(self.p)


@dataclass(frozen=True)
class LqBall(NormBall):
    """{theta : ||theta||_q <= radius} for 1 < q < inf; its polar has the order q/(q-1).

    Raises:
        InputError: for another q; the ends are L1Ball and Box.
    """

    title: ClassVar[str] = "an lq ball"

    q: float = 1.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 < self.q < math.inf:
            raise InputError(f"q must be above 1 and finite (the ends are L1Ball and Box), got q={self.q}")

    def _order(self) -> float:
        return self.q

    def project(self, point: ArrayLike) -> FloatArray:
        """By its optimality conditions: s + level s^(q-1) = |point| in every coordinate, with the level of norm 1.

        Accurate to about 1e-12 of the radius; the cost is some hundred passes over the p coordinates.
        """
        vector = self._vector(point)
        size = np.abs(vector) / self.radius
        if norm(size, self.q) <= 1:
            return vector.copy()

        def beyond(level: float) -> float:
            return norm(_shrunk(size, level, self.q), self.q) - 1

        high = 1.0
        while beyond(high) > 0:
            high *= 2
        nearest = _shrunk(size, brentq(beyond, 0.0, high, xtol=1e-16), self.q)
        return self.radius / max(1.0, norm(nearest, self.q)) * np.copysign(nearest, vector)

    def minimise_linear(self, direction: ArrayLike) -> FloatArray:
        """-radius sign(v) |v|^(q*-1) / ||v||_q*^(q*-1), where Hoelder's inequality is an equality."""
        vector = self._vector(direction)
        largest = float(np.abs(vector).max())
        if largest == 0.0:
            return self.start()
        power = np.abs(vector / largest) ** (dual_order(self.q) - 1)
        length = float((power**self.q).sum()) ** (1 / self.q)  # its largest entry is 1
        vertex: FloatArray = -self.radius / length * np.copysign(power, vector)
        return vertex

    def gaussian_width(self) -> float:
        return self.radius * mean_normal_power_norm(self.p, dual_order(self.q))


def _shrunk(size: FloatArray, level: float, q: float) -> FloatArray:
    """The s in [0, size] with s + level s^(q-1) = size, elementwise, by bisection (the left side rises with s).

    It is cut off at 2, which lies outside of the unit ball anyway.
    """
    low, high = np.zeros_like(size), np.minimum(size, 2.0)
    for _ in range(54):
        middle = 0.5 * (low + high)
        above = middle + level * middle ** (q - 1) > size
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return 0.5 * (low + high)
