"""Accountants at a glance: how far the answers of each lie below what is spent, or above it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dprepro.figures.lines import thin_grid
from dprepro.figures.style import COLOURS, letters, rendered, styled
from dprepro.figures.text_sizes import height_of
from dprepro.support.regular_files import replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TIGHT, MOST = 1e-2, 1e6
"""Of a relative excess: up to the first the axis is linear; what is larger than the last stands at the edge."""

NO_ANSWER = (("fails", "fails"), ("costly", "costly"), ("unknown", "no form"))
"""Verdicts without a number, each with the word above its column."""

KINDS = (
    ("extreme question", "^", "0.65", 2.2),
    ("ordinary question", "o", COLOURS["claim"][1], 2.2),
    ("below what is spent", "x", COLOURS["control"][0], 3.2),
)
"""Legend, marker, colour and size of points, the last on top."""


def draw(rows: Sequence[Mapping[str, Any]], path: Path) -> Path:
    """Write `picture` as a PNG.

    Raises:
        InputError: the file cannot be written.
    """
    with styled() as figure_class:
        replace_file(path, rendered(picture(rows, figure_class))["png"])
    return path


def picture(rows: Sequence[Mapping[str, Any]], figure_class: type[Figure]) -> Figure:
    """For each accountant its answers over the exact epsilon, less 1, and the numbers of questions without an answer.

    Args:
        rows: with accountant, ratio, verdict, ordinary.
        figure_class: of matplotlib, in a style.
    """
    names = list(dict.fromkeys(str(row["accountant"]) for row in rows))
    jitter = np.random.default_rng(0)
    high = 0.75 + height_of(2.6 * len(names), "ytick.labelsize")
    figure = figure_class(figsize=(5.0, high), layout="constrained")
    axes = figure.add_subplot()
    axes.axvspan(0, TIGHT, color="0.9", linewidth=0, zorder=0)
    axes.axvline(0, color="0.4", linewidth=0.8, zorder=1)
    for order, (words, marker, colour, size) in enumerate(KINDS):
        some = [row for row in rows if row["ratio"] is not None and _kind(row) == words]
        places = [min(float(row["ratio"]) - 1, MOST) for row in some]
        heights = [names.index(str(row["accountant"])) + jitter.uniform(-0.25, 0.25) for row in some]
        axes.plot(
            places, heights, marker, color=colour, markersize=size, linestyle="none", label=words, clip_on=False,
            zorder=3 + order, markeredgewidth=0.8 if marker == "x" else 0,
        )  # fmt: skip
    for column, (verdict, words) in enumerate(NO_ANSWER):
        counts = Counter(str(row["accountant"]) for row in rows if row["verdict"] == verdict)
        cells = [(-1, words), *((place, f"{counts[name]}" if counts[name] else "") for place, name in enumerate(names))]
        for place, text in cells:
            axes.annotate(
                text, (1, place), xytext=(17 + 25 * column, 0), xycoords=("axes fraction", "data"),
                textcoords="offset points", ha="center", va="center", fontsize=letters(), annotation_clip=False,
            )  # fmt: skip
    axes.set_xscale("symlog", linthresh=TIGHT, linscale=0.8)
    axes.set(xlim=(-1.3, MOST), ylim=(len(names) - 0.4, -0.6))
    axes.set_xticks(
        [-1, -0.1, 0, TIGHT, 1, 100, 1e4, MOST], ["−1", "−0.1", "0", f"{TIGHT:g}", "1", "100", "10⁴", "≥ 10⁶"]
    )
    axes.minorticks_off()
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("answer / exact ε − 1 (grey: tight, at most 0.01)")
    thin_grid(axes)
    figure.legend(loc="outside upper center", ncols=len(KINDS), frameon=False, handletextpad=0.2, columnspacing=1.2)
    return figure


def _kind(row: Mapping[str, Any]) -> str:
    if row["verdict"] == "below":
        return KINDS[2][0]
    return KINDS[1][0] if row["ordinary"] else KINDS[0][0]
