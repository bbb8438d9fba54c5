"""An experiment's own figure at page width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dprepro import figures
from paper_figures.drawing import DOUBLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from paper_figures.measured import Measurements


def draw_own(measurements: Measurements, name: str, **options: Any) -> Figure:
    """The figure that the experiment's YAML describes, with some options changed."""
    measured = measurements.of(name)
    drawing = figures.build({**measured.config["figure"], **options})
    figure = drawing.draw(measured.frame, measured.verdict, measured.config)
    figure.set_size_inches(DOUBLE, figure.get_size_inches()[1])
    return figure
