"""Rule `below`: an explicit bound holds, from above or from below, or with equality."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dprepro.analysis.fits import LEVEL, Interval, Vector, replicate_errors
from dprepro.analysis.points import STATES, by_state, grid_points, number, require_columns, sentence
from dprepro.analysis.rule import VERDICTS, Measured, Rule
from dprepro.axes import AXES

if TYPE_CHECKING:
    import pandas as pd

VACUOUS = 0.1
"""Share of its bound below which a value makes the bound vacuous."""

ROUNDING = 1e-9
"""Relative: an equality that holds up to rounding is no violation."""


@dataclass(frozen=True, kw_only=True)
class Below(Rule):
    """value <= expected x bound in every grid point, for the mean over the replicates.

    Attributes:
        series: one series, several, or `*` for all of role claim and context that have a bound.
        side: `at_most`, or `at_least` for a lower bound: value >= expected x bound; read what follows mirrored.
            `equals` for a bound that is attained in truth: value = expected x bound, up to the margin to either side.
        axes: further columns that tell grid points apart.

    The estimate is the largest ratio of mean to bound; `low` and `high` are the largest lower and upper limit over the
    points, simultaneous at 99% (Bonferroni), so they hold the largest true ratio. Refuted where the lower limit of
    some point is above `expected`, confirmed where all upper limits are at or below it; there is no margin, since
    errors are in the limits. So a bound that holds with equality is never confirmed by draws: `equals` is. Its estimate
    is the ratio farthest from `expected`, `low` the least lower and `high` the largest upper limit; it is confirmed
    where all limits are within the margin, refuted where those of some point lie outside. Saturated points
    count: a bound has to hold there too. A failed cell makes a verdict inconclusive unless it is refuted anyway; points
    outside the premise (skipped) are none of the bound's business.

    The error of a point is the larger of its own and the series' pooled relative one, with the pooled degrees of
    freedom: two replicates alone say next to nothing about their error. A point with one replicate has the
    pooled error. A series without any replicates is taken as exact, unless its study says that it is random (column
    ``deterministic``): then the verdict is inconclusive. `largest_cell` in the details is the
    largest ratio of a single cell, which is not judged.

    A bound that says nothing is called vacuous, in the reason and the details: where at every point it exceeds the
    largest risk that there can be (column ``largest_risk``), or ten times the measured value.

    Error rates, measured at a bound that holds with equality everywhere, log-normal noise of .05 to .2 and 2 to 5
    replicates: refuted in at most 0.5% of data sets, confirmed in none. Not protected: noise so skewed that a handful
    of replicates misses its tail, and 0/1 quantities, whose replicates may agree by chance.
    """

    name: ClassVar[str] = "below"
    choices: ClassVar[dict[str, tuple[str, ...]]] = {"side": ("at_most", "at_least", "equals")}
    at_levels: ClassVar[bool] = True

    series: str | tuple[str, ...] = "*"
    expected: float = 1.0
    side: str = "at_most"
    axes: tuple[str, ...] = ()

    def measure(self, frame: pd.DataFrame) -> Measured:
        """See the class."""
        import pandas as pd

        require_columns(frame, ["bound"])
        axes = list(dict.fromkeys([*AXES, *self.axes]))
        series = self._series(frame)
        if not series:
            return Measured(reason=f"no series of role claim or context has a bound for {self.quantity}")
        tables, bounded = [], False
        named: dict[str, list[str]] = {state: [] for state in STATES}
        for name in series:
            points = grid_points(
                frame,
                name,
                self.quantity,
                divide="bound",
                columns=["bound", *(name for name in ("largest_risk",) if name in frame.columns)],
                axes=axes,
                distinct=True,
                envelope=self.envelope,
            )
            bounded |= bool(np.isfinite(points["bound"]).any())
            # Dividing by a bound that is not positive would turn the inequality around.
            judgeable = points["state"].isin(["used", "saturated"])
            points.loc[judgeable & ~(points["bound"] > 0), "state"] = "unusable"
            if _without_error(frame, name, self.quantity, points):
                reason = f"{name} is random and has one replicate a point, hence no error; raise replicates"
                return Measured(reason=reason, details=dict(named))
            prefix = f"{name}: " if len(series) > 1 else ""
            for state, labels in by_state(points, axes[0], axes).items():
                named[state] += [prefix + label for label in labels]
            tables.append(points[points["state"].isin(["used", "saturated"])].assign(series=name))
        points = pd.concat(tables, ignore_index=True)
        details: dict[str, object] = dict(named)
        left_out = sentence({**named, "saturated": []})
        if points.empty:
            why = "no point can be judged"
            if named["unusable"] and not bounded:
                why = f"no point has a bound for {self.quantity} to be held against"
                left_out = sentence({**named, "saturated": [], "unusable": []})
            return Measured(reason="; ".join(filter(None, (why, left_out))), details=details)
        ratio = points["mean"].to_numpy(dtype=float)
        half = np.concatenate([half_widths(table, len(points), self.level) for table in tables])
        limits = {"lower": ratio - half, "upper": ratio + half}
        sides = {"at_most": ("at_most",), "at_least": ("at_least",)}.get(self.side, ("at_most", "at_least"))
        if "at_most" in sides:
            details["largest_cell"] = float(points["largest"].max())
        vacuous = self._vacuous(points, ratio) if self.side == "at_most" else ""
        details["vacuous"] = bool(vacuous)
        found = [self._against(side, limits, points, axes) for side in sides]
        verdict, words = min(found, key=lambda pair: VERDICTS.index(pair[0]))
        if verdict == "confirmed" and (named["failed"] or named["unusable"]):
            verdict, words = "inconclusive", "not all points could be judged"
        reason = "; ".join(filter(None, (words, vacuous, left_out)))
        interval = self._interval(ratio, limits)
        return Measured(interval=interval, verdict=verdict, reason=reason, details=details)

    def _interval(self, ratio: Vector, limits: Mapping[str, Vector]) -> Interval:
        """The point that comes nearest to a violation, with the limits of what all points have."""
        if self.side == "equals":
            farthest = float(ratio[np.argmax(np.abs(ratio - self.expected))])
            return Interval(farthest, float(limits["lower"].min()), float(limits["upper"].max()))
        pick = np.max if self.side == "at_most" else np.min
        return Interval(*(float(pick(vector)) for vector in (ratio, limits["lower"], limits["upper"])))

    def _against(
        self, side: str, limits: Mapping[str, Vector], points: pd.DataFrame, axes: list[str]
    ) -> tuple[str, str]:
        """The verdict of one side, with the point that decides it in words."""
        sign = 1 if side == "at_most" else -1
        beyond = "above" if sign > 0 else "below"
        limit = self.expected + sign * self.margin
        slack = ROUNDING * max(1.0, abs(limit))
        # the first refutes where it is beyond the limit, the second keeps from confirming
        ends = ("lower", "upper") if sign > 0 else ("upper", "lower")
        for verdict, end in zip(("refuted", "inconclusive"), ends, strict=True):
            worst = int((sign * limits[end]).argmax())
            value = limits[end][worst]
            if sign * (value - limit) > slack:
                where = _place(points, worst, axes)
                return verdict, f"at {where} the {end} limit {value:.4g} is {beyond} {number(limit)}"
        return "confirmed", ""

    def _vacuous(self, points: pd.DataFrame, ratio: Vector) -> str:
        """Why the bound says nothing; empty if it says something."""
        if "largest_risk" in points and (self.expected * points["bound"] >= points["largest_risk"]).all():
            return "vacuous: the bound is above the largest possible risk at every point"
        if (ratio < VACUOUS * self.expected).all():
            return f"vacuous: the bound is more than {1 / VACUOUS:.0f} times the value at every point"
        return ""

    def _series(self, frame: pd.DataFrame) -> list[str]:
        if self.series != "*":
            return [self.series] if isinstance(self.series, str) else list(self.series)
        bounded = frame["bound"].notna() & (frame["quantity"] == self.quantity)
        return sorted(map(str, frame.loc[bounded & frame["role"].isin(["claim", "context"]), "series"].unique()))


def _without_error(frame: pd.DataFrame, series: str, quantity: str, points: pd.DataFrame) -> bool:
    """Whether a study has said that a series is random (column ``deterministic``) and no point was repeated."""
    if "deterministic" not in frame.columns or (points["count"] > 1).any():
        return False
    said = frame.loc[(frame["series"] == series) & (frame["quantity"] == quantity), "deterministic"].dropna()
    return len(said) > 0 and not said.astype(bool).all()


def half_widths(points: pd.DataFrame, tests: int, level: float = LEVEL) -> Vector:
    """Half widths of the limits of the means of one series, each at (1 - `level`) / `tests`.

    By Student's law and the wider of two errors: the point's own, and that of the spread, relative to the mean, which
    all points of the series have in common. 0 where no point has replicates.

    Args:
        points: with the columns `mean`, `error` and `count` of `grid_points`; the means are often ratios to a bound.
        tests: how many limits are to hold at once.
        level: at which all hold.
    """
    from scipy.special import stdtrit

    ratio, error = points["mean"].to_numpy(dtype=float), points["error"].to_numpy(dtype=float)
    size = np.abs(ratio)
    relative = np.divide(error, size, out=np.full_like(error, np.nan), where=size > 0)
    errors = replicate_errors(relative, points["count"].to_numpy(dtype=float))
    if errors is None:
        return np.zeros_like(ratio)
    own = np.where(np.isfinite(error), error, 0.0)
    quantile = stdtrit(errors.pool_freedom, 1 - (1 - level) / 2 / tests)
    return np.asarray(quantile * np.maximum(own, errors.pooled * size))


def _place(points: pd.DataFrame, index: int, axes: list[str]) -> str:
    line = points.iloc[index]
    shown = [axis for axis in axes if points[axis].nunique(dropna=False) > 1]
    return ", ".join([str(line["series"]), *(f"{axis}={number(float(line[axis]))}" for axis in shown)])
