"""Whether a witness is accepted: one test, at a size planned before it, at a level that all attempts share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LEVEL = 0.01
"""The probability with which any of all challenges of one statement is accepted that is no better than the record."""

BATCHES = 32
"""Means of so many equal parts of the draws are compared: they are nearly normal where single risks are not."""

PILOT = 4
"""Draws of each batch in the pilot, which plans the size and is thrown away."""

LEAST_DRAWS, LEAST_FROM_ABOVE = PILOT * BATCHES, 2048
"""Of data, and of a schedule or an algorithm, whose limit from above rare answers could exceed."""

MOST_DRAWS = 100_000
POWER = 0.9
"""With which the planned size notices the difference that the pilot shows."""

FINE = 0.005
"""The relative error that is planned for where there is no record to compare with."""

EQUAL = 1e-9
"""Relative: constants without an error that differ by less are equal."""


@dataclass(frozen=True)
class Estimate:
    """A constant as it was measured: a mean with its standard error and degrees of freedom; 0 where it is exact."""

    value: float
    error: float = 0.0
    freedom: float = BATCHES - 1

    @classmethod
    def of(cls, means: Sequence[float]) -> Estimate:
        """Of the means of batches; one alone is exact."""
        if len(means) == 1:
            return cls(float(means[0]))
        return cls(float(np.mean(means)), float(np.std(means, ddof=1) / math.sqrt(len(means))), len(means) - 1)

    def limit(self, level: float, upper: bool = False) -> float:
        """The one-sided limit, wrong with this probability; of a lower one never below 0."""
        reach = _quantile(level, self.freedom) * self.error
        return self.value + reach if upper else max(0.0, self.value - reach)


@dataclass(frozen=True)
class Decision:
    """Whether a witness is accepted, and why, in words."""

    accepted: bool
    reason: str


def level_of(attempts: int) -> float:
    """The level of the next test after so many: 6 LEVEL/(pi k)^2 of the k-th, which add up to `LEVEL`.

    So a statement can be challenged for ever, and by whoever sees what came of it, without luck having more.
    """
    return LEVEL * 6 / (math.pi * (attempts + 1)) ** 2


def planned(pilot: Estimate, record: Estimate | None, level: float, most: int, less: bool = False) -> int:
    """Draws in all, a multiple of `BATCHES`, from a pilot of which none is used again; ``less`` as of `judged`."""
    deviation = pilot.error * math.sqrt(PILOT * BATCHES)
    if deviation == 0:
        wanted = 0.0
    elif record is None:
        wanted = (deviation / (FINE * pilot.value)) ** 2 if pilot.value > 0 else math.inf
    else:
        gap = abs(pilot.value - record.value)
        reach = _quantile(level, BATCHES - 1) + _quantile(1 - POWER, BATCHES - 1)
        left = (gap / reach) ** 2 - record.error**2
        wanted = deviation**2 / left if left > 0 else math.inf
    draws = min(max(wanted, LEAST_FROM_ABOVE if less else LEAST_DRAWS), MOST_DRAWS, max(most, BATCHES))
    return BATCHES * max(1, int(draws // BATCHES))


def judged(
    found: Sequence[Estimate], record: Estimate | None, level: float, claimed: float = 0.0, less: bool = False
) -> Decision:
    """Whether a witness beats the record by more than its error.

    Args:
        found: its constant: of data one, of a schedule or an algorithm on each data set known (it must lose less on all
            of them, each at ``level``: an intersection of tests needs no correction).
        record: what it must beat; None where there is none yet.
        level: of the test; see `level_of`.
        claimed: what the submitter has seen.
        less: whether less is better.
    """
    worst = max(found, key=lambda one: one.value)
    said = f"{worst.value:.5g} +- {worst.error:.2g} on fresh seeds"
    if record is None and not worst.limit(level) > 0:
        return Decision(False, f"it shows no constant: {said}")
    if record is None:
        return Decision(True, f"the first of this statement: {said}")
    against = f"the record is {record.value:.5g} +- {record.error:.2g}"
    if all(_beats(one, record, level, less) for one in found):
        return Decision(True, f"better than the record: {said}; {against}")
    better = claimed < record.value if less else claimed > record.value
    if claimed and better and _beats(Estimate(claimed), worst, level, less):
        return Decision(False, f"lucky seed: {claimed:.5g} was claimed, and it is {said}; {against}")
    if (worst.value < record.value) is less and worst.value != record.value:
        return Decision(False, f"not better by its error: {said}; {against}")
    return Decision(False, f"not better: {said}; {against}")


def _beats(one: Estimate, other: Estimate, level: float, less: bool) -> bool:
    """Welch's test, one-sided; constants without errors are compared as they are."""
    gap = (other.value - one.value) if less else (one.value - other.value)
    error = math.hypot(one.error, other.error)
    if error <= EQUAL * abs(other.value):
        return gap > EQUAL * abs(other.value)
    freedom = error**4 / sum(part.error**4 / part.freedom for part in (one, other) if part.error)
    return gap > _quantile(level, freedom) * error


def _quantile(level: float, freedom: float) -> float:
    """What a Student variable exceeds with this probability."""
    from scipy.special import stdtrit

    return float(-stdtrit(freedom, level))
