"""Quadratic risks with a diagonal Hessian and an l1 regulariser, to which such terms can be added."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dprepro.errors import Incompatible, InputError
from dprepro.problems.constants import Constants
from dprepro.problems.data import FloatArray, Minimum, Point
from dprepro.problems.problem import Problem, as_theta
from dprepro.problems.sets import Box, ConstraintSet, L1Ball, L2Ball, LqBall

_Path: TypeAlias = Callable[[float], FloatArray]
_Size: TypeAlias = Callable[[FloatArray], float]


class Quadratic(Problem):
    """J(theta) = (1/2) sum_j h_j theta_j^2 - c.theta + w ||theta||_1, the mean over n records, over a ball or a box.

    An lq ball is allowed where the data lie along the first coordinate.

    Linear losses have h = 0; squared losses with an orthogonal design have the diagonal h. The constant is left out.
    w is r's weight divided by n.

    With ``spare`` > 0 the arrays list the coordinates along the data, and the last one stands for that many more: h is
    the same on them and c is zero there, so that within an l2 ball they matter by their norm only, which is what the
    last coordinate holds. `constants.p` is the full dimension.

    Raises:
        InputError: shapes that do not fit, a negative h or w, or a spare direction that is not invariant.
    """

    def __init__(
        self,
        constraint_set: ConstraintSet,
        constants: Constants,
        curvature: ArrayLike,
        linear: ArrayLike,
        l1_weight: float = 0.0,
        spare: float = 0,
    ) -> None:
        if not isinstance(constraint_set, Box | L1Ball | L2Ball | LqBall):
            raise InputError(f"choices of the set: Box, L1Ball, L2Ball, LqBall; got {type(constraint_set).__name__}")
        self._curvature = np.broadcast_to(np.asarray(curvature, dtype=np.float64), (constraint_set.p,))
        self._linear = np.asarray(linear, dtype=np.float64)
        if self._linear.shape != (constraint_set.p,):
            raise InputError(f"linear must have shape ({constraint_set.p},), got {self._linear.shape}")
        if not (self._curvature.min() >= 0 and l1_weight >= 0):
            raise InputError("curvature and l1_weight must be at least 0")
        if isinstance(constraint_set, LqBall) and (self._linear[1:].any() or self._curvature[1:].any() or l1_weight):
            raise InputError("in an lq ball the data must lie along the first coordinate, without an l1 term")
        if spare and (not isinstance(constraint_set, L2Ball) or self._linear[-1] != 0 or l1_weight):
            raise InputError("spare directions need an l2 ball, no linear term in the last coordinate and no l1 term")
        self._constraint_set, self._constants = constraint_set, constants
        self.l1_weight, self.spare = l1_weight, spare

    @property
    def constants(self) -> Constants:
        return self._constants

    @property
    def constraint_set(self) -> ConstraintSet:
        return self._constraint_set

    @property
    def curvature(self) -> FloatArray:
        """h, shape (p,)."""
        return self._curvature

    @property
    def linear(self) -> FloatArray:
        """c, shape (p,)."""
        return self._linear

    @property
    def capabilities(self) -> frozenset[str]:
        return frozenset({"subspace" if self.spare else "quadratic"})

    @property
    def start(self) -> Point:
        return self._constraint_set.start()

    def risk(self, theta: Point) -> float:
        """J(theta)."""
        vector = self._array(theta)
        smooth = 0.5 * float(self._curvature @ vector**2) - float(self._linear @ vector)
        return smooth + self.l1_weight * float(np.abs(vector).sum())

    def gradient(self, theta: Point) -> FloatArray:
        """Gradient of the smooth part, shape (p,)."""
        return np.asarray(self._curvature * self._array(theta) - self._linear)

    def excess_risk(self, theta: Point) -> float:
        """J(theta) - min J, as <gradient*, d> + (1/2) d^T H d + w (||theta||_1 - ||theta*||_1), d = theta - theta*."""
        vector, at = self._array(theta), self._array(self.minimum.theta)
        step = vector - at
        smooth = float(self._gradient_at_minimum @ step) + 0.5 * float(self._curvature @ step**2)
        return smooth + self.l1_weight * float(np.abs(vector).sum() - np.abs(at).sum())

    def perturbed(self, linear: FloatArray | float, ridge: float) -> Quadratic:
        """The same with linear.theta + (ridge/2) ||theta||^2 added."""
        changed = object.__new__(Quadratic)
        changed._constraint_set, changed._constants = self._constraint_set, self._constants
        changed._curvature, changed._linear = self._curvature + ridge, self._linear - linear
        changed.l1_weight, changed.spare = self.l1_weight, self.spare
        return changed

    @cached_property
    def _gradient_at_minimum(self) -> FloatArray:
        return self.gradient(self.minimum.theta)

    def _find_minimum(self) -> Minimum:
        """By the optimality conditions, with the multiplier of the ball found by bisection.

        The gap is max_s <gradient, theta - s> + w (||theta||_1 - ||s||_1), which bounds the excess of a convex J.
        """
        theta, within = self._minimiser(), self._constraint_set
        gradient, w = self.gradient(theta), self.l1_weight
        pull = np.maximum(np.abs(gradient) - w, 0.0)  # an lq ball has one entry that is not zero, so any norm serves
        best = pull.sum() if isinstance(within, Box) else pull.max() if isinstance(within, L1Ball) else _norm(pull)
        gap = float(gradient @ theta) + w * float(np.abs(theta).sum()) + within.radius * float(best)
        return Minimum(theta, self.risk(theta), max(0.0, gap))

    def _minimiser(self) -> FloatArray:
        h, w, radius = self._curvature, self.l1_weight, self._constraint_set.radius
        pull = np.copysign(np.maximum(np.abs(self._linear) - w, 0.0), self._linear)
        if not pull.any():
            return np.zeros_like(pull)
        if isinstance(self._constraint_set, Box):
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(pull == 0, 0.0, np.clip(pull / h, -radius, radius))
        if isinstance(self._constraint_set, LqBall):
            return _divided(pull, np.maximum(h, np.abs(pull) / radius))
        if isinstance(self._constraint_set, L2Ball):
            if h.min() == h.max():  # all directions alike
                return pull / max(float(h[0]), _norm(pull) / radius)
            return self._bisect(lambda level: _divided(pull, h + level), _norm, _norm(pull) / radius)
        sign = np.sign(pull)
        return self._bisect(
            lambda level: sign * _divided(np.maximum(np.abs(pull) - level, 0.0), h),
            lambda theta: float(np.abs(theta).sum()),
            float(np.abs(pull).max()),
        )

    def _bisect(self, at: _Path, size: _Size, highest: float) -> FloatArray:
        """at(level) with the least level >= 0 at which size(at(level)) <= radius; highest is one that suffices."""
        radius = self._constraint_set.radius
        if size(at(0.0)) <= radius:
            return at(0.0)
        low, high = 0.0, highest
        while high - low > 1e-15 * highest:
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            low, high = (middle, high) if size(at(middle)) > radius else (low, middle)
        theta, inside = at(low), at(high)
        if isinstance(self._constraint_set, L1Ball) and np.isinf(theta).any():
            free = np.isinf(theta)  # coordinates without curvature take what the others leave
            theta = np.where(free, 0.0, inside)
            left = radius - float(np.abs(theta).sum())
            theta[free] = np.sign(self._linear[free]) * left / free.sum()
            return theta
        # a little curvature turns the level's rounding into a visible gap: put the point on the boundary
        return inside * (radius / size(inside))

    def _array(self, theta: Point) -> FloatArray:
        return as_theta(theta, self._constraint_set.p)

    def _reason(self, capability: str) -> str:
        return ": its coordinates are not all listed" if self.spare and capability == "quadratic" else ""


def quadratic(problem: Problem) -> Quadratic:
    """The problem itself, if it is one that terms can be added to; raises Incompatible otherwise."""
    if not isinstance(problem, Quadratic):
        raise Incompatible(f"objective perturbation needs a quadratic problem, got {type(problem).__name__}")
    return problem


def _divided(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """top / bottom with 0/0 = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(top == 0, 0.0, top / bottom)


def _norm(vector: FloatArray) -> float:
    return float(np.sqrt(vector @ vector))
