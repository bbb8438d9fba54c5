"""What is measured: one cell, its key, and the rows that measuring it gives."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple

from dprepro.axes import AXES
from dprepro.errors import InputError

LEADING = ("experiment", "series", "role", *AXES, "replicate", "quantity", "value", "bound", "status", "seconds")

_EXACT = 2.0**53  # below it every whole float is exactly one integer
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


@dataclass(frozen=True, slots=True)
class Row:
    """One measured quantity of a cell; `columns` are the study's own extra columns."""

    quantity: str
    value: float
    bound: float | None = None
    columns: dict[str, float | int | str | bool | None] = field(default_factory=dict)


@dataclass(slots=True)  # a frozen one takes six times as long to make, and a run may have a million
class Cell:
    """One series x grid point x replicate.

    `axes` is the grid point (n, p, epsilon, delta, norm and any more); `science` is the canonical text of everything
    else that shapes the measurement (study, algorithm, construction, their versions, the hash of input data). `series`
    and `role` are labels: cells that differ only in them are the same measurement and share one key. `code` is the
    digest of the code that measures it; a stored cell of other code is measured again. `beside` is what is written
    beside the measurement and shapes none of it, as a schedule as printed: with another one the cell has another key,
    and the same draws. Nobody changes a cell.
    """

    series: str
    role: str
    axes: dict[str, float]
    replicate: int
    seed: int
    science: str
    code: str = ""
    beside: str = ""
    _key: bytes = field(default=b"", init=False, repr=False, compare=False)

    @property
    def key(self) -> bytes:
        """SHA-256 of the canonical text of axes, replicate, seed and the SHA-256 of `science` and of `beside`.

        Raises:
            InputError: an axis or a seed that cannot be told.
        """
        if not self._key:  # slots, of which there are millions, leave no room for a cached_property
            self._key = self._keyed(self.science + self.beside)
        return self._key

    @property
    def stream(self) -> bytes:
        """The key of its random stream, which knows nothing of `beside`."""
        return self._keyed(self.science) if self.beside else self.key

    def _keyed(self, science: str) -> bytes:
        before, after = self._around(science)
        return hashlib.sha256(b"%b%b%b" % (before, _number(self.replicate).encode(), after)).digest()

    def _around(self, science: str) -> tuple[bytes, bytes]:
        """What stands before and after the replicate's number in the text of the key."""
        axes = ",".join([_entry(name, self.axes[name]) for name in sorted(self.axes)])
        after = f',"science":"{_digest(science)}","seed":{_number(self.seed)}}}'
        return f'{{"axes":{{{axes}}},"replicate":'.encode(), after.encode()


def keys_of(cells: Iterable[Cell]) -> list[bytes]:
    """The keys of cells, in order; what the replicates of a grid point share is put into words once.

    Raises:
        InputError: as `Cell.key`.
    """
    keys = []
    last: Cell | None = None
    before, after = b"", b""
    for cell in cells:
        if not (key := cell._key):
            if last is None or not (
                cell.axes is last.axes and cell.science is last.science and cell.beside is last.beside
                and cell.seed is last.seed
            ):  # fmt: skip
                last = cell
                before, after = cell._around(cell.science + cell.beside)
            replicate = cell.replicate
            number = b"%d" % replicate if type(replicate) is int else _number(replicate).encode()
            cell._key = key = hashlib.sha256(before + number + after).digest()
        keys.append(key)
    return keys


class Result(NamedTuple):
    """What measuring one cell gave: `status` is `ok`, `failed: <error>` or `skipped: <premise>`; wall `seconds`.

    `code` is the cell's, `cpu` the type of the machine that measured it.
    """

    key: bytes
    status: str
    seconds: float
    axes: dict[str, float]
    replicate: int
    rows: Sequence[Row] = ()
    traceback: str | None = None
    code: str = ""
    cpu: str = ""


def canonical(value: object) -> str:
    """The one JSON text of a value: sorted keys, no spaces, 1e6 = 1000000, infinity as "inf", enums by value.

    Raises `InputError` for nan and for anything that JSON has no word for.
    """
    return _encode(_plain(value))


def _plain(value: Any) -> Any:
    if value is None or (isinstance(value, bool | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if math.isnan(value):
            raise InputError("nan cannot be part of a cell's specification; give a number, inf or null")
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return int(value) if value.is_integer() and abs(value) < _EXACT else float(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        for name in value:
            if not isinstance(name, str):
                raise InputError(f"{name!r} cannot name an entry of a cell's specification; names are strings")
        return {name: _plain(item) for name, item in value.items()}
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        return _plain(value.item())
    raise InputError(f"a {type(value).__name__} cannot be part of a cell's specification; give plain numbers and text")


def _number(value: float) -> str:
    """`canonical`, with short cuts for the two common types: a run asks for it once per axis and cell."""
    if type(value) is int:
        return str(value)
    if type(value) is float and not value.is_integer() and math.isfinite(value):
        return repr(value)
    return canonical(value)


@lru_cache(maxsize=65536, typed=True)
def _entry(axis: str, value: float) -> str:
    """An axis with its value: the cells of a grid share them."""
    return f"{canonical(axis)}:{_number(value)}"


@lru_cache(maxsize=1024)
def _digest(science: str) -> str:
    return hashlib.sha256(science.encode()).hexdigest()
