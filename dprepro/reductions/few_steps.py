"""Noisy gradient descent on a quadratic, in a few thousand steps instead of n and at a cost free of p."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, NoisyGD, Solution
from dprepro.budget import Budget
from dprepro.errors import Incompatible
from dprepro.problems import OneHot, SquaredLoss
from dprepro.problems.problem import Problem
from dprepro.reductions.base import Reduction


@dataclass(frozen=True)
class FewSteps(Reduction):
    """Algorithm 1 for the squared loss on a one-hot sample; theta has the m touched coordinates only.

    Two parts. The p - m idle coordinates have no gradient and enter only through the norm that the projection needs:
    by rotation invariance a step takes their norm r to sqrt((r + eta sigma g)^2 + (eta sigma)^2 chi^2_{p-m-1}), with g
    a unit normal, and the projection scales r like all else. This is exact.

    The number of steps is the second. T steps of size eta with noise sigma are the Euler scheme, with time step eta, of
    the reflected diffusion dw = -grad L dt + sqrt(eta) sigma dB on the ball, run up to time S = eta T: its law depends
    on S and s^2 = eta^2 sigma^2 T only. T' steps with eta' = S/T' and sigma' = sigma sqrt(T'/T) are another Euler
    scheme of the same diffusion, so both laws agree up to their discretisation errors. These are O(largest eigenvalue
    x S/T') in the drift, held at 1/8 a step, and an inward shift of the sphere by 0.58 s/sqrt(T') where the projection
    is at work (the overshoot of a normal walk), against B of order s sqrt(p). Exact where T' = T, that is for n up to
    ``minimum_steps``.
    """

    needs: ClassVar[tuple[str, ...]] = ("population",)
    serves: ClassVar[tuple[type[Algorithm], ...]] = (NoisyGD,)

    minimum_steps: int = 1000

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; raises Incompatible for another loss than the squared one."""
        if not isinstance(problem, OneHot) or not isinstance(problem.loss, SquaredLoss):
            raise Incompatible("FewSteps needs a one-hot sample with squared loss")
        assert isinstance(self.algorithm, NoisyGD)
        from dprepro.reductions import gradient_kernels  # numba is imported only to run

        schedule = self.algorithm.schedule(problem.constants, budget)
        x = problem.feature_bound
        hessian = 2 * x**2 * problem.count / problem.n
        linear = 2 * x * problem.label * (2 * problem.positive - problem.count) / problem.n
        average = gradient_kernels.noisy_descent(
            hessian, np.zeros(0), linear, problem.constraint_set.p - problem.touched,
            *few(schedule.steps, schedule.step_size, schedule.noise_scale, float(hessian.max()), self.minimum_steps),
            problem.constraint_set.radius, rng,
        )  # fmt: skip
        return Solution(average, schedule, self.algorithm.spent(problem.constants, budget))


def few(steps: int, step_size: float, noise_scale: float, largest: float, minimum: int) -> tuple[int, float, float]:
    """(T', eta', sigma'): the fewest steps with eta' x (largest eigenvalue) <= 1/8, at least ``minimum``, at most T."""
    fewer = min(steps, max(minimum, math.ceil(8 * largest * step_size * steps)))
    return fewer, step_size * steps / fewer, noise_scale * math.sqrt(fewer / steps)
