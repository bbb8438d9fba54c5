"""A figure of any kind: what the kind draws, or, where nothing of it was measured, a sentence that says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dprepro.figures.base import Drawing
from dprepro.figures.fitting import SIDE, broken, headed
from dprepro.figures.style import letters, styled, undrawable
from dprepro.figures.text_sizes import height_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

KIND = "legend.fontsize"


def drawn(
    drawing: Drawing, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any], whole: bool = False
) -> Figure:
    """What `Drawing.draw` gives, or `Drawing.draw_all` for the ``whole``; a sentence where no cell was measured.

    A failed or skipped cell has no quantity, so no kind of figure can tell it from a slip in the YAML.

    Raises:
        InputError: an option names what the measurements do not have.
    """
    if not (frame["status"] == "ok").any():
        return _without_cells(drawing, frame, verdict)
    return (drawing.draw_all if whole else drawing.draw)(frame, verdict, config)


def _without_cells(drawing: Drawing, frame: pd.DataFrame, verdict: Mapping[str, Any]) -> Figure:
    """The heading, and why there is nothing below it: the most frequent reason."""
    cells = frame.drop_duplicates("key") if "key" in frame.columns else frame
    counts = cells["status"].value_counts()
    said = "No cell was measured."
    if len(counts):
        reason = f"{counts.iloc[0]} of {len(cells)} {counts.index[0]}"
        said += " See run.log." if undrawable(reason) else f" {reason}"
    with styled(drawing.style) as figure_class:
        figure: Figure = figure_class(figsize=(drawing.width(1), 1))
        high = headed(figure, verdict, drawing.heading)
        lines = broken(said, figure.get_figwidth() - 2 * SIDE, KIND)
        high += height_of(len(lines) + 1, KIND)
        figure.set_size_inches(figure.get_figwidth(), high)
        place = SIDE / figure.get_figwidth(), height_of(0.5, KIND) / high
        figure.text(*place, "\n".join(lines), fontsize=letters(KIND), va="bottom", parse_math=False)
    return figure
