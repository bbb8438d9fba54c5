"""The mean loss of one-hot records, held as weights by coordinate and label: n and p cost nothing."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from dprepro.errors import InputError
from dprepro.problems.domain import BOUND_SLACK, Domain
from dprepro.problems.losses import MarginLoss
from dprepro.problems.minimise import duality_gap
from dprepro.problems.moments import Moments
from dprepro.problems.point_forms import Minimum, Point
from dprepro.problems.problem_data import FloatArray, Records
from dprepro.problems.sets import Box, L2Ball
from dprepro.problems.support_answers import IntArray
from dprepro.problems.views.base import View, added, as_theta

BISECTIONS = 100
HALVINGS = 64  # of twice the ball's diameter, by coordinate: 2e-19 of the radius


class OneHotView(View):
    """Records (X e_j, +a_j) of weight plus_j and (X e_j, -a_j) of weight minus_j; all others are x = 0.

    It serves as a data set, the weights being numbers of records over n, and as a population, where they are
    probabilities. The mean loss leaves out the part of x = 0, which no theta changes.

    Arrays list the m "touched" coordinates, the first m of p; the other p - m are zero in every record. A theta may
    have shape (p,) or (m,).

    Args:
        domain: of a margin loss over an l2 ball or a box; X is its feature bound.
        label: a_j >= 0, shape (m,). plus, minus: not negative, shape (m,), of sum at most 1.
        tail: number of coordinates, the last ones, that appear exactly as often in every sample (a fixed design); their
            labels are zero and their weights equal.
        known: a minimiser that the caller knows, shape (m,); it is certified like a computed one.

    Raises:
        InputError: shapes or values outside these ranges, or another kind of loss or set.
    """

    def __init__(
        self,
        domain: Domain,
        label: FloatArray,
        plus: FloatArray,
        minus: FloatArray,
        tail: int = 0,
        known: FloatArray | None = None,
    ) -> None:
        super().__init__(domain)
        if not isinstance(domain.loss, MarginLoss) or not isinstance(domain.constraint_set, L2Ball | Box):
            raise InputError("one-hot records need a loss of <x, theta> over an l2 ball or a box")
        size, total = label.size, float(plus.sum() + minus.sum())
        if not 1 <= size <= domain.p or plus.shape != (size,) or minus.shape != (size,):
            raise InputError(f"label, plus and minus must share a length of at most p={domain.p}, got {size}")
        if not (min(plus.min(), minus.min()) >= 0 and total <= 1 + BOUND_SLACK):
            raise InputError(f"weights must be at least 0 and sum to at most 1, got {total:g}")
        if not (label.min() >= 0 and label.max() <= domain.label_bound * (1 + BOUND_SLACK)):
            raise InputError(f"labels must lie in [0, {domain.label_bound:g}], got one of {label.max():g}")
        if tail and label[size - tail :].any():
            raise InputError("the coordinates of the tail must have label 0")
        self.label, self.plus, self.minus, self.tail, self._known = label, plus, minus, tail, known

    @property
    def touched(self) -> int:
        """m, the number of coordinates that occur in records."""
        return self.label.size

    @property
    def feature(self) -> float:
        """X."""
        return self.domain.feature_bound

    @cached_property
    def share(self) -> FloatArray:
        """Weight of all records of a coordinate, shape (m,)."""
        return self.plus + self.minus

    @cached_property
    def lean(self) -> FloatArray:
        """Mean label of a coordinate times its weight, shape (m,)."""
        return (self.plus - self.minus) * self.label

    @cached_property
    def hessian(self) -> FloatArray:
        """The diagonal of the Hessian of a quadratic risk on the touched coordinates, shape (m,)."""
        if self.domain.loss.quadratic is None:
            raise InputError(f"{type(self.domain.loss).__name__} is not quadratic")
        return 2 * self.domain.loss.quadratic[0] * self.feature**2 * self.share

    @cached_property
    def linear(self) -> FloatArray:
        """The linear term of the risk, with gradient(theta) = hessian theta - linear, shape (m,)."""
        return -self._slopes(np.zeros(self.touched))

    @property
    def start(self) -> FloatArray:
        return np.zeros(self.touched)

    def value(self, theta: Point) -> float:
        return float(np.sum(self._losses(self._array(theta))))

    def gradient(self, theta: Point) -> FloatArray:
        """Shape (m,) or (p,) as theta."""
        result = np.zeros(as_theta(theta, self.touched, self.domain.p).size)
        result[: self.touched] = self._slopes(self._array(theta))
        return result

    def excess(self, theta: Point) -> float:
        """Coordinate by coordinate; exact to rounding for a quadratic loss."""
        w, best = self._array(theta), self._array(self.minimum.theta)
        if self.domain.loss.quadratic is not None:
            step = w - best
            return float(self._gradient_at_minimum[: self.touched] @ step + 0.5 * self.hessian @ step**2)
        return float(np.sum(self._losses(w) - self._losses(best)))

    def minimise(self, linear: FloatArray | float = 0.0, ridge: float = 0.0) -> Minimum:
        """Coordinates are independent, in a ball given its multiplier, which is found by bisection.

        ``linear`` has shape (p,), or is 0; theta then has shape (p,), or (m,).
        """
        pull = np.zeros(self.touched) if np.ndim(linear) == 0 else np.asarray(linear)
        within = self.domain.constraint_set
        known = self._known if not (pull.any() or ridge) else None
        theta, level = self._minimiser(pull, ridge, within.radius) if known is None else (known, 0.0)
        gap = self._gap(theta, pull, ridge, level)
        order = np.inf if isinstance(within, Box) else 2
        inside = bool(np.linalg.norm(theta, order) <= within.radius * (1 + BOUND_SLACK))
        minimum = Minimum(theta, self.value(theta) + added(theta, pull, ridge), gap)
        return self._certified(minimum, inside, pull, ridge, known is not None)

    @cached_property
    def gains(self) -> FloatArray:
        """What each coordinate saves of the mean loss at zero, shape (m,); of a sum of independent ones, in a box."""
        best = self._array(self.minimum.theta)
        return self._losses(np.zeros(self.touched)) - self._losses(best)

    def on_support(self, support: IntArray) -> FloatArray:
        """The best point that is zero outside these coordinates, shape (m,)."""
        theta, seen = np.zeros(self.touched), support[support < self.touched]
        if isinstance(self.domain.constraint_set, Box):
            theta[seen] = self._array(self.minimum.theta)[seen]
        elif seen.size:
            part = OneHotView(self.domain.section(seen.size), self.label[seen], self.plus[seen], self.minus[seen])
            theta[seen] = part._array(part.minimum.theta)
        return theta

    def to_moments(self) -> Moments:
        """The coefficients of a quadratic risk, with all p coordinates listed; G is diagonal."""
        cross, ridge = np.zeros(self.domain.p), np.zeros(self.domain.p)
        cross[: self.touched], ridge[: self.touched] = 0.5 * self.linear, 0.5 * self.hessian
        return Moments(cross, self.value(np.zeros(self.touched)), ridge=ridge)

    def to_records(self) -> Records:
        """The distinct records with their numbers of copies, x = 0 among them."""
        return self.embedded(np.eye(self.domain.p, self.touched))

    def embedded(self, columns: FloatArray) -> Records:
        """The distinct records with the features X columns_j in place of X e_j; columns has shape (k, m)."""
        plain = self.label == 0
        plus, minus = np.where(plain, self.share, self.plus), np.where(plain, 0.0, self.minus)
        counts = self.domain.n * np.concatenate([plus, minus, [max(0.0, 1.0 - float(self.share.sum()))]])
        whole = np.rint(counts)  # as those of a sample are; those of a population need not be
        counts = np.where(np.abs(counts - whole) <= 1e-12 * self.domain.n, whole, counts)
        labels = np.concatenate([self.label, -self.label, [0.0]])
        features = self.feature * np.vstack([columns.T, columns.T, np.zeros((1, len(columns)))])
        kept = counts > 0
        return Records(features[kept], labels[kept], counts[kept])

    def _losses(self, w: FloatArray) -> FloatArray:
        loss, z = self.domain.loss, self.feature * w
        return np.asarray(self.plus * loss.value(z, self.label) + self.minus * loss.value(z, -self.label))

    def _slopes(self, w: FloatArray) -> FloatArray:
        loss, z = self.domain.loss, self.feature * w
        mean = self.plus * loss.derivative(z, self.label) + self.minus * loss.derivative(z, -self.label)
        return np.asarray(self.feature * mean)

    def _minimiser(self, pull: FloatArray, ridge: float, radius: float) -> tuple[FloatArray, float]:
        """The minimiser, and the multiplier of the ball."""
        theta = self._unconstrained(pull, ridge, radius)
        if isinstance(self.domain.constraint_set, Box):
            return np.clip(theta, -radius, radius), 0.0
        if np.linalg.norm(theta) <= radius:
            return theta, 0.0
        low, high = ridge, max(2 * ridge, 1e-12)
        while np.linalg.norm(self._unconstrained(pull, high, radius)) > radius:
            low, high = high, 2 * high
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            if not low < middle < high:  # neighbouring numbers: nothing changes any more
                break
            inside = np.linalg.norm(self._unconstrained(pull, middle, radius)) <= radius
            low, high = (low, middle) if inside else (middle, high)
        return self._unconstrained(pull, high, radius), high - ridge

    def _unconstrained(self, pull: FloatArray, weight: float, radius: float) -> FloatArray:
        """argmin of the mean loss + pull w + weight/2 w^2, by coordinate; what is far outside the ball is cut off."""
        m, end = self.touched, 2 * radius
        if self.domain.loss.quadratic is not None:
            hessian, linear = np.full(pull.size, weight), -pull
            hessian[:m] += self.hessian
            linear[:m] += self.linear
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.clip(np.where(linear == 0, 0.0, linear / hessian), -end, end)
        # a slope that rises with w: zero where bisection says
        low, high = np.full(m, -end), np.full(m, end)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            rises = pull[:m] + weight * middle + self._slopes(middle) > 0
            low, high = np.where(rises, low, middle), np.where(rises, middle, high)
        # where the loss is flat (no record, or all labels beyond reach) zero is as good and shorter
        flat = pull[:m] + self._slopes(np.zeros(m)) == 0
        with np.errstate(divide="ignore", invalid="ignore"):
            idle = np.where(pull[m:] == 0, 0.0, np.clip(-pull[m:] / weight, -end, end)) if pull.size > m else pull[m:]
        return np.concatenate([np.where(flat, 0.0, (low + high) / 2), idle])

    def _gap(self, theta: FloatArray, pull: FloatArray, ridge: float, level: float) -> float:
        """By the subgradient nearest to -level theta that the kinks there allow, and what its tangents cost there."""
        loss, m, slack = self.domain.loss, self.touched, 0.0
        z = self.feature * theta[:m]
        gradient = pull + ridge * theta
        if np.isfinite(loss.smoothness):
            gradient[:m] += self._slopes(theta[:m])
        else:
            weights, labels = np.stack([self.plus, self.minus]), np.stack([self.label, -self.label])
            (low, low_slack), (high, high_slack) = (loss.beside(z, labels, side) for side in (-1, 1))
            down, up = (self.feature * (weights * vector).sum(axis=0) for vector in (low, high))
            wanted = -level * theta[:m] - gradient[:m]
            part = np.divide(wanted - down, up - down, out=np.zeros(m), where=up > down).clip(0.0, 1.0)
            gradient[:m] += down + part * (up - down)
            slack = float(np.sum(weights * (low_slack + part * (high_slack - low_slack))))
        return duality_gap(gradient, theta, self.domain.constraint_set) + slack

    def _array(self, theta: Point) -> FloatArray:
        return as_theta(theta, self.touched, self.domain.p)[: self.touched]


def sampled(population: OneHotView, rng: np.random.Generator) -> OneHotView:
    """n records drawn independently from a population, as their sufficient statistics: multinomial and binomial."""
    domain, free = population.domain, population.touched - population.tail
    fixed = 0.5 * domain.n * population.share[free:]
    share = population.share[:free]
    rest = max(0.0, 1 - float(population.share[free:].sum()))
    chances = share / rest if rest > 0 else np.zeros(free)
    chances = np.append(chances, max(0.0, 1 - chances.sum()))
    counts = rng.multinomial(round(domain.n * rest), chances / chances.sum())[:-1]
    bias = np.divide(population.plus[:free], share, out=np.full(free, 0.5), where=share > 0)
    positive = rng.binomial(counts, np.minimum(bias, 1.0))
    plus, minus = (np.concatenate([vector, fixed]) / domain.n for vector in (positive, counts - positive))
    return OneHotView(domain, population.label, plus, minus, population.tail)
