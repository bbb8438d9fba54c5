"""Frank-Wolfe over vertices at the cost of one Gram column a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, FrankWolfe, NoisyFrankWolfe, Solution
from dprepro.budget import Budget
from dprepro.errors import Incompatible
from dprepro.problems import L1Ball, LeastSquares, Simplex
from dprepro.problems.problem import Problem
from dprepro.reductions.base import Reduction, vertex_plan, vertex_solution


@dataclass(frozen=True)
class IncrementalGradients(Reduction):
    """Algorithms 1 and 2 for the squared loss over an l1 ball or a simplex.

    Why it is exact: the gradient is 2 (G theta - c), and a step toward vertex r s e_j changes G theta into
    (1 - mu) G theta + mu r s G_j, one column of the Gram matrix; the n records are not touched again. The noisy
    minimum is drawn by thinning (see `kernels`), which leaves the law of the selected vertex unchanged. The stream of
    random numbers is used differently from the literal algorithm, so equality is in distribution, not in bits.
    """

    needs: ClassVar[tuple[str, ...]] = ("moments",)
    demands: ClassVar[tuple[str, ...]] = ("vertices",)
    serves: ClassVar[tuple[type[Algorithm], ...]] = (FrankWolfe, NoisyFrankWolfe)
    version: ClassVar[int] = 3  # since the table of the thinned noisy minimum is renewed by what rejections cost

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; raises Incompatible unless a LeastSquares over an l1 ball or a simplex is given."""
        constraint_set = problem.constraint_set
        if not isinstance(problem, LeastSquares) or not isinstance(constraint_set, L1Ball | Simplex):
            raise Incompatible("IncrementalGradients needs a squared loss over an l1 ball or a simplex")
        moments = problem.moments
        from dprepro.reductions import kernels  # numba is imported only to run, not to check a configuration

        schedule, kind, constant = vertex_plan(self.algorithm, problem, budget)
        p = len(moments.cross)
        theta = np.array(constraint_set.start(), dtype=np.float64)
        kernels.vertex_frank_wolfe(
            np.zeros((0, 0)) if moments.gram is None else moments.gram,
            np.zeros((0, p)) if moments.factor is None else moments.factor,
            np.broadcast_to(np.asarray(moments.ridge, dtype=np.float64), (p,)).copy(),
            np.ascontiguousarray(moments.cross, dtype=np.float64),
            float(constraint_set.radius),
            isinstance(constraint_set, L1Ball),
            np.array(moments.times(theta), dtype=np.float64),
            theta,
            schedule.steps,
            schedule.noise_scale,
            kernels.KINDS[kind],
            constant,
            rng,
        )
        return vertex_solution(self.algorithm, problem, budget, theta, schedule)
