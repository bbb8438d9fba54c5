"""Noisy votes for a support, exactly."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from dprepro.algorithms import SampleAndAggregate
from dprepro.algorithms.sample_and_aggregate import whole_copies
from dprepro.budget import Neighbours
from dprepro.errors import Incompatible
from dprepro.laws.base import NeighbourLaws
from dprepro.laws.support_law import ChoiceLaw, Row, Rows, problem_of, sparse_domain
from dprepro.mechanisms import NoisyTop
from dprepro.problems import Domain, Problem, Records
from dprepro.problems.problem_data import FloatArray

State: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""How many records of each kind are left, and the votes so far."""

MOST_SPLITS = 200_000
"""Ways to fill blocks, one after the other, that are gone through."""


@dataclass(frozen=True)
class VotesLaw(ChoiceLaw):
    """The mean over the ways to put records into blocks of the law of the noisy votes, for two coordinates and s = 1.

    Neighbours where n is public, of lists in their order: v of k blocks vote for the first coordinate, and a record
    that changes turns one of these. Where n is private: a record comes to ``records`` others that are put into blocks
    at random; or, for contiguous blocks, to the front of blocks whose votes hang on their last record, which is then
    that of the block before: all votes turn.

    Attributes:
        records: n of the data that are put into blocks at random.
    """

    records: float = 5.0
    plain: ClassVar[Domain] = sparse_domain(2, 1)

    @classmethod
    def obstacle(cls, domain: Domain) -> str:
        return "" if domain.p == 2 else f"is known for two coordinates, not at p={domain.p}"

    def probabilities(self, problem: Problem) -> FloatArray:
        algorithm, n = self.algorithm, round(problem.domain.n)
        assert isinstance(algorithm, SampleAndAggregate)
        records, blocks = problem.records.records, algorithm.number(n)
        if reason := algorithm.lacks_order(records):
            raise Incompatible(reason)
        mechanism = NoisyTop(algorithm.schedule(problem.domain, self.budget).noise_scale)
        if algorithm.partition in ("contiguous", "as_printed"):
            return _chances(mechanism, algorithm.mean_of_votes(records, algorithm.borders(n)))
        total = np.zeros(2)
        for votes, chance in self._votes(records.merged(), blocks).items():
            total += chance * _chances(mechanism, np.array(votes) / blocks)
        return total

    def _votes(self, records: Records, blocks: int) -> Mapping[tuple[int, ...], float]:
        """How many blocks vote for each coordinate, with the probabilities: block by block, by what is left over.

        A block has ``c`` of ``left`` equal records with hypergeometric chances where its size is fixed, and with
        binomial ones where each record is in one of the blocks that are left.
        """
        algorithm = self.algorithm
        assert isinstance(algorithm, SampleAndAggregate)
        sizes = np.bincount(algorithm.borders(round(records.n))) if algorithm.partition == "random" else None
        found: dict[tuple[int, ...], tuple[int, ...]] = {}
        states: Mapping[State, float] = {(tuple(whole_copies(records).tolist()), (0, 0)): 1.0}
        work = 0
        for block in range(blocks):
            share, after = 1 / (blocks - block), defaultdict[State, float](float)
            for (left, votes), chance in states.items():
                taken = range(sum(left) + 1) if sizes is None else (int(sizes[block]),)
                for held in (held for size in taken for held in _held(left, size)):
                    work += 1
                    if work > MOST_SPLITS:
                        raise Incompatible(f"records go into {blocks} blocks in more than {MOST_SPLITS} ways")
                    ways = math.prod(map(math.comb, left, held))
                    if sizes is None:
                        ways_share = ways * share ** sum(held) * (1 - share) ** (sum(left) - sum(held))
                    else:
                        ways_share = ways / math.comb(sum(left), sum(held))
                    if not ways_share:
                        continue
                    if held not in found:
                        kinds = np.flatnonzero(held)
                        chosen = algorithm.vote(records, kinds, np.array(held)[kinds])
                        found[held] = tuple(int(j in chosen) for j in (0, 1))
                    both = tuple(have + more for have, more in zip(votes, found[held], strict=True))
                    after[tuple(a - b for a, b in zip(left, held, strict=True)), both] += chance * ways_share
            states = after
        total = defaultdict[tuple[int, ...], float](float)
        for (_, votes), chance in states.items():
            total[votes] += chance
        return total

    def pairs(self) -> Iterator[NeighbourLaws]:
        for first, second in self.neighbours():
            yield self.between(problem_of(self.domain, first), problem_of(self.domain, second))

    def neighbours(self) -> Iterator[tuple[Rows, Rows]]:
        """Data sets that differ in one record; see the class."""
        algorithm = self.algorithm
        assert isinstance(algorithm, SampleAndAggregate)
        one: Row = ([1.0, 0.0], 1.0, 1.0)
        other: Row = ([0.0, 1.0], 0.5, 1.0)
        silent: Row = ([0.0, 0.0], 0.0, 1.0)
        if not self.budget.neighbours.n_is_public and algorithm.partition == "assigned":
            for ones in range(int(self.records) + 1):
                rows = [one] * ones + [other] * (int(self.records) - ones)
                yield from ((rows, [record, *rows]) for record in (one, other))
            return
        k = algorithm.blocks or 4
        width = max(2, k) if not algorithm.blocks else 2  # k blocks of k records where k is the root of n
        if not self.budget.neighbours.n_is_public:
            graded: list[Row] = []
            for i in range(k):
                graded += [silent] * (width - 2) + [([0.0, 1.0], (i + 0.5) / k, 1.0), ([1.0, 0.0], (i + 1) / k, 1.0)]
            yield graded, [([1.0, 0.0], 0.25 / k, 1.0), *graded]
            return
        changed: Row = silent if self.budget.neighbours is Neighbours.ZERO_OUT else ([0.0, 1.0], 1.0, 1.0)
        for ones in sorted({1, (k + 1) // 2, k}):
            voting = [[one, other]] * (ones - 1) + [[silent, other]] * (k - ones)
            rest = [record for block in voting for record in [silent] * (width - 2) + block]
            blank = [silent] * (width - 2)
            yield [*blank, one, other, *rest], [*blank, changed, other, *rest]

    @property
    def measures(self) -> tuple[str, ...]:
        return ("top_of_scores",)

    def report(self) -> Mapping[str, tuple[float, float]]:
        """Theorem 37 with the algorithm's noise: the largest loss over p <= 5, s <= 3 and score vectors.

        The chosen lie below all others by some gap, and the scores of the former rise by Delta q = 1 while those of the
        latter fall by as much.
        """
        algorithm, epsilon, largest = self.algorithm, self.budget.epsilon, 0.0
        assert isinstance(algorithm, SampleAndAggregate)
        for p, s in itertools.product(range(2, 6), range(1, 4)):
            if s >= p:
                continue
            scale = algorithm.noise_factor * 2 * s / epsilon
            mechanism, chosen = NoisyTop(scale), np.arange(s)
            for gap in (0.0, 2.0, 2 * scale, 10 * scale, 30 * scale):
                scores = np.where(np.arange(p) < s, -gap, 0.0)
                shifted = scores + np.where(np.arange(p) < s, 1.0, -1.0)
                before, after = (mechanism.probability(vector, chosen) for vector in (scores, shifted))
                largest = max(largest, abs(math.log(after / before)))
        return {"top_of_scores": (largest, epsilon)}


def _held(left: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
    """The ways to have ``size`` records of so many of each kind."""
    if not left:
        if not size:
            yield ()
        return
    for first in range(max(0, size - sum(left[1:])), min(left[0], size) + 1):
        for rest in _held(left[1:], size - first):
            yield (first, *rest)


def _chances(mechanism: NoisyTop, votes: FloatArray) -> FloatArray:
    """Of either coordinate to have the larger noisy votes."""
    return np.array([mechanism.probability(votes, np.array([j])) for j in (0, 1)])
