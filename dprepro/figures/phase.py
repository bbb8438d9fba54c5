"""A phase diagram: which of two algorithms has the smaller risk, over two axes, with the fitted transition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dprepro.analysis.points import AXES, grid_points, number
from dprepro.errors import InputError
from dprepro.figures.base import Drawing
from dprepro.figures.style import COLUMN, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Phase(Drawing):
    """One panel for each pair of series: log10 of the ratio of their risks, and the transition line of a check.

    Attributes:
        series, against: pairs of series, in order; positive values mean that `series` has the larger risk.
        along: the abscissa of each panel; for n, n epsilon is shown.
        checks: the check of rule `crossing` of each panel.
        axis: the ordinate.
        names: what to call the two in the colour bar.
        envelope: axes over which the largest mean is taken.
    """

    name: ClassVar[str] = "phase"

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

    def draw(self, frame: pd.DataFrame, verdict: Mapping[str, Any]) -> Figure:
        """The panels side by side; see the class."""
        panels = len(self.series)
        tables = [self._ratio(frame, index) for index in range(panels)]
        largest = max(float(np.nanmax(np.abs(table.to_numpy()))) for table in tables)
        with styled() as figure_class:
            figure: Figure = figure_class(figsize=(COLUMN * max(1.0, 0.95 * panels), 2.9), layout="constrained")
            axes = np.atleast_1d(figure.subplots(1, panels))
            for index, (panel, table) in enumerate(zip(axes, tables, strict=True)):
                self._panel(panel, table, largest, verdict["checks"].get(self.checks[index], {}), index)
            figure.colorbar(
                axes[-1].collections[0], ax=list(axes),
                label=f"log10 of risk, {self.names[0]} over {self.names[1]}",
            )  # fmt: skip
            figure.suptitle(self.title or f"{verdict['claim']}: {verdict['verdict']}", x=0.02, ha="left", fontsize=7.5)
        return figure

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
        return joined["ratio"].unstack("x").sort_index(ascending=False)

    def _panel(self, panel: Axes, table: pd.DataFrame, largest: float, check: Mapping[str, Any], index: int) -> None:
        import seaborn

        seaborn.heatmap(
            table, ax=panel, cmap="RdBu_r", center=0.0, vmin=-largest, vmax=largest, cbar=False, linewidths=0.3,
            xticklabels=[number(float(x)) for x in table.columns],
            yticklabels=[number(float(y)) for y in table.index],
        )  # fmt: skip
        panel.set_facecolor("0.85")
        abscissa = "nε" if self.along[index] == "n" else "norm of the target B"
        panel.set(xlabel=abscissa, ylabel="dimension d" if index == 0 else "")
        panel.tick_params(rotation=0, length=2)
        panel.tick_params(axis="x", rotation=45)
        found = (check.get("details") or {}).get("crossings")
        if not found or check.get("estimate") is None:
            return
        xs, ys = np.log(table.columns.to_numpy(float)), np.log(table.index.to_numpy(float))
        along, place = np.log(np.array(found, dtype=float)).T
        along = along + np.log(float(check["details"]["scale"]))
        column = np.interp(along, xs, np.arange(len(xs)) + 0.5)
        row = np.interp(place, ys[::-1], np.arange(len(ys))[::-1] + 0.5)
        panel.plot(column, row, "o", color="black", markersize=3, label="measured")
        slope = float(check["estimate"])
        grid = np.linspace(xs[0], xs[-1], 50)
        line = place.mean() + slope * (grid - along.mean())
        claimed = place.mean() + float(check["expected"]) * (grid - along.mean())
        spots = np.interp(grid, xs, np.arange(len(xs)) + 0.5)
        for values, style, label in ((line, "-", f"fit {slope:.2f}"), (claimed, "--", "claim 2/3")):
            inside = (values >= ys[-1]) & (values <= ys[0])
            rows = np.interp(values[inside], ys[::-1], np.arange(len(ys))[::-1] + 0.5)
            panel.plot(spots[inside], rows, color="black", linestyle=style, linewidth=1, label=label)
        panel.legend(loc="upper left", fontsize=6, framealpha=0.8)
