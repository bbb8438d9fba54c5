"""The set that localisation leaves: the part of a ball within a distance of a given point."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from dprepro.errors import Incompatible, InputError
from dprepro.problems.data import FloatArray
from dprepro.problems.sets import ConstraintSet


@dataclass(frozen=True, eq=False)
class LocalBall(ConstraintSet):
    """{theta : ||theta|| <= radius, ||theta - centre|| <= reach}, C_0 of Algorithm 3; the centre lies in the ball.

    Unlike the other sets it holds an array: it is made while an algorithm runs, never from a configuration.
    """

    centre: FloatArray = field(default_factory=lambda: np.zeros(0))
    reach: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (math.isfinite(self.reach) and self.reach > 0):
            raise InputError(f"reach must be finite and positive, got reach={self.reach}")
        if not np.linalg.norm(self._vector(self.centre)) <= self.radius * (1 + 1e-9):
            raise InputError("the centre must lie in the ball, got a point outside")

    @property
    def vertices(self) -> int:
        return 0

    def project(self, point: ArrayLike) -> FloatArray:
        """Onto one sphere where that suffices, else onto the sphere in which the two spheres meet."""
        vector = self._vector(point)
        outer = _onto(vector, np.zeros(self.p), self.radius)
        if np.linalg.norm(outer - self.centre) <= self.reach:
            return outer
        inner = _onto(vector, self.centre, self.reach)
        if np.linalg.norm(inner) <= self.radius:
            return inner
        return self._on_both(vector)

    def minimise_linear(self, direction: ArrayLike) -> FloatArray:
        vector = self._vector(direction)
        size = float(np.linalg.norm(vector))
        if size == 0:
            return self.start()
        outer = -self.radius / size * vector
        if np.linalg.norm(outer - self.centre) <= self.reach:
            return outer
        inner = self.centre - self.reach / size * vector
        if np.linalg.norm(inner) <= self.radius:
            return inner
        return self._on_both(-vector / size * 1e6)

    def contains(self, theta: ArrayLike, tolerance: float = 1e-9) -> bool:
        vector = self._vector(theta)
        near = float(np.linalg.norm(vector - self.centre)) <= self.reach + tolerance
        return near and bool(np.linalg.norm(vector) <= self.radius + tolerance)

    def diameter(self, order: float = 2) -> float:
        """2 min(radius, reach): an upper bound, attained unless the smaller ball sticks out of the larger one."""
        return 2.0 * self.norm_of_ball(order, min(self.radius, self.reach))

    def norm_bound(self, order: float = 2) -> float:
        return self.norm_of_ball(order, self.radius)

    def norm_of_ball(self, order: float, radius: float) -> float:
        """max ||s||_order over an l2 ball of that radius."""
        return radius * (math.sqrt(self.p) if order == 1 else 1.0)

    def gaussian_width(self) -> float:
        raise Incompatible("the Gaussian width of a local ball is not known; choices: L1Ball, L2Ball, Simplex")

    def vertex(self, index: int) -> FloatArray:
        raise Incompatible("a local ball has no vertices; choices: L1Ball, Simplex")

    def scores(self, gradient: ArrayLike) -> FloatArray:
        raise Incompatible("a local ball has no vertices to score; choices: L1Ball, Simplex")

    def start(self) -> FloatArray:
        """The centre: private already, since localisation has paid for it."""
        return np.array(self.centre)

    def _on_both(self, vector: FloatArray) -> FloatArray:
        # <s, centre> = (radius^2 - reach^2 + ||centre||^2) / 2 wherever both constraints hold with equality
        squared = float(self.centre @ self.centre)
        height = (self.radius**2 - self.reach**2 + squared) / (2 * squared)
        middle = height * self.centre
        aside = vector - (vector @ self.centre) / squared * self.centre
        rim = math.sqrt(max(0.0, self.radius**2 - float(middle @ middle)))
        size = float(np.linalg.norm(aside))
        return middle + (rim / size) * aside if size > 0 else middle


def _onto(vector: FloatArray, centre: FloatArray, radius: float) -> FloatArray:
    step = vector - centre
    size = float(np.linalg.norm(step))
    return vector.copy() if size <= radius else np.asarray(centre + step * (radius / size))
