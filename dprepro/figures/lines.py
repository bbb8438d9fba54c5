"""How curves, bounds, rates, slopes and legends are drawn, in all figures alike."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dprepro.analysis.points import number
from dprepro.figures.curves import Bound, Curve, certified
from dprepro.figures.style import BOUND, LEGEND_LINE, RATE, SATURATED, TITLE_LINE
from dprepro.figures.words import Judged, comparison

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

NEAR = 0.08
"""Distance of the ends of curves that are named together, as a share of the panel."""

LINE_MARKERS = "x+12"  # without an inside that could be hollow


def draw_curve(panel: Axes, curve: Curve, style: Mapping[str, Any], label: str) -> Any:
    """Means with their 99% intervals, hollow where they are saturated; what a legend shows for it."""
    points = curve.points
    error, mean = points["error"].fillna(0.0).to_numpy(dtype=float), points["mean"].to_numpy(dtype=float)
    drawn = panel.errorbar(
        points["x"], mean, yerr=2.576 * np.minimum(error, mean / 2.6), label=label, capsize=1.2, elinewidth=0.6,
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
    """What tells a series' curves apart, at their right ends; once for those that end in one place.

    The panel must have its scales.
    """
    from matplotlib.patheffects import withStroke

    ends: dict[tuple[float, float], list[str]] = {}  # in shares of the panel
    for curve in several:
        last = panel.transData.transform([float(values[-1]) for values in curve.xy()])
        x, y = map(float, panel.transAxes.inverted().transform(last))
        near = [place for place in ends if abs(place[0] - x) < NEAR and abs(place[1] - y) < NEAR]
        ends.setdefault(near[0] if near else (x, y), []).append(curve.name)
    for (x, y), names in ends.items():
        start = names[0].rpartition(" = ")[0] + " = "
        alike = all(name.startswith(start) for name in names)
        text = ", ".join([names[0], *(name.removeprefix(start) if alike else name for name in names[1:])])
        low = y < 0.15
        panel.annotate(
            text, (x, y), xycoords="axes fraction", xytext=(0, 3 if low else -3), textcoords="offset points",
            fontsize=5, color=color, ha="right", va="bottom" if low else "top", zorder=9,
            path_effects=[withStroke(linewidth=1.5, foreground="white")],
        )  # fmt: skip


def draw_bounds(
    panel: Axes, lines: Sequence[Bound], styles: Mapping[str, Mapping[str, Any]], marked: bool, vacuous: bool
) -> tuple[str, Any]:
    """Explicit bounds: in grey, or ``marked`` in the colours of their series with their markers at the ends.

    Returns:
        What a legend says and shows, in nobody's colour.
    """
    for line in lines:
        own = {"color": styles[line.series]["color"], "marker": styles[line.series]["marker"], "markersize": 2.5}
        look = {**BOUND, **own, "markevery": [0, -1] if line.x.size > 1 else None} if marked else BOUND
        panel.plot(line.x, line.y, gid=f"bound of {line.series}", **look)
    word = "explicit bounds, marked alike" if marked else "explicit bound"
    mark = {"marker": "o", "markersize": 2.5} if marked else {}
    return word + (" (vacuous)" if vacuous else ""), line_mark({**BOUND, **mark})


def draw_rate(panel: Axes, curve: Curve, constant: float | None) -> None:
    """The rate's shape, times the fitted constant; where no check has fitted one, through the middle of the points."""
    points = curve.points
    if "shape" not in points:
        return
    used = points[points["state"] == "used"]
    if constant is None and len(used):
        constant = float(np.exp(np.log(used["mean"] / used["shape"].astype(float)).mean()))
    if constant is not None and np.isfinite(constant):
        panel.plot(points["x"], constant * points["shape"].astype(float), **RATE)


def draw_slopes(panel: Axes, curve: Curve, style: Mapping[str, Any], column: str = "mean", more: float = 0.0) -> None:
    """Slopes between neighbouring points, between their abscissas; ``more`` is added to each."""
    x, y = (np.log(values) for values in curve.xy(column))
    keep = np.diff(x) > 0
    panel.plot(np.exp((x[1:] + x[:-1]) / 2)[keep], more + np.diff(y)[keep] / np.diff(x)[keep], **style)


def mark_crossing(panel: Axes, first: Curve, second: Curve, symbol: str) -> None:
    """A dotted line where two curves meet, interpolated on logarithmic axes, with its place written beside it."""
    one, other = (curve.points.set_index("x")["mean"] for curve in (first, second))
    both = one.to_frame("first").join(other.rename("second")).dropna()
    x, gap = np.log(both.index.to_numpy(float)), np.log((both["first"] / both["second"]).to_numpy(float))
    change = np.flatnonzero((gap[:-1] * gap[1:] <= 0) & (gap[:-1] != gap[1:]))  # not where they coincide
    if not change.size:
        return
    i = int(change[0])
    place = float(np.exp(x[i] - gap[i] * (x[i + 1] - x[i]) / (gap[i + 1] - gap[i])))
    panel.axvline(place, color="0.35", linewidth=0.9, linestyle=":", zorder=1)
    panel.annotate(
        f"{symbol} = {number(float(f'{place:.2g}'))}", (place, 0.03), xycoords=("data", "axes fraction"),
        xytext=(3, 0), textcoords="offset points", fontsize=6,
    )  # fmt: skip


def few_labels(panel: Axes) -> None:
    """On a short logarithmic axis label 300 beside 10^2 and 10^3 only: matplotlib's own labels would touch."""
    low, high = panel.get_xlim()
    powers = np.floor(np.log10(high)) - np.ceil(np.log10(low))

    def label(value: float, position: float) -> str:
        if powers >= 1 or round(value / 10 ** np.floor(np.log10(value) + 1e-9)) != 3:
            return ""
        return f"{value:g}" if 1e-3 < value < 1e4 else f"$3\\times10^{{{int(np.floor(np.log10(value)))}}}$"

    panel.xaxis.set_minor_formatter(label)


def plain_numbers(panel: Axes) -> None:
    """Labels 3, 4, 6 on a vertical logarithmic axis of less than a decade, in the place of 3 x 10^0."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    low, high = panel.get_ylim()
    if high < 12 * low:
        panel.yaxis.set_minor_locator(LogLocator(subs=(1.5, 2, 3, 4, 5, 6, 8) if high > 2 * low else "all"))
        panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
        panel.yaxis.set_minor_formatter(FuncFormatter(lambda value, _: number(value)))


def few_ticks(panel: Axes, values: Sequence[Any]) -> None:
    """A tick at every value where these are few and near each other: powers of ten would be too few, or crowd."""
    from matplotlib.ticker import NullLocator

    places = np.unique(np.concatenate(values)) if values else np.empty(0)
    if 2 <= len(places) <= 8 and places[-1] < 50 * places[0]:
        panel.set_xticks(places, [number(place) for place in places])
        panel.xaxis.set_minor_locator(NullLocator())


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
    """What the legend calls each series of a frame: its label, its role, what came out of a control, certified epsilon.

    A label may name a class in full, by interpolation of the ``_target_`` that a command line may change.
    """
    spent, found = certified(frame), {}
    for name, role in dict(zip(frame["series"], frame["role"], strict=True)).items():
        label = re.sub(r"\b[a-z]\w*(?:\.\w+)*\.([A-Z]\w*)", r"\1", labels.get(name, name.replace("_", " ")))
        words = [role, *([came_out[name]] if name in came_out else [])] if role == "control" else [role]
        found[name] = label if role == "context" else f"{label} ({', '.join(words)})"
        found[name] += f", {spent[name]}" if name in spent else ""
    return found


def line_mark(style: Mapping[str, Any]) -> Line2D:
    """An entry of the legend for what is not drawn as such."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **style)


def said(one: Judged, rows: pd.DataFrame, texts: Mapping[str, str], axis: str = "", named: bool = True) -> str:
    """The comparison of a check, after the series' name where it is about one of several."""
    names = one.series(texts)
    bounded = bool(rows.loc[rows["series"].isin(names) & (rows["quantity"] == one.quantity), "bound"].notna().any())
    name = f"{texts[names[0]].partition(' (claim)')[0]}: " if named and len(names) == 1 else ""
    return name + comparison(one, axis, bounded)


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
    figure.suptitle(head, x=0.01, ha="left", fontsize=7.5)
    heights = []
    for panel, lines in panels:
        own = [textwrap.fill(line, int(21 * room), subsequent_indent="  ") for line in lines if line not in shared]
        panel.set_title("\n".join(own), loc="left", fontsize=6)
        heights.append(sum(line.count("\n") + 1 for line in own))
    return TITLE_LINE * (1.3 * (1 + head.count("\n")) + (sum(heights) if stacked else max(heights)))


def legend(figure: Figure | SubFigure, handles: Mapping[str, Any], most: int, note: str = "") -> float:
    """The legend below the panels, in as many columns as its texts leave room for, at most ``most``; its height."""
    width = figure.bbox.width / figure.dpi
    texts = [textwrap.fill(text, int(19 * width), subsequent_indent="  ") for text in handles]
    columns = next(count for count in range(most, 0, -1) if count == 1 or _width(texts, count) <= width)
    box = figure.legend(
        list(handles.values()), texts, loc="outside lower center", ncols=columns, frameon=False, handlelength=2.6,
        columnspacing=1.0, labelspacing=0.25,
    )  # fmt: skip
    lines = textwrap.wrap(f"Bars and ±: 99% intervals. {note}", int(19 * width))
    box.set_title("\n".join(lines))
    box.get_title().set_fontsize(6)
    rows = max(sum(text.count("\n") + 1 for text in column) for column in _columns(texts, columns))
    return LEGEND_LINE * (rows + len(lines))


def _columns(texts: Sequence[str], count: int) -> list[Sequence[str]]:
    """As matplotlib fills them: one after the other, the first ones longer."""
    rows, more = divmod(len(texts), count)
    ends = np.cumsum([0, *(rows + (place < more) for place in range(count))])
    return [texts[start:end] for start, end in itertools.pairwise(ends)]


def _width(texts: Sequence[str], columns: int) -> float:
    """About how wide a legend is, in inches."""
    return sum(0.35 + 0.0435 * max(map(len, column), default=0) for column in _columns(texts, columns))
