"""Algorithm 2 of Talwar, Thakurta and Zhang (2015): private Frank-Wolfe over a polytope."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.algorithms.frank_wolfe import StepSize, step_size
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import Guarantee, Selection, selection
from dprepro.privacy import Spent, noise_for, spent
from dprepro.problems.constants import Constants
from dprepro.problems.problem import Problem


@dataclass(frozen=True)
class NoisyFrankWolfe(Algorithm):
    """Algorithm 2: every step selects a vertex by noisy scores <s, grad L(theta_t)>.

    Attributes:
        selection: ``laplace`` as printed, or ``gumbel``: the exponential mechanism at the same scale, which the
            text names as an equal choice and which, unlike the printed one, is certified under replacement.
        constants: ``printed`` noise scale L_1 ||C||_1 sqrt(8 T ln(1/delta)) / (n epsilon), or ``exact``: the smallest
            that the accountant certifies for the budget.
        steps_exponent: T = ceil((Gamma n epsilon / (L_1 ||C||_1))^steps_exponent); Theorem 2.5 has 2/3.
        steps_factor: multiplies that power before rounding up; 1 in the paper.
        step_size: ``decaying`` mu_t = 2/(t+2) as printed, or ``constant`` 1/(T+2) (negative control).
    """

    selection: Literal["laplace", "gumbel"] = "gumbel"
    constants: Literal["printed", "exact"] = "printed"
    steps_exponent: float = 2 / 3
    steps_factor: float = 1.0
    step_size: StepSize = "decaying"

    bound: ClassVar[str] = "lasso.theorem_2_5"
    shape: ClassVar[str] = "lasso.theorem_2_5_rate"
    version: ClassVar[int] = 2  # since the spent epsilon of pure losses is composed in closed form

    def __post_init__(self) -> None:
        if not 0 < self.steps_exponent <= 2:
            raise InputError(f"steps_exponent must be in (0, 2], got steps_exponent={self.steps_exponent:g}")
        if not 0 < self.steps_factor < math.inf:
            raise InputError(f"steps_factor must be positive, got steps_factor={self.steps_factor:g}")

    def admit(self, constants: Constants, budget: Budget) -> None:
        """A finite epsilon and a positive delta (the printed scale divides by both), and a set with vertices."""
        if not budget.is_private or budget.delta == 0:
            raise InputError(
                f"NoisyFrankWolfe needs a finite epsilon and delta > 0, got epsilon={budget.epsilon:g}, "
                f"delta={budget.delta:g}"
            )
        if constants.vertices < 2:
            raise InputError("NoisyFrankWolfe needs a polytope with at least 2 vertices")

    def schedule(self, constants: Constants, budget: Budget) -> Schedule:
        """T and lambda of Theorem 2.5, with the expected regret of one selection among the vertices.

        Raises:
            InputError: epsilon infinite, delta zero (the printed scale divides by neither), or a set without vertices.
        """
        self.admit(constants, budget)
        scale = constants.lipschitz * constants.radius
        ratio = constants.curvature * constants.n * budget.epsilon / scale
        steps = max(1, math.ceil(self.steps_factor * ratio**self.steps_exponent))
        if self.constants == "printed":
            noise = scale * math.sqrt(8 * steps * math.log(1 / budget.delta)) / (constants.n * budget.epsilon)
        else:
            sensitivity = score_sensitivity(constants, budget.neighbours)
            noise = noise_for(lambda lam: selection(self.selection, lam).guarantee(sensitivity), steps - 1, budget)
        regret = self.mechanism(noise).expected_regret(constants.vertices) if noise > 0 else 0.0
        return Schedule(steps, noise, regret)

    def mechanism(self, noise_scale: float) -> Selection:
        """The private selection of one step."""
        return selection(self.selection, noise_scale)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """Run on the data, as printed: one noise a vertex, 2 p of them a step for the l1 ball."""
        schedule = self.schedule(problem.constants, budget)
        constraint_set = problem.constraint_set
        mechanism = self.mechanism(schedule.noise_scale)
        theta = constraint_set.start()
        for t in range(1, schedule.steps):
            scores = constraint_set.scores(problem.gradient(theta))
            chosen = constraint_set.vertex(mechanism.select(scores, rng))
            mu = step_size(self.step_size, t, schedule.steps)
            theta = (1 - mu) * theta + mu * chosen
        return Solution(theta, schedule, self.spent(problem.constants, budget))

    def guarantee(self, constants: Constants, budget: Budget) -> Guarantee:
        """Privacy of one step under the budget's neighbouring relation."""
        schedule = self.schedule(constants, budget)
        return self.mechanism(schedule.noise_scale).guarantee(score_sensitivity(constants, budget.neighbours))

    def spent(self, constants: Constants, budget: Budget) -> Spent:
        """Epsilon that the accountant certifies for all T - 1 selections at the budget's delta (Theorem 2.4)."""
        uses = self.schedule(constants, budget).steps - 1
        if uses == 0:  # T = 1: the start is published, no noise has a scale
            return Spent(0.0, budget.delta, "no use")
        return spent(self.guarantee(constants, budget), uses, budget.delta)


def score_sensitivity(constants: Constants, neighbours: Neighbours) -> float:
    """Largest change of a score <s, grad L> between neighbouring data sets.

    Replacing a record moves the mean gradient by at most 2 L_1/n in sup norm. Adding or removing one moves the sum
    by at most L_1; the divisor n of the mean is a public number here, the same for both data sets.
    """
    one = constants.lipschitz * constants.radius / constants.n
    return 2 * one if neighbours is Neighbours.REPLACE_ONE else one
