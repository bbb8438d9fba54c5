"""What a reduction is: the same law of the answer at less cost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, Solution
from dprepro.budget import Budget
from dprepro.problems import Domain, Problem


@dataclass(frozen=True)
class Reduction(ABC):
    """Wraps an algorithm; ``solve`` returns an answer equal to the algorithm's **in distribution**.

    Class attributes:
        version: raise it when the use of the random stream changes.
        serves: the algorithms, by their very classes: a subclass may have a ``solve`` of its own.
        representations: what it needs of `Construction.representations`, all of them.
        either: further ones, of which it needs one.
        to_the_bits: whether ``solve_many`` answers as ``solve`` does to the last bit, and not in law or rounding only.
    """

    algorithm: Algorithm
    version: ClassVar[int] = 1
    serves: ClassVar[tuple[type[Algorithm], ...]] = ()
    representations: ClassVar[tuple[str, ...]] = ()
    either: ClassVar[tuple[str, ...]] = ()
    to_the_bits: ClassVar[bool] = True

    @abstractmethod
    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``."""

    def solve_many(self, problem: Problem, budget: Budget, rngs: Sequence[np.random.Generator]) -> Sequence[Solution]:
        """One answer for each stream, those of ``solve``; a reduction that solves them together says so."""
        return [self.solve(problem, budget, rng) for rng in rngs]

    def effort(self, problem: Problem, budget: Budget) -> tuple[int, int]:
        """How many steps it takes on these data, and of how many coordinates at least.

        Raises:
            PremiseError: it cannot run on them.
        """
        return self.algorithm.schedule(problem.domain, budget).steps, 1

    @classmethod
    def obstacle(cls, algorithm: Algorithm, domain: Domain, representations: frozenset[str]) -> str:
        """Why this reduction cannot be used there, by declarations alone; empty if it can."""
        if type(algorithm) not in cls.serves:
            names = ", ".join(kind.__name__ for kind in cls.serves)
            return f"{cls.__name__} serves {names}, not {type(algorithm).__name__}"
        lacking = ", ".join(
            representation for representation in cls.representations if representation not in representations
        )
        if not lacking and cls.either and not representations & set(cls.either):
            lacking = " or ".join(cls.either)
        if lacking:
            return f"{cls.__name__} needs a problem with {lacking}; this one has {', '.join(sorted(representations))}"
        reason = cls.premise(algorithm, domain)
        return f"{cls.__name__} {reason}" if reason else ""

    @classmethod
    def premise(cls, algorithm: Algorithm, domain: Domain) -> str:
        """What else it lacks there, as the rest of a sentence; empty if nothing."""
        return ""


def lacks_coefficients(domain: Domain) -> str:
    """What a loss lacks that is to be quadratic; empty if nothing."""
    return "" if domain.loss.quadratic else f"needs a quadratic loss, {type(domain.loss).__name__} is none"
