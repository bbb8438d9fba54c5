"""Algorithm 5 of Kifer, Smith and Thakurta (2012), sample and aggregate, and the fit that votes in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal
from weakref import WeakKeyDictionary

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution
from dprepro.algorithms.exponential_support import SupportSchedule, SupportSelection
from dprepro.algorithms.premises import Assumption, ZeroedOut, check_positive
from dprepro.budget import Budget, Neighbours
from dprepro.errors import Incompatible, InputError
from dprepro.mechanisms import NoisyTop
from dprepro.problems import Domain, L1Ball, Moments, Problem, Records, RecordsView
from dprepro.problems.minimise import minimise_quadratic
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.support_answers import IntArray

MOST_RECORDS = 2e6
"""Records that are put into blocks one by one."""


def penalised_fit(records: Records, penalty: float) -> tuple[FloatArray, float]:
    """argmin over all theta of (1/2n) ||y - X theta||^2 + (penalty/n) ||theta||_1, and its duality gap.

    No minimiser is longer than (1/2) ||y||^2/penalty in l1: zero has that much risk. The ball of this radius holds it.
    """
    weights, x, y = records.weights, records.features, records.targets
    cross, constant = 0.5 * (weights * y) @ x, 0.5 * float(weights @ y**2)
    weight = penalty / records.n
    if 2 * np.abs(cross).max() <= weight:  # zero is a minimiser
        return np.zeros(records.p), 0.0
    quadratic = Moments(cross, constant, factor=np.sqrt(0.5 * weights)[:, None] * x)
    return minimise_quadratic(quadratic, L1Ball(records.p, constant / weight), weight)


def top_of_fit(records: Records, size: int, penalty: float) -> IntArray:
    """A_supp: the largest coordinates of the fit by absolute value, at most ``size`` and none that is zero."""
    fit = np.abs(penalised_fit(records, penalty)[0])
    largest = np.argsort(-fit, kind="stable")[:size]
    return np.sort(largest[fit[largest] > 0])


def printed_penalty(rows: float, p: float, deviation: float) -> float:
    """Lambda = 4 sigma sqrt(rows ln p): of a block of sqrt(n) rows 4 sigma n^(1/4) sqrt(ln p), as Lemma 41 has it."""
    return 4 * deviation * math.sqrt(rows * math.log(p))


@dataclass(frozen=True)
class PenalisedLeastSquares(Algorithm):
    """The fit of A_supp on all data: no privacy, and no set. Lemma 42 says how far it is from the truth.

    Attributes:
        deviation: sigma in Lambda = 4 sigma sqrt(n ln p).
        penalty_factor: multiplies Lambda; 1 is the paper's (others are negative controls).
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.SQUARE,)
    representations: ClassVar[tuple[str, ...]] = ("records",)
    relations: ClassVar[tuple[Neighbours, ...]] = tuple(Neighbours)
    measures: ClassVar[tuple[str, ...]] = ("fit_gap",)
    deterministic: ClassVar[bool] = True

    deviation: float = 0.1
    penalty_factor: float = 1.0

    def __post_init__(self) -> None:
        check_positive(self, "deviation", "penalty_factor")

    def premise(self, domain: Domain, budget: Budget) -> str:
        return lacks_dimensions(domain)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        self.admit(problem.domain, budget)
        penalty = self.penalty_factor * printed_penalty(problem.domain.n, problem.domain.p, self.deviation)
        theta, gap = penalised_fit(problem.records.records, penalty)
        return Solution(problem.constraint_set.project(theta), Schedule(1), None, {"fit_gap": gap})


@dataclass(frozen=True)
class VoteSchedule(SupportSchedule):
    """``noise_scale`` is that of the mean votes, 2 s/(k epsilon); ``blocks`` is k."""

    blocks: int = 0


@dataclass(frozen=True)
class SampleAndAggregate(SupportSelection):
    """k blocks of records vote for the coordinates of their fits; the s largest noisy means of votes are chosen.

    Attributes:
        blocks: k, which has to be public; 0 for floor(sqrt n), as Algorithm 6 has it.
        deviation: sigma in the fits' penalty, see `printed_penalty`.
        penalty_factor: multiplies the penalty; 1 is the paper's (others are negative controls).
        partition: ``random``: blocks of n/k records, the last one takes what is left over, all partitions being as
            likely; n has to be public. ``assigned``: each record goes to a block at random, independently of all
            others, so that a record that comes or goes changes one block only. ``contiguous``: the blocks of
            ``random``, of records in their order, which has to be a part of the data (`Records.in_order`): of a
            multiset, a record replaced by a second copy of another could move every border. ``as_printed``: the
            contiguous blocks of any records, under any relation; nothing is promised (see the errata).
        noise_factor: multiplies the noise; 1 is the paper's (others are negative controls).
    """

    blocks: int = 0
    deviation: float = 0.1
    penalty_factor: float = 1.0
    partition: Literal["random", "assigned", "contiguous", "as_printed"] = "random"
    noise_factor: float = 1.0

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.SQUARE, Assumption.ALIKE, Assumption.PRIVATE)
    zeroed_out_noise: ClassVar[ZeroedOut] = "other"  # one block moves wholly
    representations: ClassVar[tuple[str, ...]] = ("records",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "deviation", "penalty_factor", "noise_factor")
        if self.blocks < 0 or (self.partition == "assigned" and not self.blocks):
            least = 1 if self.partition == "assigned" else 0
            raise InputError(
                f"blocks must be at least {least} with partition={self.partition}, got blocks={self.blocks}"
            )

    @property
    def relations(self) -> tuple[Neighbours, ...]:
        return tuple(Neighbours) if self.partition in ("assigned", "as_printed") else super().relations

    def premise(self, domain: Domain, budget: Budget) -> str:
        if reason := lacks_dimensions(domain) or super().premise(domain, budget):
            return reason
        low, most = self.number(domain.n), MOST_RECORDS
        # An assigned block may be empty: whether there is an answer must not tell a private n.
        if self.partition != "assigned" and not low <= domain.n <= most:
            return f"needs n from blocks={low} to {most:g}, to fill every block, got n={domain.n:g}"
        return ""

    def number(self, n: float) -> int:
        """k."""
        return self.blocks or math.isqrt(int(n))

    def schedule(self, domain: Domain, budget: Budget) -> VoteSchedule:
        self.admit(domain, budget)
        blocks = self.number(domain.n)
        scale = self.noise_factor * 2 * self.sparsity / (blocks * budget.epsilon)
        return VoteSchedule(1, scale, self.sparsity, 1.0, blocks)

    def support(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> IntArray:
        scale = self.schedule(problem.domain, budget).noise_scale
        votes = self.votes(problem, rng)  # lines 1 to 4
        chosen, _ = NoisyTop(scale).select(votes, self.sparsity, rng)  # lines 5 and 6
        return chosen

    def votes(self, problem: Problem, rng: np.random.Generator) -> FloatArray:
        """The mean over the blocks of the indicators of their supports, shape (p,).

        Raises:
            Incompatible: contiguous blocks of records that have no order.
        """
        view, n = problem.records, problem.domain.n
        if self.partition == "random":
            return self.mean_of_votes(view.records, rng.permutation(self.borders(round(n))))
        if self.partition == "assigned":
            if n <= MOST_RECORDS:
                return self.mean_of_votes(view.records, rng.integers(self.number(n), size=round(n)))
            counts = rng.multinomial(whole_copies(view.records), np.full(self.number(n), 1 / self.number(n)))
            return self._mean(view.records, [(np.flatnonzero(some), some[some > 0]) for some in counts.T])
        if reason := self.lacks_order(view.records):
            raise Incompatible(reason)
        known = _votes.setdefault(view, {})
        if self not in known:
            known[self] = self.mean_of_votes(view.records, self.borders(round(n)))
        return known[self]

    def lacks_order(self, records: Records) -> str:
        """Why these records cannot be put into blocks of that kind; empty if they can."""
        if self.partition != "contiguous" or records.in_order:
            return ""
        choices = "choices: partition=random, or partition=assigned with blocks=k"
        return f"partition=contiguous needs records whose order is a part of the data, these are a multiset; {choices}"

    def borders(self, n: int) -> IntArray:
        """The block of each place, shape (n,)."""
        blocks = self.number(n)
        return np.minimum(np.arange(n) // (n // blocks), blocks - 1)

    def mean_of_votes(self, records: Records, block: IntArray) -> FloatArray:
        """For records in turn, each in the block of that number."""
        rows, order = in_turn(records), np.argsort(block, kind="stable")
        parts = np.split(rows[order], np.searchsorted(block[order], np.arange(1, self.number(records.n))))
        return self._mean(records, [np.unique(part, return_counts=True) for part in parts])

    def _mean(self, records: Records, parts: Sequence[tuple[IntArray, IntArray]]) -> FloatArray:
        """By the distinct records of each block and their copies; blocks of the same records vote alike."""
        votes, seen = np.zeros(records.p), dict[bytes, IntArray]()
        for distinct, copies in parts:
            key = distinct.tobytes() + copies.tobytes()
            if key not in seen:
                seen[key] = self.vote(records, distinct, copies)
            votes[seen[key]] += 1
        return votes / len(parts)

    def vote(self, records: Records, distinct: IntArray, copies: IntArray) -> IntArray:
        """The support of one block's fit; a block without records has none.

        Ties fall by rounding, so records are merged first: how they are held must not turn votes.
        """
        if not distinct.size:
            return np.zeros(0, dtype=np.int64)
        features, labels = records.features[distinct], records.targets[distinct]
        part = Records(features, labels, copies.astype(np.float64)).merged()
        return top_of_fit(part, self.sparsity, self.penalty_factor * printed_penalty(part.n, part.p, self.deviation))

    def parts(self, domain: Domain, budget: Budget) -> Parts | None:
        """One block's vote changes from one support to another: by 2 s/k in l1, as all are released with noise."""
        if self.partition == "as_printed":
            return None
        schedule = self.schedule(domain, budget)
        return ((NoisyTop(schedule.noise_scale).guarantee(2 * self.sparsity / schedule.blocks), 1),)


_votes: WeakKeyDictionary[RecordsView, dict[SampleAndAggregate, FloatArray]] = WeakKeyDictionary()


def whole_copies(records: Records) -> IntArray:
    """How many of each distinct record there are, shape (K,); raises InputError where these are no whole numbers."""
    copies = np.rint(records.copies).astype(np.int64)
    if not np.allclose(copies, records.copies, rtol=0, atol=1e-9 * records.n):
        raise InputError("only whole numbers of records can be put into blocks")
    return np.asarray(copies)


def in_turn(records: Records) -> IntArray:
    """The distinct record that stands at each place, shape (n,): see `Records.in_order`."""
    copies = whole_copies(records)
    rows = np.repeat(np.arange(copies.size), copies)
    rounds = np.concatenate([np.arange(count) for count in copies])
    return np.asarray(rows[np.argsort(rounds, kind="stable")])


def lacks_dimensions(domain: Domain) -> str:
    """The penalty is of order sqrt(ln p)."""
    return "" if domain.p >= 2 else f"needs p >= 2, or its penalty sqrt(ln p) is zero, got p={domain.p}"
