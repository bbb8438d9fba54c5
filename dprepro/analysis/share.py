"""Rule `share`: in which share of the cases a quantity keeps to a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from dprepro.analysis.fits import Interval, NotEnoughError
from dprepro.analysis.points import number
from dprepro.analysis.proportion import clopper_pearson
from dprepro.analysis.rule import Measured, Rule

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Share(Rule):
    """At least the share `expected` of all cases has a value of at most `limit`.

    Attributes:
        series: one, several, or `*` for all of role claim. All their cells are pooled.
        limit: what a case keeps to.
        among: of which cases the share is claimed: of all that are ``drawn`` like them, or of ``these`` alone, whose
            share has no sampling error.

    Confirmed where the exact binomial lower limit (99%) is at least `expected`, refuted where the upper limit is below
    it. Data that appear in several cells count several times.
    """

    name: ClassVar[str] = "share"
    at_levels: ClassVar[bool] = True

    series: str | tuple[str, ...] = "*"
    limit: float
    among: Literal["drawn", "these"] = "drawn"

    def direction(self) -> str:
        """Of one side."""
        return "at_least"

    def measure(self, frame: pd.DataFrame) -> Measured:
        """See the class."""
        rows = frame[(frame["quantity"] == self.quantity) & (frame["status"] == "ok")]
        named = [self.series] if isinstance(self.series, str) else list(self.series)
        rows = rows[rows["role"] == "claim"] if self.series == "*" else rows[rows["series"].isin(named)]
        if rows.empty:
            raise NotEnoughError(f"no case has a value of {self.quantity}")
        values = rows["value"].to_numpy(dtype=float)
        hits, total = np.array([float((values <= self.limit).sum())]), np.array([float(values.size)])
        share = float(hits[0] / total[0])
        low, high = share, share
        if self.among == "drawn":
            low, high = (float(end[0]) for end in clopper_pearson(hits, total, self.level))
        limit = self.expected - self.margin
        verdict = "confirmed" if low >= limit else "refuted" if high < limit else "inconclusive"
        middle, most = float(np.median(values)), float(np.quantile(values, 0.9, method="higher"))
        said = f"median {number(middle)}, 90% at most {number(most)}, {len(values)} cases"
        return Measured(
            interval=Interval(share, low, high), verdict=verdict, reason=said,
            details={"median": middle, "quantile_90": most, "cases": int(values.size), "limit": self.limit},
        )  # fmt: skip
