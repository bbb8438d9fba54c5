"""What the commands print and write, and with which exit code they end."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from helpers.cheap_experiment import CHEAP, ENVIRONMENT, command, write_config_dir
from helpers.databases import opened

from dprepro.engine import Cell, Row

pytestmark = pytest.mark.usefixtures("undrawn")

FILES = [
    "config.yaml", "figure.pdf", "figure.png", "figure_all.pdf", "figure_all.png", "measurements.parquet", "run.log",
    "verdict.json",
]  # fmt: skip
SLOW = (
    CHEAP.replace("1.0e7]", "1.0e7, 1.0e8, 3.0e8]")
    .replace("replicates: 2", "replicates: 40")
    .replace("cheaply", "slow")
)


def verdict_of(folder: Path) -> dict[str, object]:
    loaded: dict[str, object] = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
    return loaded


def stored(store: Path) -> int:
    """How many cells another process has committed."""
    try:
        with opened(f"file:{store}?mode=ro", uri=True) as database:
            return int(database.execute("SELECT count(*) FROM cells").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_run_prints_its_table_and_verdict_logs_the_same_and_leaves_no_other_files(
    elsewhere: Path, config_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--config-dir", config_dir, "+experiment=cheap") == 0
    out, err = capsys.readouterr()
    assert (
        re.sub(r"cheap: \d+ of 10 cells .*\n", "", err) == ""
    )  # a machine that takes half a minute says how far it is
    assert sorted(tree(elsewhere)) == [*(f"results/cheap/{name}" for name in FILES), "results/measurements.sqlite"]
    lines = out.splitlines()
    assert lines[1].split() == ["series", "n", "risk", "bound", "ratio", "reduction"]
    assert lines[-2] == "verdict: cheap (lasso, Theorem 2.5, cheaply): confirmed; all checks came out as expected"
    assert lines[-1] == "cells: 10 measured now, 0 from the store; files: results/cheap"
    assert (elsewhere / "results/cheap/run.log").read_text(encoding="utf-8").splitlines() == lines[:-1]

    assert command("--config-dir", config_dir, "+experiment=cheap") == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("cells: 0 measured now, 10 from the store")


def test_the_bare_command_lists_experiments_and_last_verdicts_at_80_columns(
    elsewhere: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_config_dir(tmp_path / "mine", broken="claim: [a\n", long=CHEAP.replace("cheaply", "x" * 99))
    assert command("--config-dir", folder, "+experiment=cheap", "seed=1") == 0
    assert command("--config-dir", folder, "+experiment=cheap_too") == 0
    capsys.readouterr()
    assert command("--config-dir", folder) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert max(map(len, out.splitlines())) <= 80
    ends = {line.split()[0]: line.split()[-1] for line in out.splitlines() if re.match("  [a-z]", line)}
    assert out.startswith("Kifer, Smith and Thakurta 2012\n")
    assert ends["cheap"] == "confirmed*"
    assert ends["cheap_too"] == "confirmed"
    assert ends["lasso_rate"] == ends["long"] == ends["broken"] == "-"
    assert out.endswith("* measured with overrides\n")
    assert command("--config-dir", folder, "results_dir=elsewhere") == 0
    assert "confirmed" not in capsys.readouterr().out


def test_help_and_version_and_cfg_need_no_results(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--help", "-h"):
        assert command(option) == 0
        said = capsys.readouterr().out
        assert "Measures what a theorem claims" in said
        assert "the grammar is Hydra's" in said
        assert max(map(len, said.splitlines())) <= 80
    assert command("--version") == 0
    assert capsys.readouterr().out[0].isdigit()
    assert command("+experiment=pair", "algorithm=data_free", "replicates=3", "--cfg", "job") == 0
    shown = yaml.safe_load(capsys.readouterr().out)
    assert (shown["replicates"], shown["paper"]) == (3, "lasso")
    assert shown["algorithm"] == {"_target_": "dprepro.algorithms.DataFree"}
    assert command("-m", "+experiment=pair", "replicates=1,2", "--cfg=job") == 0
    shown = list(yaml.safe_load_all(capsys.readouterr().out))
    assert [evidence["replicates"] for evidence in shown] == [1, 2]
    assert not list(elsewhere.iterdir())


def test_one_job_that_fails_does_not_stop_the_rest_and_is_named_at_the_end(
    elsewhere: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_config_dir(tmp_path / "mine", bad=CHEAP.replace("epsilon: [1]", "epsilon: [0]"))
    assert command("--config-dir", folder, "-m", "+experiment=bad,cheap", "replicates=2") == 1
    out, err = capsys.readouterr()
    assert "[1/2] +experiment=bad replicates=2\n[2/2] +experiment=cheap replicates=2\n" in out
    assert "verdict: cheap " in out
    problem = "sweep.epsilon must hold positive numbers (inf for no privacy), got epsilon=0"
    assert err.splitlines() == [
        f"error: {problem}",
        "not complete (exit code 2): +experiment=bad replicates=2",
    ]
    assert out.splitlines()[-4:] == [
        "experiment  verdict       as expected",
        f"bad         failed        -            {problem}",
        "cheap       confirmed     yes          results/cheap/overridden/replicates-2",
        "2 runs: 1 confirmed, 1 failed",
    ]

    def breaks(*arguments: object) -> float:
        raise ZeroDivisionError("somebody's fault")

    with monkeypatch.context() as patch:
        patch.setattr("dprepro.session._provenance", breaks)
        assert command("--config-dir", folder, "-m", "+experiment=cheap,bad") == 1
    out, err = capsys.readouterr()
    assert "ZeroDivisionError: somebody's fault" in err
    assert "not complete (exit code 1): +experiment=cheap" in err
    assert command("--config-dir", folder, "-m", "+experiment=bad", "replicates=1,2") == 2
    assert "2 runs: 2 failed" in capsys.readouterr().out


def test_several_runs_of_one_experiment_are_told_apart_and_each_has_its_folder(
    elsewhere: Path, config_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep = ["checks.below_bound.expected=0.1,1", "results_dir=there"]
    assert command("--config-dir", config_dir, "-m", "+experiment=cheap", *sweep) == 0
    folders = [f"there/cheap/overridden/checks.below_bound.expected-{value}" for value in ("0.1", "1")]
    assert capsys.readouterr().out.splitlines()[-4:] == [
        "experiment                             verdict       as expected",
        f"cheap checks.below_bound.expected=0.1  refuted       NO           {folders[0]}",
        f"cheap checks.below_bound.expected=1    confirmed     yes          {folders[1]}",
        "2 runs: 1 confirmed, 1 refuted; 1 not as expected",
    ]
    assert [verdict_of(elsewhere / folder)["verdict"] for folder in folders] == ["refuted", "confirmed"]
    assert sorted(path.name for path in (elsewhere / folders[0]).iterdir()) == FILES


def test_a_label_names_the_folder_of_a_run_and_changes_no_cell(
    elsewhere: Path, config_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["--config-dir", config_dir, "+experiment=cheap", "replicates=1"]
    assert command(*run) == 0
    for label in ("mine", "7", "1e3", "with.dots-and_more"):
        assert command(*run, f"label={label}") == 0
        said = capsys.readouterr().out.splitlines()[-1]
        assert said == f"cells: 0 measured now, 5 from the store; files: results/cheap/overridden/{label}"
        assert verdict_of(elsewhere / "results/cheap/overridden" / label)["overrides"] == ["replicates=1"]
    assert command(*run[:-1], "-m", "replicates=1,2", "label='by${replicates}'") == 0
    for replicates in (1, 2):
        verdict = verdict_of(elsewhere / f"results/cheap/overridden/by{replicates}")
        assert verdict["overrides"] == [f"replicates={replicates}"]


def test_a_label_that_several_runs_of_an_experiment_would_share_is_refused(
    elsewhere: Path, config_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["--config-dir", config_dir, "-m", "+experiment=cheap", "replicates=1,2", "seed=1,2"]
    assert command(*run, "label=mine") == 2
    assert "label=mine names one folder for 4 runs of cheap: leave it out" in capsys.readouterr().err
    assert not list(elsewhere.iterdir())
    assert command(*run[:-1], "label='same${seed}'") == 1  # known only once the first is composed
    assert "label=same0 is the folder of a run before" in capsys.readouterr().err


def test_on_a_terminal_one_line_tells_how_far_all_experiments_are(monkeypatch: pytest.MonkeyPatch) -> None:
    from dprepro.report import batch_progress

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    clock = iter([0.0, 10.0, 11.0, 11.1, 60.0, 70.0, 80.0])
    monkeypatch.setattr(batch_progress.time, "monotonic", lambda: next(clock))
    screen = Terminal()
    overall = batch_progress.Overall(4, screen)
    overall.start(2, "lasso_rate")
    overall.cells(50, 100)
    overall.cells(51, 100)  # too soon to be drawn
    overall.cells(100, 100)
    overall.clear()
    assert screen.getvalue().split("\r\x1b[K") == [
        "[2/4] 25%, about 30 s left: lasso_rate",
        "[2/4] 38%, about 18 s left: lasso_rate, 50 of 100 cells",
        "[2/4] 50%, about 60 s left: lasso_rate, 100 of 100 cells",
        "",
    ]


def test_without_a_terminal_a_line_every_30_seconds_tells_how_far_a_run_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from dprepro.engine.progress import indicator
    from dprepro.report import batch_progress

    clock = [0.0]
    monkeypatch.setattr(batch_progress.time, "monotonic", lambda: clock[0])
    log = io.StringIO()
    overall = batch_progress.Overall(2, log)
    overall.start(1, "lasso_rate")
    alone = indicator(100, "lasso_rate", True)
    for clock[0], more in ((29.0, 10), (30.0, 10), (45.0, 10), (59.0, 10), (61.0, 20)):
        overall.cells(more, 100)
        alone.move(more)
    overall.clear()
    assert log.getvalue().splitlines() == [
        "[1/2] 5%, about 10 min left: lasso_rate, 10 of 100 cells",
        "[1/2] 10%, about 9 min left: lasso_rate, 20 of 100 cells",
    ]
    assert capsys.readouterr().err.splitlines() == [
        "lasso_rate: 20 of 100 cells (20%), about 2 min left",
        "lasso_rate: 60 of 100 cells (60%), about 41 s left",
    ]
    quiet = indicator(100, "lasso_rate", False)
    clock[0] = 1000.0
    quiet.move(50)
    assert capsys.readouterr().err == ""


def test_failed_cells_make_the_exit_code_1_and_are_tried_again(
    elsewhere: Path, config_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dprepro.constructions import TunedNeedle

    build = TunedNeedle.build

    def sometimes(self: TunedNeedle, point: dict[str, float], noise_scale: float) -> object:
        if point["n"] > 2e6:
            raise ZeroDivisionError("in a cell")
        return build(self, point, noise_scale)

    with monkeypatch.context() as patch:
        patch.setattr(TunedNeedle, "build", sometimes)
        assert command("--config-dir", config_dir, "+experiment=cheap") == 1
    out, err = capsys.readouterr()
    assert err == "4 cells failed; type the same command to try again\n"
    assert "\n4 cells failed: ZeroDivisionError: in a cell\n" in out
    assert "failed: n=3e6, n=1e7 (each: ZeroDivisionError: in a cell)" in out
    assert verdict_of(elsewhere / "results/cheap")["verdict"] == "inconclusive"
    assert command("--config-dir", config_dir, "+experiment=cheap") == 0
    assert "cells: 4 measured now, 6 from the store" in capsys.readouterr().out


def test_a_run_where_every_cell_fails_still_writes_its_folder(
    elsewhere: Path, config_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dprepro.constructions import TunedNeedle

    with monkeypatch.context() as patch:
        patch.setattr(TunedNeedle, "build", lambda *_: 1 / 0)
        assert command("--config-dir", config_dir, "+experiment=cheap") == 1
    assert "no cell was measured" in capsys.readouterr().out
    assert sorted(path.name for path in (elsewhere / "results/cheap").iterdir()) == FILES


def test_a_missing_optional_package_skips_the_experiment_and_says_what_to_install(
    elsewhere: Path, config_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dprepro.constructions import TunedNeedle
    from dprepro.errors import MissingDependency

    def lacks(*_: object) -> object:
        raise MissingDependency("this table needs statsmodels: pip install 'dprepro[data]'")

    for method in ("fingerprint", "build"):
        with monkeypatch.context() as patch:
            patch.setattr(TunedNeedle, method, lacks)
            assert command("--config-dir", config_dir, "+experiment=cheap") == 0
            out, err = capsys.readouterr()
            assert (out, err) == ("", "skipped: this table needs statsmodels: pip install 'dprepro[data]'\n")
            assert not (elsewhere / "results/cheap").exists()
            assert command("--config-dir", config_dir, "-m", "+experiment=cheap,cheap_too") == 0
            said = capsys.readouterr().out.splitlines()[-2:]
            needed = err.strip().removeprefix("skipped: ")
            assert said == [f"cheap_too   skipped       -            {needed}", "2 runs: 2 skipped"]
    assert command("--config-dir", config_dir, "+experiment=cheap") == 0
    assert "cells: 10 measured now, 0 from the store" in capsys.readouterr().out


def test_overrides_are_recorded_without_name_and_execution_settings(elsewhere: Path, config_dir: Path) -> None:
    plain = ["--config-dir", config_dir, "+experiment=cheap", "results_dir=there", "workers=2"]
    assert command(*plain) == 0
    assert verdict_of(elsewhere / "there/cheap")["overrides"] == []
    changes = ["replicates=1", "algorithm=noisy_frank_wolfe_laplace", "++seed=3", "~checks.both"]
    assert command(*plain, "reuse=any", "label=mine", *changes) == 0
    assert verdict_of(elsewhere / "there/cheap")["overrides"] == []
    overridden = verdict_of(elsewhere / "there/cheap/overridden/mine")
    assert overridden["overrides"] == changes
    assert "both" not in overridden["checks"]  # type: ignore[operator]


def test_a_run_with_overrides_never_takes_the_folder_of_one_without(
    elsewhere: Path, config_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["--config-dir", config_dir, "+experiment=cheap"]
    overridden = elsewhere / "results/cheap/overridden/checks.below_bound.expected-0.1"
    assert command(*run, "checks.below_bound.expected=0.1") == 0
    out = capsys.readouterr().out
    assert "below_bound     claim    refuted" in out
    assert "  overridden: checks.below_bound.expected=0.1\n" in out
    assert "NOT all checks came out as expected" in out
    assert not (elsewhere / "results/cheap/verdict.json").exists()
    assert verdict_of(overridden)["verdict"] == "refuted"
    assert command("ledger") == 0
    assert "not measured" in capsys.readouterr().out

    assert command(*run) == 0
    published = tree(elsewhere / "results/cheap")
    assert command(*run, "checks.below_bound.expected=0.1") == 0
    assert tree(elsewhere / "results/cheap").keys() == published.keys()
    assert verdict_of(elsewhere / "results/cheap")["verdict"] == "confirmed"
    capsys.readouterr()
    assert command("ledger") == 0
    claim = json.loads((elsewhere / "results/ledger.json").read_text(encoding="utf-8"))["claims"][-1]
    assert claim["experiments"] == ["cheap"]
    assert claim["verdict"] == "confirmed"
    assert "a later run had overrides" in claim["note"]


def test_a_series_without_a_grid_point_leaves_its_check_inconclusive(
    elsewhere: Path, config_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--config-dir", config_dir, "+experiment=cheap", "sweep.n=[1e7]") == 0
    assert "inconclusive; the sweep has no grid point for bounded" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("workers", "number"),
    [
        (1, signal.SIGINT),
        pytest.param(2, signal.SIGINT, marks=pytest.mark.slow),  # the engine's own: test_runner
        pytest.param(1, signal.SIGHUP, marks=pytest.mark.slow),
        pytest.param(2, signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param(2, signal.SIGXCPU, marks=pytest.mark.slow),
    ],
)
@pytest.mark.usefixtures("under_a_terminal")
def test_an_interrupted_run_names_the_command_that_resumes_it(
    elsewhere: Path,
    tmp_path: Path,
    workers: int,
    number: signal.Signals,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from dprepro.studies import RateStudy

    folder = write_config_dir(tmp_path / "mine", slow=SLOW)
    replicates = 6 if workers == 1 else 40
    words = ["--config-dir", str(folder), "+experiment=slow", f"workers={workers}", f"replicates={replicates}"]
    started = subprocess.Popen(
        [sys.executable, "-m", "dprepro", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 300
    wanted = 5 if workers == 1 else 100  # by then there are workers
    while stored(elsewhere / "results/measurements.sqlite") < wanted:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(started.pid, number)  # to the workers too, as schedulers do
    out, err = started.communicate(timeout=300)
    assert (started.returncode, out) == (128 + number, "")
    assert err.count("\n") == 1
    said, _, again = err.strip().rpartition(": ")
    assert said.startswith("interrupted: " if number == signal.SIGINT else f"stopped by {number.name}: ")
    assert said.endswith("cells are stored; the same command resumes")
    settings = f"workers={workers} replicates={replicates}"
    assert again == f"python -m dprepro --config-dir {folder} +experiment=slow {settings}"
    assert not (elsewhere / "results/slow").exists()
    kept = int(said.partition(": ")[2].split()[0])
    cells = 7 * replicates
    assert wanted <= kept < cells
    if workers > 1:
        return
    measure = RateStudy.measure

    def at_few_records(self: RateStudy, cell: Cell, rng: np.random.Generator) -> list[Row]:
        return measure(self, replace(cell, axes={**cell.axes, "n": 3e5}), rng)

    monkeypatch.setattr(RateStudy, "measure", at_few_records)  # what the rest measures is not looked at
    assert command(*words) == 0
    assert f"cells: {cells - kept} measured now, {kept} from the store" in capsys.readouterr().out


def test_a_reader_that_goes_away_is_no_error(elsewhere: Path) -> None:
    pipe = f"{sys.executable} -m dprepro | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True, check=False, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, "")
