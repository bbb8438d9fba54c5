"""What is drawn of a series: its curves, one for each value of the axes that the abscissa does not hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dprepro.analysis.fits import Vector
from dprepro.analysis.inequality import half_widths
from dprepro.analysis.points import grid_points, number
from dprepro.axes import AXES
from dprepro.figures.words import SYMBOLS

if TYPE_CHECKING:
    import pandas as pd

ALIKE = 2e-3
"""Relative difference up to which two bounds are one line."""

BENT = 0.02
"""By how much the slope between two pieces of a bound may lie outside of theirs."""

MOST_CURVES, MOST_POINTS = 20, 200
"""Of a series, and of a curve: of more an even selection is drawn, with the first and the last."""


MOST_NAMES, MOST_LETTERS = 12, 60
"""Of curves that are named together: a panel has room for about so many letters."""


@dataclass(frozen=True)
class Curve:
    """One curve of a series.

    Attributes:
        points: its grid points as :func:`dprepro.analysis.points.grid_points` has them, sorted by their abscissa ``x``,
            which is ln(1/delta) for delta; a column ``half`` has half widths that were made of more curves than this.
        name: values of the axes that tell it from the series' other curves; empty for the only one.
        of: how many curves and points the series has, where only a selection of them is drawn.
    """

    points: pd.DataFrame
    name: str = ""
    of: str = ""

    def half_widths(self) -> Vector:
        """Of the means' 99% intervals, shape (points,); 0 where nothing is drawn at random, or no replicates tell."""
        if "half" in self.points:
            return self.points["half"].to_numpy(dtype=float)
        return np.nan_to_num(half_widths(self.points, 1))

    def xy(self, column: str = "mean") -> tuple[Vector, Vector]:
        """Abscissas and a column where that is positive and finite."""
        x, y = (self.points[name].to_numpy(dtype=float) for name in ("x", column))
        good = np.isfinite(y) & (y > 0)
        return x[good], y[good]


class Bound(NamedTuple):
    """An explicit bound as a line: the series that it belongs to, abscissas and values, whether others share it."""

    series: str
    x: Vector
    y: Vector
    shared: bool = False


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
    wanted = [column for column in ("bound", "rate", "law", *columns) if column in rows.columns]
    known = [text for text in further if text in rows.columns]
    axes = list(dict.fromkeys([*AXES, *known, axis, *powers]))
    points = grid_points(rows, name, quantity, columns=wanted, axes=axes, distinct=True, envelope=envelope)
    points = points[points["state"].isin(["used", "saturated"]) & ((points["mean"] > 0) | (not positive))].copy()
    x = points[axis].to_numpy(dtype=float)
    with np.errstate(divide="ignore"):
        points["x"] = -np.log(x) if axis == "delta" else x
    for key, power in powers.items():
        points["x"] *= points[key].astype(float) ** power
    points = points[points["x"].notna()]
    if np.isfinite(points["x"]).any():  # a limit lies off the axis
        points = points[np.isfinite(points["x"])]
    if points["x"].nunique() == len(points):  # a tied axis follows the figure's
        return _few([Curve(points.sort_values("x"))]) if len(points) else []
    others = [
        text for text in axes if text not in (axis, *powers, *envelope) and points[text].nunique(dropna=False) > 1
    ]
    groups = points.groupby(others, sort=True, dropna=False)
    return _few(
        [
            Curve(
                group.sort_values("x"),
                ", ".join(f"{SYMBOLS.get(a, a.replace('_', ' '))} = {number(float(group[a].iloc[0]))}" for a in others),
            )
            for _, group in groups
        ]
    )


def _few(found: Sequence[Curve]) -> list[Curve]:
    """No more of a series than a figure can show, which would take minutes to draw too."""
    shown, longest = _evenly(len(found), MOST_CURVES), max(len(curve.points) for curve in found)
    if len(shown) == len(found) and longest <= MOST_POINTS:
        return list(found)
    counts = [f"{len(shown)} of {len(found)} curves"] if len(shown) < len(found) else []
    counts += [f"{MOST_POINTS} of {longest} points"] if longest > MOST_POINTS else []
    return [
        replace(item, points=item.points.iloc[_evenly(len(item.points), MOST_POINTS)], of=" and ".join(counts))
        for item in (found[place] for place in shown)
    ]


def called(names: Sequence[str]) -> str:
    """One name for curves that lie on one another: m = 1, 2, 3; of very many or long ones the first and the last."""
    start = names[0].rpartition(" = ")[0] + " = "
    alike = all(name.startswith(start) for name in names)
    further = [name.removeprefix(start) if alike else name for name in names[1:]]
    text = ", ".join([names[0], *further])
    if len(further) >= MOST_NAMES or len(text) > MOST_LETTERS:
        return ", ".join([names[0], "...", further[-1]])
    return text


def thinned(found: Mapping[str, Sequence[Curve]], roles: Mapping[str, str]) -> dict[str, list[Curve]]:
    """Of each series as many curves as are told apart at a glance: three, or first and last of several such series.

    Of a control it is the highest one.
    """
    many = [several for name, several in found.items() if len(several) > 1 and roles[name] != "control"]
    most = 2 if len(many) > 1 or any(map(_many_bounds, many)) else 3
    return {
        name: sorted(several, key=lambda curve: -curve.xy()[1].max(initial=0.0))[:1]
        if roles[name] == "control"
        else [several[place] for place in _evenly(len(several), most)]
        for name, several in found.items()
    }


def _many_bounds(several: Sequence[Curve]) -> bool:
    """Whether the curves of a series have bounds of their own each."""
    own = [curve.xy("bound") for curve in several if "bound" in curve.points]
    lines = [(x, y) for x, y in own if x.size]
    return len(lines) > 1 and not all(_alike(*line, *lines[0]) for line in lines[1:])


def _evenly(count: int, most: int) -> Vector:
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def left_out(drawn: Iterable[Curve]) -> str:
    """A sentence on what is not drawn of series that have too much; empty where all is."""
    found = dict.fromkeys(curve.of for curve in drawn if curve.of)
    return f"Drawn are {', '.join(found)}, evenly spread." if found else ""


def at_edge(rows: pd.DataFrame, name: str, found: Sequence[Curve], axis: str) -> bool:
    """Whether the worst of a family, at some point that is used, is the first or last member that was measured."""
    members = rows.loc[rows["series"] == name, axis].dropna().unique()
    used = [curve.points.loc[curve.points["state"] == "used", axis] for curve in found]
    return len(members) > 1 and any(series.isin([members.min(), members.max()]).any() for series in used)


def bounds(drawn: Mapping[str, Sequence[Curve]], claims: Sequence[str]) -> list[Bound]:
    """The explicit bounds to be drawn: no two are the same line, and pieces of one curve are one.

    All series of ``claims`` have their own: claims, and what else is held against its bound. Any other has its own
    where it would else seem to break one that it is not held against.
    """
    lines: list[Bound] = []
    for name in sorted(drawn, key=lambda text: text not in claims):
        for curve in drawn[name]:
            x, bound = curve.xy("bound") if "bound" in curve.points else (np.empty(0), np.empty(0))
            if not x.size:
                continue
            own, new = name in claims, Bound(name, x, bound)
            joined = ((place, _joined(line, new) if own else None) for place, line in enumerate(lines))
            whole = next(((place, bound) for place, bound in joined if bound is not None), None)
            alike = [place for place, line in enumerate(lines) if _alike(x, bound, line.x, line.y)]
            if whole is not None:
                lines[whole[0]] = whole[1]
            elif alike and own:
                line = lines[alike[0]]
                lines[alike[0]] = line._replace(shared=line.shared or line.series != name)
            elif not alike and (own or any(_above(*curve.xy(), line.x, line.y) for line in lines)):
                lines.append(new)
    return lines


def _joined(line: Bound, more: Bound) -> Bound | None:
    """Both as one curve, where they are pieces of one: between the two it is no steeper or flatter than beside."""
    if min(line.x.size, more.x.size) < 2:
        return None
    x, first = np.unique(np.log(np.concatenate([line.x, more.x])), return_index=True)
    y = np.log(np.concatenate([line.y, more.y]))
    if not np.allclose(_between(more.x, np.exp(x), np.exp(y[first])), more.y, rtol=ALIKE):
        return None  # two values at one place
    own = [np.interp(x, np.log(bound.x), np.gradient(np.log(bound.y), np.log(bound.x))) for bound in (line, more)]
    steps = np.diff(y[first]) / np.diff(x)
    low, high = np.min(own, axis=0), np.max(own, axis=0)
    low, high = np.minimum(low[:-1], low[1:]) - BENT, np.maximum(high[:-1], high[1:]) + BENT
    if not ((low <= steps) & (steps <= high)).all():
        return None
    return Bound(line.series, np.exp(x), np.exp(y[first]), line.shared or line.series != more.series)


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
    chosen = (frame["quantity"] == "certified_epsilon") & (frame["status"] == "ok") & (frame["epsilon"] > 0)
    own = frame.loc[chosen, ["series", "epsilon", "value"]]
    share = own["value"].astype(float) / own["epsilon"].astype(float)
    found = {}
    for name, values in share.groupby(own["series"]):
        low, high = float(values.min()), float(values.max())
        if 1 + 1e-6 < high < np.inf:
            ends = [number(float(f"{end:.3g}")) for end in (low, high)]
            found[str(name)] = f"certified for {' to '.join(dict.fromkeys(ends))} ε"
    return found
