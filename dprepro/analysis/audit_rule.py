"""Rule `audit`: draws refute no claim of privacy, and would have refuted a run that violates its guarantee."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dprepro.analysis.fits import Interval
from dprepro.analysis.points import number, require_columns
from dprepro.analysis.rule import Measured, Rule
from dprepro.axes import AXES
from dprepro.errors import unknown

if TYPE_CHECKING:
    import pandas as pd


FINER = 0.02
"""Share by which events finer than a law's cells may tell more than these."""


@dataclass(frozen=True, kw_only=True)
class Audit(Rule):
    """Lower limits of the epsilon that is spent, each over its bound, are at most `expected`.

    Attributes:
        series: one series, or several.
        power: the largest factor of epsilon that an audit must notice; the details have what each notices.

    Refuted where a limit is above. Confirmed where none is, and every audit has power: of the same algorithm, at the
    same draws, a run that violates its guarantee by a factor of at most `power` (quantity ``violating_epsilon``, column
    ``epsilon_factor``) has a limit above. An audit without power is named and makes the verdict inconclusive. So does
    one that shows more than the law of its own pair (quantity ``lower_epsilon``, a lower value that is near what is
    spent) allows: one of the two is wrong.

    The estimate is the largest limit over its bound, from which the interval reaches up to what is certified (quantity
    ``certified_epsilon``), or to 1 where nothing is: what is spent lies between.

    Error rate: each limit holds with 99%, so of K audits of algorithms that spend all that they claim at most K% are
    refuted. Exact binomial limits of a chosen event come out far below that.
    """

    name: ClassVar[str] = "audit"

    series: str | tuple[str, ...]
    expected: float = 1.0
    power: float = 4.0
    quantity: str = "audited_epsilon"

    def error_of(self, frame: pd.DataFrame) -> float:
        """1% for limits of draws; 0 for what a law says."""
        return 0.0 if self.quantity == "lower_epsilon" else super().error_of(frame)

    def direction(self) -> str:
        """Of one side."""
        return "at_most"

    def measure(self, frame: pd.DataFrame) -> Measured:
        """See the class."""
        require_columns(frame, ["bound"])
        wanted = [self.series] if isinstance(self.series, str) else list(self.series)
        for name in wanted:
            if name not in frame["series"].unique():
                raise unknown("series", name, map(str, frame["series"].unique()))
        rows = frame[frame["series"].isin(wanted)]
        failed = sorted(set(map(str, rows.loc[~rows["status"].isin(["ok"]), "series"])))
        rows = rows[rows["status"] == "ok"]
        found = rows[(rows["quantity"] == self.quantity) & (rows["bound"] > 0)]
        if found.empty:
            return Measured(reason="no audit was measured")
        shares = found["value"].astype(float) / found["bound"].astype(float)
        certified = rows[rows["quantity"] == "certified_epsilon"]
        upper = (certified["value"] / certified["bound"]).astype(float)
        top = int(np.argmax(shares.to_numpy()))
        most, limit = float(shares.max()), self.expected + self.margin
        interval = Interval(most, most, max(most, float(upper.max()) if len(upper) else 1.0))
        weak = self._weak(rows)
        details = {"without_power": weak, "notices": self._notices(rows), "pair": str(found.iloc[top].get("pair", ""))}
        if most > limit:
            verdict = "refuted"
            words = f"{_place(found, top)}: at least {number(most)} of what is claimed is spent"
        elif beyond := self._beyond_law(rows):
            verdict, words = "inconclusive", f"more is seen than the law has: {', '.join(beyond)}"
        elif weak:
            verdict, words = "inconclusive", f"without power: {', '.join(weak)}"
        elif failed:
            verdict, words = "inconclusive", f"not all cells could be judged: {', '.join(failed)}"
        else:
            verdict, words = "confirmed", ""
        return Measured(interval=interval, verdict=verdict, reason=words, details=details)

    def _beyond_law(self, rows: pd.DataFrame) -> list[str]:
        """The audits whose limit exceeds what the law of their pair spends, by more than its cells may hide."""
        places = ["series", *AXES, "replicate"]
        cell = ["series", "key"] if "key" in rows else places
        seen, exact = (rows[rows["quantity"] == f"{text}_epsilon"] for text in ("audited", "lower"))
        both = seen[[*dict.fromkeys([*places, *cell, "value"])]].merge(
            exact[[*cell, "value"]], on=cell, suffixes=("", "_by_law")
        )
        beyond = both[both["value"].astype(float) > (1 + FINER) * both["value_by_law"].astype(float)]
        return [_place(beyond, at) for at in range(len(beyond))]

    def _notices(self, rows: pd.DataFrame) -> dict[str, float]:
        """The least factor of epsilon that was noticed everywhere, by series."""
        if "epsilon_factor" not in rows:
            return {}
        own = rows[(rows["quantity"] == "violating_epsilon") & (rows["value"] > rows["bound"])]
        return {str(name): float(factor) for name, factor in own.groupby("series")["epsilon_factor"].max().items()}

    def _weak(self, rows: pd.DataFrame) -> list[str]:
        """The audits that notice no violation, with the largest factor of epsilon that was tried."""
        own = rows[rows["quantity"] == "violating_epsilon"].reset_index(drop=True)
        without = sorted(set(map(str, rows["series"])) - set(map(str, own["series"])))
        lines = zip(own["value"], own["bound"], own.get("epsilon_factor", own["value"]), strict=True)
        said = [
            f"{_place(own, at)} (with epsilon times {number(float(factor))})"
            for at, (value, bound, factor) in enumerate(lines)
            if not (value > bound and factor <= self.power)
        ]
        return said + [f"{name} (no violation was tried)" for name in without]


def _place(rows: pd.DataFrame, at: int) -> str:
    line = rows.iloc[at]
    shown = [axis for axis in AXES if rows[axis].nunique(dropna=False) > 1]
    return ", ".join([str(line["series"]), *(f"{axis}={number(float(line[axis]))}" for axis in shown)])
