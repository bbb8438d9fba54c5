"""Rule `exponent`: the slope of a rate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dprepro.analysis.fits import Interval, NotEnoughError, Slope, Vector, fit_mean, fit_slope
from dprepro.analysis.lacking import Powers, remedy, threshold
from dprepro.analysis.points import by_state, grid_points, number, require_columns, sentence, single_curve
from dprepro.analysis.rivals import rivals, surviving
from dprepro.analysis.rule import Measured, Rule
from dprepro.axes import AXES
from dprepro.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

# The quantity whose power is measured, by the transform's name; the regressor is its logarithm.
POWERS_OF: dict[str, Callable[[Vector], Vector]] = {
    "log": lambda axis: axis,
    "log_log": np.log,
    "log_log_double": lambda axis: np.log(2 * axis),
    "log_log_inverse": lambda axis: -np.log(axis),
}
# The axis again, from the quantity whose power is measured.
AXIS_OF: dict[str, Callable[[float], float]] = {
    "log": lambda inner: inner,
    "log_log": lambda inner: float(np.exp(inner)),
    "log_log_double": lambda inner: float(np.exp(inner)) / 2,
    "log_log_inverse": lambda inner: float(np.exp(-inner)),
}
INNER = {"log": "", "log_log": "ln {}", "log_log_double": "ln(2 {})", "log_log_inverse": "ln(1/{})"}
"""What that quantity is called, where it is not the axis itself."""
SIDES = ("two", "at_most", "at_least")
EXPLAINING = ("law", "bound", "rate")
"""Columns of what theory says of finite sizes, the sharpest first."""
LEAST_LOGARITHM = 1.0
"""Axes with smaller values of ln axis, such as epsilon, have no logarithms as rivals."""
MOST_MORE = 30
"""Times as many replicates as there are: advice to take still more is none."""
CONSTANT_DRIFT = 0.1
"""How much, relatively, a constant may move over the grid and still be one."""


@dataclass(frozen=True, kw_only=True)
class Exponent(Rule):
    """The exponent of a power law: slope of log mean value against the logarithm of an axis.

    Attributes:
        series: the series that is fitted.
        axis: the axis, any column that is constant within a grid point.
        transform: what the power is of: `log` the axis itself, `log_log` its logarithm, `log_log_double` ln(2 axis),
            `log_log_inverse` ln(1 / axis), as for delta.
        divide: a column (`bound`, `rate`) by which the value is divided first: the result is then the difference of
            the two slopes, and `expected` is 0.
        side: `two`; `at_most` for claims of the form slope <= expected, `at_least` for slope >= expected. The claim is
            about large sizes, and lower terms bend a finite grid by the margin of its kind: refuted where the whole
            interval is beyond claim and margin, confirmed where none of it is. A slope beyond the other side is
            confirmed, with the words that the rate is not attained.
        grid: `own`, or `other` where a user changed the grid or the data. An O() is not refuted by a finite grid, so a
            claim of two sides is then judged as `at_most`, and a slope that is too shallow (`at_least`: too steep) is
            refuted only where finite sizes do not explain it: the verdict is inconclusive where the first of the
            columns `EXPLAINING` that has values is as shallow on the same points, up to margin and half width.
        minimum_points: how many values of the axis must be left.
        minimum_span: how many decades of the axis they must cover on one curve. For the log_log transforms a third of
            it counts, in decades of the inner logarithm: such axes cannot be long.
        axes: further columns that tell grid points apart.

    Other axes that vary give curves with constants of their own and one slope; axes tied to `axis` just follow it.
    Saturated, failed and skipped points are left out and named. The interval, what it is protected against and what
    not: :func:`dprepro.analysis.fits.fit_slope`.

    Error rates of a verdict with margin .03, as measured by tests/analysis/test_error_rates.py in the regimes described
    there: a true claim is refuted in fewer than 1 of 1000 data sets (at most 1% in the worst regime); a claim that is
    wrong by 0.1 was never confirmed. The price is paid in inconclusive verdicts: over three decades a true claim is
    confirmed six times out of seven with replicates that scatter by 1%, every third time with 5%, hardly ever with 20%.

    Which rivals are excluded, n^a ln^b n and powers near by, is in the details, with the power that grid and noise have
    against each (:mod:`dprepro.analysis.rivals`). Where one with a logarithm survives, the result holds
    `up_to_logarithms`, and its verdict says up to which power (`log_powers`).

    The details of a claim of two sides that is confirmed as an upper bound only hold `not_attained`.

    `constant` is the geometric mean of value / rate over the fitted points, where there is a column `rate` to which
    the values are proportional: it may move by 10% over the grid.
    """

    name: ClassVar[str] = "exponent"
    choices: ClassVar[dict[str, tuple[str, ...]]] = {
        "transform": tuple(POWERS_OF),
        "side": SIDES,
        "grid": ("own", "other"),
    }
    at_levels: ClassVar[bool] = True

    series: str
    axis: str = "n"
    transform: str = "log"
    divide: str = ""
    side: str = "two"
    grid: str = "own"
    minimum_points: int = 5
    minimum_span: float = 1.5
    axes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.minimum_points < 3:
            raise InputError(f"minimum_points is {self.minimum_points}; a slope needs at least 3")
        if not self.minimum_span > 0:
            raise InputError(f"minimum_span is {self.minimum_span}; it must be positive")

    def direction(self) -> str:
        """Of two sides on the check's own grid only."""
        return super().direction() or ("at_most" if self.grid == "other" else "")

    def region(self) -> tuple[float, float]:
        """Open on the side that the claim allows."""
        low, high = super().region()
        side = self.direction()
        return (-np.inf if side == "at_most" else low), (np.inf if side == "at_least" else high)

    def measure(self, frame: pd.DataFrame) -> Measured:
        """See the class."""
        axes = list(dict.fromkeys([*AXES, *self.axes, self.axis]))
        require_columns(frame, [self.divide] if self.divide else [])
        known = [name for name in EXPLAINING if name in frame.columns]
        points = grid_points(
            frame,
            self.series,
            self.quantity,
            divide=self.divide,
            columns=known,
            axes=axes,
            distinct=True,
            envelope=self.envelope,
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            inner = POWERS_OF[self.transform](points[self.axis].to_numpy(dtype=float))
            fine = (points["mean"] > 0) & np.isfinite(inner) & (inner > 0)
        points.loc[(points["state"] == "used") & ~fine, "state"] = "unusable"
        chosen = (points["state"] == "used").to_numpy()
        used = points[chosen]
        named = by_state(points, self.axis, axes)
        left_out = sentence(named)
        own: dict[str, Vector] = {}
        details: dict[str, object] = dict(named)
        x = np.log(inner[chosen])
        curve: Vector = single_curve(used, self.axis, axes).to_numpy().astype(np.float64)
        constant = _constant(used, x, curve)
        drowned = points.loc[points["state"] == "saturated", self.axis].nunique()
        if too_few := self._too_few(used, x, curve, drowned):
            claimed = None if self.divide else self.expected
            powers = Powers(self.axis, np.log(inner), AXIS_OF[self.transform], claimed)
            out = threshold(points.assign(curve=single_curve(points, self.axis, axes)), powers)
            reason = "; ".join(filter(None, (too_few, out, left_out)))
            return Measured(reason=reason, constant=constant, details=details)
        mean = used["mean"].to_numpy(dtype=float)
        error, count = (used[name].to_numpy(dtype=float) for name in ("error", "count"))
        try:
            slope = fit_slope(x, np.log(mean), error / mean, count, curve, self.level)
            for name in dict.fromkeys(["raw", *known, *([self.divide] if self.divide else [])]):
                column = used[name].to_numpy(dtype=float)
                if (column > 0).all() and np.isfinite(column).all():
                    own[name] = np.log(column)
                    bare = fit_slope(x, own[name], group=curve).estimate
                    details["measured_slope" if name == "raw" else f"{name}_slope"] = bare
        except NotEnoughError as problem:
            reason = "; ".join(filter(None, (str(problem), left_out)))
            return Measured(reason=reason, constant=constant, details=details)
        details["drift"] = slope.drift
        verdict, said = self._judged(slope, x, curve, count, own)
        words = self._against_rivals(x, np.log(mean), error / mean, count, curve, slope, details)
        details["divide"] = self.divide
        if verdict == "confirmed" and self.side == "two" and slope.high < super().region()[0]:
            details["not_attained"] = True
        bent = f"the plot is curved, which makes the interval {2 * slope.drift:.2g} wider" if slope.drift > 0 else ""
        return Measured(
            interval=slope,
            verdict=verdict,
            reason="; ".join(filter(None, (said, words, bent, left_out))),
            constant=constant,
            details=details,
        )

    def _against_rivals(
        self,
        x: Vector,
        y: Vector,
        error: Vector,
        count: Vector,
        curve: Vector,
        slope: Interval,
        details: dict[str, object],
    ) -> str:
        """Enters the rivals in the details; the words for those with a logarithm that survive."""
        lowest, highest = super().region()
        beside = self.grid == "other" and not lowest <= slope.low <= slope.high <= highest
        if self.transform != "log" or x.min() < LEAST_LOGARITHM or self.side != "two" or beside:
            return ""
        found = rivals(self.axis, x, y, error, count, curve, self.expected, slope.low, slope.high)
        left = surviving(found)
        details["rivals"] = [rival.to_dict() for rival in found]
        details["up_to_logarithms"] = bool(left)
        details["axis"] = self.axis
        details["log_powers"] = [rival.log_power for rival in left]
        return f"up to logarithms ({', '.join(rival.name for rival in left)} not excluded)" if left else ""

    def _judged(
        self, slope: Slope, x: Vector, curve: Vector, count: Vector, own: Mapping[str, Vector]
    ) -> tuple[str, str]:
        """The verdict on a slope, with its words; `own` has the logarithms of the columns that have values."""
        verdict, said = self._compare(slope)
        lowest, highest = super().region()
        side = self.direction()
        if verdict == "confirmed" and side and (slope.high < lowest or slope.low > highest):
            return verdict, self._not_attained(side, fit_slope(x, own["raw"], group=curve).estimate)
        beyond = self.grid == "other" and not self._allows(slope.estimate)
        if explained := self._explained(slope, side, x, curve, own) if beyond else "":
            return "inconclusive", explained
        enough = self._enough(slope, count) if verdict == "inconclusive" else ""
        return verdict, "; ".join(filter(None, (said, enough)))

    def _enough(self, slope: Slope, count: Vector) -> str:
        """How many replicates would narrow an interval about a slope that the claim allows; empty where none would."""
        lowest, highest = self.region()
        room = min(slope.estimate - lowest, highest - slope.estimate)
        half = (slope.high - slope.low) / 2
        if self.role != "claim" or not room > 0 or slope.drift > 0 or count.min() < 2:
            return ""
        needed = float(count.min()) * (half / room) ** 2
        return f"about {float(f'{needed:.1e}'):g} replicates would do" if needed <= MOST_MORE * count.min() else ""

    def _allows(self, slope: float) -> bool:
        lowest, highest = self.region()
        return lowest <= slope <= highest

    def _not_attained(self, side: str, bare: float) -> str:
        """Words for a slope beyond a claim of one side, on the side that the claim allows."""
        lower = side == "at_most"
        if bare < 0:
            moves = "falls faster" if lower else "falls more slowly"
        else:
            moves = "grows more slowly" if lower else "grows faster"
        what = "risk" if self.quantity == "excess_risk" else self.quantity.replace("_", " ")
        if self.grid == "own":
            return f"the {what} {moves} on these data, the rate is not attained"
        bound = "an upper" if lower else "a lower"
        return f"the {what} {moves} on these data: the rate holds as {bound} bound and is not attained"

    def _explained(self, slope: Interval, side: str, x: Vector, curve: Vector, own: Mapping[str, Vector]) -> str:
        """Which column's own slope on the same points is as far from the claim; empty if none is."""
        name = next((name for name in EXPLAINING if name in own), "")
        if not name:
            return ""
        y = own[name] - own.get(self.divide, 0.0)
        theory = fit_slope(x, y, group=curve).estimate
        short = (slope.estimate - theory) * (1 if side == "at_most" else -1)
        if short > self.margin + (slope.high - slope.low) / 2:
            return ""
        moves, over = "falls" if theory < 0 else "grows", f" over {self.divide}" if self.divide else ""
        return (
            f"slope {number(slope.estimate)}, and the statement's own {name}{over} {moves} as slope {number(theory)} "
            f"on this grid: {self._better_end(x, y, curve)} {self.axis} is needed"
        )

    def _better_end(self, x: Vector, y: Vector, curve: Vector) -> str:
        """Towards which values of the axis the local slopes come nearer to the claim."""
        mine = np.flatnonzero(curve == curve[0])
        mine = mine[np.argsort(x[mine], kind="stable")]
        local = np.abs(np.diff(y[mine]) / np.diff(x[mine]) - self.expected)
        larger = bool(local[-1] <= local[0]) != (self.transform == "log_log_inverse")
        return "larger" if larger else "smaller"

    def _too_few(self, used: pd.DataFrame, x: Vector, curve: Vector, drowned: int) -> str:
        """What a slope lacks; ``drowned`` values of the axis are saturated, and would do if they were not."""
        needed = self.minimum_span if self.transform == "log" else self.minimum_span / 3
        inner = INNER[self.transform].format(self.axis)
        longer = remedy(self.axis, self.axes, self.minimum_points, needed, inner)
        values = used[self.axis].nunique()
        if values < self.minimum_points:
            plural = "" if values == 1 else "s"
            some = f"{values} usable value{plural} of {self.axis}, and {self.minimum_points} are needed"
            if values + drowned >= self.minimum_points:
                return f"{some}: {drowned} {'is' if drowned == 1 else 'are'} saturated"
            return f"{some}: {longer}"
        span = max(np.ptp(x[curve == value]) for value in np.unique(curve)) / np.log(10)
        # Decades that are asked for exactly must not fail by rounding.
        if span < needed - 1e-9:
            some = f"{number(span)} decades of {inner or self.axis}"
            lost = f" ({drowned} saturated value{'s' * (drowned > 1)} of {self.axis} left out)" if drowned else ""
            return f"the usable points span {some}{lost}, and {number(needed)} are needed: {longer}"
        return ""


def _constant(used: pd.DataFrame, x: Vector, curve: Vector) -> Interval | None:
    """Geometric mean of value / rate, with the 99% interval of the mean of the logarithms; None where it moves."""
    if "rate" not in used:
        return None
    ratio = used["raw"] / used["rate"]
    good = (ratio > 0) & np.isfinite(ratio)
    if good.sum() < 2:
        return None
    relative = (used["error"] / used["mean"])[good]
    at, logs = x[good.to_numpy()], np.log(ratio[good].to_numpy(float))
    try:
        trend = fit_slope(at, logs, group=curve[good.to_numpy()]).estimate
    except NotEnoughError:
        trend = float(np.ptp(logs) / max(np.ptp(at), 1e-300))
    if abs(trend) * np.ptp(at) > CONSTANT_DRIFT:
        return None
    log = fit_mean(logs, relative.to_numpy(float), used["count"][good].to_numpy(float))
    return Interval(*(float(np.exp(v)) for v in (log.estimate, log.low, log.high)))
