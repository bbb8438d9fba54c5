"""Empirical risk over an l2 ball, of records that are listed once each with their numbers of copies."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dprepro.errors import Incompatible, InputError
from dprepro.problems.constants import Constants
from dprepro.problems.data import FloatArray, Minimum, Point
from dprepro.problems.minimisers import duality_gap
from dprepro.problems.problem import Problem, as_theta
from dprepro.problems.record_losses import RecordLoss, record_loss
from dprepro.problems.sets import ConstraintSet, L2Ball

AT_KINK = 1e-12  # how near to the kink of a loss a point counts as on it
GAP_ALLOWED = 1e-7  # relative to Lipschitz constant times diameter


def ball_constants(loss: str, n: float, constraint_set: ConstraintSet, bound: float = 1.0) -> Constants:
    """The public constants of a loss over a set inside the ball ||theta|| <= set.radius, records of norm <= bound."""
    kind = record_loss(loss)
    smoothness = kind.smoothness(bound)
    return Constants(
        n=n,
        p=constraint_set.p,
        radius=constraint_set.radius,
        lipschitz=kind.lipschitz(constraint_set.radius, bound),
        curvature=0.0,
        vertices=0,
        diameter=constraint_set.diameter(2),
        smoothness=smoothness if np.isfinite(smoothness) else 0.0,
        strong_convexity=kind.strong_convexity,
    )


class BallRisk(Problem):
    """risk(theta) = (1/n) sum_k counts_k l(theta; d_k) over an l2 ball or a part of it.

    The number n of records is the sum of the counts, as large as 1e12; K distinct ones are held. Capabilities:
    ``records``; ``moments`` where the mean record is all that the risk sees (linear loss, half squared distance);
    ``axis`` where the risk depends on <theta, axis> and on the distance from the axis only.
    """

    def __init__(
        self,
        loss: str,
        constraint_set: ConstraintSet,
        records: ArrayLike,
        counts: ArrayLike,
        labels: ArrayLike | None = None,
        bound: float = 1.0,
        minimiser: ArrayLike | None = None,
    ) -> None:
        """Distinct records (K, p), their counts (K,) and labels (K,).

        ``minimiser`` is a minimiser that the caller knows; it is certified by a subgradient, see :meth:`_certified`.

        Raises:
            InputError: shapes that do not fit, a count that is not positive, or a record beyond its bound.
        """
        self._loss = record_loss(loss)
        self._constraint_set = constraint_set
        self.distinct: FloatArray = np.ascontiguousarray(records, dtype=np.float64)
        self.counts: FloatArray = np.asarray(counts, dtype=np.float64)
        count = self.counts.size
        self.labels: FloatArray = np.ones(count) if labels is None else np.asarray(labels, dtype=np.float64)
        if self.distinct.shape != (count, constraint_set.p) or self.labels.shape != (count,) or not count:
            raise InputError(
                f"records must have shape ({count}, {constraint_set.p}) and labels ({count},), got "
                f"{self.distinct.shape} and {self.labels.shape}"
            )
        if not (np.isfinite(self.distinct).all() and np.isfinite(self.counts).all() and self.counts.min() > 0):
            raise InputError("records must be finite, and every count finite and positive")
        longest = float(np.linalg.norm(self.distinct, axis=1).max())
        if not longest <= bound * (1 + 1e-9):
            raise InputError(f"every record must have ||d||_2 <= {bound}, the longest has {longest:g}")
        self._bound = bound
        self._known = None if minimiser is None else np.asarray(minimiser, dtype=np.float64)
        self._weights = self.counts / self.counts.sum()

    @property
    def loss(self) -> RecordLoss:
        """The loss of one record."""
        return self._loss

    @cached_property
    def constants(self) -> Constants:
        return ball_constants(self._loss.name, float(self.counts.sum()), self._constraint_set, self._bound)

    @property
    def constraint_set(self) -> ConstraintSet:
        return self._constraint_set

    @property
    def capabilities(self) -> frozenset[str]:
        offered = {"records"}
        if self._loss.linear_quadratic:
            offered |= {"moments"}
        if self._loss.linear_quadratic or (self._loss.code in (2, 3) and len(self.distinct) == 1):
            offered |= {"axis"}
        return frozenset(offered)

    @cached_property
    def mean_record(self) -> FloatArray:
        """(1/n) sum of all records, shape (p,)."""
        return np.asarray(self._weights @ self.distinct)

    @property
    def start(self) -> FloatArray:
        return self._constraint_set.start()

    def restricted(self, constraint_set: ConstraintSet) -> BallRisk:
        """The same data over a smaller set; its minimum is not known."""
        return BallRisk(self._loss.name, constraint_set, self.distinct, self.counts, self.labels, self._bound)

    def record_gradient(self, theta: FloatArray, number: int) -> FloatArray:
        """Subgradient of the loss of one distinct record, shape (p,)."""
        one = slice(number, number + 1)
        gradient: FloatArray = self._loss.gradients(theta, self.distinct[one], self.labels[one])[0]
        return gradient

    def risk(self, theta: Point) -> float:
        vector = as_theta(theta, self._constraint_set.p)
        return float(self._weights @ self._loss.values(vector, self.distinct, self.labels))

    def gradient(self, theta: Point) -> FloatArray:
        vector = as_theta(theta, self._constraint_set.p)
        if self._loss.code == 0:
            return -self.mean_record
        if self._loss.code == 1:
            return vector - self.mean_record
        return np.asarray(self._weights @ self._loss.gradients(vector, self.distinct, self.labels))

    def excess_risk(self, theta: Point) -> float:
        """risk(theta) - minimum; for linear and quadratic losses without a difference of near-equal numbers."""
        if not self._loss.linear_quadratic:
            return self.risk(theta) - self.minimum.value
        at = as_theta(self.minimum.theta, self._constraint_set.p)
        step = as_theta(theta, self._constraint_set.p) - at
        curved = 0.5 * float(step @ step) if self._loss.code == 1 else 0.0
        return float(self.gradient(at) @ step) + curved

    def _affine(self) -> tuple[FloatArray, FloatArray]:
        """(a, c) with l = (a_k - <c_k, theta>)_+, shapes (K,) and (K, p), for the hinge and the positive part."""
        if self._loss.code == 4:
            return np.ones_like(self.labels), np.asarray(self.labels[:, None] * self.distinct)
        return self.labels, self.distinct

    @cached_property
    def kinks(self) -> FloatArray:
        """In one dimension, where the risk is piecewise linear: the set's ends and all kinks between them, ascending.

        Raises:
            Incompatible: another dimension, set or loss.
        """
        if self._constraint_set.p != 1 or self._loss.code not in (4, 5) or not isinstance(self._constraint_set, L2Ball):
            raise Incompatible(f"only a one-dimensional hinge or positive_part has kinks, not {self._loss.name}")
        affine, pulls = self._affine()
        seen = pulls[:, 0] != 0
        radius = self._constraint_set.radius
        places = np.clip(affine[seen] / pulls[seen, 0], -radius, radius)
        return np.unique(np.concatenate([[-radius], places, [radius]]))

    def _find_minimum(self) -> Minimum:
        if self._known is not None:
            return self._certified(self._known)
        if isinstance(self._constraint_set, L2Ball):
            if self._loss.code == 0:
                return self._certified(self._constraint_set.minimise_linear(-self.mean_record))
            if self._loss.code == 1:
                return self._certified(self._constraint_set.project(self.mean_record))
            if len(self.distinct) == 1 and self._loss.code in (2, 3):
                return self._certified(self._constraint_set.project(self.distinct[0]))
        raise InputError(f"the minimiser of this {self._loss.name} risk must be given; it has no closed form")

    def _certified(self, theta: FloatArray) -> Minimum:
        """Value, and the duality gap by the subgradient of least norm that the kinks at theta allow.

        At a kink a record's subgradients are a segment (hinge) or a ball (norm); each is a valid choice, so the gap
        max_s <g, theta - s> bounds the excess risk of theta whichever g is taken.
        """
        gradients = self._loss.gradients(theta, self.distinct, self.labels)
        if self._loss.code in (2, 3):
            on = np.linalg.norm(theta - self.distinct, axis=1) <= AT_KINK
            rest = self._weights[~on] @ gradients[~on]
            room = float(self._weights[on].sum())
            size = float(np.linalg.norm(rest))
            gradient = rest * max(0.0, 1.0 - room / size) if size > 0 else rest
        elif self._loss.code in (4, 5):
            # both are the positive part of something affine, -pull its gradient
            affine, pulls = self._affine()
            on = np.abs(affine - pulls @ theta) <= 1e-9
            gradient = self._weights[~on] @ gradients[~on]
            if on.any():
                from scipy.optimize import lsq_linear

                pull = -self._weights[on, None] * pulls[on]
                share = lsq_linear(pull.T, -gradient, bounds=(0.0, 1.0), tol=1e-14).x
                gradient = gradient + np.clip(share, 0.0, 1.0) @ pull
        else:
            gradient = self.gradient(theta)
        gap = duality_gap(gradient, theta, self._constraint_set)
        scale = self.constants.lipschitz * self.constants.diameter
        if not gap <= GAP_ALLOWED * scale:
            raise InputError(f"the given minimiser's duality gap must be at most {GAP_ALLOWED * scale:g}, got {gap:g}")
        return Minimum(theta, self.risk(theta), gap)
