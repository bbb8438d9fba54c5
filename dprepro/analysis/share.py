"""Rule `share`: in which share of the cases a quantity keeps to a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dprepro.analysis.fits import Interval, NotEnoughError
from dprepro.analysis.points import number
from dprepro.analysis.rule import Measured, Rule

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Share(Rule):
    """At least the share `expected` of all cases has a value of at most `limit`.

    Attributes:
        series: one, several, or `*` for all of role claim. All their cells are pooled.
        limit: what a case keeps to.

    The share is claimed of these cases alone, and not of others like them: it has no sampling error. Confirmed where it
    is at least `expected`, else refuted. Data that appear in several cells count several times.
    """

    name: ClassVar[str] = "share"

    series: str | tuple[str, ...] = "*"
    limit: float

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
        share = float((values <= self.limit).sum() / values.size)
        verdict = "confirmed" if share >= self.expected - self.margin else "refuted"
        middle, most = float(np.median(values)), float(np.quantile(values, 0.9, method="higher"))
        said = f"median {number(middle)}, 90% at most {number(most)}, {len(values)} cases"
        return Measured(
            interval=Interval(share, share, share), verdict=verdict, reason=said,
            details={"median": middle, "quantile_90": most, "cases": int(values.size), "limit": self.limit},
        )  # fmt: skip
