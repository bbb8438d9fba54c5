"""The text of a cell's rows: what was stored comes back, as one text or as two lines, and nothing else is taken."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers import engine_measures as em
from helpers.damages import aged, sql
from helpers.databases import opened

from dprepro.engine import Result, Row, Store, execute
from dprepro.engine.cell_lines import cell_digest, lines_of
from dprepro.engine.code import fingerprint
from dprepro.engine.rows import rows_of, text_of
from dprepro.errors import InputError

ROWS = [
    Row("excess_risk", 0.1, None, {"note": "a\nb", "gap": np.float64(1e-9), "far": math.inf, "whole": 2**70}),
    Row("excess_risk", 0.2, 1.0),
    Row("certified_epsilon", -1.5, 0.0, {"deterministic": True, "none": None}),
]


def test_rows_come_back_with_their_types() -> None:
    plain = [[row.quantity, row.value, row.bound, row.columns] for row in ROWS]
    assert rows_of(text_of(ROWS)) == plain
    assert repr(rows_of(text_of(ROWS))) == repr(plain).replace("np.float64(1e-09)", "1e-09")
    assert rows_of(text_of(())) == []


def test_what_names_a_column_is_text() -> None:
    assert rows_of(text_of([Row("a", 1.0, None, {2: 3})])) == [["a", 1.0, None, {"2": 3}]]  # type: ignore[dict-item]


def test_the_names_stand_on_a_line_of_their_own() -> None:
    names, numbers = text_of(ROWS).split("\n")
    assert json.loads(names)[1] == ["excess_risk", []]
    assert len(json.loads(numbers)) == 2 * 3 + 4 + 2


@pytest.mark.parametrize(
    "text",
    ['[["a",[]]]\n[1]', '[["a",[]]]\n[1,2,3]', '[["a",[1]]]\n[1,2,3]', '["a"]\n[1,2]', "[]\n[1]", "[1]", "", "x\n"],
)
def test_a_text_that_is_none_is_not_taken(text: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        rows_of(text)


def test_a_store_of_the_second_version_gives_the_same_frame(tmp_path: Path) -> None:
    code = fingerprint({})
    cells = [replace(cell, code=code) for cell in em.cells(3)]
    with Store.open(tmp_path, create=True) as store:
        run = store.begin_run("rate", {}, [], {}, cells, {code: {}})
        execute(em.draw, cells, store, workers=1)
        store.finish_run(run, {})
        now = store.frame(run)
    file = tmp_path / "measurements.sqlite"
    with opened(file) as database:
        for key, text in database.execute("SELECT key, rows FROM cells").fetchall():
            before = json.dumps(rows_of(text), separators=(",", ":"))
            database.execute("UPDATE cells SET rows = ? WHERE key = ?", (before, key))
    aged(file, 2)
    with Store.open(tmp_path) as store:
        before, integrity = store.measurements(run)
    assert integrity.problem == ""
    pd.testing.assert_frame_equal(before, now)
    with Store.open(tmp_path, create=True) as store:
        assert execute(em.draw, cells, store, workers=1).reused == len(cells)


def test_cells_of_an_older_version_stand_in_the_columns_of_today_beside_new_ones(tmp_path: Path) -> None:
    names = {"shape": 0.5, "law": 0.4}
    risk = Row("excess_risk", 0.1, 0.2, {"rate": 0.5, "law": 0.4})
    assert rows_of(text_of([Row("excess_risk", 0.1, 0.2, names)])) == rows_of(text_of([risk]))
    old = [Row("spent_epsilon", 1.0), Row("noise_drawn", 1.0), Row("overspent_epsilon", 2.0, 1.0, {"overspend": 1.3})]
    assert rows_of(text_of(old)) == rows_of(text_of([
        Row("certified_epsilon", 1.0), Row("noise_moments", 1.0),
        Row("violating_epsilon", 2.0, 1.0, {"epsilon_factor": 1.3}),
    ]))  # fmt: skip
    alone = Row("anything", 0.1, None, {"shape": 2.0})  # of another study
    assert rows_of(text_of([alone])) == [["anything", 0.1, None, {"shape": 2.0}]]
    cells = em.cells(4)
    with Store.open(tmp_path, create=True) as store:
        run = store.begin_run("rate", {}, [], {}, cells)
        old = Row("excess_risk", 0.1, 0.2, names)
        for i, cell in enumerate(cells):
            result = Result(cell.key, "ok", 1.0, cell.axes, cell.replicate, [(risk, old)[i % 2]])
            store.commit(lines_of([result], ""))
        frame = store.frame(run)
    assert "shape" not in frame
    assert frame["rate"].tolist() == [0.5] * len(cells)


def test_the_digest_of_a_cell_depends_on_every_part_and_on_where_one_ends() -> None:
    cell = (b"k" * 32, "ok", 0.5, '{"n":1}', 3, '[["a",[]]]\n[1.0,null]', None)
    origin = ("code", "made", "cpu")
    changed = [
        (b"l" * 32, *cell[1:]), (cell[0], "ok{", 0.5, '"n":1}', *cell[4:]), (*cell[:2], 0.25, *cell[3:]),
        (*cell[:3], '{"n":2}', *cell[4:]), (*cell[:4], 4, *cell[5:]), (*cell[:4], 3.0, *cell[5:]),
        (*cell[:5], cell[5] + " ", None), (*cell[:6], "None"), (*cell[:3], '{"n":1}[', 3, cell[5][1:], None),
    ]  # fmt: skip
    others = [(cell, ("code", "made", "cpv")), (cell, ("codem", "ade", "cpu"))]
    digests = {cell_digest(*one) for one in [(cell, origin), *((other, origin) for other in changed), *others]}
    assert len(digests) == 1 + len(changed) + len(others)
    assert cell_digest((*cell[:5], None, None), origin) == b""  # no text, no digest, and so no sound cell


def test_rows_whose_names_are_another_cells_are_damaged(tmp_path: Path) -> None:
    cells = em.cells(2)
    with Store.open(tmp_path, create=True) as store:
        run = store.begin_run("rate", {}, [], {}, cells)
        execute(em.draw, cells, store, workers=1)
    sql("UPDATE cells SET rows = replace(rows, 'excess_risk', 'agreement')")(tmp_path / "measurements.sqlite")
    with Store.open(tmp_path) as store:
        frame, integrity = store.measurements(run)
        assert frame.empty
        assert integrity.damaged == len(cells)
    sql("UPDATE cells SET rows = replace(rows, ']]]', ',\"x\"]]]')", signed=True)(tmp_path / "measurements.sqlite")
    with Store.open(tmp_path) as store, pytest.raises(InputError, match="another shape"):
        store.measurements(run)
