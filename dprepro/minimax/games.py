"""The problems whose optimum is computed: records, answers, losses and their symmetries.

All losses are affine in the record, up to what does not depend on the answer. So extreme records suffice: let M be
private on data sets of extreme records. Replace every record by an extreme one, at random and independently, with the
record as its mean, and let M answer. That is as private, the mean loss of every answer is what it was, and the mean of
the least loss is not above the least mean loss: the excess risk is not above M's worst. A linear loss is also affine in
the answer, so extreme answers suffice: an answer is the mean of extreme ones, drawn at random.

A data set is known by its counts, since a mean over permutations of the records costs nothing.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from dprepro.errors import InputError, PremiseError
from dprepro.minimax.reduced import IntArray, Symmetry, Table, counts, replacements
from dprepro.problems import (
    Box,
    Domain,
    HalfSquaredDistance,
    L2Ball,
    LinearLoss,
    Problem,
    Records,
    RecordsView,
    Simplex,
)
from dprepro.problems.data import FloatArray

MOST_STATES = 100_000
"""Data sets that are listed."""


@dataclass(frozen=True)
class Game(ABC):
    """One problem. Subclasses are frozen dataclasses of its parameters.

    Class attributes:
        version: raise it when the data sets or their risks change.
    """

    version: ClassVar[int] = 1

    @abstractmethod
    def table(self, n: int, p: int) -> Table:
        """All data sets of n records, with p coordinates or candidates.

        Raises:
            PremiseError: too many to list.
        """

    @abstractmethod
    def records(self, p: int) -> FloatArray:
        """The extreme records as the project's problems have them, shape (R, p)."""

    @abstractmethod
    def domain(self, n: int, p: int, supports: bool = False) -> Domain:
        """What is public about the same problem for algorithms; for those that answer with ``supports``, if so."""

    def unit(self, p: int) -> float:
        """The game's excess risk over that of `problem`."""
        return 1.0

    def cost(self) -> Fraction:
        """What the answers, where they are a grid, may cost: the optimum is in [value - cost, value]."""
        return Fraction(0)

    def problem(self, n: int, p: int, state: IntArray, supports: bool = False) -> Problem:
        """The data set for algorithms."""
        here = state > 0
        return listed(self.domain(n, p, supports), self.records(p)[here], state[here].astype(float))


def listed(domain: Domain, features: FloatArray, copies: FloatArray) -> Problem:
    """These records, that often each."""
    view = RecordsView(domain, Records(features, counts=copies))
    return Problem(domain, {"records": view, "moments": view.to_moments})


@dataclass(frozen=True)
class Linear(Game):
    """-x theta with x and theta in [-1, 1]: records and answers are -1 and 1. p is 1."""

    def table(self, n: int, p: int) -> Table:
        return Cube().table(n, _one(p))

    def records(self, p: int) -> FloatArray:
        return Cube().records(p)

    def domain(self, n: int, p: int, supports: bool = False) -> Domain:
        return Domain(LinearLoss(), L2Ball(1), n)


@dataclass(frozen=True)
class Squared(Game):
    """(theta - x)^2/2 with x and theta in [-1, 1]: records are -1 and 1, answers a grid of 2 ``half`` cells. p is 1.

    A mean of two neighbouring answers, at distance h, in the place of one between them costs h^2/8 at most: rounding at
    random costs a private mechanism no more, and this is `cost`.
    """

    half: int = 100

    def __post_init__(self) -> None:
        if self.half < 1:
            raise InputError(f"half must be at least 1, got half={self.half}")

    def table(self, n: int, p: int) -> Table:
        _one(p)
        states, answers = counts(n, 2), np.arange(-self.half, self.half + 1)
        gap = answers[None, :] * n - (states[:, 0] - states[:, 1])[:, None] * self.half
        keep, image = np.arange(answers.size), np.arange(answers.size)[::-1]
        same, both = np.array([0, 1]), np.array([1, 1])
        group = [Symmetry(same, both, keep), Symmetry(same[::-1], both, image)]
        return Table(states, replacements(2), group, gap**2, 2 * self.half**2 * n**2)

    def records(self, p: int) -> FloatArray:
        return np.array([[1.0], [-1.0]])

    def domain(self, n: int, p: int, supports: bool = False) -> Domain:
        return Domain(HalfSquaredDistance(), L2Ball(1), n)

    def cost(self) -> Fraction:
        return Fraction(1, 8 * self.half**2)


@dataclass(frozen=True)
class Cube(Game):
    """-<x, theta> with x and theta in [-1, 1]^p: records and answers are the corners.

    Attributes:
        sums: only the sum of the records is seen, and neighbours are all sums that one record could tell apart. An
            upper limit: other data sets with the same sums need not be neighbours.
    """

    sums: bool = False

    def table(self, n: int, p: int) -> Table:
        corners = _corners(p)
        group = _signed(p)
        images = [_images(corners, place, sign) for place, sign in group]
        if self.sums:
            _listable((n + 1) ** p)
            axis = np.arange(-n, n + 1, 2)
            states = np.stack([one.ravel() for one in np.meshgrid(*[axis] * p, indexing="ij")], axis=1)
            moves = 2 * np.array([m for m in itertools.product((-1, 0, 1), repeat=p) if any(m)])
            symmetries = [Symmetry(place, sign, image) for (place, sign), image in zip(group, images, strict=True)]
            return Table(states, moves, symmetries, _lost(states @ corners.T), n)
        kinds = 2**p
        states = _states(n, kinds)
        symmetries = [Symmetry(_inverse(image), np.ones(kinds, dtype=np.int64), image) for image in images]
        return Table(states, replacements(kinds), symmetries, _lost(states @ corners @ corners.T), n)

    def records(self, p: int) -> FloatArray:
        return np.asarray(_corners(p) / np.sqrt(p))

    def domain(self, n: int, p: int, supports: bool = False) -> Domain:
        """In the unit ball, as in the papers: records and answers over sqrt p."""
        return Domain(LinearLoss(), Box(p, 1 / np.sqrt(p)) if p > 1 else L2Ball(1), n)

    def unit(self, p: int) -> float:
        return float(p)


@dataclass(frozen=True)
class Selection(Game):
    """One of K = p candidates; a record gives each a score in [0, 1], the best mean score is wanted.

    What all scores of a record have in common says nothing, so records are the proper subsets of candidates, with
    score 1: all others are means of these, up to such a common part.
    """

    def table(self, n: int, p: int) -> Table:
        subsets = self._subsets(p)
        states = _states(n, len(subsets))
        group = [np.array(one) for one in itertools.permutations(range(p))]
        symmetries = []
        for image in group:  # candidate a becomes image[a]
            moved = np.zeros_like(subsets)
            moved[:, image] = subsets
            number = {tuple(row): k for k, row in enumerate(subsets.tolist())}
            kinds = np.array([number[tuple(row)] for row in moved.tolist()])
            symmetries.append(Symmetry(_inverse(kinds), np.ones(len(kinds), dtype=np.int64), image))
        return Table(states, replacements(len(subsets)), symmetries, _lost(states @ subsets), n)

    def records(self, p: int) -> FloatArray:
        return self._subsets(p).astype(float)

    def domain(self, n: int, p: int, supports: bool = False) -> Domain:
        return Domain(LinearLoss(), Box(p) if supports else Simplex(p), n, feature_norm=np.inf)

    def _subsets(self, p: int) -> IntArray:
        if p < 2:
            raise InputError(f"a selection needs at least 2 candidates, got p={p}")
        return np.array([one for one in itertools.product((0, 1), repeat=p) if 0 < sum(one) < p])


@dataclass(frozen=True)
class Sparse(Game):
    """One of K = p candidates, s = 1; a record is a vote for one of them, the share of votes is wanted."""

    def table(self, n: int, p: int) -> Table:
        states, ones = _states(n, p), np.ones(p, dtype=np.int64)
        group = [np.array(one) for one in itertools.permutations(range(p))]
        symmetries = [Symmetry(_inverse(image), ones, image) for image in group]
        return Table(states, replacements(p), symmetries, _lost(states), n)

    def records(self, p: int) -> FloatArray:
        return np.eye(p)

    def domain(self, n: int, p: int, supports: bool = False) -> Domain:
        return Domain(LinearLoss(), Box(p) if supports else Simplex(p), n, feature_norm=1)


GAMES: Mapping[str, type[Game]] = {
    "linear": Linear, "squared": Squared, "cube": Cube, "selection": Selection, "sparse": Sparse
}  # fmt: skip


def _lost(gain: IntArray) -> IntArray:
    """The largest gain less each answer's, in the sum."""
    return np.asarray(gain.max(axis=1, keepdims=True) - gain)


def _states(n: int, kinds: int) -> IntArray:
    number = 1
    for k in range(1, kinds):
        number = number * (n + k) // k
    _listable(number)
    return counts(n, kinds)


def _listable(number: int) -> None:
    if number > MOST_STATES:
        raise PremiseError(f"{number} data sets are more than the {MOST_STATES} that are listed")


def _one(p: int) -> int:
    if p != 1:
        raise InputError(f"this problem is one-dimensional, got p={p}")
    return 1


def _corners(p: int) -> IntArray:
    return np.array(list(itertools.product((1, -1), repeat=p)))


def _signed(p: int) -> Sequence[tuple[IntArray, IntArray]]:
    """All permutations of coordinates with all changes of sign."""
    places = itertools.permutations(range(p))
    return [(np.array(place), sign) for place in places for sign in _corners(p)]


def _images(corners: IntArray, place: IntArray, sign: IntArray) -> IntArray:
    """The numbers of the corners that the corners become."""
    p = len(place)
    moved = corners[:, place] * sign
    return np.asarray(((1 - moved) // 2) @ (2 ** np.arange(p)[::-1]))


def _inverse(image: IntArray) -> IntArray:
    """(g s)_image[k] = s_k, hence (g s)_j = s_(inverse[j])."""
    found = np.empty_like(image)
    found[image] = np.arange(len(image))
    return found
