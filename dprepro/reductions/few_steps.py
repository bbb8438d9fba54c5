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


@dataclass(frozen=True)
class IsotropicTail(Reduction):
    """Algorithm 1 where a balanced tail of equal probabilities fills all coordinates but a few, at a cost free of p.

    Why it is exact. The tail's Hessian is a multiple of the identity and its linear term is zero, so the law of its
    iterate u is rotation invariant: a step shrinks u, adds isotropic noise, and scales. The projection needs |u|, the
    risk the length of the sum s of the iterates; both follow from |u|^2, <u, s> and |s|^2, which form a Markov chain:
    the noise has independent components along u and along the part of s orthogonal to it, and a chi-square length
    elsewhere. theta is returned with equal tail entries of the right mean square, which is all that the risk sees of
    them. Steps are reduced as in `FewSteps`.
    """

    needs: ClassVar[tuple[str, ...]] = ("population",)
    serves: ClassVar[tuple[type[Algorithm], ...]] = (NoisyGD,)

    minimum_steps: int = 1000

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; raises Incompatible for another loss or another shape of the population."""
        if not isinstance(problem, OneHot) or not isinstance(problem.loss, SquaredLoss):
            raise Incompatible("IsotropicTail needs a one-hot sample with squared loss")
        assert isinstance(self.algorithm, NoisyGD)
        tail, free = problem.balanced, problem.touched - problem.balanced
        if not tail or problem.touched != problem.constraint_set.p or np.ptp(problem.probability[free:]) > 0:
            raise Incompatible("IsotropicTail needs a balanced tail of equal probabilities on all other coordinates")
        from dprepro.reductions import gradient_kernels  # numba is imported only to run

        schedule = self.algorithm.schedule(problem.constants, budget)
        x = problem.feature_bound
        hessian = 2 * x**2 * problem.count / problem.n
        linear = 2 * x * problem.label * (2 * problem.positive - problem.count) / problem.n
        average, square = gradient_kernels.noisy_descent_with_tail(
            hessian[:free], linear[:free], tail, float(hessian[free]),
            *few(schedule.steps, schedule.step_size, schedule.noise_scale, float(hessian.max()), self.minimum_steps),
            problem.constraint_set.radius, rng,
        )  # fmt: skip
        theta = np.concatenate([average, np.full(tail, math.sqrt(square))])
        return Solution(theta, schedule, self.algorithm.spent(problem.constants, budget))
