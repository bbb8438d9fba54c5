"""The figures by name. Each is a module of this package with a function ``draw``, imported when it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from dprepro.figures.style import Style

if TYPE_CHECKING:
    from paper_figures.measured import Measurements


@dataclass(frozen=True)
class PaperFigure:
    """A figure: the module that draws it, what it shows, and the style that it is drawn in."""

    module: str
    what: str
    style: Style = "paper"

    def files(self, measurements: Measurements) -> dict[str, bytes]:
        """The bytes of the PNG and the PDF file; raises NotMeasuredError."""
        from dprepro.figures.style import rendered

        return rendered(import_module(f"paper_figures.{self.module}").draw(measurements), style=self.style)


FIGURES = {
    "lasso_rate": PaperFigure("lasso_rate", "private Frank-Wolfe: risk against n, with a control"),
    "four_rates": PaperFigure("four_rates", "one rate of each paper, every axis, with the fitted constants", "screen"),
    "glm_phase": PaperFigure("glm_phase", "where projecting to few dimensions begins to pay"),
    "lower_bounds": PaperFigure("lower_bounds", "four attacks against what privacy allows"),
    "huberization": PaperFigure("huberization", "smoothing a hinge loses sqrt n, whatever the smoothing"),
    "bst_table_1": PaperFigure("bst_table_1", "Table 1 of Bassily, Smith and Thakurta, measured", "screen"),
}
