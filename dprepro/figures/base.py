"""What every figure is: its options, and how it is drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dprepro.analysis.rule import Named, named

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Drawing(ABC):
    """A kind of figure. Subclasses are frozen dataclasses of its options, in modules that import no matplotlib.

    Class attributes:
        name: of the figure, in a YAML.
        kinds: options that name something of the measurements, with what they name, as for rules.

    Attributes:
        heading: what to call the claim, in place of its name; the verdict follows it whatever it is.
        note: a remark above the legend.
    """

    name: ClassVar[str]
    kinds: ClassVar[dict[str, str]]

    heading: str = ""
    note: str = ""

    def mentions(self) -> list[Named]:
        """Everything that must be among what is measured, or among the checks."""
        return list(named(self, self.kinds))

    @abstractmethod
    def draw(self, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> Figure:
        """The figure, from measurements, the content of verdict.json and the run's configuration.

        Raises:
            InputError: an option names what the measurements do not have.
        """
