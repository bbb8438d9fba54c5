"""Algorithm 1 of Arora, Bassily, Guzman, Menart and Ullah (2022): noisy gradient descent on a ball."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import Gaussian
from dprepro.privacy import Spent, noise_for, spent
from dprepro.problems.constants import Constants
from dprepro.problems.problem import Problem


@dataclass(frozen=True)
class NoisyGD(Algorithm):
    """Algorithm 1 with the parameters of Theorem 1: T = n full gradients of the n records, the average returned.

    Printed slips: the update adds the loss where its gradient is meant, and starts at w_0 where w_1 = 0 is used.

    Attributes:
        constants: ``printed`` sigma^2 = 8 G^2 T ln(1/delta)/(n epsilon)^2, or ``exact``: the smallest sigma that the
            accountant certifies for the budget. With epsilon = inf there is no noise (Corollary 1).
        step: ``theorem_1``, or ``low_noise``: 1/(4H) for all n, for best risks near zero and without privacy.
        step_factor: multiplies the step size; 1 in the paper.
        noise_factor: multiplies sigma; 1 in the paper (less is a negative control).
    """

    needs: ClassVar[tuple[str, ...]] = ("population",)

    constants: Literal["printed", "exact"] = "printed"
    step: Literal["theorem_1", "low_noise"] = "theorem_1"
    step_factor: float = 1.0
    noise_factor: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.step_factor < math.inf:
            raise InputError(f"step_factor must be positive, got step_factor={self.step_factor:g}")
        if not 0 < self.noise_factor < math.inf:
            raise InputError(f"noise_factor must be positive, got noise_factor={self.noise_factor:g}")

    def admit(self, constants: Constants, budget: Budget) -> None:
        """A smooth loss is needed, and for a finite epsilon a positive delta."""
        if not constants.smoothness > 0:
            raise InputError("NoisyGD needs a smooth loss: its step is at most 1/(4H)")
        if budget.is_private and budget.delta == 0:
            raise InputError("Gaussian noise needs delta > 0, got delta=0")

    def schedule(self, constants: Constants, budget: Budget) -> Schedule:
        """T = n, sigma and eta of Theorem 1; raises InputError as `admit`."""
        self.admit(constants, budget)
        steps = int(constants.n)
        noise = self.noise_factor * gradient_noise(self.constants, constants, budget, steps)
        largest = max(math.sqrt(constants.smoothness) * constants.label_bound, noise * math.sqrt(constants.p))
        size = 1 / (4 * constants.smoothness)
        if self.step == "theorem_1":
            size = min(constants.radius / (math.sqrt(steps) * largest), size)
        return Schedule(steps, noise, step_size=self.step_factor * size)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As printed, with the gradient of the sample's mean loss."""
        schedule = self.schedule(problem.constants, budget)
        eta, constraint_set = schedule.step_size, problem.constraint_set
        mechanism = Gaussian(schedule.noise_scale)
        w = np.zeros(constraint_set.p)
        total = w.copy()
        for _ in range(1, schedule.steps):
            gradient = problem.gradient(w)
            noisy = mechanism.release(gradient, rng) if schedule.noise_scale > 0 else gradient
            w = constraint_set.project(w - eta * noisy)
            total += w
        return Solution(total / schedule.steps, schedule, self.spent(problem.constants, budget))

    def spent(self, constants: Constants, budget: Budget) -> Spent | None:
        """Epsilon of T - 1 Gaussian releases of the mean gradient, exact composition; None without privacy."""
        schedule = self.schedule(constants, budget)
        if schedule.noise_scale == 0:
            return None
        one = Gaussian(schedule.noise_scale).guarantee(gradient_sensitivity(constants, budget.neighbours))
        return spent(one, schedule.steps - 1, budget.delta)


def gradient_noise(kind: str, constants: Constants, budget: Budget, steps: int) -> float:
    """sigma of one step as printed in Theorem 1, or the smallest for the budget; 0 without privacy."""
    if not budget.is_private:
        return 0.0
    if kind == "printed":
        root = math.sqrt(8 * steps * math.log(1 / budget.delta))
        return constants.lipschitz * root / (constants.n * budget.epsilon)
    sensitivity = gradient_sensitivity(constants, budget.neighbours)
    return noise_for(lambda sigma: Gaussian(sigma).guarantee(sensitivity), steps - 1, budget)


def gradient_sensitivity(constants: Constants, neighbours: Neighbours) -> float:
    """l2 change of the mean gradient: 2 G/n by replacing a record, G/n by adding or removing one (n is public)."""
    one = constants.lipschitz / constants.n
    return 2 * one if neighbours is Neighbours.REPLACE_ONE else one
