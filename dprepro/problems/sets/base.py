"""What every constraint set is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dprepro.errors import Incompatible, InputError
from dprepro.problems.problem_data import FloatArray
from dprepro.support.frozen import normalise

Kernel: TypeAlias = Callable[[FloatArray, float], None]

NORMS = (1, 2, math.inf)
"""Orders of the norms in which sets and records are measured."""

_LISTED = "choices: L1Ball, Simplex, Box up to p=20"


def dual_order(order: float) -> float:
    """q* = q/(q - 1), the order of the dual norm."""
    return math.inf if order == 1 else 1.0 if order == math.inf else order / (order - 1)


def norm_ratio(p: float, known: float, wanted: float) -> float:
    """max ||x||_wanted over ||x||_known <= 1 in p dimensions: p^(1/wanted - 1/known), at least 1.

    Raises:
        InputError: a wanted order in which nothing is measured here.
    """
    if wanted not in NORMS:
        raise InputError(f"order must be 1, 2 or inf, got order={wanted}")
    return float(p ** max(0.0, 1 / wanted - 1 / known))


def norm(vector: FloatArray, order: float) -> float:
    """||vector||_order, free of underflow and overflow."""
    largest = float(np.abs(vector).max())
    if largest in (0.0, math.inf) or order == math.inf:
        return largest
    return largest * float(np.linalg.norm(vector / largest, order))


@dataclass(frozen=True)
class ConstraintSet(ABC):
    """A closed, bounded, convex set of parameters theta of shape (p,), scaled by `radius`.

    Attributes:
        p: dimension; an integral float such as 1e12 is accepted.
        radius: size in the set's own norm, finite and positive.

    Class attributes:
        title: what messages call it. alike: whether no coordinate is told from another.
        projection: the projection as a function of (theta, radius) that changes theta in place and uses nothing but
            loops and `math`, so that it can be compiled; None where there is none.

    Raises:
        InputError: where p is not a positive whole number or radius is not finite and positive.
    """

    title: ClassVar[str]
    alike: ClassVar[bool] = False
    projection: ClassVar[Kernel | None] = None

    p: int
    radius: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.p) and self.p >= 1 and self.p == int(self.p)):
            raise InputError(f"p must be a positive whole number, got p={self.p}")
        if not (math.isfinite(self.radius) and self.radius > 0):
            raise InputError(f"radius must be finite and positive, got radius={self.radius}")
        normalise(self, p=int(self.p), radius=float(self.radius))

    @property
    def vertices(self) -> int | None:
        """Number of vertices that are listed, |S| of Talwar et al.; None for a set that is no polytope with a list."""
        return None

    @property
    def contains_zero(self) -> bool:
        """Whether theta = 0 lies in the set; a set that knows overrides this, which makes an array of size p."""
        return self.contains(np.zeros(self.p))

    @abstractmethod
    def project(self, point: ArrayLike) -> FloatArray:
        """The Euclidean projection argmin ||s - point||_2 over the set, shape (p,)."""

    def project_many(self, points: FloatArray) -> FloatArray:
        """The projections of points, shape (points, p), each to the bits of `project`."""
        return np.stack([self.project(point) for point in points])

    @abstractmethod
    def minimise_linear(self, direction: ArrayLike) -> FloatArray:
        """A point argmin <direction, s> over the set, shape (p,): the first such vertex where the set is a polytope."""

    @abstractmethod
    def contains(self, theta: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether theta breaks none of the set's (in)equalities by more than `tolerance`."""

    @abstractmethod
    def norm_bound(self, order: float = 2) -> float:
        """max ||s||_order over the set, for order 1, 2 or inf."""

    @abstractmethod
    def gaussian_width(self) -> float:
        """E sup_w |<b, w>| with b ~ N(0, I_p), the definition of Talwar et al., section 1; without arrays of size p."""

    def diameter(self, order: float = 2) -> float:
        """max ||a - b||_order over a, b in the set, for order 1, 2 or inf; twice the norm bound of a symmetric set."""
        return 2.0 * self.norm_bound(order)

    def support(self, direction: FloatArray) -> float:
        """max <direction, s> over the set."""
        return float(direction @ self.minimise_linear(-direction))

    def to_boundary(self, theta: FloatArray, direction: FloatArray) -> float:
        """How far one can go from theta, in the set, along a direction of l2 norm 1; here by bisection."""
        inside, outside = 0.0, self.diameter(2) * 1.0000001
        for _ in range(48):
            middle = 0.5 * (inside + outside)
            inside, outside = (middle, outside) if self.contains(theta + middle * direction, 0.0) else (inside, middle)
        return inside

    def section(self, size: int) -> Self | None:
        """The points that are zero outside some ``size`` coordinates, as a set in these; None if it matters in which.

        Raises InputError for a size outside 1..p.
        """
        if not 1 <= size <= self.p:
            raise InputError(f"a section has 1 to p={self.p} coordinates, got {size}")
        return replace(self, p=size) if self.alike else None

    def tangent(self, direction: FloatArray) -> FloatArray:
        """The part of a direction that stays in the set's affine hull; all of it, but for flat sets."""
        return direction

    def vertex(self, index: int) -> FloatArray:
        """Vertex number `index` (0 <= index < vertices), shape (p,). Raises Incompatible where there are none."""
        raise Incompatible(f"{self.title} with p={self.p} has no list of vertices; {_LISTED}")

    def scores(self, gradient: ArrayLike) -> FloatArray:
        """<s, gradient> for every vertex s, shape (vertices,), in the order of :meth:`vertex`.

        Raises Incompatible where there are no vertices.
        """
        raise Incompatible(f"{self.title} with p={self.p} has no list of vertices to score; {_LISTED}")

    def start(self) -> FloatArray:
        """The data-free first point: zero, which the balls contain; a set without zero overrides this."""
        return np.zeros(self.p)

    def _vector(self, value: ArrayLike) -> FloatArray:
        array = np.asarray(value, dtype=np.float64)
        if array.shape != (self.p,):
            raise InputError(f"a point of this set has shape ({self.p},), got {array.shape}")
        return array


class NormBall(ConstraintSet):
    """{theta : ||theta||_q <= radius}."""

    alike: ClassVar[bool] = True

    @abstractmethod
    def _order(self) -> float:
        """Order q of the ball's own norm."""

    @property
    def contains_zero(self) -> bool:
        return True

    def contains(self, theta: ArrayLike, tolerance: float = 1e-9) -> bool:
        return norm(self._vector(theta), self._order()) <= self.radius + tolerance

    def support(self, direction: FloatArray) -> float:
        return self.radius * norm(direction, dual_order(self._order()))

    def norm_bound(self, order: float = 2) -> float:
        return self.radius * norm_ratio(self.p, self._order(), order)

    def to_boundary(self, theta: FloatArray, direction: FloatArray) -> float:
        """By Newton's method from outside, for a finite order: the norm is convex along it, no step is too long."""
        far = 2.0 * self.radius / norm(direction, self._order())
        for _ in range(100):
            reached = theta + far * direction
            size = norm(reached, self._order())
            slope = np.copysign((np.abs(reached) / size) ** (self._order() - 1), reached)
            nearer = far - (size - self.radius) / float(slope @ direction)
            if not nearer < far:
                break
            far = nearer
        return max(0.0, far)
