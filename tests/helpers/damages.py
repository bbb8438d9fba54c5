"""Ways in which a store's file can be damaged, by name: each changes the file at a path."""

from __future__ import annotations

import functools
import os
import random
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path

from dprepro.engine import connection
from dprepro.engine.cell_lines import cell_digest, digest
from dprepro.engine.manifest import seal
from helpers.databases import opened

Damage = Callable[[Path], object]


PRECIOUS = "precious.txt"


def hot_journal(file: Path) -> None:
    """A rollback journal as of a crash, whose super-journal is a file of somebody: SQLite would delete that one."""
    with opened(file) as database:
        database.execute("PRAGMA journal_mode = DELETE")
    precious = file.with_name(PRECIOUS)
    precious.write_text("my thesis\n")
    name, magic = bytes(precious.absolute()), bytes.fromhex("d9d505f920a163d7")
    page = int.from_bytes(file.read_bytes()[16:18], "big")
    head = magic + struct.pack(">IIIII", 0, 12345, file.stat().st_size // page, 512, page)
    named = struct.pack(">I", 0x40000000 // page + 1) + name + struct.pack(">II", len(name), sum(name))
    file.with_name(f"{file.name}-journal").write_bytes(head.ljust(512, b"\0") + named + magic)


def sql(statement: str, *values: object, signed: bool = False) -> Damage:
    """A change by SQLite; ``signed`` makes the digests fit again, as only a hostile writer would."""

    def change(file: Path) -> None:
        with opened(file) as database:
            database.execute(statement, values)
            if signed:
                sign(database)

    return change


def sign(database: sqlite3.Connection) -> None:
    """Make every digest of a store fit what it is of."""
    origins = {row[0]: row[1:] for row in database.execute("SELECT id, code, made, cpu FROM origins")}
    cells = "rowid, key, status, seconds, axes, replicate, rows, traceback, origin"
    for number, *cell, origin in database.execute(f"SELECT {cells} FROM cells").fetchall():
        new = cell_digest(cell, origins.get(origin, ("unknown", "", "")))
        database.execute("UPDATE cells SET digest = ? WHERE rowid = ?", (new, number))
    runs = "id, experiment, config, overrides, layout, keys, provenance, finished, sources"
    for number, *run in database.execute(f"SELECT {runs} FROM runs").fetchall():
        mark = digest(*run[:5])
        values = (mark, digest(mark, *run[5:]), number)
        database.execute("UPDATE runs SET mark = ?, digest = ? WHERE id = ?", values)
    seal(database)


def aged(file: Path, version: int = 4) -> None:
    """Make a store one of an earlier version."""
    with opened(file) as database:
        tables, columns = (
            connection._tables(version),
            "experiment, config, overrides, provenance, layout, keys, finished",
        )
        for name in ("cells", "runs"):
            database.execute(f"ALTER TABLE {name} RENAME TO new_{name}")
            database.execute(tables[name])
        kept = "status, seconds, axes, replicate, rows, traceback" + (", origin, digest" if version > 1 else "")
        database.execute(f"INSERT INTO cells SELECT key, {kept} FROM new_cells ORDER BY rowid")
        if version in (2, 3):  # whose digests are of the parts one by one
            origins = {row[0]: row[1:] for row in database.execute("SELECT id, code, made, cpu FROM origins")}
            for *cell, origin, _ in database.execute(f"SELECT key, {kept} FROM cells").fetchall():
                values = (digest(*cell, *origins[origin]), cell[0])
                database.execute("UPDATE cells SET digest = ? WHERE key = ?", values)
        for number, *run in database.execute(f"SELECT id, {columns} FROM new_runs").fetchall():
            whole = [digest(*run)] if version > 1 else []
            places = ", ".join("?" * (8 + len(whole)))
            database.execute(f"INSERT INTO runs VALUES ({places})", (number, *run, *whole))
        for name in ("new_cells", "new_runs", "manifest", *(("origins", "codes") if version == 1 else ())):
            database.execute(f"DROP TABLE {name}")
        database.execute(f"PRAGMA user_version = {version}")


def cut(share: float) -> Damage:
    return lambda file: os.truncate(file, int(share * file.stat().st_size))


def flipped(seed: int) -> Damage:
    def change(file: Path) -> None:
        chance, content = random.Random(seed), bytearray(file.read_bytes())
        for _ in range(1 + 2 * seed):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        file.write_bytes(content)

    return change


def instead(make: Callable[[Path], object]) -> Damage:
    def change(file: Path) -> None:
        file.unlink()
        make(file)

    return change


RUNS = ("experiment", "config", "overrides", "provenance", "finished", "sources", "mark", "digest", "layout", "keys")
TABLES: dict[str, tuple[str, ...]] = {
    "cells": ("key", "status", "seconds", "axes", "replicate", "rows", "origin", "digest"),
    "runs": RUNS,
    "origins": ("code", "made", "cpu"),
    "codes": ("code", "modules"),
    "manifest": ("part", "entries", "digest"),
}
SIGNED = {"runs": ("config", "overrides", "provenance", "layout", "sources"), "cells": ("axes", "rows")}
SHAPES = ("[]", "{}", "null", "3", '"x"', "[[]]", '[["q"]]', '{"a":{"b":[]}}', "[" * 900, "NaN", '[["a","b","c",-1]]')
DAMAGES: dict[str, Damage] = {
    **{f"cut to {share}": cut(share) for share in (0, 0.0005, 0.002, 0.1, 0.4, 0.7, 0.99)},
    **{f"flips {seed}": flipped(seed) for seed in range(12)},
    "a text": instead(lambda file: file.write_text("hello world\n" * 99)),
    "a folder": instead(Path.mkdir),
    "a pipe": instead(os.mkfifo),
    "a link to nothing": instead(lambda file: file.symlink_to(file.parent.parent / "elsewhere")),
    "a link to itself": instead(lambda file: file.symlink_to(file)),
    "a pipe beside it": lambda file: os.mkfifo(file.with_name(f"{file.name}-journal")),
    "an endless trigger": sql(
        "CREATE TRIGGER t BEFORE INSERT ON runs BEGIN INSERT INTO codes WITH RECURSIVE k(c) AS (SELECT 1 UNION ALL"
        " SELECT c + 1 FROM k) SELECT c || 'x', '{}' FROM k WHERE c < 0; END"
    ),
    "a journal that names another file": hot_journal,
    "an endless view": lambda file: (
        sql("ALTER TABLE codes RENAME TO old")(file),
        sql(
            "CREATE VIEW codes AS WITH RECURSIVE k(code) AS (SELECT 1 UNION ALL SELECT code + 1 FROM k) "
            "SELECT code, '{}' AS modules FROM k"
        )(file),
    ),
    "side file of junk": lambda file: file.with_name(f"{file.name}-wal").write_bytes(random.Random(1).randbytes(9000)),
    **{f"no {table}": sql(f"DROP TABLE {table}") for table in TABLES},
    **{f"empty {table}": sql(f"DELETE FROM {table}") for table in TABLES},
    **{f"aged {n}": functools.partial(aged, version=n) for n in (1, 2, 4)},
    "a generated column": sql("ALTER TABLE codes ADD COLUMN slow TEXT AS (hex(zeroblob(999999999)))"),
    "an index of an expression": sql("CREATE INDEX slow ON cells(hex(status))"),
    **{f"version {n}": sql(f"PRAGMA user_version = {n}") for n in (-1, 0, 1, 99)},
    **{
        f"{table}.{column} {value!r}": sql(f"UPDATE OR IGNORE {table} SET {column} = ?", value)
        for table, columns in TABLES.items()
        for column in columns
        for value in (b"\xff\xfe", "zz", 7)
    },
    **{
        f"signed {table}.{column} {shape[:20]}": sql(f"UPDATE {table} SET {column} = ?", shape, signed=True)
        for table, columns in {
            "runs": ("config", "overrides", "provenance", "layout", "sources"),
            "cells": ("axes", "rows"),
        }.items()
        for column in columns
        for shape in SHAPES
    },
}
