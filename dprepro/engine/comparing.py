"""StoredCell cells held against the cells that their experiment has now, and against what measuring gives."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from dprepro.engine.cell import Cell, Result
from dprepro.engine.cell_lines import Line
from dprepro.engine.cell_table import StoredCell
from dprepro.engine.connection import SHAPE
from dprepro.engine.frame import Place
from dprepro.engine.rows import rows_of, text_of

TOLERANCE = 1e-9
"""Relative, between numbers of processors of two types; those of one type are equal."""


def layout_differences(stored: Sequence[Place], cells: Sequence[Cell]) -> Iterator[str]:
    """In which series a run has other cells, or another role, than its experiment has now."""
    kept = {(key, series): role for key, series, role, _ in stored}
    asked = {(cell.key, cell.series): cell.role for cell in cells}
    for words, places in (
        ("lacks cells that are asked for", asked.keys() - kept.keys()),
        ("has cells that are not asked for", kept.keys() - asked.keys()),
    ):
        series = Counter(series for _, series in places)
        yield from (f"series {name} {words}: {count}" for name, count in sorted(series.items()))
    roles = {(place[1], kept[place], asked[place]) for place in kept.keys() & asked.keys()}
    yield from (
        f"series {name} was measured as {role}, and is {now}" for name, role, now in sorted(roles) if role != now
    )


def label_fault(cell: Cell, stored: StoredCell) -> str:
    """What a stored cell says of its place and is not so; empty if nothing."""
    if _parsed(stored.axes) != cell.axes:
        return f"its axes are {stored.axes}"
    if stored.parsed is None:
        return "its rows cannot be read"
    return "" if stored.replicate == cell.replicate else f"its replicate is {stored.replicate}"


@lru_cache(maxsize=65536)
def _parsed(axes: str) -> Any:
    try:
        return json.loads(axes)
    except (ValueError, RecursionError):
        return None


def rows_fault(stored: StoredCell, rebuilt: Mapping[str, Mapping[str, Any]], tolerance: float) -> str:
    """Where rows contradict what is known of them by quantity: ``value``, ``bound`` and columns; empty if nowhere."""
    rows = stored.parsed or []
    for quantity, value, bound, columns in rows:
        said = {"value": value, "bound": bound} | columns
        for name, wanted in rebuilt.get(quantity, {}).items():
            if name not in said or not _equal(said[name], wanted, tolerance):
                return f"{quantity}: {name} is {said.get(name, 'missing')}, and is to be {wanted}"
    lacking = rebuilt.keys() - {row[0] for row in rows}
    return f"{min(lacking)} is missing" if lacking else ""


def result_fault(stored: StoredCell, again: Result, tolerance: float) -> str:
    """Where a stored cell differs from the same cell measured again; empty if nowhere."""
    return _fault((stored.status, stored.parsed or []), (again.status, rows_of(text_of(again.rows))), tolerance)


def lines_fault(line: Line, other: Line, tolerance: float) -> str:
    """Where two lines of the same cell differ beyond the seconds it took; empty if nowhere."""
    if line.rows == other.rows and line.status == other.status:
        return ""
    try:
        return _fault((line.status, rows_of(line.rows)), (other.status, rows_of(other.rows)), tolerance)
    except SHAPE:
        return "its rows cannot be read"


def _fault(one: tuple[str, list[list[Any]]], other: tuple[str, list[list[Any]]], tolerance: float) -> str:
    """Where status or rows were one thing, and are another."""
    (status, before), (status_now, now) = one, other
    if status != status_now and not (status.startswith("failed") and status_now.startswith("failed")):
        return f"it was {status}, and is {status_now}"
    if [row[0] for row in before] != [row[0] for row in now]:
        return f"it has {', '.join(row[0] for row in before) or 'no rows'}, and not {', '.join(r[0] for r in now)}"
    for (quantity, *numbers, columns), (_, *others, further) in zip(before, now, strict=True):
        said, is_now = (dict(zip(("value", "bound"), two, strict=True)) for two in (numbers, others))
        for name in {**said, **columns, **further}:
            first, second = (said | columns).get(name, math.nan), (is_now | further).get(name, math.nan)
            if not _equal(first, second, tolerance):
                return f"{quantity}: {name} was {first}, and is {second}"
    return ""


def _equal(value: Any, other: Any, tolerance: float) -> bool:
    if isinstance(value, float | int) and isinstance(other, float | int):
        return value == other or (value != value and other != other) or math.isclose(value, other, rel_tol=tolerance)
    return bool(value == other)
