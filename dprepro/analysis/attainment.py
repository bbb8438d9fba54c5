"""Rule `attainment`: from which privacy, or from how many records on, an answer is good enough for its user."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dprepro.analysis.fits import LEVEL, Interval, NotEnoughError, Vector
from dprepro.analysis.learning_curve import learning_curve
from dprepro.analysis.points import number, require_columns
from dprepro.analysis.rule import Measured, Rule
from dprepro.axes import AXES
from dprepro.errors import InputError, unknown

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Attainment(Rule):
    """Some series keeps to the target from some value of the axis on, up to the end of the grid.

    Attributes:
        series: one, several, or `*` for all of role claim.
        axis: what is bought with: ``epsilon``, or ``n``.
        against, best: the target is what `best` reaches plus the share `expected` of what `against` leaves over it,
            both at the largest value of the axis: 1/2 is "half of what the mean leaves".
        target: the target itself, in the quantity's unit, in the place of these.
        side: ``at_most`` for errors, ``at_least`` for an accuracy.
        within: the largest value of the axis that its user would take.
        over: axes of equal tables (splits); all comparisons are made within a split, and their mean is judged.
        power: along n, the learning curve is that of value^power over that of `best`: 2 for a root of mean squares.

    Of every series, from the end of the grid downwards, points count as good enough as long as the limit of the mean
    distance to the target is on the right side (a fixed sequence of tests at the same level, so that the number of
    points costs nothing; the limits are simultaneous over the series, Bonferroni, at 99%). Units are the splits, or the
    replicates where there is one split; t quantiles, no pooling. `high` is the value from which on that is so, `low`
    the one from which on the opposite limit does not forbid it, and the estimate is where the mean itself crosses the
    target, by linear interpolation in the logarithm of the axis. The check tells them of the series with the smallest.

    Confirmed where `high` is at most `within`, refuted where the limits of all series forbid it up to there.

    Error rate: a series that misses the target at all points is called good enough in at most 1% of data sets, all
    series together, for differences between splits that are normal. Records of the splits overlap, so their spread
    tells of this table and not of a further one.
    """

    name: ClassVar[str] = "attainment"
    choices: ClassVar[dict[str, tuple[str, ...]]] = {"side": ("at_most", "at_least")}
    kinds: ClassVar[dict[str, str]] = {**Rule.kinds, "best": "series", "over": "axis"}

    series: str | tuple[str, ...] = "*"
    axis: str = "epsilon"
    against: str = ""
    best: str = ""
    target: float | None = None
    expected: float = 0.5
    side: str = "at_most"
    within: float = math.inf
    over: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()
    power: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target is None and not (self.against and self.best):
            raise InputError("attainment needs a target, or against and best that set one")

    def measure(self, frame: pd.DataFrame) -> Measured:
        """See the class."""
        require_columns(frame, [self.axis, *self.over])
        rows = frame[(frame["quantity"] == self.quantity) & (frame["status"] == "ok")]
        if rows.empty:
            raise unknown("quantity", self.quantity, map(str, frame["quantity"].unique()))
        curves = {label: own for name in self._series(rows) for label, own in self._curves(rows, name).items()}
        if not curves:
            raise NotEnoughError("no series has a point that can be judged")
        target, level = self._target(rows), 1 - (1 - LEVEL) / len(curves)
        found = {label: self._places(self._distances(own, target), level) for label, own in curves.items()}
        mean = float(np.mean(list(target.values())))
        goal = f"target: {self.quantity} {'<=' if self.side == 'at_most' else '>='} {number(mean)}"
        places = {label: [end if math.isfinite(end) else None for end in ends] for label, ends in found.items()}
        name, (low, estimate, high) = min(found.items(), key=lambda pair: (pair[1][2], pair[1][1], pair[1][0]))
        if high <= self.within and math.isfinite(high):
            verdict, words = "confirmed", f"good enough from {self.axis} ~ {number(high)} ({name})"
        elif all(not math.isfinite(ends[0]) or ends[0] > self.within for ends in found.values()):
            limit = f" up to {number(self.within)}" if math.isfinite(self.within) else " that was measured"
            verdict, words = "refuted", f"not good enough at any {self.axis}{limit}"
        else:
            name, (_, estimate, _) = min(found.items(), key=lambda pair: (pair[1][1], pair[1][0]))
            words = f"perhaps good enough from {self.axis} ~ {number(estimate)} ({name})"
            verdict = "inconclusive"
            if not math.isfinite(estimate):
                words = "perhaps good enough somewhere: the limits neither allow nor forbid it"
        laws = self._laws(rows, curves, mean) if self.axis == "n" and self.best else {}
        words += "" if verdict == "confirmed" else _beyond(laws, max(rows["n"].astype(float)))
        details = {"target": mean, "places": places, "words": words, "goal": goal, "laws": laws}
        interval = Interval(estimate, low, high) if verdict == "confirmed" else None
        return Measured(interval=interval, verdict=verdict, reason=f"{words}; {goal}", details=details)

    def errors(self, frame: pd.DataFrame) -> dict[str, tuple[str, dict[float, float]]]:
        """Of every curve that was measured: its series, and means over the splits by value of the axis."""
        rows = frame[(frame["quantity"] == self.quantity) & (frame["status"] == "ok")]
        found = {}
        for name in sorted(rows["series"].astype(str).unique()):
            for label, own in self._curves(rows, name).items():
                units = {float(str(v)): self._by_split(part)["value"].mean() for v, part in own.groupby(self.axis)}
                found[label] = (name, {value: float(item.mean()) for value, item in sorted(units.items())})
        return found

    def _series(self, rows: pd.DataFrame) -> list[str]:
        """The asked series that have a value at some point: an algorithm may refuse the data."""
        known = rows["series"].astype(str)
        if self.series == "*":
            return sorted(known[rows["role"] == "claim"].unique())
        named = [self.series] if isinstance(self.series, str) else list(self.series)
        return [name for name in named if (known == name).any()]

    def _curves(self, rows: pd.DataFrame, name: str) -> dict[str, pd.DataFrame]:
        """The rows of a series by curve: by the values of the axes besides `axis` and those averaged over."""
        own = rows[rows["series"] == name]
        others = [text for text in (*AXES, *self.axes) if text != self.axis and text not in self.over and text in own]
        # n follows from the split where a table is dealt with unequal parts; delta may follow n
        varying = [other for other in others if (own.groupby(self.axis)[other].nunique(dropna=False) > 1).any()]
        if not varying:
            return {name: own}
        found = {}
        for key, curve in own.groupby(varying, dropna=False):
            places = [f"{axis}={number(float(str(item)))}" for axis, item in zip(varying, key, strict=True)]
            found[", ".join([name, *places])] = curve
        return found

    def _target(self, rows: pd.DataFrame) -> Mapping[Any, float]:
        """The target of every split; where the series that set it have several curves, the best of them does."""
        if self.target is not None:
            return dict.fromkeys(self._by_split(rows).groups, self.target)
        best = min if self.side == "at_most" else max
        both = []
        for name in (self.against, self.best):
            ends = [
                self._by_split(curve[curve[self.axis] == curve[self.axis].max()])["value"].mean()
                for curve in self._curves(rows, name).values()
            ]
            if not len(ends[0]):
                raise NotEnoughError(f"series {name} has no {self.quantity}")
            both.append(best(ends, key=lambda end: float(end.mean())))
        left, reached = both
        return dict((reached + self.expected * (left - reached)).dropna())

    def _laws(self, rows: pd.DataFrame, curves: Mapping[str, pd.DataFrame], target: float) -> dict[str, Any]:
        """By curve: the law of what is lost over the best answer of all records, with its band."""
        ends = [
            self._by_split(own[own["n"] == own["n"].max()])["value"].mean()
            for own in self._curves(rows, self.best).values()
        ]
        best, found = min(ends, key=lambda end: float(end.mean())), {}
        for label, own in curves.items():
            units = {float(str(n)): self._by_split(point)["value"].mean() for n, point in own.groupby("n")}
            values = {n: unit.reindex(best.index).to_numpy(dtype=float) for n, unit in units.items()}
            whole = {n: value for n, value in values.items() if np.isfinite(value).all()}
            if law := learning_curve(whole, best.to_numpy(dtype=float), target, self.power):
                found[label] = law.details()
        return found

    def _by_split(self, rows: pd.DataFrame) -> Any:
        """Rows by split; all are one where none is named."""
        if len(self.over) == 1:
            return rows.groupby(self.over[0])
        return rows.groupby(list(self.over)) if self.over else rows.groupby(lambda _: 0.0)

    def _distances(self, own: pd.DataFrame, target: Mapping[Any, float]) -> list[tuple[float, Vector]]:
        """By value of the axis: how far beyond the target each unit is, above zero where it misses it."""
        sign = 1 if self.side == "at_most" else -1
        found = []
        for value, point in own.groupby(self.axis):
            units = [
                sign * (split["value"].astype(float).to_numpy() - target[place])
                for place, split in self._by_split(point)
                if place in target
            ]
            single = [float(unit.mean()) for unit in units] if len(units) > 1 else [float(v) for u in units for v in u]
            found.append((float(str(value)), np.array(single, dtype=np.float64)))
        return found

    def _places(self, points: list[tuple[float, Vector]], level: float) -> tuple[float, float, float]:
        """Where the lower limit, the mean and the upper limit stay within the target, from the end downwards."""
        low = estimate = high = math.inf
        within_low = within = within_high = True
        before = (math.nan, math.nan)
        for place, units in reversed([point for point in points if point[1].size]):
            least, mean, most = _limits(units, level)
            within_low &= least <= 0
            within_high &= most <= 0
            low, high = place if within_low else low, place if within_high else high
            if within and mean > 0 and math.isfinite(estimate):
                share = before[1] / (before[1] - mean)
                estimate = before[0] * (place / before[0]) ** share
            within &= mean <= 0
            estimate = place if within else estimate
            before = place, mean
        return low, estimate, high


def _beyond(laws: Mapping[str, Mapping[str, Any]], largest: float) -> str:
    """Where the first law beyond what was measured reaches the target, in words."""
    known = [(law["reached"], name) for name, law in laws.items() if law["reached"][0] is not None]
    if not known:
        return ""
    (middle, low, high), name = min(known)
    ends = f"{number(low)} to {number(high)}" if high else f"at least {number(low or largest)}"
    return f"; by the measured law from n ~ {number(float(f'{middle:.2g}'))} ({name}; {ends})"


def _limits(units: Vector, level: float) -> tuple[float, float, float]:
    """Lower limit, mean and upper limit of the mean; units that agree to the last digit are exact, one has no error."""
    from scipy.special import stdtrit

    mean = float(units.mean())
    if units.size == 1:
        return -math.inf, mean, math.inf
    if np.ptp(units) == 0:
        return mean, mean, mean
    half = float(stdtrit(units.size - 1, 0.5 + level / 2)) * float(units.std(ddof=1)) / math.sqrt(units.size)
    return mean - half, mean, mean + half
