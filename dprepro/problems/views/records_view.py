"""The mean loss of listed records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dprepro.errors import Incompatible, InputError
from dprepro.problems.domain import Domain
from dprepro.problems.losses import DistanceLoss, MarginLoss
from dprepro.problems.minimise import (
    Pieces,
    duality_gap,
    minimise_norms,
    minimise_pieces,
    minimise_quadratic,
    minimise_smooth,
)
from dprepro.problems.moments import Moments
from dprepro.problems.point_forms import Minimum, Point
from dprepro.problems.problem_data import FloatArray, Records
from dprepro.problems.views.base import View, added, as_theta
from dprepro.problems.views.moments_view import MomentsView

GAP_TARGET = 1e-13  # of Newton's method, relative to how much the loss varies over the set
COLLINEAR = 1e-12  # relative to the longest record: what it may miss the line by
STEADY = 1e-4  # relative to the slope over the radius: what a second search adds where the first one ends early
PROXIMAL = 1e-10  # relative to the smoothness: keeps a step from running off where the risk is flat


@dataclass(frozen=True, eq=False)
class RiskAxis:
    """A risk that depends on <theta, unit> and on the distance from that line only.

    Attributes:
        unit: shape (p,), of norm 1.
        places: where on the axis the data are, shape (K,): <x, unit> of collinear records, the place of a single one,
            or of the mean record where the risk sees no more.
        labels, weights: of the places, shape (K,).
    """

    unit: FloatArray
    places: FloatArray
    labels: FloatArray
    weights: FloatArray


class RecordsView(View):
    """risk(theta) = sum_k weights_k phi(s_k; y_k), s_k = <x_k, theta> or ||theta - x_k||.

    Args:
        domain: the records are held against its bounds.
        records: the data.
        known: a minimiser that the caller knows, shape (p,); it is certified like a computed one.

    Raises:
        InputError: a record breaks its bounds.
    """

    sees_l1 = True

    def __init__(self, domain: Domain, records: Records, known: FloatArray | None = None) -> None:
        super().__init__(domain)
        domain.hold(records)
        self.records, self._known = records, known
        # the mean record is all that such a risk sees
        form = domain.loss.quadratic
        self._by_mean = form is not None and (isinstance(domain.loss, DistanceLoss) or form[0] == 0)

    def value(self, theta: Point) -> float:
        vector = as_theta(theta, self.domain.p)
        losses = self.domain.loss.value(self.arguments(vector), self.records.targets)
        return float(self.records.weights @ losses) + self._l1(vector)

    def gradient(self, theta: Point) -> FloatArray:
        vector = as_theta(theta, self.domain.p)
        if self._by_mean:
            return self.to_moments().gradient(vector)
        s = self.arguments(vector)
        slopes = self.records.weights * self.domain.loss.derivative(s, self.records.targets)
        if isinstance(self.domain.loss, MarginLoss):
            return slopes @ self.records.features
        return np.asarray(np.divide(slopes, s, out=np.zeros_like(s), where=s > 0) @ (vector - self.records.features))

    def record_gradient(self, theta: FloatArray, number: int) -> FloatArray:
        """A subgradient of the loss of one distinct record, shape (p,)."""
        loss, x, label = self.domain.loss, self.records.features[number], self.records.targets[number]
        if isinstance(loss, MarginLoss):
            return np.asarray(loss.derivative(x @ theta, label) * x)
        step = theta - x
        size = float(np.linalg.norm(step))
        return np.asarray(loss.derivative(size, label) / size * step) if size > 0 else step

    def arguments(self, theta: FloatArray) -> FloatArray:
        """s, shape (K,)."""
        if isinstance(self.domain.loss, MarginLoss):
            return self.records.features @ theta
        return np.asarray(np.linalg.norm(theta - self.records.features, axis=1))

    def excess(self, theta: Point) -> float:
        """<g*, d> + d^T G d for a quadratic risk: at least 0 up to the gap, so that small risks keep their digits."""
        if self._by_mean:
            return self.to_moments().excess(theta)
        if self.domain.loss.quadratic is None:
            return super().excess(theta)
        vector, at = as_theta(theta, self.domain.p), as_theta(self.minimum.theta, self.domain.p)
        step = vector - at
        form = self.domain.loss.quadratic[0] * float(self.records.weights @ (self.records.features @ step) ** 2)
        return float(self._gradient_at_minimum @ step) + form + self._l1(vector) - self._l1(at)

    def minimise(self, linear: FloatArray | float = 0.0, ridge: float = 0.0) -> Minimum:
        """Closed forms, active sets, Newton's method or a conic programme, as the loss and the set allow.

        Raises:
            DpreproError: the certificate exceeds what is allowed.
            InputError: a known minimiser does. Incompatible: a loss for which there is no method.
        """
        domain, pull = self.domain, np.zeros(self.domain.p) + linear
        known = self._known if not (pull.any() or ridge) else None
        theta, gap = self._minimiser(pull, ridge) if known is None else (known, self._gap_at(known))
        minimum = Minimum(theta, self.value(theta) + added(theta, pull, ridge), gap)
        return self._certified(minimum, domain.constraint_set.contains(theta), pull, ridge, known is not None)

    def _minimiser(self, pull: FloatArray, ridge: float) -> tuple[FloatArray, float]:
        """The minimiser with linear term ``pull``, and its gap."""
        loss, records, within, plain = self.domain.loss, self.records, self.domain.constraint_set, not pull.any()
        if loss.quadratic is not None:
            moments = self.coefficients if plain and not (ridge or self.weight) else self.to_moments().moments
            return minimise_quadratic(moments.plus(pull, ridge), within, self.weight)
        if self.weight:
            raise Incompatible(f"no minimiser is known for an l1 term beside {type(loss).__name__}")
        if isinstance(loss, DistanceLoss):
            if len(records.features) == 1 and plain and not ridge:
                theta = within.project(records.features[0])
                return theta, self._gap_at(theta)
            if loss.norms is not None and loss.norms[0] == 1:
                return self._over_norms(loss.norms[1], pull, ridge)
        elif loss.affine(records.targets) is not None:
            return self._over_pieces(pull, ridge)
        elif np.isfinite(loss.smoothness):
            return self._by_newton(pull, ridge)
        raise Incompatible(f"no certified minimiser is known for {type(loss).__name__}")

    def _by_newton(self, pull: FloatArray, ridge: float) -> tuple[FloatArray, float]:
        loss, x, y, w = self.domain.loss, self.records.features, self.records.targets, self.records.weights
        proximal = ridge + PROXIMAL * self.domain.smoothness

        def value(theta: FloatArray) -> float:
            return self.value(theta) + added(theta, pull, ridge)

        def gradient(theta: FloatArray) -> FloatArray:
            return self.gradient(theta) + pull + ridge * theta

        def model(theta: FloatArray) -> Moments:
            half = np.sqrt(0.5 * w * loss.second_derivative(x @ theta, y))[:, None] * x
            cross = (half @ theta) @ half + 0.5 * (proximal * theta - gradient(theta))
            return Moments(cross, ridge=0.5 * proximal, factor=half).formed()

        return minimise_smooth(value, gradient, model, self.domain.constraint_set, GAP_TARGET * self.domain.swing)

    def _over_pieces(self, pull: FloatArray, ridge: float) -> tuple[FloatArray, float]:
        """The gap by affine minorants of the records' losses, one convex combination of pieces each.

        They are valid whatever the solver's accuracy; how far they lie below the losses at theta is part of the gap.
        """
        records, within, loss = self.records, self.domain.constraint_set, self.domain.loss
        if within.p == 1 and not ridge:
            return self._on_a_line(pull), 0.0
        affine = loss.affine(records.targets)
        assert affine is not None
        pieces = Pieces(*affine, records.features, records.weights)
        theta, gap, steady = np.zeros(within.p), np.inf, STEADY * self.domain.lipschitz / within.radius
        # where the risk is flat the solver ends early; nearest to its answer a minimiser is found to more digits
        for more in (0.0, steady, steady):
            found, shares = minimise_pieces(pieces, within, pull - more * theta, ridge + more)
            s = self.arguments(found)
            slack = np.abs(loss.value(s, records.targets) - (shares * pieces.heights(s)).sum(axis=0))
            gradient = pieces.pull(shares) + pull + ridge * found
            reached = duality_gap(gradient, found, within) + float(records.weights @ slack)
            theta, gap = (found, reached) if reached < gap else (theta, gap)
            if gap <= self._allowed(pull, ridge):
                break
        return theta, gap

    def _over_norms(self, bend: float, pull: FloatArray, ridge: float) -> tuple[FloatArray, float]:
        """Minimiser and gap for a distance loss: a norm's minorant is <v, theta - x> with ||v|| <= 1."""
        records, within = self.records, self.domain.constraint_set
        theta, units = minimise_norms(bend, records, within, pull, ridge)
        steps = theta - records.features
        slack = float(records.weights @ np.abs(np.linalg.norm(steps, axis=1) - np.sum(units * steps, axis=1)))
        gradient = records.weights @ (units + bend * steps) + pull + ridge * theta
        return theta, duality_gap(gradient, theta, within) + slack

    def _on_a_line(self, pull: FloatArray) -> FloatArray:
        """The first kink from which the risk does not fall."""
        low, high = 0, self.kinks.size - 1
        while low < high:
            middle = (low + high) // 2
            between = 0.5 * (self.kinks[middle : middle + 1] + self.kinks[middle + 1])
            falls = (self.gradient(between) + pull)[0] < 0
            low, high = (middle + 1, high) if falls else (low, middle)
        return self.kinks[low : low + 1]

    def _gap_at(self, theta: FloatArray) -> float:
        """The duality gap of any theta, by the least subgradient that the kinks there allow."""
        loss, records, within, slack = self.domain.loss, self.records, self.domain.constraint_set, 0.0
        gradient, s = self.gradient(theta), self.arguments(theta)
        if isinstance(loss, DistanceLoss):  # at a tip the subgradients are a ball
            room = float(records.weights[s == 0].sum() * loss.derivative(1e-300, 1.0))
            size = float(np.linalg.norm(gradient))
            gradient = gradient * max(0.0, 1.0 - room / size) if size > 0 else gradient
        elif not np.isfinite(loss.smoothness):  # at a kink they are a segment
            (low, low_slack), (high, high_slack) = (loss.beside(s, records.targets, side) for side in (-1, 1))
            on = high > low
            if on.any():
                from scipy.optimize import lsq_linear

                w, x = records.weights[on], records.features[on]
                gradient += (w * (low - loss.derivative(s, records.targets))[on]) @ x
                pulls = (w * (high - low)[on])[:, None] * x
                part = lsq_linear(pulls.T, -gradient, bounds=(0.0, 1.0), tol=1e-14).x.clip(0.0, 1.0)
                gradient += part @ pulls
                slack = float(w @ (low_slack[on] + part * (high_slack - low_slack)[on]))
        return duality_gap(gradient, theta, within, self.weight) + slack

    @cached_property
    def kinks(self) -> FloatArray:
        """In one dimension, where the risk is piecewise affine: the set's ends and all kinks between them, ascending.

        Raises:
            Incompatible: another dimension, or a loss that is not piecewise affine.
        """
        pieces = self.domain.loss.affine(self.records.targets)
        if self.domain.p != 1 or pieces is None:
            raise Incompatible("only a one-dimensional risk of affine pieces has kinks")
        slopes, offsets = pieces
        low, high = (side * self.domain.constraint_set.support(np.array([side])) for side in (-1.0, 1.0))
        places = [np.array([low, high])]
        for i in range(len(slopes)):
            for j in range(i):
                turn = (slopes[i] - slopes[j]) * self.records.features[:, 0]
                seen = turn != 0
                places.append(np.clip((offsets[j] - offsets[i])[seen] / turn[seen], low, high))
        return np.unique(np.concatenate(places))

    @cached_property
    def mean_record(self) -> FloatArray:
        """(1/n) sum of all features, shape (p,)."""
        return np.asarray(self.records.weights @ self.records.features)

    @cached_property
    def axis(self) -> RiskAxis:
        """The line about which the risk is symmetric.

        Raises:
            Incompatible: there is none.
        """
        features, labels, weights = self.records.features, self.records.targets, self.records.weights
        if self._by_mean:
            features, labels, weights = self.mean_record[None, :], np.ones(1), np.ones(1)
        longest = features[int(np.argmax(np.linalg.norm(features, axis=1)))]
        size = float(np.linalg.norm(longest))
        unit = longest / size if size > 0 else np.eye(1, self.domain.p)[0]
        places = features @ unit
        if len(features) > 1 and not (
            isinstance(self.domain.loss, MarginLoss)
            and np.abs(features - places[:, None] * unit).max() <= COLLINEAR * size
        ):
            raise Incompatible("the records do not lie on one line through zero")
        return RiskAxis(unit, places, labels, weights)

    def to_moments(self) -> MomentsView:
        """The coefficients of the risk, for a quadratic loss; raises InputError for another."""
        return self._moments

    def over(self, domain: Domain) -> RecordsView:
        """The same records on another set."""
        return RecordsView(domain, self.records)

    @cached_property
    def coefficients(self) -> Moments:
        """Of a quadratic loss, with the records in G: phi = a s^2 + phi'(0; y) s + phi(0; y), or a ||theta - x||^2."""
        loss, x, y, w = self.domain.loss, self.records.features, self.records.targets, self.records.weights
        form = loss.quadratic
        if form is None:
            raise InputError(f"{type(loss).__name__} has no moments: it is not quadratic")
        if isinstance(loss, DistanceLoss):
            return Moments(form[0] * self.mean_record, form[0] * float(w @ np.sum(x**2, axis=1)), ridge=form[0])
        zero, factor = np.zeros(1), np.sqrt(form[0] * w)[:, None] * x if form[0] > 0 else None
        return Moments(-0.5 * (w * loss.derivative(zero, y)) @ x, float(w @ loss.value(zero, y)), factor=factor)

    @cached_property
    def _moments(self) -> MomentsView:
        return MomentsView(self.domain, self.coefficients.formed(), self._known)
