"""Statistics of an answer by which a distinguisher tells two data sets apart: a number for each answer.

They are made from answers that choose an event, and each can be written as an expression of Python, so that a violation
can be shown by a script of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dprepro.privacy.outcomes import FloatArray

COORDINATES = 8
"""So many coordinates are tried as statistics of their own: of more, those whose laws look least alike."""

LARGEST = 128
"""In answers of more numbers no direction is looked for in which noise cancels."""

CELLS = 24
"""Quantiles of a statistic between which a histogram estimates the likelihood ratio."""

FEW = 64
"""So many different answers are taken as a finite set."""

OFTEN = 3
"""An answer that is met so often on one data set is no value of a continuous law."""

NARROW = 1e-6
"""Share of the largest variance below which a direction is one in which noise cancels."""


class Statistic(ABC):
    """A number for each answer, from answers of shape (draws, q); ``name`` in words."""

    name: str

    @abstractmethod
    def __call__(self, answers: FloatArray) -> FloatArray:
        """The numbers, shape (draws,)."""

    @property
    @abstractmethod
    def code(self) -> str:
        """The statistic of one ``answer``, an array of shape (q,), as an expression of Python with numpy as ``np``."""


@dataclass(frozen=True)
class Along(Statistic):
    """The projection onto a direction of shape (q,)."""

    name: str
    direction: FloatArray

    def __call__(self, answers: FloatArray) -> FloatArray:
        return np.asarray(answers @ self.direction)

    @property
    def code(self) -> str:
        places = np.flatnonzero(self.direction)
        if places.size == 1 and self.direction[places[0]] == 1:
            return f"answer[{places[0]}]"
        return f"answer @ {_written(self.direction)}"


@dataclass(frozen=True)
class Nearer(Statistic):
    """The distance to the second centre less that to the first, each of shape (q,).

    The exact likelihood ratio of noise of density exp(-||b||/scale).
    """

    first: FloatArray
    second: FloatArray
    name: str = "distances"

    def __call__(self, answers: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.norm(answers - self.second, axis=1) - np.linalg.norm(answers - self.first, axis=1))

    @property
    def code(self) -> str:
        norms = [f"np.linalg.norm(answer - {_written(centre)})" for centre in (self.second, self.first)]
        return " - ".join(norms)


@dataclass(frozen=True)
class Distance(Statistic):
    """The distance to a centre, shape (q,): of many numbers each hardly tells that all are scaled by another factor."""

    centre: FloatArray
    name: str = "distance to the median"

    def __call__(self, answers: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.norm(answers - self.centre, axis=1))

    @property
    def code(self) -> str:
        return f"np.linalg.norm(answer - {_written(self.centre)})"


@dataclass(frozen=True)
class SupportSize(Statistic):
    """How many of the first ``size`` numbers are not zero."""

    size: int
    name: str = "how many numbers are not zero"

    def __call__(self, answers: FloatArray) -> FloatArray:
        return np.asarray(np.count_nonzero(answers[:, : self.size], axis=1), dtype=np.float64)

    @property
    def code(self) -> str:
        return f"float(np.count_nonzero(answer[:{self.size}]))"


@dataclass(frozen=True)
class Turned(Statistic):
    """Another statistic with its sign turned."""

    other: Statistic

    @property
    def name(self) -> str:  # type: ignore[override]
        """In words."""
        return f"{self.other.name}, turned"

    def __call__(self, answers: FloatArray) -> FloatArray:
        return -self.other(answers)

    @property
    def code(self) -> str:
        return f"-({self.other.code})"


@dataclass(frozen=True)
class LikelihoodRatio(Statistic):
    """The ln of the ratio of two histograms of another statistic: ``ratio[j]`` up to ``edges[j]``."""

    other: Statistic
    edges: FloatArray
    ratio: FloatArray
    called: str = ""

    @property
    def name(self) -> str:  # type: ignore[override]
        """In words."""
        return self.called or f"likelihood by {self.other.name}"

    @classmethod
    def of(cls, other: Statistic, first: FloatArray, second: FloatArray, called: str = "") -> LikelihoodRatio:
        """From answers on both data sets, with half a draw more in each cell."""
        values = [other(first), other(second)]
        both = np.concatenate(values)
        places = np.unique(both)
        if places.size > FEW:
            places = np.unique(np.quantile(both, np.linspace(0, 1, CELLS + 1), method="higher"))
        edges = (places[1:] + places[:-1]) / 2 if places.size <= FEW and places.size < CELLS else places[1:-1]
        cells = [np.bincount(np.searchsorted(edges, some, side="right"), minlength=edges.size + 1) for some in values]
        return cls(other, edges, np.log((cells[0] + 0.5) / (cells[1] + 0.5)), called)

    def __call__(self, answers: FloatArray) -> FloatArray:
        return np.asarray(self.ratio[np.searchsorted(self.edges, self.other(answers), side="right")])

    @property
    def code(self) -> str:
        return f"{_written(self.ratio)}[np.searchsorted({_written(self.edges)}, {self.other.code}, side='right')]"


@dataclass(frozen=True)
class Met(Statistic):
    """1 for the exact answers in a set, given as bytes, else 0: a law with few values gives itself away by them."""

    name: str
    answers: frozenset[bytes]

    def __call__(self, answers: FloatArray) -> FloatArray:
        rows = np.ascontiguousarray(answers, dtype=np.float64)
        return np.array([float(row.tobytes() in self.answers) for row in rows])

    @property
    def code(self) -> str:
        return f"float(answer.tobytes() in {set(self.answers)!r})"


def statistics(first: FloatArray, second: FloatArray, kinds: tuple[str, ...] = ()) -> Iterator[Statistic]:
    """Statistics, each also with its sign turned, from answers of shape (draws, q) that choose among them.

    The last columns say whether an answer is of one of the ``kinds`` that are no numbers: a statistic each.

    Projections on the shift, on coordinates and on directions in which noise cancels, the distance to one centre less
    that to the other, the distance to the common median, how many numbers are not zero, the likelihood ratio by a
    histogram of each of these, and the exact answers that are met again.
    """
    scale = np.concatenate([first, second]).std(axis=0)
    apart = first.mean(axis=0) - second.mean(axis=0)
    shift = np.divide(apart, scale**2, out=np.zeros_like(apart), where=scale**2 > 0)
    plain: list[Statistic] = [Along("shift", shift)]
    size = first.shape[1]
    axes = np.eye(size)
    plain += [Along(kind, axes[:, size - len(kinds) + i]) for i, kind in enumerate(kinds)]
    size -= len(kinds)
    if size > 1:
        plain += [Along(f"coordinate {j}", axes[:, j]) for j in _unlike(first[:, :size], second[:, :size])]
        plain.append(Nearer(np.median(first, axis=0), np.median(second, axis=0)))
        plain.append(Distance(np.median(np.concatenate([first, second]), axis=0)))
        if not (first[:, :size].all() and second[:, :size].all()):
            plain.append(SupportSize(size))
        plain += _narrow(first, second, size)
    ratios = [LikelihoodRatio.of(statistic, first, second) for statistic in plain]
    if size > 1 and len(np.unique(np.concatenate([first, second]), axis=0)) <= FEW:
        weights = np.random.default_rng(0).standard_normal((first.shape[1],))  # a number for each of the answers
        ratios.append(LikelihoodRatio.of(Along("weights", weights), first, second, "each answer"))
    for statistic in (*plain, *ratios):
        yield statistic
        yield Turned(statistic)
    yield from _met(first, second)


def _unlike(first: FloatArray, second: FloatArray) -> list[int]:
    """All coordinates of few; of many those whose means, or mean distances from the centre, lie most errors apart."""
    size = first.shape[1]
    if size <= COORDINATES:
        return list(range(size))
    centre = np.concatenate([first, second]).mean(axis=0)
    apart = np.zeros(size)
    for one, other in ((first, second), (np.abs(first - centre), np.abs(second - centre))):
        error = np.hypot(one.std(axis=0), other.std(axis=0)) + 1e-300
        apart = np.maximum(apart, np.abs(one.mean(axis=0) - other.mean(axis=0)) / error)
    return sorted(np.argsort(-apart, kind="stable")[:COORDINATES].tolist())


def _narrow(first: FloatArray, second: FloatArray, size: int) -> list[Statistic]:
    """Directions in which the answers hardly vary beside others: noise that is used twice cancels there.

    Of many such directions the one in which the means lie apart.
    """
    if size > LARGEST:
        return []
    pooled = np.concatenate([some - some.mean(axis=0) for some in (first, second)])[:, :size]
    values, vectors = np.linalg.eigh(pooled.T @ pooled / len(pooled))
    if not values[-1] > 0:
        return []
    empty = np.zeros(first.shape[1] - size)
    places = np.flatnonzero(values < NARROW * values[-1])
    if size > COORDINATES:
        shift = (first.mean(axis=0) - second.mean(axis=0))[:size]
        toward = vectors[:, places] @ (vectors[:, places].T @ shift)
        return [Along("a combination in which noise cancels", np.concatenate([toward, empty]))] if toward.any() else []
    return [
        Along(f"a combination in which noise cancels ({place + 1})", np.concatenate([vectors[:, place], empty]))
        for place in places
    ]


def _met(first: FloatArray, second: FloatArray) -> Iterator[Statistic]:
    """The exact answers that are met on one data set again and again, and hardly on the other."""
    counts: list[dict[bytes, int]] = []
    for answers in (first, second):
        rows, times = np.unique(np.ascontiguousarray(answers), axis=0, return_counts=True)
        counts.append({row.tobytes(): int(count) for row, count in zip(rows, times, strict=True)})
    if max(len(some) for some in counts) <= FEW or min(len(some) for some in counts) == len(first):
        return
    for place, where in enumerate(("the first", "the second")):
        own, other = counts[place], counts[1 - place]
        found = frozenset(row for row, times in own.items() if times >= OFTEN and other.get(row, 0) * 2 < times)
        if found:
            yield Met(f"answers met on {where} data set", found)


def _written(values: FloatArray) -> str:
    return f"np.array({[float(value) for value in values]!r})"
