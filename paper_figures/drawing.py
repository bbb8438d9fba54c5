"""What the figures share: page widths, and the small things that are drawn in several of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dprepro.analysis.points import grid_points
from dprepro.axes import AXES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from paper_figures.measured import Measured

SINGLE, DOUBLE = 3.3, 6.9
"""Widths of one and of two columns, inches."""


def short(value: float | None, form: str = ".3g") -> str:
    """A number with a true minus sign; a question mark for none."""
    return "?" if value is None else f"{value:{form}}".replace("-", "−")


def used_points(measured: Measured, series: str, axis: str) -> pd.DataFrame:
    """The grid points of a series that are evidence, with their ``rate`` and ``bound``; of a family, the worst."""
    envelope = measured.config["figure"].get("envelope", ())
    columns = [name for name in ("bound", "rate") if name in measured.frame]
    axes = list(dict.fromkeys([*AXES, axis]))
    points = grid_points(measured.frame, series, columns=columns, axes=axes, envelope=envelope)
    return points[points["state"] == "used"]


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
