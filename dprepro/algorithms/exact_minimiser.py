"""No privacy at all: the minimiser itself, as a target whose secrets an attack must find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms.base import Algorithm, Solution
from dprepro.budget import Budget, Neighbours
from dprepro.problems import DENSE, REPRESENTATIONS, Problem


@dataclass(frozen=True)
class ExactMinimiser(Algorithm):
    """Returns the certified minimiser of the data, listed where that can be. An attack that misses it has no power."""

    representations: ClassVar[tuple[str, ...]] = REPRESENTATIONS
    relations: ClassVar[tuple[Neighbours, ...]] = tuple(Neighbours)
    deterministic: ClassVar[bool] = True

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        view = problem.dense if problem.representations & set(DENSE) else problem.cheapest
        return Solution(view.minimum.theta, self.schedule(problem.domain, budget), None)
