"""How curves, bounds, rates, slopes and legends are drawn, in all figures alike."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dprepro.analysis.points import number
from dprepro.figures.curves import Bound, Curve, called, certified
from dprepro.figures.style import BOUND, LEGEND_LINE, RATE, SATURATED, TITLE_LINE, letters, roles_of
from dprepro.figures.words import JudgedCheck, comparison, labelled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

NEAR = 0.08, 0.045
"""Distances of the ends of curves that are named together, as shares of the panel's width and height."""

BESIDE, LETTER = 0.37, 0.0435
"""About how wide are, in inches, what a legend has beside a text, and a letter of the text."""

LINE_MARKERS = "x+12"  # without an inside that could be hollow


def draw_curve(panel: Axes, curve: Curve, style: Mapping[str, Any], label: str) -> Any:
    """Means with their 99% intervals, hollow where they are saturated; what a legend shows for it."""
    points = curve.points
    half, mean = curve.half_widths(), points["mean"].to_numpy(dtype=float)
    shown = np.where(mean > 0, np.minimum(half, 0.99 * mean), half)  # a bar may not reach below a logarithmic axis
    bars = shown if half.any() or not curve.of else None  # of many, three artists each
    drawn = panel.errorbar(
        points["x"], mean, yerr=bars, label=label, capsize=1.2, elinewidth=0.6,
        markerfacecolor=style["color"], markeredgewidth=0.7, **style,
    )  # fmt: skip
    hollow = points[points["state"] == "saturated"]
    if len(hollow) and style["marker"] not in LINE_MARKERS:
        panel.plot(
            hollow["x"], hollow["mean"], marker=style["marker"], color=style["color"], markerfacecolor="white",
            linestyle="none", markeredgewidth=0.7, zorder=style["zorder"] + 0.5, gid=SATURATED,
        )  # fmt: skip
    return drawn


def name_curves(panel: Axes, several: Sequence[Curve], color: str) -> None:
    """What tells a series' curves apart, at that end where they are farther apart; once for those that meet there.

    The panel must have its scales. A curve without values has no end.
    """
    from matplotlib.patheffects import withStroke

    several = [curve for curve in several if curve.xy()[1].size]
    if not several:
        return
    names: dict[tuple[float, float], list[str]] = {}  # by the end, in shares of the panel
    ends: dict[tuple[float, float], tuple[float, float, bool]] = {}
    end = max((-1, 0), key=lambda end: _distance([float(np.log(curve.xy()[1][end])) for curve in several]))
    for curve in several:
        x, y = curve.xy()
        across, top = map(float, panel.transAxes.inverted().transform(panel.transData.transform([x[end], y[end]])))
        near = [place for place in names if abs(place[0] - across) < NEAR[0] and abs(place[1] - top) < NEAR[1]]
        names.setdefault(near[0] if near else (across, top), []).append(curve.name)
        inside = -2 if end else 1
        ends[across, top] = float(x[end]), float(y[end]), bool(y.size > 1 and y[end] > 1.001 * y[inside])
    for (across, top), own in names.items():
        text = called(own)
        x_end, y_end, rising = ends[across, top]
        logarithmic = panel.get_yscale() == "log"
        above = rising and (logarithmic or top < 0.9)  # beside the curve, not on it: away from there it runs below
        low, high = panel.get_ylim()
        if logarithmic and (top > 0.9 if above else top < 0.1):  # room for it
            panel.set_ylim(*((low, high * (high / low) ** 0.06) if above else (low * (low / high) ** 0.1, high)))
        panel.annotate(
            text, (x_end, y_end), xytext=(0, 3 if above else -3), textcoords="offset points", color=color,
            fontsize=letters(), ha="right" if end else "left", va="bottom" if above else "top", zorder=9,
            path_effects=[withStroke(linewidth=1.5, foreground="white")],
        )  # fmt: skip


def _distance(values: Sequence[float]) -> float:
    """Of the nearest two that are not equal, rounded so that ends alike in this are alike."""
    apart = np.diff(np.unique(np.round(values, 2)))
    return round(float(apart.min()), 1) if apart.size else 0.0


def draw_bounds(
    panel: Axes, lines: Sequence[Bound], styles: Mapping[str, Mapping[str, Any]], marked: bool, vacuous: bool
) -> tuple[str, Any]:
    """Explicit bounds: in grey, or ``marked`` in the colours of their series with their markers at the ends.

    What several series share is grey all the same.

    Returns:
        What a legend says and shows, in nobody's colour.
    """
    for line in lines:
        own = {"color": styles[line.series]["color"], "marker": styles[line.series]["marker"], "markersize": 2.5}
        look = (
            {**BOUND, **own, "markevery": [0, -1] if line.x.size > 1 else None} if marked and not line.shared else BOUND
        )
        if line.x.size == 1 and look is BOUND:  # a line of one point would not be seen
            look = {**BOUND, "marker": "_", "markersize": 9}
        panel.plot(line.x, line.y, gid=f"bound of {line.series}", **look)
    shared = all(line.shared for line in lines)
    word = "explicit bounds, marked alike" if marked and not shared else "explicit bound"
    mark = {"marker": "o", "markersize": 2.5} if marked and not shared else {}
    return word + (" (vacuous)" if vacuous else ""), line_mark({**BOUND, **mark})


def draw_rate(panel: Axes, curve: Curve, constant: float | None) -> None:
    """The rate, times the fitted constant; where no check has fitted one, through the middle of the points."""
    points = curve.points
    if "rate" not in points:
        return
    used = points[points["state"] == "used"]
    if constant is None and len(used):
        constant = float(np.exp(np.log(used["mean"] / used["rate"].astype(float)).mean()))
    if constant is not None and np.isfinite(constant):
        panel.plot(points["x"], constant * points["rate"].astype(float), **RATE)


def draw_slopes(panel: Axes, curve: Curve, style: Mapping[str, Any], column: str = "mean", more: float = 0.0) -> None:
    """Slopes between neighbouring points, between their abscissas; ``more`` is added to each."""
    x, y = (np.log(values) for values in curve.xy(column))
    keep = np.diff(x) > 0
    panel.plot(np.exp((x[1:] + x[:-1]) / 2)[keep], more + np.diff(y)[keep] / np.diff(x)[keep], **style)


def mark_crossing(panel: Axes, first: Curve, second: Curve, symbol: str) -> None:
    """A dotted line where two curves meet, interpolated on logarithmic axes, with its place written beside it."""
    series, other = (curve.points.set_index("x")["mean"] for curve in (first, second))
    both = series.to_frame("first").join(other.rename("second")).dropna()
    x, gap = np.log(both.index.to_numpy(float)), np.log((both["first"] / both["second"]).to_numpy(float))
    change = np.flatnonzero((gap[:-1] * gap[1:] <= 0) & (gap[:-1] != gap[1:]))  # not where they coincide
    if not change.size:
        return
    i = int(change[0])
    place = float(np.exp(x[i] - gap[i] * (x[i + 1] - x[i]) / (gap[i + 1] - gap[i])))
    panel.axvline(place, color="0.35", linewidth=0.9, linestyle=":", zorder=1)
    panel.annotate(
        f"{symbol} = {number(float(f'{place:.2g}'))}", (place, 0.03), xycoords=("data", "axes fraction"),
        xytext=(3, 0), textcoords="offset points", fontsize=letters(),
    )  # fmt: skip


def at_least(panel: Axes, span: float) -> None:
    """Limits of a panel of slopes that do not blow up the last digit."""
    panel.margins(y=0.12)
    low, high = panel.get_ylim()
    more = max(0.0, span - (high - low)) / 2
    panel.set_ylim(low - more, high + more)


def thin_grid(*panels: Axes) -> None:
    """Thin grid lines below everything."""
    for panel in panels:
        panel.grid(True, which="major", linewidth=0.3, color="0.85")
        panel.set_axisbelow(True)


def legend_texts(frame: pd.DataFrame, labels: Mapping[str, str], came_out: Mapping[str, str]) -> dict[str, str]:
    """What the legend calls each series of a frame: its label, its role, what came out of a control, its epsilon."""
    epsilons, found = certified(frame), {}
    for name, role in roles_of(frame).items():
        label = labelled(name, labels)
        words = [role, *([came_out[name]] if name in came_out else [])] if role == "control" else [role]
        if role == "context":  # one that is judged is an erratum
            words = [came_out[name]] if name in came_out else []
        found[name] = f"{label} ({', '.join(words)})" if words else label
        found[name] += f", {epsilons[name]}" if name in epsilons else ""
    return found


def line_mark(style: Mapping[str, Any]) -> Line2D:
    """An entry of the legend for what is not drawn as such."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **style)


def said(check: JudgedCheck, rows: pd.DataFrame, texts: Mapping[str, str], axis: str = "", named: bool = True) -> str:
    """The comparison of a check, after the series' name where it is about one of several."""
    names = check.series(texts)
    further = check.options.get("series") or ""
    others = "" if isinstance(further, str) or len(further) == len(names) else " and others"
    name = f"{re.split(r' [(](?:claim|control)', texts[names[0]])[0]}{others}: " if named and len(names) == 1 else ""
    return name + comparison(check, axis, bounded(check, rows, texts))


def bounded(check: JudgedCheck, rows: pd.DataFrame, known: Iterable[str]) -> bool:
    """Whether a check is about the share of a bound; what is a ratio already has the bound 1."""
    limits = rows.loc[rows["series"].isin(check.series(known)) & (rows["quantity"] == check.quantity), "bound"]
    return bool((limits.notna() & (limits != 1.0)).any())


def titles(
    figure: Figure, headline: str, panels: Sequence[tuple[Axes, Sequence[str]]], room: float, stacked: bool = False
) -> float:
    """The headline across the figure, below it what is said of all panels, over each panel its own lines.

    Args:
        figure: what is drawn on.
        headline: claim and verdict.
        panels: with what is to be said of each.
        room: how wide the lines over a panel may be, in inches.
        stacked: whether the panels stand one above the other, not side by side.

    Returns:
        How high all is, in inches.
    """
    shared = [line for line in panels[0][1] if len(panels) > 1 and all(line in lines for _, lines in panels)]
    head = "\n".join(textwrap.fill(line, int(17 * figure.get_size_inches()[0])) for line in (headline, *shared))
    figure.suptitle(head, x=0.01, ha="left", fontsize=letters("figure.titlesize"))
    heights = []
    for panel, lines in panels:
        own = [
            textwrap.fill(line, int(22 * room), subsequent_indent="  ", break_on_hyphens=False)
            for line in lines
            if line not in shared
        ]
        panel.set_title("\n".join(own), loc="left", fontsize=letters())
        heights.append(sum(line.count("\n") + 1 for line in own))
    return TITLE_LINE * (1.3 * (1 + head.count("\n")) + (sum(heights) if stacked else max(heights)))


def legend(
    figure: Figure | SubFigure, handles: Mapping[str, Any], most: int, note: str = "", bars: bool = True
) -> float:
    """The legend below the panels, in the number of columns, at most ``most``, that makes it lowest; its height.

    With ``bars`` it says what bars are.
    """
    width = figure.bbox.width / figure.dpi
    layouts = [(_wrapped(list(handles), count, width), count) for count in range(1, most + 1)]
    texts, columns = min(layouts, key=lambda layout: _lines(*layout))
    box = figure.legend(
        list(handles.values()), texts, loc="outside lower center", ncols=columns, frameon=False, handlelength=2.6,
        columnspacing=1.0, labelspacing=0.25,
    )  # fmt: skip
    lines = textwrap.wrap(f"{'Bars and ±: 99% intervals. ' if bars else ''}{note}", int(19 * width))
    box.set_title("\n".join(lines))
    box.get_title().set_fontsize(6)
    return LEGEND_LINE * (_lines(texts, columns) + len(lines))


def _wrapped(texts: Sequence[str], count: int, width: float) -> list[str]:
    """Texts in as many columns: as they are where these fit, else broken so that they do."""
    if _width(texts, count) <= width:
        return list(texts)
    room = int((width / count - BESIDE) / LETTER)
    return [textwrap.fill(text, room, subsequent_indent="  ") for text in texts]


def _lines(texts: Sequence[str], count: int) -> int:
    """Of the longest column."""
    return max((sum(text.count("\n") + 1 for text in column) for column in _columns(texts, count)), default=0)


def _columns(texts: Sequence[str], count: int) -> list[Sequence[str]]:
    """As matplotlib fills them: one after the other, the first ones longer."""
    rows, more = divmod(len(texts), count)
    ends = np.cumsum([0, *(rows + (place < more) for place in range(count))])
    return [texts[start:end] for start, end in itertools.pairwise(ends)]


def _width(texts: Sequence[str], columns: int) -> float:
    """About how wide a legend is, in inches."""
    return sum(BESIDE + LETTER * max(map(len, column), default=0) for column in _columns(texts, columns))
