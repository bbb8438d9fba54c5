"""A lower limit of what an algorithm spends, from its answers on two neighbouring data sets.

If P(S) > e^epsilon Q(S) + delta for some event S, the algorithm is not (epsilon, delta)-private. The first half of the
draws chooses an event for each direction; the second half, which has not been looked at, counts how often it happens.
Exact binomial limits of both probabilities give a lower limit of epsilon that holds with probability `level`, whatever
the answers are, however badly the event was chosen, and for both directions at once. That there is no answer, or none
in numbers, is an event like any other (`outcomes`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dprepro.privacy.outcomes import Answers, FloatArray, outcomes, same_error
from dprepro.privacy.statistics import Statistic, statistics

T = TypeVar("T")

LEVEL = 0.99
"""Of the limit, both directions together."""

THRESHOLDS = 200
"""Quantiles of a score that are tried as thresholds."""


@dataclass(frozen=True)
class Event:
    """Answers whose statistic is at least a threshold.

    Attributes:
        statistic: of answers.
        threshold: the least value in the event.
        swapped: whether the event is the likelier one on the second data set.
        limit: what the draws that chose it say; not to be quoted.
    """

    statistic: Statistic
    threshold: float
    swapped: bool
    limit: float

    @property
    def name(self) -> str:
        """Of the statistic, in words."""
        return self.statistic.name

    @property
    def code(self) -> str:
        """The event as an expression of Python in ``answer``, an array of shape (q,)."""
        return f"{self.statistic.code} >= {self.threshold!r}"

    def holds(self, answers: FloatArray) -> NDArray[np.bool_]:
        """Which of the answers, shape (draws, q), are in the event."""
        return np.asarray(self.statistic(answers) >= self.threshold)

    def count(self, answers: FloatArray) -> int:
        """How many of the answers, shape (draws, q), are in the event."""
        return int(np.count_nonzero(self.holds(answers)))


@dataclass(frozen=True)
class Audited:
    """What a distinguisher achieves: with probability `level` at least ``epsilon`` is spent at the given delta.

    Attributes:
        epsilon: the lower limit, 0 where nothing was told apart.
        event: that which attains it, in words.
        draws: answers on each data set that were counted.
        found: that event, None where nothing was told apart.
        kinds: of answers that are no numbers, in words: columns of answers after the numbers.
        size: numbers in an answer.
    """

    epsilon: float
    event: str
    draws: int
    found: Event | None = None
    kinds: tuple[str, ...] = ()
    size: int = 0


def audit(first: Answers, second: Answers, delta: float, level: float = LEVEL) -> Audited:
    """The lower limit of epsilon at ``delta`` from answers on two data sets, shape (draws, q) where all are numbers.

    Events are chosen on the first halves of both and counted on the second halves. The chance that the limit exceeds
    the true epsilon is at most 1 - level.

    Raises:
        Exception: that of the first answer, where there is no answer on either data set.
    """
    outcome_pair = outcomes(first, second, halves=True)
    size = outcome_pair.first.shape[1] - len(outcome_pair.kinds)
    middle = min(len(outcome_pair.first), len(outcome_pair.second)) // 2
    found = Audited(0.0, "none", middle)
    for event in _chosen(outcome_pair.first[:middle], outcome_pair.second[:middle], outcome_pair.kinds, delta, level):
        hits = [event.count(answers[-middle:]) for answers in (outcome_pair.first, outcome_pair.second)]
        likely, rare = hits[::-1] if event.swapped else hits
        epsilon = float(lower_limit(np.array([likely]), np.array([rare]), middle, delta, level)[0])
        if epsilon > found.epsilon:
            found = Audited(epsilon, event.name, middle, event, outcome_pair.kinds, size)
    return found


def chosen(first: Answers, second: Answers, delta: float, level: float = LEVEL) -> list[Event]:
    """The event of the largest limit for each direction, by equally many answers on both data sets."""
    outcome_pair = outcomes(first, second)
    return _chosen(outcome_pair.first, outcome_pair.second, outcome_pair.kinds, delta, level)


def _chosen(first: FloatArray, second: FloatArray, kinds: tuple[str, ...], delta: float, level: float) -> list[Event]:
    """The event of the largest limit for each direction.

    Each half of the answers makes statistics, and the other half chooses among them: a few answers of many numbers make
    statistics that tell these answers apart, whatever their laws are.
    """
    middle = min(len(first), len(second)) // 2
    halves = slice(0, middle), slice(middle, 2 * middle)
    best: dict[bool, Event] = {}
    for own, other in (halves, halves[::-1]):
        for statistic in statistics(first[own], second[own], kinds):
            values = statistic(first[other]), statistic(second[other])
            ends = np.unique(np.quantile(np.concatenate(values), np.linspace(0, 1, THRESHOLDS), method="higher"))
            above = [middle - np.searchsorted(np.sort(value), ends, side="left") for value in values]
            for swapped in (False, True):
                limits = lower_limit(above[swapped], above[not swapped], middle, delta, level)
                top = int(np.argmax(limits))
                if swapped not in best or limits[top] > best[swapped].limit:
                    best[swapped] = Event(statistic, float(ends[top]), swapped, float(limits[top]))
    return list(best.values())


def ranked(
    pairs: Sequence[T],
    draw: Callable[[T, int], tuple[Answers, Answers]],
    stages: Sequence[tuple[int, int]],
    delta: float,
    level: float,
) -> list[T]:
    """The pairs of data sets that few answers tell apart best, the best first.

    Args:
        pairs: whatever ``draw`` takes.
        draw: answers on both data sets of a pair, of which so many are new on each.
        stages: one after another, how many are drawn and how many pairs are kept; a stage that would keep all is left
            out.
        delta, level: of the limits by which pairs are compared; nothing is claimed of them.
    """
    left = list(pairs)
    for draws, kept in stages:
        if len(left) > kept:
            limits = [_largest_limit(*draw(pair, draws), delta, level) for pair in left]
            left = [left[place] for place in sorted(range(len(left)), key=lambda place: -limits[place])[:kept]]
    return left


def _largest_limit(first: Answers, second: Answers, delta: float, level: float) -> float:
    """The largest limit of an event; none where there is nothing but one and the same error."""
    if same_error(first, second):
        return -math.inf
    return max(event.limit for event in chosen(first, second, delta, level))


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
