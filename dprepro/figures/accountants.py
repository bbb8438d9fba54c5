"""Accountants at a glance: by how much the answers of each exceed the exact epsilon, or fall below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dprepro.figures.style import COLUMN, SETTINGS, rendered
from dprepro.support.regular_files import replace_file

LEAST, MOST = 1e-6, 1e6
"""Of a relative excess: what is smaller or larger stands at the edge."""


def draw(rows: Sequence[Mapping[str, Any]], path: Path) -> Path:
    """A row of points for each accountant: |answer/exact - 1|, below marked by crosses; failures are counted.

    Args:
        rows: with accountant, ratio, verdict, ordinary.
        path: of the picture.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(str(row["accountant"]) for row in rows))[::-1]
    jitter = np.random.default_rng(0)
    with rc_context(SETTINGS):
        figure = Figure(figsize=(2 * COLUMN, 0.6 + 0.3 * len(names)), layout="constrained")
        axes = figure.add_subplot()
        for place, name in enumerate(names):
            own = [row for row in rows if row["accountant"] == name]
            for ordinary, colour in ((False, "0.6"), (True, "C0")):
                for below, marker in ((False, "."), (True, "x")):
                    some = [
                        float(row["ratio"])
                        for row in own
                        if row["ratio"] is not None
                        and bool(row["ordinary"]) is ordinary
                        and (row["verdict"] == "below") is below
                    ]
                    if some:
                        places = np.clip(np.abs(np.array(some) - 1), LEAST, MOST)
                        heights = place + jitter.uniform(-0.2, 0.2, len(some))
                        axes.plot(places, heights, marker, color="C3" if below else colour, clip_on=False)
            failed = sum(row["verdict"] == "fails" for row in own)
            axes.annotate(
                f"{failed} fail" if failed else "", (1.01, place), xycoords=("axes fraction", "data"), va="center"
            )
        axes.set_xscale("log")
        axes.set_xlim(LEAST, MOST)
        axes.set_yticks(range(len(names)), names)
        axes.axvline(0.01, color="0.8", linewidth=0.6)
        axes.set_xlabel("|answer / exact epsilon - 1|: blue ordinary, grey extreme, red crosses below what is spent")
    replace_file(path, rendered(figure)["png"])
    return path
