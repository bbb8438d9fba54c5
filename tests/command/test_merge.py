"""``shard=3/16`` and ``python -m dprepro merge``, from cells to verdict and verification."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from helpers.cheap_experiment import command
from helpers.databases import opened

import dprepro
from dprepro.config.checked_experiment import Experiment
from dprepro.engine import Cell
from dprepro.engine.cell_table import StoredCell
from dprepro.errors import InputError
from dprepro.replication import remeasured

pytestmark = pytest.mark.usefixtures("undrawn")
JOB = ("+experiment=pair", "algorithm=noisy_gd", "construction=linear_slope", "sweep.n=[100,200]", "sweep.p=[4]",
       "replicates=20", "workers=1", "label=it")  # fmt: skip


def shards(results: Path, of: int = 3) -> list[Path]:
    """Measure all shards; the folders of their stores."""
    for number in range(of, 0, -1):
        assert command(*JOB, f"shard={number}/{of}", f"results_dir={results}") == 0
    return sorted((results / "shards").iterdir())


def found(results: Path) -> tuple[pd.DataFrame, dict[str, object]]:
    """The published measurements without seconds, and what the verdict says of the checks."""
    folder = results / "pair/overridden/it"
    verdict = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
    frame = pd.read_parquet(folder / "measurements.parquet").drop(columns="seconds")
    return frame, {key: verdict[key] for key in ("verdict", "checks", "overrides", "statement")}


def test_merged_shards_are_judged_as_the_run_of_one_process_and_stand_every_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = shards(tmp_path / "results")
    said = capsys.readouterr().out
    assert "shard 3/3 of pair: " in said
    assert "python -m dprepro merge results_dir=" in said
    assert not (tmp_path / "results/pair").exists()
    assert command("merge", *own[:2], f"results_dir={tmp_path / 'results'}") == 0
    assert " of 43 cells are in " in capsys.readouterr().out
    assert command("merge", *own, f"results_dir={tmp_path / 'results'}") == 0
    assert ": 43 cells; " in capsys.readouterr().out
    assert command(*JOB, f"results_dir={tmp_path / 'one'}") == 0
    (merged, judged), (one, judged_once) = found(tmp_path / "results"), found(tmp_path / "one")
    assert merged.equals(one)
    assert judged == judged_once
    capsys.readouterr()
    assert command("check", f"results_dir={tmp_path / 'results'}") == 0
    assert command(*JOB, f"results_dir={tmp_path / 'results'}") == 0
    assert "0 measured now, 43 from the store" in capsys.readouterr().out


def test_what_is_merged_is_verified_on_cells_of_each_origin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 3):
        with monkeypatch.context() as patch:
            patch.setattr("dprepro.session._commit", lambda number=number: f"commit {number}")
            assert command(*JOB, f"shard={number}/3", f"results_dir={tmp_path}") == 0
    assert command("merge", *sorted((tmp_path / "shards").iterdir()), f"results_dir={tmp_path}") == 0
    measured: list[str] = []
    measure = remeasured._measure

    def noting(experiment: Experiment, cell: Cell, stored: StoredCell, found: remeasured.Comparison) -> None:
        measured.append(stored.origin[1])
        measure(experiment, cell, stored, found)

    monkeypatch.setattr(remeasured, "_measure", noting)
    assert command("verify", f"results_dir={tmp_path}", "share=1e-9") == 0
    assert len({*measured}) == 3
    monkeypatch.setattr(remeasured, "SERIES_SECONDS", -1.0)
    capsys.readouterr()
    command("verify", f"results_dir={tmp_path}", "share=1e-9")
    assert "of 2 of 3 origins none was" in capsys.readouterr().out


def test_bad_stores_are_a_line_each_and_the_others_are_merged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = shards(tmp_path / "results")
    shutil.copytree(own[0], tmp_path / "cut")
    with opened(tmp_path / "cut/measurements.sqlite") as database:
        database.execute("DELETE FROM cells WHERE rowid = 1")
    capsys.readouterr()
    assert command("merge", tmp_path / "cut", *own, f"results_dir={tmp_path / 'results'}") == 1
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert f"refused: {tmp_path / 'cut'} is not sound: the table cells holds" in said.err
    assert ": 43 cells; " in said.out
    for wrong in (tmp_path / "nowhere", tmp_path / "results"):
        assert command("merge", own[0], wrong, f"results_dir={tmp_path / 'results'}") == 2


def test_a_shard_is_none_of_a_notebook_and_must_be_one(tmp_path: Path) -> None:
    for shard in ("1/2", "3/2"):
        with pytest.raises(InputError, match="shard"):
            dprepro.run("lasso_tardos_constants", shard=shard, results_dir=str(tmp_path / "none"))
    assert not (tmp_path / "none").exists()
