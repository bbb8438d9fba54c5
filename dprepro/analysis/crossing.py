"""Rule `crossing`: where two curves meet, and how that place moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dprepro.analysis.exponent import POWERS_OF
from dprepro.analysis.fits import LEVEL, Interval, NotEnoughError, fit_mean, fit_slope
from dprepro.analysis.lacking import remedy
from dprepro.analysis.points import grid_points, number
from dprepro.analysis.rule import Measured, Rule
from dprepro.axes import AXES
from dprepro.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Crossing(Rule):
    """The exponent of a transition: along `axis`, `series` rises above `against` at axis* ~ along^expected.

    Attributes:
        series, against: the two curves; the first is the smaller at the low end of `axis`.
        column: instead of `series`, a column of `against` (`bound`) that is the smaller there.
        axis: where they cross.
        along: the axis with which the crossing moves.
        transform: what of it, as for exponents (`log_log`: its logarithm).
        anchor: power of `along` by which crossings are divided for the constant, the geometric mean of the quotients.
        scale: a further factor of `along` in the constant: with along n and scale epsilon, n epsilon.
        versus: a column (`bound`): the result is then the difference to the exponent with which the crossing of this
            column's curves moves, and `expected` is 0.
        minimum_points: how many crossings must be found.
        axes: further columns that tell grid points apart.

    At each value of `along` the log ratio of the two means is interpolated linearly in log axis where it changes its
    sign; values at which it does not are left out and named. Saturated points count, since which of two risks is the
    smaller does not depend on the trivial one. The error of a crossing is that of the log ratio over its slope.
    """

    name: ClassVar[str] = "crossing"
    at_levels: ClassVar[bool] = True
    choices: ClassVar[dict[str, tuple[str, ...]]] = {"transform": tuple(POWERS_OF)}

    series: str = ""
    against: str
    column: str = ""
    axis: str = "p"
    along: str = "n"
    transform: str = "log"
    scale: str = "epsilon"
    anchor: float = 0.0
    versus: str = ""
    minimum_points: int = 5
    axes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.series) == bool(self.column) or (self.column and self.versus):
            raise InputError("crossing needs one of series and column (of against), and versus beside a series only")

    def measure(self, frame: pd.DataFrame) -> Measured:
        """See the class; raises NotEnoughError with too few crossings."""
        places, none = crossings(self, frame)
        reason = f"no crossing at {self.along}={', '.join(map(number, none))}" if none else ""
        if len(places) < self.minimum_points:
            longer = remedy(self.along, self.axes, self.minimum_points)
            words = f"{len(places)} crossings, and {self.minimum_points} are needed: {longer} at which the curves cross"
            raise NotEnoughError("; ".join(filter(None, (words, reason))))
        along, place, error, scale, counts = np.array(places).T
        divisor = np.ones_like(place)
        if self.versus:
            known = {crossing[0]: crossing[1] for crossing in crossings(self, frame, self.versus)[0]}
            divisor = np.array([known.get(float(value), np.nan) for value in along])
            if not np.isfinite(divisor).all():
                raise NotEnoughError(f"the curves of {self.versus} do not cross where those of the values do")
        power = POWERS_OF[self.transform](along)
        slope = fit_slope(np.log(power), np.log(place / divisor), error, counts, level=self.level)
        log = fit_mean(np.log(place) - (self.anchor or self.expected) * np.log(power * scale), error, counts)
        constant = Interval(*(float(np.exp(value)) for value in (log.estimate, log.low, log.high)))
        details: dict[str, object] = {"scale": float(scale[0])}
        details |= {"crossings": [[float(a), float(b)] for a, b in zip(along, place, strict=True)], "level": LEVEL}
        return Measured(interval=slope, reason=reason, constant=constant, details=details)


def crossings(rule: Crossing, frame: pd.DataFrame, column: str = "") -> tuple[list[tuple[float, ...]], list[float]]:
    """(along, axis*, standard error of log axis*, scale, replicates) of each crossing; values of along without one."""
    axes = list(dict.fromkeys([*AXES, *rule.axes, rule.axis, rule.along]))
    both = []
    for name, instead in ((rule.series or rule.against, column or rule.column), (rule.against, column)):
        wanted = [instead] if instead else []
        points = grid_points(
            frame, name, rule.quantity, axes=axes, distinct=True, envelope=rule.envelope, columns=wanted
        )
        points = points[points["state"].isin(["used", "saturated"]) & (points["mean"] > 0)]
        if instead:
            points = points.assign(mean=points[instead], error=0.0)
        keys = [axis for axis in axes if axis not in rule.envelope]
        both.append(points.set_index(keys)[["mean", "error", "count"]])
    joined = both[0].join(both[1].add_suffix("_against"), how="inner").reset_index()
    joined["log_ratio"] = np.log(joined["mean"] / joined["mean_against"])
    first = (joined["error"] / joined["mean"]).fillna(0.0).to_numpy(dtype=float)
    second = (joined["error_against"] / joined["mean_against"]).fillna(0.0).to_numpy(dtype=float)
    joined["se"] = np.hypot(first, second)
    places: list[tuple[float, ...]] = []
    none: list[float] = []
    for value, line in joined.sort_values(rule.axis).groupby(rule.along):
        x = np.log(line[rule.axis].to_numpy(dtype=float))
        y, se = line["log_ratio"].to_numpy(dtype=float), line["se"].to_numpy(dtype=float)
        change = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
        if not change.size:
            none.append(float(str(value)))
            continue
        i = int(change[-1])
        slope = (y[i + 1] - y[i]) / (x[i + 1] - x[i])
        scale = float(line[rule.scale].iloc[0]) if rule.scale else 1.0
        error = float(se[i : i + 2].max() / slope)
        count = float(line[["count", "count_against"]].to_numpy(dtype=float).min())
        places.append((float(str(value)), float(np.exp(x[i] - y[i] / slope)), error, scale, count))
    return places, none
