"""Supports of a risk that is a sum over coordinates, drawn without listing them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, ExponentialSupport, Solution, SparseRegression
from dprepro.algorithms.sparse_regression import SparseSchedule
from dprepro.budget import Budget
from dprepro.mechanisms import SubsetChoice
from dprepro.problems import Box, Domain, Problem, SupportPoint, View
from dprepro.problems.support_answers import IntArray
from dprepro.reductions.base import Reduction

NUMBERED = 10**18  # coordinates that have a number; what lies beyond has no data, and stands for any of these


@dataclass(frozen=True)
class SeparableSupports(Reduction):
    """The exponential mechanism over supports, and what follows it, where coordinates do not interact.

    Why it is exact: over a box the least of a sum of functions of one coordinate each is the sum of their least values,
    so q(S) is a constant less the gains of S's members, and the law of S is that of `SubsetChoice`: members are drawn
    one after the other, each given those before, and coordinates without gain uniformly.
    """

    serves: ClassVar[tuple[type[Algorithm], ...]] = (ExponentialSupport, SparseRegression)
    representations: ClassVar[tuple[str, ...]] = ("orthogonal",)

    @classmethod
    def obstacle(cls, algorithm: Algorithm, domain: Domain, representations: frozenset[str]) -> str:
        listed = isinstance(algorithm, ExponentialSupport) or bool(representations & {"moments", "records"})
        return super().obstacle(algorithm, domain, representations) or (
            "" if listed else f"{cls.__name__} fits listed data only"
        )

    @classmethod
    def premise(cls, algorithm: Algorithm, domain: Domain) -> str:
        if not isinstance(domain.constraint_set, Box):
            return f"needs a box, got {domain.constraint_set.title}"
        if not isinstance(algorithm, SparseRegression):
            return ""
        if not isinstance(algorithm.selection, ExponentialSupport):
            return f"needs a selection by ExponentialSupport, not {type(algorithm.selection).__name__}"
        return "" if algorithm.keeps(domain) else "needs bounds within which no label is cut off and no row scaled"

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``."""
        return self.solve_many(problem, budget, [rng])[0]

    def solve_many(self, problem: Problem, budget: Budget, rngs: Sequence[np.random.Generator]) -> Sequence[Solution]:
        """One answer for each stream; what is public, and the data on a support, are made once."""
        algorithm, domain = self.algorithm, problem.domain
        assert isinstance(algorithm, SparseRegression | ExponentialSupport)
        schedule, privacy_loss = algorithm.schedule(domain, budget), algorithm.privacy_loss(domain, budget)
        draw = _drawing(problem, schedule.noise_scale, algorithm.sparsity)
        if isinstance(algorithm, ExponentialSupport):
            return [Solution(SupportPoint(draw(rng)), schedule, privacy_loss) for rng in rngs]
        assert isinstance(schedule, SparseSchedule)
        representations: dict[bytes, View] = {}
        found = []
        for rng in rngs:
            support = draw(rng)
            if support.tobytes() not in representations:
                representations[support.tobytes()] = algorithm.part(problem, support).dense
            b = algorithm.fit.density.sample(algorithm.sparsity, schedule.coordinate_scale, rng)
            theta = np.zeros(domain.p)
            fitted = representations[support.tobytes()].minimise(b / domain.n, schedule.regulariser / domain.n)
            theta[support] = np.asarray(fitted.theta)
            found.append(Solution(theta, schedule, privacy_loss, {"noise_norm": math.sqrt(float(b @ b))}))
        return found


def _drawing(problem: Problem, scale: float, sparsity: int) -> Callable[[np.random.Generator], IntArray]:
    """How a support is drawn, ascending, shape (s,)."""
    gains, p = problem.supports.gains, problem.domain.p
    gaining = np.flatnonzero(gains > 0)
    choice, taken = SubsetChoice(gains[gaining], float(p - gaining.size), sparsity, scale), set(gaining.tolist())

    def draw(rng: np.random.Generator) -> IntArray:
        chosen = set(gaining[choice.draw(rng)].tolist())
        while len(chosen) < sparsity:
            chosen |= {int(rng.integers(min(p, NUMBERED)))} - taken
        return np.array(sorted(chosen), dtype=np.int64)

    return draw
