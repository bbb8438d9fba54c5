"""The trivial answer: a fixed point of the constraint set, chosen before any data are seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Solution
from dprepro.budget import Budget, Neighbours
from dprepro.privacy import PrivacyLoss
from dprepro.problems import REPRESENTATIONS, Domain, Problem


@dataclass(frozen=True)
class DataFree(Algorithm):
    """Returns the set's start (zero for a ball, the barycentre of a simplex): private, and often hard to beat."""

    representations: ClassVar[tuple[str, ...]] = REPRESENTATIONS
    relations: ClassVar[tuple[Neighbours, ...]] = tuple(Neighbours)
    deterministic: ClassVar[bool] = True

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        return Solution(problem.start, self.schedule(problem.domain, budget), self.privacy_loss(problem.domain, budget))

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        return ()

    def privacy_loss(self, domain: Domain, budget: Budget) -> PrivacyLoss:
        return PrivacyLoss(0.0, 0.0, "the data are not read")
