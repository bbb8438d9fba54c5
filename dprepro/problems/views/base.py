"""What every view is: a mean loss, with its gradient and its certified minimum."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from dprepro.errors import DpreproError, Incompatible, InputError
from dprepro.problems.domain import Domain
from dprepro.problems.point_forms import Minimum, Point
from dprepro.problems.problem_data import FloatArray

GAP_ALLOWED = 1e-9  # of a minimum, relative to how much the risk varies over the set


class View(ABC):
    """The mean loss of the data on a domain, in one representation; `start` says what its points look like.

    A domain's l1 term belongs to the risk, at ``weight`` ||theta||_1, but not to its gradient.

    Raises:
        Incompatible: an l1 term, in a view that cannot see it.
    """

    sees_l1 = False

    def __init__(self, domain: Domain) -> None:
        self.domain, self.weight = domain, domain.l1_weight / domain.n
        if self.weight and not self.sees_l1:
            raise Incompatible(f"a {type(self).__name__} knows no l1 term, got l1_weight={domain.l1_weight:g}")

    @property
    def start(self) -> Point:
        """The set's data-free first point."""
        return self.domain.constraint_set.start()

    @abstractmethod
    def value(self, theta: Point) -> float:
        """The mean loss."""

    @abstractmethod
    def gradient(self, theta: Point) -> FloatArray:
        """The gradient of the mean loss, or a subgradient, shaped like the point."""

    @abstractmethod
    def minimise(self, linear: FloatArray | float = 0.0, ridge: float = 0.0) -> Minimum:
        """The minimum over the set of the mean loss + linear.theta + (ridge/2) ||theta||^2, certified."""

    @cached_property
    def minimum(self) -> Minimum:
        """The minimum of the mean loss; its value may leave out a constant that `value` leaves out too."""
        return self.minimise()

    def excess(self, theta: Point) -> float:
        """value(theta) - minimum; representations that can avoid the difference of near-equal numbers do."""
        return self.value(theta) - self.minimum.value

    @cached_property
    def trivial_risk(self) -> float:
        """The excess risk of the start."""
        return self.excess(self.start)

    def excess_many(self, thetas: Sequence[Point]) -> list[float]:
        """The excess risk of each point, to the bits of `excess`."""
        return [self.excess(theta) for theta in thetas]

    def over(self, domain: Domain) -> View:
        """The same data on another set of the same kind of points."""
        raise Incompatible(f"a {type(self).__name__} belongs to its set")

    @cached_property
    def _gradient_at_minimum(self) -> FloatArray:
        return self.gradient(self.minimum.theta)

    def _certified(
        self, minimum: Minimum, inside: bool, pull: FloatArray | float = 0.0, ridge: float = 0.0, known: bool = False
    ) -> Minimum:
        """The minimum itself, where it is inside the set and its gap is small for how much the risk varies there.

        Raises:
            DpreproError: it is not, or the gap exceeds `GAP_ALLOWED` times that, or ten times as much for a loss with
                kinks; InputError where the minimiser was given by the caller.
        """
        limit = self._allowed(pull, ridge)
        if not (inside and minimum.gap <= limit):
            raise (InputError if known else DpreproError)(
                f"the minimiser must lie in the set with a gap of at most {limit:g}, got gap={minimum.gap:g}"
            )
        return minimum

    def _allowed(self, pull: FloatArray | float, ridge: float) -> float:
        """The largest gap of a minimum; see `_certified`."""
        radius, share = self.domain.radius, GAP_ALLOWED * (1 if math.isfinite(self.domain.loss.smoothness) else 10)
        return share * (self.domain.swing + 2 * radius * float(np.linalg.norm(pull)) + 0.5 * ridge * radius**2)

    def _l1(self, vector: FloatArray) -> float:
        return self.weight * float(np.abs(vector).sum()) if self.weight else 0.0


def as_theta(theta: Point, *sizes: int) -> FloatArray:
    """theta as an array of one of these sizes; raises Incompatible for another kind of point, or shape."""
    if not isinstance(theta, np.ndarray) or theta.ndim != 1 or theta.size not in sizes:
        got = f"shape {theta.shape}" if isinstance(theta, np.ndarray) else f"a {type(theta).__name__}"
        raise Incompatible(f"theta must have shape {' or '.join(f'({size},)' for size in sizes)}, got {got}")
    return theta


def added(theta: FloatArray, linear: FloatArray | float, ridge: float) -> float:
    """linear.theta + (ridge/2) ||theta||^2."""
    return float(np.sum(linear * theta)) + 0.5 * ridge * float(theta @ theta)
