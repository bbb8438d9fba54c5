"""The measurements of a run as a frame, put together in parts: a million cells as Python objects take gigabytes."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dprepro.axes import AXES
from dprepro.engine.cell import LEADING
from dprepro.engine.resources import give_back
from dprepro.engine.rows import StoredColumn, grouped

if TYPE_CHECKING:
    import pandas as pd

PART = 20_000
"""Places of one part."""

Place = tuple[bytes, str, str, str]
"""Key, series, role and code of a cell."""


class Part:
    """The lines of some cells, as columns: the common ones, further axes and the study's own."""

    def __init__(self, experiment: str, places: Sequence[Place], stored: Mapping[bytes, Sequence[Any]]) -> None:
        """One line for each of ``places`` that is stored, and quantity.

        ``stored`` has status, seconds, axes, replicate, rows and traceback of each cell.

        Raises:
            ValueError, TypeError, OverflowError: cells that no run measures.
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
        study: dict[str, list[tuple[Any, StoredColumn]]] = {}
        for cell, row, measured, values, bounds, own in blocks:
            at = first[cell] + row
            quantity[at] = quantities.setdefault(measured, len(quantities))
            value[at], bound[at] = _floats(values), _floats(bounds)
            for name, column in own.items():
                found = study.setdefault(name, [])
                if not _empty(column):
                    found.append((at, column))

        def few(entries: Sequence[str]) -> pd.Series:
            """Of every line the entry of its cell, few of which differ."""
            known, numbers = _numbered(entries)
            return _taken(known, numbers[of_cell])

        def axis(name: str) -> Any:
            return np.array([point.get(name, np.nan) for point in points], dtype=float)[point_of][of_cell]

        further = sorted(set(itertools.chain.from_iterable(points)).difference(AXES))
        if taken := {*LEADING, "key"} & {*further, *study}:
            raise ValueError(f"a column called {min(taken)}")
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


def _blocks(
    texts: Sequence[str],
) -> Iterator[tuple[Any, int, str, StoredColumn, StoredColumn, dict[str, StoredColumn]]]:
    """Cells with the number, quantity, values, bounds and further columns of one of their rows.

    What was not measured has a row of `excess_risk` that is empty.
    """
    import numpy as np

    for names, (cells, columns) in grouped(texts).items():
        at, column = np.array(cells, dtype=np.intp), iter(columns)
        if not names:
            nothing = StoredColumn([None], np.zeros(len(cells), dtype=np.intp))
            yield at, 0, "excess_risk", nothing, nothing, {}
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

    frame: dict[str, Any] = {name: common(name) for name in LEADING}
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


def _floats(column: StoredColumn) -> Any:
    """Of every row its number; None becomes NaN."""
    import numpy as np

    return np.array(column.entries, dtype=float)[column.places]


def _packed(found: Sequence[tuple[Any, StoredColumn]], lines: int) -> Any:
    """A column of all lines from entries at some of them; None if there are none.

    Floats, with or without gaps, and whole numbers or truth values without are an array; else a `StoredColumn`
    whose first entry, None, stands in the gaps.
    """
    import numpy as np

    if not found:
        return None
    kinds = {kind for _, column in found for kind in set(map(type, column.entries))}
    if not kinds <= {float, int, bool, str, type(None)}:
        raise TypeError("an entry that is no number and no text")
    full = sum(len(column.places) for _, column in found) == lines
    if kinds <= {float, type(None)} and not any(entry != entry for _, column in found for entry in column.entries):
        numbers = np.full(lines, np.nan)
        for at, column in found:
            numbers[at] = _floats(column)
        return numbers
    if full and (kinds == {bool} or (kinds == {int} and all(_fits(column, 2**63) for _, column in found))):
        whole = np.empty(lines, dtype=bool if kinds == {bool} else np.int64)
        for at, column in found:
            whole[at] = np.array(column.entries, dtype=whole.dtype)[column.places]
        return whole
    entries, places = list[Any]([None]), np.zeros(lines, dtype=np.intp)
    for at, column in found:
        places[at] = column.places + len(entries)
        entries += column.entries
    return StoredColumn(entries, places)


def _fits(column: StoredColumn, limit: int) -> bool:
    """Whether all numbers are less than the limit, whatever their sign."""
    return all(abs(entry) < limit for entry in column.entries if entry is not None)


def _unpacked(packed: Sequence[Any], lines: Sequence[int]) -> Any:
    """One column of what was packed in parts of so many lines."""
    import numpy as np
    import pandas as pd

    known = [part for part in packed if part is not None]
    if not known:
        return pd.Series(np.full(sum(lines), None, dtype=object))
    gaps, both = len(known) < len(packed), list(zip(packed, lines, strict=True))
    kinds = {getattr(part, "dtype", None) for part in known}
    if len(kinds) == 1 and (kind := kinds.pop()) is not None and (kind == np.float64 or not gaps):
        return np.concatenate([np.full(n, np.nan) if part is None else part for part, n in both])
    entries, places = list[Any]([None]), []
    for part, n in both:
        column = part if isinstance(part, StoredColumn) else _listed(part, n)
        # its None is the first one
        places.append(np.where(column.places > 0, column.places + (len(entries) - 1), 0))
        entries += column.entries[1:]
    at = np.concatenate(places)
    of = {type(entry) for entry in entries}
    if of <= {int, float, type(None)} and not any(entry != entry for entry in entries):
        if _fits(StoredColumn(entries, at), 2**53):
            return _floats(StoredColumn(entries, at))
    elif of == {str, type(None)}:
        return _taken(entries, at)
    objects = np.empty(len(entries), dtype=object)
    objects[:] = entries
    return pd.Series(list(objects[at]))


def _listed(packed: Any, lines: int) -> StoredColumn:
    """A part of a column, which is an array or None, as entries behind a first one, which is None."""
    import numpy as np

    if packed is None:
        return StoredColumn([None], np.zeros(lines, dtype=np.intp))
    places = np.arange(1, lines + 1)
    if packed.dtype == np.float64:
        places[np.isnan(packed)] = 0
    return StoredColumn([None, *packed.tolist()], places)


def _empty(column: StoredColumn) -> bool:
    return all(entry is None for entry in column.entries)
