"""The measurements of a run as a frame, put together in parts: a million cells as Python objects take gigabytes."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dprepro.axes import AXES
from dprepro.engine.resources import give_back
from dprepro.engine.rows import grouped

if TYPE_CHECKING:
    import pandas as pd

PART = 20_000
"""Places of one part."""

_FIRST = ("experiment", "series", "role", *AXES, "replicate", "quantity", "value", "bound", "status", "seconds")

Place = tuple[bytes, str, str, str]
"""Key, series, role and code of a cell."""


class Part:
    """The lines of some cells, as columns: the common ones, further axes and the study's own."""

    def __init__(self, experiment: str, places: Sequence[Place], stored: Mapping[bytes, Sequence[Any]]) -> None:
        """One line for each of ``places`` that is stored, and quantity.

        ``stored`` has status, seconds, axes, replicate, rows and traceback of each cell.
        """
        import numpy as np
        import pandas as pd

        kept = [place for place in places if place[0] in stored]
        keys, series, role, _ = zip(*kept, strict=True) if kept else [()] * 4
        cells = map(stored.__getitem__, keys)
        status, seconds, axes, replicate, rows, _ = zip(*cells, strict=True) if kept else [()] * 6
        texts, point_of = _numbered(axes)
        points = json.loads(f"[{','.join(texts)}]")

        # Cells of the same names are taken apart together, column by column; then their lines find their places.
        blocks = list(_blocks(rows))
        count = np.zeros(len(kept), dtype=np.intp)
        for cell, *_ in blocks:
            count[cell] += 1
        first = np.cumsum(count) - count
        self.lines = int(count.sum())
        of_cell = np.repeat(np.arange(len(kept)), count)
        value, bound = np.empty(self.lines), np.empty(self.lines)
        quantity = np.empty(self.lines, dtype=np.intp)
        quantities: dict[str, int] = {}
        study: dict[str, list[tuple[Any, Sequence[Any]]]] = {}
        for cell, row, name, values, bounds, own in blocks:
            at = first[cell] + row
            quantity[at] = quantities.setdefault(name, len(quantities))
            value[at], bound[at] = np.array(values, dtype=float), np.array(bounds, dtype=float)  # None becomes NaN
            for column, entries in own.items():
                found = study.setdefault(column, [])
                if not _empty(entries):
                    found.append((at, entries))

        def few(entries: Sequence[str]) -> pd.Series:
            """Of every line the entry of its cell, few of which differ."""
            known, numbers = _numbered(entries)
            return _taken(known, numbers[of_cell])

        def axis(name: str) -> Any:
            return np.array([point.get(name, np.nan) for point in points], dtype=float)[point_of][of_cell]

        further = sorted(set(itertools.chain.from_iterable(points)).difference(AXES))
        self.common = {
            "experiment": _taken([experiment], np.zeros(self.lines, dtype=np.intp)),
            "series": few(series),
            "role": few(role),
            **{name: pd.Series(axis(name)) for name in AXES},
            "replicate": pd.Series(np.array(replicate, dtype=np.int64)[of_cell]),
            "quantity": _taken(list(quantities), quantity),
            "value": pd.Series(value),
            "bound": pd.Series(bound),
            "status": few(status),
            "seconds": pd.Series(np.array(seconds, dtype=float)[of_cell]),
            "key": _taken([key.hex() for key in keys], of_cell),
        }
        self.further = {name: axis(name) for name in further}
        self.study = {name: _packed(found, self.lines) for name, found in sorted(study.items())}


def _blocks(texts: Sequence[str]) -> Iterator[tuple[Any, int, str, Sequence[Any], Sequence[Any], dict[str, Any]]]:
    """Cells with the number, quantity, values, bounds and further columns of one of their rows.

    What was not measured has a row of `excess_risk` that is empty.
    """
    import numpy as np

    for names, (cells, columns) in grouped(texts).items():
        at, column = np.array(cells, dtype=np.intp), iter(columns)
        if not names:
            yield at, 0, "excess_risk", [None] * len(cells), [None] * len(cells), {}
        for row, (quantity, further) in enumerate(names):
            yield at, row, quantity, next(column), next(column), {name: next(column) for name in further}


def _numbered(entries: Sequence[str]) -> tuple[list[str], Any]:
    """Those entries that differ, and for each entry its number among them."""
    import numpy as np

    numbers = {entry: number for number, entry in enumerate(dict.fromkeys(entries))}
    return list(numbers), np.fromiter(map(numbers.__getitem__, entries), dtype=np.intp, count=len(entries))


def _taken(entries: Sequence[Any], places: Any) -> pd.Series:
    """The entries at these places."""
    import pandas as pd

    return pd.Series(entries).take(places).reset_index(drop=True)


def parts(places: Sequence[Place]) -> Iterator[Sequence[Place]]:
    """The places in parts; what shares a key stands in one."""
    start = 0
    while start < len(places):
        end = min(start + PART, len(places))
        while end < len(places) and places[end][0] == places[end - 1][0]:
            end += 1
        yield places[start:end]
        start = end


def joined(found: Sequence[Part]) -> pd.DataFrame:
    """The frame of all parts: common columns, further axes, the study's own, ``key``; each part is emptied.

    A column has the type that pandas gives to a list of all its entries.
    """
    import numpy as np
    import pandas as pd

    every = [part for part in found if part.lines] or [Part("", (), {})]

    def common(name: str) -> pd.Series:
        return pd.concat([part.common.pop(name) for part in every], ignore_index=True)

    frame: dict[str, Any] = {name: common(name) for name in _FIRST}
    for name in ("n", "p"):
        if (frame[name] % 1 == 0).all() and (frame[name].empty or frame[name].max() < 2.0**63):
            frame[name] = frame[name].astype(np.int64)
    for name in sorted({name for part in every for name in part.further}):
        column = [part.further.pop(name) if name in part.further else np.full(part.lines, np.nan) for part in every]
        frame[name] = np.concatenate(column)
    for name in sorted({name for part in every for name in part.study}):
        frame[name] = _unpacked([part.study.pop(name, None) for part in every], [part.lines for part in every])
        if len(every) > 1:
            give_back()
    frame["key"] = common("key")
    return pd.DataFrame(frame, copy=False)


def _packed(found: Sequence[tuple[Any, Sequence[Any]]], lines: int) -> Any:
    """A column of all lines from entries at some of them; None if there are none.

    Floats, with or without gaps, and whole numbers or truth values without are an array; anything else is a list that
    holds no text twice.
    """
    import numpy as np

    if not found:
        return None
    kinds = {kind for _, entries in found for kind in set(map(type, entries))}
    full = sum(len(entries) for _, entries in found) == lines
    kind: Any = object
    if kinds == {float} or kinds == {float, type(None)}:
        missing = lines - sum(len(entries) - entries.count(None) for _, entries in found)
        column = _spread(found, np.full(lines, np.nan))
        if np.isnan(column).sum() == missing:  # else a number that is none would become a gap
            return column
    elif full and kinds == {bool}:
        kind = bool
    elif full and kinds == {int} and max(max(map(abs, entries)) for _, entries in found) < 2**63:
        kind = np.int64
    if kind is not object:
        return _spread(found, np.empty(lines, dtype=kind))
    shared = [(at, [sys.intern(entry) if type(entry) is str else entry for entry in entries]) for at, entries in found]
    return list(_spread(shared, np.full(lines, None, dtype=object)))


def _spread(found: Sequence[tuple[Any, Sequence[Any]]], column: Any) -> Any:
    """``column`` with these entries at their lines."""
    import numpy as np

    for at, entries in found:
        own = np.empty(len(entries), dtype=column.dtype)
        own[:] = entries
        column[at] = own
    return column


def _unpacked(packed: Sequence[Any], lines: Sequence[int]) -> Any:
    """One column of what was packed in parts of so many lines."""
    import numpy as np
    import pandas as pd

    kinds = {getattr(item, "dtype", None) for item in packed if item is not None}
    gaps, both = any(item is None for item in packed), list(zip(packed, lines, strict=True))
    if len(kinds) == 1 and (kind := kinds.pop()) is not None and (kind == np.float64 or not gaps):
        return np.concatenate([np.full(n, np.nan) if item is None else item for item, n in both])
    entries: list[Any] = []
    for one, n in both:
        plain = [None] * n if one is None else one if isinstance(one, list) else one.tolist()
        entries += [None if entry != entry and not isinstance(one, list) else entry for entry in plain]
    return pd.Series(entries)


def _empty(entries: Sequence[Any]) -> bool:
    return entries.count(None) == len(entries)
