"""The rows of a cell as the text that a store keeps: the names on one line, which cells share, the numbers on another.

``[["excess_risk",["rate","gap"]],["certified_epsilon",[]]]`` and ``[0.1,0.2,0.3,1e-9,1.0,1.0]``: value, bound and the
study's own columns of one row after the other. A store reads a million of them, and hardly ever other names. Before
version 3 a store kept one text, ``[["excess_risk",0.1,0.2,{"rate":0.3,"gap":1e-9}],...]``, which is read too.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dprepro.engine.cell import Row
from dprepro.engine.renamed import QUANTITIES, current_columns

DPREPRO_READS = ()  # the tables that it reads are texts of the store

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


class StoredColumn(NamedTuple):
    """Entries of many rows under one name: ``entries``, of which each may stand once only, and where each row's is."""

    entries: Sequence[Any]
    places: NDArray[np.intp]


def grouped(texts: Iterable[str]) -> dict[Names, tuple[list[int], list[StoredColumn]]]:
    """For each set of names the places of the texts that have it, and the columns of their numbers.

    Raises:
        ValueError, TypeError: a text that is none of `text_of`.
    """
    together: dict[str, tuple[list[int], list[str]]] = {}
    for place, text in enumerate(texts):
        names, _, rest = text.partition("\n")
        if not rest:
            names, rest = _renewed(text)
        names = _current(names)
        if names not in together:
            together[names] = [], []
        own, numbers = together[names]
        own.append(place)
        numbers.append(rest)
    found: dict[Names, tuple[list[int], list[StoredColumn]]] = {}
    for line, (own, numbers) in together.items():
        names_of = _names(line)
        found[names_of] = own, _columns(numbers, sum(2 + len(further) for _, further in names_of))
    return found


FEW = 64
"""Texts that are sooner taken apart one by one."""


def _columns(texts: Sequence[str], count: int) -> list[StoredColumn]:
    """The columns of lists of so many numbers, each list a text.

    Most columns hold few different numbers, each of which is read once. A text that has a comma is none of two entries:
    lists with such a text are read one by one.

    Raises:
        ValueError: lists of another number.
    """
    table = _table(texts, count) if count and len(texts) > FEW else None
    if table is not None:
        found = []
        for column in table.itercolumns():
            coded = column.combine_chunks().dictionary_encode()
            entries = json.loads(f"[{','.join(coded.dictionary.to_pylist())}]")
            if len(entries) != len(coded.dictionary):
                raise ValueError("an entry that is none")
            found.append(StoredColumn(entries, coded.indices.to_numpy().astype(np.intp)))
        return found
    # one parse of everything: a call of json.loads per cell would double the time
    columns, places = list(zip(*json.loads(f"[{','.join(texts)}]"), strict=True)), np.arange(len(texts))
    if len(columns) != count:
        raise ValueError("rows and their names differ in number")
    return [StoredColumn(column, places) for column in columns]


def _table(texts: Sequence[str], count: int) -> Any:
    """The entries as texts, a column for each place in the lists; None where a comma does not always part two."""
    import pyarrow
    from pyarrow import csv

    joined = "\n".join(texts)
    if not (joined.startswith("[") and joined.endswith("]") and joined.count("]\n[") == len(texts) - 1):
        return None
    data = joined[1:-1].replace("]\n[", "\n").encode()
    names = [str(place) for place in range(count)]
    try:
        return csv.read_csv(
            pyarrow.BufferReader(data),
            csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names),
            csv.ParseOptions(quote_char=False, double_quote=False),
            csv.ConvertOptions(column_types=dict.fromkeys(names, pyarrow.string()), strings_can_be_null=False),
        )
    except pyarrow.ArrowInvalid:
        return None


def rows_of(text: str) -> list[list[Any]]:
    """Quantity, value, bound and further columns of each row; raises as `grouped`."""
    ((names, (_, columns)),) = grouped([text]).items()
    numbers = iter([column.entries[0] for column in columns])
    return [
        [quantity, next(numbers), next(numbers), dict(zip(further, numbers, strict=False))]
        for quantity, further in names
    ]


@lru_cache(maxsize=1024)
def _current(line: str) -> str:
    """The first line with the names of today, in the place of those of an older version."""
    names = [(QUANTITIES.get(quantity, quantity), further) for quantity, further in _names(line)]
    return first_line(tuple([(quantity, *current_columns(quantity, further)) for quantity, further in names]))


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
