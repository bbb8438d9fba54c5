"""Constrained least squares, risk(theta) = (1/n) sum_i (x_i.theta - y_i)^2, behind one oracle with three views."""

from __future__ import annotations

from copy import copy
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dprepro.errors import InputError
from dprepro.problems.constants import Constants
from dprepro.problems.data import FloatArray, GroupPoint, Minimum, Moments, Point, Records, VertexGroups
from dprepro.problems.losses import SquaredLoss
from dprepro.problems.minimisers import GAP_LIMIT, MomentsQuadratic, RecordsQuadratic, duality_gap, minimise
from dprepro.problems.problem import Problem, as_theta
from dprepro.problems.sets import ConstraintSet, L1Ball, L2Ball, Simplex

MOMENTS_LIMIT = 5000  # largest p for which records are turned into a p x p gram matrix (200 MB)
BOUND_SLACK = 1e-9  # relative, for records that were scaled to their bound in floating point


class LeastSquares(Problem):
    """Mean squared loss over a constraint set, from records, moments or groups of vertices, any subset present.

    Made by :meth:`from_records`, :meth:`from_moments` or :meth:`from_groups`. Risk and gradient of an array use the
    records where they are present, else the moments; those of a :class:`GroupPoint` use the groups. The minimum
    is a GroupPoint exactly where groups alone are present.

    feature_bound bounds ||x||_inf where the set is an l1 ball or a simplex, ||x||_2 where it is an l2 ball (the dual
    norm); label_bound bounds |y|. Constants follow from the bounds, never from the data.
    """

    def __init__(
        self,
        constraint_set: ConstraintSet,
        n: float,
        *,
        records: Records | None = None,
        moments: Moments | None = None,
        groups: VertexGroups | None = None,
        feature_bound: float = 1.0,
        label_bound: float = 1.0,
        minimum: Minimum | None = None,
    ) -> None:
        """Join views of the same data.

        Raises:
            InputError: where no view is present, views disagree on n or p, a record breaks its bounds, the groups do
                not cover the set's vertices, or `minimum` fails its certificate.
        """
        if records is None and moments is None and groups is None:
            raise InputError("least squares needs data; choices: records, moments, groups")
        self._constraint_set = constraint_set
        self._records, self._moments, self._groups = records, moments, groups
        loss = SquaredLoss()
        self._constants = Constants(
            n=n,
            p=constraint_set.p,
            radius=constraint_set.radius,
            lipschitz=loss.l1_lipschitz(constraint_set.radius, feature_bound, label_bound),
            curvature=loss.curvature(constraint_set.radius, feature_bound),
            vertices=constraint_set.vertices,
        )
        for view in (records, moments):
            if view is not None and (view.n != n or view.p != constraint_set.p):
                name = type(view).__name__.lower()
                raise InputError(
                    f"{name} have n={view.n}, p={view.p}; needed are n={n}, p={constraint_set.p} of the set"
                )
        if records is not None:
            _check_bounds(records, constraint_set, feature_bound, label_bound)
        if groups is not None:
            _check_groups(groups, constraint_set)
        if minimum is not None:
            self.__dict__["minimum"] = self._certified(minimum)

    @classmethod
    def from_records(
        cls,
        features: ArrayLike,
        labels: ArrayLike,
        constraint_set: ConstraintSet,
        feature_bound: float = 1.0,
        label_bound: float = 1.0,
    ) -> LeastSquares:
        """The problem of features (n, p) and labels (n,).

        Raises:
            InputError: where a record breaks its bounds, an entry is not finite or shapes do not fit.
        """
        records = Records(np.asarray(features), np.asarray(labels))
        return cls(constraint_set, records.n, records=records, feature_bound=feature_bound, label_bound=label_bound)

    @classmethod
    def from_moments(
        cls, moments: Moments, constraint_set: ConstraintSet, feature_bound: float = 1.0, label_bound: float = 1.0
    ) -> LeastSquares:
        """The problem of given moments; that records within the bounds have them is the caller's word."""
        return cls(constraint_set, moments.n, moments=moments, feature_bound=feature_bound, label_bound=label_bound)

    @classmethod
    def from_groups(
        cls,
        groups: VertexGroups,
        n: float,
        constraint_set: ConstraintSet,
        feature_bound: float = 1.0,
        label_bound: float = 1.0,
        minimum: Minimum | None = None,
    ) -> LeastSquares:
        """The problem of groups that cover all vertices of the set, with its exact minimum where that is known.

        A known minimum (a GroupPoint) is certified like a computed one: its value and gap are computed afresh.
        """
        return cls(
            constraint_set, n, groups=groups, feature_bound=feature_bound, label_bound=label_bound, minimum=minimum
        )

    def with_constants(self, constants: Constants) -> LeastSquares:
        """The same data from a domain with these public constants, such as an l2-Lipschitz constant and a width."""
        other = copy(self)
        other._constants = constants
        return other

    @property
    def constants(self) -> Constants:
        return self._constants

    @property
    def constraint_set(self) -> ConstraintSet:
        return self._constraint_set

    @cached_property
    def capabilities(self) -> frozenset[str]:
        offered = {"records": self._records is not None, "groups": self._groups is not None}
        offered["moments"] = self._moments is not None or (
            self._records is not None and self._constraint_set.p <= MOMENTS_LIMIT
        )
        return frozenset(name for name, present in offered.items() if present)

    @property
    def records(self) -> Records:
        self.require("records")
        assert self._records is not None
        return self._records

    @property
    def moments(self) -> Moments:
        """The moments as given, or of the records (computed once, for p <= `MOMENTS_LIMIT`)."""
        self.require("moments")
        if self._moments is None:
            assert self._records is not None
            features, labels, n = self._records.features, self._records.labels, self._records.n
            gram = features.T @ features / n
            self._moments = Moments(n, features.T @ labels / n, float(labels @ labels) / n, gram)
        return self._moments

    @property
    def groups(self) -> VertexGroups:
        self.require("groups")
        assert self._groups is not None
        return self._groups

    @property
    def start(self) -> Point:
        """The set's start point: a GroupPoint where groups alone are present, else an array."""
        if self._groups is None or self._has_array:
            return self._constraint_set.start()
        sizes = self._groups.sizes
        inside = self._contains_zero
        return GroupPoint(np.zeros(sizes.size) if inside else sizes / sizes.sum())

    def risk(self, theta: Point) -> float:
        """Mean squared loss at theta, by the view that knows it."""
        if isinstance(theta, GroupPoint):
            groups, w = self.groups, self._weights(theta)
            return float(w @ groups.gram @ w - 2.0 * (groups.cross @ w) + groups.second_moment)
        vector = self._array(theta)
        if self._records is not None:
            residual = self._records.features @ vector - self._records.labels
            return float(residual @ residual) / self._records.n
        moments = self.moments
        return moments.quadratic_form(vector) - 2.0 * float(moments.cross @ vector) + float(moments.second_moment)

    def gradient(self, theta: Point) -> FloatArray:
        """Gradient of the risk, shape (p,); for a GroupPoint the scores <s, gradient> of each group, shape (G,)."""
        if isinstance(theta, GroupPoint):
            groups = self.groups
            return np.asarray(2.0 * (groups.gram @ self._weights(theta) - groups.cross), dtype=np.float64)
        vector = self._array(theta)
        if self._records is not None:
            residual = self._records.features @ vector - self._records.labels
            return np.asarray((2.0 / self._records.n) * (self._records.features.T @ residual), dtype=np.float64)
        return 2.0 * (self.moments.times(vector) - self.moments.cross)

    def excess_risk(self, theta: Point) -> float:
        """risk(theta) - minimum.value as <gradient*, d> + d^T G d with d = theta - theta*.

        Equal to (theta - theta*)^T G (theta + theta*) - 2 cross.d. Both terms are at least 0 up to the gap, so that
        excess risks far below the risk itself keep their digits.
        """
        at = self.minimum.theta
        if isinstance(at, GroupPoint) or isinstance(theta, GroupPoint):
            if not (isinstance(at, GroupPoint) and isinstance(theta, GroupPoint)):
                return self.risk(theta) - self.minimum.value
            step = self._weights(theta) - at.weights
            return float(self._minimum_gradient @ step + step @ self.groups.gram @ step)
        difference = self._array(theta) - at
        if self._records is not None:
            curved = float(np.mean((self._records.features @ difference) ** 2))
        else:
            curved = self.moments.quadratic_form(difference)
        return float(self._minimum_gradient @ difference) + curved

    @property
    def _has_array(self) -> bool:
        return self._records is not None or self._moments is not None

    @property
    def _contains_zero(self) -> bool:
        return not isinstance(self._constraint_set, Simplex)

    @cached_property
    def _minimum_gradient(self) -> FloatArray:
        return self.gradient(self.minimum.theta)

    def _array(self, theta: Point) -> FloatArray:
        if not self._has_array:
            self.require("moments")
        return as_theta(theta, self._constraint_set.p)

    def _weights(self, theta: GroupPoint) -> FloatArray:
        if theta.weights.shape != self.groups.sizes.shape:
            raise InputError(f"weights must have shape {self.groups.sizes.shape}, got {theta.weights.shape}")
        return theta.weights

    def _find_minimum(self) -> Minimum:
        if self._records is not None:
            quadratic = RecordsQuadratic(self._records)
            theta, gap = minimise(quadratic, self._constraint_set)
            return Minimum(theta, self.risk(theta), gap)
        if self._moments is not None:
            theta, gap = minimise(MomentsQuadratic(self._moments), self._constraint_set)
            return Minimum(theta, self.risk(theta), gap)
        groups, size = self.groups, self.groups.groups
        # the set is the hull of one atom per group and, for a ball, of zero: one more atom, of size 0
        atoms = size + int(self._contains_zero)
        gram, cross = np.zeros((atoms, atoms)), np.zeros(atoms)
        gram[:size, :size], cross[:size] = groups.gram, groups.cross
        weights, gap = minimise(MomentsQuadratic(Moments(1, cross, groups.second_moment, gram)), Simplex(atoms))
        point = GroupPoint(weights[:size])
        return Minimum(point, self.risk(point), gap)

    def _certified(self, minimum: Minimum) -> Minimum:
        """A known minimum with its value and gap computed afresh."""
        gradient = self.gradient(minimum.theta)
        if isinstance(minimum.theta, GroupPoint):
            weights = minimum.theta.weights
            lowest = min(float(gradient.min()), 0.0) if self._contains_zero else float(gradient.min())
            gap = max(0.0, float(gradient @ weights) - lowest)
            inside = self._contains_zero or abs(float(weights.sum()) - 1.0) <= 1e-9
            second_moment = self.groups.second_moment
        else:
            gap = duality_gap(gradient, minimum.theta, self._constraint_set)
            inside = self._constraint_set.contains(minimum.theta)
            second_moment = self.risk(np.zeros(self._constraint_set.p))
        if not inside:
            raise InputError("the known minimum must lie in the constraint set, got a point outside")
        if not gap <= GAP_LIMIT * max(1.0, second_moment):
            raise InputError(f"the known minimum's duality gap must be at most {GAP_LIMIT:g}, got gap={gap:g}")
        return Minimum(minimum.theta, self.risk(minimum.theta), gap)

    def _reason(self, capability: str) -> str:
        if capability == "moments" and self._records is not None:
            return f": records are turned into moments up to p={MOMENTS_LIMIT}, got p={self._constraint_set.p}"
        if capability == "population":
            return ": its risk is the mean over n given records"
        return " (it was not given any)"


def _check_bounds(records: Records, constraint_set: ConstraintSet, feature_bound: float, label_bound: float) -> None:
    if isinstance(constraint_set, L2Ball):
        name, sizes = "||x||_2", np.sqrt(np.einsum("ij,ij->i", records.features, records.features))
    else:
        name, sizes = "||x||_inf", np.maximum(records.features.max(axis=1), -records.features.min(axis=1))
    for what, size, bound in ((name, sizes, feature_bound), ("|y|", np.abs(records.labels), label_bound)):
        worst = int(np.argmax(size))
        if not size[worst] <= bound * (1 + BOUND_SLACK):
            raise InputError(f"every record must have {what} <= {bound}, record {worst} has {size[worst]:g}")


def _check_groups(groups: VertexGroups, constraint_set: ConstraintSet) -> None:
    if not isinstance(constraint_set, L1Ball | Simplex):
        raise InputError(f"groups need a polytope; choices: L1Ball, Simplex, got {type(constraint_set).__name__}")
    covered, needed = float(groups.sizes.sum()), constraint_set.vertices
    if abs(covered - needed) > 1e-6 * needed:
        raise InputError(f"groups must cover the set's {needed} vertices, their sizes sum to {covered:g}")
