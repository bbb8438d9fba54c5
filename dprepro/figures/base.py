"""What every figure is: its options, and how it is drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from dprepro.analysis.rule import NameUse, named
from dprepro.figures.style import WIDTHS, Style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Drawing(ABC):
    """A kind of figure. Subclasses are frozen dataclasses of its options, in modules that import no matplotlib.

    Class attributes:
        name: of the figure, in a YAML.
        kinds: options that name something of the measurements, with what they name, as for rules.
        leaves_out: whether the figure shows less than all, which `draw_all` then shows.

    Attributes:
        heading: what to call the claim, in place of its name; the verdict follows it whatever it is.
        note: a remark above the legend, where all is shown.
        style: sizes of letters for a screen, or for a page of LaTeX.
        columns: of the page, over which the figure goes; by default as many as its panels need.
    """

    name: ClassVar[str]
    kinds: ClassVar[dict[str, str]]
    leaves_out: ClassVar[bool] = False

    heading: str = ""
    note: str = ""
    style: Style = "screen"
    columns: Literal[1, 2] | None = None

    def mentions(self) -> list[NameUse]:
        """Everything that must be among what is measured, or among the checks."""
        return list(named(self, self.kinds))

    @abstractmethod
    def draw(self, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> Figure:
        """The figure, from measurements, the content of verdict.json and the run's configuration.

        It shows what is read at a glance: a statement with its verdict in one line, a panel for each axis, and at most
        four entries in the legend.

        Raises:
            InputError: an option names what the measurements do not have.
        """

    def draw_all(self, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> Figure:
        """All that was measured of what the figure is about, with every comparison; raises as `draw`."""
        return self.draw(frame, verdict, config)

    def width(self, columns: int) -> float:
        """Inches over as many columns as the option says, or else as many as are given."""
        return WIDTHS[self.style][self.columns or columns]
