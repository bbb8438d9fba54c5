"""Names of a series' few curves: each beside its own curve and, as far as there is room, on nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dprepro.analysis.fits import Vector
from dprepro.figures.curves import Curve, called
from dprepro.figures.style import letters
from dprepro.figures.text_sizes import width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLACES = 12
"""Of a curve, at which its name may stand."""

ONE_LINE = 0.04
"""How far apart curves may lie that are named as one, inches."""

_CLEAR = 0.03  # between a name and its curve, inches
_STEP = 0.015  # between the dots that stand for a line, inches
_NEVER = 1e6  # what it costs to stand on a text or outside the panel; a dot of a line below it costs 1
_MUCH = 5.0  # what is better spared by room above and below
_STRAY = 30.0  # what it costs to stand nearer to another curve than to its own


class NamedCurves(NamedTuple):
    """A series in a panel, its curves and its look."""

    panel: Axes
    curves: Sequence[Curve]
    look: Mapping[str, Any]


class _Place(NamedTuple):
    """A text, its colour, the point that it is beside, and on which side of that it is."""

    text: str
    color: str
    point: tuple[float, float]
    side: tuple[int, int]


class _Box(NamedTuple):
    """Of a text, in dots."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: _Box) -> bool:
        """Whether the two share a dot."""
        return (
            self.left < other.right and other.left < self.right and self.bottom < other.top and other.bottom < self.top
        )

    def holds(self, dots: Vector) -> int:
        """How many of the dots lie inside."""
        x, y = dots[:, 0], dots[:, 1]
        return int(((x > self.left) & (x < self.right) & (y > self.bottom) & (y < self.top)).sum())


def name_all(figure: Figure, names: Sequence[NamedCurves]) -> None:
    """Writes the names of all curves that have one; the figure must be laid out."""
    from matplotlib.patheffects import withStroke

    for panel in dict.fromkeys(name.panel for name in names):
        own = [curves for curves in names if curves.panel is panel and any(curve.name for curve in curves.curves)]
        places, cost = _places(panel, own, figure.dpi)
        if cost > _MUCH:
            _widen(panel)
            places, _ = _places(panel, own, figure.dpi)
        for text, color, point, (across, up) in places:
            panel.annotate(
                text, point, xytext=(across * 72 * _CLEAR, up * 72 * _CLEAR), textcoords="offset points", color=color,
                fontsize=letters(), ha=("center", "left", "right")[across], va=("center", "bottom", "top")[up],
                zorder=9, path_effects=[withStroke(linewidth=1.5, foreground="white")],
            )  # fmt: skip


def _places(panel: Axes, names: Sequence[NamedCurves], dpi: float) -> tuple[list[_Place], float]:
    """Where the names of a panel stand, and what the worst of the places costs."""
    taken, every, found, worst = _texts(panel), _drawn(panel, dpi), [], 0.0
    for _, several, look in names:
        shown = [curve for curve in several if curve.xy()[1].size]
        lines = {id(curve): _dotted(panel, *curve.xy(), dpi) for curve in shown}
        for own in _together(shown, lines, dpi):
            text = called([curve.name for curve in own])
            point, box, side, cost = _best(panel, own, lines, every, taken, text, dpi)
            taken.append(box)
            found.append(_Place(text, look["color"], point, side))
            worst = max(worst, cost)
    return found, worst


def _widen(panel: Axes) -> None:
    """Limits that leave room for a line of text above and below all that is drawn."""
    more = 1.6 * letters() / 72 * panel.figure.dpi / panel.bbox.height
    corners = panel.transAxes.transform([(0, -more), (0, 1 + more)])
    panel.set_ylim(*panel.transData.inverted().transform(corners)[:, 1])


def _together(several: Sequence[Curve], lines: Mapping[int, Vector], dpi: float) -> list[list[Curve]]:
    """The curves in groups that lie on one another."""
    groups: list[list[Curve]] = []
    for curve in several:
        x, y = lines[id(curve)].T
        for group in groups:
            other = lines[id(group[0])]
            inside = (x >= other[0, 0]) & (x <= other[-1, 0])
            if inside.any() and np.abs(np.interp(x, *other.T) - y)[inside].max() < ONE_LINE * dpi:
                group.append(curve)
                break
        else:
            groups.append([curve])
    return groups


def _best(
    panel: Axes,
    own: Sequence[Curve],
    lines: Mapping[int, Vector],
    every: Vector,
    taken: Sequence[_Box],
    text: str,
    dpi: float,
) -> tuple[tuple[float, float], _Box, tuple[int, int], float]:
    """Where a name stands: the point that it is beside, its box, on which side of the point it is, what it costs."""
    x, y = own[0].xy()
    width, height = width_of(text, "legend.fontsize") * dpi, 1.1 * letters() / 72 * dpi
    left, bottom, right, top = panel.bbox.extents
    others = [line for key, line in lines.items() if key not in {id(curve) for curve in own}]
    far = np.concatenate(others) if others else np.empty((0, 2))
    near = lines[id(own[0])]
    found = []
    places = np.unique(np.linspace(0, len(x) - 1, PLACES).round().astype(int))[::-1]
    for rank, place in enumerate(places):
        at = panel.transData.transform((x[place], y[place]))
        for across, up in ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, -1), (0, 1), (1, 0), (-1, 0)):
            start = at[0] + across * _CLEAR * dpi - width * (1 - across) / 2
            low = at[1] + up * _CLEAR * dpi - height * (1 - up) / 2
            box = _Box(start, low, start + width, low + height)
            inside = left < box.left and box.right < right and bottom < box.bottom and box.top < top
            cost = 0.5 * rank + box.holds(every) + (0 if inside else _NEVER)
            cost += _NEVER * sum(box.meets(other) for other in taken)
            middle = np.array([(box.left + box.right) / 2, (box.bottom + box.top) / 2])
            if len(far) and np.hypot(*(far - middle).T).min() < np.hypot(*(near - middle).T).min():
                cost += _STRAY
            found.append((cost, place, box, (across, up)))
    cost, place, box, side = min(found, key=lambda box: box[0])
    return (float(x[place]), float(y[place])), box, side, cost


def _drawn(panel: Axes, dpi: float) -> Vector:
    """Dots along all that is drawn in a panel: curves with their bars, bounds, rates."""
    from matplotlib.collections import LineCollection

    parts = []
    for line in panel.lines:
        xy = line.get_transform().transform(np.column_stack([line.get_xdata(), line.get_ydata()]).astype(float))
        parts.append(_between(xy, dpi) if line.get_linestyle() != "None" else xy)
    for bars in panel.collections:
        if isinstance(bars, LineCollection):
            parts += [_between(panel.transData.transform(segment), dpi) for segment in bars.get_segments()]
    dots = np.concatenate(parts) if parts else np.empty((0, 2))
    return np.asarray(dots[np.isfinite(dots).all(axis=1)])


def _dotted(panel: Axes, x: Vector, y: Vector, dpi: float) -> Vector:
    return _between(panel.transData.transform(np.column_stack([x, y])), dpi)


def _between(corners: Vector, dpi: float) -> Vector:
    """Dots along a line through the corners."""
    corners = np.reshape(corners, (-1, 2))  # a bar without numbers is empty, of shape (0,)
    corners = corners[np.isfinite(corners).all(axis=1)]
    if len(corners) < 2:
        return np.asarray(corners)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))])
    at = np.linspace(0, along[-1], max(2, min(5000, int(along[-1] / (_STEP * dpi)))))
    return np.column_stack([np.interp(at, along, corners[:, 0]), np.interp(at, along, corners[:, 1])])


def _texts(panel: Axes) -> list[_Box]:
    """What is written in a panel already."""
    boxes = [text.get_window_extent() for text in panel.texts if text.get_text()]
    return [_Box(box.x0, box.y0, box.x1, box.y1) for box in boxes]
