"""The trivial answer: a fixed point of the constraint set, chosen before any data are seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.budget import Budget
from dprepro.privacy import Spent
from dprepro.problems.constants import Constants
from dprepro.problems.problem import Problem


@dataclass(frozen=True)
class DataFree(Algorithm):
    """Returns the set's start (zero for a ball, the barycentre of a simplex): private, and often hard to beat."""

    needs: ClassVar[tuple[str, ...]] = ("records", "moments", "groups", "population", "quadratic", "subspace")
    deterministic: ClassVar[bool] = True

    def schedule(self, constants: Constants, budget: Budget) -> Schedule:
        """One point, no step."""
        return Schedule(1)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """The start; nothing is spent."""
        return Solution(problem.start, Schedule(1), Spent(0.0, 0.0, "the data are not read"))
