"""The overlay of a rate: measured risk on log-log axes, the rate anchored by its fitted constant, and local slopes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dprepro.analysis.points import AXES, grid_points, number
from dprepro.errors import InputError, unknown
from dprepro.figures.base import Drawing
from dprepro.figures.style import COLUMN, look, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LABELS = {
    "n": "records n",
    "p": "dimension p",
    "epsilon": "privacy ε (nats)",
    "delta": "privacy δ",
    "norm": "norm of the target",
    "steps": "steps T",
    "smoothing": "smoothing h",
}
LOG_INVERSE = "ln(1/δ)"
SATURATED = "hollow: saturated, not fitted"
LINE_MARKERS = "x+12"  # without an inside that could be hollow


@dataclass(frozen=True)
class Rate(Drawing):
    """Overlay above, local slopes below; one column of panels for each axis.

    Hollow markers are saturated points, which no fit uses.

    Attributes:
        axis: the abscissa, or several of them: each column then shows the series that vary along its axis.
        claim: the series that rate line and bound belong to; default the first of role claim in the column.
        check: the check that holds exponent and constant, or one for each axis; default exponent_<axis>.
        labels: series name to legend text.
        hide: series that are left out.
        series: series that are drawn; default all.
        envelope: axes over which the largest mean is drawn, as in the rules.
        crossings: pairs of series, one after the other: the place where the two curves meet is marked.
        quantity: what is drawn.
        slopes: whether there is a lower panel.
        slope: reference line in the lower panel; default the check's expected.
        slope_range: limits of the lower panel.
    """

    name: ClassVar[str] = "rate"

    axis: str | tuple[str, ...] = "n"
    claim: str = ""
    check: str | tuple[str, ...] = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    hide: tuple[str, ...] = ()
    quantity: str = "excess_risk"
    slopes: bool = True
    slope: float | None = None
    slope_range: tuple[float, ...] | None = None
    series: tuple[str, ...] = ()
    envelope: tuple[str, ...] = ()
    crossings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.crossings) % 2:
            raise InputError(f"crossings has {len(self.crossings)} entries; it must hold pairs of series")
        if not isinstance(self.check, str) and (isinstance(self.axis, str) or len(self.check) != len(self.axis)):
            raise InputError("check must be one name, or as many as there are axes")
        if self.slope_range is not None and len(self.slope_range) != 2:
            raise InputError(f"slope_range has {len(self.slope_range)} entries; it must be [lowest, highest]")

    def draw(self, frame: pd.DataFrame, verdict: Mapping[str, Any]) -> Figure:
        """The overlay; see the class."""
        rows = frame[(frame["quantity"] == self.quantity) & ~frame["series"].isin(self.hide)]
        if self.series:
            rows = rows[rows["series"].isin(self.series)]
        if rows.empty:
            raise unknown("figure.quantity", self.quantity, frame["quantity"].unique())
        axes = (self.axis,) if isinstance(self.axis, str) else self.axis
        styles = self._styles(rows)
        with styled() as figure_class:
            width = COLUMN if len(axes) == 1 else 2 * COLUMN
            legend_columns = min(2 * len(axes), 4)
            legend_rows = -(-(len(styles) + 2 + 2 * len(axes)) // legend_columns)
            figure: Figure = figure_class(figsize=(width, 3.3 + 0.125 * legend_rows), layout="constrained")
            heights = [3, 1.15] if self.slopes else [1]
            panels = figure.subplots(len(heights), len(axes), sharex="col", squeeze=False, height_ratios=heights)
            handles: dict[str, Any] = {}
            for column, axis in enumerate(axes):
                upper, lower = panels[0, column], panels[1, column] if self.slopes else None
                named = self.check if isinstance(self.check, str) else self.check[column]
                check = verdict["checks"].get(named or f"exponent_{axis}", {})
                self._column(upper, lower, rows, axis, styles, check, only_varying=len(axes) > 1)
                shown, names = upper.get_legend_handles_labels()
                handles |= dict(zip(names, shown, strict=True))
                if column == 0:
                    upper.set_title(self.title or _title(verdict, check), loc="left")
                    what = "risk (mean)" if self.quantity == "excess_risk" else self.quantity.replace("_", " ")
                    upper.set_ylabel(f"excess {what}" if self.quantity == "excess_risk" else what)
                    if lower is not None:
                        lower.set_ylabel("local slope")
            if any(line.get_gid() == SATURATED for panel in panels[0] for line in panel.lines):
                handles[SATURATED] = _hollow()
            figure.legend(
                list(handles.values()),
                list(handles),
                loc="outside lower center",
                ncols=legend_columns,
                frameon=False,
                handlelength=2.6,
                columnspacing=1.0,
                labelspacing=0.25,
            )
        return figure

    def _label(self, name: str) -> str:
        return self.labels.get(name, name.replace("_", " "))

    def _styles(self, rows: pd.DataFrame) -> dict[str, tuple[str, dict[str, Any]]]:
        """Role and look of every series, claims first, then as the labels are ordered."""
        series = list(dict.fromkeys(zip(rows["series"], rows["role"], strict=True)))
        places = {name: place for place, name in enumerate(self.labels)}
        order = {"claim": 0, "context": 1, "control": 2}
        series.sort(key=lambda one: (order[one[1]], places.get(one[0], len(places))))
        seen: dict[str, int] = {}
        styles = {}
        for name, role in series:
            styles[name] = (role, look(role, seen.get(role, 0)))
            seen[role] = seen.get(role, 0) + 1
        return styles

    def _column(
        self,
        upper: Axes,
        lower: Axes | None,
        rows: pd.DataFrame,
        axis: str,
        styles: Mapping[str, tuple[str, dict[str, Any]]],
        check: Mapping[str, Any],
        only_varying: bool,
    ) -> None:
        drawn = {}
        for name in styles:
            found = curves(rows, name, self.quantity, axis, self.envelope)
            if found and not (only_varying and all(len(curve) < 2 for curve in found)):
                drawn[name] = found
        main = self.claim if self.claim in drawn else next(iter(drawn), "")
        for name, found in drawn.items():
            role, style = styles[name]
            for curve in found:
                # claims on top: other curves may lie close to them
                draw_curve(upper, curve, style | {"zorder": 6 if role == "claim" else 3}, self._label(name))
                if lower is not None and len(curve) > 1 and (role != "context" or name == main):
                    draw_slopes(lower, curve, style)
        if main:
            _bound_and_rate(upper, drawn[main][0], check)
        upper.set(xscale="log", yscale="log")
        if lower is not None:
            self._reference(lower, drawn[main][0] if main else None, check)
        for first, second in zip(self.crossings[::2], self.crossings[1::2], strict=True):
            if first in drawn and second in drawn:
                _mark_crossing(upper, drawn[first][0], drawn[second][0], axis)
        bottom = upper if lower is None else lower
        bottom.set(xlabel=_axis_label(axis))
        few_labels(bottom)
        for panel in (upper, bottom):
            panel.grid(True, which="major", linewidth=0.3, color="0.85")
            panel.set_axisbelow(True)

    def _reference(self, lower: Axes, points: pd.DataFrame | None, check: Mapping[str, Any]) -> None:
        """What the local slopes are held against, and the limits of their panel."""
        # Where the check compares with a column's own slope, that slope is the reference, and it varies.
        divide = (check.get("details") or {}).get("divide", "")
        if divide and points is not None:
            draw_slopes(lower, points, {"color": "0.5", "linewidth": 1.2, "linestyle": (0, (6, 1, 1, 1))}, divide)
        expected = check.get("expected") if self.slope is None and not divide else self.slope
        if expected is not None:
            lower.axhline(float(expected), color="0.5", linewidth=0.8, linestyle="--", zorder=0)
        if self.slope_range:
            lower.set_ylim(*self.slope_range)
        else:
            _at_least(lower, 0.2)


def _title(verdict: Mapping[str, Any], check: Mapping[str, Any]) -> str:
    text = f"{verdict['claim']}: {verdict['verdict']}"
    if check.get("estimate") is not None:
        half = (check["high"] - check["low"]) / 2
        divide = (check.get("details") or {}).get("divide", "")
        estimate = f"{check['estimate']:.3f} ± {half:.3f} (99%)"
        if divide:
            text += f"\nslope minus that of the {'rate' if divide == 'shape' else divide}: {estimate}"
        else:
            text += f"\nexponent {estimate}, expected {check['expected']:.3f}"
    return text


def few_labels(panel: Axes) -> None:
    """On a short logarithmic axis label 300 beside 10^2 and 10^3 only: matplotlib's own labels would touch."""
    low, high = panel.get_xlim()
    powers = np.floor(np.log10(high)) - np.ceil(np.log10(low))

    def label(value: float, position: float) -> str:
        if powers >= 1 or round(value / 10 ** np.floor(np.log10(value) + 1e-9)) != 3:
            return ""
        return f"{value:g}" if 1e-3 < value < 1e4 else f"$3\\times10^{{{int(np.floor(np.log10(value)))}}}$"

    panel.xaxis.set_minor_formatter(label)


def _at_least(panel: Axes, span: float) -> None:
    """Limits of a panel of slopes that do not blow up the last digit."""
    panel.margins(y=0.12)
    low, high = panel.get_ylim()
    more = max(0.0, span - (high - low)) / 2
    panel.set_ylim(low - more, high + more)


def _axis_label(axis: str) -> str:
    return LOG_INVERSE if axis == "delta" else LABELS.get(axis, axis)


def curves(rows: pd.DataFrame, name: str, quantity: str, axis: str, envelope: Sequence[str]) -> list[pd.DataFrame]:
    """Grid points of one series with abscissa x, a table for each combination of the other axes."""
    columns = [c for c in ("bound", "shape") if c in rows.columns]
    axes = list(dict.fromkeys([*AXES, axis]))
    points = grid_points(rows, name, quantity, columns=columns, axes=axes, envelope=envelope)
    points = points[points["state"].isin(["used", "saturated"]) & (points["mean"] > 0)].copy()
    x = points[axis].to_numpy(dtype=float)
    points["x"] = -np.log(x) if axis == "delta" else x
    if points["x"].nunique() == len(points):  # a tied axis follows the figure's
        return [points.sort_values("x")] if len(points) else []
    others = [one for one in axes if one != axis]
    return [group.sort_values("x") for _, group in points.groupby(others, sort=True)]


def draw_curve(panel: Axes, points: pd.DataFrame, style: dict[str, Any], label: str) -> None:
    """Means with their 99% intervals; hollow where they are saturated. ``points`` is a table of :func:`curves`."""
    error = points["error"].fillna(0.0).to_numpy(dtype=float)
    mean = points["mean"].to_numpy(dtype=float)
    panel.errorbar(
        points["x"],
        mean,
        yerr=2.576 * np.minimum(error, mean / 2.6),
        label=label,
        capsize=1.2,
        elinewidth=0.6,
        markerfacecolor=style["color"],
        markeredgewidth=0.7,
        **style,
    )
    hollow = points[points["state"] == "saturated"]
    if len(hollow) and style["marker"] not in LINE_MARKERS:
        panel.plot(
            hollow["x"],
            hollow["mean"],
            marker=style["marker"],
            color=style["color"],
            markerfacecolor="white",
            linestyle="none",
            markeredgewidth=0.7,
            zorder=style["zorder"] + 0.5,
            gid=SATURATED,
        )


def _mark_crossing(panel: Axes, first: pd.DataFrame, second: pd.DataFrame, axis: str) -> None:
    """A dotted line where two curves meet, interpolated on logarithmic axes, with its place written beside it."""
    both = first.set_index("x")["mean"].to_frame("first").join(second.set_index("x")["mean"].rename("second")).dropna()
    x, gap = np.log(both.index.to_numpy(float)), np.log((both["first"] / both["second"]).to_numpy(float))
    change = np.flatnonzero((gap[:-1] * gap[1:] <= 0) & (gap[:-1] != gap[1:]))  # not where they coincide
    if not change.size:
        return
    i = int(change[0])
    place = float(np.exp(x[i] - gap[i] * (x[i + 1] - x[i]) / (gap[i + 1] - gap[i])))
    panel.axvline(place, color="0.35", linewidth=0.9, linestyle=":", zorder=1)
    words = f"{_axis_label(axis).split()[-1]} = {number(float(f'{place:.2g}'))}"
    panel.annotate(
        words, (place, 0.03), xycoords=("data", "axes fraction"), xytext=(3, 0), textcoords="offset points", fontsize=6
    )


def _hollow() -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], marker="o", color="0.3", markerfacecolor="white", linestyle="none", markeredgewidth=0.7)


def draw_slopes(panel: Axes, points: pd.DataFrame, style: dict[str, Any], column: str = "mean") -> None:
    """Slopes between neighbouring points, between their abscissas."""
    x, y = np.log(points["x"].to_numpy(float)), np.log(points[column].to_numpy(float))
    keep = np.diff(x) > 0
    panel.plot(np.exp((x[1:] + x[:-1]) / 2)[keep], (np.diff(y)[keep] / np.diff(x)[keep]), **style)


def _bound_and_rate(panel: Axes, points: pd.DataFrame, check: Mapping[str, Any]) -> None:
    bound = points[np.isfinite(points["bound"].astype(float))] if "bound" in points else points.iloc[:0]
    if len(bound):
        panel.plot(
            bound["x"],
            bound["bound"],
            color="0.35",
            linewidth=1.4,
            linestyle=(0, (6, 1, 1, 1)),
            label="explicit bound",
            zorder=1,
        )
    if "shape" not in points:
        return
    constant = check.get("constant")
    used = points[points["state"] == "used"]
    if constant is None and len(used):  # no check has fitted it
        constant = float(np.exp(np.log(used["mean"] / used["shape"].astype(float)).mean()))
    if constant is not None and np.isfinite(constant):
        panel.plot(
            points["x"],
            constant * points["shape"].astype(float),
            color="0.6",
            linewidth=3.5,
            alpha=0.6,
            label=f"rate × {constant:.3g} (fitted)",
            zorder=0,
        )
