"""A choice among algorithms: errors against what one pays with, every curve named at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dprepro.analysis.points import averaged, further_axes
from dprepro.errors import unknown
from dprepro.figures.base import Drawing
from dprepro.figures.curves import Curve, curves
from dprepro.figures.lines import draw_curve, thin_grid, titles
from dprepro.figures.style import MARKERS, letters, roles_of, styled
from dprepro.figures.ticks import few_labels, plain_ticks
from dprepro.figures.words import JudgedCheck, axis_label, headline, judged, quantity_label

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BEST: Sequence[Mapping[str, Any]] = (
    {"color": "#000000", "linestyle": "-"},
    {"color": "#0072B2", "linestyle": (0, (6, 1.5))},
    {"color": "#7B1E3A", "linestyle": (0, (6, 1.5, 1, 1.5))},
)
"""The looks of those that are best at the end: dashes and markers tell them apart in grey."""

COMPARED = 2
"""Lines to compare with that have a name: the best ones. With the target there are six lines with names."""

OTHERS: Mapping[str, Any] = {"color": "0.62", "linestyle": "-", "linewidth": 0.6, "markersize": 2, "zorder": 2}
LINES: Mapping[str, Any] = {"color": "0.25", "linestyle": (0, (5, 2)), "linewidth": 0.7, "zorder": 1}
TARGET: Mapping[str, Any] = {"color": "#D55E00", "linewidth": 2.2, "alpha": 0.45, "zorder": 1}

APART = 0.052
"""Least distance of two names, as a share of the panel's height."""

FLAT = 1.03
"""A context series whose largest mean is at most so many times its least is a line to compare with."""


WIDE = 140
"""Letters of the note in a line."""

RISING = ("accuracy", "auc", "r_squared")
"""Quantities of which more is better."""


@dataclass(frozen=True)
class ChoiceFigure(Drawing):
    """A panel for each axis: the best algorithms in looks of their own, two trivial answers as lines, the target.

    All others are grey and have no names; the run's table has them.

    A series ``NAME_n`` is the series ``NAME`` along n and looks like it. Where a check of rule `attainment` has fitted
    a series' learning curve, it is drawn on beyond the largest n, in its band of 99%.

    Attributes:
        axis: the abscissas.
        quantity: what is drawn.
        average: axes of equal data sets (splits) over which means are drawn.
        labels: series name to text. hide: series that are left out.
        peers: series of other libraries, beside which the note sets the best claim at each place: mean errors,
            and the median seconds of a cell, what it costs to judge the answer included.
    """

    name: ClassVar[str] = "choice"
    kinds: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("axis", "average"), "axis"),
        **dict.fromkeys(("labels", "hide", "peers"), "series"),
        "quantity": "quantity",
    }

    axis: tuple[str, ...] = ("epsilon", "n")
    quantity: str = "excess_risk"
    average: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    hide: tuple[str, ...] = ()
    peers: tuple[str, ...] = ()

    def draw(self, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> Figure:
        """See the class."""
        rows = frame[(frame["quantity"] == self.quantity) & ~frame["series"].isin(self.hide)]
        if rows.empty:
            raise unknown("figure.quantity", self.quantity, frame["quantity"].unique())
        comparisons = (self._beside(rows, name, further_axes(rows, config)) for name in self.peers)
        beside = [line for comparison in comparisons for line in wrap(comparison, WIDE)]
        rows, claims = averaged(rows, self.average), judged(verdict, config)
        further, roles = further_axes(rows, config), roles_of(rows)
        found: dict[str, dict[str, Sequence[Curve]]] = {}
        for axis in self.axis:
            every = {name: curves(rows, name, self.quantity, axis, (), further) for name in roles}
            found[axis] = {
                name: several for name, several in every.items() if any(len(curve.points) > 1 for curve in several)
            }
        looks = self._looks(found)
        attainment = [check for check in (*claims, *judged(verdict, config, "context")) if check.rule == "attainment"]
        with styled(self.style) as figure_class:
            width = self.width(2)
            figure: Figure = figure_class(figsize=(width, 3), layout="constrained")
            panels = figure.subplots(1, len(self.axis), squeeze=False)[0]
            for axis, panel in zip(self.axis, panels, strict=True):
                own = [check for check in attainment if check.options.get("axis", "epsilon") == axis]
                self._panel(panel, axis, found[axis], looks, own)
            panels[0].set_ylabel(quantity_label(self.quantity))
            thin_grid(*panels)
            goals = [str((claim.result.get("details") or {}).get("goal", claim.result["reason"])) for claim in claims
                     if claim.rule == "attainment"]  # fmt: skip
            high = titles(figure, headline(verdict, self.heading), [(panels[0], goals)], width)
            note = f"Bars and bands: 99% intervals over splits and noise; grey: all others. {self.note}"
            notes = [*wrap(note.strip(), WIDE), *beside]
            figure.supxlabel("\n".join(notes), fontsize=letters())
            figure.set_size_inches(width, 3.3 + high + 0.1 * (len(notes) - 1))
        return figure

    def _beside(self, rows: pd.DataFrame, peer: str, further: Sequence[str]) -> str:
        """The peer's errors and seconds over those of the best claim at each place; empty without the peer."""
        keys = [self.axis[0], *(text for text in further if text not in self.average)]
        measured = rows[rows["status"] == "ok"].groupby([*keys, "series", "role"])[["value", "seconds"]]
        means = measured.agg({"value": "mean", "seconds": "median"}).reset_index(["series", "role"])
        ours = means[means["role"] == "claim"].sort_values("value", ascending=self.quantity not in RISING)
        first = ours[~ours.index.duplicated()].add_suffix("_ours")
        pairs = means[means["series"] == peer].join(first, how="inner").reset_index()
        if pairs.empty:
            return ""
        slower = (pairs["seconds"] / pairs["seconds_ours"]).groupby(pairs[self.axis[0]]).median()
        both = pairs.groupby(self.axis[0])[["value", "value_ours"]].mean()
        ahead = both.index[(both["value"] < both["value_ours"]) != (self.quantity in RISING)]
        errors = "; ".join(
            f"{place:g}: {series.value:.3g} against {series.value_ours:.3g}" for place, series in both.iterrows()
        )
        words = f"{peer}, {quantity_label(self.quantity)} at {self.axis[0]} {errors}, ours"
        words += f"; ahead of ours at {', '.join(f'{place:g}' for place in ahead)}" if len(ahead) else "; nowhere ahead"
        return f"{words}; a cell takes {slower.min():.2g} to {slower.max():.2g} times as long."

    def _looks(self, found: Mapping[str, Mapping[str, Sequence[Curve]]]) -> dict[str, dict[str, Any]]:
        """The looks of all, by base name: those with the least value at the end of the first axis come first."""
        rising = self.quantity in RISING
        ends: dict[str, tuple[float, float]] = {}
        for axis, drawn in found.items():
            for name, several in drawn.items():
                x, y = several[0].xy()
                if y.size and not _flat(y):
                    end = (-float(x[-1]) if axis == self.axis[0] else 0.0, -float(y[-1]) if rising else float(y[-1]))
                    ends.setdefault(_base(name, axis), end)
        ranked = sorted(ends, key=lambda name: ends[name])
        found_looks = {}
        for place, name in enumerate(ranked):
            look = {**BEST[place], "zorder": 5, "linewidth": 1.3} if place < len(BEST) else OTHERS
            found_looks[name] = {**look, "marker": MARKERS["claim"][place % len(MARKERS["claim"])]}
        return found_looks

    def _panel(
        self,
        panel: Axes,
        axis: str,
        drawn: Mapping[str, Sequence[Curve]],
        looks: Mapping[str, dict[str, Any]],
        checks: Sequence[JudgedCheck],
    ) -> None:
        """The curves along one axis, the target, laws, and names beside the panel for those that stand out."""
        names: list[tuple[float, float, str, Any]] = []  # the end, the text, the colour
        compared = self._compared(drawn, looks, axis)
        for name, several in drawn.items():
            base = _base(name, axis)
            look, text = looks.get(base), self.labels.get(base, base.replace("_", " "))
            for curve in several:
                x, y = curve.xy()
                if not y.size:
                    continue
                more = f" ({curve.name})" if curve.name and len(several) > 1 else ""
                if look is None or _flat(y):
                    panel.plot(x, y, **(LINES if name in compared else {**OTHERS, "markersize": 0}))
                    if name in compared:
                        names.append((float(x[-1]), float(y[-1]), text + more, LINES["color"]))
                    continue
                stands_out = look["zorder"] > 2 and len(names) < len(BEST) + COMPARED
                if not stands_out:
                    panel.plot(x, y, **{**OTHERS, "marker": look["marker"]})
                else:
                    draw_curve(panel, curve, look, text)
                    names.append((float(x[-1]), float(y[-1]), text + more, look["color"]))
        for check in checks:
            details = check.result.get("details") or {}
            if details.get("target"):
                panel.axhline(float(details["target"]), **TARGET)
                names.append((np.inf, float(details["target"]), "good enough", TARGET["color"]))
            for label, law in (details.get("laws") or {}).items():
                look = looks.get(_base(label, axis))
                if look is not None and look["zorder"] > 2:
                    panel.plot(law["places"], law["middle"], **{**look, "marker": "", "linewidth": 0.7})
                    panel.fill_between(
                        law["places"], law["low"], law["high"], color=look["color"], alpha=0.12, linewidth=0
                    )
        tops = [y for several in drawn.values() for curve in several for y in curve.xy()[1]]
        panel.set(xscale="log", yscale="log", xlabel=axis_label(axis))
        if tops:
            panel.set_ylim(min(tops) / 1.06, max(tops) * 1.06)  # a band may be far wider
        plain_ticks(panel)
        few_labels(panel)
        _name(panel, names)

    def _compared(
        self, drawn: Mapping[str, Sequence[Curve]], looks: Mapping[str, dict[str, Any]], axis: str
    ) -> frozenset[str]:
        """The best of the series that do not depend on the axis."""
        ends = {
            name: float(several[0].xy()[1][-1])
            for name, several in drawn.items()
            if several[0].xy()[1].size and (looks.get(_base(name, axis)) is None or _flat(several[0].xy()[1]))
        }
        return frozenset(sorted(ends, key=ends.__getitem__, reverse=self.quantity in RISING)[:COMPARED])


def _base(name: str, axis: str) -> str:
    """Of the series along that axis, the one that it continues."""
    return name.partition(",")[0].removesuffix(f"_{axis}")


def _flat(y: Any) -> bool:
    return bool(y.max() <= FLAT * y.min())


def _name(panel: Axes, names: Sequence[tuple[float, float, str, Any]]) -> None:
    """Texts right of the panel in the order of the curves' ends, none on another, with thin lines to the ends."""
    inverse, apart = panel.transAxes.inverted(), APART * letters() / 6
    right = panel.get_xlim()[1]
    ends = [inverse.transform(panel.transData.transform((min(x, right), y))) for x, y, _, _ in names]
    order = sorted(range(len(names)), key=lambda i: float(ends[i][1]))
    heights: list[float] = []
    for i in order:  # upwards, each at its end or just above the one before
        heights.append(max(float(ends[i][1]), heights[-1] + apart if heights else -0.02))
    over = heights[-1] - 1.02 if heights else 0.0
    for place in range(len(heights) - 1, -1, -1):  # and down again, as far as they stand too high
        if over > 0:
            top = 1.02 if place == len(heights) - 1 else heights[place + 1] - apart
            heights[place] = min(heights[place], top)
    for place, i in enumerate(order):
        _, _, text, color = names[i]
        panel.annotate(
            text, tuple(ends[i]), xytext=(1.05, heights[place]), xycoords="axes fraction", textcoords="axes fraction",
            fontsize=letters(), color=color, va="center", annotation_clip=False,
            arrowprops={"arrowstyle": "-", "linewidth": 0.3, "color": "0.6", "shrinkA": 1, "shrinkB": 1,
                        "relpos": (0, 0.5)},
        )  # fmt: skip
