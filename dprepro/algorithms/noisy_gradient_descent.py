"""Algorithm 1 of Arora, Bassily, Guzman, Menart and Ullah (2022): noisy gradient descent on a ball."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import LATER, Algorithm, Parts, Solution, records_changed
from dprepro.algorithms.descent import Descent
from dprepro.algorithms.premises import AlgorithmRule, Assumption, check_positive
from dprepro.budget import Budget
from dprepro.mechanisms import Gaussian
from dprepro.privacy import noise_for
from dprepro.problems import Domain, Problem
from dprepro.support.last_result import cache_last


@dataclass(frozen=True)
class StepRule(AlgorithmRule, ABC):
    """eta."""

    @abstractmethod
    def size(self, domain: Domain, steps: int, noise: float) -> float:
        """Of T ``steps`` with this noise."""


@dataclass(frozen=True)
class LowNoiseStep(StepRule):
    """1/(4H) for all n, for best risks near zero and without privacy."""

    name = "low_noise"
    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.CURVED,)

    def size(self, domain: Domain, steps: int, noise: float) -> float:
        return 1 / (4 * domain.smoothness) if domain.smoothness else math.inf


@dataclass(frozen=True)
class Theorem1Step(LowNoiseStep):
    """min(B/(sqrt(T) max(sqrt(H) Y, sigma sqrt(p))), 1/(4H))."""

    name = "theorem_1"
    assumptions: ClassVar[tuple[Assumption, ...]] = ()

    def size(self, domain: Domain, steps: int, noise: float) -> float:
        size = super().size(domain, steps, noise)
        largest = max(math.sqrt(domain.smoothness) * domain.label_level, noise * math.sqrt(domain.p))
        return min(domain.radius / (math.sqrt(steps) * largest), size) if largest else size


@dataclass(frozen=True)
class NoisyGD(Algorithm):
    """Algorithm 1 with the parameters of Theorem 1: T = n full gradients of the n records, the average returned.

    Errata: the update adds the loss where its gradient is meant, and starts at w_0 where w_1 = 0 is used.

    Attributes:
        constants: ``printed`` sigma^2 = 8 G^2 T ln(1/delta)/(n epsilon)^2 with G of Lemma 2; or ``exact``: the smallest
            sigma that the accountant certifies for the budget, with the true Lipschitz constant L_2 in the place of G:
            for the squared loss it is smaller by 1.4 to 2. With epsilon = inf there is no noise (Corollary 1).
        step: eta: ``theorem_1`` or ``low_noise``; see the classes of `StepRule`.
        step_factor: multiplies the step size; 1 in the paper.
        noise_factor: multiplies sigma; 1 in the paper (less is a negative control).
        steps_factor: T = ceil(steps_factor n); 1 in the paper. Noise and step size follow T.
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.GAUSSIAN, Assumption.SMOOTH)
    stepwise: ClassVar[bool] = True
    version: ClassVar[int] = 2  # since exact constants rest on L_2

    constants: Literal["printed", "exact"] = "printed"
    step: StepRule = Theorem1Step()
    step_factor: float = 1.0
    noise_factor: float = 1.0
    steps_factor: float = field(default=1.0, metadata=LATER)

    def __post_init__(self) -> None:
        check_positive(self, "step_factor", "noise_factor", "steps_factor")

    def premise(self, domain: Domain, budget: Budget) -> str:
        """Without noise the step is 1/(4H), which of a linear loss is infinite."""
        return "" if budget.is_private else Assumption.CURVED.lacks(domain, budget)

    def lipschitz(self, domain: Domain) -> float:
        """G: what a record's gradient is taken to be bounded by, in noise and account alike; see ``constants``."""
        return domain.self_bounding_lipschitz if self.constants == "printed" else domain.lipschitz

    @cache_last
    def schedule(self, domain: Domain, budget: Budget) -> Descent:
        """T, sigma and eta of Theorem 1."""
        self.admit(domain, budget)
        steps = math.ceil(self.steps_factor * int(domain.n))
        noise = self.noise_factor * (self._noise(domain, budget, steps) if budget.is_private else 0.0)
        size = self.step.size(domain, steps, noise)
        return Descent(steps, noise, step_size=self.step_factor * size, decay=0.0, averaged=True)

    def _noise(self, domain: Domain, budget: Budget, steps: int) -> float:
        if self.constants == "printed":
            root = math.sqrt(8 * steps * math.log(1 / budget.delta))
            return self.lipschitz(domain) * root / (domain.n * budget.epsilon)
        sensitivity = self._sensitivity(domain, budget)
        return noise_for(lambda sigma: Gaussian(sigma).guarantee(sensitivity), max(1, steps - 1), budget)

    def _sensitivity(self, domain: Domain, budget: Budget) -> float:
        return records_changed(budget.neighbours) * self.lipschitz(domain) / domain.n

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As printed: w_{t+1} = P(w_t - eta (gradient of the mean loss + N(0, sigma^2 I))), averaged."""
        schedule = self.schedule(problem.domain, budget)
        w, noise = schedule.run(problem.gradient, problem.constraint_set, rng)
        return Solution(w, schedule, self.privacy_loss(problem.domain, budget), noise=noise)

    def parts(self, domain: Domain, budget: Budget) -> Parts | None:
        """T - 1 Gaussian releases of the mean gradient; None without noise."""
        schedule = self.schedule(domain, budget)
        mechanism = Gaussian(schedule.noise_scale)
        return (
            ((mechanism.guarantee(self._sensitivity(domain, budget)), schedule.steps - 1),) if mechanism.scale else None
        )
