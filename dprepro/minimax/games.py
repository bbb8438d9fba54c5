"""The problems whose optimum is computed: records, answers, losses and their symmetries.

Records are the corners of their range, and an optimum is that for such data. Records between them can only raise it:
who is private for all is so for these. They do raise it: for linear losses and odd n one that says nothing makes sums
possible that lie farther from a change of sign (a test says by how much). A linear loss is affine in the answer, so
extreme answers suffice: an answer is the mean of extreme ones, drawn at random.

A data set is known by its counts, since a mean over permutations of the records costs nothing.

Theorems speak of several losses and sets. Algorithms may see a game in another ``form``, of the same excess risks up to
a `unit`: what is private there is so on the game's records, and its answers are the game's, or lose more.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from dprepro.errors import InputError, PremiseError
from dprepro.minimax.reduced import GameStates, IntArray, Symmetry, counts, replacements
from dprepro.problems import (
    Box,
    Domain,
    HalfSquaredDistance,
    HalfSquaredLoss,
    L1Ball,
    L2Ball,
    LinearLoss,
    OneHotView,
    PositivePartLoss,
    Problem,
    Records,
    RecordsView,
)
from dprepro.problems.problem_data import FloatArray

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
    def table(self, n: int, p: int) -> GameStates:
        """All data sets of n records, with p coordinates or candidates.

        Raises:
            PremiseError: too many to list.
        """

    @abstractmethod
    def records(self, p: int) -> FloatArray:
        """The records as the project's problems have them, shape (R, p)."""

    def labels(self, p: int) -> FloatArray | None:
        """Theirs, shape (R,); None for ones."""
        return None

    @abstractmethod
    def domain(self, n: int, p: int) -> Domain:
        """What is public about the same problem for algorithms."""

    def unit(self, p: int) -> float:
        """The game's excess risk over that of `problem`."""
        return 1.0

    def least(self, problem: Problem) -> float:
        """The excess risk in `problem` of the game's best answer: 0 but where the set has better ones."""
        return 0.0

    def cost(self) -> Fraction:
        """What the answers, where they are a grid, may cost: the optimum is in [value - cost, value]."""
        return Fraction(0)

    def problem(self, n: int, p: int, state: IntArray) -> Problem:
        """The data set for algorithms."""
        here, domain, labels = state > 0, self.domain(n, p), self.labels(p)
        copies = state[here].astype(float)
        view = RecordsView(domain, Records(self.records(p)[here], None if labels is None else labels[here], copies))
        return Problem(domain, {"records": view} | ({"moments": view.to_moments} if domain.loss.quadratic else {}))


@dataclass(frozen=True)
class Linear(Game):
    """-x theta with x = -1 or 1 and theta in [-1, 1], of which -1 and 1 are enough. p is 1.

    Attributes:
        form: for algorithms also the ``positive_part`` (2 - x theta)_+ over [-2, 2], which is never cut off.
    """

    form: Literal["linear", "positive_part"] = field(default="linear", metadata={"later": True})

    def table(self, n: int, p: int) -> GameStates:
        return Cube().table(n, _one(p))

    def records(self, p: int) -> FloatArray:
        return Cube().records(p)

    def labels(self, p: int) -> FloatArray | None:
        return None if self.form == "linear" else np.full(2, 2.0)

    def domain(self, n: int, p: int) -> Domain:
        if self.form == "linear":
            return Domain(LinearLoss(), L2Ball(1), n)
        return Domain(PositivePartLoss(), L2Ball(1, 2.0), n, label_bound=2.0)

    def unit(self, p: int) -> float:
        return 1.0 if self.form == "linear" else 0.5


@dataclass(frozen=True)
class Squared(Game):
    """(theta - x)^2/2 with x = -1 or 1 and theta in [-1, 1], a grid of 2 ``half`` cells. p is 1.

    A mean of two neighbouring answers, at distance h, in the place of one between them costs h^2/8 at most: rounding at
    random costs a private mechanism no more, and this is `cost`.

    Attributes:
        form: for algorithms also ``labels`` x = 1 and y = +-1 of a squared loss of <x, theta>, or the interval as a
            ``polytope``.
    """

    half: int = 100
    form: Literal["distance", "labels", "polytope"] = field(default="distance", metadata={"later": True})

    def __post_init__(self) -> None:
        if self.half < 1:
            raise InputError(f"half must be at least 1, got half={self.half}")

    def table(self, n: int, p: int) -> GameStates:
        _one(p)
        states, answers = counts(n, 2), np.arange(-self.half, self.half + 1)
        gap = answers[None, :] * n - (states[:, 0] - states[:, 1])[:, None] * self.half
        keep, image = np.arange(answers.size), np.arange(answers.size)[::-1]
        same, both = np.array([0, 1]), np.array([1, 1])
        group = [Symmetry(same, both, keep), Symmetry(same[::-1], both, image)]
        return GameStates(states, replacements(2), group, gap**2, 2 * self.half**2 * n**2)

    def records(self, p: int) -> FloatArray:
        return np.array([[1.0], [1.0 if self.form == "labels" else -1.0]])

    def labels(self, p: int) -> FloatArray | None:
        return np.array([1.0, -1.0]) if self.form == "labels" else None

    def domain(self, n: int, p: int) -> Domain:
        if self.form == "labels":
            return Domain(HalfSquaredLoss(), L2Ball(1), n)
        return Domain(HalfSquaredDistance(), L1Ball(1) if self.form == "polytope" else L2Ball(1), n)

    def problem(self, n: int, p: int, state: IntArray) -> Problem:
        if self.form != "labels":
            return super().problem(n, p, state)
        domain, (plus, minus) = self.domain(n, p), state / n
        return Problem(domain, {"one_hot": OneHotView(domain, np.ones(1), np.array([plus]), np.array([minus]))})

    def cost(self) -> Fraction:
        return Fraction(1, 8 * self.half**2)


@dataclass(frozen=True)
class Cube(Game):
    """-<x, theta>; records and answers are the corners of [-1, 1]^p.

    Attributes:
        sums: only the sum of the records is seen, and neighbours are all sums that one record could tell apart. An
            upper limit: other data sets with the same sums need not be neighbours.
    """

    sums: bool = False

    def table(self, n: int, p: int) -> GameStates:
        corners = _corners(p)
        group = _signed(p)
        images = [_images(corners, place, sign) for place, sign in group]
        if self.sums:
            _listable((n + 1) ** p)
            axis = np.arange(-n, n + 1, 2)
            states = np.stack([vector.ravel() for vector in np.meshgrid(*[axis] * p, indexing="ij")], axis=1)
            moves = 2 * np.array([m for m in itertools.product((-1, 0, 1), repeat=p) if any(m)])
            symmetries = [Symmetry(place, sign, image) for (place, sign), image in zip(group, images, strict=True)]
            return GameStates(states, moves, symmetries, lost(states @ corners.T), n)
        kinds = 2**p
        states = data_sets(n, kinds)
        symmetries = [Symmetry(inverse(image), np.ones(kinds, dtype=np.int64), image) for image in images]
        return GameStates(states, replacements(kinds), symmetries, lost(states @ corners @ corners.T), n)

    def records(self, p: int) -> FloatArray:
        return np.asarray(_corners(p) / np.sqrt(p))

    def domain(self, n: int, p: int) -> Domain:
        """In the unit ball, as in the papers: records and answers over sqrt p."""
        return Domain(LinearLoss(), Box(p, 1 / np.sqrt(p)) if p > 1 else L2Ball(1), n)

    def unit(self, p: int) -> float:
        return float(p)


def lost(gain: IntArray) -> IntArray:
    """The largest gain less each answer's, in the sum."""
    return np.asarray(gain.max(axis=1, keepdims=True) - gain)


def data_sets(n: int, kinds: int) -> IntArray:
    """`counts` of n records; raises PremiseError where there are too many to list."""
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


def inverse(image: IntArray) -> IntArray:
    """(g s)_image[k] = s_k, hence (g s)_j = s_(inverse[j])."""
    found = np.empty_like(image)
    found[image] = np.arange(len(image))
    return found
