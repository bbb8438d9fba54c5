"""Appendix A of Bassily, Smith and Thakurta (2014): no smoothing of a hinge loses less than sqrt n."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paper_figures.own import draw_own

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from paper_figures.measured import Measurements


def draw(measurements: Measurements) -> Figure:
    """The best smoothing against the exponential mechanism, and the two data sets that pull it apart."""
    return draw_own(measurements, "huberization", heading="Theorem A.1 at ε = 0.5, δ = 1/n²")
