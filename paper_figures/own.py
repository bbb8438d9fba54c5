"""An experiment's own figure, as a page set in LaTeX has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dprepro import figures
from dprepro.figures.drawn import drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from paper_figures.measured import Measurements


def draw_own(measurements: Measurements, name: str, **options: Any) -> Figure:
    """The figure that the experiment's YAML describes, with some options changed."""
    measured = measurements.of(name)
    drawing = figures.build({**measured.config["figure"], "style": "paper", **options})
    return drawn(drawing, measured.frame, measured.verdict, measured.config)
