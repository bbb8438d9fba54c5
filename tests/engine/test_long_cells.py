"""A limit on each cell, and a line that names the one without end."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from helpers import engine_measures as em

from dprepro.engine import Cell, Row, Store, execute, long_cells, runner
from dprepro.engine.long_cells import CellLimit, place, time_limit, watched
from dprepro.support import shared_memory

pytestmark = pytest.mark.skipif(not long_cells.LIMITS, reason="this system has no alarms")


def test_a_cell_without_end_fails_after_its_limit_and_the_others_are_measured(tmp_path: Path) -> None:
    cells = em.cells(3)
    with Store.open(tmp_path, create=True) as store:
        run = store.begin_run("rate", {}, [], {}, cells)
        done = execute(em.endless, cells, store, workers=1, cell_seconds=0.2)
        frame = store.frame(run)
    assert (done.measured, done.failed) == (len(cells), 2)
    failed = frame[frame["status"] != "ok"]
    assert {*failed["status"]} == {"failed: CellLimit: it took longer than cell_minutes allows"}
    assert {*failed["replicate"]} == {1}
    assert {*failed["series"]} == {"ours"}


def test_in_another_thread_a_limit_ends_a_cell_too_and_leaves_nothing_behind() -> None:
    said = []

    def measure() -> None:
        for seconds in (0.05, 0.0):
            try:
                with time_limit(0.3 if seconds == 0 else seconds):
                    until = time.monotonic() + (0.05 if seconds == 0 else 5)
                    while time.monotonic() < until:
                        time.sleep(0.01)
                said.append("ended")
            except CellLimit as error:
                said.append(str(error))
        until = time.monotonic() + 0.6  # of the second limit nothing comes
        while time.monotonic() < until:
            time.sleep(0.01)
        said.append("free")

    thread = threading.Thread(target=measure)
    thread.start()
    thread.join()
    assert said == ["it took longer than cell_minutes allows", "ended", "free"]


def test_a_limit_leaves_no_alarm_behind_and_reaches_no_cell_that_ended_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with time_limit(0.05):
        pass
    time.sleep(0.1)
    monkeypatch.setattr(shared_memory, "memory", memoryview(bytearray([1] * 64)))
    with pytest.raises(CellLimit), time_limit(0.05):
        time.sleep(5)


def test_a_cell_that_takes_long_is_named_at_growing_distances(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(long_cells, "_watch", None)
    monkeypatch.setattr(long_cells, "NAMED_SECONDS", 0.1)
    monkeypatch.setattr(long_cells, "LOOK_SECONDS", 0.01)
    cell = em.cells(1)[0]

    def slow(cell: Cell, rng: Any) -> list[Row]:
        time.sleep(0.9)
        return [Row("excess_risk", 1.0)]

    runner._work((slow, None), [cell], "made")
    said = capsys.readouterr().err.splitlines()
    assert 2 <= len(said) <= 4
    assert all(line.startswith("still measuring, for ") and line.endswith(place(cell)) for line in said)
    time.sleep(0.2)
    assert capsys.readouterr().err == ""
    with watched() as watch:
        assert watch.cell is None
    monkeypatch.setattr(long_cells, "LOOK_SECONDS", 5.0)
