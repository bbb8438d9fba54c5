"""Theorem 2.5 of Talwar, Thakurta and Zhang (2015): risk against n, with bound, fitted rate and a control."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paper_figures.own import draw_own

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from paper_figures.measured import Measurements


def draw(measurements: Measurements) -> Figure:
    """One panel over one column."""
    return draw_own(measurements, "lasso_rate", columns=1)
