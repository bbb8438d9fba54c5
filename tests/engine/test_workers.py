"""Whoever measures, local processes, a Dask cluster or jobs of a queue: the same protocol, and the same bits."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from helpers import engine_measures as em

from dprepro.engine import Cell, Measure, Store, execute, pools, runner
from dprepro.engine.long_cells import CellLimit
from dprepro.errors import Interrupted

ROOT = Path(__file__).parents[2]

os.environ["ENGINE_PARENT"] = str(os.getpid())  # before any worker starts, as in test_runner


@contextmanager
def two_of(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int | str]:
    """What `workers` names two workers of a kind."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "tests"), str(ROOT)]))
    if kind == "processes":
        yield 2
    elif kind == "jobs":
        pytest.importorskip("submitit", reason="submitit is not installed")
        (folder / "local.yaml").write_text("{cluster: local, jobs: 2, job_minutes: 1, resubmit: 3}", encoding="utf-8")
        yield str(folder / "local.yaml")
    else:
        distributed = pytest.importorskip("distributed", reason="Dask is not installed")
        dask = pytest.importorskip("dask")
        local = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 60}
        monkeypatch.setattr(pools, "NOBODY_SECONDS", 90.0)
        # A local cluster takes a worker out for good that is not back after 15 s, as on a busy machine.
        back = {"distributed.scheduler.allowed-failures": 1, "distributed.deploy.lost-worker-timeout": "5m"}
        with (
            dask.config.set(back),
            at_most(300.0, "Dask's two workers"),
            distributed.LocalCluster(**local) as made,
        ):
            yield made.scheduler_address


@contextmanager
def at_most(seconds: float, who: str) -> Iterator[None]:
    """Fail with one line where the block takes longer: Dask's own waits for workers that start or end have no limit."""

    def end(_: int, __: object) -> None:
        raise TimeoutError(f"{who} took longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def frame_of(folder: Path, cells: list[Cell], workers: int | str, cell_seconds: float | None = None) -> pd.DataFrame:
    """The rows of a run."""
    with Store.open(folder, create=True) as store:
        run = store.begin_run("rate", {}, [], {}, cells)
        execute(em.troubled, cells, store, workers=workers, cell_seconds=cell_seconds)
        return store.frame(run).drop(columns=["seconds", "key"], errors="ignore")


@pytest.mark.filterwarnings("ignore")  # Dask's, of workers that die
@pytest.mark.parametrize(
    "kind",
    ["processes", "jobs", pytest.param("dask", marks=pytest.mark.slow)],  # whose workers take long to come back
)
def test_whatever_happens_to_workers_the_rows_are_those_of_one_process(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker is killed, another's answer is lost, a cell never ends, and one takes its process with it each time."""
    monkeypatch.setattr(runner, "SERIAL_SECONDS", -1.0)
    monkeypatch.setattr(runner, "DEATHS", 2)
    monkeypatch.setattr(runner, "Chunk", em.Lossy)
    cells = [replace(cell, beside=str(tmp_path)) for cell in em.cells(4)]
    with two_of(kind, tmp_path, monkeypatch) as workers:
        found = frame_of(tmp_path, cells, workers, cell_seconds=1.0)
    assert {"killed", "lost"} <= {path.name for path in tmp_path.iterdir()}
    places = list(zip(found["series"], found["replicate"], found["n"], found["epsilon"], strict=True))
    failed = {place: status for place, status in zip(places, found["status"], strict=True) if status != "ok"}
    assert failed.keys() == {em.SELF_KILLING, em.ENDLESS}, failed
    assert failed[em.ENDLESS] == f"failed: CellLimit: {CellLimit()}"
    assert failed[em.SELF_KILLING].removesuffix(" (SIGSEGV)") == "failed: the process died"
    monkeypatch.setattr(em, "troubled", em.solve)
    alone = frame_of(tmp_path / "alone", cells, 1)
    sound = found["status"] == "ok"
    assert sound.sum() == len(cells) - 2
    assert found[sound].equals(alone[sound])


@pytest.mark.parametrize(
    ("measure", "status"), [(em.killed_twice, "ok"), (em.killed_always, "failed: the process died (SIGKILL)")]
)
def test_a_suspect_that_is_killed_from_outside_is_run_once_more(
    measure: Measure, status: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "SERIAL_SECONDS", -1.0)
    monkeypatch.setattr(runner, "DEATHS", 1)
    monkeypatch.setenv("ENGINE_PARENT", str(os.getpid()))
    cells = [replace(cell, beside=str(tmp_path)) for cell in em.cells(1)[:1]]
    with Store.open(tmp_path, create=True) as store:
        run = store.begin_run("rate", {}, [], {}, cells)
        execute(measure, cells, store, workers=2)
        assert set(store.frame(run)["status"]) == {status}


def test_a_scheduler_without_a_worker_ends_a_run_with_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    monkeypatch.setattr(runner, "SERIAL_SECONDS", -1.0)
    monkeypatch.setattr(runner, "LINE_SECONDS", 0.2)
    monkeypatch.setattr(pools, "NOBODY_SECONDS", 2.0)
    local = {"n_workers": 0, "processes": False, "dashboard_address": ":0", "silence_logs": 60}
    began = time.monotonic()
    with (
        at_most(60.0, "a scheduler without workers"),
        distributed.LocalCluster(**local) as made,
        pytest.raises(Interrupted, match=r"^no worker has been at the scheduler for 0 minutes: 0 of 32 cells"),
    ):
        frame_of(tmp_path, em.cells(4), made.scheduler_address)
    assert time.monotonic() - began > 2.0
