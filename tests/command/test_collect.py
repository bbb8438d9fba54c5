"""Jobs of a queue from the command: handed in, left, collected; and what is refused before anything is written."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from helpers.cheap_experiment import ENVIRONMENT, command, write_config_dir

from dprepro.engine import runner
from dprepro.engine.slurm import Setup, Slurm

pytestmark = pytest.mark.usefixtures("undrawn")

pytest.importorskip("submitit", reason="submitit is not installed")

JOBS = "{cluster: local, jobs: 2, job_minutes: 1, resubmit: 1}"


def rows(results: Path) -> pd.DataFrame:
    return pd.read_parquet(results / "cheap/measurements.parquet").drop(columns="seconds")


def ended(results: Path) -> None:
    """Wait until no job of the folder runs."""
    deadline = time.monotonic() + 120
    while any(str(results).encode() in _words(path) for path in Path("/proc").glob("[0-9]*/cmdline")):
        assert time.monotonic() < deadline
        time.sleep(0.2)


def tree(folder: Path) -> list[Path]:
    """All that lies in a folder."""
    return sorted(folder.rglob("*"))


def _words(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_jobs_that_are_left_are_collected_and_give_what_one_process_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runner, "SERIAL_SECONDS", -1.0)
    monkeypatch.setenv("PYTHONPATH", ENVIRONMENT["PYTHONPATH"])
    folder, results, alone = write_config_dir(tmp_path / "conf"), tmp_path / "results", tmp_path / "alone"
    setup = tmp_path / "jobs.yaml"
    setup.write_text(JOBS, encoding="utf-8")
    run = ["+experiment=cheap", f"results_dir={results}", f"workers={setup}", f"--config-dir={folder}"]
    collect = ["collect", f"results_dir={results}", f"workers={setup}", f"--config-dir={folder}"]
    limits: list[float | None] = []
    execute = runner.execute

    def limited(*given: Any, **named: Any) -> runner.RunCounts:
        limits.append(named["cell_seconds"])
        return execute(*given, **named)

    monkeypatch.setattr(runner, "execute", limited)
    assert command(*run, "--detach", "cell_minutes=7") == 0
    said = capsys.readouterr().out
    assert "cheap: 0 of 10 cells are stored; jobs: 2 " in said
    assert f"python -m dprepro collect workers={setup} results_dir={results}" in said
    assert not (results / "cheap/verdict.json").exists()
    assert len(list((results / "jobs").iterdir())) == 1
    assert command(*run, "--detach", "cell_minutes=7") == 0  # nothing is handed in twice
    assert len(list((results / "jobs").iterdir())) == 1
    ended(results)
    other = Slurm(Setup.read(str(setup)), results, "")
    (array,) = (results / "jobs").iterdir()
    assert other._hold(array) == ""
    before = tree(results / "jobs")
    capsys.readouterr()
    for words in (collect, run):  # another command waits for these jobs
        assert command(*words) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert f"process {os.getpid()} on " in error
        assert f"waits already for the jobs in {array}" in error
    assert tree(results / "jobs") == before
    other.close(drop=True)
    del limits[:]
    assert command(*collect) == 0
    assert limits == [420.0]
    assert "verdict: cheap" in capsys.readouterr().out
    assert not (results / "jobs").exists()
    assert command(*collect) == 0
    assert "has jobs that are to be collected" in capsys.readouterr().out.replace("no run in ", "")
    assert command("+experiment=cheap", f"results_dir={alone}", f"--config-dir={folder}") == 0
    assert rows(results).equals(rows(alone))


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("{slurm_partion: short}", [], "unknown key 'slurm_partion' (did you mean slurm_partition?)"),
        ("{cluster: moon}", [], "unknown cluster 'moon'; choices: local, slurm"),
        ("{nodes: 2}", [], "nodes cannot be set, as each job is one task on one node"),
        ("{timeout_min: soon}", [], "timeout_min is 'soon'; it must be a whole number"),
        ("{cluster: local, jobs: 0}", [], "jobs must be from 1 to 100000, got jobs=0"),
        ("{cluster: local, resubmit: -1}", [], "resubmit must be from 0 to 1000, got resubmit=-1"),
        ("[short]", [], "must be a block of keys, such as slurm_partition: short"),
        ("{a: ", [], "is no valid YAML"),
        (None, [], "cannot read"),
        ("{cluster: local}", ["shard=1/2"], "measures a shard already: leave shard= out"),
    ],
)
def test_a_set_up_that_cannot_be_is_one_line_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, words: list[str], said: str
) -> None:
    setup = tmp_path / "jobs.yaml"
    if text is not None:
        setup.write_text(text, encoding="utf-8")
    folder = write_config_dir(tmp_path / "conf")
    results = tmp_path / "results"
    given = ["+experiment=cheap", f"results_dir={results}", f"workers={setup}", f"--config-dir={folder}", *words]
    assert command(*given) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not results.exists()


def test_only_a_person_names_a_set_up_and_only_with_one_is_a_run_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from helpers.cheap_experiment import CHEAP

    folder = write_config_dir(tmp_path / "conf", sly=CHEAP.replace("workers: 1", "workers: jobs.yaml"))
    results = f"results_dir={tmp_path / 'results'}"
    assert command("+experiment=sly", results, f"--config-dir={folder}") == 2
    assert "type workers=FILE.yaml yourself" in capsys.readouterr().err
    assert command("+experiment=cheap", results, f"--config-dir={folder}", "--detach") == 2
    assert "--detach leaves jobs to their queue, and needs a file" in capsys.readouterr().err
    assert command("collect", results) == 2
    assert "collect needs the file that the jobs were set up by: workers=slurm.yaml" in capsys.readouterr().err
    (tmp_path / "slurm.yaml").write_text("{slurm_partition: short}", encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command("+experiment=cheap", results, f"workers={tmp_path / 'slurm.yaml'}", f"--config-dir={folder}") == 2
    assert "this machine has no Slurm (srun is not found)" in capsys.readouterr().err
    monkeypatch.setitem(__import__("sys").modules, "submitit", None)
    assert command("+experiment=cheap", results, f"workers={tmp_path / 'slurm.yaml'}", f"--config-dir={folder}") == 2
    assert "needs submitit: pip install 'dprepro[slurm]'" in capsys.readouterr().err
    assert not os.path.exists(tmp_path / "results")
