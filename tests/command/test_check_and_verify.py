"""``python -m dprepro check`` and ``python -m dprepro verify``, and what a run and the ledger say of a store."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from helpers.databases import opened

import dprepro
from dprepro.__main__ import main
from dprepro.errors import InputError

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture(scope="module")
def measured(undrawn: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run of an experiment of the package."""
    folder = tmp_path_factory.mktemp("measured")
    dprepro.run("lasso_tardos_constants", results_dir=str(folder), progress=False)
    return folder


@pytest.fixture
def store(measured: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    return shutil.copytree(measured, tmp_path / "it's, here ")  # a name that an override has to quote


def spoil(folder: Path, statement: str) -> None:
    with opened(folder / "measurements.sqlite") as database:
        database.execute(statement)


def test_a_sound_store_is_called_sound(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"results_dir={store}"]) == 0
    assert capsys.readouterr().out.endswith("all sound\n")
    assert main(["verify", f"results_dir={store}", "share=1"]) == 0
    said = capsys.readouterr().out
    assert "bit by bit" in said
    assert said.endswith("all agree\n")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM cells WHERE rowid % 2 = 0", "missing"),
        ("UPDATE cells SET rows = replace(rows, '1', '2')", "damaged"),
        ("UPDATE origins SET code = 'another'", "damaged"),
        ("UPDATE runs SET overrides = '[ ]'", "not as it was stored"),
    ],
)
def test_what_is_wrong_is_said_by_check_and_ledger_and_repaired(
    store: Path, capsys: pytest.CaptureFixture[str], statement: str, words: str
) -> None:
    spoil(store, statement)
    assert main(["check", f"results_dir={store}"]) == 1
    assert words in capsys.readouterr().out
    main(["ledger", f"results_dir={store}"])
    verdict = json.loads((store / "lasso_tardos_constants" / "verdict.json").read_text())
    assert verdict["verdict"] == "inconclusive"
    assert all(words in check["reason"] for check in verdict["checks"].values())
    rows = json.loads((store / "ledger.json").read_text())["claims"]
    assert not [row for row in rows if row["verdict"] == "confirmed"]
    capsys.readouterr()
    assert main(["check", f"results_dir={store}", "repair=true"]) == 0
    assert capsys.readouterr().out.endswith("all sound\n")


def test_changed_code_is_said_by_check_and_ledger_and_measured_again(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dprepro.engine.store.changed", lambda modules: [min(modules)])  # as if edited since
    assert main(["check", f"results_dir={store}"]) == 1
    assert "the code has changed since (dprepro" in capsys.readouterr().out
    main(["ledger", f"results_dir={store}"])
    assert json.loads((store / "lasso_tardos_constants" / "verdict.json").read_text())["verdict"] == "inconclusive"


def test_a_result_that_does_not_repeat_is_noticed(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dprepro.studies import inequality_study

    measure = inequality_study.InequalityStudy.measure

    def off(self, cell, rng):  # type: ignore[no-untyped-def]
        from dataclasses import replace

        return [replace(row, value=row.value * (1 + 1e-6)) for row in measure(self, cell, rng)]

    monkeypatch.setattr(inequality_study.InequalityStudy, "measure", off)
    assert main(["verify", f"results_dir={store}", "share=.5"]) == 1
    assert "different: " in capsys.readouterr().out


@pytest.mark.parametrize("command", ["check", "verify"])
def test_bad_arguments_are_one_line(command: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no store"):
        main([command, f"results_dir={tmp_path}"])
    with pytest.raises(InputError, match=r"unknown argument 'result_dir=' \(did you mean results_dir=\?\)"):
        main([command, "result_dir=x"])


def test_a_run_that_keeps_cells_of_other_code_never_confirms(store: Path) -> None:
    spoil(store, "DELETE FROM codes")
    with opened(store / "measurements.sqlite") as database:
        database.execute("UPDATE cells SET origin = NULL, digest = NULL")  # from before origins were stored
    kept = dprepro.run("lasso_tardos_constants", results_dir=str(store), progress=False, reuse="any")
    assert kept.measured == 0
    assert kept.verdict["verdict"] == "inconclusive"
    again = dprepro.run("lasso_tardos_constants", results_dir=str(store), progress=False)
    assert again.measured > 0
    assert "other code" in again.again
    assert again.verdict["verdict"] == "confirmed"
