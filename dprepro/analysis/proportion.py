"""Rule `proportion`: the success rate of an attack, or of anything that is counted, against a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dprepro.analysis.fits import Interval, Vector
from dprepro.analysis.points import by_state, grid_points, labels, number, require_columns, sentence
from dprepro.analysis.rule import Measured, Rule
from dprepro.axes import AXES

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Proportion(Rule):
    """Rate of successes <= (or >=) expected x bound at every grid point, with exact binomial limits.

    Attributes:
        series: one series.
        side: `at_most` (an inequality, a false-positive rate) or `at_least` (the power of an attack).
        axes: further columns that tell grid points apart.

    Successes and trials (column ``trials``; a row without is one trial) are pooled over the replicates of a point.
    Where the column ``bound`` has no value, `expected` stands alone. Clopper-Pearson limits are simultaneous over the
    points at 99% (Bonferroni). The estimate is the rate, divided by its bound where there is one, of the point nearest
    to violating the line; `low` and `high` are the most adverse limits likewise. Refuted where the limit of some point
    lies beyond `expected`, confirmed where all limits lie on the right side; a failed cell
    makes a confirmation inconclusive.

    Exact limits err towards doubt: a line that is attained is refuted in less than 0.5% of data sets and confirmed in
    less than 0.5%. The trials must be independent; several users judged by one answer are not.
    """

    name: ClassVar[str] = "proportion"
    at_levels: ClassVar[bool] = True
    choices: ClassVar[dict[str, tuple[str, ...]]] = {"side": ("at_most", "at_least")}

    series: str
    side: str = "at_most"
    axes: tuple[str, ...] = ()

    def measure(self, frame: pd.DataFrame) -> Measured:
        """See the class."""
        require_columns(frame, ["bound"])
        axes = list(dict.fromkeys([*AXES, *self.axes]))
        trials = frame["trials"].astype(float).fillna(1.0) if "trials" in frame else 1.0
        line = frame["bound"].astype(float).fillna(1.0)
        counted = frame.assign(_trials=trials, _line=line, _successes=frame["value"].astype(float) * trials)
        columns = ["_trials", "_line", "_successes"]
        points = grid_points(counted, self.series, self.quantity, columns=columns, axes=axes, distinct=True)
        named = by_state(points, axes[0], axes)
        left_out = sentence({**named, "saturated": []})
        points = points[points["state"].isin(["used", "saturated"])].reset_index(drop=True)
        if points.empty:
            return Measured(reason="; ".join(filter(None, ("no point can be judged", left_out))), details=dict(named))
        total = (points["_trials"] * points["count"]).round().to_numpy(dtype=float)
        hits = (points["_successes"] * points["count"]).round().to_numpy(dtype=float)
        low, high = clopper_pearson(hits, total, 1 - (1 - self.level) / len(points))
        line_of = points["_line"].to_numpy(dtype=float)
        rate, low, high = hits / total / line_of, low / line_of, high / line_of
        sign = 1 if self.side == "at_most" else -1
        near, far = (low, high) if sign > 0 else (high, low)  # the limits that refute, and that keep from confirming
        worst, doubtful = int((sign * near).argmax()), int((sign * far).argmax())
        pick = max if sign > 0 else min
        interval = Interval(float(pick(rate)), float(pick(low)), float(pick(high)))
        limit = self.expected + sign * self.margin
        places, beyond = labels(points, axes[0], axes), "above" if sign > 0 else "below"
        if sign * (near[worst] - limit) > 0:
            where = f"at {places[worst]} the limit {number(near[worst])} is {beyond} {number(limit)}"
            verdict, words = "refuted", where
        elif sign * (far[doubtful] - limit) > 0:
            where = f"at {places[doubtful]} the limit {number(far[doubtful])} is {beyond} {number(limit)}"
            verdict, words = "inconclusive", f"{where}, with {total[doubtful]:.0f} trials"
        elif named["failed"] or named["unusable"]:
            verdict, words = "inconclusive", "not all points could be judged"
        else:
            verdict, words = "confirmed", ""
        details = {**named, "trials": float(total.sum()), "fewest_trials": float(total.min())}
        reason = "; ".join(filter(None, (words, left_out)))
        return Measured(interval=interval, verdict=verdict, reason=reason, details=details)


def clopper_pearson(hits: Vector, total: Vector, level: float) -> tuple[Vector, Vector]:
    """Exact two-sided limits of binomial proportions: arrays of successes and trials, each interval of `level`."""
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    inside = hits > 0
    low = np.where(inside, betaincinv(np.where(inside, hits, 1.0), total - hits + 1, tail), 0.0)
    inside = hits < total
    high = np.where(inside, betaincinv(hits + 1, np.where(inside, total - hits, 1.0), 1 - tail), 1.0)
    return low, high
