"""Rule `drawn`: the noise that was drawn is that of the schedule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dprepro.analysis.fits import Interval
from dprepro.analysis.points import number
from dprepro.analysis.rule import Measured, Rule
from dprepro.errors import unknown

if TYPE_CHECKING:
    import pandas as pd

NO_NOISE = "no run says what noise it has drawn"
"""The first words of a reason: none of the series that were measured draws any, or says so."""

ENOUGH = 1e4
"""Degrees of freedom at which a series is judged by itself: the interval of a ratio is then within 5% of it."""


@dataclass(frozen=True, kw_only=True)
class Drawn(Rule):
    """Second moments that were drawn, over those of the schedule, have the mean `expected`.

    Attributes:
        series: some series, or `*` for all that have the quantity.

    A row's value is such a ratio, and its column ``freedom`` says how many degrees of freedom a chi-square variable of
    the same relative variance has. Rows of a series are pooled by that weight, whatever the grid point: the law of the
    noise does not depend on it. Series of fewer than `ENOUGH` degrees of freedom are pooled together as well, and where
    that is too few still, with the next one, which stands by itself besides. Limits are those of a chi-square variable,
    simultaneous over all that is judged at 99% (Bonferroni).

    The estimate is the one that is farthest from `expected`. Refuted where the interval of a single series, however
    few its draws are, lies outside of the margin; confirmed where that of every series with enough draws, and that of
    the others together, lies inside.

    Series with a noise scale whose noise nobody has counted are named, and judge nothing.

    Error rate: refuted in less than 1% of data sets whose noise is the schedule's. Not protected: noise of the right
    second moment and another law.
    """

    name: ClassVar[str] = "drawn"
    at_levels: ClassVar[bool] = True

    series: str | tuple[str, ...] = "*"
    expected: float = 1.0
    quantity: str = "noise_drawn"

    def measure(self, frame: pd.DataFrame) -> Measured:
        """See the class."""
        if "freedom" not in frame:
            return Measured(reason=f"{NO_NOISE}: solve returns it as Solution(..., noise=...)")
        counted = (frame["quantity"] == self.quantity) & (frame["status"] == "ok")
        rows = frame[counted]
        if self.series != "*":
            wanted = [self.series] if isinstance(self.series, str) else list(self.series)
            for name in wanted:
                if name not in frame["series"].unique():
                    raise unknown("series", name, map(str, frame["series"].unique()))
            rows = rows[rows["series"].isin(wanted)]
        if rows.empty:
            return Measured(reason=f"no series has drawn any noise that was counted ({self.quantity})")
        sums = {
            str(name): (float(own["total"].sum()), float(own["freedom"].sum()))
            for name, own in rows.assign(total=rows["value"] * rows["freedom"].astype(float)).groupby("series")
        }
        few = [name for name, (_, freedom) in sums.items() if freedom < ENOUGH]
        together = {name: one for name, one in sums.items() if name not in few}
        if few:
            pooled = tuple(np.sum([sums[name] for name in few], axis=0))
            if pooled[1] < ENOUGH and together:  # too few even so: those of the next one are counted with them
                pooled = tuple(np.add(pooled, min(together.values(), key=lambda one: one[1])))
            together[few[0] if len(few) == 1 else "those of few draws"] = pooled
        tail = (1 - self.level) / 2 / (len(sums) + 1)
        lowest, highest = self.region()
        intervals = {name: _interval(*one, tail) for name, one in together.items()}
        wrong = [
            f"{name} {number(one.estimate)}"
            for name, one in {name: _interval(*one, tail) for name, one in sums.items()}.items()
            if one.high < lowest or one.low > highest
        ]
        worst = max(intervals, key=lambda name: abs(np.log(max(intervals[name].estimate, 1e-300) / self.expected)))
        scaled = frame[frame["noise_scale"].fillna(0) > 0]["series"] if "noise_scale" in frame else frame["series"][:0]
        uncounted = sorted(set(map(str, scaled.unique())) - set(map(str, frame.loc[counted, "series"].unique())))
        details = {"ratios": {name: one[0] / one[1] for name, one in sums.items()}}
        if wrong:
            verdict, words = "refuted", f"not the schedule's noise: {', '.join(wrong)}"
        elif doubtful := [name for name, one in intervals.items() if one.low < lowest or one.high > highest]:
            verdict, words = "inconclusive", f"too few draws to tell: {', '.join(doubtful)}"
        else:
            verdict, words = "confirmed", ""
        left_out = f"not counted: {', '.join(uncounted)}" if uncounted and self.series == "*" else ""
        words = "; ".join(filter(None, (words, left_out)))
        return Measured(interval=intervals[worst], verdict=verdict, reason=words, details=details)


def _interval(total: float, freedom: float, tail: float) -> Interval:
    """Of a variance over the claimed one, by the sum of squares over that and its degrees of freedom."""
    from scipy.special import gammaincinv

    low, high = (2 * float(gammaincinv(freedom / 2, q)) for q in (1 - tail, tail))
    return Interval(total / freedom, total / low, total / high)
