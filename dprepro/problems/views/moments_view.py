"""The mean loss of a quadratic risk by its coefficients, with all coordinates listed or in a plane through the data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from dprepro.errors import InputError
from dprepro.problems.domain import Domain
from dprepro.problems.minimise import duality_gap, minimise_quadratic
from dprepro.problems.moments import Moments
from dprepro.problems.point_forms import Minimum, PlanePoint, Point
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.sets import ConstraintSet, L2Ball
from dprepro.problems.views.base import View, as_theta


class MomentsView(View):
    """risk(theta) = theta^T G theta - 2 cross.theta + constant, plus l1_weight ||theta||_1/n where the domain has one.

    With spare directions points are `PlanePoint` and the set is an l2 ball; that is the view ``plane``.

    Args:
        domain: what is public. That records within its bounds have these moments is the caller's word, but for
            the risk and the slope at zero and the curvature, which are held against the bounds.
        moments: the coefficients, of the mean over n.
        known: a minimiser that the caller knows, shape (p,); it is certified like a computed one.

    Raises:
        InputError: a loss that is not quadratic, moments of another dimension, or spare directions in a set that is not
            round, or beside an l1 term.
    """

    sees_l1 = True

    def __init__(self, domain: Domain, moments: Moments, known: FloatArray | None = None) -> None:
        super().__init__(domain)
        if domain.loss.quadratic is None:
            raise InputError(f"{type(domain.loss).__name__} has no moments: it is not quadratic")
        if moments.spare and (not isinstance(domain.constraint_set, L2Ball) or self.weight):
            raise InputError(f"spare directions need an l2 ball and no l1 term, got {domain.constraint_set.title}")
        p = moments.p + max(0.0, moments.spare - 1)
        if p != domain.p:
            raise InputError(f"moments have p={p:g}, the set has p={domain.p}")
        slope = 2 * float(np.linalg.norm(moments.cross, domain.feature_norm))
        form = float(moments.diagonal_of_g().max())
        domain.hold_quadratic(moments.constant, slope, form, domain.feature_bound)
        self.moments, self._known = moments, known

    @cached_property
    def within(self) -> ConstraintSet:
        """The set in the coordinates listed."""
        whole = self.domain.constraint_set
        return L2Ball(self.moments.p, whole.radius) if self.moments.spare else whole

    @property
    def start(self) -> Point:
        return self.point(self.within.start())

    def point(self, coordinates: FloatArray) -> Point:
        """A point of this view by its coordinates."""
        return PlanePoint(coordinates) if self.moments.spare else coordinates

    def coordinates(self, theta: Point) -> FloatArray:
        """The coordinates of a point, shape (coordinates listed,)."""
        if self.moments.spare and isinstance(theta, PlanePoint):
            theta = theta.coordinates
        return as_theta(theta, self.moments.p)

    def value(self, theta: Point) -> float:
        vector = self.coordinates(theta)
        return self.moments.value(vector) + self._l1(vector)

    def gradient(self, theta: Point) -> FloatArray:
        """Gradient of the smooth part."""
        return self.moments.gradient(self.coordinates(theta))

    def excess(self, theta: Point) -> float:
        """<gradient*, d> + d^T G d + w (||theta||_1 - ||theta*||_1): no difference of near-equal numbers."""
        vector, at = self.coordinates(theta), self.coordinates(self.minimum.theta)
        step = vector - at
        return float(self._gradient_at_minimum @ step) + self.moments.form(step) + self._l1(vector) - self._l1(at)

    def excess_many(self, thetas: Sequence[Point]) -> list[float]:
        """As of any view; of a linear risk without the forms that are zero."""
        moments, at = self.moments, self.minimum.theta
        if moments.spare or self.weight or not (moments.diagonal and not moments.ridges.any()):
            return super().excess_many(thetas)
        steps = np.stack([as_theta(theta, moments.p) for theta in thetas]) - self.coordinates(at)
        slope = self._gradient_at_minimum
        return [float(slope @ step) + 0.0 for step in steps]

    def minimise(self, linear: FloatArray | float = 0.0, ridge: float = 0.0) -> Minimum:
        changed = self.moments.plus(linear, ridge)
        known = self._known if not (np.any(linear) or ridge) else None
        if known is None:
            theta, gap = minimise_quadratic(changed, self.within, self.weight)
        else:
            theta, gap = known, duality_gap(changed.gradient(known), known, self.within, self.weight)
        minimum = Minimum(self.point(theta), changed.value(theta) + self._l1(theta), gap)
        return self._certified(minimum, self.within.contains(theta), linear, ridge, known is not None)

    def over(self, domain: Domain) -> MomentsView:
        """The same coefficients on another set."""
        return MomentsView(domain, self.moments)
