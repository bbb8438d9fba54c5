"""Randomised response over the words of a code: the algorithm that the packing argument cannot beat by much."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.budget import Budget, Neighbours
from dprepro.errors import Incompatible, InputError
from dprepro.mechanisms import PureLoss
from dprepro.privacy import spent
from dprepro.problems import BallRisk
from dprepro.problems.codes import check_length, random_linear_code
from dprepro.problems.constants import Constants
from dprepro.problems.problem import Problem


@dataclass(frozen=True)
class CodewordResponse(Algorithm):
    """Answers word i with weight e^(epsilon q_i), q_i the number of records that equal it, or else any word.

    On n copies of one word that is K-ary randomised response at the epsilon of n records, less a little: K - 1 other
    words have weight 1, and "any word" has e^(epsilon (n - 1)). That last part pays for privacy on all other data.

    Why it is epsilon-private for replacement: "any word" has the weight w = A - sum_i e^(epsilon q_i) with
    A = K - 1 + e^(epsilon n) + e^(epsilon (n - 1)), so that the weights always add up to A. As sum_i q_i <= n,
    convexity gives w >= B = e^(epsilon (n - 1)). Replacing a record changes two counts by one, their weights by
    e^(+-epsilon); of these one rises and one falls, so w rises by at most (e^epsilon - 1) e^(epsilon (q - 1)) <=
    (e^epsilon - 1) B <= (e^epsilon - 1) w; it falls by no more than undoing such a step.
    """

    version: ClassVar[int] = 1
    needs: ClassVar[tuple[str, ...]] = ("records",)

    def admit(self, constants: Constants, budget: Budget) -> None:
        """Raise InputError for an infinite epsilon, neighbours whose sizes differ, or a p without a code."""
        if not budget.is_private:
            raise InputError(f"CodewordResponse needs a finite epsilon, got epsilon={budget.epsilon:g}")
        if budget.neighbours is not Neighbours.REPLACE_ONE:
            raise InputError("CodewordResponse knows n; choices for neighbours: replace_one")
        check_length(constants.p)

    def schedule(self, constants: Constants, budget: Budget) -> Schedule:
        """One answer; raises InputError where the budget or the dimension does not allow it."""
        self.admit(constants, budget)
        return Schedule(1)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """Count the words among the records, draw one."""
        if not isinstance(problem, BallRisk):
            raise Incompatible("CodewordResponse counts records; it needs a BallRisk")
        schedule, n = self.schedule(problem.constants, budget), problem.constants.n
        code = random_linear_code(problem.constraint_set.p)
        counts: dict[int, float] = {}
        for record, copies in zip(problem.distinct, problem.counts, strict=True):
            word = code.find(record)
            if word is not None:
                counts[word] = counts.get(word, 0.0) + float(copies)

        extras, total = word_weights(counts, n, code.size, budget.epsilon)
        found = rng.random() * total
        drawn = int(rng.integers(code.size))  # what all words have in common, the weight 1 and "any word", is uniform
        for word, extra in extras.items():
            if 0 <= found < extra:
                drawn = word
            found -= extra
        return Solution(code.words[drawn], schedule, spent(PureLoss(budget.epsilon), 1, budget.delta))


def word_weights(counts: Mapping[int, float], n: float, size: int, epsilon: float) -> tuple[dict[int, float], float]:
    """By how much the weights of the counted words exceed 1, and the sum of all weights A, both over e^(epsilon n)."""

    def weight(count: float) -> float:
        return math.exp(epsilon * (count - n))

    return {word: weight(q) - weight(0) for word, q in counts.items()}, (size - 1) * weight(0) + 1 + weight(n - 1)
