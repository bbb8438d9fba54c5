"""How near attacks came to each statement of a paper: the largest share found of what it allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dprepro.analysis.rule import NameUse
from dprepro.errors import unknown
from dprepro.figures.base import Drawing
from dprepro.figures.fitting import headed, keys
from dprepro.figures.lines import thin_grid
from dprepro.figures.style import COLOURS, letters, styled
from dprepro.figures.text_sizes import height_of
from dprepro.figures.words import item

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

HOLDS, PRINTED = "share", "share_as_printed"
TRIED = ("corners", "searched")

LEAST, MOST = 1e-4, 1e4
"""Shares beyond these stand at the edge."""
FEWEST_LINES = 6
"""A figure of fewer statements is as high as with so many, so that heading, axis and legend have room."""


@dataclass(frozen=True)
class MarginsFigure(Drawing):
    """A line for each statement: the largest share of what it allows that any attack found.

    Left of 1 no counterexample is known; what is false as printed stands on the right. How many places were tried
    stands behind each line.
    """

    name: ClassVar[str] = "margins"
    kinds: ClassVar[dict[str, str]] = {}

    def mentions(self) -> list[NameUse]:
        """What every such figure shows."""
        return [*super().mentions(), *(NameUse("name", "column", column) for column in TRIED)]

    def draw(self, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> Figure:
        """The lines; see the class."""
        rows = frame[frame["quantity"].isin([HOLDS, PRINTED]) & (frame["status"] == "ok")]
        if rows.empty:
            raise unknown("quantity of the figure", HOLDS, map(str, frame["quantity"].unique()))
        rows = rows.assign(tried=rows[[*TRIED]].sum(axis="columns"))
        rows = rows[rows["tried"] > 0]
        found = rows.groupby(["series", "quantity"], observed=True).agg({"value": "max", "tried": "sum"}).reset_index()
        found["statement"] = found["series"].astype(str).str.removesuffix(f"_{PRINTED}")
        order = sorted(dict.fromkeys(found["statement"]), key=_natural)
        columns = 2 if len(order) > 24 else 1
        each = -(-len(order) // columns)
        with styled(self.style) as figure_class:
            width = self.width(2)
            figure: Figure = figure_class(figsize=(width, 3), layout="constrained")
            panels = figure.subplots(1, columns, squeeze=False)[0]
            handles: dict[str, Any] = {}
            for panel, names in zip(panels, [order[at : at + each] for at in range(0, len(order), each)], strict=True):
                for quantity, text, marker, colour in (
                    (HOLDS, "as it holds: no counterexample left of 1", "o", COLOURS["claim"][0]),
                    (PRINTED, "as printed: false right of 1", "x", COLOURS["control"][0]),
                ):
                    own = found[(found["quantity"] == quantity) & found["statement"].isin(names)]
                    if own.empty:
                        continue
                    places = [names.index(name) for name in own["statement"]]
                    (handles[text],) = panel.plot(
                        own["value"].clip(LEAST, MOST), places, linestyle="none", marker=marker, color=colour, zorder=4
                    )
                for place, name in enumerate(names):
                    tried = int(found.loc[found["statement"] == name, "tried"].sum())
                    panel.annotate(
                        f"{tried:,}", (1.01, place), xycoords=("axes fraction", "data"), fontsize=letters(), va="center"
                    )
                panel.annotate(
                    "places", (1.01, -1), xycoords=("axes fraction", "data"), fontsize=letters(), va="center"
                )
                panel.axvline(1, color="0.4", linewidth=0.8, zorder=1)
                panel.set_yticks(range(len(names)), [item(name) for name in names])
                panel.set(xscale="log", xlim=_limits(found["value"]), ylim=(each - 0.5, -0.5))
                panel.set_xlabel("largest share of what is allowed")
                thin_grid(panel)
            high = headed(figure, verdict, self.heading) + keys(figure, handles)
            figure.set_size_inches(width, high + height_of(1.05 * (max(each, FEWEST_LINES) + 5), "ytick.labelsize"))
        return figure


def _limits(shares: pd.Series[float]) -> tuple[float, float]:
    """A decade on either side of 1 at least, and all shares but those beyond the edges."""
    shown = shares.clip(LEAST, MOST)
    return min(0.05, float(shown.min()) / 2), max(20.0, 2 * float(shown.max()))


def _natural(name: str) -> tuple[str, list[tuple[bool, int, str]]]:
    """Theorem 9 before Theorem 10."""
    kind, _, rest = name.partition("_")
    return kind, [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in rest.split("_")]
