"""Supports, each as good as the best point on it."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from dprepro.errors import Incompatible
from dprepro.problems.moments import Moments
from dprepro.problems.point_forms import Minimum, Point
from dprepro.problems.problem_data import FloatArray, Records
from dprepro.problems.sets import Box
from dprepro.problems.support_answers import IntArray, SupportPoint
from dprepro.problems.views.base import View
from dprepro.problems.views.moments_view import MomentsView
from dprepro.problems.views.one_hot_view import OneHotView
from dprepro.problems.views.records_view import RecordsView


class SupportsView(View):
    """value(S) = min over theta in the set, zero outside S, of the mean loss: q(S)/n of Kifer, Smith and Thakurta.

    The minimum is that over the whole set, not over supports of some size: where a sparse theta attains it both are
    one. The set has to be alike in all coordinates (`ConstraintSet.section`).

    Args:
        listed: the data, by records, moments or one-hot counts.
    """

    sees_l1 = True

    def __init__(self, listed: View) -> None:
        super().__init__(listed.domain)
        self.listed = listed

    def on(self, support: IntArray) -> View:
        """The data on these coordinates alone, over the set's section; theta has one entry for each of them."""
        domain, listed = self.domain.section(support.size), self.listed
        if isinstance(listed, RecordsView):
            records = listed.records
            return RecordsView(domain, Records(records.features[:, support], records.labels, records.counts))
        if isinstance(listed, MomentsView) and not listed.moments.spare:
            form = listed.moments
            gram = None if form.diagonal else form.block(support, support)
            ridge = form.ridges[support] if form.diagonal else 0.0
            return MomentsView(domain, Moments(form.cross[support], form.constant, gram, ridge))
        raise Incompatible(f"a {type(listed).__name__} cannot be seen on some of its coordinates alone")

    def best(self, point: Point) -> FloatArray:
        """The best point on a support, as the listed view has points."""
        support = _support(point).chosen
        if isinstance(self.listed, OneHotView):
            return self.listed.on_support(support)
        theta = np.zeros(self.domain.p)
        if support.size:
            theta[support] = np.asarray(self.on(support).minimum.theta)
        return theta

    @cached_property
    def gains(self) -> FloatArray:
        """What each coordinate saves of the risk at zero, shape (p,), or (m,) for one-hot counts: the others nothing.

        Raises:
            Incompatible: coordinates interact, by the set or by the data.
        """
        listed = self.listed
        if isinstance(self.domain.constraint_set, Box) and isinstance(listed, OneHotView):
            return listed.gains
        if isinstance(self.domain.constraint_set, Box) and isinstance(listed, MomentsView) and listed.moments.diagonal:
            best = listed.coordinates(listed.minimum.theta)
            return np.asarray((2 * listed.moments.cross - listed.moments.ridges * best) * best)
        raise Incompatible("what a coordinate gains depends on the others, unless the risk and the set are sums")

    def value(self, theta: Point) -> float:
        return self.listed.value(self.best(theta))

    def excess(self, theta: Point) -> float:
        return self.listed.excess(self.best(theta))

    def gradient(self, theta: Point) -> FloatArray:
        raise Incompatible("the risk of a support has no gradient")

    def minimise(self, linear: FloatArray | float = 0.0, ridge: float = 0.0) -> Minimum:
        return self.listed.minimise(linear, ridge)

    @property
    def start(self) -> Point:
        return self.listed.start

    @cached_property
    def trivial_risk(self) -> float:
        """The excess risk of the listed view's data-free start."""
        return self.listed.trivial_risk


def _support(point: Point) -> SupportPoint:
    if not isinstance(point, SupportPoint):
        raise Incompatible(f"a support is wanted, got a {type(point).__name__}")
    return point
