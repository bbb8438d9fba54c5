"""A phase diagram: which of two algorithms has the smaller risk, over two axes, with the fitted transition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dprepro.analysis.crossing import Crossing, crossings
from dprepro.analysis.fits import Vector
from dprepro.analysis.points import grid_points
from dprepro.axes import AXES
from dprepro.errors import InputError
from dprepro.figures.base import Drawing
from dprepro.figures.fitting import finish, headed, keys
from dprepro.figures.style import letters, styled
from dprepro.figures.ticks import few_labels
from dprepro.figures.words import JudgedCheck, axis_label, briefly, judged

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEIGHT = 2.4
"""Of the panels, inches."""


@dataclass(frozen=True)
class PhaseFigure(Drawing):
    """One panel for each pair of series: log10 of the ratio of their risks, and the transition line of a check.

    Attributes:
        series, against: pairs of series, in order; positive values mean that `series` has the larger risk.
        along: the abscissa of each panel; for n, n epsilon is shown.
        checks: the check of rule `crossing` of each panel.
        axis: the ordinate.
        names: what to call the two.
        envelope: axes over which the largest mean is taken.
    """

    name: ClassVar[str] = "phase"
    kinds: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("series", "against"), "series"),
        **dict.fromkeys(("along", "axis", "envelope"), "axis"),
        "checks": "check",
    }

    series: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    along: tuple[str, ...] = ("n",)
    checks: tuple[str, ...] = ("exponent_n",)
    axis: str = "p"
    names: tuple[str, ...] = ("first", "second")
    envelope: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        lengths = {len(self.series), len(self.against), len(self.along), len(self.checks)}
        if lengths != {len(self.series)} or not self.series or len(self.names) != 2:
            raise InputError("a phase figure needs as many series as against, along and checks, and two names")

    def draw(self, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> Figure:
        """The panels side by side; see the class."""
        panels = len(self.series)
        tables = [self._ratio(frame, index) for index in range(panels)]
        values = np.concatenate([table.to_numpy().ravel() for table in tables])
        limits = float(np.nanmin(values)), float(np.nanmax(values))
        with styled(self.style) as figure_class:
            width = self.width(min(2, panels))
            figure: Figure = figure_class(figsize=(width, 3.1), layout="constrained")
            axes = np.atleast_1d(figure.subplots(1, panels))
            handles: dict[str, Any] = {}
            high = headed(figure, verdict, self.heading)
            claims = [self._claims(index, verdict, config) for index in range(panels)]
            for index, (panel, table) in enumerate(zip(axes, tables, strict=True)):
                self._panel(panel, table, limits)
                self._transition(panel, frame, table, verdict["checks"].get(self.checks[index], {}), index)
                panel.set_xlabel("nε" if self.along[index] == "n" else axis_label(self.along[index]))
                shown, labels = panel.get_legend_handles_labels()
                handles |= dict(zip(labels, shown, strict=True))
            axes[0].set_ylabel(axis_label(self.axis))
            bar = figure.colorbar(
                axes[-1].collections[0], ax=list(axes),
                label=f"log10 of risk, {self.names[0]} over {self.names[1]}",
            )  # fmt: skip
            bar.ax.axhline(0, color="white", linewidth=1)
            high += keys(figure, handles)
            said = [briefly(own[0]) if own else [] for own in claims]
            finish(figure, high + HEIGHT, list(zip(axes, said, strict=True)))
        return figure

    def _claims(self, index: int, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> list[JudgedCheck]:
        """The claims on a panel's transition."""
        place = (self.series[index], self.against[index])
        own = [check for check in judged(verdict, config) if check.rule == "crossing"]
        return [check for check in own if (check.options.get("series"), check.options.get("against")) == place]

    def _ratio(self, frame: pd.DataFrame, index: int) -> pd.DataFrame:
        """log10 of the ratio of mean risks: a row for each value of `axis`, a column for each of `along`."""
        keys = list(dict.fromkeys([*AXES, self.axis, self.along[index], *self.envelope]))
        both = []
        for name in (self.series[index], self.against[index]):
            points = grid_points(frame, name, axes=keys, envelope=self.envelope)
            points["x"] = points["n"] * points["epsilon"] if self.along[index] == "n" else points[self.along[index]]
            both.append(points.set_index([self.axis, "x"])["mean"])
        joined = both[0].to_frame("first").join(both[1].rename("second"), how="left")
        joined["ratio"] = np.log10(joined["first"] / joined["second"])
        return joined["ratio"].unstack("x").sort_index()

    def _panel(self, panel: Axes, table: pd.DataFrame, limits: tuple[float, float]) -> None:
        """The cells; lightness rises with the ratio, so that the diagram reads in grey too."""
        import seaborn
        from matplotlib.patheffects import withStroke

        x, y = table.columns.to_numpy(float), table.index.to_numpy(float)
        panel.set(xscale="log", yscale="log")
        panel.pcolormesh(
            _edges(x), _edges(y), np.ma.masked_invalid(table.to_numpy()),
            cmap=seaborn.color_palette("mako", as_cmap=True), vmin=limits[0], vmax=limits[1], edgecolors="white",
            linewidth=0.3,
        )  # fmt: skip
        few_labels(panel)
        outline = [withStroke(linewidth=1.8, foreground="white")]
        for word, up, side in ((self.names[0], 0.04, "bottom"), (self.names[1], 0.96, "top")):
            panel.text(
                0.02, up, f"{word}\nbetter", transform=panel.transAxes, va=side, path_effects=outline, zorder=5,
                fontsize=letters(), linespacing=1.0,
            )  # fmt: skip
        if (np.isnan(table.to_numpy())).any():
            # Hatched, since any grey would be a value on the scale when printed without colour.
            panel.patch.set(facecolor="white", edgecolor="0.6", hatch="/////", linewidth=0)
            panel.fill([], [], facecolor="white", edgecolor="0.6", hatch="/////", label=f"no {self.names[1]} there")

    def _transition(
        self, panel: Axes, frame: pd.DataFrame, table: pd.DataFrame, check: Mapping[str, Any], index: int
    ) -> None:
        """The measured crossings with their fit, the claimed line through their middle, and where the bounds cross."""
        from matplotlib.patheffects import withStroke

        details = check.get("details") or {}
        if not details.get("crossings") or check.get("estimate") is None:
            return
        x, y = np.array(details["crossings"], dtype=float).T
        scale = float(details["scale"])
        outline: dict[str, Any] = {
            "path_effects": [withStroke(linewidth=2.2, foreground="white")],
            "color": "black",
            "linewidth": 1.0,
        }
        edges = _edges(table.columns.to_numpy(float))
        grid = np.geomspace(edges[0], edges[-1], 50)
        middle_x, middle_y = np.log(x * scale).mean(), np.log(y).mean()
        # One legend serves all panels: it says what a line is; its slope stands beside it.
        for slope, style, label in (
            (float(check["estimate"]), "-", ""),
            (float(check["expected"]), "--", f"slope {float(check['expected']):.2f}, the limit"),
        ):
            line = np.exp(middle_y + slope * (np.log(grid) - middle_x))
            panel.plot(grid, line, linestyle=style, label=label or "_", zorder=3, **outline)
        rule = Crossing(
            role="context", expected=0, series=self.series[index], against=self.against[index], axis=self.axis,
            along=self.along[index], scale="epsilon" if self.along[index] == "n" else "", envelope=self.envelope,
        )  # fmt: skip
        if "bound" in frame and (bounds := crossings(rule, frame, "bound")[0]):
            along, place, _, scales, _ = np.array(bounds).T
            panel.plot(
                along * scales, place, linestyle=":", label="where the explicit bounds cross", zorder=3, **outline
            )
        points: dict[str, Any] = {"color": "black", "marker": "o", "markerfacecolor": "white", "markersize": 4}
        panel.plot(x * scale, y, linestyle="none", zorder=4, label="_", **points)
        panel.plot([], [], label="measured transition, with its fit", **points)
        panel.set(xlim=(grid[0], grid[-1]), ylim=_edges(table.index.to_numpy(float))[[0, -1]])


def _edges(centres: Vector) -> Vector:
    """Edges of cells around values on a logarithmic axis."""
    logs: Vector = np.log(centres)
    middle = (logs[1:] + logs[:-1]) / 2
    edges: Vector = np.exp(np.concatenate([[2 * logs[0] - middle[0]], middle, [2 * logs[-1] - middle[-1]]]))
    return edges
