"""A schedule against data: each side answers the other until neither gains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dprepro.adversary.box_search import Found
from dprepro.problems.problem_data import FloatArray

GAIN = 0.02
"""Neither side gains this share of the risk: the game has ended."""

MOST_ROUNDS = 8
PER_DECADE = 8


@dataclass(frozen=True)
class GameResult:
    """What a game ended with.

    Attributes:
        choice: the schedule's number. pool: places of all data that were found against some choice.
        gain: the larger of what the two sides gained in the last round, as a share of the risk. rounds: how many.
    """

    choice: float
    pool: Sequence[FloatArray]
    gain: float
    rounds: int


def play(
    risk: Callable[[float, FloatArray], float],
    worst: Callable[[float, Sequence[FloatArray]], Found],
    between: tuple[float, float],
    first: float,
    starts: Sequence[FloatArray],
) -> GameResult:
    """Alternate: data against a choice, then the choice whose largest risk over all data found so far is least.

    ``risk(choice, place)`` must be a function (common random numbers), and ``worst(choice, places)`` a search that
    begins at these places. Choices lie on a geometric grid, then on a finer one around the best.
    """
    pool, choice, gain, rounds = list(starts), first, np.inf, 0
    known: dict[tuple[float, int], float] = {}

    def faced(value: float) -> float:
        for index, place in enumerate(pool):
            if (value, index) not in known:
                known[value, index] = risk(value, place)
        return max(known[value, index] for index in range(len(pool)))

    while gain > GAIN and rounds < MOST_ROUNDS:
        before = faced(choice) if pool else 0.0
        pool.append(worst(choice, tuple(pool)).place)
        now, answer = faced(choice), _least(faced, *between)
        by_data = now / before - 1 if before > 0 else np.inf
        by_schedule = 1 - faced(answer) / now if now > 0 else 0.0
        gain, rounds = max(by_data, by_schedule), rounds + 1
        if by_schedule > GAIN:
            choice = answer
    return GameResult(choice, pool, float(gain), rounds)


def _least(value: Callable[[float], float], low: float, high: float) -> float:
    """Where a value is least, by two passes."""
    coarse = np.geomspace(low, high, max(2, 1 + round(PER_DECADE * np.log10(high / low)))).tolist()
    best = int(np.argmin([value(item) for item in coarse]))
    fine = np.geomspace(coarse[max(0, best - 1)], coarse[min(len(coarse) - 1, best + 1)], 9).tolist()
    return float(min([coarse[best], *fine], key=value))
