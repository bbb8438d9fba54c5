"""Every command on results folders that are damaged in any way: one line, nothing lost, nothing written elsewhere."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from helpers.cheap_experiment import command
from helpers.damages import DAMAGES, Damage, flipped, instead, sql
from helpers.databases import opened

import dprepro
from dprepro.__main__ import main
from dprepro.analysis.rule import Rule
from dprepro.engine import Store
from dprepro.errors import InputError
from dprepro.report import picture, power_report

pytestmark = pytest.mark.usefixtures("undrawn")

NAME = "lasso_tardos_constants"
COMMANDS: dict[str, list[str]] = {
    "list": ["results_dir=results"],
    "ledger": ["ledger"],
    "check": ["check"],
    "verify": ["verify", "share=.1"],
    "reference": ["reference", "reference_dir=results/kept"],
    "run": [f"+experiment={NAME}", "workers=1"],
    "stability": ["stability", "seeds=2"],
    "heldout": ["heldout"],
    "repair": ["check", "repair=true"],
    "ledger again": ["ledger", "--single-file", "--strict"],
}


def beside(name: str, damage: Damage) -> Damage:
    """A damage of another file than the store."""
    return lambda store: damage(store.parent / name)


def written(content: bytes) -> Damage:
    return lambda file: (file.unlink(missing_ok=True), file.write_bytes(content))


JUNK: dict[str, Damage] = {
    "empty": written(b""),
    "binary": written(bytes(range(256)) * 20),
    "a list": written(b"[]"),
    "a number": written(b"3"),
    "another shape": written(b'{"checks": {"a": 3}, "provenance": [], "experiment": "../../x", "claims": [3]}'),
    "deep": written(b"[" * 100_000),
    "NaN": written(b'{"checks": {"a": {"verdict": NaN}}}'),
    "a folder": instead(Path.mkdir),
    "a link to nothing": instead(lambda file: file.symlink_to(file.parent / "nowhere")),
    "a pipe": instead(os.mkfifo),
    "no end": instead(lambda file: file.symlink_to("/dev/zero")),
}
FILES = (f"{NAME}/verdict.json", "ledger.json", "ledger_files/manifest.json", f"{NAME}/figure.png")
NAMES = ("../../x", "..", "/tmp/x", "a\nb", "x" * 5000, "lasso_rate", "\u202ex", "-m", "")
FOLDERS: dict[str, Damage] = {
    **{f"{name} {kind}": beside(name, damage) for name in FILES for kind, damage in JUNK.items()},
    **{f"named {name[:9]!r}": sql("UPDATE runs SET experiment = ?", name, signed=True) for name in NAMES},
    "no permission": lambda file: file.chmod(0),
    "a huge entry": sql("UPDATE cells SET rows = ? WHERE rowid = 1", b"x" * 20_000_000),
    "a huge traceback": sql("UPDATE cells SET traceback = ?", "x" * 100_000, signed=True),
    "infinite": sql("UPDATE cells SET seconds = 9e999", signed=True),
    "more than infinite": sql("UPDATE cells SET seconds = 1e308", signed=True),
    "endless": sql(
        'UPDATE runs SET provenance = replace(provenance, \'"cells":\', \'"cells":1e400,"x":\')', signed=True
    ),
    "versions": sql(
        'UPDATE runs SET provenance = replace(provenance, \'"versions":\', \'"versions":1,"x":\')', signed=True
    ),
    "no seconds": sql("UPDATE cells SET rows = replace(rows, '1', 'NaN')", signed=True),
    "huge numbers": sql("UPDATE cells SET rows = replace(rows, '.', '9e300,')", signed=True),
    "text for numbers": sql("UPDATE cells SET rows = replace(rows, ',null', ',\"x\"')", signed=True),
    "no status": sql("UPDATE cells SET status = '', replicate = -5", signed=True),
    "a column more": sql("ALTER TABLE runs ADD COLUMN more TEXT"),
    "a column less": sql("ALTER TABLE cells DROP COLUMN traceback"),
    "a renamed table": sql("ALTER TABLE cells RENAME TO cell"),
    "a foreign database": instead(sql("CREATE TABLE cells (a, b)")),
    "a view": sql("CREATE VIEW more AS SELECT * FROM cells"),
    "a trigger": sql("CREATE TRIGGER t BEFORE INSERT ON cells BEGIN SELECT RAISE(ABORT, 'no'); END"),
    **{f"flips more {seed}": flipped(seed) for seed in range(20, 32)},
    "a folder in its place": beside(NAME, lambda candidate: (shutil.rmtree(candidate), candidate.write_text("x"))),
    **{
        f"{name} leads elsewhere": beside(
            name, lambda candidate: (shutil.rmtree(candidate), candidate.symlink_to(candidate.parents[1]))
        )
        for name in (NAME, "ledger_files")
    },
    "no folder of files": beside(
        "ledger_files", lambda candidate: (shutil.rmtree(candidate), candidate.write_text("x"))
    ),
}
ALL = {**DAMAGES, **FOLDERS}
QUICK = ("named '../../x'", f"{NAME}/verdict.json a list", "text for numbers")


@pytest.fixture(scope="module")
def sound(undrawn: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder after a run of an experiment of the package, at two seeds and held out, and its ledger."""
    folder = tmp_path_factory.mktemp("sound")
    dprepro.run(NAME, results_dir=str(folder), progress=False)
    for words in (["stability", "seeds=2"], ["heldout"], ["ledger"]):
        main([*words, f"results_dir={folder}"])
    return folder


@pytest.fixture(scope="module", autouse=True)
def _powers_of_equal_measurements_are_computed_once() -> Iterator[None]:
    once, known = power_report.power, dict[str, Any]()

    def power(rule: Rule, frame: pd.DataFrame, *further: Any) -> Any:
        key = repr((rule, picture.content(frame), further))
        if key not in known:
            known[key] = once(rule, frame, *further)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(power_report, "power", power)
        yield


@pytest.fixture(autouse=True)
def _at_once(one_process: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store in use is given up at once."""
    monkeypatch.setattr("dprepro.engine.connection.BUSY_SECONDS", 0.05)


def cells_of(folder: Path) -> dict[bytes, tuple[str, str]]:
    """Status and rows of the cells that can be read and are as they were stored."""
    try:
        with Store.open(folder) as store:
            keys = [key for (key,) in store._database.execute("SELECT key FROM cells")]
            found = store._cells(keys)
            return {key: (str(cell[0]), str(cell[4])) for key, cell, _, sound in found if sound and key}
    except (InputError, sqlite3.Error):
        return {}


def content(folder: Path) -> dict[str, str]:
    """Digests of the files elsewhere: beside the results folder, and around it."""
    own = folder / "b" / "results"
    files = (path for path in folder.rglob("*") if not path.is_relative_to(own))
    return {str(file): hashlib.md5(file.read_bytes()).hexdigest() if file.is_file() else "" for file in files}


def examined(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command once on ``folder/results``, from ``folder``."""
    before, around = cells_of(folder / "results"), content(folder.parent)
    for name, arguments in COMMANDS.items():
        capsys.readouterr()
        code = command(*arguments)
        said = capsys.readouterr()
        assert code in (0, 1, 2), name
        assert "Traceback" not in said.out + said.err, name
        if code == 2:
            assert said.err.startswith("error: "), name
            assert said.err.count("\n") == 1, (name, said.err)
        after = cells_of(folder / "results")
        assert {key: after.get(key) for key in before} == before, name
    assert content(folder.parent) == around


def spoilt(sound: Path, tmp_path: Path, damage: Damage, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    shutil.copytree(sound, folder / "results")
    damage(folder / "results" / "measurements.sqlite")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("name", QUICK)
def test_every_command_answers_some_damaged_folders_in_one_line(
    sound: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    examined(spoilt(sound, tmp_path, ALL[name], monkeypatch), capsys)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_every_command_answers_every_damaged_folder_in_one_line(
    sound: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    examined(spoilt(sound, tmp_path, ALL[name], monkeypatch), capsys)


def test_a_store_in_use_by_another_process_is_waited_for_and_then_said_so(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = spoilt(sound, tmp_path, lambda _: None, monkeypatch)
    with opened(folder / "results" / "measurements.sqlite") as database:
        database.execute("BEGIN EXCLUSIVE")
        examined(folder, capsys)
        database.rollback()
    assert len(cells_of(folder / "results")) > 0
    assert os.listdir(folder) == ["results"]
