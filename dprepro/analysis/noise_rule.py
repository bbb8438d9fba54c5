"""Rule `noise`: the noise that was drawn is that of the schedule."""

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
"""The first words of a reason: no measured series draws noise, or none reports it."""

ENOUGH = 1e4
"""A series with so many degrees of freedom is judged by itself: its interval is within 5% of the ratio."""


@dataclass(frozen=True, kw_only=True)
class NoiseRule(Rule):
    """The second moment of the noise drawn, over the schedule's, has the mean `expected`.

    Attributes:
        series: some series, or `*` for all that have the quantity.

    A row's value is such a ratio. Its column ``freedom`` has the degrees of freedom of a chi-square variable with the
    same relative variance. This rule pools the rows of a series with these weights, over all grid points, since the
    distribution of the ratio does not depend on the point. It pools series with fewer than `ENOUGH` degrees of freedom
    with each other; if these are still too few, it adds the next series, which it also judges alone. The limits are
    those of a chi-square variable, simultaneous at 99% (Bonferroni).

    The estimate is the one that is farthest from `expected`. Refuted where the interval of a single series, however
    few its draws are, lies outside of the margin; confirmed where that of every series with enough draws, and that of
    the others together, lies inside.

    The reason names series that have a noise scale and report no noise; they do not enter the verdict.

    Error rate: refuted in less than 1% of data sets whose noise is the schedule's. Not protected: noise of the right
    second moment and another law.
    """

    name: ClassVar[str] = "noise"
    at_levels: ClassVar[bool] = True

    series: str | tuple[str, ...] = "*"
    expected: float = 1.0
    quantity: str = "noise_moments"

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
        together = {name: value for name, value in sums.items() if name not in few}
        if few:
            pooled = tuple(np.sum([sums[name] for name in few], axis=0))
            if pooled[1] < ENOUGH and together:  # too few even so: those of the next one are counted with them
                pooled = tuple(np.add(pooled, min(together.values(), key=lambda pair: pair[1])))
            together[few[0] if len(few) == 1 else "those of few draws"] = pooled
        tail = (1 - self.level) / 2 / (len(sums) + 1)
        lowest, highest = self.region()
        intervals = {name: _interval(*value, tail) for name, value in together.items()}
        wrong = [
            f"{name} {number(interval.estimate)}"
            for name, interval in {name: _interval(*value, tail) for name, value in sums.items()}.items()
            if interval.high < lowest or interval.low > highest
        ]
        worst = max(intervals, key=lambda name: abs(np.log(max(intervals[name].estimate, 1e-300) / self.expected)))
        scaled = frame[frame["noise_scale"].fillna(0) > 0]["series"] if "noise_scale" in frame else frame["series"][:0]
        uncounted = sorted(set(map(str, scaled.unique())) - set(map(str, frame.loc[counted, "series"].unique())))
        details = {"ratios": {name: value[0] / value[1] for name, value in sums.items()}}
        if wrong:
            verdict, words = "refuted", f"not the schedule's noise: {', '.join(wrong)}"
        elif doubtful := [
            name for name, interval in intervals.items() if interval.low < lowest or interval.high > highest
        ]:
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
