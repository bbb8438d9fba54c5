"""Noisy gradient descent in two dimensions where the risk has an axis, and compiled where it has none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, NoisySGD, Solution
from dprepro.algorithms.base import Schedule
from dprepro.budget import Budget
from dprepro.errors import Incompatible
from dprepro.problems import BallRisk, L2Ball
from dprepro.problems.data import FloatArray
from dprepro.problems.problem import Problem
from dprepro.reductions.base import Reduction


def _plan(algorithm: Algorithm, problem: Problem, budget: Budget) -> tuple[NoisySGD, BallRisk, Schedule]:
    ball = problem.constraint_set
    if not isinstance(algorithm, NoisySGD) or not isinstance(problem, BallRisk) or not isinstance(ball, L2Ball):
        raise Incompatible("this reduction needs NoisySGD on a BallRisk over an l2 ball")
    return algorithm, problem, algorithm.schedule(problem.constants, budget)


@dataclass(frozen=True)
class AxisDescent(Reduction):
    """Algorithm 1 with the full gradient, where the risk is symmetric about an axis u: any p at the cost of p = 2.

    Why it is exact: projection and gradient move theta within the plane of theta and u only, and the isotropic noise
    splits into its parts along u, along the rest of theta, and across both, which are independent: two normals, and a
    squared norm with the chi-square law of p - 2 degrees of freedom. So (<theta, u>, ||theta_perp||) is a Markov chain
    by itself. Starting at zero, the direction of theta_perp is uniform given that chain, and is drawn at the end.
    """

    needs: ClassVar[tuple[str, ...]] = ("axis",)
    serves: ClassVar[tuple[type[Algorithm], ...]] = (NoisySGD,)

    @classmethod
    def obstacle(cls, algorithm: Algorithm, capabilities: frozenset[str]) -> str:
        """Sampled records need not lie on the axis."""
        if isinstance(algorithm, NoisySGD) and algorithm.gradient != "full":
            return "AxisDescent serves NoisySGD with gradient full, not sampled"
        return super().obstacle(algorithm, capabilities)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; raises Incompatible without an axis."""
        algorithm, risk, schedule = _plan(self.algorithm, problem, budget)
        risk.require("axis")
        from dprepro.reductions import descent_kernels  # numba is imported only to run

        constants, mean = risk.constants, risk.mean_record
        p, centre = len(mean), float(np.linalg.norm(mean))
        axis = mean / centre if centre > 0 else np.eye(1, p)[0]
        along, aside = descent_kernels.axis_descent(
            risk.loss.code,
            centre,
            0.0,
            0.0,
            p,
            float(constants.radius),
            schedule.steps,
            schedule.noise_scale,
            algorithm.step(constants, schedule, 1),
            algorithm.step_size == "strongly_convex",
            algorithm.step_size == "lipschitz",
            rng,
        )
        theta: FloatArray = along * axis
        if p > 1:
            direction = rng.standard_normal(p)
            direction -= (direction @ axis) * axis
            theta = theta + aside * direction / float(np.linalg.norm(direction))
        return Solution(theta, schedule, algorithm.spent(constants, budget))


@dataclass(frozen=True)
class CompiledDescent(Reduction):
    """Algorithm 1 with sampled records or the full gradient, the printed loop in machine code.

    Why it is exact: it is the same loop, drawing the same numbers in the same order; results agree up to rounding.
    """

    needs: ClassVar[tuple[str, ...]] = ("records",)
    serves: ClassVar[tuple[type[Algorithm], ...]] = (NoisySGD,)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``."""
        algorithm, risk, schedule = _plan(self.algorithm, problem, budget)
        from dprepro.reductions import descent_kernels  # numba is imported only to run

        constants = risk.constants
        theta = risk.constraint_set.start()
        descent_kernels.descent(
            risk.loss.code,
            risk.distinct,
            risk.labels,
            np.cumsum(risk.counts),
            algorithm.gradient == "sampled",
            float(constants.radius),
            theta,
            schedule.steps,
            schedule.noise_scale,
            algorithm.step(constants, schedule, 1),
            algorithm.step_size == "strongly_convex",
            algorithm.step_size == "lipschitz",
            rng,
        )
        return Solution(theta, schedule, algorithm.spent(constants, budget))
