"""Sparse regression on two coordinates, exactly: a private support, and objective perturbation on it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import ExponentialSupport, SampleAndAggregate, SparseRegression
from dprepro.budget import Neighbours
from dprepro.laws.base import NeighbourLaws
from dprepro.laws.perturbation_law import Data, ObjectivePerturbationLaw
from dprepro.laws.support_law import ChoiceLaw, ExponentialSupportLaw, Row, Rows, SupportLaw, problem_of, sparse_domain
from dprepro.laws.votes_law import VotesLaw
from dprepro.problems import Domain, Problem
from dprepro.problems.problem_data import FloatArray

SILENT: Row = ([0.0, 0.0], 0.0, 1.0)


@dataclass(frozen=True)
class SparseRegressionLaw(SupportLaw):
    """The joint law of (support, theta) for s = 1 and p = 2: both halves draw independently, given the data.

    Neighbours: the record ((1, 0), 1) comes, or speaks, or was ((1, 0), -1). It turns the vote of one block to the
    first coordinate, for which no other block votes, and raises the density of theta there: by its curvature, and by
    its pull where up to two records ((1, 0), -.9) of other blocks pull the other way. Beside these, ``background``
    records along each coordinate with label 0, which keep the answer inside of the box, or none.

    Attributes:
        background: number of such records a block.
    """

    background: float = 200.0
    plain: ClassVar[Domain] = sparse_domain(2, 1)

    @classmethod
    def obstacle(cls, domain: Domain) -> str:
        return "" if domain.p == 2 else f"is known for two coordinates, not at p={domain.p}"

    @property
    def choice(self) -> ChoiceLaw:
        """The law of the first half."""
        algorithm = self.algorithm
        assert isinstance(algorithm, SparseRegression)
        kind = ExponentialSupportLaw if isinstance(algorithm.selection, ExponentialSupport) else VotesLaw
        return kind(algorithm.selection, self.domain, algorithm.first(self.budget))

    @property
    def fit(self) -> ObjectivePerturbationLaw:
        """The law of the second half, on one coordinate."""
        algorithm = self.algorithm
        assert isinstance(algorithm, SparseRegression)
        return ObjectivePerturbationLaw(algorithm.fit, algorithm.restricted(self.domain), algorithm.second(self.budget))

    def between(self, first: Problem, second: Problem) -> NeighbourLaws:
        """Events are a support and an interval of theta."""
        chances = [self.choice.probabilities(problem) for problem in (first, second)]
        laws: tuple[list[FloatArray], list[FloatArray]] = ([], [])
        for j in (0, 1):
            data = [self._column(problem, j) for problem in (first, second)]
            places = self.fit.partition(*data)
            for law, chance, sample in zip(laws, chances, data, strict=True):
                law.append(chance[j] * self.fit.probabilities(sample, places))
        return NeighbourLaws(np.concatenate(laws[0]), np.concatenate(laws[1]), False)

    def pairs(self) -> Iterator[NeighbourLaws]:
        for first, second in self._neighbours():
            yield self.between(problem_of(self.domain, first), problem_of(self.domain, second))

    def _neighbours(self) -> Iterator[tuple[Rows, Rows]]:
        selection = self.choice.algorithm
        if isinstance(self.choice, VotesLaw) and not self.budget.neighbours.n_is_public:
            yield from self.choice.neighbours()
            return
        blocks = selection.blocks if isinstance(selection, SampleAndAggregate) else 1
        for around, against in itertools.product((0, int(self.background)), range(3)):
            rest: list[Row] = []
            for block in range(blocks):
                rows: list[Row] = [([0.0, 1.0], 1.0 if block else 0.5, 1.0)]
                rows += [([1.0, 0.0], -0.9, 1.0) if 0 < block <= against else SILENT]
                rows += [([1.0, 0.0], 0.0, 1.0), ([0.0, 1.0], 0.0, 1.0)] * around
                rest += [SILENT, *rows] if block else rows
            spoken: Row = ([1.0, 0.0], 1.0, 1.0)
            match self.budget.neighbours:
                case Neighbours.ADD_OR_REMOVE_ONE:
                    yield rest, [spoken, *rest]
                case Neighbours.ZERO_OUT:
                    yield [SILENT, *rest], [spoken, *rest]
                case Neighbours.REPLACE_ONE:
                    yield [([1.0, 0.0], -1.0, 1.0), *rest], [spoken, *rest]

    def _column(self, problem: Problem, j: int) -> Data:
        """The data of objective perturbation on coordinate j alone, labels cut off and rows scaled as it has them."""
        algorithm, records = self.algorithm, problem.records.records
        assert isinstance(algorithm, SparseRegression)
        if not algorithm.keeps(problem.domain):
            records = algorithm.part(problem, np.array([j])).records.records
        return records.features[:, 0 if records.p == 1 else j], records.targets, records.copies
