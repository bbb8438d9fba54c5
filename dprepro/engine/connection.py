"""The SQLite file of a store: its tables, how it is opened, and what can be wrong with it."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dprepro.errors import InputError

SCHEMA_VERSION = 4
BUSY_SECONDS = 30.0
# Keys are hashes, so a commit of a large store touches its whole index: it is worth keeping, worth writing seldom, and
# in few pages.
CACHE_KIB = 65536
PAGE_BYTES = 16384
LOG_PAGES = 4096  # 64 MiB

SCHEMA = f"""
CREATE TABLE cells(key BLOB PRIMARY KEY, status TEXT NOT NULL, seconds REAL NOT NULL, axes TEXT NOT NULL,
                   replicate INTEGER NOT NULL, rows TEXT NOT NULL, traceback TEXT, origin INTEGER, digest BLOB);
CREATE TABLE runs(id INTEGER PRIMARY KEY, experiment TEXT NOT NULL, config TEXT NOT NULL, overrides TEXT NOT NULL,
                  provenance TEXT NOT NULL, layout TEXT NOT NULL, keys BLOB NOT NULL, finished INTEGER NOT NULL,
                  digest BLOB);
CREATE TABLE origins(id INTEGER PRIMARY KEY, code TEXT NOT NULL, made TEXT NOT NULL, cpu TEXT NOT NULL,
                     UNIQUE(code, made, cpu));
CREATE TABLE codes(code TEXT PRIMARY KEY, modules TEXT NOT NULL);
PRAGMA user_version = {SCHEMA_VERSION};
"""

_UPGRADE = f"""
ALTER TABLE cells ADD COLUMN origin INTEGER;
ALTER TABLE cells ADD COLUMN digest BLOB;
ALTER TABLE runs ADD COLUMN digest BLOB;
{SCHEMA[SCHEMA.index("CREATE TABLE origins") :]}
"""


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
    if not create and not path.exists():
        return _empty()
    address = f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}"
    database = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        # one statement, so that the two numbers belong together even while another process creates the tables
        state = "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_master)"
        version, tables = database.execute(state).fetchone()
        if version > SCHEMA_VERSION:
            raise InputError(
                f"the store {path} has version {version}, this dprepro knows versions up to {SCHEMA_VERSION};"
                " update dprepro or choose another results_dir"
            )
        if version == 0 and tables:
            raise InputError(f"{path} is a database, but not a store of measurements; choose another results_dir")
        if found := database.execute(
            "SELECT type FROM sqlite_master WHERE type IN ('view', 'trigger') LIMIT 1"
        ).fetchone():
            raise InputError(
                f"{path} has {found[0]}s, which no store has and which may be endless; choose another results_dir"
            )
        if version == 0 and not create:
            database.close()
            return _empty()
        if version == 0:
            database.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # has no effect where there is something already
            database.execute("PRAGMA journal_mode = WAL")
        if 0 < version < SCHEMA_VERSION:
            _upgrade(database)
        if not create:
            database.execute("PRAGMA query_only = ON")
            return database
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        database.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        database.execute("BEGIN IMMEDIATE")  # also the proof that the file can be written
        if database.execute(state).fetchone() == (0, 0):
            for statement in SCHEMA.split(";"):
                database.execute(statement)
        database.execute("COMMIT")
    except BaseException:
        database.close()
        raise
    return database


def _upgrade(database: sqlite3.Connection) -> None:
    """From version 3, of other digests, 2, whose rows are one text, both read as they are, or 1.

    Cells of version 1 do not say what code made them, and are measured again when asked for.
    """
    database.execute("BEGIN IMMEDIATE")
    ((version,),) = database.execute("PRAGMA user_version")
    if version > 1:
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    if version == 1:
        for statement in _UPGRADE.split(";"):
            database.execute(statement)
        for number, layout in database.execute("SELECT id, layout FROM runs").fetchall():
            try:
                segments = [(series, role, "", count) for series, role, count in json.loads(layout)]
            except SHAPE:
                continue  # reading the run says that it is damaged
            database.execute("UPDATE runs SET layout = ? WHERE id = ?", (json.dumps(segments), number))
    database.execute("COMMIT")


def _empty() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", isolation_level=None)
    database.executescript(SCHEMA + "PRAGMA query_only = ON;")
    return database
