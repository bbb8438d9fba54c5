"""Rule `powers`: a column that an algorithm fixes before it sees the data is a product of powers of the axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dprepro.analysis.fits import Interval
from dprepro.analysis.points import by_state, grid_points, labels, number, require_columns
from dprepro.analysis.rule import Measured, Rule
from dprepro.axes import AXES
from dprepro.errors import unknown

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Powers(Rule):
    """`column` = constant x the product of the axes to their `powers`, at every grid point of all series.

    Attributes:
        series: one series or several; their points are held against one formula.
        column: what is judged, such as ``noise_scale``.
        powers: by axis; of ``delta`` it is that of ln(1/delta). Axes that are not named have the power 0: the column
            may not depend on them.
        constant: of the product; 0 leaves it open, and takes the middle of the range.
        expected: the ratio of column and formula.

    Nothing is random, so there is no interval but the range: low and high are the least and the largest ratio over the
    points, the estimate their geometric middle. Confirmed where the range is within the margin, refuted where it is
    not. A power that is off by .01 shows as 5% over two decades. `constant` of the result is the one that was found.
    """

    name: ClassVar[str] = "powers"
    kinds: ClassVar[dict[str, str]] = {**Rule.kinds, "column": "column", "powers": "axis"}

    series: str | tuple[str, ...]
    column: str
    powers: Mapping[str, float] = field(default_factory=dict)
    constant: float = 0.0
    expected: float = 1.0
    margin: float = 0.02

    def measure(self, frame: pd.DataFrame) -> Measured:
        """See the class."""
        import pandas as pd

        require_columns(frame, [self.column])
        for axis in self.powers:
            if axis not in frame.columns:
                raise unknown("axis", axis, AXES)
        names = [self.series] if isinstance(self.series, str) else list(self.series)
        tables = []
        for name in names:
            points = grid_points(frame, name, self.quantity, columns=[self.column], axes=[*AXES, *self._further()])
            tables.append(points[points["state"].isin(["used", "saturated", "unusable"])].assign(series=name))
        points = pd.concat(tables, ignore_index=True)
        values = points[self.column].to_numpy(dtype=float)
        if points.empty or not (np.isfinite(values) & (values > 0)).all():
            return Measured(reason=f"{self.column} is not positive at every point", details=dict(by_state(points)))
        formula = np.ones(len(points))
        for axis, power in self.powers.items():
            value = points[axis].to_numpy(dtype=float)
            formula *= (np.log(1 / value) if axis == "delta" else value) ** power
        ratio = values / formula
        middle = float(np.sqrt(ratio.min() * ratio.max()))
        ratio = ratio / (self.constant or middle)
        interval = Interval(float(np.sqrt(ratio.min() * ratio.max())), float(ratio.min()), float(ratio.max()))
        low, high = self.region()
        places = labels(points)
        worst = int(np.argmax(np.abs(np.log(ratio / self.expected))))
        fine = low <= interval.low and interval.high <= high
        words = "" if fine else f"{number(ratio[worst])} of the formula at {points['series'][worst]}, {places[worst]}"
        return Measured(
            interval=interval,
            verdict="confirmed" if fine else "refuted",
            reason=words,
            constant=Interval(middle, middle, middle),
            details={"points": len(points)},
        )

    def _further(self) -> list[str]:
        return [axis for axis in self.powers if axis not in AXES]
