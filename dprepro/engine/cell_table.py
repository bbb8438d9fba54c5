"""The cells in a store's file."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from dprepro.engine import manifest
from dprepro.engine.cell_lines import Line, Origin, cell_digest, digest, digest_before, digest_end
from dprepro.engine.code import fingerprint
from dprepro.engine.connection import FULL, SHAPE, connect, reading
from dprepro.engine.resources import gc_paused
from dprepro.engine.rows import rows_of
from dprepro.errors import InputError

FILE_NAME = "measurements.sqlite"

_BATCH = 10_000  # keys in one query; SQLite takes 32,766
_CELL = "status, seconds, axes, replicate, rows, traceback"
_UNKNOWN: Origin = ("unknown", "", "")  # origin of cells from before origins were stored


@dataclass(frozen=True)
class Done:
    """What a store holds of some cells.

    Attributes:
        keys: measured or skipped, sound, and by the code asked for.
        other: numbers of sound cells by other code, by that code.
        damaged: keys of cells whose digest does not fit.
        digest: of those that are done, as `manifest.together` has it.
    """

    keys: set[bytes]
    other: Mapping[str, int]
    damaged: tuple[bytes, ...]
    digest: int = 0


@dataclass(frozen=True)
class StoredCell:
    """A sound cell as it is stored: `axes` and `rows` are texts, `origin` says what measured it."""

    status: str
    seconds: float
    axes: str
    replicate: int
    rows: str
    origin: Origin

    @property
    def code(self) -> str:
        """The fingerprint of the code that measured it."""
        return self.origin[0]

    @property
    def cpu(self) -> str:
        """The type of the machine that measured it."""
        return self.origin[2]

    @cached_property
    def parsed(self) -> list[list[Any]] | None:
        """Quantity, value, bound and further columns of each row; None where they cannot be taken apart."""
        try:
            return rows_of(self.rows)
        except SHAPE:
            return None


@dataclass(frozen=True)
class Scan:
    """Every cell of a store, read once.

    Attributes:
        sound: the code of each sound cell by its key.
        damaged: the row numbers of the others by their keys, which need not be keys.
    """

    sound: Mapping[bytes, str]
    damaged: Mapping[Any, int]


class CellTable:
    """The cells of one results folder; a context manager, made by :meth:`open`."""

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self.made = ""
        self._database = database
        self._origins: dict[Origin, int] = {}
        self._together = False

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
    def together(self) -> Iterator[None]:
        """All that is stored within the block is stored at its end, or nothing of it."""
        with self._transaction():
            self._together = True
            try:
                yield
            finally:
                self._together = False

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if self._together:
            yield self._database
            return
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

    @gc_paused()
    def done(self, wanted: Mapping[bytes, str], any_code: bool = False) -> Done:
        """What is stored of cells, given as the code of each by its key; failed cells are not done, but tried again."""
        keys: set[bytes] = set()
        other: Counter[str] = Counter()
        damaged: list[bytes] = []
        together = 0
        ((empty,),) = self._database.execute("SELECT NOT EXISTS (SELECT 1 FROM cells)")
        for some in _batches([] if empty else sorted(wanted)):
            digests = []
            for key, cell, origin, sound in self._cells(some, most=self._holds_most(wanted)):
                if not sound:
                    damaged.append(key)
                elif not cell[0].startswith("failed"):
                    if origin[0] == wanted[key] or any_code:
                        keys.add(key)
                        digests.append(sound)
                    else:
                        other[origin[0]] += 1
            together ^= manifest.together(digests)
        return Done(keys, dict(other), tuple(damaged), together)

    def commit(self, lines: Iterable[Line]) -> None:
        """Store cells in one transaction, in place of earlier ones with the same key."""
        with self._transaction() as database:
            self._enter_cells(database, lines)

    def _enter_cells(self, database: sqlite3.Connection, lines: Iterable[Line]) -> None:
        own, origin, number = dict[bytes, tuple[Any, ...]](), _UNKNOWN, -1
        for line in lines:
            if line[7] is not origin or number < 0:
                origin, number = line[7], self._origin(database, line[7])
            own[line[0]] = (*line[:7], number, line[8])
        # neighbours in the index are neighbours in the table: quicker to read
        stored = sorted(own.values(), key=itemgetter(0))
        ((last,),) = database.execute("SELECT coalesce(max(rowid), 0) FROM cells")
        cursor = database.executemany("INSERT OR IGNORE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", stored)
        gone: dict[bytes, object] = {}
        if cursor.rowcount < len(stored):
            gone = dict(self._selected("key, digest", list(own), f"AND rowid <= {int(last)}"))
            again = [own[key] for key in gone]
            database.executemany("INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", again)
        added = [line[8] for line in stored]
        manifest.enter(database, "cells", added, gone.values(), more=len(stored) - len(gone))

    def _origin(self, database: sqlite3.Connection, origin: Origin) -> int:
        if origin not in self._origins:
            added = database.execute("INSERT OR IGNORE INTO origins(code, made, cpu) VALUES (?, ?, ?)", origin).rowcount
            find = "SELECT id FROM origins WHERE code = ? AND made = ? AND cpu = ?"
            ((number,),) = database.execute(find, origin)
            if added:
                manifest.enter(database, "origins", [digest(number, *origin)])
            self._origins[origin] = int(number)
        return self._origins[origin]

    def _selected(self, columns: str, keys: Sequence[bytes], more: str = "") -> Iterator[tuple[Any, ...]]:
        """These columns of the cells that are stored."""
        for batch in _batches(keys):
            query = f"SELECT {columns} FROM cells WHERE key IN ({','.join('?' * len(batch))}) {more}"
            yield from self._database.execute(query, batch)

    def _in_order(self, columns: str, keys: Sequence[bytes]) -> Iterator[tuple[Any, ...]]:
        """The same, ``key`` first, where the cells are most of those that the store holds: twice as quick."""
        for batch in _batches(sorted(keys)):
            asked = set(batch)
            query = f"SELECT {columns} FROM cells WHERE key BETWEEN ? AND ?"
            lines = self._database.execute(query, (batch[0], batch[-1])).fetchall()
            yield from [line for line in lines if line[0] in asked]

    def _holds_most(self, keys: Sized) -> bool:
        """Whether so many cells are most of those that the store holds."""
        ((held,),) = self._database.execute("SELECT coalesce(max(rowid), 0) FROM cells")
        return bool(2 * len(keys) > held)

    def _cells(
        self, keys: Sequence[bytes], most: bool | None = None, trusted: bool = False
    ) -> Iterator[tuple[bytes, tuple[Any, ...], Origin, bytes]]:
        """Key, columns, origin and digest of the cells that are stored; of one that is damaged the digest is empty.

        ``most`` is whether the keys belong to most of the cells that the store holds. A digest that is ``trusted`` is
        given as it is stored, and the cell not held against it.
        """
        with reading(self.path):
            origins, columns = self._stored_origins(), f"key, {_CELL}, origin, digest"
            most = self._holds_most(keys) if most is None else most
            found = self._in_order(columns, keys) if most else self._selected(columns, keys)
            if trusted:
                yield from ((line[0], line[1:7], origins.get(line[7], _UNKNOWN), line[8]) for line in found)
            else:
                yield from _all_judged(found, origins)

    def _stored_origins(self) -> dict[int, Origin]:
        return {i: (c, m, u) for i, c, m, u in self._database.execute("SELECT id, code, made, cpu FROM origins")}

    @gc_paused()
    def scan(self) -> Scan:
        """Read every cell, and hold it against its digest."""
        sound, damaged = dict[bytes, str](), dict[Any, int]()
        with reading(self.path):
            origins = self._stored_origins()
            for number, *line in self._database.execute(f"SELECT rowid, key, {_CELL}, origin, digest FROM cells"):
                origin, found = _judged(line, origins)
                if found:
                    sound[line[0]] = origin[0]
                else:
                    damaged[line[0] if line[0] is not None else number] = number
        return Scan(sound, damaged)

    def every_line(self, size: int) -> Iterator[list[Line]]:
        """All cells, as many at a time as ``size`` says; the digest of one that is damaged is empty."""
        with reading(self.path):
            origins = self._stored_origins()
            found = self._database.execute(f"SELECT key, {_CELL}, origin, digest FROM cells ORDER BY rowid")
            while some := found.fetchmany(size):
                lines = []
                for line in some:
                    origin, sound = _judged(line, origins)
                    cell = line[:-2]
                    lines.append(Line._make((*cell, origin, cell_digest(cell, origin) if sound else b"")))
                yield lines

    def lines(self, keys: Sequence[bytes]) -> dict[bytes, Line]:
        """The stored lines of these cells; the digest of a damaged one is empty."""
        return {key: Line._make((key, *cell, origin, sound)) for key, cell, origin, sound in self._cells(keys)}

    def health(self) -> list[str]:
        """What is wrong with the file, and what it has lost; a changed bit inside a value is seen by `scan`."""
        with reading(self.path):
            said = [str(line) for (line,) in self._database.execute("PRAGMA integrity_check") if line != "ok"]
            nameless = "SELECT count(*) FROM runs WHERE typeof(experiment) <> 'text'"
            ((count,),) = self._database.execute(nameless)
            lost = manifest.missed(self._database)
        return said + lost + ([f"{count} runs have no readable name"] if count else [])

    def mend(self) -> None:
        """Take out every cell that is not as it was stored, and enter what is left as what the store holds."""
        numbers = [(number,) for number in self.scan().damaged.values()]
        with self._transaction() as database:
            database.executemany("DELETE FROM cells WHERE rowid = ?", numbers)
            manifest.seal(database)

    def stored(self, keys: Sequence[bytes]) -> dict[bytes, StoredCell]:
        """The cells among these that are stored and sound."""
        return {
            key: StoredCell(str(status), seconds, str(axes), replicate, str(rows), origin)
            for key, (status, seconds, axes, replicate, rows, _), origin, sound in self._cells(keys)
            if sound
        }

    def _codes(self) -> dict[str, dict[str, str]]:
        """The modules of every code on record with their digests; one whose record does not fit it has none."""
        found: dict[str, dict[str, str]] = {}
        with reading(self.path):
            for code, text in self._database.execute("SELECT code, modules FROM codes"):
                with suppress(*SHAPE):
                    modules = {str(name): str(load) for name, load in json.loads(text).items()}
                    if fingerprint(modules) == code:
                        found[code] = modules
        return found

    def difference(self, codes: Iterable[str], wanted: Iterable[str]) -> tuple[str, ...]:
        """The modules in which codes of stored cells differ from those wanted, where both are on record."""
        known = self._codes()
        now = {name: digest for code in wanted for name, digest in known.get(code, {}).items()}
        differs = {
            name for code in codes for name, digest in known.get(code, {}).items() if now.get(name, digest) != digest
        }
        return tuple(sorted(differs))


def _batches(keys: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """The keys of one query after the other."""
    return (keys[start : start + _BATCH] for start in range(0, len(keys), _BATCH))


def _all_judged(
    lines: Iterable[tuple[Any, ...]], origins: Mapping[int, Origin]
) -> Iterator[tuple[bytes, tuple[Any, ...], Origin, bytes]]:
    """Key, columns, origin and digest of each cell, as `_judged` has them, which is asked for those in doubt."""
    known = {number: (origin, digest_end(origin)) for number, origin in origins.items()}
    nobody = _UNKNOWN, digest_end(_UNKNOWN)
    for line in lines:
        number, found = line[7], line[8]
        origin, end = known.get(number, nobody)
        if number is None or type(line[0]) is not bytes or digest_before(line[:7], end) != found:
            origin, found = _judged(line, origins)
        yield line[0], line[1:7], origin, found


def _judged(line: Sequence[Any], origins: Mapping[int, Origin]) -> tuple[Origin, bytes]:
    """The origin of a cell, and its digest, empty if that does not fit: of key, columns, origin's number, digest."""
    *cell, number, stored = line
    origin = origins.get(number, _UNKNOWN)
    found = cell_digest(cell, origin) if isinstance(cell[0], bytes) else b""
    if found and number is not None and stored != found:
        # until version 4 a cell had a digest of the parts as `digest` takes them
        found = stored if stored == digest(*cell, *origin) else b""
    return origin, found
