"""Frank-Wolfe over vertices: on groups of interchangeable ones, and at the cost of one Gram column, or none, a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from dprepro.algorithms import Algorithm, FrankWolfe, GaussianFrankWolfe, NoisyFrankWolfe, Solution
from dprepro.algorithms.frank_wolfe import ConstantStep, DecayingStep
from dprepro.budget import Budget
from dprepro.mechanisms.noise_moments import NoiseMoments, least_laplace
from dprepro.problems import Domain, GroupPoint, L1Ball, MarginLoss, Moments, Problem, RecordsView, Simplex
from dprepro.problems.problem_data import FloatArray
from dprepro.reductions.base import Reduction, lacks_coefficients

GRAM_COST = 8.0  # p/8 passes over the features take the time in which a BLAS makes the Gram matrix
CACHED, FAR = 2**21, 4.0  # of more entries than a cache holds a pass takes as long as that many of others
STEP_COST = 8.0  # of a step on records, for each of them, in entries of the features read in such a pass
PROPOSAL_COST = 0.5 * STEP_COST  # of each vertex that a step proposes, of which there is one at least
RENEWED = 5.0  # times as much is read at most in all, where tables are renewed (1.3 to 4.9 were seen)
FETCH_COST = 8.0  # of the first use of a feature, whose entries lie far apart
_Plan: TypeAlias = tuple[int, float, bool, bool]  # T, the noise scale (0: none), Laplace noise, constant step size


@dataclass(frozen=True)
class _Vertices(Reduction):
    serves: ClassVar[tuple[type[Algorithm], ...]] = (FrankWolfe, NoisyFrankWolfe)

    @classmethod
    def premise(cls, algorithm: Algorithm, domain: Domain) -> str:
        return lacks_compiled_step(algorithm)

    def _plan(self, domain: Domain, budget: Budget) -> _Plan:
        algorithm = self.algorithm
        assert isinstance(algorithm, FrankWolfe | NoisyFrankWolfe)
        schedule = algorithm.schedule(domain, budget)
        laplace = isinstance(algorithm, NoisyFrankWolfe) and algorithm.selection == "laplace"
        return schedule.steps, schedule.noise_scale, laplace, isinstance(algorithm.step_size, ConstantStep)

    def _solution(self, problem: Problem, budget: Budget, theta: object, noise: NoiseMoments | None) -> Solution:
        domain, algorithm = problem.domain, self.algorithm
        return Solution(theta, algorithm.schedule(domain, budget), algorithm.privacy_loss(domain, budget), noise=noise)


def _noise_moments(noise_statistic: FloatArray, plan: _Plan) -> NoiseMoments | None:
    """What some choices tell of the noise, in its squared unit: sums of a statistic, its means and its variances."""
    if not plan[1] > 0:
        return NoiseMoments(0.0, plan[0], plan[0])
    return (
        NoiseMoments(plan[1] ** 2 * float(noise_statistic[0]), float(noise_statistic[1]), float(noise_statistic[2]))
        if noise_statistic[2] > 0
        else None
    )


@dataclass(frozen=True)
class GroupedVertices(_Vertices):
    """Algorithms 1 and 2 on a problem whose vertices fall into few groups with equal scores at every theta.

    Why it is exact: vertices of a group have the same inner products with all data, so the risk and all scores depend
    on theta only through the total weight on each group. The least noisy score within a group of K vertices is its
    score plus the least of K independent noises, drawn in O(1) by inverting the survival function; which vertex of the
    group has it is irrelevant to all that follows. The process of group weights is therefore a Markov chain with the
    very transition probabilities of the literal algorithm.
    """

    representations: ClassVar[tuple[str, ...]] = ("groups",)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; theta is a GroupPoint."""
        from dprepro.reductions.kernels.group_kernels import on_groups  # numba is imported only to run

        groups, weights = problem.groups.groups, problem.groups.start.weights.copy()
        plan, squares, noise_statistic = self._plan(problem.domain, budget), np.zeros(groups.groups), np.zeros(3)
        on_groups(groups.gram, groups.cross, groups.sizes, *plan, weights, squares, noise_statistic, rng)
        noise = (
            NoiseMoments.of_least(least_laplace, squares, groups.sizes, plan[0] - 1)
            if plan[2]
            else _noise_moments(noise_statistic, plan)
        )
        return self._solution(problem, budget, GroupPoint(weights), noise)


class _Columns:
    """What is kept with the records of a problem: feature and Gram columns, as far as they have been needed.

    Attributes:
        loads, offsets: the half score of vertex e_j is <features_j, loads * (features theta) - offsets>, shape (K,).
        columns, held: features_j as rows, and which of them have been copied; shapes (p, K) and (p,).
        gram, known: likewise of G; shapes (p, p) and (p,).
        cross, reach: shape (p,), and the root of the largest G_jj.
    """

    def __init__(self, view: RecordsView) -> None:
        from dprepro.reductions.kernels import vertex_kernels

        records, form = view.records, view.domain.loss.quadratic
        assert form is not None
        self.features = records.features
        self.loads = form[0] * records.weights
        self.offsets = 0.5 * form[1] * records.weights * records.targets
        self.columns, self.held = np.empty(self.features.shape[::-1]), np.zeros(records.p, dtype=bool)
        self.known = np.zeros(records.p, dtype=bool)
        self.cross, squares = np.zeros(records.p), np.zeros(records.p)
        vertex_kernels.sums(self.features, self.offsets, self.loads, self.cross, squares)
        self.reach = float(np.sqrt(squares.max()))

    @cached_property
    def gram(self) -> FloatArray:
        return np.empty((self.features.shape[1],) * 2)

    def complete(self) -> None:
        """All of G at once, if it is not there yet."""
        if self.known.all():
            return
        root = np.sqrt(self.loads)[:, None] * self.features
        np.matmul(root.T, root, out=self.gram)
        self.known[:] = True


_kept: WeakKeyDictionary[RecordsView, _Columns] = WeakKeyDictionary()


@dataclass(frozen=True)
class IncrementalGradients(_Vertices):
    """Algorithms 1 and 2 for a quadratic loss over an l1 ball or a simplex.

    Why it is exact: the gradient is 2 (G theta - c), and a step toward vertex r s e_j changes G theta into (1 - mu) G
    theta + mu r s G_j, one column of the Gram matrix; the n records are not touched again. The noisy minimum is drawn
    by thinning (see `kernels.selection_kernels`), which leaves the law of the selected vertex unchanged. The stream of
    random numbers is used differently from the literal algorithm, so equality is in distribution, not in bits.

    Where there are records and no moments, G need not be made: thinning needs exact scores of the proposed vertices
    only, and a score is the inner product of a feature's column with the residual. What T such steps read is counted
    beforehand: where it is more than G costs (many steps, few features), G is made at once. Elsewhere what they do read
    is counted on the way, and G is made should they ever have read as much as that. Without noise Gram
    columns are computed for the vertices that are chosen, and when these have cost half of G, all of them at once. What
    has been computed stays with the problem's records for later solves; it changes their time, not their answers.
    """

    either: ClassVar[tuple[str, ...]] = ("moments", "records")
    to_the_bits: ClassVar[bool] = False
    version: ClassVar[int] = 4  # since records without moments need no Gram matrix

    @classmethod
    def premise(cls, algorithm: Algorithm, domain: Domain) -> str:
        within = domain.constraint_set
        if not isinstance(within, L1Ball | Simplex):
            return f"needs an l1 ball or a simplex, not {within.title}"
        return lacks_coefficients(domain) or super().premise(algorithm, domain)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``."""
        plan = self._plan(problem.domain, budget)
        loop = self._on_records if costs_a_matrix(problem) and _saves_the_matrix(problem, plan) else self._on_moments
        return self._solution(problem, budget, *loop(problem, plan, rng))

    def solve_many(self, problem: Problem, budget: Budget, rngs: Sequence[np.random.Generator]) -> Sequence[Solution]:
        """One answer for each stream, equal to that of ``solve`` in law: many solves are worth the Gram matrix."""
        loop = self._on_moments if "moments" in problem.representations else self._on_records
        plan = self._plan(problem.domain, budget)
        return [self._solution(problem, budget, *loop(problem, plan, rng)) for rng in rngs]

    @staticmethod
    def _on_moments(problem: Problem, plan: _Plan, rng: np.random.Generator) -> tuple[FloatArray, NoiseMoments | None]:
        from dprepro.reductions.kernels.vertex_kernels import on_columns

        moments, ball = problem.moments.moments, problem.constraint_set
        gram, factor, ridge, cross = coefficients(moments)
        known, none, theta = np.ones(len(gram), dtype=bool), np.zeros((0, moments.p)), ball.start()
        noise_statistic = np.zeros(3)
        on_columns(
            gram, known, none, np.zeros(0), none, known, moments.p + 1, factor, ridge, cross, ball.radius,
            isinstance(ball, L1Ball), moments.times(theta), theta, 1, *plan, noise_statistic, rng,
        )  # fmt: skip
        return theta, _noise_moments(noise_statistic, plan)

    @staticmethod
    def _on_records(problem: Problem, plan: _Plan, rng: np.random.Generator) -> tuple[FloatArray, NoiseMoments | None]:
        from dprepro.reductions.kernels.vertex_kernels import on_columns, on_records

        view, ball = problem.records, problem.constraint_set
        if view not in _kept:
            _kept[view] = _Columns(view)
        kept, theta, noise_statistic = _kept[view], ball.start(), np.zeros(3)
        (records, p), (steps, scale) = kept.features.shape, plan[:2]
        free = "moments" not in problem.representations  # of the choice: there is no other way
        rest = (ball.radius, isinstance(ball, L1Ball))
        t, limits = 1, [max(1, int(0.5 * _gram_cost(records, p) / p)), p + 1]
        if free or scale > 0:
            limits = [p + 1]
            fitted, half = np.zeros(records), -kept.cross
            if theta.any():  # a ball starts at zero: two passes over the records less
                fitted = kept.features @ theta
                half = (kept.loads * fitted) @ kept.features - kept.cross
            most = np.inf if free else records * (_gram_cost(records, p) - FETCH_COST * min(steps, p))
            t = on_records(
                kept.features, kept.columns, kept.held, kept.loads, kept.offsets, kept.reach, half, fitted,
                most, STEP_COST, PROPOSAL_COST, *rest, theta, *plan, noise_statistic, rng,
            )  # fmt: skip
        for limit in limits:
            if t == steps:
                break
            if limit > p:
                kept.complete()
            level = (kept.loads * (kept.features @ theta)) @ kept.features
            t = on_columns(
                kept.gram, kept.known, kept.features, kept.loads, kept.columns, kept.held, limit, np.zeros((0, p)),
                np.zeros(p), kept.cross, *rest, level, theta, t, *plan, noise_statistic, rng,
            )  # fmt: skip
        return theta, _noise_moments(noise_statistic, plan)


def lacks_compiled_step(algorithm: Algorithm) -> str:
    """Why the compiled loops cannot take the steps of a Frank-Wolfe algorithm, as the rest of a sentence."""
    assert isinstance(algorithm, FrankWolfe | NoisyFrankWolfe | GaussianFrankWolfe)
    known, rule = (DecayingStep, ConstantStep), type(algorithm.step_size)
    names = " or ".join(kind.name for kind in known)
    return "" if rule in known else f"takes steps of step_size {names}, not {rule.__name__}"


def _gram_cost(records: int, p: int) -> float:
    """What making the Gram matrix costs, for each record, in entries of the features read."""
    return p * p / (GRAM_COST * (FAR if records * p > CACHED else 1.0))


def _saves_the_matrix(problem: Problem, plan: _Plan) -> bool:
    """Whether steps on records read less than what the Gram matrix costs, by a count beforehand."""
    steps, scale = plan[:2]
    if "moments" not in problem.representations or not scale > 0:
        return True
    records, p = problem.records.records.features.shape
    read = RENEWED * (STEP_COST + PROPOSAL_COST) * steps + FETCH_COST * min(steps, p)
    return bool(read < _gram_cost(records, p))


def costs_a_matrix(problem: Problem) -> bool:
    """Whether the moments would have to be computed from records, as a p x p matrix."""
    domain = problem.domain
    form = domain.loss.quadratic
    matrix = isinstance(domain.loss, MarginLoss) and form is not None and form[0] > 0
    return matrix and "records" in problem.representations and "moments" not in problem.given


def coefficients(moments: Moments) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """gram (p, p) or (0, 0), factor (rows, p), ridge (p,) and cross (p,): contiguous, and never read-only.

    A read-only array is another type to a compiled loop, which would be compiled once more for it.
    """
    gram = np.zeros((0, 0)) if moments.gram is None else moments.gram
    factor = np.zeros((0, moments.p)) if moments.factor is None else moments.factor
    gram, factor, ridge, cross = (
        np.require(part, requirements=["C", "W"]) for part in (gram, factor, moments.ridges, moments.cross)
    )
    return gram, factor, ridge, cross
