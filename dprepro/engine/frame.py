"""The measurements of a run as a frame, put together in parts: a million cells as Python objects take gigabytes."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dprepro.axes import AXES
from dprepro.engine.room import give_back
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

        ``stored`` has status, seconds, axes, replicate, rows of each cell.
        """
        import numpy as np
        import pandas as pd

        kept = [place for place in places if place[0] in stored]
        cells = [stored[place[0]] for place in kept]
        texts, point_of = _numbered([cell[2] for cell in cells])
        points = json.loads(f"[{','.join(texts)}]")

        # Cells of the same names are taken apart together, column by column; then their lines find their places.
        blocks = list(_blocks([cell[4] for cell in cells]))
        count = np.zeros(len(cells), dtype=np.intp)
        for cell, *_ in blocks:
            count[cell] += 1
        first = np.cumsum(count) - count
        self.lines = int(count.sum())
        of_cell = np.repeat(np.arange(len(cells)), count)
        value, bound = np.empty(self.lines), np.empty(self.lines)
        quantity = np.empty(self.lines, dtype=np.intp)
        quantities: dict[str, int] = {}
        study: dict[str, list[tuple[Any, Sequence[Any]]]] = {}
        for cell, row, name, values, bounds, own in blocks:
            at = first[cell] + row
            quantity[at] = quantities.setdefault(name, len(quantities))
            value[at], bound[at] = np.array(values, dtype=float), np.array(bounds, dtype=float)  # None becomes NaN
            for column, entries in own.items():
                study.setdefault(column, []).append((at, entries))

        def few(entries: Sequence[str]) -> pd.Series:
            """Of every line the entry of its cell, few of which differ."""
            known, numbers = _numbered(entries)
            return _taken(known, numbers[of_cell])

        def axis(name: str) -> Any:
            return np.array([point.get(name, np.nan) for point in points], dtype=float)[point_of][of_cell]

        further = sorted(set(itertools.chain.from_iterable(points)).difference(AXES))
        self.common = {
            "experiment": _taken([experiment], np.zeros(self.lines, dtype=np.intp)),
            "series": few([place[1] for place in kept]),
            "role": few([place[2] for place in kept]),
            **{name: pd.Series(axis(name)) for name in AXES},
            "replicate": pd.Series(np.array([cell[3] for cell in cells], dtype=np.int64)[of_cell]),
            "quantity": _taken(list(quantities), quantity),
            "value": pd.Series(value),
            "bound": pd.Series(bound),
            "status": few([cell[0] for cell in cells]),
            "seconds": pd.Series(np.array([cell[1] for cell in cells], dtype=float)[of_cell]),
            "key": _taken([place[0].hex() for place in kept], of_cell),
        }
        self.further = {name: axis(name) for name in further}
        self.study = {name: _packed(_spread(found, self.lines)) for name, found in sorted(study.items())}


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
    return list(numbers), np.array([numbers[entry] for entry in entries], dtype=np.intp)


def _taken(entries: Sequence[Any], places: Any) -> pd.Series:
    """The entries at these places."""
    import pandas as pd

    return pd.Series(entries).take(places).reset_index(drop=True)


def _spread(found: Sequence[tuple[Any, Sequence[Any]]], lines: int) -> list[Any]:
    """A column of all lines from entries at some of them."""
    import numpy as np

    column = np.full(lines, None, dtype=object)
    for at, entries in found:
        own = np.empty(len(entries), dtype=object)
        own[:] = entries
        column[at] = own
    return list(column)


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

    every = [one for one in found if one.lines] or [Part("", (), {})]

    def common(name: str) -> pd.Series:
        return pd.concat([one.common.pop(name) for one in every], ignore_index=True)

    frame: dict[str, Any] = {name: common(name) for name in _FIRST}
    for name in ("n", "p"):
        if (frame[name] % 1 == 0).all() and (frame[name].empty or frame[name].max() < 2.0**63):
            frame[name] = frame[name].astype(np.int64)
    for name in sorted({name for one in every for name in one.further}):
        column = [one.further.pop(name) if name in one.further else np.full(one.lines, np.nan) for one in every]
        frame[name] = np.concatenate(column)
    for name in sorted({name for one in every for name in one.study}):
        frame[name] = _unpacked([one.study.pop(name) if name in one.study else [None] * one.lines for one in every])
        if len(every) > 1:
            give_back()
    frame["key"] = common("key")
    return pd.DataFrame(frame, copy=False)


def _packed(entries: list[Any]) -> Any:
    """Floats, with or without gaps, and whole numbers as an array; anything else as a list that holds no text twice."""
    import numpy as np

    kinds = set(map(type, entries))
    if kinds == {int} and max(map(abs, entries)) < 2**63:
        return np.array(entries, dtype=np.int64)
    if kinds in ({float}, {float, type(None)}):
        array = np.array(entries, dtype=float)
        if np.isnan(array).sum() == entries.count(None):
            return array
    return [sys.intern(one) if type(one) is str else one for one in entries]


def _unpacked(packed: Sequence[Any]) -> Any:
    """One column of what was packed in parts."""
    import numpy as np
    import pandas as pd

    kinds = {getattr(one, "dtype", None) for one in packed if not _empty(one)}
    if len(kinds) == 1 and (kind := kinds.pop()) is not None and (kind == np.float64 or not any(map(_empty, packed))):
        return np.concatenate([np.full(len(one), np.nan) if _empty(one) else one for one in packed])
    entries: list[Any] = []
    for one in packed:
        plain = one if isinstance(one, list) else one.tolist()
        entries += [None if entry != entry and not isinstance(one, list) else entry for entry in plain]
    return pd.Series(entries)


def _empty(packed: Any) -> bool:
    return isinstance(packed, list) and packed.count(None) == len(packed)
