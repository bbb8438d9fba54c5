"""What violation an audit could have noticed, by leaks planted in the function's own answers, and what it lacks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprepro.budget import Budget
from dprepro.privacy.audit import Event, audit, chosen, lower_limit
from dprepro.privacy.outcomes import Answers, FloatArray, outcomes
from dprepro.privacy.statistics import FEW

Marks = np.ndarray[Any, np.dtype[np.bool_]]

FACTORS = (1.05, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0, 10.0)
"""Multiples of the claimed epsilon that are planted."""

ENOUGH = 2.0
"""An audit that lacks power is told how many calls would notice so many times epsilon."""

LEFT = 20
"""Fewer answers that are left of a planted leak tell nothing."""

MOST_CALLS = 1e10
"""More are no advice."""


@dataclass(frozen=True)
class Power:
    """What would have been noticed: the least multiple of epsilon, or None; ``lacking`` says what would give it."""

    noticed: float | None
    lacking: str = ""


def power(
    answers: tuple[Answers, Answers], budget: Budget, level: float, share: float, rng: np.random.Generator
) -> Power:
    """The least factor at which a leak, planted in these answers, is noticed by the same test.

    The leak: answers that are in an event get likelier on the data set on which they are likelier already and, where
    that is not enough, rarer on the other, by leaving out others, until the event's ratio is e^(factor epsilon), and
    that of its complement no further from 1. The event is the one that the answers themselves tell apart best; of few
    different answers it is the most usual one but for that of more than half, and answers are repeated. Where another
    event was noticed, whose ratio the leak has made larger still, the factor is that of this ratio.

    Args:
        answers: on two data sets, drawn for one test.
        budget: what is claimed.
        level: of that test.
        share: of all calls that it had.
        rng: chooses which answers are left out.
    """
    pair = outcomes(*answers)
    middle, calls = len(pair.first) // 2, int(2 * len(pair.first) / share)
    event = chosen(pair.first[:middle], pair.second[:middle], budget.delta, level)[0]
    data = (pair.second, pair.first) if event.swapped else (pair.first, pair.second)
    met, counts = np.unique(np.concatenate(data), axis=0, return_counts=True)
    few = len(met) <= FEW

    def holds(some: FloatArray) -> Marks:
        return np.asarray((some == usual).all(axis=1)) if few and len(met) > 1 else event.holds(some)

    usual = met[int(np.argmax(np.where(counts <= counts.sum() / 2, counts, 0)))]
    if holds(data[0]).mean() < holds(data[1]).mean():
        data = data[1], data[0]
    leak = _mixed if few else _thinned
    noticed, ratios = [], {}
    for factor in FACTORS:
        planted = _planted(data, holds, leak, factor * budget.epsilon, budget.delta, rng)
        found = None
        if planted is not None and min(len(some) for some in planted) >= LEFT:
            found = audit(*planted, budget.delta, level)
            if found.found is not None:
                ratios[factor] = _ratio(planted, found.found, budget.delta)
        noticed.append(found is not None and found.epsilon > budget.epsilon)
    least = least_noticed(FACTORS, noticed)
    if least is not None:
        return Power(next((some for some in FACTORS if some >= max(least, ratios[least] / budget.epsilon)), None))
    if len(met) == 1:
        if pair.kinds == ("no numbers: nan",):  # all of them, as there is one
            return Power(
                None, "no answer is numbers or can be read as such; return an array, a list, a mapping of such"
            )
        return Power(None, "all answers were the same on both data sets; give a domain on which they differ")
    chances = counts / counts.sum() if few else np.geomspace(1e-9, 0.5, 60)
    return Power(None, _advice(chances[chances <= 0.5], budget, level, share, calls))


def _ratio(planted: tuple[FloatArray, FloatArray], event: Event, delta: float) -> float:
    """The ln of the event's ratio by all planted answers, less two standard errors."""
    both = planted[event.swapped], planted[not event.swapped]
    likely, rare = (max(event.count(some), 0.5) / len(some) for some in both)
    if likely <= delta:
        return 0.0
    error = math.hypot(*(math.sqrt((1 - at) / (at * len(some))) for at, some in zip((likely, rare), both, strict=True)))
    return math.log((likely - delta) / rare) - 2 * error


def _advice(chances: FloatArray, budget: Budget, level: float, share: float, calls: int) -> str:
    """How many calls would do, by the limits of expected counts of a leak; or which claim can be looked at.

    The leaking event has one of these ``chances`` on the second data set: that of one of few answers, or any.
    """
    goal = ENOUGH * budget.epsilon
    likely = np.minimum(np.exp(min(goal, 700.0)) * chances + budget.delta, 0.9)
    rare = np.minimum(chances, (likely - budget.delta) * math.exp(-min(goal, 700.0)))
    for more in np.geomspace(2 * calls, max(MOST_CALLS, 2 * calls), 200):
        draws = int(more * share / 4)
        counts = [np.rint(draws * some).astype(np.int64) for some in (likely, rare)]
        if lower_limit(counts[0], counts[1], draws, budget.delta, level).max() > budget.epsilon:
            digit = 10 ** math.floor(math.log10(more))
            return f"to notice {ENOUGH:g} times epsilon, give draws={math.ceil(more / digit) * digit} or more"
    return f"a chance of e^-{budget.epsilon:g} is not seen by draws: claim a smaller epsilon, or try replay=true"


def _planted(
    data: tuple[FloatArray, FloatArray],
    holds: Callable[[FloatArray], Marks],
    leak: Callable[[FloatArray, Marks, float, np.random.Generator], FloatArray],
    epsilon: float,
    delta: float,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray] | None:
    """The answers after a leak, so that P = e^epsilon Q + delta holds of the event's shares; None where it cannot."""
    inside = [holds(some) for some in data]
    likely, rare = (float(some.mean()) for some in inside)
    if not 0 < likely < 1 or not 0 < rare < 1:
        return None  # neither can be made likelier or rarer
    ratio = math.exp(min(epsilon, 700.0))
    most = min((ratio + delta) / (1 + ratio), 0.9)  # where the complement's ratio is the same, the other way round
    wanted_likely, wanted_rare = min(ratio * rare + delta, most), rare
    if wanted_likely < math.exp(min(epsilon, 700.0)) * rare + delta:
        wanted_rare = (wanted_likely - delta) / math.exp(min(epsilon, 700.0))
    return (
        leak(data[0], inside[0], max(wanted_likely, likely), rng),
        leak(data[1], inside[1], min(wanted_rare, rare), rng),
    )


def _thinned(answers: FloatArray, inside: Marks, share: float, rng: np.random.Generator) -> FloatArray:
    """Answers of which the ``share`` is inside, by leaving out some at random of those inside or outside."""
    now = float(inside.mean())
    odds = share * (1 - now) / (now * (1 - share))
    keep = rng.random(len(answers)) < np.where(inside, min(odds, 1.0), min(1 / odds, 1.0))
    return answers[keep]


def _mixed(answers: FloatArray, inside: Marks, share: float, rng: np.random.Generator) -> FloatArray:
    """As many answers, of which about the ``share`` is inside, drawn from those inside and from those outside.

    For laws of few answers alone: of others an answer that is met twice tells that it was planted.
    """
    chosen_inside = rng.random(len(answers)) < share
    places = np.where(chosen_inside, *(rng.choice(np.flatnonzero(some), len(answers)) for some in (inside, ~inside)))
    return np.asarray(answers[places])


def least_noticed(factors: tuple[float, ...], noticed: list[bool]) -> float | None:
    """The least factor that was noticed, as was the next one; None where there is none."""
    for place, factor in enumerate(factors):
        if all(noticed[place : place + 2]):
            return factor
    return None
