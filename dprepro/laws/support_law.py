"""Private choices of a support, exactly: every support's probability on neighbouring data sets."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

import numpy as np

from dprepro.algorithms import ExponentialSupport
from dprepro.budget import Neighbours
from dprepro.errors import Incompatible
from dprepro.laws.base import Law, NeighbourLaws
from dprepro.mechanisms import SubsetChoice
from dprepro.problems import Box, Domain, HalfSquaredLoss, Problem, Records, RecordsView
from dprepro.problems.problem_data import FloatArray

Row: TypeAlias = tuple[Sequence[float], float, float]
"""A distinct record: features, label and number of copies."""

Rows: TypeAlias = Sequence[Row]


def sparse_domain(p: int, sparsity: int) -> Domain:
    """Half the squared loss over the unit box with |x_j| <= 1 and |y| <= s: alpha = 2 s^2 on a support.

    Its n is a large one; each of the data sets below has its own.
    """
    return Domain(HalfSquaredLoss(), Box(p), 10_000, feature_norm=math.inf, label_bound=sparsity)


def problem_of(domain: Domain, rows: Rows) -> Problem:
    """The data set of these records, in their order; n is their number."""
    features, labels, counts = (np.array(column, dtype=np.float64) for column in zip(*rows, strict=True))
    whole = replace(domain, n=float(counts.sum()))
    return Problem(whole, {"records": RecordsView(whole, Records(features, labels, counts, True))})


@dataclass(frozen=True)
class SupportLaw(Law):
    """A law whose answer tells a support, and perhaps more."""

    def below(self, problem: Problem, places: FloatArray) -> FloatArray:
        raise Incompatible("a support is no number: it has no distribution function")

    @abstractmethod
    def between(self, first: Problem, second: Problem) -> NeighbourLaws:
        """The laws on two data sets, each of which says its n."""

    def beside(self, other: Law, problem: Problem, another: Problem) -> NeighbourLaws:
        """`between`."""
        return self.between(problem, another)


@dataclass(frozen=True)
class ChoiceLaw(SupportLaw):
    """A law of finitely many supports."""

    def between(self, first: Problem, second: Problem) -> NeighbourLaws:
        return NeighbourLaws(self.probabilities(first), self.probabilities(second), False)

    @abstractmethod
    def probabilities(self, problem: Problem) -> FloatArray:
        """Of all supports, in one order."""


@dataclass(frozen=True)
class ExponentialSupportLaw(ChoiceLaw):
    """softmax(-n q/scale) over the supports, or in closed form where coordinates do not interact.

    The worst neighbours that are known: the record (1, ..., 1) on 2 s coordinates with the label s. Beside c' records
    that pull half of these to +1 and c that pull the others to -1 the fits of two supports predict s and -s, so the new
    record costs one of them alpha and the other nothing; with c' far above c almost all probability is on the latter.

    Attributes:
        lead: c'/c. copies: c, over the scale of the scores, that of the sum.
    """

    lead: float = 10.0
    copies: float = 10.0
    plain: ClassVar[Domain] = sparse_domain(12, 2)

    @classmethod
    def obstacle(cls, domain: Domain) -> str:
        return ""

    def probabilities(self, problem: Problem) -> FloatArray:
        algorithm = self.algorithm
        assert isinstance(algorithm, ExponentialSupport)
        scores = algorithm.scores(problem) / algorithm.schedule(problem.domain, self.budget).noise_scale
        weights = np.exp(scores.min() - scores)
        return np.asarray(weights / weights.sum())

    def choice(self, problem: Problem) -> SubsetChoice:
        """Where coordinates do not interact."""
        algorithm, gains = self.algorithm, problem.supports.gains
        assert isinstance(algorithm, ExponentialSupport)
        scale = algorithm.schedule(problem.domain, self.budget).noise_scale
        gaining = gains[gains > 0]
        return SubsetChoice(gaining, float(problem.domain.p - gaining.size), algorithm.sparsity, scale)

    def expected_risk(self, problem: Problem) -> float:
        """What the best support gains less what the chosen one does, in the mean."""
        choice = self.choice(problem)
        best = np.sort(choice.gains)[::-1][: choice.size]
        return float(best.sum() - choice.gains @ choice.inclusion())

    def exceeds(self, problem: Problem, risk: float) -> float:
        """P(excess risk >= risk), where all coordinates that gain gain the same; else Incompatible is raised."""
        choice = self.choice(problem)
        gain, most = float(choice.gains[0]), min(choice.size, choice.gains.size)
        if np.ptp(choice.gains) > 1e-9 * gain:
            raise Incompatible("the tail is known where all members gain the same")
        lost = gain * (most - np.arange(choice.size + 1))
        return float(choice.members()[lost >= risk * (1 - 1e-12)].sum())

    def pairs(self) -> Iterator[NeighbourLaws]:
        for rows, neighbour, other in self._neighbours():
            yield self.between(problem_of(self.domain, [*rows, *neighbour]), problem_of(self.domain, [*rows, *other]))

    @property
    def measures(self) -> tuple[str, ...]:
        return ("sensitivity",)

    def report(self) -> Mapping[str, tuple[float, float]]:
        """Lemma 33: the largest change of a score of the sum by a record more, with alpha as bound."""
        algorithm, largest = self.algorithm, 0.0
        assert isinstance(algorithm, ExponentialSupport)
        for rows, _, record in self._neighbours():
            problems = [problem_of(self.domain, found) for found in (rows, [*rows, *record])]
            scores = [problem.domain.n * algorithm.scores(problem) for problem in problems]
            largest = max(largest, float(np.abs(scores[1] - scores[0]).max()))
        return {"sensitivity": (largest, algorithm.schedule(self.domain, self.budget).loss_bound)}

    def _neighbours(self) -> Iterator[tuple[Rows, Rows, Rows]]:
        """Records that both data sets have, and what either has besides: one record at most."""
        algorithm, p = self.algorithm, self.domain.p
        assert isinstance(algorithm, ExponentialSupport)
        s, most = algorithm.sparsity, self.domain.label_bound
        scale = self.domain.n * algorithm.schedule(self.domain, self.budget).noise_scale
        few = math.ceil(self.copies * scale)
        pulls = [[float(s * side <= j < s * (side + 1)) for j in range(p)] for side in (0, 1)]
        both = [float(j < 2 * s) for j in range(p)]
        for lead in (1.0, self.lead):
            rows: Rows = [(pulls[0], -most, few), (pulls[1], most, math.ceil(lead * few))]
            match self.budget.neighbours:
                case Neighbours.ADD_OR_REMOVE_ONE:
                    yield rows, [], [(both, most, 1.0)]
                case Neighbours.ZERO_OUT:
                    yield rows, [([0.0] * p, 0.0, 1.0)], [(both, most, 1.0)]
                case Neighbours.REPLACE_ONE:
                    yield rows, [(both, -most, 1.0)], [(both, most, 1.0)]
