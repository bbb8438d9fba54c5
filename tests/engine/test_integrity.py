"""What a store notices: flipped bits, lost cells, other code."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from helpers import engine_measures as em
from helpers.damages import aged
from helpers.databases import opened

from dprepro.engine import Cell, Result, Store, execute
from dprepro.engine.cell_lines import lines_of
from dprepro.engine.code import fingerprint
from dprepro.engine.measuring import measure_cell
from dprepro.errors import InputError

CODE = fingerprint({})  # of no module, so that none has changed
CELLS = [replace(cell, code=CODE) for cell in em.cells(2)]
FLIPS = 100


def filled(folder: Path, cells: list[Cell] = CELLS) -> int:
    with Store.open(folder, create=True) as store:
        store.made = '{"commit": "abc"}'
        run = store.begin_run(
            "rate", {"n": [1, 2]}, ["a=1"], {"date": "today"}, cells, {CODE: {}}, {"a.yaml": ["1", "2"]}
        )
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
        assert store.scan().damaged == {}
        assert store.health() == []


@pytest.mark.parametrize("table", ["cells", "runs"])
def test_every_flipped_bit_of_a_stored_row_is_noticed(tmp_path: Path, table: str) -> None:
    run = filled(tmp_path, CELLS[:2])
    chance = random.Random(20261122)
    columns = {
        "cells": ["key", "status", "seconds", "axes", "replicate", "rows", "digest"],
        "runs": ["experiment", "config", "overrides", "provenance", "sources", "mark", "digest", "layout", "keys"],
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
    today, tomorrow = {"a": "1", "b": "1"}, {"a": "2", "b": "1"}
    filled(tmp_path, [replace(cell, code=fingerprint(today)) for cell in CELLS])
    other = [replace(cell, code=fingerprint(tomorrow)) for cell in CELLS]
    codes = {fingerprint(modules): modules for modules in (today, tomorrow)}
    with Store.open(tmp_path, create=True) as store:
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
    changed(tmp_path, lambda database: database.execute("UPDATE runs SET layout = replace(layout, '\"\",', '')"))
    aged(tmp_path / "measurements.sqlite", 1)
    with Store.open(tmp_path, create=True) as store:
        assert store.health() == []
        frame, integrity = store.measurements(run)
        assert len(frame["key"].unique()) == len(CELLS)
        assert (integrity.missing, integrity.damaged, integrity.foreign) == (0, 0, len(CELLS))
        assert execute(em.draw, CELLS, store, workers=1).measured == len(CELLS)


def test_a_store_of_the_fourth_version_keeps_its_measurements_and_what_is_wrong_with_them(tmp_path: Path) -> None:
    sound, spoilt = tmp_path / "sound", tmp_path / "spoilt"
    for folder in (spoilt, sound):
        run = filled(folder)
        with Store.open(folder) as store:
            before = store.frame(run)
        aged(folder / "measurements.sqlite")
    changed(spoilt, lambda database: database.execute("UPDATE runs SET overrides = '[]'"))
    with Store.open(sound) as store:
        frame, integrity = store.measurements(run)
        assert frame.equals(before)
        assert (integrity.problem, store.health()) == ("", [])
    with Store.open(spoilt) as store:
        assert store.measurements(run)[1].problem == "the record of the run is not as it was stored"


@pytest.mark.parametrize("table", ["cells", "runs", "origins", "codes", "manifest"])
def test_an_entry_that_is_gone_is_missed_in_every_table(tmp_path: Path, table: str) -> None:
    filled(tmp_path)
    changed(tmp_path, lambda database: database.execute(f"DELETE FROM {table} WHERE rowid = 1"))
    with Store.open(tmp_path) as store:
        (said,) = store.health()
        assert table in said


def test_an_entry_in_place_of_another_is_missed(tmp_path: Path) -> None:
    filled(tmp_path)
    with Store.open(tmp_path, create=True) as store:
        store.commit(lines_of([again()[0]._replace(key=bytes(32))], "other"))
    changed(tmp_path, lambda database: database.execute("DELETE FROM cells WHERE rowid = 1"))
    lost = "UPDATE manifest SET entries = entries - 1 WHERE part = 'cells'"
    changed(tmp_path, lambda database: database.execute(lost))
    with Store.open(tmp_path) as store:
        assert store.health() == ["the table cells holds other entries than were stored"]


def test_the_manifest_follows_every_way_in_which_a_table_changes(tmp_path: Path) -> None:
    run = filled(tmp_path)
    with Store.open(tmp_path, create=True) as store:
        store.commit([line for line in lines_of(again(), "other") if line.replicate == 0])  # in place of earlier ones
        assert store.health() == []
        new = [result._replace(key=bytes(32)) for result in again()[:1]]
        lines = lines_of([*again(), *new], "another")
        store.commit([*lines, lines[0]])  # some new, some not, one twice
        assert store.health() == []
        store.commit(lines)  # the very same
        store.begin_run("rate", {"n": [1, 2]}, ["a=1"], {"date": "tomorrow"}, CELLS, {CODE: {}})
        store.begin_run("rate", {"n": [1]}, [], {}, CELLS[:1], {CODE: {}, fingerprint({"a": "1"}): {"a": "1"}})
        store.finish_run(run, {"date": "then"})
        assert store.health() == []
    changed(tmp_path, lambda database: database.execute("DELETE FROM cells WHERE rowid % 2 = 0"))
    with Store.open(tmp_path, create=True) as store:
        assert len(store.health()) == 1
        store.mend()
        assert store.health() == []


def again() -> list[Result]:
    """The cells measured once more, which takes another time."""
    return [measure_cell(em.draw, cell) for cell in CELLS]


def test_a_lost_or_forged_record_of_the_code_is_a_problem_of_its_runs(tmp_path: Path) -> None:
    for statement in ("DELETE FROM codes", 'UPDATE codes SET modules = \'{"a":"1"}\''):
        run = filled(tmp_path / statement[:6])
        changed(tmp_path / statement[:6], lambda database, sql=statement: database.execute(sql))  # type: ignore[misc]
        with Store.open(tmp_path / statement[:6]) as store:
            assert "record of the code that made it is missing or damaged" in store.measurements(run)[1].problem
            assert store.integrity(run, store.scan()) == store.measurements(run)[1]


def test_a_lost_file_beside_its_log_is_not_taken_for_an_empty_store(tmp_path: Path) -> None:
    filled(tmp_path)
    log = tmp_path / "measurements.sqlite-wal"
    for content in (None, b""):
        log.write_bytes(b"measurements")
        (tmp_path / "measurements.sqlite").unlink(missing_ok=True)
        if content is not None:
            (tmp_path / "measurements.sqlite").write_bytes(content)
        for create in (False, True):
            with pytest.raises(InputError, match=r"stands without its measurements\.sqlite"):
                Store.open(tmp_path, create=create)
        assert log.read_bytes() == b"measurements"
