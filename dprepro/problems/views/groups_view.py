"""The mean loss in the total weights of groups of interchangeable vertices, at a cost free of n and p."""

from __future__ import annotations

import numpy as np

from dprepro.errors import InputError
from dprepro.problems.domain import Domain
from dprepro.problems.minimise import minimise_quadratic
from dprepro.problems.moments import Moments
from dprepro.problems.point_forms import GroupPoint, Minimum, Point
from dprepro.problems.problem_data import FloatArray, VertexGroups
from dprepro.problems.sets import L1Ball, Simplex
from dprepro.problems.views.base import View


class GroupsView(View):
    """A quadratic risk over an l1 ball or a simplex whose vertices fall into a few groups; points are `GroupPoint`.

    The gradient has the entries <s, gradient>, one for each group.

    Raises:
        InputError: a loss that is not quadratic, a set without vertices, groups that do not cover them, or a risk that
            no records within the bounds have.
    """

    def __init__(self, domain: Domain, groups: VertexGroups) -> None:
        super().__init__(domain)
        constraint_set = domain.constraint_set
        if domain.loss.quadratic is None:
            raise InputError(f"{type(domain.loss).__name__} has no groups: it is not quadratic")
        if not isinstance(constraint_set, L1Ball | Simplex):
            raise InputError(f"groups need a polytope; choices: L1Ball, Simplex, got {constraint_set.title}")
        covered = float(groups.sizes.sum())
        if abs(covered - constraint_set.vertices) > 1e-6 * constraint_set.vertices:
            raise InputError(
                f"groups must cover the set's {constraint_set.vertices} vertices, their sizes sum to {covered:g}"
            )
        slope, form = 2 * float(np.abs(groups.cross).max()), float(np.diag(groups.gram).max())
        domain.hold_quadratic(groups.constant, slope, form, domain.reach)
        self.groups = groups
        self._has_zero = isinstance(constraint_set, L1Ball)

    @property
    def start(self) -> GroupPoint:
        sizes = self.groups.sizes
        return GroupPoint(np.zeros(sizes.size) if self._has_zero else sizes / sizes.sum())

    def value(self, theta: Point) -> float:
        groups, w = self.groups, self._weights(theta)
        return float(w @ groups.gram @ w - 2.0 * (groups.cross @ w) + groups.constant)

    def gradient(self, theta: Point) -> FloatArray:
        return np.asarray(2.0 * (self.groups.gram @ self._weights(theta) - self.groups.cross), dtype=np.float64)

    def excess(self, theta: Point) -> float:
        """<gradient*, d> + d^T gram d."""
        step = self._weights(theta) - self._weights(self.minimum.theta)
        return float(self._gradient_at_minimum @ step + step @ self.groups.gram @ step)

    def minimise(self, linear: FloatArray | float = 0.0, ridge: float = 0.0) -> Minimum:
        """The set is the hull of one atom a group and, for a ball, of zero: one more atom."""
        if np.any(linear) or ridge:
            raise InputError("weights of groups do not tell ||theta||_2, so nothing can be added to the risk")
        size = self.groups.groups
        atoms = size + int(self._has_zero)
        gram, cross = np.zeros((atoms, atoms)), np.zeros(atoms)
        gram[:size, :size], cross[:size] = self.groups.gram, self.groups.cross
        weights, gap = minimise_quadratic(Moments(cross, self.groups.constant, gram), Simplex(atoms))
        point = GroupPoint(weights[:size])
        return self._certified(Minimum(point, self.value(point), gap), inside=True)

    def _weights(self, theta: Point) -> FloatArray:
        if not isinstance(theta, GroupPoint) or theta.weights.shape != self.groups.sizes.shape:
            raise InputError(f"theta must be a GroupPoint with weights of shape {self.groups.sizes.shape}")
        return theta.weights
