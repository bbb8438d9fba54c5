"""A store that was changed since it was written, with digests made to fit where they could be: somebody says so."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.cheap_experiment import command, write_config_dir
from helpers.damages import aged, cut, instead, sign, sql
from helpers.databases import opened

from dprepro.engine.cell import Row
from dprepro.engine.code import fingerprint
from dprepro.engine.rows import dump, rows_of, text_of
from dprepro.engine.store import Store
from dprepro.replication import remeasured

pytestmark = pytest.mark.usefixtures("undrawn")

Forgery = Callable[[Path], object]
"""Changes the file at a path."""


@pytest.fixture(scope="module")
def measured(undrawn: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a configuration of a user, ``mine``, and ``results`` of it, published."""
    folder = tmp_path_factory.mktemp("measured")
    write_config_dir(folder / "mine")
    words = ["--config-dir", folder / "mine", f"results_dir={folder / 'results'}"]
    assert command(*words, "+experiment=cheap") == 0
    assert command(*words, "+experiment=cheap", "checks.both.margin=0.4") == 0
    assert command("--config-dir", folder / "mine", f"results_dir={folder / 'other'}", "+experiment=cheap_too") == 0
    return folder


@pytest.fixture
def place(measured: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    return shutil.copytree(measured, tmp_path / "copy")


def arguments(place: Path) -> list[str]:
    return [f"results_dir={place / 'results'}", "--config-dir", str(place / "mine")]


def forged(change: Callable[[sqlite3.Connection], object]) -> Forgery:
    """A change by SQLite after which all digests fit again."""

    def forge(file: Path) -> None:
        with opened(file) as database:
            change(database)
            sign(database)

    return forge


def rows(change: Callable[[Row], Row | None], where: str = "1") -> Forgery:
    """Every row of some cells changed, or taken away."""

    def edit(database: sqlite3.Connection) -> None:
        stored = database.execute(f"SELECT key, rows FROM cells WHERE {where}").fetchall()
        for key, text in stored:
            new = [one for row in rows_of(text) if (one := change(Row(*row))) is not None]
            database.execute("UPDATE cells SET rows = ? WHERE key = ?", (text_of(new), key))

    return forged(edit)


def column(name: str, factor: float) -> Forgery:
    """A column, or the value or bound, of every risk times a number."""

    def change(row: Row) -> Row:
        if row.quantity != "excess_risk":
            return row
        told: dict[str, Any] = {"value": row.value, "bound": row.bound, **row.columns}
        told[name] *= factor
        return Row(row.quantity, told.pop("value"), told.pop("bound"), told)

    return rows(change)


def config(change: Callable[[dict[str, Any]], object], where: str = "1") -> Forgery:
    """The stored configuration of runs changed."""

    def edit(database: sqlite3.Connection) -> None:
        for number, text in database.execute(f"SELECT id, config FROM runs WHERE {where}").fetchall():
            found = json.loads(text)
            change(found)
            database.execute("UPDATE runs SET config = ? WHERE id = ?", (dump(found), number))

    return forged(edit)


def layout(change: Callable[[list[list[Any]], list[bytes]], object]) -> Forgery:
    """The stretches of a layout and the keys of its cells changed."""

    def edit(database: sqlite3.Connection) -> None:
        for number, text, blob in database.execute("SELECT id, layout, keys FROM runs").fetchall():
            parts, keys = json.loads(text), [blob[i : i + 32] for i in range(0, len(blob), 32)]
            change(parts, keys)
            values = (dump(parts), b"".join(keys), number)
            database.execute("UPDATE runs SET layout = ?, keys = ? WHERE id = ?", values)

    return forged(edit)


def dropped(parts: list[list[Any]], keys: list[bytes]) -> None:
    parts[0][3] -= 4
    del keys[:4]


def exchanged(place: int) -> Callable[[list[list[Any]], list[bytes]], None]:
    def change(parts: list[list[Any]], keys: list[bytes]) -> None:
        parts[0][place], parts[1][place] = parts[1][place], parts[0][place]

    return change


def renamed_code(database: sqlite3.Connection) -> None:
    """Other code, whose record fits its name, and which nobody has changed."""
    new = fingerprint({})
    database.execute("UPDATE codes SET code = ? || substr(code, 33), modules = '{}' WHERE rowid = 1", (new,))
    database.execute("DELETE FROM codes WHERE rowid > 1")
    database.execute("UPDATE origins SET code = ? WHERE id = 1", (new,))
    for number, text in database.execute("SELECT id, layout FROM runs").fetchall():
        parts = [[series, role, new, count] for series, role, _, count in json.loads(text)]
        database.execute("UPDATE runs SET layout = ? WHERE id = ?", (dump(parts), number))


def exchanged_rows(database: sqlite3.Connection) -> None:
    """The rows of two grid points in place of each other."""
    found = dict(database.execute("SELECT axes, rows FROM cells ORDER BY rowid"))
    one, other = sorted(found)[:2]
    for axes, text in ((one, found[other]), (other, found[one])):
        database.execute("UPDATE cells SET rows = ? WHERE axes = ?", (text, axes))


def newer_run(database: sqlite3.Connection) -> None:
    """A later run without overrides, in which a check expects less."""
    less = "replace(config, '\"expected\":1,', '\"expected\":2,')"
    database.execute(
        f"INSERT INTO runs SELECT 99, experiment, {less}, '[]', provenance, finished, sources, mark, digest, layout,"
        " keys FROM runs WHERE id = 1"
    )
    ((two,),) = database.execute("SELECT count(DISTINCT config) FROM runs WHERE id IN (1, 99)")
    assert two == 2


def emptied(database: sqlite3.Connection, status: str) -> None:
    """Cells that say why they have no rows."""
    database.execute("UPDATE cells SET status = ?, rows = ?", (status, text_of([])))


def no_overrides(database: sqlite3.Connection) -> None:
    """A run with overrides passed off as one without."""
    database.execute("UPDATE runs SET overrides = '[]'")
    database.execute("DELETE FROM runs WHERE id = 1")


def downgraded(file: Path) -> None:
    """What has no manifest has lost nothing that a manifest could tell."""
    sql("DELETE FROM codes")(file)
    aged(file)


TABLES = ("cells", "runs", "codes", "origins", "manifest")
CELL = "status, seconds, axes, replicate, rows, traceback, origin, digest"
FORGERIES: dict[str, Forgery] = {
    # lost
    **{f"no entries of {table}": sql(f"DELETE FROM {table}") for table in TABLES},
    **{f"one entry less of {table}": sql(f"DELETE FROM {table} WHERE rowid = 1") for table in TABLES},
    **{f"no table {table}": sql(f"DROP TABLE {table}") for table in TABLES},
    "no length": cut(0),
    "half": cut(0.5),
    "another store": lambda file: shutil.copy(file.parents[1] / "other" / file.name, file),
    "no runs, signed": forged(lambda database: database.execute("DELETE FROM runs")),
    "no first run, signed": forged(lambda database: database.execute("DELETE FROM runs WHERE id = 1")),
    "no codes, signed": forged(lambda database: database.execute("DELETE FROM codes")),
    "no cells, signed": forged(lambda database: database.execute("DELETE FROM cells")),
    "nothing, signed": forged(lambda database: database.executescript("DELETE FROM cells; DELETE FROM runs")),
    "an older version without codes": downgraded,
    # what was measured
    "value": column("value", 1 + 1e-9),
    "trivial_risk": column("trivial_risk", 1e-6),
    "bound": column("bound", 2.0),
    "rate": column("rate", 2.0),
    "noise_scale": column("noise_scale", 1.001),
    "total_steps": column("total_steps", 2),
    "gap": rows(lambda row: Row(row.quantity, row.value, row.bound, {**row.columns, "gap": 0.25})),
    "largest_risk": column("largest_risk", 1.5),
    "deterministic": rows(lambda row: Row(row.quantity, row.value, row.bound, {**row.columns, "deterministic": True})),
    "no certified_epsilon": rows(lambda row: row if row.quantity != "certified_epsilon" else None),
    "a quantity more": rows(lambda row: row if row.quantity != "certified_epsilon" else Row("agreement", 1.0)),
    "certified": rows(
        lambda row: row if row.quantity != "certified_epsilon" else Row("certified_epsilon", 0.5, 1.0, row.columns)
    ),
    "rows exchanged": forged(exchanged_rows),
    "rows of another shape": forged(lambda database: database.execute("UPDATE cells SET rows = '[[\"q\"]]'")),
    "a count of no number": sql("UPDATE manifest SET entries = 'many'"),
    "axes": forged(lambda database: database.execute("UPDATE cells SET axes = replace(axes, '\"n\":3', '\"n\":4')")),
    "replicates": forged(lambda database: database.execute("UPDATE cells SET replicate = 1 - replicate")),
    "skipped": forged(lambda database: emptied(database, "skipped: x")),
    "failed": forged(lambda database: emptied(database, "failed: x")),
    "a cell without a key": sql(f"INSERT INTO cells SELECT NULL, {CELL} FROM cells WHERE rowid = 1"),
    # who measured it
    "other code": forged(lambda database: database.execute("UPDATE origins SET code = 'x'")),
    "code of no module": forged(renamed_code),
    "no origin": forged(lambda database: database.execute("UPDATE cells SET origin = NULL")),
    # what was asked for
    "roles exchanged": layout(lambda parts, keys: [part.__setitem__(1, "control") for part in parts[:1]]),
    "series exchanged": layout(exchanged(0)),
    "cells left out": layout(dropped),
    "keys exchanged": layout(lambda parts, keys: keys.reverse()),
    "no cell": layout(lambda parts, keys: (parts.clear(), keys.clear())),
    "expected": config(lambda found: found["checks"]["below_bound"].update(expected=2)),
    "expect": config(lambda found: found["checks"]["half_the_bound"].update(expect="confirmed")),
    "role of a check": config(lambda found: found["checks"]["both"].update(role="claim")),
    "no check": config(lambda found: found["checks"].pop("half_the_bound")),
    "sweep": config(lambda found: found["sweep"].update(p=[999])),
    "replicates asked for": config(lambda found: found.update(replicates=20)),
    "statement": config(lambda found: found.update(statement="The excess risk falls as n^(-1).")),
    "neighbours": config(lambda found: found.update(neighbours="zero_out")),
    "seed": config(lambda found: found.update(seed=7)),
    "study": config(lambda found: found["study"].update(bound="lasso.theorem_2_5_rate")),
    "series": config(lambda found: found["study"]["series"].pop("bounded")),
    "figure": config(lambda found: found["figure"]["labels"].update(needle="any data")),
    "overrides": forged(no_overrides),
    "a newer run": forged(newer_run),
    "not finished": forged(lambda database: database.execute("UPDATE runs SET finished = 0")),
    "another experiment": forged(lambda database: database.execute("UPDATE runs SET experiment = 'cheap_too'")),
    "an unknown experiment": forged(lambda database: database.execute("UPDATE runs SET experiment = 'unheard_of'")),
    "provenance": forged(
        lambda database: database.execute("UPDATE runs SET provenance = replace(provenance, 'seed\":0', 'seed\":1')")
    ),
    # what is no store's
    "wrong types": sql("UPDATE cells SET seconds = 'quick'"),
    "a generated column": sql("ALTER TABLE codes ADD COLUMN slow TEXT AS (hex(zeroblob(999999999)))"),
    "a trigger": sql("CREATE TRIGGER t BEFORE INSERT ON cells BEGIN SELECT RAISE(ABORT, 'no'); END"),
    "a table more": sql("CREATE TABLE more(a)"),
    "an index": sql("CREATE INDEX more ON cells(seconds)"),
    # what stands beside it
    "verdict of another run": lambda file: edited(file.parent / "cheap" / "verdict.json", '"run": "', '"run": "0'),
    "verdict of the overridden run": lambda file: shutil.copy(
        next(file.parent.glob("cheap/overridden/*/verdict.json")), file.parent / "cheap"
    ),
    "no verdict": lambda file: instead(lambda path: path.write_text("{}"))(file.parent / "cheap" / "verdict.json"),
}  # fmt: skip


def edited(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_store_that_nobody_touched_is_sound_and_agrees(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("check", *arguments(place)) == 0
    assert capsys.readouterr().out.endswith("all sound\n")
    assert command("verify", *arguments(place), "share=1") == 0
    said = capsys.readouterr().out
    assert "cheap: 10 of 10 cells agree (10 bit by bit)\n" in said
    assert "cheap checks.both.margin=0.4: 10 of 10 cells agree" in said


#: What each of the two finds by itself, whatever the other one says.
FOUND_BY_CHECK = {
    "one entry less of cells": "the table cells holds 9 entries, and 10 were stored",
    "one entry less of runs": "the table runs holds 1 entries, and 2 were stored",
    "no entries of codes": "the record of the code that made it is missing or damaged",
    "no codes, signed": "the record of the code that made it is missing or damaged",
    "an older version without codes": "the record of the code that made it is missing or damaged",
    "no entries of manifest": "the manifest has no entry for the table cells",
    "no runs, signed": "the store holds no run",
    "another store": "cheap: its verdict is of no run in the store",
    "expected": "cheap: its verdict is of no run in the store",
    "a newer run": "its verdict is of another run than the latest",
    "verdict of the overridden run": "its verdict is of another run than the latest",
    "not finished": "its verdict is of a run that was not finished",
    "an unknown experiment": "its configuration is not here",
    "a cell without a key": "1 cells are not as they were stored",
}
FOUND_BY_VERIFY = {
    "no cells, signed": "0 of 0 cells agree",
    "no runs, signed": "the store holds no run",
    "value": "excess_risk: value was",
    "trivial_risk": "excess_risk: trivial_risk was 7.5e-07, and is 0.75",
    "bound": "excess_risk: bound was",
    "rate": "excess_risk: rate is",
    "noise_scale": "excess_risk: noise_scale is",
    "certified": "certified_epsilon: value was 0.5, and is 0.853",
    "no certified_epsilon": "it has excess_risk, noise_moments, and not excess_risk, certified_epsilon, noise_moments",
    "rows exchanged": "excess_risk: rate is",
    "rows of another shape": "its rows cannot be read",
    "axes": "its axes are",
    "replicates": "its replicate is",
    "skipped": "it was skipped: x, and is ok",
    "failed": "it was failed: x, and is ok",
    "other code": "10 are of other code",
    "code of no module": "10 are of other code",
    "roles exchanged": "series needle was measured as control, and is claim",
    "series exchanged": "series bounded has cells that are not asked for",
    "cells left out": "series needle lacks cells that are asked for: 4",
    "expected": "changed since the run: checks.below_bound.expected (2 then, 1 now)",
    "sweep": "changed since the run: sweep.p ([999] then, [1000] now)",
    "statement": "changed since the run: statement",
    "study": "changed since the run: study.bound",
    "figure": "changed since the run: figure.labels.needle",
    "overrides": "changed since the run: checks.both.margin (0.4 then, 0.5 now)",
    "provenance": "its record says seed=1, and that is 0",
}


@pytest.mark.parametrize(
    ("asked", "name", "words"),
    [
        *(("check", *item) for item in FOUND_BY_CHECK.items()),
        *(("verify", *one) for one in FOUND_BY_VERIFY.items()),
    ],
)
def test_each_command_says_what_it_finds_by_itself(
    place: Path, asked: str, name: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    FORGERIES[name](place / "results" / "measurements.sqlite")
    assert command(asked, *arguments(place)) == 1
    assert words in capsys.readouterr().out


@pytest.mark.parametrize("name", [name for name in FORGERIES if name not in {**FOUND_BY_CHECK, **FOUND_BY_VERIFY}])
def test_check_or_verify_says_so_of_every_other_forgery(
    place: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    FORGERIES[name](place / "results" / "measurements.sqlite")
    code = command("check", *arguments(place))
    if code == 0:
        code = command("verify", *arguments(place))
    said = capsys.readouterr()
    assert code in (1, 2), said.out
    assert "Traceback" not in said.out + said.err
    if code == 2:
        assert said.err.startswith("error: ")
        assert said.err.count("\n") == 1


#: As listing, check and verify say it.
CHANGED = "checks.below_bound.expected (1 then, 2 now)"


def told(place: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, tuple[int, str]]:
    """What listing, ledger, check and verify say, each with its exit code."""
    found = {}
    for name, words in (("listing", []), ("ledger", ["ledger"]), ("check", ["check"]), ("verify", ["verify"])):
        capsys.readouterr()
        code = command(*words, *arguments(place))
        found[name] = (code, " ".join(capsys.readouterr().out.split()))
    return found


def test_a_claim_that_is_edited_after_the_run_reads_as_changed_in_all_four_places_until_it_is_run_again(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("ledger", *arguments(place)) == 0  # which enters what stands into the manifest
    edited(
        place / "mine" / "experiment" / "cheap.yaml", "series: [needle], expected: 1}", "series: [needle], expected: 2}"
    )
    found = told(place, capsys)
    assert f"cheap: changed since the run: {CHANGED}" in found["listing"][1]
    assert "Theorem 2.5, cheaply changed" in found["listing"][1]
    for name in ("check", "verify"):
        assert found[name][0] == 1
        assert f"changed since the run: {CHANGED}" in found[name][1]
    verdict = json.loads((place / "results" / "cheap" / "verdict.json").read_text())
    assert verdict["verdict"] == "inconclusive"
    assert CHANGED in verdict["checks"]["below_bound"]["reason"]
    assert f"cheap: changed since the run: {CHANGED}" in found["ledger"][1]
    rows = json.loads((place / "results" / "ledger.json").read_text())["claims"]
    (row,) = [row for row in rows if "cheap" in row["experiments"]]
    assert row["verdict"] == "inconclusive"
    assert CHANGED in row["note"]
    assert command(*arguments(place), "+experiment=cheap") == 0
    assert command(*arguments(place), "+experiment=cheap", "checks.both.margin=0.4") == 0
    found = told(place, capsys)
    assert "changed" not in found["listing"][1]
    assert [found[name][0] for name in ("check", "verify")] == [0, 0]
    assert json.loads((place / "results" / "cheap" / "verdict.json").read_text())["verdict"] == "confirmed"


def test_a_comment_or_another_way_of_writing_changes_nothing(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = place / "mine" / "experiment" / "cheap.yaml"
    edited(file, "replicates: 2", "# twice\nreplicates:   2")
    edited(file, "1.0e7", "10000000")
    found = told(place, capsys)
    assert "changed" not in "".join(said for _, said in found.values())
    assert [code for code, _ in found.values()] == [0, 0, 0, 0]


def test_words_of_a_figure_that_changed_are_said_and_take_no_verdict_away(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edited(place / "mine" / "experiment" / "cheap.yaml", "the needle", "a needle")
    found = told(place, capsys)
    assert (
        'cheap: changed since the run: figure.labels.needle ("the needle" then, "a needle" now)' in found["listing"][1]
    )
    assert "cheaply confirmed" in found["listing"][1]
    assert [found[name][0] for name in ("check", "verify")] == [1, 1]
    assert json.loads((place / "results" / "cheap" / "verdict.json").read_text())["verdict"] == "confirmed"


def test_a_store_that_was_never_run_is_neither_sound_nor_agrees(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Store.open(tmp_path, create=True).close()
    assert command("check", f"results_dir={tmp_path}") == 1
    assert capsys.readouterr().out == "the store holds no run\nnot sound\n"
    assert command("verify", f"results_dir={tmp_path}") == 1
    assert not remeasured.Comparison().agrees


def test_cells_that_say_why_they_have_no_rows_are_measured_again_whatever_the_share(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("SPARE_SECONDS", "SERIES_SECONDS"):
        monkeypatch.setattr(remeasured, name, 0.0)
    forged(lambda database: emptied(database, "skipped: x"))(place / "results" / "measurements.sqlite")
    command("verify", *arguments(place), "share=1e-9")
    assert "cheap: 0 of 10 cells agree" in capsys.readouterr().out


def test_a_table_that_computes_without_end_is_refused_before_it_is_read(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "CREATE TABLE codes(code TEXT PRIMARY KEY, modules TEXT NOT NULL, slow TEXT AS (hex(zeroblob(9999999))))"
    with opened(place / "results" / "measurements.sqlite") as database:
        database.executescript(f"DROP TABLE codes; {text}")
    for name in ("check", "verify", "ledger"):
        assert command(name, *arguments(place)) == 2
        assert "its table codes has other columns than a store's" in capsys.readouterr().err


def test_a_verdict_without_its_run_is_marked_in_the_listing(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sql("DELETE FROM runs")(place / "results" / "measurements.sqlite")
    assert command(*arguments(place)) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "cheaply confirmed?" in said
    assert "? the store does not hold this run" in said


def test_an_experiment_whose_folder_is_not_named_is_not_called_sound(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("check", f"results_dir={place / 'results'}") == 1
    assert (
        "its configuration is not here: install its pack, or name its folder by --config-dir" in capsys.readouterr().out
    )


@pytest.mark.parametrize("name", ["one entry less of codes", "no entries of manifest", "verdict of another run"])
def test_repair_makes_it_sound_again(place: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    FORGERIES[name](place / "results" / "measurements.sqlite")
    assert command("check", *arguments(place), "repair=true") == 0
    assert capsys.readouterr().out.endswith("all sound\n")
