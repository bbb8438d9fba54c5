"""Gaussian Frank-Wolfe on structured problems, at a cost free of n and of p."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, GaussianFrankWolfe, Solution
from dprepro.budget import Budget
from dprepro.errors import Incompatible
from dprepro.problems import GroupPoint, L1Ball, LeastSquares, Quadratic
from dprepro.problems.problem import Problem
from dprepro.reductions.base import Reduction


@dataclass(frozen=True)
class GaussianGroups(Reduction):
    """Algorithm 3 over the l1 ball or a simplex whose coordinates fall into few interchangeable groups.

    Why it is exact: the minimiser of a linear function is the vertex of least noisy score, and the risk depends on the
    weights of groups only. Of a group with gradient g and K coordinates, the vertex +radius e_j has the noisy score
    radius (g + b_j), and -radius e_j its negative: the least ones are radius (g + min b) and -radius (g + max b). The
    pair (min b, max b) of K normals is drawn jointly by inverting the law of the largest and then that of the least of
    the others, which are independent below it. Which coordinate of a group it was is irrelevant to all that follows.
    """

    needs: ClassVar[tuple[str, ...]] = ("groups",)
    serves: ClassVar[tuple[type[Algorithm], ...]] = (GaussianFrankWolfe,)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; theta is a GroupPoint. Raises Incompatible where groups are not in pairs."""
        algorithm = self.algorithm
        if not (isinstance(problem, LeastSquares) and isinstance(algorithm, GaussianFrankWolfe)):
            raise Incompatible("GaussianGroups needs a squared loss and GaussianFrankWolfe")
        groups, signed = problem.groups, isinstance(problem.constraint_set, L1Ball)
        half = groups.groups // 2
        if signed and not (
            groups.groups == 2 * half
            and np.array_equal(groups.sizes[:half], groups.sizes[half:])
            and np.array_equal(groups.cross[:half], -groups.cross[half:])
        ):
            raise Incompatible("GaussianGroups needs the groups of negative vertices after the positive ones, in order")
        from dprepro.reductions import gaussian_kernels  # numba is imported only to run

        schedule = algorithm.schedule(problem.constants, budget)
        start = problem.start
        weights = np.array(start.weights if isinstance(start, GroupPoint) else groups.sizes / groups.sizes.sum())
        gaussian_kernels.grouped(
            np.ascontiguousarray(groups.gram, dtype=np.float64),
            np.ascontiguousarray(groups.cross, dtype=np.float64),
            np.asarray(groups.sizes, dtype=np.float64),
            signed,
            schedule.steps,
            schedule.noise_scale * problem.constraint_set.radius,
            algorithm.step_size == "constant",
            weights,
            rng,
        )
        return Solution(GroupPoint(weights), schedule, algorithm.spent(problem.constants, budget))


@dataclass(frozen=True)
class GaussianSubspace(Reduction):
    """Algorithm 3 over an l2 ball, on the coordinates along which there are data.

    Why it is exact: outside them the gradient is zero at every theta, so theta's part there matters to nothing, and the
    noise's part there enters only through the length by which the step divides. That length is sigma times a chi
    variable with as many degrees of freedom as there are such directions, fresh in every step.
    """

    needs: ClassVar[tuple[str, ...]] = ("subspace",)
    serves: ClassVar[tuple[type[Algorithm], ...]] = (GaussianFrankWolfe,)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; the last coordinate of theta, which matters to nothing, is zero."""
        algorithm = self.algorithm
        if not (isinstance(problem, Quadratic) and isinstance(algorithm, GaussianFrankWolfe)):
            raise Incompatible("GaussianSubspace needs a quadratic problem and GaussianFrankWolfe")
        if problem.curvature[-1] != 0:
            raise Incompatible("GaussianSubspace needs directions without data, got curvature in the spare ones")
        from dprepro.reductions import gaussian_kernels  # numba is imported only to run

        schedule = algorithm.schedule(problem.constants, budget)
        theta = problem.constraint_set.start()
        gaussian_kernels.in_subspace(
            np.ascontiguousarray(problem.curvature[:-1]),
            np.ascontiguousarray(problem.linear[:-1]),
            float(problem.spare),
            problem.constraint_set.radius,
            schedule.steps,
            schedule.noise_scale,
            algorithm.step_size == "constant",
            theta[:-1],
            rng,
        )
        return Solution(theta, schedule, algorithm.spent(problem.constants, budget))
