"""Drawing, by name: a figure takes the frame, the checks' results and options, and returns a matplotlib figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Draw = Callable[["pd.DataFrame", Mapping[str, Any], Mapping[str, Any]], "Figure"]

#: Name of a figure and the module whose ``draw`` makes it; imported only when drawn.
FIGURES = {"rate": "dprepro.figures.rate"}


def draw(frame: pd.DataFrame, verdict: Mapping[str, Any], options: Mapping[str, Any]) -> Figure:
    """The figure that ``options["name"]`` names, from measurements and the content of verdict.json."""
    module = import_module(FIGURES[options["name"]])
    function: Draw = module.draw
    return function(frame, verdict, options)
