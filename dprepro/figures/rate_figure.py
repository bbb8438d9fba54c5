"""The overlay of a rate: measured risk on log-log axes with bounds, the rate anchored by its constant, local slopes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from dprepro.analysis.points import further_axes, number
from dprepro.errors import InputError, unknown
from dprepro.figures.axis_panel import BOUNDS, AxisPanel
from dprepro.figures.base import Drawing
from dprepro.figures.curves import at_edge, curves, left_out
from dprepro.figures.fitting import HEIGHT, finish, headed, keys
from dprepro.figures.glance import heading_check, panels, reduced
from dprepro.figures.lines import (
    at_least,
    bounded,
    legend,
    legend_texts,
    line_mark,
    mark_crossing,
    said,
    thin_grid,
    titles,
)
from dprepro.figures.naming import NamedCurves
from dprepro.figures.style import COLUMN, HOLLOW, RATE, SATURATED, SLOPES, looks, roles_of, styled
from dprepro.figures.ticks import few_labels
from dprepro.figures.words import (
    SYMBOLS,
    axis_label,
    briefly,
    controls,
    entry,
    headline,
    judged,
    kept,
    labelled,
    quantity_label,
    undrawn,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EDGE = ", worst at the grid's edge"
"""What the legend adds where data that are worse may lie outside of the family that was measured."""


@dataclass(frozen=True)
class RateFigure(Drawing):
    """A panel for each axis on which something is claimed: the claim, its bound, its rate, and a control.

    All series of an experiment stand in the second figure: overlay above, local slopes below, one column of panels for
    each axis that is named. Its title has the verdict and, over each column, the comparisons that its claims were
    judged by. Each claim has its own bound and its own rate. Hollow markers are saturated points, which no fit uses. A
    series with several curves has each of them named.

    Attributes:
        axis: the abscissa, or several of them: each column then shows the series that vary along its axis.
        labels: series name to legend text; the role, and an epsilon beyond the one that is claimed, are added to it.
        hide: series that are left out.
        series: series that are drawn; default all.
        main: series of the first figure, where the first claim of each axis and the first control are not the ones.
        envelope: axes over which the largest mean is drawn, as in the rules.
        crossings: pairs of series, one after the other: the place where the two curves meet is marked.
        quantity: what is drawn.
        slopes: whether the second figure has a lower panel.
        slope_range: limits of the lower panel.
    """

    name: ClassVar[str] = "rate"
    kinds: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("axis", "envelope"), "axis"),
        **dict.fromkeys(("labels", "hide", "series", "main", "crossings"), "series"),
        "quantity": "quantity",
    }
    leaves_out: ClassVar[bool] = True

    axis: str | tuple[str, ...] = "n"
    labels: Mapping[str, str] = field(default_factory=dict)
    hide: tuple[str, ...] = ()
    quantity: str = "excess_risk"
    slopes: bool = True
    slope_range: tuple[float, ...] | None = None
    series: tuple[str, ...] = ()
    main: tuple[str, ...] = ()
    envelope: tuple[str, ...] = ()
    crossings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.crossings) % 2:
            raise InputError(f"crossings has {len(self.crossings)} entries; it must hold pairs of series")
        if self.slope_range is not None and len(self.slope_range) != 2:
            raise InputError(f"slope_range has {len(self.slope_range)} entries; it must be [lowest, highest]")
        if self.slope_range is not None and not self.slope_range[0] < self.slope_range[1]:
            raise InputError(f"slope_range is {list(self.slope_range)}; it must be [lowest, highest]")

    @property
    def _axes(self) -> tuple[str, ...]:
        return (self.axis,) if isinstance(self.axis, str) else self.axis

    def _roles(self, frame: pd.DataFrame) -> dict[str, str]:
        """The series that may be drawn along the axes, with their roles."""
        chosen = (frame["quantity"] == self.quantity) & ~frame["series"].isin(self.hide)
        named = chosen & frame["series"].isin(self.series)
        chosen = named if named.any() else chosen  # all points of the series that are named may have been skipped
        if not chosen.any():
            raise unknown("figure.quantity", self.quantity, frame["quantity"].unique())
        return roles_of(frame.loc[chosen, ["series", "role"]])

    def draw(self, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> Figure:
        """A panel for each axis; see the class."""
        came_out, risks = controls(verdict, config), self.quantity == "excess_risk"
        swept = self._swept(frame, verdict, config)
        columns = panels(swept) or swept[:1]  # where nothing has two points, the panel says so by its axis
        columns = reduced(columns, self.main, came_out, risks)
        with styled(self.style) as figure_class:
            width = self.width(1 if len(columns) == 1 else 2)
            figure: Figure = figure_class(figsize=(width, 2), layout="constrained")
            drawn = figure.subplots(1, max(1, len(columns)), squeeze=False)[0]
            high = headed(figure, verdict, self.heading)
            entries: dict[str, tuple[str, Any]] = {}
            heads: list[tuple[Axes, list[str]]] = []
            names: list[NamedCurves] = []
            for column, panel in zip(columns, drawn, strict=False):
                shown = column.overlay(panel, risks=risks, marked=False, named=False)
                entries |= {BOUNDS: ("", None)} | shown | entries
                names += [NamedCurves(panel, several, column.styles[name]) for name, several in column.drawn.items()]
                self._crossings(panel, column)
                panel.set(xlabel=axis_label(column.axis))
                few_labels(panel)
                check, texts = heading_check(column), {name: column.texts[name] for name in column.drawn}
                about = [] if check is None else briefly(check, column.axis, bounded(check, frame, texts))
                heads.append((panel, about))
            thin_grid(*drawn)
            drawn[0].set_ylabel(quantity_label(self.quantity, self.envelope))
            high += keys(figure, self._few(entries, columns, drawn, came_out))
            finish(figure, high + HEIGHT[self.style], heads, names)
        return figure

    def _swept(self, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> list[AxisPanel]:
        """What could be shown along the axes that are named, then along others on which an exponent is claimed."""
        roles, axes = self._roles(frame), self._axes
        every = roles_of(frame.loc[frame["quantity"] == self.quantity, ["series", "role"]])
        texts = {name: labelled(name, self.labels) for name in every}
        found = [self._column(frame, roles, axis, texts, verdict, config, least=min(2, len(axes))) for axis in axes]
        others: dict[str, dict[str, str]] = {}
        for check in judged(verdict, config):
            axis = str(check.options.get("axis", "n"))
            if check.rule == "exponent" and check.quantity == self.quantity and axis not in axes:
                claims = [name for name in check.series(every) if every[name] == "claim"]
                others.setdefault(axis, dict.fromkeys(claims[:1], "claim"))
        further = [self._column(frame, some, axis, texts, verdict, config, least=2) for axis, some in others.items()]
        return [*found, *(column for column in further if column.drawn)]

    def _few(
        self,
        entries: Mapping[str, tuple[str, Any]],
        columns: Sequence[AxisPanel],
        panels: Sequence[Axes],
        came_out: Mapping[str, str],
    ) -> dict[str, Any]:
        """The legend: claim, bound, rate, control; each once, whichever series it is of in a panel."""
        gids = {line.get_gid() for panel in panels for line in panel.lines}
        hollow = " (hollow: saturated)" if SATURATED in gids else ""
        found: dict[str, Any] = {}
        firsts = {column.texts[next(iter(column.drawn))] for column in columns if column.drawn}
        for place, column in enumerate(columns):
            for rank, name in enumerate(column.drawn):
                if name not in entries or (place and rank == 0 and len(firsts) > 1):
                    continue
                text, mark = entries[name]
                text = entry(text if len(firsts) == 1 or rank else "measured", name, column.roles[name], came_out)
                found.setdefault(text + (hollow if rank == 0 else ""), mark)
        if entries.get(BOUNDS, ("", None))[1] is not None:
            found[entries[BOUNDS][0]] = entries[BOUNDS][1]
        if RATE["gid"] in gids:
            found[self._rate_text(columns)] = line_mark(RATE)
        return found

    @staticmethod
    def _rate_text(columns: Sequence[AxisPanel]) -> str:
        """The rate with its fitted constants, one for each panel."""
        fitted = [constant for column in columns for constant in column.constants.values() if constant is not None]
        ends = " to ".join(sorted({number(min(fitted)), number(max(fitted))}, key=float)) if fitted else ""
        return f"rate × {ends} (fitted)" if fitted else "rate, through the points"

    def draw_all(self, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> Figure:
        """The overlay of all series, and local slopes; see the class."""
        roles, axes = self._roles(frame), self._axes
        texts = legend_texts(frame, self.labels, controls(verdict, config))
        columns = [self._column(frame, roles, axis, texts, verdict, config, least=min(2, len(axes))) for axis in axes]
        with styled() as figure_class:
            width = COLUMN if len(axes) == 1 else 2 * COLUMN
            figure: Figure = figure_class(figsize=(width, 3), layout="constrained")
            heights = [3, 1.15] if self.slopes else [1]
            panels = figure.subplots(len(heights), len(axes), sharex="col", squeeze=False, height_ratios=heights)
            entries: dict[str, tuple[str, Any]] = {}
            marked = any(len(column.bounds) > 1 for column in columns)
            for column, upper in zip(columns, panels[0], strict=True):
                entries |= column.overlay(upper, risks=self.quantity == "excess_risk", marked=marked)
                self._crossings(upper, column)
            for column, lower in zip(columns, panels[1] if self.slopes else (), strict=bool(self.slopes)):
                column.slopes(lower)
                at_least(lower, 0.2)
                if self.slope_range:
                    lower.set_ylim(*self.slope_range)
            for column, bottom in zip(columns, panels[-1], strict=True):
                bottom.set(xlabel=axis_label(column.axis))
                few_labels(bottom)
            thin_grid(*panels.flat)
            panels[0, 0].set_ylabel(quantity_label(self.quantity, self.envelope))
            if self.slopes:
                panels[1, 0].set_ylabel("local slope")
            heads = [(panel, self._said(column, frame)) for panel, column in zip(panels[0], columns, strict=True)]
            room = width / len(axes) - (0.55 if len(axes) == 1 else 0.4)
            more = titles(figure, headline(verdict, self.heading), heads, room)
            said_of = {check.name for column in columns for check in column.judged}
            some = left_out(curve for column in columns for several in column.drawn.values() for curve in several)
            note = " ".join(filter(None, (self.note, undrawn(judged(verdict, config), said_of), some)))
            more += legend(figure, self._in_order(entries, columns, panels[0]), min(2 * len(axes), 4), note)
            figure.set_size_inches(width, (2.9 if self.slopes else 2.6) + more)
        return figure

    def _column(
        self,
        frame: pd.DataFrame,
        roles: Mapping[str, str],
        axis: str,
        texts: Mapping[str, str],
        verdict: Mapping[str, Any],
        config: Mapping[str, Any],
        least: int,
    ) -> AxisPanel:
        """What is drawn along an axis: series with a curve of ``least`` points; beside others what is swept there."""
        styles, further = looks(roles, list(self.labels)), further_axes(frame, config)
        found = {name: curves(frame, name, self.quantity, axis, self.envelope, further) for name in styles}
        drawn = {
            name: several for name, several in found.items() if any(len(curve.points) >= least for curve in several)
        }
        edge = [name for name in drawn for family in self.envelope if at_edge(frame, name, drawn[name], family)]
        texts = {name: texts[name] + (EDGE if name in edge else "") for name in styles}
        claims = [check for check in judged(verdict, config) if check.quantity == self.quantity and check.series(drawn)]
        others = [check for role in ("control", "erratum") for check in judged(verdict, config, role)]
        below = [check for check in (*claims, *others) if check.rule == "below" and check.quantity == self.quantity]
        held = [name for name in drawn if any(name in check.series(drawn) for check in below)]
        return AxisPanel(axis, drawn, roles, styles, texts, claims, held)

    def _said(self, column: AxisPanel, frame: pd.DataFrame) -> list[str]:
        """The comparisons that a column's claims were judged by."""
        texts = {name: column.texts[name] for name in column.drawn}
        lines = []
        for check in column.judged:
            line = said(check, frame, texts, column.axis, named=len(column.claimed) > 1)
            constant = check.result.get("constant") if len(column.constants) > 1 else None
            lines.append(line if constant is None else f"{line}; {kept(f'constant {number(float(constant))}')}")
        return lines

    def _crossings(self, panel: Axes, column: AxisPanel) -> None:
        symbol = SYMBOLS.get(column.axis, axis_label(column.axis).split()[-1])
        for first, second in zip(self.crossings[::2], self.crossings[1::2], strict=True):
            if first in column.drawn and second in column.drawn:
                mark_crossing(panel, column.drawn[first][0], column.drawn[second][0], symbol)

    def _in_order(
        self, entries: Mapping[str, tuple[str, Any]], columns: Sequence[AxisPanel], panels: Sequence[Axes]
    ) -> dict[str, Any]:
        """The legend: bounds, rates and slopes, then the series in their order, then what hollow markers are."""
        gids = {line.get_gid() for panel in panels for line in panel.lines}
        found = dict([entries[BOUNDS]] if BOUNDS in entries else [])
        if RATE["gid"] in gids:
            several = any(len(column.constants) > 1 for column in columns)  # which then stand in the titles
            found["rate × its constant, fitted" if several else self._rate_text(columns)] = line_mark(RATE)
        if self.slopes and any(check.rule == "exponent" for column in columns for check in column.judged):
            found["local slope as claimed"] = line_mark(SLOPES)
        found |= dict(entries[name] for name in columns[0].styles if name in entries)
        return found | ({SATURATED: line_mark(HOLLOW)} if SATURATED in gids else {})
