"""One column of a rate figure: the overlay along one axis, and the local slopes below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dprepro.analysis.points import number
from dprepro.figures.curves import Bound, Curve, bounds
from dprepro.figures.lines import draw_bounds, draw_curve, draw_rate, draw_slopes, line_mark, name_curves
from dprepro.figures.style import SLOPES
from dprepro.figures.ticks import plain_ticks
from dprepro.figures.words import OF_THE_SCHEDULE, JudgedCheck

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BOUNDS = ""
"""In place of a series' name."""

OF_THE_RATE = ("exponent", "ratio", "affine")
"""Rules whose constant is that of value / rate."""

FAR = 30.0
"""A constant context series that many times above all else is named in the legend: it would stretch the axis."""


@dataclass(frozen=True)
class AxisPanel:
    """What is drawn along one axis.

    Attributes:
        axis: its name.
        drawn: the curves of every series, in the order of the legend.
        roles, styles, texts: of every series: claim, control or context; its look; its legend's text.
        claims: the checks of role claim that are about what is drawn.
        held: the series that a check holds against their own bounds, and that are no mere context.
        bounded: the series whose bounds are drawn, where that is not left to what they are.
    """

    axis: str
    drawn: Mapping[str, Sequence[Curve]]
    roles: Mapping[str, str]
    styles: Mapping[str, Mapping[str, Any]]
    texts: Mapping[str, str]
    claims: Sequence[JudgedCheck]
    held: Sequence[str] = ()
    bounded: Sequence[str] = ()

    @cached_property
    def judged(self) -> list[JudgedCheck]:
        """The claims that the column shows: exponents on its axis, and what else is about the values."""
        shown = [claim for claim in self.claims if claim.rule not in OF_THE_SCHEDULE]
        return [check for check in shown if check.rule != "exponent" or check.options.get("axis", "n") == self.axis]

    @cached_property
    def claimed(self) -> list[str]:
        """The series that are claims."""
        return [name for name in self.drawn if self.roles[name] == "claim"]

    @cached_property
    def constants(self) -> dict[str, float | None]:
        """The constants of the rates to be drawn, by series: of every claim with a fitted one, or else of the first.

        A rate along which crossings move is none of the risk.
        """
        if any(check.rule == "crossing" and check.options.get("along") == "rate" for check in self.judged):
            return {}
        claimed = [name for name in self.claimed if not self.bounded or name in self.bounded]
        own = [check for check in reversed(self.judged) if check.rule in OF_THE_RATE]
        found = {name: check.result.get("constant") for check in own for name in check.series(self.claimed)}
        fitted = {name: found[name] for name in claimed if found.get(name) is not None}
        unfitted = [name for name in claimed[:1] if not self._elsewhere(name)]
        return fitted or dict.fromkeys(name for name in unfitted if not self.bounded or self._about_the_rate(name))

    @cached_property
    def bounds(self) -> list[Bound]:
        """The explicit bounds to be drawn; where no series is a claim or held against its bound, those of all."""
        if self.bounded:
            return bounds({name: self.drawn[name] for name in self.bounded}, self.bounded)
        return bounds(self.drawn, [*self.claimed, *self.held] or list(self.drawn))

    def _about_the_rate(self, name: str) -> bool:
        """Whether the exponent that is claimed of a series is that of the rate."""
        own = [check for check in self.judged if check.rule == "exponent" and name in check.series(self.drawn)]
        return any(check.options.get("divide", "") in ("", "rate") for check in own)

    def _elsewhere(self, name: str) -> bool:
        """Whether a claimed exponent is not that of the column ``rate``, which is then not the rate claimed."""
        claimed = [check for check in self.judged if check.rule == "exponent" and not check.options.get("divide")]
        for curve in self.drawn[name]:
            x, y = map(np.log, curve.xy("rate")) if "rate" in curve.points else (np.empty(0), np.empty(0))
            slope = (y[-1] - y[0]) / (x[-1] - x[0]) if x.size > 1 and x[-1] > x[0] else None
            own = [float(check.result["expected"]) for check in claimed if name in check.series(self.drawn)]
            if slope is not None and any(abs(slope - value) > 0.1 for value in own):
                return True
        return False

    def overlay(self, panel: Axes, risks: bool, marked: bool, named: bool = True) -> dict[str, tuple[str, Any]]:
        """Curves, by ``named`` with names, bounds and, of ``risks``, rates; ``marked`` bounds show whose they are.

        Returns:
            What a legend says and shows: of each series by its name, of the bounds by `BOUNDS`.
        """
        entries: dict[str, tuple[str, Any]] = {}
        far = {} if self.bounded else self._far_above([float(line.y.max()) for line in self.bounds])
        for name, several in self.drawn.items():
            text = self.texts[name]
            if name in far:
                entries[name] = f"{text}: {number(far[name])}, above the panel", line_mark(self.styles[name])
                continue
            # claims on top: other curves may lie close to them
            style = {**self.styles[name], "zorder": 6 if name in self.claimed else 3}
            shown = [draw_curve(panel, curve, style, text) for curve in several]
            entries[name] = text, shown[0]
        held = [claim for claim in self.claims if claim.rule == "below"]
        vacuous = risks and bool(held) and all((check.result.get("details") or {}).get("vacuous") for check in held)
        if self.bounds:
            entries[BOUNDS] = draw_bounds(panel, self.bounds, self.styles, marked, vacuous)
        for name, constant in self.constants.items() if risks else ():
            for curve in self.drawn[name]:
                draw_rate(panel, curve, constant)
        panel.set(xscale="log", yscale="log")
        for name, several in self.drawn.items():
            if named and len(several) > 1 and name not in far:
                name_curves(panel, several, self.styles[name]["color"])
        plain_ticks(panel)
        return entries

    def slopes(self, panel: Axes) -> None:
        """Local slopes of claims and controls, and what they are held against."""
        for name, several in self.drawn.items():
            for curve in several if self.roles[name] != "context" else ():
                draw_slopes(panel, curve, self.styles[name])
        exponents = [check for check in self.judged if check.rule == "exponent"]
        for exponent in exponents:
            name = exponent.series(self.drawn)[0]
            look = SLOPES if len(exponents) == 1 else {**SLOPES, "color": self.styles[name]["color"]}
            # Where the check compares with a column's own slope, that slope is the reference, and it varies.
            if divide := str(exponent.options.get("divide", "")):
                for curve in self.drawn[name]:
                    if divide in curve.points:
                        draw_slopes(panel, curve, look, divide, float(exponent.result["expected"]))
            else:
                panel.axhline(float(exponent.result["expected"]), **look)

    def _far_above(self, limits: Sequence[float]) -> dict[str, float]:
        """The level of each constant context series that is `FAR` above all else."""
        means = {name: [mean for curve in several for mean in curve.xy()[1]] for name, several in self.drawn.items()}
        found = {}
        for name, own in means.items():
            others = [*(max(several) for other, several in means.items() if other != name), *limits]
            constant = self.roles[name] == "context" and max(own) < 1.01 * min(own)
            if constant and others and min(own) > FAR * max(others):
                found[name] = min(own)
        return found
