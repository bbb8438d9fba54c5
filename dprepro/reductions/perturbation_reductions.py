"""Objective perturbation for many draws of the noise at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from dprepro.algorithms import Algorithm, ObjectivePerturbation, Solution
from dprepro.budget import Budget
from dprepro.problems import Domain, L2Ball, MarginLoss, Minimum, Problem, RecordsView
from dprepro.problems.problem_data import FloatArray
from dprepro.reductions.base import Reduction

GAP_TARGET = 1e-12  # relative to the Lipschitz constant times the diameter, as that of a single minimum
STEPS = 100
BLOCK = 16384  # predictions that are held at once, records times draws: they stay in the cache


@dataclass(frozen=True)
class BatchedPerturbation(Reduction):
    """Objective perturbation for a smooth loss over an l2 ball; ``solve_many`` minimises for all draws together.

    Why it is exact: the draws of b are the literal algorithm's, number by number, and every minimiser is certified by
    its gap. The records are read once a step for all draws, by matrix products. A step minimises over the ball a
    quadratic with the gradient of its own draw and the Hessian of a common point, the minimiser without noise, times a
    factor that the last step tells (Barzilai and Borwein's, in that metric); draws that do not settle are minimised
    singly.
    """

    serves: ClassVar[tuple[type[Algorithm], ...]] = (ObjectivePerturbation,)
    representations: ClassVar[tuple[str, ...]] = ("records",)
    to_the_bits: ClassVar[bool] = False

    @classmethod
    def premise(cls, algorithm: Algorithm, domain: Domain) -> str:
        loss, name = domain.loss, type(domain.loss).__name__
        if not isinstance(loss, MarginLoss) or loss.quadratic or not np.isfinite(loss.smoothness):
            return f"needs a smooth loss of <x, theta> that is not quadratic, not {name}"
        if not isinstance(domain.constraint_set, L2Ball) or domain.l1_weight:
            return f"needs an l2 ball and no l1 term, got {domain.constraint_set.title}, l1_weight={domain.l1_weight:g}"
        return ""

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``."""
        return self.solve_many(problem, budget, [rng])[0]

    def solve_many(self, problem: Problem, budget: Budget, rngs: Sequence[np.random.Generator]) -> Sequence[Solution]:
        """One answer for each stream; the same up to rounding and gap in whatever batch a stream stands."""
        domain = problem.domain
        noises = self._noises(domain, budget, rngs)
        thetas, _ = minimise_together(problem.records, noises / domain.n, self._ridge(domain, budget))
        return self._perturbation.solutions(domain, budget, list(noises), list(thetas))

    def minima(self, problem: Problem, budget: Budget, rngs: Sequence[np.random.Generator]) -> Sequence[Minimum]:
        """What `solve_many` answers, with the values and certified gaps of the perturbed objectives."""
        view, ridge = problem.records, self._ridge(problem.domain, budget)
        linear = self._noises(problem.domain, budget, rngs) / problem.domain.n
        return [
            Minimum(theta, view.value(theta) + float(b @ theta) + 0.5 * ridge * float(theta @ theta), gap)
            for theta, gap, b in zip(*minimise_together(view, linear, ridge), linear, strict=True)
        ]

    def _noises(self, domain: Domain, budget: Budget, rngs: Sequence[np.random.Generator]) -> FloatArray:
        scale = self._perturbation.schedule(domain, budget).coordinate_scale
        return np.stack([self._perturbation.density.sample(domain.p, scale, rng) for rng in rngs])

    def _ridge(self, domain: Domain, budget: Budget) -> float:
        return self._perturbation.schedule(domain, budget).regulariser / domain.n

    @property
    def _perturbation(self) -> ObjectivePerturbation:
        assert isinstance(self.algorithm, ObjectivePerturbation)
        return self.algorithm


def minimise_together(view: RecordsView, linear: FloatArray, ridge: float) -> tuple[FloatArray, FloatArray]:
    """The minimisers over an l2 ball of the mean loss + linear_i.theta + ridge/2 ||theta||^2, and their gaps.

    Shapes (draws, p), like linear, and (draws,). The gap is the smaller of the duality gap and
    ||gradient||^2/(2 ridge), which bounds the excess risk of any point of the ball by strong convexity.
    """
    domain, draws = view.domain, len(linear)
    radius, target = domain.constraint_set.radius, GAP_TARGET * domain.lipschitz * domain.diameter
    centre, values, vectors = _centre(view, ridge)
    # in the eigenbasis of the common Hessian, a row a draw; at the centre the gradient without noise is zero or normal
    tilt, thetas, gaps = linear @ vectors, np.tile(centre @ vectors, (draws, 1)), np.full(draws, np.inf)
    left, factor, before = np.arange(draws), np.ones(draws), None
    theta = _step(thetas, tilt, values, factor, radius)
    moved = theta - thetas
    for _ in range(STEPS):
        curved = _gradients(view, theta @ vectors.T) @ vectors + ridge * theta
        slope = curved + tilt[left]
        size = np.linalg.norm(slope, axis=1)
        gap = np.maximum(0.0, np.minimum(np.sum(slope * theta, axis=1) + radius * size, size**2 / (2 * ridge)))
        better = gap < gaps[left]
        thetas[left[better]], gaps[left[better]] = theta[better], gap[better]
        if before is not None:
            bend = np.sum(moved * (curved - before), axis=1) / np.sum(values * moved**2, axis=1)
            factor = np.where(np.isfinite(bend), np.clip(bend, 1 / 16, 16), factor)
        unsettled = gap > target
        if not unsettled.any():
            break
        left, theta, before, slope, factor = (vector[unsettled] for vector in (left, theta, curved, slope, factor))
        moved = _step(theta, slope, values, factor, radius) - theta
        theta = theta + moved
    thetas = thetas @ vectors.T
    for i in np.flatnonzero(gaps > target):
        minimum = view.minimise(linear[i], ridge)
        thetas[i], gaps[i] = np.asarray(minimum.theta), minimum.gap
    return thetas, gaps


_centres: WeakKeyDictionary[RecordsView, dict[float, tuple[FloatArray, FloatArray, FloatArray]]] = WeakKeyDictionary()


def _centre(view: RecordsView, ridge: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The minimiser without noise, and the spectrum of the Hessian there: shapes (p,), (p,) and (p, p)."""
    known = _centres.setdefault(view, {})
    if ridge not in known:
        centre, records = np.asarray(view.minimise(0.0, ridge).theta), view.records
        bend = records.weights * view.domain.loss.second_derivative(view.arguments(centre), records.targets)
        values, vectors = np.linalg.eigh((records.features.T * bend) @ records.features)
        known[ridge] = centre, np.maximum(values, 0.0) + ridge, vectors
    return known[ridge]


def _gradients(view: RecordsView, thetas: FloatArray) -> FloatArray:
    """Of the mean loss at several points, shape (draws, p)."""
    records, loss = view.records, view.domain.loss
    gradients = np.zeros(thetas.shape)
    rows = max(1, BLOCK // len(thetas))
    for first in range(0, len(records.features), rows):
        part = slice(first, first + rows)
        features = records.features[part]
        slopes = loss.derivative(thetas @ features.T, records.targets[part])
        gradients += (records.weights[part] * slopes) @ features
    return gradients


def _step(theta: FloatArray, slope: FloatArray, values: FloatArray, factor: FloatArray, radius: float) -> FloatArray:
    """argmin over the ball of slope.(x - theta) + factor/2 (x - theta)^T diag(values) (x - theta), row by row.

    Where the free minimiser lies outside, x = (bend theta - slope)/(bend + nu), nu by Newton's method for the secular
    equation 1/||x|| = 1/radius, which converges from below.
    """
    bend = factor[:, None] * values
    top = bend * theta - slope
    nu = np.zeros((len(theta), 1))
    for _ in range(50):
        x = top / (bend + nu)
        size = np.linalg.norm(x, axis=1, keepdims=True)
        beyond = size > radius * (1 + 1e-14)
        if not beyond.any():
            break
        change = size**2 / np.sum(x**2 / (bend + nu), axis=1, keepdims=True) * (size / radius - 1)
        nu += np.where(beyond, change, 0.0)
    return np.asarray(x * np.minimum(1.0, radius / np.maximum(size, 1e-300)))
