"""Polytopes whose vertices are listed: the l1 ball, the simplex, and the box in few dimensions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dprepro.errors import InputError
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.sets.base import ConstraintSet, Kernel, NormBall, norm_ratio
from dprepro.problems.sets.gaussian_widths import mean_largest_absolute_normal


def project_on_l1_ball(theta: FloatArray, radius: float) -> None:
    """In place: soft thresholding at the level that leaves the radius, found by dropping what lies below (Michelot).

    Sizes are measured from the largest: only differences matter, and far points keep their digits.
    """
    largest, total = 0.0, 0.0
    for j in range(theta.shape[0]):
        largest = max(largest, abs(theta[j]))
        total += abs(theta[j])
    if total <= radius:
        return
    kept, level = 0, -math.inf
    while True:
        above, total = 0, 0.0
        for j in range(theta.shape[0]):
            if abs(theta[j]) - largest > level:
                above += 1
                total += abs(theta[j]) - largest
        if above == kept:
            break
        kept, level = above, (total - radius) / above
    for j in range(theta.shape[0]):
        theta[j] = math.copysign(max(abs(theta[j]) - largest - level, 0.0), theta[j])


def project_on_simplex(theta: FloatArray, radius: float) -> None:
    """In place, by the same search for the level."""
    largest = theta[0]
    for j in range(theta.shape[0]):
        largest = max(largest, theta[j])
    kept, level = 0, -math.inf
    while True:
        above, total = 0, 0.0
        for j in range(theta.shape[0]):
            if theta[j] - largest > level:
                above += 1
                total += theta[j] - largest
        if above == kept:
            break
        kept, level = above, (total - radius) / above
    for j in range(theta.shape[0]):
        theta[j] = max(theta[j] - largest - level, 0.0)


def project_on_box(theta: FloatArray, radius: float) -> None:
    """In place: clipped."""
    for j in range(theta.shape[0]):
        theta[j] = min(max(theta[j], -radius), radius)


@dataclass(frozen=True)
class L1Ball(NormBall):
    """{theta : ||theta||_1 <= radius}, with vertices +radius e_0 .. +radius e_{p-1}, -radius e_0 .. -radius e_{p-1}."""

    title: ClassVar[str] = "an l1 ball"
    projection: ClassVar[Kernel | None] = project_on_l1_ball

    def _order(self) -> float:
        return 1

    @property
    def vertices(self) -> int:
        return 2 * self.p

    def project(self, point: ArrayLike) -> FloatArray:
        vector = self._vector(point)
        size = np.abs(vector)
        if size.sum() <= self.radius:
            return vector.copy()
        return np.copysign(_onto_simplex(size, self.radius), vector)

    def minimise_linear(self, direction: ArrayLike) -> FloatArray:
        return self.vertex(int(np.argmin(self.scores(direction))))

    def gaussian_width(self) -> float:
        return self.radius * mean_largest_absolute_normal(self.p)

    def vertex(self, index: int) -> FloatArray:
        theta = np.zeros(self.p)
        theta[_number(index, 2 * self.p) % self.p] = self.radius if index < self.p else -self.radius
        return theta

    def scores(self, gradient: ArrayLike) -> FloatArray:
        scaled = self.radius * self._vector(gradient)
        return np.concatenate([scaled, -scaled])


@dataclass(frozen=True)
class Simplex(ConstraintSet):
    """{theta >= 0 : sum theta = radius}, with vertices radius e_0 .. radius e_{p-1}."""

    title: ClassVar[str] = "a simplex"
    alike: ClassVar[bool] = True
    projection: ClassVar[Kernel | None] = project_on_simplex

    @property
    def vertices(self) -> int:
        return self.p

    @property
    def contains_zero(self) -> bool:
        return False

    def project(self, point: ArrayLike) -> FloatArray:
        return _onto_simplex(self._vector(point), self.radius)

    def minimise_linear(self, direction: ArrayLike) -> FloatArray:
        return self.vertex(int(np.argmin(self._vector(direction))))

    def support(self, direction: FloatArray) -> float:
        return self.radius * float(direction.max())

    def to_boundary(self, theta: FloatArray, direction: FloatArray) -> float:
        """As far as no coordinate turns negative; the direction sums to zero."""
        falling = direction < 0
        return max(0.0, float(np.min(theta[falling] / -direction[falling], initial=self.diameter(2))))

    def tangent(self, direction: FloatArray) -> FloatArray:
        return np.asarray(direction - direction.mean())

    def contains(self, theta: ArrayLike, tolerance: float = 1e-9) -> bool:
        vector = self._vector(theta)
        return bool(vector.min() >= -tolerance and abs(vector.sum() - self.radius) <= tolerance)

    def start(self) -> FloatArray:
        """The barycentre: zero is not in the simplex."""
        return np.full(self.p, self.radius / self.p)

    def diameter(self, order: float = 2) -> float:
        return 0.0 if self.p == 1 else self.radius * norm_ratio(2, math.inf, order)

    def norm_bound(self, order: float = 2) -> float:
        return self.radius * norm_ratio(1, 1, order)

    def gaussian_width(self) -> float:
        # the definition takes |<b, w>|, so the simplex is as wide as the l1 ball
        return self.radius * mean_largest_absolute_normal(self.p)

    def vertex(self, index: int) -> FloatArray:
        theta = np.zeros(self.p)
        theta[_number(index, self.p)] = self.radius
        return theta

    def scores(self, gradient: ArrayLike) -> FloatArray:
        return self.radius * self._vector(gradient)


LISTED_CORNERS = 20
"""Dimensions up to which a box lists its corners."""


@dataclass(frozen=True)
class Box(NormBall):
    """{theta : ||theta||_inf <= radius}, with 2^p corners, listed up to `LISTED_CORNERS` dimensions.

    Coordinate j of a corner is -radius where bit p - 1 - j of its number is 1.
    """

    title: ClassVar[str] = "a box"
    projection: ClassVar[Kernel | None] = project_on_box

    def _order(self) -> float:
        return math.inf

    def project(self, point: ArrayLike) -> FloatArray:
        return np.clip(self._vector(point), -self.radius, self.radius)

    def minimise_linear(self, direction: ArrayLike) -> FloatArray:
        return np.where(self._vector(direction) > 0, -self.radius, self.radius)

    def to_boundary(self, theta: FloatArray, direction: FloatArray) -> float:
        moving = direction != 0
        faces = np.copysign(self.radius, direction[moving])
        return max(0.0, float(np.min((faces - theta[moving]) / direction[moving])))

    def gaussian_width(self) -> float:
        return self.radius * self.p * math.sqrt(2 / math.pi)

    @property
    def vertices(self) -> int | None:
        return 2**self.p if self.p <= LISTED_CORNERS else None

    def vertex(self, index: int) -> FloatArray:
        if self.vertices is None:
            return super().vertex(index)
        down = _number(index, self.vertices) >> np.arange(self.p)[::-1] & 1
        return np.where(down, -self.radius, self.radius)

    def scores(self, gradient: ArrayLike) -> FloatArray:
        if self.vertices is None:
            return super().scores(gradient)
        scores = np.zeros(1)
        for weight in self.radius * self._vector(gradient):
            scores = np.add.outer(scores, [weight, -weight]).ravel()
        return scores


def _number(index: int, vertices: int) -> int:
    if not 0 <= index < vertices:
        raise InputError(f"vertex must be in [0, {vertices}), got {index}")
    return int(index)


def _onto_simplex(point: FloatArray, radius: float) -> FloatArray:
    """Euclidean projection on {s >= 0, sum s = radius}: (point - level)_+ with the level found by sorting."""
    descending = np.sort(point)[::-1]
    # measured from the largest entry: only differences matter, and far points keep their digits
    offsets = descending - descending[0]
    levels = (np.cumsum(offsets) - radius) / np.arange(1, point.size + 1)
    kept = int(np.flatnonzero(offsets > levels)[-1])
    projected: FloatArray = np.maximum((point - descending[0]) - levels[kept], 0.0)
    return projected
