"""Sets made of balls: the intersection of two, and the hull of a ball and a pair of points."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dprepro.errors import Incompatible, InputError
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.sets.balls import chord
from dprepro.problems.sets.base import ConstraintSet, norm_ratio
from dprepro.problems.sets.gaussian_widths import mean_normal_norm

ROUNDING = 1e-12  # relative: what a point on a sphere may miss it by


@dataclass(frozen=True, eq=False)
class LocalBall(ConstraintSet):
    """{theta : ||theta|| <= radius, ||theta - centre|| <= reach}, C_0 of Bassily, Smith and Thakurta's Algorithm 3.

    Unlike the other sets it holds an array: it is made while an algorithm runs, never from a configuration.

    Raises:
        InputError: a reach that is not positive, or a centre outside the ball.
    """

    title: ClassVar[str] = "a local ball"

    centre: FloatArray = field(default_factory=lambda: np.zeros(0))
    reach: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (math.isfinite(self.reach) and self.reach > 0):
            raise InputError(f"reach must be finite and positive, got reach={self.reach}")
        if not np.linalg.norm(self._vector(self.centre)) <= self.radius * (1 + 1e-9):
            raise InputError("the centre must lie in the ball, got a point outside")

    def project(self, point: ArrayLike) -> FloatArray:
        """Onto one sphere where that suffices, else onto the sphere in which the two spheres meet."""
        vector = self._vector(point)
        return self._first_inside(
            vector, _onto(vector, np.zeros(self.p), self.radius), _onto(vector, self.centre, self.reach)
        )

    def minimise_linear(self, direction: ArrayLike) -> FloatArray:
        vector = self._vector(direction)
        size = float(np.linalg.norm(vector))
        if size == 0:
            return self.start()
        return self._first_inside(-vector, -self.radius / size * vector, self.centre - self.reach / size * vector)

    def contains(self, theta: ArrayLike, tolerance: float = 1e-9) -> bool:
        vector = self._vector(theta)
        near = float(np.linalg.norm(vector - self.centre)) <= self.reach + tolerance
        return near and bool(np.linalg.norm(vector) <= self.radius + tolerance)

    def diameter(self, order: float = 2) -> float:
        """2 min(radius, reach) in l2: an upper bound, attained unless the smaller ball sticks out of the larger one."""
        return 2.0 * min(self.radius, self.reach) * norm_ratio(self.p, 2, order)

    def norm_bound(self, order: float = 2) -> float:
        return self.radius * norm_ratio(self.p, 2, order)

    def gaussian_width(self) -> float:
        raise Incompatible("the Gaussian width of a local ball is not known; choices: L1Ball, L2Ball, Simplex")

    def to_boundary(self, theta: FloatArray, direction: FloatArray) -> float:
        return min(chord(theta, direction, self.radius), chord(theta - self.centre, direction, self.reach))

    def start(self) -> FloatArray:
        """The centre: private already, since localisation has paid for it."""
        return np.array(self.centre)

    def _first_inside(self, vector: FloatArray, outer: FloatArray, inner: FloatArray) -> FloatArray:
        """The solution for either ball alone, if it lies in the other; else that on both spheres nearest to vector."""
        if self.contains(outer, ROUNDING * self.radius):
            return outer
        if self.contains(inner, ROUNDING * self.radius):
            return inner
        # <s, centre> = (radius^2 - reach^2 + ||centre||^2) / 2 wherever both constraints hold with equality
        squared = float(self.centre @ self.centre)
        middle = (self.radius**2 - self.reach**2 + squared) / (2 * squared) * self.centre
        aside = vector - (vector @ self.centre) / squared * self.centre
        rim = math.sqrt(max(0.0, self.radius**2 - float(middle @ middle)))
        size = float(np.linalg.norm(aside))
        return middle + (rim / size) * aside if size > 0 else middle


@dataclass(frozen=True)
class SpikedBall(ConstraintSet):
    """conv({+-radius e_1} and the l2 ball of radius ``ball`` <= radius), a convex set that is long in one direction.

    A linear loss along e_1 has its minimiser at a tip, which noise in the other directions rounds off: the ball makes
    the noise matter, the spike makes the norm large. It is symmetric about the axis, so all is done in the half plane
    of (|theta_1|, ||theta_2..p||), where its boundary is an arc and a tangent from the tip.

    Raises:
        InputError: a ball that is not positive, or larger than the radius.
    """

    title: ClassVar[str] = "a spiked ball"

    ball: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.ball <= self.radius:
            raise InputError(f"ball must be in (0, radius], got ball={self.ball:g} with radius={self.radius:g}")

    def project(self, point: ArrayLike) -> FloatArray:
        vector = self._vector(point)
        along, across = abs(float(vector[0])), float(np.linalg.norm(vector[1:]))
        size = math.hypot(along, across)
        # the tangent touches the ball at the angle whose cosine is ball/radius; its unit normal points to that place
        cosine = self.ball / self.radius
        sine = math.sqrt(1 - cosine**2)
        beyond = cosine * along + sine * across - self.ball
        on_arc = along < size * cosine
        if size <= self.ball or (beyond <= 0 and not on_arc):
            return vector.copy()
        if on_arc:
            return vector * (self.ball / size)
        near_along, near_across = along - beyond * cosine, across - beyond * sine  # on the tangent
        if near_across < 0:  # past the tip
            near_along, near_across = self.radius, 0.0
        moved = vector * (near_across / across if across > 0 else 0.0)
        moved[0] = math.copysign(near_along, float(vector[0]))
        return moved

    def minimise_linear(self, direction: ArrayLike) -> FloatArray:
        vector = self._vector(direction)
        size = float(np.linalg.norm(vector))
        if self.radius * abs(float(vector[0])) >= self.ball * size:
            tip = np.zeros(self.p)
            tip[0] = -math.copysign(self.radius, float(vector[0]))
            return tip
        return -self.ball / size * vector

    def support(self, direction: FloatArray) -> float:
        return max(self.radius * abs(float(direction[0])), self.ball * float(np.linalg.norm(direction)))

    def contains(self, theta: ArrayLike, tolerance: float = 1e-9) -> bool:
        vector = self._vector(theta)
        return bool(np.linalg.norm(self.project(vector) - vector) <= tolerance)

    def norm_bound(self, order: float = 2) -> float:
        return max(self.radius, self.ball * norm_ratio(self.p, 2, order))

    def gaussian_width(self) -> float:
        """E max(radius |b_1|, ball ||b||): b is a length times a direction u, and u_1^2 has a beta law.

        The ball wins where |u_1| <= c = ball/radius; the spike's share is E |b_1| (1 - c^2)^((p - 1)/2).
        """
        from scipy.special import betainc

        cosine = self.ball / self.radius
        others = (self.p - 1) / 2
        round_part = self.ball * mean_normal_norm(self.p) * float(betainc(0.5, others, cosine**2)) if others else 0.0
        return round_part + self.radius * math.sqrt(2 / math.pi) * float((1 - cosine**2) ** others)


def _onto(vector: FloatArray, centre: FloatArray, radius: float) -> FloatArray:
    step = vector - centre
    size = float(np.linalg.norm(step))
    return vector.copy() if size <= radius else np.asarray(centre + step * (radius / size))
