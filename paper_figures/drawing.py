"""What the figures share: page widths, and the small things that are drawn in several of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dprepro.analysis.points import grid_points
from dprepro.axes import AXES
from dprepro.figures.curves import Curve, curves
from dprepro.figures.lines import draw_curve
from dprepro.figures.style import look

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from paper_figures.measured import Measured

SINGLE, DOUBLE = 3.3, 6.9
"""Widths of one and of two columns, inches."""

MARKS = {"confirmed": "✓", "refuted": "✗", "inconclusive": "?"}


def draw_series(
    panel: Axes,
    measured: Measured,
    name: str,
    axis: str,
    label: str,
    style: Mapping[str, Any],
    quantity: str = "excess_risk",
) -> list[Curve]:
    """Means and intervals of one series against an axis; the curves that were drawn."""
    envelope = measured.config["figure"].get("envelope", ())
    rows = measured.frame[measured.frame["quantity"] == quantity]
    found = curves(rows, name, quantity, axis, envelope)
    for place, curve in enumerate(found):
        draw_curve(panel, curve, dict(style), label if not place else "_")
    return found


def short(value: float | None, form: str = ".3g") -> str:
    """A number with a true minus sign; a question mark for none."""
    return "?" if value is None else f"{value:{form}}".replace("-", "−")


def used_points(measured: Measured, series: str, axis: str) -> pd.DataFrame:
    """The grid points of a series that are evidence, with their ``shape`` and ``bound``; of a family, the worst."""
    envelope = measured.config["figure"].get("envelope", ())
    columns = [name for name in ("bound", "shape") if name in measured.frame]
    axes = list(dict.fromkeys([*AXES, axis]))
    points = grid_points(measured.frame, series, columns=columns, axes=axes, envelope=envelope)
    return points[points["state"] == "used"]


def styles(names: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """A look for each series, from the roles of the series, in order; claims lie on top."""
    seen: dict[str, int] = {}
    answer = {}
    for name, role in names.items():
        answer[name] = look(role, seen.get(role, 0)) | {"zorder": 6 if role == "claim" else 3}
        seen[role] = seen.get(role, 0) + 1
    return answer


def interval(panel: Axes, row: float, check: Mapping[str, Any], color: str, marker: str) -> None:
    """A check's estimate with its 99% interval, lying in a row of a panel; nothing where it has none."""
    if check["estimate"] is None:
        return
    estimate = float(check["estimate"])
    low, high = (estimate if check[key] is None else float(check[key]) for key in ("low", "high"))
    panel.errorbar(
        [estimate], [row], xerr=[[max(estimate - low, 0)], [max(high - estimate, 0)]], color=color, marker=marker,
        linestyle="none", capsize=2, markersize=4, elinewidth=1.0, markeredgewidth=1.0,
    )  # fmt: skip


def letters(panels: Sequence[Axes]) -> None:
    """(a), (b), ... above the panels' left corners."""
    for letter, panel in zip("abcdefgh", panels, strict=False):
        panel.set_title(f"({letter}) {panel.get_title(loc='left')}", loc="left")
