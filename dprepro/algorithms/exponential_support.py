"""Algorithm 4 of Kifer, Smith and Thakurta (2012): the exponential mechanism over supports."""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Literal
from weakref import WeakKeyDictionary

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution, records_changed
from dprepro.algorithms.premises import Assumption, check_positive
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import BoundedRange, GumbelMin
from dprepro.privacy import PrivacyLoss, compose
from dprepro.problems import Domain, Problem, SupportPoint
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.support_answers import IntArray

LISTED_SUPPORTS = 20_000
"""So many supports are scored one by one; of more a chain of swaps draws."""


@dataclass(frozen=True)
class SupportSchedule(Schedule):
    """``noise_scale`` is in the unit of the scores; ``sparsity`` is s, ``loss_bound`` alpha."""

    sparsity: int = 0
    loss_bound: float = 0.0


@dataclass(frozen=True)
class SupportSelection(Algorithm):
    """A private choice of ``sparsity`` coordinates. The answer is a `SupportPoint`, judged by the best point on it.

    Attributes:
        sparsity: s.
    """

    sparsity: int = 2

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.MARGIN, Assumption.ALIKE, Assumption.PRIVATE)
    representations: ClassVar[tuple[str, ...]] = ("moments", "records")

    def __post_init__(self) -> None:
        if self.sparsity < 1:
            raise InputError(f"sparsity must be at least 1, got sparsity={self.sparsity}")

    def premise(self, domain: Domain, budget: Budget) -> str:
        if self.sparsity > domain.p:
            return f"needs sparsity <= p, got sparsity={self.sparsity}, p={domain.p}"
        return ""

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        schedule = self.schedule(problem.domain, budget)
        support = SupportPoint(self.support(problem, budget, rng))
        return Solution(support, schedule, self.privacy_loss(problem.domain, budget))

    @abstractmethod
    def support(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> IntArray:
        """The choice, ascending, shape (s,)."""


@dataclass(frozen=True)
class ExponentialSupport(SupportSelection):
    """A support S of s coordinates with probability proportional to exp(-epsilon q(S)/(2 alpha)).

    q(S) = min of the sum of the losses over the set, theta zero outside S; alpha bounds a record's |loss| there.

    Attributes:
        constants: ``printed``, see above. A record moves every score by an amount between its least and its largest
            loss, so where the loss is not negative a record that comes, goes or is zeroed out costs half of epsilon;
            ``exact`` is the least scale for the budget.
        noise_factor: multiplies the scale 2 alpha/epsilon; 1 is the paper's (others are negative controls; section
            3.2's exp(-epsilon q alpha) is 1/(2 alpha^2)).
        sampler: ``listed``: every support is scored; ``swaps``: a Metropolis chain that exchanges one coordinate a
            step, which has the law in the limit of many steps; ``automatic``: the former for `LISTED_SUPPORTS` or less.
        swaps: steps of the chain.
    """

    relations: ClassVar[tuple[Neighbours, ...]] = tuple(Neighbours)

    constants: Literal["printed", "exact"] = "printed"
    noise_factor: float = 1.0
    sampler: Literal["automatic", "listed", "swaps"] = "automatic"
    swaps: int = 2000

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "noise_factor", "swaps")

    def schedule(self, domain: Domain, budget: Budget) -> SupportSchedule:
        """``noise_scale`` is that of the mean score q/n."""
        self.admit(domain, budget)
        least, most = domain.section(self.sparsity).loss_range
        alpha = max(-least, most)
        unit = 2 * alpha if self.constants == "printed" else records_changed(budget.neighbours) * (most - least)
        scale = self.noise_factor * unit / (budget.epsilon * domain.n)
        return SupportSchedule(1, scale, self.sparsity, alpha)

    def support(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> IntArray:
        """Line 1 of the algorithm, by Gumbel noise on the scores or by swaps."""
        scale = self.schedule(problem.domain, budget).noise_scale
        if self._listed(problem.domain):
            best, _ = GumbelMin(scale).select(self.scores(problem), rng)
            return np.asarray(self.supports(problem.domain)[best])
        return self._swapped(problem, scale, rng)

    def supports(self, domain: Domain) -> IntArray:
        """All of them, shape (number, s)."""
        return np.array(list(itertools.combinations(range(domain.p), self.sparsity)), dtype=np.int64)

    def scores(self, problem: Problem) -> FloatArray:
        """q(S)/n of all supports, in their order; remembered while the problem lives, in which all runs share them."""
        known = _scores.setdefault(problem, {})
        if self.sparsity not in known:
            values = problem.supports.value
            known[self.sparsity] = np.array(
                [values(SupportPoint(support)) for support in self.supports(problem.domain)]
            )
        return known[self.sparsity]

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        """Every score of the sum moves within an interval as long as a record's losses, twice that when replaced."""
        least, most = domain.section(self.sparsity).loss_range
        moved = records_changed(budget.neighbours) * (most - least)
        return ((BoundedRange(moved / (domain.n * self.schedule(domain, budget).noise_scale)), 1),)

    def privacy_loss(self, domain: Domain, budget: Budget) -> PrivacyLoss:
        certified = compose(self.parts(domain, budget), budget.delta)
        if self._listed(domain):
            return certified
        return replace(certified, conversion=f"{certified.conversion}, in the limit of many swaps")

    def _listed(self, domain: Domain) -> bool:
        few = math.comb(domain.p, self.sparsity) <= LISTED_SUPPORTS if domain.p < 1e9 else self.sparsity == 0
        return self.sampler == "listed" or (self.sampler == "automatic" and few)

    def _swapped(self, problem: Problem, scale: float, rng: np.random.Generator) -> IntArray:
        p, values = problem.domain.p, problem.supports.value
        support = rng.choice(p, self.sparsity, replace=False)
        score = values(SupportPoint(support))
        for _ in range(self.swaps if self.sparsity < p else 0):
            proposed = support.copy()
            outside = np.setdiff1d(np.arange(p), support, assume_unique=True)
            proposed[rng.integers(self.sparsity)] = rng.choice(outside)
            other = values(SupportPoint(proposed))
            if math.log(1.0 - rng.random()) < (score - other) / scale:
                support, score = proposed, other
        return np.sort(support)


_scores: WeakKeyDictionary[Problem, dict[int, FloatArray]] = WeakKeyDictionary()
