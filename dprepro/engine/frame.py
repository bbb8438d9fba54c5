"""The measurements of a run as a frame, put together in parts: a million cells as Python objects take gigabytes."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dprepro.axes import AXES

if TYPE_CHECKING:
    import pandas as pd

PART = 20_000
"""Places of one part."""

_UNMEASURED: list[Any] = [["excess_risk", None, None, {}]]
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

        # one parse of everything: a call of json.loads per cell would double the time
        rows = json.loads(f"[{','.join([cell[4] for cell in stored.values()])}]")
        texts = {cell[2] for cell in stored.values()}
        points = dict(zip(texts, json.loads(f"[{','.join(texts)}]"), strict=True))
        measured = dict(zip(stored, rows, strict=True))

        lines: list[tuple[Any, ...]] = []
        for key, series, role, _ in places:
            if key not in stored:
                continue
            status, seconds, axes, replicate = stored[key][:4]
            point, name = points[axes], key.hex()
            for quantity, value, bound, own in measured[key] or _UNMEASURED:
                lines.append((name, series, role, point, replicate, quantity, value, bound, own, status, seconds))
        columns = list(zip(*lines, strict=True)) or [()] * 11
        key_of, series_of, role_of, point_of, replicates, quantities, values, bounds, owns, statuses, seconds_of = (
            columns
        )

        self.lines = len(lines)
        further = sorted(set(itertools.chain.from_iterable(points.values())).difference(AXES))
        axis = {name: np.array([p.get(name, np.nan) for p in point_of], dtype=float) for name in (*AXES, *further)}
        self.common = {
            "experiment": pd.Series([experiment] * len(lines)),
            "series": pd.Series(series_of),
            "role": pd.Series(role_of),
            **{name: pd.Series(axis[name]) for name in AXES},
            "replicate": pd.Series(np.array(replicates, dtype=np.int64)),
            "quantity": pd.Series(quantities),
            "value": pd.Series(np.array(values, dtype=float)),
            "bound": pd.Series(np.array(bounds, dtype=float)),  # None becomes NaN
            "status": pd.Series(statuses),
            "seconds": pd.Series(np.array(seconds_of, dtype=float)),
            "key": pd.Series(key_of),
        }
        self.further = {name: axis[name] for name in further}
        names = sorted(set(itertools.chain.from_iterable(owns)))
        self.study = {name: _packed([own.get(name) for own in owns]) for name in names}


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
