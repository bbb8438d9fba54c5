"""No privacy at all: the minimiser itself, as a target whose secrets an attack must find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.budget import Budget
from dprepro.problems.constants import Constants
from dprepro.problems.problem import CAPABILITIES, Problem


@dataclass(frozen=True)
class ExactMinimiser(Algorithm):
    """Returns the problem's certified minimiser. An attack that misses it has no power."""

    needs: ClassVar[tuple[str, ...]] = CAPABILITIES
    deterministic: ClassVar[bool] = True

    def schedule(self, constants: Constants, budget: Budget) -> Schedule:
        """One answer, no noise."""
        return Schedule(1)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """The minimiser; it promises no privacy."""
        return Solution(problem.minimum.theta, Schedule(1), None)
