"""Attacks at a glance: several quantities of the same cells, one panel each, against one axis."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dprepro.analysis.fits import LEVEL
from dprepro.analysis.points import AXES, grid_points, number
from dprepro.analysis.proportion import clopper_pearson
from dprepro.errors import InputError, unknown
from dprepro.figures.base import Drawing
from dprepro.figures.rate import LABELS
from dprepro.figures.style import COLUMN, MARKERS, look, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROUNDING = 1e-9
LINE_COLOURS = ("0.35", "0.6", "#A65628", "#4D4D99")
LINE_DASHES: tuple[Any, ...] = ((0, (6, 1, 1, 1)), (0, (1, 1.5)), (0, (4, 1, 1, 1, 1, 1)), (0, (2, 1)))


@dataclass(frozen=True)
class Attack(Drawing):
    """One panel for each quantity, one above the other; every series with its marker and its 99% interval.

    Rates (rows with the column ``trials``) have exact binomial intervals and an axis from 0 to 1, other quantities
    intervals of their mean and a logarithmic axis, without the points below `ROUNDING` of the largest (the exact
    minimiser's risk).

    Attributes:
        panels: the quantities.
        axis: the abscissa, logarithmic.
        times: axes and powers by which the abscissa is multiplied: axis n with times {p: -0.5} is n/sqrt(p).
        x_label: what to call the abscissa.
        names: quantity to what it is called; by default its name.
        labels: series name to legend text.
        hide: series that are left out.
        across: series of one point that are drawn as a horizontal line, with the interval as a band: what does not
            depend on the axis (the exact minimiser).
        bounds: quantities whose column ``bound`` is drawn as a line, with the text of the legend.
        curves: further quantities that are drawn as lines in a panel: panel's quantity to these.
        constants: horizontal lines: quantity to text of the legend to value.
        linear: quantities besides rates whose axis is linear, from 0 to 1.
        logarithmic: rates whose axis is logarithmic all the same: small ones. What never happened is left out.
    """

    name: ClassVar[str] = "attack"

    panels: tuple[str, ...] = ("excess_risk",)
    axis: str = "epsilon"
    times: Mapping[str, float] = field(default_factory=dict)
    x_label: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    hide: tuple[str, ...] = ()
    across: tuple[str, ...] = ()
    bounds: Mapping[str, str] = field(default_factory=dict)
    curves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    constants: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    linear: tuple[str, ...] = ()
    logarithmic: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.panels:
            raise InputError("panels names no quantity; give at least one, for example panels: [excess_risk]")
        for option in ("bounds", "curves", "constants"):
            for quantity in getattr(self, option):
                if quantity not in self.panels:
                    raise unknown(f"panel in {option}", quantity, self.panels)

    def draw(self, frame: pd.DataFrame, verdict: Mapping[str, Any]) -> Figure:
        """The panels; see the class."""
        for quantity in (*self.panels, *(one for several in self.curves.values() for one in several)):
            if quantity not in set(frame["quantity"]):
                raise unknown("figure.panels or figure.curves", quantity, map(str, frame["quantity"].unique()))
        rows = frame[~frame["series"].isin(self.hide)]
        styles = self._styles(rows)
        with styled() as figure_class:
            entries = len(styles) + len(self.bounds) + sum(map(len, [*self.constants.values(), *self.curves.values()]))
            title = textwrap.fill(self.title or f"{verdict['claim']}: {verdict['verdict']}", 56)
            height = 0.25 + 0.12 * title.count("\n") + max(2.2, 1.45 * len(self.panels)) + 0.13 * -(-entries // 2)
            figure: Figure = figure_class(figsize=(COLUMN, height), layout="constrained")
            panels = figure.subplots(len(self.panels), 1, sharex=True, squeeze=False)[:, 0]
            handles: dict[str, Any] = {}
            for panel, quantity in zip(panels, self.panels, strict=True):
                self._panel(panel, rows, quantity, styles)
                shown, texts = panel.get_legend_handles_labels()
                handles |= {text: one for text, one in zip(texts, shown, strict=True) if text not in handles}
            panels[0].set_title(title, loc="left")
            panels[-1].set_xlabel(self.x_label or LABELS.get(self.axis, self.axis.replace("_", " ")))
            series = [text for text in (self._label(name) for name in styles) if text in handles]
            texts = list(dict.fromkeys([*series, *handles]))  # matplotlib lists lines before error bars
            figure.legend(
                [handles[text] for text in texts], texts, loc="outside lower center", ncols=2, frameon=False,
                handlelength=2.6, columnspacing=1.0, labelspacing=0.25,
            )  # fmt: skip
        return figure

    def _label(self, name: str) -> str:
        # A label may name a class in full, by interpolation of the _target_ that a command line may change.
        return re.sub(r"\b[a-z]\w*(?:\.\w+)*\.([A-Z]\w*)", r"\1", self.labels.get(name, name.replace("_", " ")))

    def _styles(self, rows: pd.DataFrame) -> dict[str, dict[str, Any]]:
        """The look of every series: claims first, then as the labels are ordered."""
        found = list(dict.fromkeys(zip(rows["series"], rows["role"], strict=True)))
        order, places = ("claim", "context", "control"), list(self.labels)
        found.sort(key=lambda one: (order.index(one[1]), places.index(one[0]) if one[0] in places else len(places)))
        styles: dict[str, dict[str, Any]] = {}
        for role in order:
            names = [name for name, own in found if own == role]
            for index, name in enumerate(names):
                taken = {style["marker"] for style in styles.values()}
                free = [marker for marker in MARKERS[role] if marker not in taken]  # distinct in grey, across roles
                styles[name] = look(role, index) | ({"marker": free[0]} if free else {})
        return styles

    def _panel(self, panel: Axes, rows: pd.DataFrame, quantity: str, styles: Mapping[str, dict[str, Any]]) -> None:
        rate = bool("trials" in rows and rows.loc[rows["quantity"] == quantity, "trials"].notna().any())
        curves = {name: self._curves(rows, name, quantity) for name in styles}
        linear = (rate or quantity in self.linear) and quantity not in self.logarithmic
        if not linear:
            curves = _above_rounding(curves)
        for name, several in curves.items():
            for points in several:
                label = self._label(name)
                if name in self.across and len(points) == 1:
                    _level(panel, points, styles[name], label)
                else:
                    _points(panel, points, styles[name], label)
        for place, curve in enumerate(self.curves.get(quantity, ())):
            self._line(panel, rows, curve, "mean", self.names.get(curve, curve.replace("_", " ")), place + 1)
        if quantity in self.bounds:
            self._line(panel, rows, quantity, "bound", self.bounds[quantity], 0)
        for place, (text, value) in enumerate(self.constants.get(quantity, {}).items()):
            panel.axhline(
                value, color=LINE_COLOURS[-1 - place], linestyle=LINE_DASHES[-1 - place], label=text, zorder=1
            )
        panel.set_xscale("log")
        _few_ticks(panel, [points["x"].to_numpy(dtype=float) for several in curves.values() for points in several])
        if linear:
            panel.set_ylim(-0.04, 1.04)
        else:
            panel.set_yscale("log")
        panel.set_ylabel(self.names.get(quantity, "excess risk (mean)" if quantity == "excess_risk" else quantity))
        panel.grid(True, which="major", linewidth=0.3, color="0.85")
        panel.set_axisbelow(True)

    def _curves(self, rows: pd.DataFrame, series: str, quantity: str) -> list[pd.DataFrame]:
        """Grid points of one series, a table for each combination of the axes that the abscissa does not hold."""
        own = rows[(rows["series"] == series) & (rows["quantity"] == quantity) & (rows["status"] == "ok")]
        if own.empty:
            return []
        if "trials" in own:
            trials = own["trials"].astype(float)
            own = own.assign(_trials=trials, _hits=own["value"].astype(float) * trials)
        axes = list(dict.fromkeys([*AXES, self.axis, *self.times]))
        counted = [column for column in ("_trials", "_hits") if column in own]
        points = grid_points(own, series, quantity, columns=["bound", *counted], axes=axes)
        points["x"] = points[self.axis].astype(float)
        for axis, power in self.times.items():
            points["x"] *= points[axis].astype(float) ** power
        points = points.assign(**_limits(points))
        if points["x"].nunique() == len(points):
            return [points.sort_values("x")]
        others = [axis for axis in axes if axis not in (self.axis, *self.times)]
        return [group.sort_values("x") for _, group in points.groupby(others, sort=True)]

    def _line(self, panel: Axes, rows: pd.DataFrame, quantity: str, column: str, label: str, place: int) -> None:
        """A quantity, or its bound, as a line without markers along every curve; across the panel if all are points."""
        style = {"color": LINE_COLOURS[place], "linestyle": LINE_DASHES[place], "linewidth": 1.2, "zorder": 1}
        found = [points for name in dict.fromkeys(rows["series"]) for points in self._curves(rows, name, quantity)]
        found = [points for points in (one.dropna(subset=[column]) for one in found) if len(points)]
        long = sorted((points for points in found if len(points) > 1), key=len, reverse=True)
        drawn: set[tuple[str, str]] = set()
        for points in long:
            places = {(f"{x:.6g}", f"{y:.3g}") for x, y in zip(points["x"], points[column], strict=True)}
            if not places <= drawn:  # dashes over equal dashes would look like a full line
                panel.plot(points["x"], points[column], label=label, **style)
            drawn |= places
        for points in found[: 0 if long else 1]:
            panel.axhline(float(points[column].iloc[0]), label=label, **style)


def _limits(points: pd.DataFrame) -> dict[str, Any]:
    """99% limits of every point: exact binomial ones where trials are counted, else of the mean."""
    mean, error = points["mean"].to_numpy(dtype=float), points["error"].fillna(0.0).to_numpy(dtype=float)
    low, high = mean - 2.576 * error, mean + 2.576 * error
    if "_trials" in points and points["_trials"].notna().all():
        count = points["count"].to_numpy(dtype=float)
        total, hits = (np.round(points[name].to_numpy(dtype=float) * count) for name in ("_trials", "_hits"))
        low, high = clopper_pearson(hits, total, LEVEL)
        mean = hits / total
    return {"mean": mean, "low": low, "high": high}


def _above_rounding(curves: Mapping[str, list[pd.DataFrame]]) -> dict[str, list[pd.DataFrame]]:
    """What a logarithmic axis can show, with lower limits that stay on it."""
    largest = max((float(points["mean"].max()) for several in curves.values() for points in several), default=0.0)
    kept = {
        name: [points[points["mean"] > ROUNDING * largest] for points in several] for name, several in curves.items()
    }
    return {
        name: [points.assign(low=np.maximum(points["low"], 0.05 * points["mean"])) for points in several if len(points)]
        for name, several in kept.items()
    }


def _few_ticks(panel: Axes, values: Sequence[Any]) -> None:
    """A tick at every value where these are few and near each other: powers of ten would be too few, or crowd."""
    from matplotlib.ticker import NullLocator

    places = np.unique(np.concatenate(values)) if values else np.empty(0)
    if 2 <= len(places) <= 8 and places[-1] < 50 * places[0]:
        panel.set_xticks(places, [number(place) for place in places])
        panel.xaxis.set_minor_locator(NullLocator())


def _points(panel: Axes, points: pd.DataFrame, style: Mapping[str, Any], label: str) -> None:
    mean = points["mean"].to_numpy(dtype=float)
    shown: Sequence[Any] = [np.maximum(0, mean - points["low"]), np.maximum(0, points["high"] - mean)]
    panel.errorbar(points["x"], mean, yerr=shown, label=label, capsize=1.5, elinewidth=0.6, zorder=4, **style)


def _level(panel: Axes, points: pd.DataFrame, style: Mapping[str, Any], label: str) -> None:
    """A series of one point: a line through the panel, its interval as a band, a marker at the left."""
    value = float(points["mean"].iloc[0])
    panel.axhspan(float(points["low"].iloc[0]), float(points["high"].iloc[0]), color=style["color"], alpha=0.12, lw=0)
    panel.axhline(value, color=style["color"], linestyle=style["linestyle"], linewidth=1.0, zorder=3)
    panel.plot([0.02], [value], transform=panel.get_yaxis_transform(), label=label, zorder=4, **style)
