"""On which grid points a check was judged: the span of each axis that was set, and how many points there are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dprepro.analysis.points import further_axes, number
from dprepro.axes import AXES
from dprepro.report.attacked import STUDY as ATTACKS
from dprepro.report.formulas import with_symbols

if TYPE_CHECKING:
    import pandas as pd

    from dprepro.report.publish import Published

Grid = Mapping[str, Sequence[float | None]]
"""By axis its least value, its largest one, and how many there are; None is infinite."""

LETTERS = {
    "n": "n", "p": "p", "epsilon": r"\epsilon", "delta": r"\delta", "norm": r"\|w\|", "gamma": r"\gamma",
    "phi": r"\phi", "beta": r"\beta", "tau": r"\tau", "steps": "T", "sparsity": "s", "blocks": "k", "index": "i",
    "deviations": "t", "smoothing": "h", "vertices": "|S|", "tilt": r"\eta \tau",
}  # fmt: skip
"""Axes that the papers have a letter for; of others only the number of points is told."""
UNSET = {"n": 1.0, "p": 1.0, "epsilon": math.inf, "delta": 0.0, "norm": 1.0}
"""What an axis is where nobody set it: no size of any data, and no budget."""

NONE = ("norm", "epsilon")
"""Of which that value is none even where it is set."""
INEQUALITIES = "InequalityStudy"
"""Functions of numbers, which need not be sizes of data."""


def grid(rows: pd.DataFrame, config: Mapping[str, Any]) -> dict[str, list[float | None]]:
    """The spans of the axes of these rows; an axis that no series sweeps and that has its value unset is none.

    Attacks go over places within a premise, which no axis tells apart.
    """
    study = str(config["study"].get("_target_", "")).rpartition(".")[2]
    if study == ATTACKS:
        return {}
    axes = [*AXES, *(axis for axis in further_axes(rows, config) if axis in LETTERS)]
    plain = study == INEQUALITIES
    swept = {axis for series in rows["series"].unique() for axis in _swept(config, str(series))}
    found: dict[str, list[float | None]] = {}
    for axis in axes:
        values = sorted(float(value) for value in rows[axis].dropna().unique())
        if values and not (values == [UNSET.get(axis)] and (plain or axis not in swept or axis in NONE)):
            ends = (values[0], values[-1])
            found[axis] = [*(end if math.isfinite(end) else None for end in ends), float(len(values))]
    if "epsilon" not in found and found.get("delta") == [0.0, 0.0, 1.0]:
        del found["delta"]  # no budget at all
    return found


def points(rows: pd.DataFrame, config: Mapping[str, Any], envelope: Iterable[str] = ()) -> dict[str, int]:
    """How many points each series has in these rows; of members of which the worst is judged, one."""
    members = set(envelope)
    axes = [axis for axis in (*AXES, *further_axes(rows, config)) if axis not in members]
    counted = rows[["series", *axes]].drop_duplicates().groupby("series").size()
    return {str(series): int(count) for series, count in counted.items()}


def judged_rows(published: Published, check: str, series: Sequence[str]) -> pd.DataFrame:
    """The rows of a check that were measured and judged: those of saturated points are none of an exponent's."""
    frame, verdict = published.frame, published.verdict["checks"].get(check, {})
    settings = published.config["checks"].get(check, {})
    rows = frame[(frame["status"] == "ok") & frame["series"].isin(series)] if series else frame[frame["status"] == "ok"]
    axis, details = str(settings.get("axis", "n")), verdict.get("details") or {}
    left_out = {
        label.partition(",")[0] for state in ("saturated", "unusable") for label in details.get(state) or ()
    }  # fmt: skip
    if verdict.get("rule") != "exponent" or not left_out or axis not in rows:
        return rows
    return rows[[f"{axis}={number(float(value))}" not in left_out for value in rows[axis]]]


def spans(found: Grid, most: int = len(LETTERS)) -> str:
    """`$n$ from $10^{5}$ to $10^{8}$ (9 values), $p$ = 1000`, of the first axes."""
    return ", ".join(_span(axis, found[axis]) for axis in list(found)[:most])


def hull(several: Iterable[Grid]) -> dict[str, list[float | None]]:
    """The least and the largest value of each axis in all of them; how many there are in the largest one."""
    found: dict[str, list[float | None]] = {}
    for one in several:
        for axis, (low, high, count) in one.items():
            ends = [(math.inf if end is None else end) for end in (low, high)]
            if axis in found:
                known = [(math.inf if end is None else end) for end in found[axis][:2]]
                ends = [min(ends[0], known[0]), max(ends[1], known[1])]
                count = max(count or 0.0, found[axis][2] or 0.0, 1.0 + (ends[1] > ends[0]))
            found[axis] = [*(end if math.isfinite(end) else None for end in ends), count]
    return found


def letter(axis: str) -> str:
    """An axis as it stands in a formula."""
    return LETTERS.get(axis, axis.replace("_", r"\_"))


def from_to(axis: str, ends: Sequence[float | None]) -> str:
    """`$n$ from 4 to 9`, or `$n$ = 4`, without how many values there are."""
    low, high = (r"$\infty$" if end is None else with_symbols(number(end)) for end in ends[:2])
    letter = f"${LETTERS.get(axis, axis)}$"
    return f"{letter} = {low}" if low == high else f"{letter} from {low} to {high}"


def span(axis: str, values: Sequence[float]) -> str:
    """`n from 3e5 to 1e8 (9 values)` of sorted values in plain letters; nothing of none."""
    if len(values) == 1:
        return f"{axis} = {number(values[0])}"
    return f"{axis} from {number(values[0])} to {number(values[-1])} ({len(values)} values)" if values else ""


def _span(axis: str, ends: Sequence[float | None]) -> str:
    several = f" ({int(ends[2] or 1)} values)" if (ends[2] or 1) > 1 else ""
    return from_to(axis, ends) + several


def _swept(config: Mapping[str, Any], series: str) -> set[str]:
    """The axes that a series sweeps: the experiment's, and its own, less those that it leaves out."""
    entry = config["study"].get("series", {}).get(series, {})
    own = (entry.get("sweep") or {}) if isinstance(entry, Mapping) else {}
    found = {axis for axis, values in (config.get("sweep") or {}).items() if values is not None}
    return (found | {axis for axis, values in own.items() if values is not None}) - {
        axis for axis, values in own.items() if values is None
    }
