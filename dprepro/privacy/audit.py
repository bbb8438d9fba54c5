"""A lower limit of what an algorithm spends, from its answers on two neighbouring data sets.

If P(S) > e^epsilon Q(S) + delta for some event S, the algorithm is not (epsilon, delta)-private. The first half of the
draws chooses an event for each direction; the second half, which has not been looked at, counts how often it happens.
Exact binomial limits of both probabilities give a lower limit of epsilon that holds with probability `level`, whatever
the answers are, however badly the event was chosen, and for both directions at once. That there is no answer, or none
in numbers, is an event like any other (`outcomes`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dprepro.privacy.outcomes import Answers, FloatArray, outcomes

Score: TypeAlias = Callable[[FloatArray], FloatArray]
"""One number for each answer, from answers of shape (draws, q)."""

LEVEL = 0.99
"""Of the limit, both directions together."""

COORDINATES = 8
"""So many coordinates are tried as scores of their own."""

CELLS = 24
"""Quantiles of a score between which a histogram estimates the likelihood ratio."""

THRESHOLDS = 200
"""Quantiles of a score that are tried as thresholds."""

FEW = 64
"""So many different answers are taken as a finite set."""


@dataclass(frozen=True)
class Event:
    """Answers whose score is at least a threshold.

    Attributes:
        score: of answers.
        threshold: the least score in the event.
        name: of the score, in words.
        swapped: whether the event is the likelier one on the second data set.
        limit: what the draws that chose it say; not to be quoted.
    """

    score: Score
    threshold: float
    name: str
    swapped: bool
    limit: float

    def count(self, answers: FloatArray) -> int:
        """How many of the answers, shape (draws, q), are in the event."""
        return int(np.count_nonzero(self.score(answers) >= self.threshold))


@dataclass(frozen=True)
class Audited:
    """What a distinguisher achieves: with probability `level` at least ``epsilon`` is spent at the given delta.

    Attributes:
        epsilon: the lower limit, 0 where nothing was told apart.
        event: that which attains it, in words.
        draws: answers on each data set that were counted.
    """

    epsilon: float
    event: str
    draws: int


def audit(first: Answers, second: Answers, delta: float, level: float = LEVEL) -> Audited:
    """The lower limit of epsilon at ``delta`` from answers on two data sets, shape (draws, q) where all are numbers.

    Events are chosen on the first halves of both and counted on the second halves. The chance that the limit exceeds
    the true epsilon is at most 1 - level.

    Raises:
        Exception: that of the first answer, where there is no answer on either data set.
    """
    outcome_pair = outcomes(first, second)
    middle = min(len(outcome_pair.first), len(outcome_pair.second)) // 2
    found = Audited(0.0, "none", middle)
    for event in _chosen(outcome_pair.first[:middle], outcome_pair.second[:middle], outcome_pair.kinds, delta, level):
        hits = [event.count(answers[-middle:]) for answers in (outcome_pair.first, outcome_pair.second)]
        likely, rare = hits[::-1] if event.swapped else hits
        epsilon = float(lower_limit(np.array([likely]), np.array([rare]), middle, delta, level)[0])
        if epsilon > found.epsilon:
            found = Audited(epsilon, event.name, middle)
    return found


def chosen(first: Answers, second: Answers, delta: float, level: float = LEVEL) -> list[Event]:
    """The event of the largest limit for each direction, by equally many answers on both data sets."""
    outcome_pair = outcomes(first, second)
    return _chosen(outcome_pair.first, outcome_pair.second, outcome_pair.kinds, delta, level)


def _chosen(first: FloatArray, second: FloatArray, kinds: tuple[str, ...], delta: float, level: float) -> list[Event]:
    best: dict[bool, Event] = {}
    for name, score in scores(first, second, kinds):
        values = score(first), score(second)
        ends = np.unique(np.quantile(np.concatenate(values), np.linspace(0, 1, THRESHOLDS), method="higher"))
        above = [len(one) - np.searchsorted(np.sort(one), ends, side="left") for one in values]
        for swapped in (False, True):
            limits = lower_limit(above[swapped], above[not swapped], len(first), delta, level)
            top = int(np.argmax(limits))
            if swapped not in best or limits[top] > best[swapped].limit:
                best[swapped] = Event(score, float(ends[top]), name, swapped, float(limits[top]))
    return list(best.values())


def lower_limit(
    likely: NDArray[np.int64], rare: NDArray[np.int64], draws: int, delta: float, level: float = LEVEL
) -> FloatArray:
    """ln((P - delta)/Q) at the exact limits of P from below and of Q from above; -inf where P may be delta.

    Each of the two limits, for each of two directions, fails with probability (1 - level)/4 (Clopper and Pearson).
    """
    from scipy.special import betaincinv

    tail, hits, misses = (1 - level) / 4, np.maximum(likely, 1), np.maximum(draws - rare, 1)
    low = np.where(likely > 0, betaincinv(hits, draws - hits + 1, tail), 0.0)
    high = np.where(rare < draws, betaincinv(rare + 1, misses, 1 - tail), 1.0)
    spare = low - delta
    return np.where(spare > 0, np.log(np.maximum(spare, 1e-300) / high), -math.inf)


def scores(first: FloatArray, second: FloatArray, kinds: tuple[str, ...] = ()) -> Iterator[tuple[str, Score]]:
    """Scores by name, each also with its sign turned; made from the draws that choose.

    The last columns say whether an answer is of one of the ``kinds`` that are no numbers: a score each.

    Projections on the shift and on coordinates, the distance to one centre less that to the other (the exact likelihood
    ratio of noise of density exp(-||b||/scale)), the likelihood ratio by a histogram of each of these, and, where there
    are few different answers, their own ratio.
    """
    scale = np.concatenate([first, second]).std(axis=0)
    apart = first.mean(axis=0) - second.mean(axis=0)
    shift = np.divide(apart, scale**2, out=np.zeros_like(apart), where=scale**2 > 0)
    plain: list[tuple[str, Score]] = [("shift", partial(_along, shift))]
    size = first.shape[1]
    axes = np.eye(size)
    plain += [(kind, partial(_along, axes[:, size - len(kinds) + i])) for i, kind in enumerate(kinds)]
    size -= len(kinds)
    if size > 1:
        plain += [(f"coordinate {j}", partial(_along, axes[:, j])) for j in range(min(size, COORDINATES))]
        plain.append(("distances", partial(_nearer, np.median(first, axis=0), np.median(second, axis=0))))
    ratios = [(f"likelihood by {name}", _likelihood(score, first, second)) for name, score in plain]
    if size > 1 and len(np.unique(np.concatenate([first, second]), axis=0)) <= FEW:
        weights = np.random.default_rng(0).standard_normal((first.shape[1],))  # a number for each of the answers
        ratios.append(("each answer", _likelihood(partial(_along, weights), first, second)))
    for name, score in (*plain, *ratios):
        yield name, score
        yield f"{name}, turned", partial(_turned, score)


def _along(direction: FloatArray, answers: FloatArray) -> FloatArray:
    return np.asarray(answers @ direction)


def _nearer(first: FloatArray, second: FloatArray, answers: FloatArray) -> FloatArray:
    return _distance(answers, second) - _distance(answers, first)


def _turned(score: Score, answers: FloatArray) -> FloatArray:
    return -score(answers)


def _likelihood(score: Score, first: FloatArray, second: FloatArray) -> Score:
    ratio = _histogram(score(first), score(second))
    return lambda answers: ratio(score(answers))


def _distance(answers: FloatArray, centre: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.norm(answers - centre, axis=1))


def _histogram(first: FloatArray, second: FloatArray) -> Score:
    """ln of the ratio of two histograms, with half a draw more in each cell; a number for each place."""
    both = np.concatenate([first, second])
    values = np.unique(both)
    if values.size > FEW:
        values = np.unique(np.quantile(both, np.linspace(0, 1, CELLS + 1), method="higher"))
    edges = (values[1:] + values[:-1]) / 2 if values.size <= FEW and values.size < CELLS else values[1:-1]
    cells = [
        np.bincount(np.searchsorted(edges, one, side="right"), minlength=edges.size + 1) for one in (first, second)
    ]
    ratio = np.log((cells[0] + 0.5) / (cells[1] + 0.5))
    return lambda places: ratio[np.searchsorted(edges, places, side="right")]
