"""A private answer made for the data of Theorems 4 and 6 of Arora et al. (2022), which nearly attains their levels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution, records_changed
from dprepro.algorithms.premises import Assumption, Settings
from dprepro.budget import Budget
from dprepro.errors import InputError
from dprepro.mechanisms import Laplace
from dprepro.problems import Domain, Problem


@dataclass(frozen=True)
class SignedCounts(Algorithm):
    """Counts positive minus negative labels of every coordinate, adds Laplace noise, answers for a two-point prior.

    Not an algorithm of the paper. Records are one-hot, (X e_j, +-a_j) or x = 0: replacing one moves the counts by at
    most 2 in l1. The prior is w_j = +-a with counts +-D, D = floor(1/epsilon), a = B/sqrt(d') and the d' at which the
    theorem hides its signs; after Laplace noise of scale s the log odds of + are 2/s times the noisy count cut off at
    +-D. The theorems' level needs odds of e^(+-D epsilon) always; here the answer has them only beyond the cut.

    Attributes:
        setting: ``squared``: d' = min(p, (n epsilon B X/Y)^(2/3)), the posterior mean a tanh(log odds/2).
            ``lipschitz``: d' = min(p, n epsilon), the posterior median a sign(count).
        flips: D; 0 for floor(1/epsilon). d' has 1/D in place of epsilon.
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.PRIVATE,)
    by_setting: ClassVar[Settings] = {"setting": {"squared": (Assumption.CURVED,), "lipschitz": ()}}
    representations: ClassVar[tuple[str, ...]] = ("one_hot",)

    setting: Literal["squared", "lipschitz"] = "squared"
    flips: int = 0

    def __post_init__(self) -> None:
        if self.flips < 0:
            raise InputError(f"flips must be at least 1, or 0 for floor(1/epsilon), got flips={self.flips}")

    def schedule(self, domain: Domain, budget: Budget) -> Schedule:
        self.admit(domain, budget)
        return Schedule(1, records_changed(budget.neighbours) / budget.epsilon)

    def size(self, domain: Domain, budget: Budget) -> float:
        """a; see the class."""
        hidden = domain.n / self._most(budget)
        if self.setting == "squared":
            hidden = (hidden * domain.radius * math.sqrt(domain.smoothness / 2) / domain.label_level) ** (2 / 3)
        return domain.radius / math.sqrt(max(1.0, min(domain.p, hidden)))

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        domain, counts = problem.domain, problem.one_hot
        schedule = self.schedule(domain, budget)
        count = np.zeros(domain.p)
        sides = np.where(counts.label > 0, counts.plus - counts.minus, 0.0)  # a label of 0 has none
        count[: counts.touched] = domain.n * sides
        mechanism = Laplace(schedule.noise_scale)
        noisy, noise = mechanism.release(count, rng)
        most = self._most(budget)
        # the log ratio at x is (|x + D| - |x - D|)/scale
        mean = np.tanh(np.clip(noisy, -most, most) / schedule.noise_scale)
        sign = mean if self.setting == "squared" else np.sign(noisy)
        return Solution(self.size(domain, budget) * sign, schedule, self.privacy_loss(domain, budget), noise=noise)

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        """The counts: replacing a record, or flipping its label, moves them by 2 in l1, silencing one by 1."""
        scale = self.schedule(domain, budget).noise_scale
        return ((Laplace(scale).guarantee(records_changed(budget.neighbours)), 1),)

    def _most(self, budget: Budget) -> int:
        return int(self.flips) or max(1, math.floor(1 / budget.epsilon * (1 + 1e-12)))
