"""A private answer made for the data of the lower bound in low dimension, which nearly attains its level."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution, records_changed
from dprepro.algorithms.premises import Assumption
from dprepro.budget import Budget
from dprepro.errors import InputError
from dprepro.mechanisms import Laplace
from dprepro.problems import Domain, Problem, Records
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class DirectionCounts(Algorithm):
    """Counts in each coordinate j >= 1 the records of either sign of x_0 x_j, adds Laplace noise, answers for a prior.

    Not an algorithm of a paper. A record counts in the coordinate in which it is largest only, so that replacing one
    moves the counts, positive minus negative, by at most 2 in l1, whatever the records are. The prior is that of
    `SignedDirections`: counts +-D, and w_j = -+w_0/sqrt(d), whose best w_0 is B/sqrt 2, less what the signs that stay
    hidden cost. After noise of scale s the log odds of + are 2/s times the noisy count cut off at +-D.

    Attributes:
        flips: D; 0 for floor(1/epsilon).
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.SQUARE, Assumption.PRIVATE)
    representations: ClassVar[tuple[str, ...]] = ("records",)

    flips: int = 0

    def __post_init__(self) -> None:
        if self.flips < 0:
            raise InputError(f"flips must be at least 1, or 0 for floor(1/epsilon), got flips={self.flips}")

    def premise(self, domain: Domain, budget: Budget) -> str:
        return "" if domain.p > 1 else "needs a coordinate beside the first one, got p=1"

    def schedule(self, domain: Domain, budget: Budget) -> Schedule:
        self.admit(domain, budget)
        return Schedule(1, records_changed(budget.neighbours) / budget.epsilon)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        domain, records = problem.domain, problem.records.records
        schedule, most = self.schedule(domain, budget), self._most(budget)
        noisy, noise = Laplace(schedule.noise_scale).release(self.counts(records), rng)
        sign = np.tanh(np.clip(noisy, -most, most) / schedule.noise_scale)
        hidden = 1 - math.tanh(most / schedule.noise_scale) ** 2
        slope = domain.radius / math.sqrt(2) / (1 + hidden / max(1, domain.p - 2))
        theta = slope * np.concatenate([[1.0], -sign / math.sqrt(domain.p - 1)])
        return Solution(theta, schedule, self.privacy_loss(domain, budget), noise=noise)

    @staticmethod
    def counts(records: Records) -> FloatArray:
        """Positive minus negative records of each coordinate from 1 on, shape (p - 1,)."""
        first, others = records.features[:, 0], records.features[:, 1:]
        place = np.abs(others).argmax(axis=1)
        sides = np.sign(first) * np.sign(others[np.arange(len(place)), place])
        return np.bincount(place, sides * records.copies, others.shape[1]).astype(np.float64)

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        """The counts: replacing a record moves them by 2 in l1, silencing one by 1."""
        scale = self.schedule(domain, budget).noise_scale
        return ((Laplace(scale).guarantee(records_changed(budget.neighbours)), 1),)

    def _most(self, budget: Budget) -> int:
        return int(self.flips) or max(1, math.floor(1 / budget.epsilon * (1 + 1e-12)))
