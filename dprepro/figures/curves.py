"""What is drawn of a series: its curves, one for each value of the axes that the abscissa does not hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dprepro.analysis.fits import Vector
from dprepro.analysis.points import grid_points, number
from dprepro.axes import AXES
from dprepro.figures.words import SYMBOLS

if TYPE_CHECKING:
    import pandas as pd

ALIKE = 2e-3
"""Relative difference up to which two bounds are one line."""


@dataclass(frozen=True)
class Curve:
    """One curve of a series.

    Attributes:
        points: its grid points as :func:`dprepro.analysis.points.grid_points` has them, sorted by their abscissa ``x``,
            which is ln(1/delta) for delta.
        name: values of the axes that tell it from the series' other curves; empty for the only one.
    """

    points: pd.DataFrame
    name: str = ""

    def xy(self, column: str = "mean") -> tuple[Vector, Vector]:
        """Abscissas and a column where that is positive and finite."""
        x, y = (self.points[name].to_numpy(dtype=float) for name in ("x", column))
        good = np.isfinite(y) & (y > 0)
        return x[good], y[good]


class Bound(NamedTuple):
    """An explicit bound as a line: the series that it belongs to, abscissas and values."""

    series: str
    x: Vector
    y: Vector


def curves(
    rows: pd.DataFrame,
    name: str,
    quantity: str,
    axis: str,
    envelope: Sequence[str] = (),
    further: Sequence[str] = (),
    times: Mapping[str, float] | None = None,
    columns: Sequence[str] = (),
    positive: bool = True,
) -> list[Curve]:
    """The curves of a series against an axis: its used and saturated points, finite ones where there are any.

    Args:
        rows: measurements of the quantity, perhaps of other series too.
        name, quantity: what is drawn.
        axis: the abscissa.
        envelope: axes of a family of which the worst member is drawn.
        further: axes of the sweep beyond the main ones. No mean is taken over them.
        times: axes and powers by which the abscissa is multiplied.
        columns: further columns, of which the points have the means.
        positive: whether points are left out whose mean is not positive.

    Raises:
        InputError: rows that differ in an axis that is named nowhere.
    """
    powers = times or {}
    wanted = [column for column in ("bound", "shape", "law", *columns) if column in rows.columns]
    known = [one for one in further if one in rows.columns]
    axes = list(dict.fromkeys([*AXES, *known, axis, *powers]))
    points = grid_points(rows, name, quantity, columns=wanted, axes=axes, distinct=True, envelope=envelope)
    points = points[points["state"].isin(["used", "saturated"]) & ((points["mean"] > 0) | (not positive))].copy()
    x = points[axis].to_numpy(dtype=float)
    points["x"] = -np.log(x) if axis == "delta" else x
    for one, power in powers.items():
        points["x"] *= points[one].astype(float) ** power
    points = points[points["x"].notna()]
    if np.isfinite(points["x"]).any():  # a limit lies off the axis
        points = points[np.isfinite(points["x"])]
    if points["x"].nunique() == len(points):  # a tied axis follows the figure's
        return [Curve(points.sort_values("x"))] if len(points) else []
    others = [one for one in axes if one not in (axis, *powers, *envelope) and points[one].nunique(dropna=False) > 1]
    return [
        Curve(
            group.sort_values("x"),
            ", ".join(f"{SYMBOLS.get(a, a)} = {number(float(group[a].iloc[0]))}" for a in others),
        )
        for _, group in points.groupby(others, sort=True, dropna=False)
    ]


def at_edge(rows: pd.DataFrame, name: str, found: Sequence[Curve], axis: str) -> bool:
    """Whether the worst of a family, at some point that is used, is the first or last member that was measured."""
    members = rows.loc[rows["series"] == name, axis].dropna().unique()
    used = [curve.points.loc[curve.points["state"] == "used", axis] for curve in found]
    return len(members) > 1 and any(one.isin([members.min(), members.max()]).any() for one in used)


def bounds(drawn: Mapping[str, Sequence[Curve]], claims: Sequence[str]) -> list[Bound]:
    """The explicit bounds to be drawn: no two are the same line.

    Every claim has its own. Any other series has its own where it would else seem to break one that it is not held
    against.
    """
    lines: list[Bound] = []
    for name in sorted(drawn, key=lambda one: one not in claims):
        for curve in drawn[name]:
            x, bound = curve.xy("bound") if "bound" in curve.points else (np.empty(0), np.empty(0))
            if not x.size or any(_alike(x, bound, line.x, line.y) for line in lines):
                continue
            if name in claims or any(_above(*curve.xy(), line.x, line.y) for line in lines):
                lines.append(Bound(name, x, bound))
    return lines


def _alike(x: Vector, y: Vector, along: Vector, other: Vector) -> bool:
    """Whether one curve lies on the other, which must be known at all its points or be a constant."""
    inside = (x >= along[0] * (1 - 1e-9)) & (x <= along[-1] * (1 + 1e-9))
    known = inside.all() or np.ptp(other) <= ALIKE * other.max()
    return bool(known and np.allclose(y, _between(x, along, other), rtol=ALIKE))


def _above(x: Vector, y: Vector, along: Vector, other: Vector) -> bool:
    inside = (x >= along[0]) & (x <= along[-1])
    return bool((y[inside] > _between(x[inside], along, other)).any())


def _between(x: Vector, along: Vector, y: Vector) -> Vector:
    """Interpolated on logarithmic axes."""
    return np.asarray(np.exp(np.interp(np.log(x), np.log(along), np.log(y))))


def certified(frame: pd.DataFrame) -> dict[str, str]:
    """For each series that its accountant lets spend more epsilon than is claimed: how much, in words."""
    own = frame[(frame["quantity"] == "spent_epsilon") & (frame["status"] == "ok") & (frame["epsilon"] > 0)]
    share = own["value"].astype(float) / own["epsilon"].astype(float)
    found = {}
    for name, values in share.groupby(own["series"]):
        low, high = float(values.min()), float(values.max())
        if 1 + 1e-6 < high < np.inf:
            ends = [number(float(f"{end:.3g}")) for end in (low, high)]
            found[str(name)] = f"certified for {' to '.join(dict.fromkeys(ends))} ε"
    return found
