"""Cells that end their process, or try to: each is a failed cell with a line, and all others are measured."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from helpers.forked import forked

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not copy processes"),
    pytest.mark.usefixtures("undrawn"),
]

ALGORITHM = '''
"""An algorithm that ends badly at n = 2000."""

import ctypes
import os
import signal
import sys
from dataclasses import dataclass

from dprepro.algorithms.exact_minimiser import ExactMinimiser

DPREPRO_READS = ()


@dataclass(frozen=True)
class Dying(ExactMinimiser):
    how: str = ""

    def solve(self, problem, budget, rng):
        if problem.domain.n == 2000:
            ENDS[self.how]()
        return super().solve(problem, budget, rng)


def raising(error):
    raise error


ENDS = {
    "segfault": lambda: ctypes.string_at(0),
    "abort": os.abort,
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "leave": lambda: os._exit(0),
    "leave_with_3": lambda: os._exit(3),
    "exit": lambda: sys.exit(4),
    "interrupt": lambda: raising(KeyboardInterrupt()),
    "generator": lambda: raising(GeneratorExit()),
    "escape": lambda: raising(ValueError("\\x1b[31mred\\u202e\\nmore")),
}
'''
SAID = {
    "segfault": "the process died (SIGSEGV)", "abort": "the process died (SIGABRT)",
    "kill": "the process died (SIGKILL)", "leave": "the process left with exit code 0",
    "leave_with_3": "the process left with exit code 3", "exit": "SystemExit: 4", "interrupt": "KeyboardInterrupt",
    "generator": "GeneratorExit", "escape": r"ValueError: \x1b[31mred\u202e",
}  # fmt: skip
INSIDE = ("exit", "interrupt", "generator", "escape")
"""Ends of which the process itself knows."""


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the algorithm, declared as a plug-in."""
    folder = tmp_path_factory.mktemp("plugin")
    (folder / "dying.py").write_text(ALGORITHM, encoding="utf-8")
    declared = folder / "dying-1.dist-info"
    declared.mkdir()
    (declared / "METADATA").write_text("Metadata-Version: 2.1\nName: dying\nVersion: 1\n", encoding="utf-8")
    (declared / "entry_points.txt").write_text("[dprepro.plugins]\ndying = dying\n", encoding="utf-8")
    return folder


def run(
    plugin: Path, results: Path, how: str, *words: str, multirun: bool = False, metadata: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """The command, on the sizes 1000, 2000 and 4000, of which the second ends badly; ``metadata`` declare it."""
    words = (
        *(["-m"] if multirun else []), "+experiment=pair", "algorithm=exact_minimiser",
        f"++algorithm={{_target_: dying.Dying, how: {how}}}", "construction=iid_design", "+construction.rows=100",
        "sweep.n=[1e3,2e3,4e3]", "sweep.p=[4]", "sweep.epsilon=[1]", "replicates=1", f"results_dir={results}",
        "label='by${algorithm.how}'", *words,
    )  # fmt: skip
    return forked(*words, folder=plugin, path=[plugin, *([metadata] if metadata else [])])


def statuses(results: Path, how: str) -> dict[float, str]:
    """The status of the algorithm's cell at every n."""
    frame = pd.read_parquet(results / f"pair/overridden/by{how}/measurements.parquet")
    frame = frame[frame["series"] == "pair"]
    return dict(zip(frame["n"], frame["status"], strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("how", SAID)
@pytest.mark.parametrize("workers", [1, 2])  # of two the first cells are measured by the command itself
def test_a_cell_that_ends_its_process_is_a_failed_one(plugin: Path, tmp_path: Path, how: str, workers: int) -> None:
    done = run(plugin, tmp_path, how, f"workers={workers}")
    assert done.returncode == 1, done
    found = statuses(tmp_path, how)
    assert {n: status for n, status in found.items() if n != 2000} == {1000: "ok", 4000: "ok"}
    assert found[2000] == f"failed: {SAID[how]}"
    assert f"1 cell failed: {SAID[how]}\n" in done.stdout
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1] == "1 cell failed; type the same command to try again"
    assert len(done.stderr.splitlines()) == 1 + (how not in INSIDE)
    assert done.stdout.count("replicates=1 changes 1 of 3 series") == 1  # a second start says nothing twice


def test_of_several_runs_each_has_its_failed_cell_and_is_told_once(plugin: Path, tmp_path: Path) -> None:
    """A signal ends a cell of the first, and the second leaves with the code of a success."""
    done = run(plugin, tmp_path, "segfault", "workers=1", "algorithm.how=segfault,leave", multirun=True)
    assert done.returncode == 1, done
    assert [line[:5] for line in done.stdout.splitlines() if line.startswith("[")] == ["[1/2]", "[2/2]"]
    assert done.stdout.count("verdict: pair") == 2
    assert done.stdout.count(" 1 cell failed\n") == 2  # in the summary of both
    assert done.stdout.count("replicates=1 changes 1 of 3 series") == 2  # a second start says nothing twice
    for how in ("segfault", "leave"):
        assert done.stderr.count(f"{SAID[how].removeprefix('the process ')}; the command begins again") == 1
        assert statuses(tmp_path, how) == {1000: "ok", 2000: f"failed: {SAID[how]}", 4000: "ok"}
        assert done.stdout.count(f"1 cell failed: {SAID[how]}\n") == 1
    assert "Traceback" not in done.stderr


def test_a_plug_in_that_ends_the_process_as_it_is_loaded_is_one_line(tmp_path: Path, plugin: Path) -> None:
    for ending, said in (("os._exit(0)", "left with exit code 0"), ("sys.exit(5)", "(exit code 5)")):
        source = ALGORITHM + f"\n{ending}\n"
        folder = tmp_path / ending[:3]
        folder.mkdir()
        (folder / "dying.py").write_text(source, encoding="utf-8")
        done = run(folder, tmp_path / "results", "exit", "workers=1", metadata=plugin)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("error: ")
        assert said in done.stderr
        assert done.stderr.count("\n") == 1
