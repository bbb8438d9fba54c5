"""What a grid lacks, said with what would do."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dprepro.analysis.points import SATURATION, number
from dprepro.axes import AXES

if TYPE_CHECKING:
    import pandas as pd

    from dprepro.analysis.fits import Vector

STEEP = 0.02
"""A slope below this, in size, leads below the threshold nowhere near the grid."""


def remedy(axis: str, swept: Collection[str], values: int, decades: float = 0.0, inner: str = "") -> str:
    """`give sweep.n at least 5 values over 1.5 decades`: the least grid that would do.

    Args:
        axis: the axis that is too short.
        swept: further axes of the sweep; any other column follows from it.
        values: how many usable values are needed.
        decades: how many decades of `inner`, the axis itself where that is empty, they must cover.
    """
    span = f" over {number(decades)} decades{f' of {inner}' if inner else ''}" if decades else ""
    if axis in AXES or axis in swept:
        return f"give sweep.{axis} at least {values} values{span}"
    return f"choose a sweep on which {axis} has at least {values} values{span}"


@dataclass(frozen=True)
class Powers:
    """The logarithms `x` of the quantity of which a risk is a power, one entry a point, and the way back to the axis.

    `slope` is the power that is claimed, None where none is.
    """

    axis: str
    x: Vector
    back: Callable[[float], float]
    slope: float | None = None


def threshold(points: pd.DataFrame, powers: Powers | None = None) -> str:
    """From which risk on a point is saturated, and where on the axis the risk would be below it; empty without any.

    Args:
        points: as from `grid_points`, with a column `curve` where several curves have constants of their own.
        powers: the power law by which a way out is looked for; what the usable points say of it goes before the claim.
    """
    chosen = (points["state"] == "saturated").to_numpy()
    if not chosen.any():
        return ""
    trivial = np.unique(points["trivial"].to_numpy(dtype=float)[chosen])
    ends = " to ".join(number(SATURATION * float(risk)) for risk in dict.fromkeys((trivial[0], trivial[-1])))
    words = f"a tenth of the trivial risk is {ends}"
    place = _way_out(points, chosen, powers) if powers else ""
    return f"{words}; {place}" if place else words


def _way_out(points: pd.DataFrame, chosen: NDArray[np.bool_], law: Powers) -> str:
    """`from n ~ 2e5 on the risk is below that`, by the slope of the usable points or the claimed one; empty without.

    Each curve is followed from its least saturated point; the farthest of the places is told.
    """
    x, raw, value = law.x, points["raw"].to_numpy(dtype=float), points[law.axis].to_numpy(dtype=float)
    curve = points["curve"].to_numpy() if "curve" in points else np.zeros(len(points))
    known = _fitted(x, raw, curve, (points["state"] == "used").to_numpy())
    power = law.slope if known is None else known
    if power is None or abs(power) < STEEP:
        return ""
    with np.errstate(invalid="ignore", divide="ignore"):
        beyond = np.log(raw / (SATURATION * points["trivial"].to_numpy(dtype=float)))
    usable = chosen & np.isfinite(x) & np.isfinite(beyond)
    starts = [
        min(np.flatnonzero(usable & (curve == value)), key=lambda i: beyond[i]) for value in np.unique(curve[usable])
    ]
    with np.errstate(over="ignore"):
        ends = [law.back(float(np.exp(x[i] - beyond[i] / power))) for i in starts]
    ends = [end for end in ends if np.isfinite(end) and end > 0]
    if not ends:
        return ""
    rising = ends[0] > value[starts[0]]
    end = number(float(f"{max(ends) if rising else min(ends):.2g}"))
    return f"{f'from {law.axis} ~ {end} on' if rising else f'up to {law.axis} ~ {end}'} the risk is below that"


def _fitted(x: Vector, raw: Vector, curve: Vector, used: NDArray[np.bool_]) -> float | None:
    """The common slope of ln raw on x over the usable points of all curves; None where no curve has two of them."""
    good = used & np.isfinite(x) & (raw > 0)
    across = squares = 0.0
    for value in np.unique(curve[good]):
        mine = good & (curve == value)
        away = x[mine] - x[mine].mean()
        across += float(away @ np.log(raw[mine]))
        squares += float(away @ away)
    return across / squares if squares > 0 else None
