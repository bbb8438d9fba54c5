"""Shards of a run, and stores brought together: equal to one process, in any order, and nothing is lost."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import damages
from helpers import engine_measures as em
from helpers.databases import opened

from dprepro.engine import Cell, Measure, Row, Store, execute
from dprepro.engine.cell_lines import cell_digest
from dprepro.engine.code import fingerprint
from dprepro.engine.merging import Merged, Merger
from dprepro.engine.shards import Shard
from dprepro.errors import InputError

CODES = {fingerprint({"algorithm": name}): {"algorithm": name} for name in ("now", "before")}
NOW, BEFORE = CODES


def cells(code: str = NOW) -> list[Cell]:
    """With 20 replicates each, of which some share a key, as cells of two series may."""
    return [replace(cell, code=code) for cell in em.cells(20)] + [
        replace(cell, code=code, series="again") for cell in em.cells(20)[:30]
    ]


def measured(
    folder: Path, own: Sequence[Cell], whole: Sequence[Cell] | None = None, measure: Measure = em.draw,
    config: Mapping[str, Any] | None = None, made: str = '{"commit": "abc"}', name: str = "rate",
) -> Path:  # fmt: skip
    """The store of a run of ``whole`` of which ``own`` are measured."""
    with Store.open(folder, create=True) as store:
        store.made = made
        named = {cell.code for cell in whole or own}
        store.begin_run(name, config or {}, [], {"date": made}, whole or own, {code: CODES[code] for code in named})
        execute(measure, own, store, workers=1)
    return folder


def differences(entry: Mapping[str, Any], other: Mapping[str, Any]) -> Sequence[str]:
    return sorted(key for key in {*entry, *other} if entry.get(key) != other.get(key) and key != "results_dir")


def merged(target: Path, *sources: Path) -> list[Merged | str]:
    """What became of each store, or why it was refused."""
    found: list[Merged | str] = []
    with Merger(target, differences) as merger:
        for folder in sources:
            try:
                with Store.open(folder) as source:
                    found.append(merger.merge(source))
            except InputError as error:
                found.append(str(error))
    return found


def frame(folder: Path) -> Any:
    """The measurements of the only run, which must be sound, without the seconds that they took."""
    with Store.open(folder) as store:
        (run,) = store.runs()
        assert store.health() == []
        found, integrity = store.measurements(run.id)
        assert not integrity.damaged
        assert not run.damaged
    return found.drop(columns="seconds")


def content(folder: Path) -> list[tuple[Any, ...]]:
    """All that a store holds of cells, in the order of keys."""
    with opened(folder / "measurements.sqlite") as database:
        return [*database.execute("SELECT key, status, axes, replicate, rows FROM cells ORDER BY key")]


def test_shards_are_disjoint_and_are_all_cells_whatever_the_number_of_them() -> None:
    whole = {cell.key for cell in cells()}
    for of in (1, 3, 16, 200):
        found = [cell.key for number in range(1, of + 1) for cell in Shard(number, of).share(cells())]
        assert len(found) == len(whole)
        assert {*found} == whole
    sizes = [len(Shard(number, 3).share(cells())) for number in range(1, 4)]
    assert max(sizes) <= 2 * min(sizes)


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "1/0", "a/b", "1/3/4", "-1/3", "1/1000000", ""])
def test_a_shard_that_cannot_be_is_one_line(text: str) -> None:
    with pytest.raises(InputError, match="shard must be NUMBER/OF"):
        Shard.parse(text)


def test_sixteen_shards_merged_in_any_order_and_twice_are_the_run_of_one_process(tmp_path: Path) -> None:
    one = frame(measured(tmp_path / "one", cells()))
    order, rng = list(range(1, 17)), random.Random(4)
    rng.shuffle(order)
    shards = [measured(tmp_path / f"shard{i}", Shard(i, 16).share(cells()), cells()) for i in order]
    contents: list[list[tuple[Any, ...]]] = []
    for _ in range(2):
        rng.shuffle(shards)
        target = tmp_path / f"merged{len(contents)}"
        merged(target, *shards[:9])
        merged(target, *shards)
        again = merged(target, *shards)
        assert all(isinstance(found, Merged) and found.added == 0 for found in again)
        assert frame(target).equals(one)
        contents.append(content(target))
    assert contents[0] == contents[1]


def test_a_shard_that_was_killed_is_merged_as_far_as_it_came_and_again_once_it_is_whole(tmp_path: Path) -> None:
    first, second = (Shard(number, 2).share(cells()) for number in (1, 2))
    measured(tmp_path / "first", first, cells())
    measured(tmp_path / "second", second[:7], cells())
    merged(tmp_path / "merged", tmp_path / "first", tmp_path / "second")
    assert len(content(tmp_path / "merged")) == len(first) + 7
    measured(tmp_path / "second", second, cells())
    (found,) = merged(tmp_path / "merged", tmp_path / "second")
    assert isinstance(found, Merged)
    assert (found.added, found.present) == (len(second) - 7, 7)
    assert frame(tmp_path / "merged").equals(frame(measured(tmp_path / "one", cells())))


def test_a_merge_that_ends_in_the_midst_has_stored_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured(tmp_path / "first", cells())
    monkeypatch.setattr(Store, "enter", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        merged(tmp_path / "merged", tmp_path / "first")
    assert content(tmp_path / "merged") == []
    monkeypatch.undo()
    merged(tmp_path / "merged", tmp_path / "first")
    assert frame(tmp_path / "merged").equals(frame(tmp_path / "first"))


def other_rows(cell: Cell, rng: Any) -> list[Row]:
    return [Row("excess_risk", rng.random() + 1.0, 1.0, {"note": "x", "step": 3}), Row("agreement", rng.normal())]


def test_the_same_cell_with_other_rows_is_refused_with_both_origins_and_nothing_of_it_is_stored(tmp_path: Path) -> None:
    measured(tmp_path / "here", cells()[:10], cells())
    measured(tmp_path / "there", cells()[8:], cells(), other_rows, made='{"commit": "def"}')
    before = content(tmp_path / "here")
    (said,) = merged(tmp_path / "here", tmp_path / "there")
    assert isinstance(said, str)
    assert "at n=10, p=2, epsilon=1" in said
    assert "by commit abc on" in said
    assert "by commit def on" in said
    assert ", and 9 cells more; nothing of it was merged" in said
    assert content(tmp_path / "here") == before


def test_a_run_of_other_code_or_of_another_configuration_is_kept_apart_whole_and_said(tmp_path: Path) -> None:
    measured(tmp_path / "now", cells())
    for number in (1, 2):
        own = Shard(number, 2).share(cells(BEFORE))
        measured(tmp_path / f"before{number}", own, cells(BEFORE), other_rows)
    configured = [replace(cell, science=f"{cell.science} other") for cell in cells()]
    measured(tmp_path / "configured", configured, config={"sweep": 1})
    names = "now", "before1", "before2", "configured", "before1"
    found = merged(tmp_path / "all", *(tmp_path / name for name in names))
    other, configuration = "other code (algorithm)", "another configuration, sweep"
    said = [str(one).partition("; ")[2].partition(": ")[2] for one in found]
    assert said == ["", other, other, configuration, other]
    assert frame(tmp_path / "all").equals(frame(tmp_path / "now"))
    whole = measured(tmp_path / "before", cells(BEFORE), measure=other_rows)
    apart = [tmp_path / "all/apart" / name for name in ("1", "2")]
    assert frame(apart[0]).equals(frame(whole))
    assert frame(apart[1]).equals(frame(tmp_path / "configured"))


def test_a_run_of_other_data_under_the_same_name_is_kept_apart_whatever_was_merged_first(tmp_path: Path) -> None:
    changed = [replace(cell, science=f"{cell.science} other") for cell in cells()]
    measured(tmp_path / "one", cells())
    measured(tmp_path / "other", changed)
    for first, second in (("one", "other"), ("other", "one")):
        target = tmp_path / f"{first} first"
        _, found = merged(target, tmp_path / first, tmp_path / second)
        assert "is kept apart" in str(found)
        assert "other cells" in str(found)
        assert frame(target).equals(frame(tmp_path / first))
        assert frame(target / "apart/1").equals(frame(tmp_path / second))


def test_a_run_whose_name_differs_by_case_only_is_refused_as_it_is_where_it_is_measured(tmp_path: Path) -> None:
    measured(tmp_path / "one", cells()[:5])
    measured(tmp_path / "other", cells()[5:9], name="Rate")
    _, said = merged(tmp_path / "all", tmp_path / "one", tmp_path / "other")
    assert "differs from Rate by case only" in str(said)
    assert frame(tmp_path / "all").equals(frame(tmp_path / "one"))


def test_a_store_in_a_folder_that_cannot_be_written_is_merged_without_a_file_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = measured(tmp_path / "sealed", cells())
    monkeypatch.setattr("dprepro.engine.connection.os.access", lambda *_: False)
    with Store.open(own) as store, Merger(tmp_path / "all", differences) as merger:
        merger.merge(store)
        assert [file.name for file in own.iterdir()] == ["measurements.sqlite"]
    assert frame(tmp_path / "all").equals(frame(own))


def of_another_cpu(folder: Path, factor: float) -> None:
    """Let a store be of another type of CPU, with other last bits."""
    with opened(folder / "measurements.sqlite") as database:
        database.execute("UPDATE origins SET cpu = 'another'")
        ((code, made),) = database.execute("SELECT code, made FROM origins").fetchall()
        for key, status, seconds, axes, replicate, rows, trace in database.execute(
            "SELECT key, status, seconds, axes, replicate, rows, traceback FROM cells"
        ).fetchall():
            names, _, numbers = rows.partition("\n")
            first, _, rest = numbers[1:].partition(",")
            text = f"{names}\n[{float(first) * factor!r},{rest}"
            whole = cell_digest((key, status, seconds, axes, replicate, text, trace), (code, made, "another"))
            database.execute("UPDATE cells SET rows = ?, digest = ? WHERE key = ?", (text, whole, key))
    from dprepro.engine.connection import connect
    from dprepro.engine.manifest import seal

    database = connect(folder / "measurements.sqlite", create=True)
    seal(database)
    database.close()


def test_cells_of_two_types_of_cpu_that_agree_to_1e_9_are_one_cell_whatever_was_merged_first(tmp_path: Path) -> None:
    measured(tmp_path / "a", cells())
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    shutil.copytree(tmp_path / "a", tmp_path / "c")
    of_another_cpu(tmp_path / "b", 1 + 1e-12)
    of_another_cpu(tmp_path / "c", 1 + 1e-6)
    assert not any(isinstance(one, str) for one in merged(tmp_path / "ab", tmp_path / "a", tmp_path / "b"))
    assert not any(isinstance(one, str) for one in merged(tmp_path / "ba", tmp_path / "b", tmp_path / "a"))
    assert content(tmp_path / "ab") == content(tmp_path / "ba") == content(tmp_path / "b")
    found = merged(tmp_path / "ac", tmp_path / "a", tmp_path / "c")
    assert "another result of" in str(found[1])
    assert content(tmp_path / "ac") == content(tmp_path / "a")


def test_a_failure_is_no_contradiction_and_a_measurement_takes_its_place(tmp_path: Path) -> None:
    own = cells()[:4]
    measured(tmp_path / "failed", own, measure=lambda cell, rng: [])
    measured(tmp_path / "fine", own)
    for number, order in enumerate((["failed", "fine"], ["fine", "failed"])):
        merged(tmp_path / str(number), *(tmp_path / one for one in order))
        assert frame(tmp_path / str(number)).equals(frame(tmp_path / "fine"))


def bits(folder: Path, text: str) -> None:
    with opened(folder / "measurements.sqlite") as database:
        database.execute(text)


def cut(folder: Path) -> None:
    file = folder / "measurements.sqlite"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def spell(folder: Path) -> None:
    (folder / "measurements.sqlite").write_text("no database", encoding="utf-8")


def signed(folder: Path, change: str) -> None:
    damages.sql(f"UPDATE cells SET {change} WHERE rowid = 3", signed=True)(folder / "measurements.sqlite")


ROWS = """rows = '[["risk",["{}"]]]' || char(10) || '[1,null,{}]'"""

DAMAGES: dict[str, Callable[[Path], None]] = {
    "a cell is lost": lambda folder: bits(folder, "DELETE FROM cells WHERE rowid = 3"),
    "a row is changed": lambda folder: bits(folder, "UPDATE cells SET rows = replace(rows, '0', '1') WHERE rowid = 3"),
    "an origin is changed": lambda folder: bits(folder, "UPDATE origins SET cpu = 'x'"),
    "a run is changed": lambda folder: bits(folder, "UPDATE runs SET overrides = '[\"a\"]'"),
    "a run is lost": lambda folder: bits(folder, "DELETE FROM runs"),
    "the manifest is lost": lambda folder: bits(folder, "DELETE FROM manifest"),
    "the file is cut": cut,
    "no database": spell,
    "a further table": lambda folder: bits(folder, "CREATE TABLE more(a)"),
    "a status is no text, and its digest fits": lambda folder: signed(folder, "status = x'ff'"),
    "a row has an infinite value, and its digest fits": lambda folder: signed(
        folder, "rows = substr(rows, 1, instr(rows, char(10))) || '[1e999' || substr(rows, instr(rows, ','))"
    ),
    "a column belongs to the engine, and its digest fits": lambda folder: signed(folder, ROWS.format("status", "3")),
    "a column is an axis, and its digest fits": lambda folder: signed(folder, ROWS.format("n", "3")),
    "an entry is a list, and its digest fits": lambda folder: signed(folder, ROWS.format("steps", "[3]")),
    "a name cannot be written, and its digest fits": lambda folder: signed(folder, ROWS.format("\\ud800", "3")),
    "an axis belongs to the engine, and its digest fits": lambda folder: signed(
        folder, "axes = replace(axes, '}', ',\"status\":1}')"
    ),
    "an axis is no number, and its digest fits": lambda folder: signed(
        folder, "axes = replace(axes, '}', ',\"k\":NaN}')"
    ),
    "a newer version": lambda folder: bits(folder, "PRAGMA user_version = 99"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_store_is_refused_in_one_line_and_the_others_are_merged(tmp_path: Path, damage: str) -> None:
    halves = [Shard(number, 2).share(cells()) for number in (1, 2)]
    for number, own in enumerate(halves):
        measured(tmp_path / str(number), own, cells())
    shutil.copytree(tmp_path / "1", tmp_path / "whole")
    DAMAGES[damage](tmp_path / "1")
    before = (tmp_path / "1/measurements.sqlite").read_bytes()
    first, refused = merged(tmp_path / "all", tmp_path / "0", tmp_path / "1")
    assert isinstance(first, Merged)
    assert isinstance(refused, str)
    assert "\n" not in refused
    assert (tmp_path / "1/measurements.sqlite").read_bytes() == before
    assert content(tmp_path / "all") == content(tmp_path / "0")
    merged(tmp_path / "all", tmp_path / "whole")
    assert frame(tmp_path / "all").equals(frame(measured(tmp_path / "one", cells())))
