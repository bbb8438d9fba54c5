"""Learning curves: the excess of an error over the best one as a power of n, with its band beyond the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from dprepro.analysis.fits import LEVEL, Vector

FEWEST, MOST = 4, 5
"""Values of n that a law is fitted to: the last few, since a law at small n is another one."""

BEYOND = 10.0
"""How far beyond the largest n it is followed, as a factor."""

PLACES = 17


@dataclass(frozen=True)
class LearningCurve:
    """value^power = best^power + constant n^exponent, fitted, with its band.

    Attributes:
        exponent, half: of n, and half its 99% interval.
        places: values of n from the first one fitted to `BEYOND` times the last.
        middle, low, high: the value there, and its band of 99% at each place.
        reached: where middle, low and high of the excess meet that of the target; None beyond the places.
    """

    exponent: float
    half: float
    places: list[float]
    middle: list[float]
    low: list[float]
    high: list[float]
    reached: list[float | None]

    def details(self) -> dict[str, Any]:
        """As verdict.json has it."""
        return asdict(self)


def learning_curve(
    values: Mapping[float, Vector], best: Vector, target: float, power: float = 1.0
) -> LearningCurve | None:
    """The curve through units (splits) measured at several n; None where they are too few, or not above the best.

    Two sources of error are looked at and the wider band counts, as in `fits`: the splits, by the jackknife, and the
    misfit of a straight line in logarithms, by its prediction interval. Neither knows of a bend that lies beyond.

    Args:
        values: by n, one value of each unit, in one order.
        best: of each unit, what the best answer reaches.
        target: what is good enough.
        power: 2 where the values are roots of means of squares.
    """
    from scipy.special import stdtrit

    places = sorted(values)[-MOST:]
    if len(places) < FEWEST or best.size < 2 or any(values[place].size != best.size for place in places):
        return None
    over = np.array([values[place] ** power - best**power for place in places])  # shape (places, units)
    left_out = (over.sum(axis=1, keepdims=True) - over) / (best.size - 1)  # means without one unit
    if not ((over.mean(axis=1) > 0).all() and (left_out > 0).all()):
        return None
    x, line = np.log(places), np.log(over.mean(axis=1))
    far = np.linspace(x[0], x[-1] + np.log(BEYOND), PLACES)
    design, wanted = np.column_stack([np.ones_like(x), x]), np.column_stack([np.ones_like(far), far])
    to_fit = np.linalg.pinv(design)
    fit, others = to_fit @ line, to_fit @ np.log(left_out)  # the latter of shape (2, units)
    deviations = np.sqrt((best.size - 1) * np.mean((others - others.mean(axis=1, keepdims=True)) ** 2, axis=1))
    spread = wanted @ (others - others.mean(axis=1, keepdims=True))
    jackknife = np.sqrt((best.size - 1) * np.mean(spread**2, axis=1)) * stdtrit(best.size - 1, 0.5 + LEVEL / 2)
    freedom = len(places) - 2
    scatter = float(np.sum((line - design @ fit) ** 2)) / freedom
    quantile = float(stdtrit(freedom, 0.5 + LEVEL / 2))
    misfit = quantile * np.sqrt(scatter * (1 + np.sum((wanted @ to_fit) ** 2, axis=1)))
    half = np.maximum(jackknife, misfit)
    slope_half = max(
        float(deviations[1]) * float(stdtrit(best.size - 1, 0.5 + LEVEL / 2)),
        quantile * float(np.sqrt(scatter * np.sum(to_fit[1] ** 2))),
    )
    reached_by = float(np.mean(best**power))
    lines = [wanted @ fit + sign * half for sign in (0, -1, 1)]
    goal = target**power - reached_by
    middle, low, high = (((reached_by + np.exp(line)) ** (1 / power)).tolist() for line in lines)
    reached = [_first(far, line, np.log(goal)) if goal > 0 else None for line in lines]
    return LearningCurve(float(fit[1]), slope_half, np.exp(far).tolist(), middle, low, high, reached)


def _first(x: Vector, line: Vector, goal: float) -> float | None:
    """Where a line stays below the goal from there on, interpolated."""
    above = np.flatnonzero(line > goal)
    if not above.size:
        return float(np.exp(x[0]))
    i = int(above[-1])
    if i == len(x) - 1:
        return None
    return float(np.exp(x[i] + (x[i + 1] - x[i]) * (line[i] - goal) / (line[i] - line[i + 1])))
