"""Section 1.2 of Arora et al. (2022): noisy gradient descent against projecting first, over size and dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paper_figures.own import draw_own

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from paper_figures.measured import Measurements


def draw(measurements: Measurements) -> Figure:
    """Two panels: over n epsilon and over the norm of the target."""
    heading = "Dimension above which projecting first has the smaller worst-case risk"
    return draw_own(measurements, "glm_phase_diagram", heading=heading)
