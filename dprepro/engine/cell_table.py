"""The cells in a store's file, each with a digest of all that is stored of it and with its origin.

A cell's origin is the code that made it, the commit and versions of the packages, and the type of the CPU.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from dprepro.engine.cell import Result
from dprepro.engine.connection import FULL, SHAPE, connect, reading
from dprepro.engine.room import uncollected
from dprepro.engine.rows import dump, rows_of, text_of
from dprepro.errors import InputError

FILE_NAME = "measurements.sqlite"

_BATCH = 10_000  # keys in one query; SQLite takes 32,766
_CELL = "status, seconds, axes, replicate, rows, traceback"
_UNKNOWN = ("unknown", "", "")  # origin of cells from before origins were stored


@lru_cache(maxsize=65536, typed=True)
def _axis(name: str, value: float) -> str:
    """An entry of the text of a cell's axes, which many cells share."""
    return f"{dump(name)}:{dump(value)}"


@dataclass(frozen=True)
class Done:
    """What a store holds of some cells.

    Attributes:
        keys: measured or skipped, sound, and by the code asked for.
        other: numbers of sound cells by other code, by that code.
        damaged: keys of cells whose digest does not fit.
    """

    keys: set[bytes]
    other: Mapping[str, int]
    damaged: tuple[bytes, ...]


class CellTable:
    """The cells of one results folder; a context manager, made by :meth:`open`."""

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self.made = ""
        self._database = database
        self._origins: dict[tuple[str, str, str], int] = {}

    @classmethod
    def open(cls, results_dir: str | Path, create: bool = False) -> Self:
        """Open `results_dir/measurements.sqlite`; without `create` for reading only, and an absent file reads as empty.

        Raises `InputError` if the file is no store, is from a newer version, or cannot be created or written.
        """
        path = Path(results_dir) / FILE_NAME
        try:
            if create:
                path.parent.mkdir(parents=True, exist_ok=True)
            database = connect(path, create)
        except (OSError, ValueError, sqlite3.Error) as error:
            if isinstance(error, InputError):
                raise
            reason = "the disk is full" if str(error) == FULL else getattr(error, "strerror", None) or error
            verb = "create or open" if create else "read"
            raise InputError(f"cannot {verb} the store {path}: {reason}; choose another results_dir") from None
        return cls(database, path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the last one to close it removes SQLite's side files."""
        self._database.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
                self._database.execute("COMMIT")
            except BaseException:
                self._origins.clear()
                with suppress(sqlite3.Error):  # on a full disk SQLite has rolled back already
                    self._database.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            if str(error) == FULL:
                raise InputError(
                    f"the disk of {self.path} is full: what was stored before is safe; make room, and the same command"
                    " resumes"
                ) from error
            raise InputError(f"cannot write the store {self.path}: {error}") from error

    @uncollected()
    def done(self, wanted: Mapping[bytes, str], any_code: bool = False) -> Done:
        """What is stored of cells, given as the code of each by its key; failed cells are not done, but tried again."""
        keys: set[bytes] = set()
        other: Counter[str] = Counter()
        damaged: list[bytes] = []
        for key, cell, origin, sound in self._cells(list(wanted)):
            if not sound:
                damaged.append(key)
            elif not cell[0].startswith("failed"):
                if origin[0] == wanted[key] or any_code:
                    keys.add(key)
                else:
                    other[origin[0]] += 1
        return Done(keys, dict(other), tuple(damaged))

    def commit(self, results: Iterable[Result]) -> None:
        """Store results in one transaction, in place of earlier ones with the same key."""
        with self._transaction() as database:
            lines, rows, text = list[tuple[Any, ...]](), None, ""
            for r in results:
                if r.rows is not rows:  # replicates that are one share theirs
                    rows, text = r.rows, text_of(r.rows)
                cell = (
                    r.key,
                    r.status,
                    r.seconds,
                    "{" + ",".join([_axis(name, value) for name, value in r.axes.items()]) + "}",
                    r.replicate,
                    text,
                    r.traceback,
                )
                origin = (r.code, self.made, r.cpu)
                lines.append((*cell, self._origin(database, origin), _cell_digest(cell, origin)))
            lines.sort(key=itemgetter(0))  # neighbours in the index are neighbours in the table: quicker to read
            database.executemany("INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", lines)

    def _origin(self, database: sqlite3.Connection, origin: tuple[str, str, str]) -> int:
        if origin not in self._origins:
            database.execute("INSERT OR IGNORE INTO origins(code, made, cpu) VALUES (?, ?, ?)", origin)
            found = database.execute(
                "SELECT id FROM origins WHERE code = ? AND made = ? AND cpu = ?", origin
            ).fetchone()
            self._origins[origin] = int(found[0])
        return self._origins[origin]

    def _cells(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, tuple[Any, ...], tuple[str, str, str], bytes]]:
        """Key, columns, origin and digest of the cells that are stored; of one that is damaged the digest is empty."""
        with reading(self.path):
            origins = {i: (c, m, u) for i, c, m, u in self._database.execute("SELECT id, code, made, cpu FROM origins")}
            for start in range(0, len(keys), _BATCH):
                batch = keys[start : start + _BATCH]
                query = f"SELECT key, {_CELL}, origin, digest FROM cells WHERE key IN ({','.join('?' * len(batch))})"
                for line in self._database.execute(query, batch):
                    cell, number, stored = line[:-2], line[-2], line[-1]
                    origin = origins.get(number, _UNKNOWN)
                    found = _cell_digest(cell, origin) if isinstance(cell[0], bytes) else b""
                    if found and number is not None and stored != found:
                        # until version 4 a cell had a digest of the parts as `digest` takes them
                        found = stored if stored == digest(*cell, *origin) else b""
                    yield cell[0], cell[1:], origin, found

    def health(self) -> list[str]:
        """What SQLite finds wrong with the file; it does not see a changed bit inside a value."""
        with reading(self.path):
            said = [str(line) for (line,) in self._database.execute("PRAGMA integrity_check") if line != "ok"]
            nameless = "SELECT count(*) FROM runs WHERE typeof(experiment) <> 'text'"
            ((count,),) = self._database.execute(nameless)
        return said + ([f"{count} runs have no readable name"] if count else [])

    def damaged(self) -> list[bytes]:
        """The keys of all stored cells whose digest does not fit."""
        with reading(self.path):
            keys = [key for (key,) in self._database.execute("SELECT key FROM cells")]
        return [key for key, _, _, sound in self._cells(keys) if not sound]

    def remove(self, keys: Iterable[bytes]) -> None:
        """Take cells out of the store."""
        with self._transaction() as database:
            database.executemany("DELETE FROM cells WHERE key = ?", [(key,) for key in keys])

    def results(self, keys: Sequence[bytes]) -> dict[bytes, tuple[str, list[Any], str, str]]:
        """Status, rows (quantity, value, bound, columns), code and CPU of those cells that are stored and sound."""
        with reading(self.path):
            return {
                key: (str(cell[0]), rows_of(cell[4]), origin[0], origin[2])
                for key, cell, origin, sound in self._cells(keys)
                if sound
            }

    def _codes(self) -> dict[str, dict[str, str]]:
        """The modules of every code on record with their digests; one whose record is damaged has none."""
        found: dict[str, dict[str, str]] = {}
        with reading(self.path):
            for code, text in self._database.execute("SELECT code, modules FROM codes"):
                with suppress(*SHAPE):
                    found[str(code)] = {str(name): str(one) for name, one in json.loads(text).items()}
        return found

    def difference(self, codes: Iterable[str], wanted: Iterable[str]) -> tuple[str, ...]:
        """The modules in which codes of stored cells differ from those wanted, where both are on record."""
        known = self._codes()
        now = {name: digest for code in wanted for name, digest in known.get(code, {}).items()}
        differs = {
            name for code in codes for name, digest in known.get(code, {}).items() if now.get(name, digest) != digest
        }
        return tuple(sorted(differs))


def digest(*parts: Any) -> bytes:
    """16 bytes that depend on every part and on where one ends."""
    return hashlib.blake2b(_joined(*parts), digest_size=16).digest()


def _joined(*parts: Any) -> bytes:
    """The parts one after the other, each behind its length."""
    contents = [part if isinstance(part, bytes) else repr(part).encode() for part in parts]
    return b"".join([b"%d:%b" % (len(content), content) for content in contents])


@lru_cache(maxsize=1024)
def _end(origin: tuple[str, str, str]) -> bytes:
    """The last parts of a cell's digest, which many cells share."""
    return _joined(*origin)


def _cell_digest(cell: Sequence[Any], origin: tuple[str, str, str]) -> bytes:
    """16 bytes that depend on a cell's key and columns and on its origin; empty for columns that are no text."""
    key, status, seconds, axes, replicate, rows, trace = cell
    try:
        sizes = f"{len(status)} {len(axes)} {len(rows)} {seconds!r} {replicate!r} {trace!r} "
    except TypeError:
        return b""
    told = f"{sizes}{status}{axes}{rows}".encode()
    return hashlib.blake2b(told + key + _end(origin), digest_size=16).digest()
