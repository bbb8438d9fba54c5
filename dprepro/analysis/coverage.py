"""Rule `coverage`: whether the intervals of verdicts hold what they should as often as they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dprepro.analysis.comparisons import Ratio
from dprepro.analysis.fits import LEVEL, Interval, NotEnoughError
from dprepro.analysis.inequality import Below
from dprepro.analysis.proportion import clopper_pearson
from dprepro.analysis.rule import Measured, Rule
from dprepro.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

FEWEST = 10
"""Batches without which there is no share to speak of."""


@dataclass(frozen=True, kw_only=True)
class Coverage(Rule):
    """The interval of a few replicates misses what all of them say in a share of at most `expected`.

    A measurement with many replicates is dealt out in batches, and each is judged like a measurement of its own: by
    the geometric mean of value over the column `divide`, as the rule `ratio` does, or without such a column by the
    largest ratio to the bound, as `below` does.

    Attributes:
        series: one series.
        divide: a column such as ``rate``; empty for the bound.
        batch: replicates of a batch.
        axes: further columns that tell grid points apart.

    The estimate is the share that misses, with Clopper-Pearson limits of 99%. Confirmed where the upper limit is at
    most `expected`, refuted where the lower one is above: a few hundred batches cannot tell 1% from 2%.

    Error rates, of four replicates a batch and a hundred batches: intervals of `ratio`, being the larger of several,
    hardly ever miss, and in about one of twenty batches where they are half as wide. The limits of `below` are of all
    points at once: those of a single point are sharper, and of half the width they miss in a sixth of the batches if
    these have sixteen replicates.
    """

    name: ClassVar[str] = "coverage"

    series: str
    divide: str = ""
    batch: int = 4
    expected: float = 0.05
    axes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch < 2:
            raise InputError(f"batch is {self.batch}; a batch needs at least 2 replicates")

    def direction(self) -> str:
        """Of one side."""
        return "at_most"

    def measure(self, frame: pd.DataFrame) -> Measured:
        """See the class; raises NotEnoughError where there are fewer than `FEWEST` batches."""
        own = frame[(frame["series"] == self.series) & (frame["quantity"] == self.quantity)]
        count = 0 if own.empty else (int(own["replicate"].max()) + 1) // self.batch
        if count < FEWEST:
            raise NotEnoughError(f"{count} batches of {self.batch} replicates, and {FEWEST} are needed")
        rule = self._inner()
        truth = rule.measure(own).interval
        number = own["replicate"].to_numpy(dtype=int) // self.batch
        found = [rule.measure(own[number == item]).interval for item in range(count)]
        if truth is None or None in found:
            raise NotEnoughError("not every batch has an interval")
        missed = sum(interval is not None and not interval.low <= truth.estimate <= interval.high for interval in found)
        low, high = (
            float(side[0]) for side in clopper_pearson(np.array([1.0 * missed]), np.array([1.0 * count]), LEVEL)
        )
        limit = self.expected + self.margin
        verdict = "refuted" if low > limit else "confirmed" if high <= limit else "inconclusive"
        words = f"{missed} of {count} intervals miss"
        return Measured(interval=Interval(missed / count, low, high), verdict=verdict, reason=words)

    def _inner(self) -> Rule:
        """What judges a batch; its own expectation does not matter."""
        if self.divide:
            return Ratio(role="context", series=self.series, divide=self.divide, quantity=self.quantity, axes=self.axes)
        return Below(role="context", series=self.series, quantity=self.quantity, axes=self.axes)
