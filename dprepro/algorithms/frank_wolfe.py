"""Algorithm 1 of Talwar, Thakurta and Zhang (2015): the Frank-Wolfe algorithm, not private."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.algorithms.premises import Assumption
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.problems import Domain, Problem

StepSize = Literal["decaying", "constant"]


def step_size(kind: StepSize, t: int, steps: int) -> float:
    """mu_t: 2/(t + 2) as Theorem 2.2 has it (``decaying``), or 1/(T + 2) as Algorithm 3 prints it (``constant``)."""
    return 2 / (t + 2) if kind == "decaying" else 1 / (steps + 2)


@dataclass(frozen=True)
class FrankWolfeSchedule(Schedule):
    """Of Algorithms 2 and 3; ``step_regret`` bounds the mean regret of one noisy choice for the linear score."""

    step_regret: float = 0.0


@dataclass(frozen=True)
class FrankWolfe(Algorithm):
    """Algorithm 1: theta_{t+1} = theta_t + mu_t (argmin_C <grad L(theta_t), .> - theta_t) for t = 1..T-1.

    ``steps`` is T. ``step_size`` is ``decaying`` (Theorem 2.2) or ``constant`` (a negative control: a share
    (1 - 1/(T+2))^(T-1), about 1/e, of the first point stays in the answer for ever). Theorem 2.2 asks for a finite
    curvature Gamma, which a loss has that is smooth.
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.SMOOTH,)
    bound: ClassVar[str] = "lasso.theorem_2_2"
    shape: ClassVar[str] = "lasso.theorem_2_2_rate"
    relations: ClassVar[tuple[Neighbours, ...]] = tuple(Neighbours)
    deterministic: ClassVar[bool] = True

    steps: int = 100
    step_size: StepSize = "decaying"

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise InputError(f"steps must be at least 1, got steps={self.steps}")

    def schedule(self, domain: Domain, budget: Budget) -> Schedule:
        self.admit(domain, budget)
        return Schedule(self.steps)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        schedule, constraint_set = self.schedule(problem.domain, budget), problem.constraint_set
        theta = constraint_set.start()
        for t in range(1, self.steps):
            toward = constraint_set.minimise_linear(problem.gradient(theta))
            theta = theta + step_size(self.step_size, t, self.steps) * (toward - theta)
        return Solution(theta, schedule, spent=None)
