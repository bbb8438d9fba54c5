"""What a store notices: flipped bits, lost cells, other code."""

from __future__ import annotations

import random
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from databases import opened

sys.path.insert(0, str(Path(__file__).parent))
import engine_measures as em

from dprepro.engine import Cell, Store, execute
from dprepro.errors import InputError

CELLS = [replace(cell, code="today") for cell in em.cells(2)]
FLIPS = 300


def filled(folder: Path, cells: list[Cell] = CELLS) -> int:
    with Store.open(folder, create=True) as store:
        store.made = '{"commit": "abc"}'
        run = store.begin_run("rate", {"n": [1, 2]}, ["a=1"], {"date": "today"}, cells)
        execute(em.draw, cells, store, workers=1)
        store.finish_run(run, {"date": "today"})
    return run


def changed(folder: Path, change: Callable[[sqlite3.Connection], object]) -> None:
    with opened(folder / "measurements.sqlite") as database:
        change(database)


def test_an_untouched_store_has_no_problem(tmp_path: Path) -> None:
    run = filled(tmp_path)
    with Store.open(tmp_path) as store:
        frame, integrity = store.measurements(run)
        assert integrity.problem == ""
        assert integrity.cells == len(CELLS) == len(frame["key"].unique())
        assert store.damaged() == []
        assert store.health() == []


@pytest.mark.parametrize("table", ["cells", "runs"])
def test_every_flipped_bit_of_a_stored_row_is_noticed(tmp_path: Path, table: str) -> None:
    run = filled(tmp_path, CELLS[:2])
    chance = random.Random(20261122)
    columns = {
        "cells": ["key", "status", "seconds", "axes", "replicate", "rows", "digest"],
        "runs": ["experiment", "config", "overrides", "provenance", "layout", "keys", "digest"],
    }[table]
    with opened(tmp_path / "measurements.sqlite") as database:
        for _ in range(FLIPS):
            column = chance.choice(columns)
            rowid, value, kind = chance.choice(
                database.execute(f"SELECT rowid, CAST({column} AS BLOB), typeof({column}) FROM {table}").fetchall()
            )
            if kind in ("real", "integer"):
                flipped = float(value) * (1 + 2.0**-40) if kind == "real" else int(value) ^ (1 << chance.randrange(8))
                new: object = flipped
            else:
                place, bit = chance.randrange(len(value)), 1 << chance.randrange(8)
                spoilt = value[:place] + bytes([value[place] ^ bit]) + value[place + 1 :]
                new = spoilt if kind == "blob" else spoilt.decode("latin-1")
            old = database.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (rowid,)).fetchone()[0]
            database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, rowid))
            database.commit()
            with Store.open(tmp_path) as store:
                try:
                    problem = store.measurements(run)[1].problem
                except InputError as error:
                    problem = str(error)
                assert problem, (column, old, new)
            database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (old, rowid))
            database.commit()


def test_lost_cells_are_counted_and_measured_again(tmp_path: Path) -> None:
    run = filled(tmp_path)
    changed(tmp_path, lambda database: database.execute("DELETE FROM cells WHERE rowid % 2 = 0"))
    with Store.open(tmp_path, create=True) as store:
        assert f"{len(CELLS) // 2} of {len(CELLS)} cells are missing" in store.measurements(run)[1].problem
        outcome = execute(em.draw, CELLS, store, workers=1)
        assert (outcome.reused, outcome.measured) == (len(CELLS) // 2, len(CELLS) // 2)
        assert store.measurements(run)[1].problem == ""


def test_damaged_cells_have_no_rows_and_are_measured_again(tmp_path: Path) -> None:
    run = filled(tmp_path)
    with Store.open(tmp_path) as store:
        before = store.frame(run).drop(columns="seconds")
    changed(tmp_path, lambda database: database.execute("UPDATE cells SET rows = replace(rows, '0.', '1.')"))
    with Store.open(tmp_path, create=True) as store:
        frame, integrity = store.measurements(run)
        assert integrity.damaged > 0
        assert len(frame["key"].unique()) == len(CELLS) - integrity.damaged
        outcome = execute(em.draw, CELLS, store, workers=1)
        assert (outcome.damaged, outcome.measured) == (integrity.damaged, integrity.damaged)
        assert store.frame(run).drop(columns="seconds").equals(before)


def test_cells_of_other_code_are_measured_again_unless_they_are_asked_for(tmp_path: Path) -> None:
    filled(tmp_path)
    other = [replace(cell, code="tomorrow") for cell in CELLS]
    with Store.open(tmp_path, create=True) as store:
        codes = {"today": {"a": "1", "b": "1"}, "tomorrow": {"a": "2", "b": "1"}}
        run = store.begin_run("rate", {"n": [1, 2]}, ["a=1"], {}, other, codes)
        kept = execute(em.draw, other, store, workers=1, reuse="any")
        assert (kept.reused, kept.measured) == (len(CELLS), 0)
        assert f"{len(CELLS)} of {len(CELLS)} cells are made by other code" in store.measurements(run)[1].problem
        again = execute(em.draw, other, store, workers=1)
        assert (again.reused, again.measured, again.other, again.changed) == (0, len(CELLS), len(CELLS), ("a",))
        # the modules of this made-up code have no source today, and that is said too
        assert "cells" not in store.measurements(run)[1].problem


def test_a_store_of_the_first_version_is_kept_and_its_cells_are_measured_again(tmp_path: Path) -> None:
    run = filled(tmp_path, [replace(cell, code="") for cell in CELLS])

    def age(database: sqlite3.Connection) -> None:
        for statement in (
            "ALTER TABLE cells DROP COLUMN origin", "ALTER TABLE cells DROP COLUMN digest",
            "ALTER TABLE runs DROP COLUMN digest", "DROP TABLE origins", "DROP TABLE codes",
            "UPDATE runs SET layout = replace(layout, '\"\",', '')", "PRAGMA user_version = 1",
        ):  # fmt: skip
            database.execute(statement)

    changed(tmp_path, age)
    with Store.open(tmp_path, create=True) as store:
        frame, integrity = store.measurements(run)
        assert len(frame["key"].unique()) == len(CELLS)
        assert (integrity.missing, integrity.damaged, integrity.foreign) == (0, 0, len(CELLS))
        assert execute(em.draw, CELLS, store, workers=1).measured == len(CELLS)
