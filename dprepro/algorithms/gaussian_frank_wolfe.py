"""Algorithm 3 of Talwar, Thakurta and Zhang (2015): private Frank-Wolfe over a general convex set."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.algorithms.frank_wolfe import StepSize, step_size
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import Gaussian
from dprepro.privacy import Spent, noise_for, spent
from dprepro.problems.constants import Constants
from dprepro.problems.problem import Problem


@dataclass(frozen=True)
class GaussianFrankWolfe(Algorithm):
    """Algorithm 3: every step minimises <grad L(theta_t) + b_t, .> over the set, b_t ~ N(0, sigma^2 I).

    Attributes:
        constants: ``printed`` sigma^2 = 32 L_2 T ln^2(n/delta) / (n epsilon)^2; ``squared``: the same with L_2^2, which
            the units ask for; ``exact``: the smallest sigma that the accountant certifies.
        step_size: ``decaying`` 2/(t+2) of Theorem 2.2, on which the proof of Theorem B.2 relies, or ``constant``
            1/(T+2) as printed in line 4, with which a share 1/e of theta_1 stays for ever.

    T = ceil((Gamma n epsilon / (L_2 G_C))^(2/3)), Theorem B.2. ``step_regret`` is sigma G_C: a step loses at most
    <b, s* - s~> with s* free of b, hence at most E sup_s |<b, s>| in the mean.
    """

    constants: Literal["printed", "squared", "exact"] = "exact"
    step_size: StepSize = "decaying"
    needs: ClassVar[tuple[str, ...]] = ("records", "moments", "quadratic")

    def admit(self, constants: Constants, budget: Budget) -> None:
        """A finite epsilon, a positive delta, the width and the l2-Lipschitz constant are needed."""
        if not budget.is_private or budget.delta == 0:
            raise InputError(
                f"GaussianFrankWolfe needs a finite epsilon and delta > 0, got epsilon={budget.epsilon:g}, "
                f"delta={budget.delta:g}"
            )
        if not (constants.width > 0 and constants.euclidean_lipschitz > 0):
            raise InputError("GaussianFrankWolfe needs the set's Gaussian width and the loss's l2-Lipschitz constant")

    def schedule(self, constants: Constants, budget: Budget) -> Schedule:
        """T and sigma.

        Raises:
            InputError: epsilon infinite, delta zero, or constants without the set's width or the l2-Lipschitz constant.
        """
        self.admit(constants, budget)
        n, lipschitz = constants.n, constants.euclidean_lipschitz
        steps = max(2, math.ceil((constants.curvature * n * budget.epsilon / (lipschitz * constants.width)) ** (2 / 3)))
        if self.constants == "exact":
            # T - 1 uses of a Gaussian shift mu are one use of mu sqrt(T - 1)
            all_steps = sensitivity(constants, budget.neighbours) * math.sqrt(steps - 1)
            sigma = noise_for(lambda one: Gaussian(one).guarantee(all_steps), 1, budget)
        else:
            power = lipschitz if self.constants == "printed" else lipschitz**2
            sigma = math.sqrt(32 * power * steps) * math.log(n / budget.delta) / (n * budget.epsilon)
        return Schedule(steps, sigma, sigma * constants.width)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """Run on the data, as printed."""
        schedule = self.schedule(problem.constants, budget)
        constraint_set = problem.constraint_set
        mechanism = Gaussian(schedule.noise_scale)
        theta = constraint_set.start()
        for t in range(1, schedule.steps):
            toward = constraint_set.minimise_linear(mechanism.release(problem.gradient(theta), rng))
            mu = step_size(self.step_size, t, schedule.steps)
            theta = (1 - mu) * theta + mu * toward
        return Solution(theta, schedule, self.spent(problem.constants, budget))

    def spent(self, constants: Constants, budget: Budget) -> Spent:
        """Epsilon that the accountant certifies for all T - 1 steps at the budget's delta (Theorem B.1)."""
        schedule = self.schedule(constants, budget)
        one = Gaussian(schedule.noise_scale).guarantee(sensitivity(constants, budget.neighbours))
        return spent(one, schedule.steps - 1, budget.delta)


def sensitivity(constants: Constants, neighbours: Neighbours) -> float:
    """Largest l2 change of the mean gradient: 2 L_2/n for replacement, L_2/n for adding or removing (n public)."""
    one = constants.euclidean_lipschitz / constants.n
    return 2 * one if neighbours is Neighbours.REPLACE_ONE else one
