"""What a check would notice: stored measurements with an error put in are judged again, and nothing is measured.

The errors are a common factor on the measured values, a power of the axis of the grid, and the loss of one grid point.
Each is tried on a ladder; what is told is the first rung at which the check no longer says what it says. A factor on a
certified epsilon is an error in epsilon; of a risk that falls as epsilon^a it is the factor to the power 1/a.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dprepro.analysis.exponent import POWERS_OF, Exponent
from dprepro.analysis.rule import Rule
from dprepro.axes import AXES
from dprepro.errors import DpreproError
from dprepro.support.frozen import copied

if TYPE_CHECKING:
    import pandas as pd

FACTORS = (1.01, 1.02, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0, 10.0, 100.0)
EXPONENTS = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)
EPSILONS = ("certified_epsilon", "audited_epsilon", "largest_loss")
"""Quantities that are an epsilon themselves."""


@dataclass(frozen=True)
class CheckPower:
    """The smallest errors that a check notices; None where it notices none on the ladder, or the error has no meaning.

    Attributes:
        above, below: factor above and below 1 on the measured values.
        steeper, flatter: x > 0 of a factor axis^x, and of axis^-x.
        axis: the axis of these.
        epsilon: how many times the claimed epsilon would be noticed.
        spare: whether the check says the same without any one value of its axis; None if that is not asked of it.
        needed: the values that it cannot do without.
    """

    above: float | None = None
    below: float | None = None
    steeper: float | None = None
    flatter: float | None = None
    axis: str = ""
    epsilon: float | None = None
    spare: bool | None = None
    needed: tuple[float, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dict(vars(self)) | {"needed": list(self.needed)}


def power(rule: Rule, frame: pd.DataFrame, slope_in_epsilon: float | None = None) -> CheckPower:
    """What a check that came out as expected on these measurements would notice.

    Args:
        rule: the check.
        frame: the measurements of its experiment.
        slope_in_epsilon: the exponent of the risk in epsilon, where it is known.
    """
    own, judged = _own(rule, frame)
    what = getattr(rule, "column", "") or "value"
    said = _verdict(rule, own)

    def first(ladder: Sequence[float], changed: Callable[[float], pd.DataFrame]) -> float | None:
        """The first rung that is noticed, by bisection: a larger error is noticed where a smaller one is."""
        if not ladder or _verdict(rule, changed(ladder[-1])) == said:
            return None
        low, high = -1, len(ladder) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if _verdict(rule, changed(ladder[middle])) != said else (middle, high)
        return ladder[high]

    above = first(FACTORS, lambda c: _times(own, judged, what, c))
    below = first([1 / c for c in FACTORS], lambda c: _times(own, judged, what, c))
    axis, inner = _axis(rule, own[judged])
    steeper = flatter = None
    if axis:
        steeper, flatter = (
            first(EXPONENTS, lambda x, sign=sign: _times(own, judged, what, inner ** (sign * x)))  # type: ignore[misc]
            for sign in (1, -1)
        )
    epsilon = None
    if rule.quantity in EPSILONS:
        epsilon = above
    elif below and slope_in_epsilon:
        epsilon = float((1 / below) ** (1 / abs(slope_in_epsilon)))
    needed = tuple(_needed(rule, own, judged, said)) if isinstance(rule, Exponent) else None
    return CheckPower(
        above, below, steeper, flatter, axis, epsilon, None if needed is None else not needed, needed or ()
    )


def _own(rule: Rule, frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series[bool]]:
    """The rows that the check sees, and which of them are what it measures and not what that is compared with."""
    used = rule.uses()
    own = frame[frame["series"].isin(used)] if used else frame
    own = own[(own["quantity"] == rule.quantity) | (own["status"] != "ok")]
    against = getattr(rule, "against", "")
    return own, (own["quantity"] == rule.quantity) & (own["series"] != against)


def _times(frame: pd.DataFrame, judged: pd.Series[bool], column: str, factor: float | pd.Series[float]) -> pd.DataFrame:
    return frame.assign(**{column: frame[column].where(~judged, frame[column] * factor)})


def _axis(rule: Rule, rows: pd.DataFrame) -> tuple[str, pd.Series[float] | float]:
    """The axis along which an error of a power is put in, and its values over their geometric mean.

    That of an exponent or a crossing, or of what else has the most values; of delta it is ln(1/delta).
    """
    axis = getattr(rule, "along", "") or (rule.axis if isinstance(rule, Exponent) else "")
    if not axis:
        counts: Mapping[str, int] = {name: int(rows[name].nunique()) for name in AXES}
        axis = max(counts, key=lambda name: counts[name])
        if counts[axis] < 2:
            return "", 1.0
    transform = rule.transform if isinstance(rule, Exponent) else "log_log_inverse" if axis == "delta" else "log"
    with np.errstate(invalid="ignore", divide="ignore"):
        inner = POWERS_OF[transform](rows[axis].to_numpy(dtype=float))
    good = np.isfinite(inner) & (inner > 0)
    if good.sum() < 2:
        return "", 1.0
    values = np.unique(inner[good])
    import pandas as pd

    middle = float(np.exp(np.log(values).mean()))
    return axis, pd.Series(np.where(good, inner / middle, 1.0), index=rows.index)


def _needed(rule: Exponent, own: pd.DataFrame, judged: pd.Series[bool], said: str) -> list[float]:
    """The values of the axis without each of which the verdict is another one."""
    values = sorted(float(value) for value in own.loc[judged & (own["status"] == "ok"), rule.axis].unique())
    return [value for value in values if _verdict(rule, own[own[rule.axis] != value]) != said]


def _verdict(rule: Rule, frame: pd.DataFrame) -> str:
    """The verdict at the usual level: of a refutation nobody asks here at which further ones it stands."""
    try:
        return copied(rule, at_levels=False).judge(frame).verdict
    except DpreproError:
        return "not judged"
