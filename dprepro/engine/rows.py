"""The rows of a cell as the text that a store keeps: the names on one line, which cells share, the numbers on another.

``[["excess_risk",["shape","gap"]],["spent_epsilon",[]]]`` and ``[0.1,0.2,0.3,1e-9,1.0,1.0]``: value, bound and the
study's own columns of one row after the other. A store reads a million of them, and hardly ever other names. Before
version 3 a store kept one text, ``[["excess_risk",0.1,0.2,{"shape":0.3,"gap":1e-9}],...]``, which is read too.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from dprepro.engine.cell import Row

Names = tuple[tuple[str, tuple[str, ...]], ...]
"""Of the rows of a cell: each quantity with its further columns."""


def _numpy_scalar(value: Any) -> Any:
    return value.item()


dump = json.JSONEncoder(separators=(",", ":"), default=_numpy_scalar).encode
"""Plain data as the text that is stored."""


def text_of(rows: Sequence[Row]) -> str:
    """The rows as they are stored."""
    numbers: list[Any] = []
    for row in rows:
        numbers += (row.value, row.bound, *row.columns.values())
    return first_line(tuple([(row.quantity, *row.columns) for row in rows])) + dump(numbers)


@lru_cache(maxsize=1024)
def first_line(names: tuple[tuple[str, ...], ...]) -> str:
    """The names as they are stored, each quantity with its further columns."""
    return dump([[str(quantity), [str(column) for column in columns]] for quantity, *columns in names]) + "\n"


def grouped(texts: Iterable[str]) -> dict[Names, tuple[list[int], list[tuple[Any, ...]]]]:
    """For each set of names the places of the texts that have it, and the columns of their numbers.

    Raises:
        ValueError, TypeError: a text that is none of `text_of`.
    """
    together: dict[str, tuple[list[int], list[str]]] = {}
    for place, text in enumerate(texts):
        names, _, rest = text.partition("\n")
        if not rest:
            names, rest = _renewed(text)
        if names not in together:
            together[names] = [], []
        own, numbers = together[names]
        own.append(place)
        numbers.append(rest)
    found: dict[Names, tuple[list[int], list[tuple[Any, ...]]]] = {}
    for line, (own, numbers) in together.items():
        names_of = _names(line)
        # one parse of everything: a call of json.loads per cell would double the time
        columns = list(zip(*json.loads(f"[{','.join(numbers)}]"), strict=True))
        if len(columns) != sum(2 + len(further) for _, further in names_of):
            raise ValueError("rows and their names differ in number")
        found[names_of] = own, columns
    return found


def rows_of(text: str) -> list[list[Any]]:
    """Quantity, value, bound and further columns of each row; raises as `grouped`."""
    ((names, (_, columns)),) = grouped([text]).items()
    numbers = iter([column[0] for column in columns])
    return [
        [quantity, next(numbers), next(numbers), dict(zip(further, numbers, strict=False))]
        for quantity, further in names
    ]


def _names(line: str) -> Names:
    """The names that a first line has, each quantity and each of its columns once."""
    names = tuple((quantity, tuple(further)) for quantity, further in json.loads(line))
    if not all(isinstance(name, str) for name in itertools.chain.from_iterable((name, *more) for name, more in names)):
        raise TypeError("a name that is no text")
    return names


def _renewed(text: str) -> tuple[str, str]:
    """Both lines of what was stored before version 3."""
    rows = [Row(quantity, value, bound, columns) for quantity, value, bound, columns in json.loads(text)]
    names, _, numbers = text_of(rows).partition("\n")
    return names, numbers
