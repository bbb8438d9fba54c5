"""The overlay of a rate: measured risk on log-log axes, the rate anchored by its fitted constant, and local slopes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dprepro.analysis.points import AXES, grid_points
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
}
LOG_INVERSE = "ln(1/δ)"


@dataclass(frozen=True)
class Rate(Drawing):
    """Overlay above, local slopes below.

    Attributes:
        axis: the abscissa.
        claim: the series that the rate line is anchored to; default the first of role claim.
        check: the check that holds exponent and constant; default exponent_<axis>.
        labels: series name to legend text.
        quantity: what is drawn.
        slope: reference line in the lower panel; default the check's expected.
        slope_range: limits of the lower panel.
    """

    name: ClassVar[str] = "rate"

    axis: str = "n"
    claim: str = ""
    check: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    quantity: str = "excess_risk"
    slope: float | None = None
    slope_range: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.slope_range is not None and len(self.slope_range) != 2:
            raise InputError(f"slope_range has {len(self.slope_range)} entries; it must be [lowest, highest]")

    def draw(self, frame: pd.DataFrame, verdict: Mapping[str, Any]) -> Figure:
        """The overlay; see the class."""
        axis, quantity, labels = self.axis, self.quantity, self.labels
        rows = frame[frame["quantity"] == quantity]
        if rows.empty:
            raise unknown("figure.quantity", quantity, frame["quantity"].unique())
        series = list(dict.fromkeys(zip(rows["series"], rows["role"], strict=True)))
        order = {"claim": 0, "context": 1, "control": 2}
        series.sort(key=lambda one: (order[one[1]], list(labels).index(one[0]) if one[0] in labels else len(labels)))
        claims = [name for name, role in series if role == "claim"]
        main = self.claim or (claims[0] if claims else series[0][0])
        check = verdict["checks"].get(self.check or f"exponent_{axis}", {})

        with styled() as figure_class:
            rows_of_legend = (len(series) + 3) // 2
            figure: Figure = figure_class(figsize=(COLUMN, 3.5 + 0.115 * rows_of_legend), layout="constrained")
            upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1.15])
            seen: dict[str, int] = {}
            for name, role in series:
                style = look(role, seen.get(role, 0))
                seen[role] = seen.get(role, 0) + 1
                points = _points(rows, name, quantity, axis)
                if len(points):
                    _curve(upper, points, style, labels.get(name, name.replace("_", " ")))
                    if len(points) > 1 and (role != "context" or name == main):
                        _slopes(lower, points, style)
            points = _points(rows, main, quantity, axis)
            _bound_and_rate(upper, points, check)
            expected = check.get("expected") if self.slope is None else self.slope
            if expected is not None:
                lower.axhline(float(expected), color="0.5", linewidth=0.8, linestyle="--", zorder=0)
            if self.slope_range:
                lower.set_ylim(*self.slope_range)
            upper.set(
                xscale="log",
                yscale="log",
                ylabel=f"excess {'risk, mean over n' if quantity == 'excess_risk' else quantity}",
            )
            lower.set(xlabel=_axis_label(axis), ylabel="local slope")
            for panel in (upper, lower):
                panel.grid(True, which="major", linewidth=0.3, color="0.85")
                panel.set_axisbelow(True)
            upper.set_title(self.title or _title(verdict, check), loc="left")
            figure.legend(
                *upper.get_legend_handles_labels(),
                loc="outside lower center",
                ncols=2,
                frameon=False,
                handlelength=2.6,
                columnspacing=1.0,
                labelspacing=0.25,
            )
        return figure


def _title(verdict: Mapping[str, Any], check: Mapping[str, Any]) -> str:
    text = f"{verdict['claim']}: {verdict['verdict']}"
    if check.get("estimate") is not None:
        half = (check["high"] - check["low"]) / 2
        text += f"\nexponent {check['estimate']:.3f} ± {half:.3f} (99%), expected {check['expected']:.3f}"
    return text


def _axis_label(axis: str) -> str:
    return LOG_INVERSE if axis == "delta" else LABELS.get(axis, axis)


def _points(rows: pd.DataFrame, name: str, quantity: str, axis: str) -> pd.DataFrame:
    """Grid points of one series with abscissa x; one point for each value on the figure's axis."""
    columns = [c for c in ("bound", "shape") if c in rows.columns]
    points = grid_points(rows, name, quantity, columns=columns, axes=_axes(axis))
    points = points[points["state"].isin(["used", "saturated"]) & (points["mean"] > 0)].copy()
    x = points[axis].to_numpy(dtype=float)
    points["x"] = -np.log(x) if axis == "delta" else x
    return points.sort_values("x")


def _axes(axis: str) -> list[str]:
    return list(dict.fromkeys([*AXES, axis]))


def _curve(panel: Axes, points: pd.DataFrame, style: dict[str, Any], label: str) -> None:
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
    if len(hollow) and style["marker"] not in "x+12":
        panel.plot(
            hollow["x"],
            hollow["mean"],
            marker=style["marker"],
            color=style["color"],
            markerfacecolor="white",
            linestyle="none",
            markeredgewidth=0.7,
            zorder=5,
        )


def _slopes(panel: Axes, points: pd.DataFrame, style: dict[str, Any]) -> None:
    x, y = np.log(points["x"].to_numpy(float)), np.log(points["mean"].to_numpy(float))
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
    constant = check.get("constant")
    if constant is not None and "shape" in points:
        panel.plot(
            points["x"],
            constant * points["shape"].astype(float),
            color="0.6",
            linewidth=3.5,
            alpha=0.6,
            label=f"rate × {constant:.3g} (fitted)",
            zorder=0,
        )
