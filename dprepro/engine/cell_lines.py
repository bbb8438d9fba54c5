"""A cell as a line of the store: its texts and numbers, its origin, and a digest of them all.

Whoever measures a cell writes its line, so that workers hand in what is stored as it is: a line is plain data, quicker
to send than rows and columns, and the process that stores has less to do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from dprepro.engine.cell import Result
from dprepro.engine.rows import dump, text_of

Origin = tuple[str, str, str]
"""The code that made a cell, the commit and versions of the packages, and the type of the CPU."""

_blake2b = hashlib.blake2b


class Line(NamedTuple):
    """A cell as it is stored: `axes` and `rows` are texts, `digest` is that of all others."""

    key: bytes
    status: str
    seconds: float
    axes: str
    replicate: int
    rows: str
    traceback: str | None
    origin: Origin
    digest: bytes


def lines_of(results: Iterable[Result], made: str) -> list[Line]:
    """The lines of results that ``made``, a commit and versions, gave."""
    lines, rows, text, axes, point = list[Line](), None, "", None, ""
    origins: dict[tuple[str, str], Origin] = {}
    for r in results:
        if r.rows is not rows:  # replicates that are one share theirs
            rows, text = r.rows, text_of(r.rows)
        if r.axes is not axes:  # and all of them their grid point
            axes, point = r.axes, point_text(r.axes)
        origin = origins.setdefault((r.code, r.cpu), (r.code, made, r.cpu))
        cell = (r.key, r.status, r.seconds, point, r.replicate, text, r.traceback)
        lines.append(Line(*cell, origin, cell_digest(cell, origin)))
    return lines


def point_text(axes: Mapping[str, float]) -> str:
    """A grid point as it is stored."""
    return "{" + ",".join([_axis(name, value) for name, value in axes.items()]) + "}"


@lru_cache(maxsize=65536, typed=True)
def _axis(name: str, value: float) -> str:
    """An entry of the text of a grid point; few of them differ."""
    return f"{dump(name)}:{dump(value)}"


def digest(*parts: Any) -> bytes:
    """16 bytes that depend on every part and on where one ends."""
    return hashlib.blake2b(_joined(*parts), digest_size=16).digest()


def cell_digest(cell: Sequence[Any], origin: Origin) -> bytes:
    """16 bytes that depend on a cell's key and columns and on its origin; empty for columns that are no text."""
    return digest_before(cell, digest_end(origin))


def digest_before(cell: Sequence[Any], end: bytes) -> bytes:
    """As `cell_digest`, with the `digest_end` of the origin."""
    key, status, seconds, axes, replicate, rows, trace = cell
    try:
        content = f"{len(status)} {len(axes)} {len(rows)} {seconds!r} {replicate!r} {trace!r} {status}{axes}{rows}"
    except TypeError:
        return b""
    return _blake2b(content.encode() + key + end, digest_size=16).digest()


@lru_cache(maxsize=1024)
def digest_end(origin: Origin) -> bytes:
    """The last parts of a cell's digest, which many cells share."""
    return _joined(*origin)


def _joined(*parts: Any) -> bytes:
    """The parts one after the other, each behind its length."""
    contents = [part if isinstance(part, bytes) else repr(part).encode() for part in parts]
    return b"".join([b"%d:%b" % (len(content), content) for content in contents])
