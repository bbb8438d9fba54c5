"""Algorithm 1 of Talwar, Thakurta and Zhang (2015): the Frank-Wolfe algorithm, not private."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.algorithms.premises import Assumption
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.problems import Domain, Problem
from dprepro.support.named import NamedRule


@dataclass(frozen=True)
class StepSize(NamedRule, ABC):
    """mu_t, the weight of the new point in step t of T."""

    @abstractmethod
    def at(self, t: int, steps: int) -> float:
        """mu_t; ``steps`` is T."""


@dataclass(frozen=True)
class DecayingStep(StepSize):
    """2/(t + 2), as Theorem 2.2 has it."""

    name = "decaying"

    def at(self, t: int, steps: int) -> float:
        return 2 / (t + 2)


@dataclass(frozen=True)
class ConstantStep(StepSize):
    """1/(T + 2), as Algorithm 3 prints it.

    As a negative control: a share (1 - 1/(T + 2))^(T - 1), about 1/e, of the first point stays in the answer for ever.
    """

    name = "constant"

    def at(self, t: int, steps: int) -> float:
        return 1 / (steps + 2)


@dataclass(frozen=True)
class FrankWolfeSchedule(Schedule):
    """Of Algorithms 2 and 3; ``step_regret`` bounds the mean regret of one noisy choice for the linear score."""

    step_regret: float = 0.0


@dataclass(frozen=True)
class FrankWolfe(Algorithm):
    """Algorithm 1: theta_{t+1} = theta_t + mu_t (argmin_C <grad L(theta_t), .> - theta_t) for t = 1..T-1.

    Attributes:
        steps: T.
        step_size: mu_t: ``decaying`` or ``constant``; see the classes of `StepSize`.

    Theorem 2.2 asks for a finite curvature Gamma, which a smooth loss has.
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.SMOOTH,)
    bound: ClassVar[str] = "lasso.theorem_2_2"
    proved_rate: ClassVar[str] = "lasso.theorem_2_2_rate"
    relations: ClassVar[tuple[Neighbours, ...]] = tuple(Neighbours)
    deterministic: ClassVar[bool] = True
    stepwise: ClassVar[bool] = True

    steps: int = 100
    step_size: StepSize = DecayingStep()

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
            theta = theta + self.step_size.at(t, self.steps) * (toward - theta)
        return Solution(theta, schedule, privacy_loss=None)
