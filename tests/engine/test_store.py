"""What the store keeps, refuses and gives back."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers import engine_measures as em
from helpers.databases import opened

from dprepro.axes import AXES
from dprepro.engine import LEADING, Cell, Result, Row, Store, execute, frame
from dprepro.engine.cell_lines import lines_of
from dprepro.engine.connection import SCHEMA_VERSION
from dprepro.errors import InputError

CELLS = em.cells(2)


def test_reading_creates_nothing_and_an_absent_store_is_empty(tmp_path: Path) -> None:
    with Store.open(tmp_path / "results") as store:
        assert store.runs() == []
        assert store.latest("lasso") is None
        assert store.done({CELLS[0].key: ""}).keys == set()
        with pytest.raises(InputError, match="cannot write"):
            store.commit([])
    assert list(tmp_path.iterdir()) == []


def test_reading_leaves_no_side_files(tmp_path: Path) -> None:
    with Store.open(tmp_path, create=True) as store:
        execute(em.draw, CELLS, store, workers=1)
    with Store.open(tmp_path) as store:
        assert store.done({cell.key: cell.code for cell in CELLS}).keys == {cell.key for cell in CELLS}
        with pytest.raises(InputError, match="cannot write"):
            store.commit(lines_of([Result(b"k" * 32, "ok", 0.0, {}, 0)], ""))
    assert [path.name for path in tmp_path.iterdir()] == ["measurements.sqlite"]


@pytest.mark.parametrize("create", [True, False])
def test_a_store_from_a_newer_version_is_refused_untouched(tmp_path: Path, create: bool) -> None:
    Store.open(tmp_path, create=True).close()
    path = tmp_path / "measurements.sqlite"
    with opened(path) as database:
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 6}")
    before = path.read_bytes()
    with pytest.raises(InputError) as caught:
        Store.open(tmp_path, create=create)
    message = str(caught.value)
    assert str(path) in message
    assert f"version {SCHEMA_VERSION + 6}" in message
    assert f"up to {SCHEMA_VERSION}" in message
    assert "\n" not in message
    assert path.read_bytes() == before


@pytest.mark.parametrize("create", [True, False])
def test_a_file_that_is_no_store_is_refused_untouched(tmp_path: Path, create: bool) -> None:
    path = tmp_path / "measurements.sqlite"
    path.write_bytes(b"not a database at all " * 100)
    with pytest.raises(InputError, match="not a database"):
        Store.open(tmp_path, create=create)
    path.unlink()
    with opened(path) as database:
        database.execute("CREATE TABLE letters(a TEXT)")
    before = path.read_bytes()
    with pytest.raises(InputError, match="not a store"):
        Store.open(tmp_path, create=create)
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("place", ["", "results", "results/deeper"])
def test_a_folder_that_cannot_be_made_is_refused_and_nothing_written(tmp_path: Path, place: str) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    with pytest.raises(InputError, match="choose another results_dir"):
        Store.open(file / place, create=True)
    assert list(tmp_path.iterdir()) == [file]


def test_a_repeated_run_takes_no_new_row(tmp_path: Path) -> None:
    with Store.open(tmp_path, create=True) as store:
        first = store.begin_run("rate", {"n": [1], "e": math.inf}, [], {"date": 1}, CELLS)
        assert store.latest("rate") is None
        store.finish_run(first, {"date": 2})
        assert store.begin_run("rate", {"n": [1], "e": math.inf}, [], {"date": 3}, CELLS) == first
        latest = store.latest("rate")
        assert latest is not None
        assert (latest.provenance, latest.finished, latest.config["e"]) == ({"date": 3}, True, math.inf)
        assert len(store.runs()) == 1


def test_a_run_that_differs_in_anything_is_a_new_row_and_overrides_are_not_published(tmp_path: Path) -> None:
    relabelled = [replace(cell, role="context") for cell in CELLS]
    with Store.open(tmp_path, create=True) as store:
        ids = [
            store.begin_run("rate", {}, [], {}, CELLS),
            store.begin_run("rate", {"a": 1}, [], {}, CELLS),
            store.begin_run("rate", {"a": 1}, [], {}, CELLS[1:]),
            store.begin_run("rate", {"a": 1}, [], {}, relabelled[1:]),
            store.begin_run("rate", {"a": 1}, ["a=1"], {}, relabelled[1:]),
            store.begin_run("other", {"a": 1}, ["a=1"], {}, relabelled[1:]),
        ]
        for run in ids:
            store.finish_run(run, {})
        assert len(set(ids)) == 6
        published, newest = store.latest("rate"), store.latest("rate", published=False)
        assert published is not None
        assert newest is not None
        assert (published.id, newest.id, newest.overrides) == (ids[3], ids[4], ["a=1"])


def test_a_frame_has_the_columns_of_the_contract_in_order(tmp_path: Path) -> None:
    cells = [*em.cells(1, m=[0.5]), *em.cells(1)[:1]]
    with Store.open(tmp_path, create=True) as store:
        run = store.begin_run("rate", {}, [], {}, cells)
        execute(em.draw, cells, store, workers=1)
        frame = store.frame(run)
    assert list(frame.columns) == [*LEADING, "m", "note", "step", "key"]
    assert len(frame) == 2 * len(cells)
    assert not frame[["n", "p", "epsilon", "delta", "norm"]].isna().any().any()
    assert frame["n"].dtype == frame["p"].dtype == frame["replicate"].dtype == np.int64
    assert math.inf in set(frame["epsilon"])
    assert frame["m"].isna().sum() == 2
    assert list(frame["quantity"]) == ["excess_risk", "agreement"] * len(cells)
    assert list(frame["key"]) == sorted(frame["key"])
    assert frame["bound"].isna().sum() == len(cells)


def test_a_key_that_two_series_share_is_measured_once_and_has_a_line_for_each(tmp_path: Path) -> None:
    shared = [replace(cell, series=series, science="{}") for cell in CELLS[:3] for series in ("b", "a")]
    with Store.open(tmp_path, create=True) as store:
        run = store.begin_run("rate", {}, [], {}, [*shared, shared[0]])
        assert execute(em.draw, shared, store, workers=1).measured == 3
        frame = store.frame(run)
    assert list(frame["series"]) == ["a", "a", "b", "b"] * 3
    assert (frame["value"].to_numpy().reshape(3, 2, 2)[:, 0] == frame["value"].to_numpy().reshape(3, 2, 2)[:, 1]).all()


def test_cells_not_yet_measured_are_absent_from_the_frame(tmp_path: Path) -> None:
    with Store.open(tmp_path, create=True) as store:
        run = store.begin_run("rate", {}, [], {}, CELLS)
        empty = store.frame(run)
        assert (len(empty), list(empty.columns)) == (0, [*LEADING, "key"])
        execute(em.draw, CELLS[:2], store, workers=1)
        assert set(store.frame(run)["key"]) == {cell.key.hex() for cell in CELLS[:2]}
        with pytest.raises(InputError, match="no run 99"):
            store.frame(99)


def test_numpy_scalars_and_infinity_survive_the_store(tmp_path: Path) -> None:
    cell = Cell("a", "claim", {name: np.int64(1) for name in AXES}, 0, 0, "{}")  # type: ignore[misc]
    row = Row("excess_risk", np.float32(0.5), None, {"limit": math.inf, "flag": np.True_, "none": None})  # type: ignore[arg-type, dict-item]
    with Store.open(tmp_path, create=True) as store:
        run = store.begin_run("rate", {}, [], {}, [cell])
        store.commit(lines_of([Result(cell.key, "ok", 0.1, cell.axes, 0, [row])], ""))
        line = store.frame(run).iloc[0]
    assert (line["value"], line["limit"], bool(line["flag"]), line["none"]) == (0.5, math.inf, True, None)


def test_a_frame_put_together_in_parts_is_the_one_of_a_single_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values: list[list[Any]] = [
        [1, 2.5, None], [1, 2], [None], [True], [True, None], ["x", None], ["x", 3], [1.5, "x"], [True, 1], [2, True],
    ]  # fmt: skip
    cells = [replace(CELLS[0], replicate=i, axes={**CELLS[0].axes, **({"k": 1.0} if i % 3 else {})}) for i in range(30)]
    with Store.open(tmp_path, create=True) as store:
        run = store.begin_run("lasso", {}, [], {}, cells)
        rows = [{f"c{j}": value[i % len(value)] for j, value in enumerate(values) if (i + j) % 4} for i in range(30)]
        for i, (cell, own) in enumerate(zip(cells, rows, strict=True)):
            status = "ok" if i % 5 else "failed: x"
            result = Result(cell.key, status, 1.0, cell.axes, i, [Row("q", float(i), None, own)] * (i % 3))
            store.commit(lines_of([result], ""))
        whole = store.frame(run)
        for size in (1, 2, 7):
            monkeypatch.setattr(frame, "PART", size)
            pd.testing.assert_frame_equal(store.frame(run), whole)


def test_a_run_of_an_older_version_is_read_with_the_names_of_today(tmp_path: Path) -> None:
    with Store.open(tmp_path, create=True) as store:
        old = {
            "checks": {
                "noise": {"rule": "drawn", "guards": True}, "constant": {"rule": "ratio", "divide": "shape"},
                "budget": {"rule": "below", "quantity": "spent_epsilon"}, "target": {"rule": "enough"},
                "several": {"rule": "below", "quantity": ["spent_epsilon", "ratio"]},
                "cases": {"rule": "share", "among": "these"}, "others": {"rule": "share", "among": "drawn"},
            },
            "study": {
                "shape": "own", "overspends": [2],
                "series": {"a": {"shape": "none", "overspend": 3, "construction": {"shape": 2}}},
            },
            "figure": {
                "panels": ["exact_delta", "exact_delta_silent"], "bounds": {"exact_delta_silent": "claimed"},
                "quantity": "noise_drawn", "labels": {"noise_drawn": "a series"}, "note": "spent_epsilon",
            },
        }  # fmt: skip
        store.finish_run(store.begin_run("rate", old, [], {}, CELLS), {})
        run = store.latest("rate")
        assert run is not None
        assert (run.config, run.damaged) == ({
            "checks": {
                "noise": {"rule": "noise", "precondition": True},
                "constant": {"rule": "ratio", "divide": "rate"},
                "budget": {"rule": "below", "quantity": "certified_epsilon"}, "target": {"rule": "attainment"},
                "several": {"rule": "below", "quantity": ["certified_epsilon", "ratio"]},
                "cases": {"rule": "share"}, "others": {"rule": "share", "among": "drawn"},
            },
            "study": {
                "rate": "own", "epsilon_factors": [2],
                "series": {"a": {"rate": "none", "epsilon_factor": 3, "construction": {"shape": 2}}},
            },
            "figure": {
                "panels": ["exact_delta", "exact_delta_zeroed_out"], "bounds": {"exact_delta_zeroed_out": "claimed"},
                "quantity": "noise_moments", "labels": {"noise_drawn": "a series"}, "note": "spent_epsilon",
            },
        }, "")  # fmt: skip
