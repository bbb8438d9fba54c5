"""What a reduction is: the same law of the answer at less cost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, FrankWolfe, NoisyFrankWolfe, Solution
from dprepro.algorithms.base import Schedule
from dprepro.budget import Budget
from dprepro.errors import Incompatible
from dprepro.problems.problem import Problem


@dataclass(frozen=True)
class Reduction(ABC):
    """Wraps an algorithm; ``solve`` returns an answer equal to the algorithm's **in distribution**."""

    algorithm: Algorithm
    version: ClassVar[int] = 1
    needs: ClassVar[tuple[str, ...]] = ()  # capabilities of the problem of which one suffices
    demands: ClassVar[tuple[str, ...]] = ()  # those that must all be there besides
    serves: ClassVar[tuple[type[Algorithm], ...]] = ()

    @abstractmethod
    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``."""

    @classmethod
    def obstacle(cls, algorithm: Algorithm, capabilities: frozenset[str]) -> str:
        """Why this reduction cannot be used here; empty if it can."""
        # A subclass may have a ``solve`` of its own: only the very algorithms are known to be equal in distribution.
        if type(algorithm) not in cls.serves:
            names = ", ".join(kind.__name__ for kind in cls.serves)
            return f"{cls.__name__} serves {names}, not {type(algorithm).__name__}"
        if not capabilities & set(cls.needs):
            return (
                f"{cls.__name__} needs a problem with {' or '.join(cls.needs)}; this one offers "
                f"{', '.join(sorted(capabilities))}"
            )
        if lacking := [one for one in cls.demands if one not in capabilities]:
            return f"{cls.__name__} needs a problem with {', '.join(lacking)} too; this one has none"
        return ""


def vertex_plan(algorithm: Algorithm, problem: Problem, budget: Budget) -> tuple[Schedule, str, bool]:
    """Schedule, noise kind and whether steps are constant, of a Frank-Wolfe algorithm over vertices."""
    if isinstance(algorithm, NoisyFrankWolfe):
        kind: str = algorithm.selection
    elif isinstance(algorithm, FrankWolfe):
        kind = "none"
    else:
        raise Incompatible(f"{type(algorithm).__name__} does not select vertices")
    return algorithm.schedule(problem.constants, budget), kind, algorithm.step_size == "constant"


def vertex_solution(algorithm: Algorithm, problem: Problem, budget: Budget, theta: object, plan: Schedule) -> Solution:
    """The solution with the privacy that the wrapped algorithm reports."""
    spent = algorithm.spent(problem.constants, budget) if isinstance(algorithm, NoisyFrankWolfe) else None
    return Solution(theta, plan, spent)
