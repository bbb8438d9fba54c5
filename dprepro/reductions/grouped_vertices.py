"""Frank-Wolfe over groups of interchangeable vertices, at a cost free of n and of p."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, FrankWolfe, NoisyFrankWolfe, Solution
from dprepro.budget import Budget
from dprepro.errors import Incompatible
from dprepro.problems import GroupPoint, LeastSquares, Simplex
from dprepro.problems.problem import Problem
from dprepro.reductions.base import Reduction, vertex_plan, vertex_solution


@dataclass(frozen=True)
class GroupedVertices(Reduction):
    """Algorithms 1 and 2 on a problem whose vertices fall into few groups with equal scores at every theta.

    Why it is exact: vertices of a group have the same inner products with all data, so the risk and all scores depend
    on theta only through the total weight on each group. The least noisy score within a group of K vertices is its
    score plus the least of K independent noises, drawn in O(1) by inverting the survival function; which vertex of the
    group has it is irrelevant to all that follows. The process of group weights is therefore a Markov chain with the
    very transition probabilities of the literal algorithm.
    """

    needs: ClassVar[tuple[str, ...]] = ("groups",)
    serves: ClassVar[tuple[type[Algorithm], ...]] = (FrankWolfe, NoisyFrankWolfe)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; theta is a GroupPoint. Raises Incompatible for a problem without groups."""
        if not isinstance(problem, LeastSquares):
            raise Incompatible("GroupedVertices needs a squared loss")
        groups = problem.groups
        from dprepro.reductions import kernels  # numba is imported only to run, not to check a configuration

        schedule, kind, constant = vertex_plan(self.algorithm, problem, budget)
        # The literal algorithm starts at the set's start: zero in a ball, equal weights on all vertices of a simplex.
        weights = np.zeros(len(groups.sizes))
        if isinstance(problem.constraint_set, Simplex):
            weights += groups.sizes / groups.sizes.sum()
        kernels.grouped_frank_wolfe(
            np.ascontiguousarray(groups.gram, dtype=np.float64),
            np.ascontiguousarray(groups.cross, dtype=np.float64),
            np.asarray(groups.sizes, dtype=np.float64),
            schedule.steps,
            schedule.noise_scale,
            kernels.KINDS[kind],
            constant,
            weights,
            rng,
        )
        return vertex_solution(self.algorithm, problem, budget, GroupPoint(weights), schedule)
