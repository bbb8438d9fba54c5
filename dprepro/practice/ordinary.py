"""Ordinary data, three kinds of them side by side: risks, gradients, projections and minima of many points at once.

Arrays of points have the shape (kinds, draws, p). All that is random here has fixed seeds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from dprepro.budget import Budget
from dprepro.constructions import RandomDesign
from dprepro.problems import Box, ConstraintSet, Domain, L1Ball, L2Ball, Loss, Simplex
from dprepro.problems.losses import DistanceLoss
from dprepro.problems.problem_data import FloatArray
from dprepro.support import typed

FAMILIES = ("iid", "correlated", "noise")
"""Ordinary data whose risks are predicted; in the last kind labels do not depend on the features."""

SETS = {"l1": "l1_ball", "l2": "l2_ball", "simplex": "simplex", "box": "box"}
"""Words for constraint sets, with those of a configuration."""

ROWS = 500
"""Distinct records of each, repeated up to n."""

WIDTHS = (0.1, 0.03, 0.01, 3e-3, 1e-3)
"""Within which kinks are rounded, one after the other, until a minimum is found."""

SETTLING = 160
"""Accelerated steps, at most; see `effort`."""

SETTLED = 1e-10
"""Of the radius, or of 1, which features are of: a step that is shorter ends a search for a minimum."""


def effort(count: int, p: int, least: int) -> int:
    """So many steps up to 200 coordinates, and of more as many fewer, but not below ``least``: counts, no clock."""
    return max(least, count if p <= 200 else round(count * 200 / p))


@dataclass(frozen=True)
class AdviceQuestion:
    """What is asked for: n, p, the budget, and what losses and parameters are like.

    Features and labels lie in [-1, 1].
    """

    n: float
    p: float
    budget: Budget
    loss: str
    constraint_set: str
    radius: float

    @property
    def rows(self) -> int:
        """How many distinct records the ordinary data have."""
        return int(max(2, min(ROWS, self.n)))

    @property
    def point(self) -> dict[str, float]:
        """The grid point; n is a multiple of the rows that are repeated."""
        n = float(self.rows * max(1, round(self.n / self.rows)))
        return {"n": n, "p": self.p, "epsilon": self.budget.epsilon, "delta": self.budget.delta, "norm": 1.0}

    @property
    def domain(self) -> Domain:
        """What is public."""
        return self.family(FAMILIES[0]).domain(self.point)

    def family(self, kind: str) -> RandomDesign:
        """Ordinary data of one kind."""
        block = {"kind": kind, "rows": self.rows, "loss": self.loss, "constraint_set": self.constraint_set}
        return typed.build(RandomDesign, {**block, "radius": self.radius}, "advise")


@dataclass(frozen=True, eq=False)
class Ordinary:
    """The mean losses of the kinds of data over one set.

    Attributes:
        loss, within: of one record, and the set.
        features, labels: shapes (kinds, rows, p) and (kinds, rows).
    """

    loss: Loss
    within: ConstraintSet
    features: FloatArray
    labels: FloatArray

    @property
    def kinds(self) -> int:
        """How many kinds of data there are."""
        return len(self.features)

    @cached_property
    def _across(self) -> FloatArray:
        return self.features.transpose(0, 2, 1)

    @cached_property
    def _lengths(self) -> FloatArray:
        return np.asarray(np.sum(self.features**2, axis=2)[:, None, :])

    @cached_property
    def quadratic(self) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """(A, b, c) with the risk theta^T A theta - <b, theta> + c where it is one and p is not above the rows."""
        form, (_, rows, p) = self.loss.quadratic, self.features.shape
        if form is None or p > rows:
            return None
        if isinstance(self.loss, DistanceLoss):
            mean = self.features.mean(axis=1)[:, None, :]
            return form[0] * np.eye(p)[None], 2 * form[0] * mean, form[0] * self._lengths.mean(axis=2)
        gram = self._across @ self.features / rows
        if not form[0]:
            return 0 * gram, self.features.mean(axis=1)[:, None, :], np.zeros((self.kinds, 1))
        cross = (self.labels[:, None, :] @ self.features) / rows
        return form[0] * gram, form[1] * cross, form[2] * np.mean(self.labels**2, axis=1)[:, None]

    def _arguments(self, theta: FloatArray) -> FloatArray:
        """What the loss sees of each record, shape (kinds, draws, rows)."""
        along: FloatArray = theta @ self._across
        if not isinstance(self.loss, DistanceLoss):
            return along
        squares = np.sum(theta**2, axis=2, keepdims=True) - 2 * along + self._lengths
        return np.asarray(np.sqrt(np.maximum(0.0, squares)))

    def value(self, theta: FloatArray) -> FloatArray:
        """Mean losses, shape (kinds, draws)."""
        if self.quadratic is not None:
            a, b, c = self.quadratic
            return np.asarray(np.sum((theta @ a - b) * theta, axis=2) + c)
        return np.asarray(self.loss.value(self._arguments(theta), self.labels[:, None, :]).mean(axis=2))

    def gradient(self, theta: FloatArray, width: float = 0.0) -> FloatArray:
        """Of the mean losses, shape as theta; with a width, of losses that are averaged over twice as much."""
        if self.quadratic is not None:
            a, b, _ = self.quadratic
            return np.asarray(2 * (theta @ a) - b)
        s, y, rows = self._arguments(theta), self.labels[:, None, :], self.features.shape[1]
        if isinstance(self.loss, DistanceLoss):
            pull = self.loss.derivative(s, y) / np.maximum(s, max(width, 1e-12))
            return np.asarray((pull.sum(axis=2, keepdims=True) * theta - pull @ self.features) / rows)
        slope = self.loss.derivative(s, y)
        if width:
            slope = (self.loss.value(s + width, y) - self.loss.value(s - width, y)) / (2 * width)
        return np.asarray(slope @ self.features / rows)

    def hessian(self, theta: FloatArray, width: float = 0.0) -> FloatArray:
        """At one point of each kind, shape (kinds, 1, p): (kinds, p, p)."""
        if self.quadratic is not None:
            return 2 * self.quadratic[0] + np.zeros((self.kinds, 1, 1))
        rows, p = self.features.shape[1:]
        s, y = self._arguments(theta), self.labels[:, None, :]
        if isinstance(self.loss, DistanceLoss):
            s = np.maximum(s, max(width, 1e-6))
            around = self.loss.derivative(s, y) / s
            apart = (theta - self.features) / s.transpose(0, 2, 1)
            along = (self.loss.second_derivative(s, y) - around).transpose(0, 2, 1) * apart
            return np.asarray(around.mean(axis=2)[:, :, None] * np.eye(p) + apart.transpose(0, 2, 1) @ along / rows)
        return np.asarray((self._across * self._bends(theta, width)) @ self.features / rows)

    def newton(self, theta: FloatArray, shares: FloatArray, ridge: float) -> FloatArray:
        """(H + ridge I)^-1 of weighted sums of the records' gradients at a point of each kind, for losses of margins.

        Args:
            theta: shape (kinds, 1, p). shares: of the records, shape (draws, rows).
        """
        rows, p = self.features.shape[1:]
        pull = shares[None] * self.loss.derivative(theta @ self._across, self.labels[:, None, :])
        if p <= rows or isinstance(self.loss, DistanceLoss):
            bend = self.hessian(theta) + ridge * np.eye(p)
            return np.asarray(np.linalg.solve(bend, (pull @ self.features).transpose(0, 2, 1)).transpose(0, 2, 1))
        # (X^T B X + r I)^-1 X^T = X^T (B X X^T + r I)^-1
        bend = self._bends(theta).transpose(0, 2, 1) / rows * self._grams + ridge * np.eye(rows)
        return np.asarray(np.linalg.solve(bend, pull.transpose(0, 2, 1)).transpose(0, 2, 1) @ self.features)

    @cached_property
    def _grams(self) -> FloatArray:
        return self.features @ self._across

    def _bends(self, theta: FloatArray, width: float = 0.0) -> FloatArray:
        """Second derivatives of the losses of margins at one point of each kind, shape (kinds, 1, rows)."""
        s, y, step = self._arguments(theta), self.labels[:, None, :], width or 1e-5
        return np.asarray((self.loss.derivative(s + step, y) - self.loss.derivative(s - step, y)) / (2 * step))

    @cached_property
    def largest_gram(self) -> FloatArray:
        """Of each kind no less than the largest eigenvalue of X^T X/rows, shape (kinds, 1, 1), by the power method."""
        v = np.random.default_rng(7).standard_normal((self.kinds, 1, self.features.shape[2]))
        for _ in range(30):
            v = v / np.linalg.norm(v, axis=2, keepdims=True)
            v = (v @ self._across) @ self.features / self.features.shape[1]
        return np.asarray(1.1 * np.linalg.norm(v, axis=2, keepdims=True))

    def bend(self, width: float = 0.0) -> FloatArray:
        """A bound on the curvature of the risks, rounded within a width, shape (kinds, 1, 1)."""
        smooth = self.loss.smoothness if math.isfinite(self.loss.smoothness) else 1.0 / max(width, 1e-9)
        if isinstance(self.loss, DistanceLoss):
            return np.full((self.kinds, 1, 1), smooth)
        return smooth * self.largest_gram

    def project(self, theta: FloatArray) -> FloatArray:
        """Onto the set, point by point."""
        radius = self.within.radius
        if isinstance(self.within, L2Ball):
            size = np.sqrt(np.sum(theta**2, axis=-1, keepdims=True))
            return np.asarray(theta * np.minimum(1.0, radius / np.maximum(size, 1e-300)))
        if isinstance(self.within, Box):
            return np.clip(theta, -radius, radius)
        if isinstance(self.within, Simplex):
            return _onto_simplex(theta, radius)
        assert isinstance(self.within, L1Ball)
        size = np.abs(theta)
        outside = size.sum(axis=-1, keepdims=True) > radius
        if not outside.any():
            return theta
        return np.where(outside, np.copysign(_onto_simplex(size, radius), theta), theta)

    def toward(self, slope: FloatArray) -> FloatArray:
        """The point of the set where a linear function is least, point by point."""
        radius = self.within.radius
        if isinstance(self.within, L2Ball):
            size = np.sqrt(np.sum(slope**2, axis=-1, keepdims=True))
            return np.asarray(-radius * slope / np.maximum(size, 1e-300))
        if isinstance(self.within, Box):
            return np.where(slope > 0, -radius, radius)
        best = np.argmin(slope if isinstance(self.within, Simplex) else -np.abs(slope), axis=-1)[..., None]
        found = np.zeros_like(slope)
        sign = 1.0 if isinstance(self.within, Simplex) else -np.sign(np.take_along_axis(slope, best, axis=-1))
        np.put_along_axis(found, best, radius * sign, axis=-1)
        return found

    def minimise(
        self, start: FloatArray, ridge: float = 0.0, tilt: FloatArray | float = 0.0, steps: int = SETTLING
    ) -> FloatArray:
        """Of risk + <tilt, theta> + ridge/2 ||theta||^2 over the set, from a point, by accelerated steps.

        Kinks are rounded, within less and less.
        """
        rounded = () if math.isfinite(self.loss.smoothness) else WIDTHS
        for width in rounded or (0.0,):
            start = self._settled(start, ridge, tilt, steps, width)
        return start

    def _settled(
        self, theta: FloatArray, ridge: float, tilt: FloatArray | float, steps: int, width: float
    ) -> FloatArray:
        bend = self.bend(width) + ridge
        if not np.all(bend > 0):  # linear
            return self.toward(self.gradient(theta) + tilt)
        return accelerated(
            lambda ahead: (self.gradient(ahead, width) + tilt + ridge * ahead) / bend, self.project, theta,
            effort(steps, self.within.p, steps // 6), self.within.radius,
        )  # fmt: skip

    @cached_property
    def start(self) -> FloatArray:
        """The answer that looks at no data, shape (kinds, 1, p)."""
        return np.tile(self.within.start(), (self.kinds, 1, 1))

    @cached_property
    def best(self) -> FloatArray:
        """The minimiser, shape (kinds, 1, p)."""
        return self.minimise(self.start, steps=3 * SETTLING)

    @cached_property
    def spectrum(self) -> tuple[FloatArray, FloatArray]:
        """Eigenvalues of the minimiser's Hessian, shape (kinds, 1, min(p, rows)), and eigenvectors (kinds, p, .)."""
        rows, p = self.features.shape[1:]
        if p > rows and not isinstance(self.loss, DistanceLoss):  # those of a matrix of the rows, and their images
            root = np.sqrt(np.maximum(0.0, self._bends(self.best)) / rows)
            low = root.transpose(0, 2, 1) * self.features
            values, vectors = np.linalg.eigh(root * self._grams * root.transpose(0, 2, 1))
            values = np.maximum(values, 1e-12 * values[:, -1:] + 1e-300)
            return values[:, None, :], low.transpose(0, 2, 1) @ (vectors / np.sqrt(values)[:, None, :])
        values, vectors = np.linalg.eigh(self.hessian(self.best))
        return np.maximum(values, 0.0)[:, None, :], vectors

    def damped(self, v: FloatArray, length: float) -> FloatArray:
        """(I + length H)^-1 v with the Hessian H at the minimiser, for points of the shape (kinds, draws, p)."""
        values, vectors = self.spectrum
        across = vectors.transpose(0, 2, 1)
        if values.shape[2] == v.shape[2]:
            return np.asarray((v @ vectors / (1 + length * values)) @ across)
        return np.asarray(v - (v @ vectors * (length * values / (1 + length * values))) @ across)

    @cached_property
    def least(self) -> FloatArray:
        """The minimum of the risk, shape (kinds, 1)."""
        return self.value(self.best)

    @cached_property
    def resolution(self) -> float:
        """By how much the minimum may be missed: the duality gap, and what rounded kinks add there."""
        width = 0.0 if math.isfinite(self.loss.smoothness) else WIDTHS[-1]
        slope, added = self.gradient(self.best, width), 0.0
        if width:
            s, y = self._arguments(self.best), self.labels[:, None, :]
            around = (self.loss.value(s + width, y) + self.loss.value(s - width, y)) / 2 - self.loss.value(s, y)
            added = float(around.mean(axis=2).max())
        return float(np.max(np.sum(slope * (self.best - self.toward(slope)), axis=2), initial=0.0)) + added

    def excess(self, theta: FloatArray) -> FloatArray:
        """Excess risks, shape (kinds, draws)."""
        return np.maximum(0.0, self.value(theta) - self.least)

    def mean_excess(self, theta: FloatArray) -> FloatArray:
        """Mean excess risks over the draws, shape (kinds,)."""
        return np.asarray(self.excess(theta).mean(axis=1))

    @cached_property
    def trivial(self) -> FloatArray:
        """Excess risk of the answer that looks at no data, shape (kinds,)."""
        return self.excess(self.start)[:, 0]

    def over(self, within: ConstraintSet) -> Ordinary:
        """The same data over another set."""
        found = replace(self, within=within)
        found.__dict__.update({name: getattr(self, name) for name in ("_across", "largest_gram", "quadratic")})
        return found

    def implicit(self, length: float, phi: FloatArray | None = None) -> Callable[[FloatArray], FloatArray]:
        """v to (I + length H)^-1 v with the Hessian H at the minimiser, for points of the shape (kinds, draws, p).

        Args:
            phi: maps, shape (draws, inner, p), of which phi H phi^T stands in the place of H; then points have the
                shape (kinds, draws, 1, inner).
        """
        rows, p = self.features.shape[1:]
        if p > rows and not isinstance(self.loss, DistanceLoss):  # Woodbury: H has the rank of the rows
            root = np.sqrt(np.maximum(0.0, self._bends(self.best)) / rows)
            low = self.features
            if phi is not None:
                low, root = low[:, None] @ phi.transpose(0, 2, 1), root[:, None]
            back, across = np.swapaxes(low, -1, -2), np.swapaxes(root, -1, -2)
            gram = self._grams if phi is None else low @ back
            inner = length * across * np.linalg.inv(np.eye(rows) + length * across * gram * root) * root
            return lambda v: np.asarray(v - v @ back @ inner @ low)
        hessian = self.hessian(self.best)
        hessian = hessian if phi is None else phi @ hessian[:, None] @ phi.transpose(0, 2, 1)
        inverse = np.linalg.inv(np.eye(hessian.shape[-1]) + length * hessian)
        return lambda v: np.asarray(v @ inverse)


@lru_cache(maxsize=8)
def ordinary(loss: str, constraint_set: str, radius: float, p: float, rows: int) -> Ordinary:
    """The ordinary data of all kinds."""
    made = [
        typed.build(
            RandomDesign,
            {"kind": kind, "rows": rows, "loss": loss, "constraint_set": constraint_set, "radius": radius},
            "advise",
        )
        for kind in FAMILIES
    ]
    domain = made[0].domain({"n": float(rows), "p": p})
    features, labels = zip(*(design.base_records(int(p)) for design in made), strict=True)
    return Ordinary(domain.loss, domain.constraint_set, np.stack(features), np.stack(labels))


def of(asked: AdviceQuestion) -> Ordinary:
    """The ordinary data that belong to a question."""
    return ordinary(asked.loss, asked.constraint_set, asked.radius, asked.p, asked.rows)


def accelerated(
    step: Callable[[FloatArray], FloatArray],
    project: Callable[[FloatArray], FloatArray],
    theta: FloatArray,
    steps: int,
    radius: float,
) -> FloatArray:
    """Accelerated projected descent from theta, of several points along the last axis: ``step`` is what is taken off.

    Where a point turns back its momentum begins anew.
    """
    ahead, pace = theta, np.ones((*theta.shape[:-1], 1))
    for _ in range(steps):
        after = project(ahead - step(ahead))
        moved = after - theta
        back = np.sum((ahead - after) * moved, axis=-1, keepdims=True) > 0
        pace = np.where(back, 1.0, pace)
        faster = 0.5 * (1 + np.sqrt(1 + 4 * pace**2))
        ahead = after + np.where(back, 0.0, (pace - 1) / faster) * moved
        theta, pace = after, faster
        if float(np.abs(moved).max()) < SETTLED * min(1.0, radius):
            break
    return theta


def _onto_simplex(theta: FloatArray, radius: float) -> FloatArray:
    """Euclidean projection of each point on {s >= 0, sum s = radius}."""
    descending = -np.sort(-theta, axis=-1)
    levels = (np.cumsum(descending, axis=-1) - radius) / np.arange(1, theta.shape[-1] + 1)
    highest = levels.max(axis=-1, keepdims=True)  # means rise while what is added lies above them
    return np.asarray(np.maximum(theta - highest, 0.0))


def directions(p: int, draws: int) -> FloatArray:
    """Unit vectors, shape (draws, p), an even number: orthonormal bases and their mirror images.

    Over whole bases the mean of any quadratic form is its trace over p, exactly.
    """
    rng, found, left = np.random.default_rng(11), [], draws // 2
    while left > 0:
        basis = np.linalg.qr(rng.standard_normal((p, min(p, left))))[0].T
        found.append(basis)
        left -= len(basis)
    half = np.concatenate(found)
    return np.concatenate([half, -half])


def normal_lengths(p: int, count: int) -> FloatArray:
    """Norms of standard normal vectors at equally likely levels, their squares being p in the mean."""
    from scipy.special import gammaincinv

    levels = (np.arange(count) + 0.5) / count
    lengths = np.sqrt(2 * gammaincinv(p / 2, levels))
    return np.asarray(lengths * math.sqrt(p / np.mean(lengths**2)))


def gamma_lengths(p: int, count: int) -> FloatArray:
    """Norms of vectors of density exp(-||b||) at equally likely levels, their squares being p (p + 1) in the mean."""
    from scipy.special import gammaincinv

    lengths = gammaincinv(float(p), (np.arange(count) + 0.5) / count)
    return np.asarray(lengths * math.sqrt(p * (p + 1) / np.mean(lengths**2)))


def noises(p: int, draws: int, lengths: Callable[[int, int], FloatArray] = normal_lengths) -> FloatArray:
    """Vectors of noise at scale 1, shape (at least ``draws``, p), the same at every call.

    Whole bases, one for each length, where there are enough draws; else as many directions, of lengths in turn.
    """
    basis = 2 * p
    if draws < 2 * basis:
        some = directions(p, max(4, 2 * round(min(draws, basis) / 2)))
        half = lengths(p, len(some) // 2)
        order = np.random.default_rng(13).permutation(len(half))
        return np.asarray(some * np.concatenate([half[order], half[order]])[:, None])
    count = math.ceil(draws / basis)
    whole = directions(p, basis * count)
    return whole * np.tile(np.repeat(lengths(p, count), p), 2)[:, None]
