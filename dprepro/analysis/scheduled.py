"""Rule `scheduled`: what an algorithm fixes before it sees the data is the schedule as printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dprepro.analysis.fits import Interval, NotEnoughError, Vector
from dprepro.analysis.points import by_state, grid_points, labels, number, require_columns, sentence
from dprepro.analysis.rule import Measured, Rule
from dprepro.axes import AXES

if TYPE_CHECKING:
    import pandas as pd

PRINTED = "_printed"
"""What follows a column's name in that of the column that holds the formula."""

WHOLE = ("total_steps", "sketch")
"""Columns of whole numbers: a formula that is none is rounded, to either side."""


@dataclass(frozen=True, kw_only=True)
class Scheduled(Rule):
    """`column` = `expected` x the printed formula, at every grid point of all series.

    Attributes:
        series: one series or several; each is held against its own formula.
        column: what is judged: ``total_steps``, ``noise_scale``, ``step_size``, ``sketch``, ``weight``,
            ``regulariser``. The study writes the formula's value into the column of that name with `PRINTED`.
        axes: further columns that tell grid points apart.

    Nothing is random, so there is no interval but the range: low and high are the least and the largest ratio over the
    points, the estimate their geometric middle. Confirmed where the range is within the margin, refuted where it is
    not; inconclusive where some point has no value or no formula, unless another one refutes. A difference below 1 is
    agreement in a column of whole numbers (`WHOLE`), and 0 agrees with 0.
    """

    name: ClassVar[str] = "scheduled"
    at_levels: ClassVar[bool] = True  # nothing is random: they are the same at each

    series: str | tuple[str, ...]
    column: str
    expected: float = 1.0
    axes: tuple[str, ...] = ()

    def measure(self, frame: pd.DataFrame) -> Measured:
        """See the class; raises NotEnoughError where no formula is written at all."""
        import pandas as pd

        printed = self.column + PRINTED
        require_columns(frame, [self.column])
        if printed not in frame.columns:
            raise NotEnoughError(f"no formula is printed for {self.column}")
        axes = list(dict.fromkeys([*AXES, *self.axes]))
        tables, named = [], dict[str, list[str]]()
        for name in [self.series] if isinstance(self.series, str) else self.series:
            points = grid_points(frame, name, self.quantity, columns=[self.column, printed], axes=axes)
            for state, places in by_state(points, axes=axes).items():
                named.setdefault(state, []).extend(f"{name}: {place}" for place in places)
            tables.append(points[points["state"].isin(["used", "saturated", "unusable"])].assign(series=name))
        points = pd.concat(tables, ignore_index=True)
        if points.empty:
            return Measured(reason=f"no point was measured; {sentence(named)}", details=dict(named))
        places = [f"{name}, {place}" for name, place in zip(points["series"], labels(points, axes=axes), strict=True)]
        ratio = self._ratios(*(points[name].to_numpy(dtype=float) for name in (self.column, printed)))
        unknown = np.flatnonzero(np.isnan(ratio))
        known = ratio[np.isfinite(ratio) | np.isinf(ratio)]
        missing = ""
        if unknown.size:
            lost = points.loc[unknown[0], printed]
            what = f"no formula is printed for {self.column}" if np.isnan(lost) else f"{self.column} has no value"
            missing = f"{what} at {places[unknown[0]]}" + (f" and {unknown.size - 1} more" if unknown.size > 1 else "")
        if not known.size:
            return Measured(reason=missing, details={"points": 0})
        low, high = self.region()
        least, most = float(known.min()), float(known.max())
        fine = low <= least and most <= high
        worst = int(np.nanargmax(_distance(ratio / self.expected)))
        words = "" if fine else f"{self.column} is {number(ratio[worst])} of the printed formula at {places[worst]}"
        return Measured(
            interval=Interval(float(np.sqrt(least) * np.sqrt(most)), least, most),
            verdict="refuted" if not fine else "inconclusive" if missing else "confirmed",
            reason="; ".join(filter(None, (words, missing))),
            details={"points": int(known.size)},
        )

    def _ratios(self, value: Vector, printed: Vector) -> Vector:
        """Value over formula, NaN where one of them is not a number that is at least 0."""
        wanted = self.expected * printed
        good = np.isfinite(value) & np.isfinite(printed) & (value >= 0) & (printed >= 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(good, value / printed, np.nan)
        near = np.abs(value - wanted) < 1 if self.column in WHOLE else value == wanted
        return np.where(good & near, self.expected, ratio)


def _distance(ratio: Vector) -> Vector:
    """How far ratios are from 1, by their logarithm; infinite for 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.abs(np.log(ratio)))
