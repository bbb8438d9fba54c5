"""One look for all figures: column width, colour-blind-safe and greyscale-distinct, embedded fonts."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, cast

from dprepro.errors import shortened

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Style = Literal["screen", "paper"]
"""For reading beside the verdict, or for a page set in LaTeX."""

COLUMN = 3.5
"""Width of one column, inches."""

WIDTHS: Mapping[str, Mapping[int, float]] = {"screen": {1: COLUMN, 2: 2 * COLUMN}, "paper": {1: 3.3, 2: 6.9}}
"""Widths of one and of two columns in each style, inches."""

TITLE_LINE, LEGEND_LINE = 0.105, 0.125
"""Heights of a line of a title and of a legend, inches."""

FONT = "DejaVu Sans"
"""Comes with matplotlib, so it is on every machine."""
#: Of characters that stand in most texts, all of which the font has: matplotlib takes a while to import.
_PLAIN = re.compile(
    "[\n -~\xa1-\u02e9\u0370-\u037e\u0384-\u03ff\u2010-\u2027\u2030-\u205e\u2070-\u209c\u2113\u2190-\u22ff"
    "\u27e6-\u27eb]*"
)

#: Fonts embedded as outlines of TrueType, nothing that depends on the day or the machine.
SETTINGS: dict[Any, Any] = {
    "font.family": FONT,
    "font.size": 7,
    "axes.labelsize": 7,
    "axes.titlesize": 7.5,
    "figure.titlesize": 7.5,
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

#: Sizes as a page of LaTeX has them, letters as its Times, and where these lack one the font of all figures.
PAPER: dict[Any, Any] = {
    "font.family": ["STIXGeneral", FONT],
    "mathtext.fontset": "stix",
    "font.size": 8,
    "axes.labelsize": 9,
    "axes.titlesize": 8,
    "figure.titlesize": 9,
    "legend.fontsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}

#: Okabe and Ito's palette, ordered by falling lightness difference; markers and dashes tell series apart in grey.
COLOURS = {
    "claim": [
        "#000000",
        "#0072B2",
        "#7B1E3A",
        "#2E6B34",
        "#5B3A8C",
        "#00665E",
        "#7A5C00",
        "#C2185B",
        "#00838F",
        "#6D4C41",
        "#558B2F",
        "#283593",
        "#9C5700",
        "#6B6B6B",
    ],
    "control": ["#D55E00", "#CC79A7", "#8C510A", "#E69F00"],
    "context": [
        "#56B4E9",
        "#009E73",
        "#999999",
        "#7A6FAC",
        "#B8A000",
        "#5E8C6A",
        "#A0522D",
        "#C79FEF",
        "#4B6A88",
        "#D4A373",
    ],
}
MARKERS = {
    "claim": ["o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "8", "d"],
    "control": ["x", "+", "1", "2"],
    "context": ["D", "^", "v", "<", ">", "p", "h", "*", "8", "d"],
}
SATURATED = "hollow: saturated, not fitted"

#: How an explicit bound, the fitted rate, slopes to be met and saturated points look, in every figure.
BOUND: Mapping[str, Any] = {"color": "0.35", "linewidth": 1.2, "linestyle": (0, (6, 1, 1, 1)), "zorder": 1}
RATE: Mapping[str, Any] = {"color": "0.6", "linewidth": 3.5, "alpha": 0.6, "zorder": 0, "gid": "rate"}
SLOPES: Mapping[str, Any] = {"color": "0.5", "linewidth": 0.9, "linestyle": (0, (4, 2)), "zorder": 0}
HOLLOW: Mapping[str, Any] = {
    "marker": "o", "color": "0.3", "markerfacecolor": "white", "linestyle": "none", "markeredgewidth": 0.7,
}  # fmt: skip
DASHES: Mapping[str, Any] = {"claim": "-", "context": (0, (1, 1)), "control": (0, (4, 1.5))}


@contextmanager
def styled(style: Style = "screen") -> Iterator[Any]:
    """matplotlib's pyplot-free context with the settings of a style; yields the ``Figure`` class."""
    import logging

    # Its message on first import about a cache of fonts, and on a person's matplotlibrc, which has no part in this.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS | (PAPER if style == "paper" else {}))
        yield Figure


def letters(kind: str = "legend.fontsize") -> float:
    """The size of a kind of text in the style that holds, in points; by default that of words beside what is drawn."""
    import matplotlib
    from matplotlib.font_manager import FontProperties

    settings = cast(Mapping[str, Any], matplotlib.rcParams)
    return float(FontProperties(size=settings[kind]).get_size_in_points())  # a word outside the styles


def undrawable(text: str) -> str:
    """What keeps a text from standing in a figure: letters that the font lacks, no mathematics; empty if nothing."""
    if "$" not in text and text.replace("\n", "").isprintable() and _PLAIN.fullmatch(text):
        return ""
    with styled():
        import matplotlib
        from matplotlib.cbook import is_math_text
        from matplotlib.ft2font import FT2Font
        from matplotlib.mathtext import MathTextParser

        font = FT2Font(f"{matplotlib.get_data_path()}/fonts/ttf/{FONT.replace(' ', '')}.ttf")
        has = font.get_charmap()
        for line in text.split("\n"):
            mathematics = is_math_text(line)
            plain = "".join(re.split(r"(?<!\\)\$", line)[::2]) if mathematics else line
            if lacking := [word for word in plain if ord(word) not in has]:
                return f"{shortened(text)} has {lacking[0]!a}, of which the figures' font {FONT} has no glyph"
            if mathematics:
                try:
                    MathTextParser("path").parse(line)
                except ValueError as error:
                    said = " ".join(str(error).split())
                    return f"{shortened(text)} is no mathematics ({said}); a dollar sign by itself is \\$"
    return ""


def look(role: str, index: int) -> dict[str, Any]:
    """Colour, marker and dashes of the index-th series of a role."""
    again = role == "claim" and index >= len(COLOURS[role])  # more curves than colours: other dashes tell them apart
    return {
        "color": COLOURS[role][index % len(COLOURS[role])],
        "marker": MARKERS[role][index % len(MARKERS[role])],
        "linestyle": (0, (7, 1.5, 1.5, 1.5)) if again else DASHES[role],
    }


def roles_of(frame: pd.DataFrame) -> dict[str, str]:
    """The role of each series, in the order in which they come."""
    pairs = frame[["series", "role"]].drop_duplicates()
    return dict(zip(pairs["series"], pairs["role"], strict=True))


def looks(roles: Mapping[str, str], order: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
    """The look of every series by name and role, in the order of the legend: claims first, then as in ``order``.

    No two have one marker, as long as there are enough, so that they are distinct in grey.
    """
    ranks = list(DASHES)
    names = sorted(
        roles, key=lambda text: (ranks.index(roles[text]), order.index(text) if text in order else len(order))
    )
    found: dict[str, dict[str, Any]] = {}
    for name in names:
        style = look(roles[name], sum(roles[other] == roles[name] for other in found))
        taken = {other["marker"] for other in found.values()}
        free = [marker for marker in (style["marker"], *MARKERS[roles[name]]) if marker not in taken]
        found[name] = style | {"marker": free[0]} if free else style
    return found


def rendered(figure: Figure, fingerprint: str = "", style: Style = "screen") -> dict[str, bytes]:
    """The figure as the bytes of a PNG and a PDF file; without dates or versions, so that equal figures are equal.

    Both files carry the text ``fingerprint``; ``style`` is the one that the figure was drawn in. The layout is found
    once: that of the first stands for the second too.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_pdf import FigureCanvasPdf

    png = {"Software": None} | ({"Description": fingerprint} if fingerprint else {})
    pdf = {"CreationDate": None, "Producer": None} | ({"Subject": fingerprint} if fingerprint else {})
    raster, vector = io.BytesIO(), io.BytesIO()
    with styled(style):
        # Not by `savefig`, which would draw each of them twice, the first time for the layout alone.
        figure.set_dpi(SETTINGS["savefig.dpi"])
        canvas = FigureCanvasAgg(figure)
        if engine := figure.get_layout_engine():
            engine.execute(figure)
        figure.set_layout_engine("none")
        canvas.print_png(raster, metadata=png)  # type: ignore[no-untyped-call]
        FigureCanvasPdf(figure).print_pdf(vector, metadata=pdf)  # type: ignore[no-untyped-call]
    return {"png": raster.getvalue(), "pdf": vector.getvalue()}
