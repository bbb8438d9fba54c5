"""One look for all figures: column width, colour-blind-safe and greyscale-distinct, embedded fonts."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN = 3.5
"""Width of one column, inches."""

#: Fonts embedded as outlines of TrueType, nothing that depends on the day or the machine.
SETTINGS: dict[Any, Any] = {
    "font.size": 7,
    "axes.labelsize": 7,
    "axes.titlesize": 7.5,
    "legend.fontsize": 6,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.0,
    "lines.markersize": 3.5,
    "pdf.fonttype": 42,
    "svg.hashsalt": "dprepro",
    "savefig.dpi": 300,
    "figure.dpi": 150,
}

#: Okabe and Ito's palette, ordered by falling lightness difference; markers and dashes tell series apart in grey.
COLOURS = {
    "claim": ["#000000", "#0072B2", "#7B1E3A", "#2E6B34", "#5B3A8C"],
    "control": ["#D55E00", "#CC79A7", "#8C510A", "#E69F00"],
    "context": ["#56B4E9", "#009E73", "#999999", "#7A6FAC", "#B8A000", "#5E8C6A", "#A0522D"],
}
MARKERS = {
    "claim": ["o", "s", "^", "D", "v"],
    "control": ["x", "+", "1", "2"],
    "context": ["D", "^", "v", "<", ">", "p", "h"],
}
DASHES: Mapping[str, Any] = {"claim": "-", "control": (0, (4, 1.5)), "context": (0, (1, 1))}


@contextmanager
def styled() -> Iterator[Any]:
    """matplotlib's pyplot-free context with the project's settings; yields the ``Figure`` class."""
    import logging

    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # its cache message on first import
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(SETTINGS):
        yield Figure


def look(role: str, index: int) -> dict[str, Any]:
    """Colour, marker and dashes of the index-th series of a role."""
    return {
        "color": COLOURS[role][index % len(COLOURS[role])],
        "marker": MARKERS[role][index % len(MARKERS[role])],
        "linestyle": DASHES[role],
    }


def rendered(figure: Figure) -> dict[str, bytes]:
    """The figure as the bytes of a PNG and a PDF file; without dates or versions, so that equal figures are equal."""
    answer = {}
    for kind, metadata in (("png", {"Software": None}), ("pdf", {"CreationDate": None, "Producer": None})):
        buffer = io.BytesIO()
        with styled():
            figure.savefig(buffer, format=kind, metadata=metadata)
        answer[kind] = buffer.getvalue()
    return answer
