"""The SQLite file of a store: its tables, how it is opened, and what can be wrong with it."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dprepro.engine.cell_lines import digest
from dprepro.engine.manifest import seal
from dprepro.errors import InputError

SCHEMA_VERSION = 5
BUSY_SECONDS = 30.0
# Keys are hashes, so a commit of a large store touches its whole index: it is worth keeping, worth writing seldom, and
# in few pages.
CACHE_KIB = 65536
PAGE_BYTES = 16384
LOG_PAGES = 4096  # 64 MiB

_RUNS_4 = """CREATE TABLE runs(id INTEGER PRIMARY KEY, experiment TEXT NOT NULL, config TEXT NOT NULL,
                  overrides TEXT NOT NULL, provenance TEXT NOT NULL, layout TEXT NOT NULL, keys BLOB NOT NULL,
                  finished INTEGER NOT NULL, digest BLOB)"""
TABLES = {
    "cells": """CREATE TABLE cells(key BLOB PRIMARY KEY, status TEXT NOT NULL, seconds REAL NOT NULL,
                   axes TEXT NOT NULL, replicate INTEGER NOT NULL, rows TEXT NOT NULL, traceback TEXT, origin INTEGER,
                   digest BLOB)""",
    "runs": """CREATE TABLE runs(id INTEGER PRIMARY KEY, experiment TEXT NOT NULL, config TEXT NOT NULL,
                  overrides TEXT NOT NULL, provenance TEXT NOT NULL, finished INTEGER NOT NULL, sources TEXT NOT NULL,
                  mark BLOB NOT NULL, digest BLOB NOT NULL, layout TEXT NOT NULL, keys BLOB NOT NULL)""",
    "origins": """CREATE TABLE origins(id INTEGER PRIMARY KEY, code TEXT NOT NULL, made TEXT NOT NULL,
                     cpu TEXT NOT NULL, UNIQUE(code, made, cpu))""",
    "codes": "CREATE TABLE codes(code TEXT PRIMARY KEY, modules TEXT NOT NULL)",
    "manifest": "CREATE TABLE manifest(part TEXT PRIMARY KEY, entries INTEGER NOT NULL, digest BLOB NOT NULL)",
}
"""What the file holds, each table in the text that made it: a table of another text may compute without end."""


FULL = "database or disk is full"
_NAMES_ANOTHER = bytes.fromhex("d9d505f920a163d7")
"""The end of a rollback journal that names a super-journal, in SQLite's file format."""
SHAPE = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)
"""What taking stored texts and numbers apart raises where they have another shape than they were stored with."""


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """What a damaged file makes SQLite, or whoever takes its contents apart, complain of: one line, as InputError."""
    try:
        yield
    except InputError:
        raise
    except UnicodeDecodeError as error:
        raise damaged(path, "it holds text that is none") from error
    except sqlite3.Error as error:
        raise damaged(path, error) from error
    except SHAPE as error:
        raise damaged(path, f"an entry has another shape than it was stored with ({str(error)[:100]})") from error


def damaged(path: Path, reason: object) -> InputError:
    """What is said of a store that cannot be read."""
    said = f"the disk of {path} is full" if str(reason) == FULL else f"the store {path} is damaged: {reason}"
    return InputError(f"{said}; keep a copy and choose another results_dir")


def _check_journal(file: Path) -> None:
    """Refuse a journal that names another file: SQLite would delete that one. A store's never does."""
    if not file.is_file():
        return
    with file.open("rb") as journal:
        journal.seek(max(0, file.stat().st_size - len(_NAMES_ANOTHER)))
        if journal.read() == _NAMES_ANOTHER:
            raise InputError(f"{file} names another file, which no store's does; keep a copy and take it away")


def connect(path: Path, create: bool) -> sqlite3.Connection:
    """A connection to a file that is known to be a store; an empty one in memory where there is nothing to read.

    Raises:
        InputError: no store, one from a newer version. sqlite3.Error: a file that cannot be opened.
    """
    if path.is_symlink() and not path.exists():
        raise InputError(f"{path} is a link that leads to no file")
    if (at := os.path.realpath(path)) != os.path.join(os.path.realpath(path.parent), path.name):
        raise InputError(f"{path} is a link that leads to {at}; name the folder there as results_dir")
    for file in (path, *(path.with_name(f"{path.name}-{side}") for side in ("wal", "shm", "journal"))):
        if file.exists() and not file.is_file():  # SQLite would wait for a pipe's other end
            raise InputError(f"{file} is not a regular file; choose another results_dir")
    _check_journal(path.with_name(f"{path.name}-journal"))
    wal = path.with_name(f"{path.name}-wal")
    if not (path.exists() and path.stat().st_size) and wal.exists() and wal.stat().st_size:
        raise InputError(
            f"{wal} stands without its {path.name}, and SQLite would delete it; put that file back, or keep a copy of"
            " this one and take it away"
        )
    if not create and not path.exists():
        return _empty()
    mode = "rwc" if create else "ro&immutable=1" if _sealed(path) else "rw"
    database = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=BUSY_SECONDS, isolation_level=None
    )
    try:
        version, objects = _state(database)
        if version > SCHEMA_VERSION:
            raise InputError(
                f"the store {path} has version {version}, this dprepro knows versions up to {SCHEMA_VERSION};"
                " update dprepro or choose another results_dir"
            )
        if version < 0 or (version == 0 and objects):
            raise InputError(f"{path} is a database, but not a store of measurements; choose another results_dir")
        if version == 0 and not create:
            database.close()
            return _empty()
        if version == 0:
            database.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # has no effect where there is something already
            database.execute("PRAGMA journal_mode = WAL")
        else:
            _check_tables(path, objects, _tables(version))
        if 0 < version < SCHEMA_VERSION:
            _upgrade(database)
        if not create:
            database.execute("PRAGMA query_only = ON")
            return database
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        database.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        database.execute("BEGIN IMMEDIATE")  # also the proof that the file can be written
        if database.execute("PRAGMA user_version").fetchone() == (0,):
            _make(database)
        database.execute("COMMIT")
    except BaseException:
        database.close()
        raise
    return database


def _sealed(path: Path) -> bool:
    """Whether nothing can be written beside a file, as SQLite wants to even to read, and nothing stands beside it."""
    beside = [path.with_name(f"{path.name}-{side}") for side in ("wal", "journal")]
    return not os.access(path.parent, os.W_OK) and not any(file.exists() and file.stat().st_size for file in beside)


_Objects = list[tuple[str, str, str | None]]


def _state(database: sqlite3.Connection) -> tuple[int, _Objects]:
    """The version, and type, name and text of all that the file defines; nothing of that is run."""
    database.execute("BEGIN")  # so that both belong together even while another process creates the tables
    try:
        objects = database.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
        ((version,),) = database.execute("PRAGMA user_version")
    finally:
        database.execute("COMMIT")
    return version, objects


def _tables(version: int) -> dict[str, str]:
    """The tables of a store of this version."""
    if version == SCHEMA_VERSION:
        return TABLES
    tables = TABLES | {"runs": _RUNS_4}
    del tables["manifest"]
    if version > 1:
        return tables
    later = {"cells": ",origin INTEGER,digest BLOB", "runs": ",digest BLOB"}
    return {name: _spaced(tables[name]).replace(columns, "") for name, columns in later.items()}


def _check_tables(path: Path, objects: _Objects, tables: Mapping[str, str]) -> None:
    """Refuse a file that defines anything else than a store does."""
    own = [(kind, name, sql) for kind, name, sql in objects if not str(name).startswith("sqlite_")]
    if further := [kind for kind, name, _ in own if kind != "table" or name not in tables]:
        raise InputError(
            f"{path} has a further {further[0]}, which no store has and which may be endless; choose another"
            " results_dir"
        )
    found = {name: sql for _, name, sql in own}
    for name, sql in tables.items():
        if name not in found:
            raise damaged(path, f"it has no table {name}")
        if _spaced(found[name] or "") != _spaced(sql):
            raise damaged(path, f"its table {name} has other columns than a store's")


def _spaced(sql: str) -> str:
    """A text of SQL with as few spaces as can be: tables that were altered have other ones."""
    return re.sub(r" ?([(),]) ?", r"\1", " ".join(sql.split()))


def _make(database: sqlite3.Connection) -> None:
    for statement in TABLES.values():
        database.execute(statement)
    seal(database)
    database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _upgrade(database: sqlite3.Connection) -> None:
    """From version 4, without manifest, 3, of other digests of cells, 2, whose rows are one text, or 1.

    Digests and rows are read as they are. Cells of version 1 do not say what code made them, and are measured again
    when asked for. What its old digest does not fit has none that does.
    """
    database.execute("BEGIN IMMEDIATE")
    ((version,),) = database.execute("PRAGMA user_version")
    if version < SCHEMA_VERSION:  # else another process was first
        if version == 1:
            for column in ("origin INTEGER", "digest BLOB"):
                database.execute(f"ALTER TABLE cells ADD COLUMN {column}")
            database.execute("ALTER TABLE runs ADD COLUMN digest BLOB")
            database.execute(TABLES["origins"])
            database.execute(TABLES["codes"])
        database.execute("ALTER TABLE runs RENAME TO old_runs")
        database.execute(TABLES["runs"])
        for number, *columns, stored in database.execute(f"SELECT id, {_OLD_RUN}, digest FROM old_runs ORDER BY id"):
            sound = stored is None or stored == digest(*columns)
            experiment, config, overrides, provenance, layout, keys, finished = columns
            layout = _layout_2(layout) if version == 1 else layout
            mark = digest(experiment, config, overrides, layout, keys)
            whole = digest(mark, provenance, finished, "{}") if sound else b""
            line = (number, experiment, config, overrides, provenance, finished, "{}", mark, whole, layout, keys)
            database.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", line)
        database.execute("DROP TABLE old_runs")
        database.execute(TABLES["manifest"])
        seal(database)
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    database.execute("COMMIT")


_OLD_RUN = "experiment, config, overrides, provenance, layout, keys, finished"


def _layout_2(layout: str) -> str:
    """A layout of version 1 with a code that nobody has; one that cannot be read stays as it is."""
    try:
        return json.dumps([(series, role, "", count) for series, role, count in json.loads(layout)])
    except SHAPE:
        return layout


def _empty() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", isolation_level=None)
    _make(database)
    database.execute("PRAGMA query_only = ON")
    return database
