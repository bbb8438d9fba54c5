"""What grids lack for the slopes that are claimed on them, said before anything is measured, with one that would do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from dprepro.analysis.exponent import POWERS_OF, Exponent
from dprepro.analysis.points import number, single_curve
from dprepro.analysis.rule import Rule
from dprepro.axes import check_axis
from dprepro.errors import InputError

Grid = Sequence[Mapping[str, float]]

BACK: dict[str, Callable[[float], float]] = {
    "log": lambda inner: inner,
    "log_log": math.exp,
    "log_log_double": lambda inner: math.exp(inner) / 2,
    "log_log_inverse": lambda inner: math.exp(-inner),
}
"""The axis again, from the quantity whose power is measured."""

OF = {"log": "", "log_log": " of ln {}", "log_log_double": " of ln(2 {})", "log_log_inverse": " of ln(1/{})"}
"""What that quantity is called, where it is not the axis itself."""

WHOLE = ("n", "p")
ROUNDED = 0.05
"""How much, relatively, two digits may move a value."""


def lacking(
    rules: Mapping[str, Rule], grids: Mapping[str, Grid], study: Mapping[str, Any], of_rate: bool = False
) -> list[str]:
    """A line for each grid on which a claimed slope cannot be judged: what there is, what is needed, what would do.

    Args:
        rules: the checks of the experiment.
        grids: the grid points of each series.
        study: the block of the study, for the sweeps that its series have of their own.
        of_rate: whether ``rate`` made the experiment, whose series take the sweep apart: one types it as a whole.
    """
    said: dict[str, list[str]] = {}
    for name, rule in rules.items():
        if isinstance(rule, Exponent) and rule.role == "claim" and (grid := grids.get(rule.series)):
            series = study.get("series")
            own = series.get(rule.series) if isinstance(series, Mapping) and not of_rate else None
            if rule.axis in grid[0] and (words := _lacks(rule, grid, own if isinstance(own, Mapping) else {})):
                said.setdefault(words, []).append(name)
    return [f"check{'s' if len(names) > 1 else ''} {', '.join(names)}: {words}" for words, names in said.items()]


def _lacks(rule: Exponent, grid: Grid, series: Mapping[str, Any]) -> str:
    """What a grid lacks for one slope; empty if nothing."""
    import pandas as pd

    points = pd.DataFrame(list(grid)).drop(columns=[*rule.envelope], errors="ignore").drop_duplicates()
    with np.errstate(invalid="ignore", divide="ignore"):
        points["inner"] = POWERS_OF[rule.transform](points[rule.axis].to_numpy(dtype=float))
    points = points[np.isfinite(points["inner"]) & (points["inner"] > 0)]
    if points.empty:
        return ""
    others = [name for name in points if name not in (rule.axis, "inner")]
    curve = single_curve(points, rule.axis, others)
    ends = points.groupby(curve)["inner"].agg(["min", "max"])
    values, span = points[rule.axis].nunique(), float(np.log10(ends["max"] / ends["min"]).max())
    needed = rule.minimum_span if rule.transform == "log" else rule.minimum_span / 3
    if values >= rule.minimum_points and span >= needed - 1e-9:
        return ""
    of = OF[rule.transform].format(rule.axis)
    limit = (series.get("at_most") or {}).get(rule.axis, math.inf)
    example = _example(rule, float(points["inner"].min()), needed, limit)
    key = f"++study.series.{rule.series}.sweep" if rule.axis in (series.get("sweep") or {}) else "sweep"
    return (
        f"{values} value{'' if values == 1 else 's'} of {rule.axis} over {number(span)} "
        f"decade{'' if number(span) == '1' else 's'}{of}; it needs {rule.minimum_points} values over {number(needed)}"
        + (f", for example {key}.{rule.axis}=[{example}] if none of these is saturated" if example else "")
    )


def _example(rule: Exponent, least: float, decades: float, limit: float) -> str:
    """Values that would do, from the least one on or up to the ``limit`` of a series; empty where none can be had."""
    longer = decades + 2 * math.log10(1 + ROUNDED)  # both ends may be rounded inwards
    if rule.transform == "log" and least * 10**longer > limit:
        least = limit / 10**longer
    found: set[float] = set()
    with suppress(InputError, OverflowError):
        while len(found) < rule.minimum_points:
            steps = np.linspace(0, longer, rule.minimum_points)
            found = {_rounded(rule.axis, BACK[rule.transform](least * 10**step)) for step in steps.tolist()}
            longer *= 1.2  # small whole numbers fall together
        for value in found:
            check_axis(rule.axis, value)
        return ",".join(number(value) for value in sorted(found))
    return ""


def _rounded(axis: str, value: float) -> float:
    """With two digits, and whole where the axis is."""
    short = float(f"{value:.1e}")
    return float(max(1, math.ceil(short))) if axis in WHOLE else short
