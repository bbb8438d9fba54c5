"""What every figure is: its options, and how it is drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Drawing(ABC):
    """A kind of figure. Subclasses are frozen dataclasses of its options, in modules that import no matplotlib.

    Attributes:
        title: replaces the one that tells claim, verdict and exponent.
    """

    name: ClassVar[str]

    title: str = ""

    @abstractmethod
    def draw(self, frame: pd.DataFrame, verdict: Mapping[str, Any]) -> Figure:
        """The figure, from measurements and the content of verdict.json.

        Raises:
            InputError: an option names what the measurements do not have.
        """
