"""Runs that are killed at any moment, and writes that fail: the same command takes it up, and nothing is lost."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from helpers.cheap_experiment import command

from dprepro.engine import Store
from dprepro.support import regular_files

pytestmark = pytest.mark.usefixtures("undrawn")

WORDS = ["+experiment=cheap", "workers=1"]


def started(work: Callable[[], int]) -> int:
    """A copy of this process that does some work, which returns an exit code; its id."""
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        code = work()
    finally:
        os._exit(code)


def kept(folder: Path) -> dict[bytes, Any]:
    """Status and rows of all that is stored."""
    with Store.open(folder) as store:
        assert store.scan().damaged == {}
        assert store.health() == []
        return store.stored([key for (key,) in store._database.execute("SELECT key FROM cells")])


def told(folder: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Measurements and verdict, without what says when and how long."""
    (path,) = (folder / "cheap").rglob("verdict.json")  # of a run with overrides, in a folder of its own
    verdict = json.loads(path.read_text())
    frame = pd.read_parquet(path.parent / "measurements.parquet").drop(columns="seconds")
    return frame, {key: value for key, value in verdict.items() if key != "provenance"}


def survive(folder: Path, words: list[str], kills: int, chance: random.Random, longest: float) -> int:
    """So many kills of one run; how many cut it off before its end."""
    cut, before = 0, {}
    for _ in range(kills):
        child = started(partial(command, *words, f"results_dir={folder}"))
        time.sleep(chance.uniform(0.0, longest))
        os.kill(child, signal.SIGKILL)
        cut += os.WIFSIGNALED(os.waitpid(child, 0)[1])
        now = kept(folder)
        assert {key: now.get(key) for key in before} == before
        before = now
        for path in (folder / "cheap").rglob("verdict.json"):
            json.loads(path.read_text())
    return cut


def kill(rounds: int, each: int, folder: Path, config_dir: Path, replicates: int = 60, seed: int = 20261122) -> int:
    """How many of rounds x each kills cut a run off; after each round it ends as an undisturbed one."""
    chance, cut = random.Random(seed), 0
    words = [f"--config-dir={config_dir}", *WORDS, f"replicates={replicates}"]
    command(*words, f"results_dir={folder / 'warm'}")
    for number in range(rounds):
        one, other = folder / f"killed-{number}", folder / f"undisturbed-{number}"
        begun = time.perf_counter()
        assert os.waitpid(started(partial(command, *words, f"seed={number}", f"results_dir={other}")), 0)[1] == 0
        cut += survive(one, [*words, f"seed={number}"], each, chance, time.perf_counter() - begun)
        assert command(*words, f"seed={number}", f"results_dir={one}") == 0
        assert kept(one).keys() == kept(other).keys()
        (frame, verdict), (wanted, same) = told(one), told(other)
        pd.testing.assert_frame_equal(frame, wanted)
        assert verdict == same
        names = {path.name.removesuffix("-wal").removesuffix("-shm") for path in one.iterdir()}
        assert names == {"cheap", "measurements.sqlite"}
    return cut


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not copy processes")
def test_a_run_that_is_killed_twice_ends_as_an_undisturbed_one(elsewhere: Path, config_dir: Path) -> None:
    """One before anything is stored, one before the verdict."""
    assert kill(1, 2, elsewhere, config_dir, replicates=15, seed=20261128) >= 1


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not copy processes")
def test_sixty_kills_lose_nothing_and_every_run_ends_as_an_undisturbed_one(elsewhere: Path, config_dir: Path) -> None:
    assert kill(12, 5, elsewhere, config_dir) >= 30


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not copy processes")
def test_runs_and_ledgers_of_one_folder_at_once_get_no_error_and_leave_whole_files(
    elsewhere: Path, config_dir: Path
) -> None:
    words, run = [f"--config-dir={config_dir}"], ["+experiment=cheap", "workers=1"]

    def again() -> int:
        return max(command("ledger", *words) for _ in range(2))

    def renewed() -> int:
        return max(command(*words, *run, f"checks.below_bound.expected={1 + number}") for number in range(2))

    assert command(*words, *run) == command("ledger", *words) == 0
    children = [started(work) for work in (again, again, renewed, renewed)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * len(children)
    for path in (elsewhere / "results").glob("ledger.*"):
        assert (
            path.read_text().rstrip().endswith({".json": "}", ".html": "</html>", ".tex": "}", ".md": ""}[path.suffix])
        )
    json.loads((elsewhere / "results/ledger.json").read_text())
    for number in range(2):
        folder = elsewhere / f"results/cheap/overridden/checks.below_bound.expected-{1 + number}"
        json.loads((folder / "verdict.json").read_text())
    assert list(elsewhere.rglob("*.partial")) == []


FAULTS = {
    "a full disk": errno.ENOSPC, "a quota": errno.EDQUOT, "a broken disk": errno.EIO, "a folder read-only": errno.EROFS,
    "no permission": errno.EACCES,
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "write"),
    [
        pytest.param(name, write, marks=[pytest.mark.slow] if write != index or index % 2 else [])
        for index, name in enumerate(FAULTS)
        for write in range(5)
    ],
)
def test_a_write_that_fails_is_one_line_and_the_same_command_takes_it_up(
    name: str,
    write: int,
    elsewhere: Path,
    config_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = [f"--config-dir={config_dir}", "+experiment=cheap", "workers=1"]
    calls, real = [0], regular_files.os.replace

    def replace(source: Any, target: Any) -> None:
        calls[0] += 1
        if calls[0] % 5 == write:
            raise OSError(FAULTS[name], os.strerror(FAULTS[name]), str(source))
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(regular_files.os, "replace", replace)
        for arguments in (words, ["ledger", f"--config-dir={config_dir}"]):
            capsys.readouterr()
            code = command(*arguments)
            said = capsys.readouterr().err
            assert code in (0, 2), said
            if code:
                assert said.startswith("error: cannot write"), said
                assert said.count("\n") == 1
            assert "Traceback" not in said
    assert list(elsewhere.rglob("*.partial")) == []
    assert command(*words) == 0
    assert command("ledger", f"--config-dir={config_dir}") == 0
