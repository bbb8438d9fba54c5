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

    def __init__(self, dense: View) -> None:
        super().__init__(dense.domain)
        self.dense = dense

    def on(self, support: IntArray) -> View:
        """The data on these coordinates alone, over the set's section; theta has one entry for each of them."""
        domain, dense = self.domain.section(support.size), self.dense
        if isinstance(dense, RecordsView):
            records = dense.records
            return RecordsView(domain, Records(records.features[:, support], records.labels, records.counts))
        if isinstance(dense, MomentsView) and not dense.moments.spare:
            form = dense.moments
            gram = None if form.diagonal else form.block(support, support)
            ridge = form.ridges[support] if form.diagonal else 0.0
            return MomentsView(domain, Moments(form.cross[support], form.constant, gram, ridge))
        raise Incompatible(f"a {type(dense).__name__} cannot be seen on some of its coordinates alone")

    def best(self, point: Point) -> FloatArray:
        """The best point on a support, as the dense view has points."""
        support = _support(point).chosen
        if isinstance(self.dense, OneHotView):
            return self.dense.on_support(support)
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
        dense = self.dense
        if isinstance(self.domain.constraint_set, Box) and isinstance(dense, OneHotView):
            return dense.gains
        if isinstance(self.domain.constraint_set, Box) and isinstance(dense, MomentsView) and dense.moments.diagonal:
            best = dense.coordinates(dense.minimum.theta)
            return np.asarray((2 * dense.moments.cross - dense.moments.ridges * best) * best)
        raise Incompatible("what a coordinate gains depends on the others, unless the risk and the set are sums")

    def value(self, theta: Point) -> float:
        return self.dense.value(self.best(theta))

    def excess(self, theta: Point) -> float:
        return self.dense.excess(self.best(theta))

    def gradient(self, theta: Point) -> FloatArray:
        raise Incompatible("the risk of a support has no gradient")

    def minimise(self, linear: FloatArray | float = 0.0, ridge: float = 0.0) -> Minimum:
        return self.dense.minimise(linear, ridge)

    @property
    def start(self) -> Point:
        return self.dense.start

    @cached_property
    def trivial_risk(self) -> float:
        """The excess risk of the dense view's data-free start."""
        return self.dense.trivial_risk


def _support(point: Point) -> SupportPoint:
    if not isinstance(point, SupportPoint):
        raise Incompatible(f"a support is wanted, got a {type(point).__name__}")
    return point
