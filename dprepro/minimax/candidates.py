"""A choice among K candidates, by the scores or the votes of n records."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from dprepro.errors import InputError
from dprepro.minimax.games import Game, data_sets, inverse, lost
from dprepro.minimax.reduced import GameStates, IntArray, Symmetry, replacements
from dprepro.problems import Box, Domain, HalfSquaredLoss, LinearLoss, Problem, Simplex, SupportPoint
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class Candidates(Game):
    """One of K = p candidates.

    Attributes:
        form: answers of algorithms are points of the ``simplex``, or ``supports`` of one coordinate over the unit box.
    """

    form: Literal["simplex", "supports", "squares"] = field(default="simplex", metadata={"later": True})
    longest: ClassVar[float]

    def domain(self, n: int, p: int) -> Domain:
        loss = HalfSquaredLoss() if self.form == "squares" else LinearLoss()
        return Domain(loss, Simplex(p) if self.form == "simplex" else Box(p), n, feature_norm=self.longest)

    def least(self, problem: Problem) -> float:
        if self.form == "simplex":
            return 0.0
        return min(problem.excess_risk(SupportPoint(np.array([k]))) for k in range(problem.domain.p))


@dataclass(frozen=True)
class Selection(Candidates):
    """A record gives each candidate a score of 0 or 1, the best mean score is wanted.

    What all scores of a record have in common says nothing: 1 for all is 0 for all, and stands for it.
    """

    longest: ClassVar[float] = np.inf

    def __post_init__(self) -> None:
        if self.form == "squares":
            raise InputError("form must be simplex or supports for scores of several candidates, got form=squares")

    def table(self, n: int, p: int) -> GameStates:
        subsets = self._subsets(p)
        states = data_sets(n, len(subsets))
        group = [np.array(permutation) for permutation in itertools.permutations(range(p))]
        symmetries = []
        for image in group:  # candidate a becomes image[a]
            moved = np.zeros_like(subsets)
            moved[:, image] = subsets
            number = {tuple(row): k for k, row in enumerate(subsets.tolist())}
            kinds = np.array([number[tuple(row)] for row in moved.tolist()])
            symmetries.append(Symmetry(inverse(kinds), np.ones(len(kinds), dtype=np.int64), image))
        return GameStates(states, replacements(len(subsets)), symmetries, lost(states @ subsets), n)

    def records(self, p: int) -> FloatArray:
        return self._subsets(p).astype(float)

    def _subsets(self, p: int) -> IntArray:
        if p < 2:
            raise InputError(f"a selection needs at least 2 candidates, got p={p}")
        return np.array([item for item in itertools.product((0, 1), repeat=p) if sum(item) < p])


@dataclass(frozen=True)
class Sparse(Candidates):
    """s = 1: a record is a vote for one candidate, the largest share of votes is wanted.

    In the form ``squares`` a vote for k is x = e_k, y = 1 of half the squared loss: an answer t e_j loses 1/2 on all
    records but the votes for j, and (1 - t)^2/2 on these, at best half of the game's loss.
    """

    longest: ClassVar[float] = 1

    def table(self, n: int, p: int) -> GameStates:
        states, ones = data_sets(n, p), np.ones(p, dtype=np.int64)
        group = [np.array(permutation) for permutation in itertools.permutations(range(p))]
        symmetries = [Symmetry(inverse(image), ones, image) for image in group]
        return GameStates(states, replacements(p), symmetries, lost(states), n)

    def records(self, p: int) -> FloatArray:
        return np.eye(p)

    def unit(self, p: int) -> float:
        return 2.0 if self.form == "squares" else 1.0
