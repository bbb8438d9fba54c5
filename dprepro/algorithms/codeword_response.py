"""Randomised response over the words of a code: the algorithm that the packing argument cannot beat."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Solution
from dprepro.algorithms.premises import Assumption
from dprepro.budget import Budget
from dprepro.errors import InputError
from dprepro.mechanisms import PureLoss
from dprepro.problems import Domain, Problem
from dprepro.problems.codes import check_length, double_circulant_code


@dataclass(frozen=True)
class CodewordResponse(Algorithm):
    """Answers one of K words, word i with the weight max(e^(epsilon q_i), level), q_i records being equal to it.

    The level is the one at which all weights add up to A = K - 1 + e^(epsilon n). On n copies of one word it is 1:
    K-ary randomised response, which says that word with probability e^(epsilon n)/A, as often as group privacy allows.

    Why it is epsilon-private for replacement, by a record that says nothing too, which is no word. As sum_i q_i <= n,
    convexity gives sum_i e^(epsilon q_i) <= A, so there is a level, and it is at least 1. A replacement changes the
    counts of two words by one, their weights by e^(+-epsilon): it is enough that the level moves by no more. Let q_i
    fall, and raise the level by e^epsilon. Word i then loses at most (e^epsilon - 1) e^(epsilon (q_i - 1)), and each of
    the words that no record is, K - 1 - (n - q_i) at least besides i, gains e^epsilon - 1 at least. The weights so add
    up to A or more wherever K - 1 >= n - q + e^(epsilon (q - 1)) for q = 1, ..., n. That is convex in q; the premise
    has both ends. The level cannot fall by more, or undoing the step would raise it by more.
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.PRIVATE,)
    representations: ClassVar[tuple[str, ...]] = ("records",)

    def premise(self, domain: Domain, budget: Budget) -> str:
        try:
            check_length(domain.p)
        except InputError as error:
            return f"answers with a word: {error}"
        word, within = np.full(domain.p, 1 / math.sqrt(domain.p)), domain.constraint_set
        if domain.proper and not (within.contains(word) and within.contains(-word)):
            return f"needs a set that contains the words, of norm 1; got {within.title} of radius {within.radius:g}"
        others = 2 ** (domain.p // 2) - 1
        if domain.n > others or budget.epsilon * (domain.n - 1) > math.log(others):
            return f"needs K - 1 >= n and K - 1 >= e^(epsilon (n - 1)), got n={domain.n:g} and K - 1 = {others}"
        return ""

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        schedule, records = self.schedule(problem.domain, budget), problem.records.records
        code = double_circulant_code(problem.domain.p)
        counts: dict[int, float] = {}
        for record, copies in zip(records.features, records.copies, strict=True):
            word = code.find(record)
            if word is not None:
                counts[word] = counts.get(word, 0.0) + float(copies)

        extras, total = word_weights(counts, problem.domain.n, code.size, budget.epsilon)
        found = rng.random() * total
        drawn = int(rng.integers(code.size))  # what all words have in common, the level, is uniform
        for word, extra in extras.items():
            if 0 <= found < extra:
                drawn = word
            found -= extra
        return Solution(code.words[drawn], schedule, self.privacy_loss(problem.domain, budget))

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        return ((PureLoss(budget.epsilon), 1),)


def word_weights(counts: Mapping[int, float], n: float, size: int, epsilon: float) -> tuple[dict[int, float], float]:
    """By how much the weights of the counted words exceed the level, and A, both over e^(epsilon n)."""
    weights = {word: math.exp(epsilon * (count - n)) for word, count in counts.items()}
    total = (size - 1) * math.exp(-epsilon * n) + 1
    high = sorted(weights.values(), reverse=True)
    while high and high[-1] * (size - len(high)) < total - sum(high):  # the least of them is below the level
        high.pop()
    level = (total - sum(high)) / (size - len(high))
    return {word: max(0.0, weight - level) for word, weight in weights.items()}, total
