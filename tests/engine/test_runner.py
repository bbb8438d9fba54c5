"""Measuring: the same rows everywhere, failures as rows, interrupts, kills."""

from __future__ import annotations

import importlib
import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
import timeit
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import engine_measures as em
from helpers.databases import opened

from dprepro.engine import Cell, Measure, Row, Store, execute, measure_cell, pools, runner, source
from dprepro.engine.rows import rows_of
from dprepro.engine.workers import check_reachable
from dprepro.errors import InputError, Interrupted, OtherCode, Stop
from dprepro.support import shared_memory
from dprepro.support.interrupts import CTRL_C, handle_signals

ROOT = Path(__file__).parents[2]


# Set when tests are collected, before any worker starts: a reused worker keeps the environment it was started with.
os.environ["ENGINE_PARENT"] = str(os.getpid())


def measured(folder: Path, measure: Measure, cells: list[Cell], workers: int | str) -> Any:
    """The frame of a run, without the only column that may differ."""
    with Store.open(folder, create=True) as store:
        run = store.begin_run("rate", {}, [], {}, cells)
        execute(measure, cells, store, workers=workers)
        return store.frame(run).drop(columns="seconds")


def child(folder: Path, workers: int, replicates: int) -> subprocess.Popen[str]:
    """A process that measures slowly, in a group of its own as under a terminal; returns when it is about to start."""
    with (folder / "stderr").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", em.__name__, str(folder), str(workers), str(replicates)],
            env={
                **os.environ,
                "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}",
                "ENGINE_PAUSE": "0.003",
            },
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def stored(folder: Path) -> int:
    """How many cells are measured; the file must be whole."""
    with opened(folder / "measurements.sqlite") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(database.execute("SELECT count(*) FROM cells WHERE status = 'ok'").fetchone()[0])


def wait_for(folder: Path, cells: int) -> None:
    """Until so many are stored; how long that takes is the machine's affair."""
    deadline = time.monotonic() + 300
    while stored(folder) < cells:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_rows_are_the_same_bits_for_one_worker_two_workers_and_a_dask_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    monkeypatch.setattr(runner, "SERIAL_SECONDS", -1.0)
    cells = em.cells(4)
    one = measured(tmp_path / "one", em.solve, cells, 1)
    two = measured(tmp_path / "two", em.solve, cells[::-1], 2)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=":0") as cluster:
        dask = measured(tmp_path / "dask", em.solve, cells[5:] + cells[:5], cluster.scheduler_address)
        with Store.open(tmp_path / "old", create=True) as store:
            with pytest.raises(OtherCode) as refusal:
                execute(
                    em.solve,
                    cells,
                    store,
                    workers=cluster.scheduler_address,
                    sources={em.__name__: "other"},
                )
            assert f"has other sources or libraries than this process ({em.__name__}); 0 of 32" in str(refusal.value)
    assert len(one) == len(cells)
    assert one.equals(two)
    assert one.equals(dask)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_process_with_other_sources_or_libraries_measures_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setattr(runner, "SERIAL_SECONDS", -1.0)
    for wrong in ({em.__name__: "other"}, {"version of numpy": "0.1"}, {"a_module_that_is_gone": "1"}):
        with Store.open(tmp_path, create=True) as store, pytest.raises(OtherCode) as refusal:
            execute(em.draw, em.cells(2), store, workers=workers, sources=wrong)
        assert str(refusal.value) == (
            f"edited during the run: {next(iter(wrong))}; 0 of 16 cells are stored; the same command measures what "
            "the edit changes"
        )
        assert stored(tmp_path) == 0
    told = source.read(em.__name__)
    assert told is not None
    with Store.open(tmp_path, create=True) as store:
        sources = {em.__name__: told.digest, "version of numpy": np.__version__}
        assert execute(em.draw, em.cells(2), store, workers=workers, sources=sources).measured == 16


@pytest.mark.parametrize("late", [True, False])
def test_what_is_edited_during_a_run_is_noticed_before_it_is_loaded_and_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(runner, "CHUNK_SECONDS", 0.0)
    name = f"loaded_late_{late}"
    file = tmp_path / f"{name}.py"
    file.write_text("VALUE = 1.0\n")
    first = source.read(name)
    assert first is not None

    def edits(cell: Cell, rng: Any) -> list[Row]:
        if cell.replicate == 1:
            file.write_text("VALUE = 10.0\n")
        return [Row("excess_risk", importlib.import_module(name).VALUE if cell.replicate or not late else 1.0)]

    cells = [cell for cell in em.cells(3, n=[10], epsilon=[1.0]) if cell.series == "ours"]
    with Store.open(tmp_path, create=True) as store:
        if late:
            with pytest.raises(OtherCode, match=rf"^edited during the run: {name}; 1 of 3 cells are stored"):
                execute(edits, cells, store, workers=1, sources={name: first.digest})
        else:  # what was loaded before the edit runs on
            assert execute(edits, cells, store, workers=1, sources={name: first.digest}).measured == 3
    assert stored(tmp_path) == (1 if late else 3)


def test_the_callers_blas_threads_are_given_back(tmp_path: Path) -> None:
    from threadpoolctl import ThreadpoolController

    with ThreadpoolController().limit(limits=2):
        before = [library.num_threads for library in ThreadpoolController().lib_controllers]
        measured(tmp_path, em.draw, em.cells(1), 1)
        assert [library.num_threads for library in ThreadpoolController().lib_controllers] == before


def test_a_cell_that_loads_a_threaded_blas_is_measured_again_with_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def imports(cell: Cell, rng: Any) -> list[Row]:
        calls.append(rng.random())
        monkeypatch.setitem(sys.modules, "a_module_with_blas", os)
        return [Row("excess_risk", calls[-1])]

    answers = iter([False, True])
    monkeypatch.setattr(runner, "one_thread", lambda: next(answers))
    (line,) = runner._work((imports, None), em.cells(1)[:1], "")
    assert calls == [rows_of(line.rows)[0][1]] * 2


def test_six_kills_lose_no_stored_cell_and_a_resumed_run_gives_the_very_same_rows(tmp_path: Path) -> None:
    chance = random.Random(20261120)
    replicates, counts = 400, [0]
    for attempt in range(6):
        workers = 1 + attempt % 2
        process = child(tmp_path, workers, replicates)
        wait_for(tmp_path, counts[-1] + 1)
        time.sleep(chance.uniform(0.0, 0.4 if workers == 1 else 1.0))
        assert process.poll() is None, "the child must still be at work when it is killed"
        process.kill()
        process.wait()
        counts.append(stored(tmp_path))
        assert process.stdout is not None
        with process.stdout as said:
            assert said.read() == ""  # at its end once the last orphaned worker has left
    cells = em.cells(replicates)
    assert counts == sorted(counts)
    assert 0 < counts[-1] < len(cells)
    with Store.open(tmp_path, create=True) as store:
        outcome = execute(em.draw, cells, store, workers=1)
    assert (outcome.total, outcome.reused, outcome.measured) == (len(cells), counts[-1], len(cells) - counts[-1])
    resumed = measured(tmp_path, em.draw, cells, 1)
    assert resumed.equals(measured(tmp_path / "undisturbed", em.draw, cells, 1))


@pytest.mark.usefixtures("under_a_terminal")
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_what_is_stored_and_says_how_to_resume(tmp_path: Path, workers: int) -> None:
    process = child(tmp_path, workers, 400)
    wait_for(tmp_path, 1 if workers == 1 else 200)  # by then there are workers
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=300)
    count = stored(tmp_path)
    assert process.returncode == 130
    words = f"interrupted: {count} of 3200 cells are stored; the same command resumes\n"
    assert (tmp_path / "stderr").read_text() == words


@pytest.mark.usefixtures("under_a_terminal")
@pytest.mark.parametrize("late", [True, False])
def test_an_interrupt_in_the_midst_of_a_commit_awaits_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    commit, calls = Store.commit, []

    def interrupted(self: Store, lines: Any) -> None:
        calls.append(len(lines))
        if late or len(calls) == 1:
            commit(self, lines)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        if len(calls) == 2 and not late:
            commit(self, lines)

    monkeypatch.setattr(Store, "commit", interrupted)
    cells = em.cells(20)
    with Store.open(tmp_path, create=True) as store, pytest.raises(Interrupted) as caught:
        execute(em.draw, cells, store, workers=1)
    assert len(calls) == 2
    assert stored(tmp_path) == sum(calls)
    assert str(caught.value).startswith(f"interrupted: {sum(calls)} of {len(cells)} cells are stored")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_failures_and_skips_are_rows_and_only_failures_are_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = em.cells(4)[:4]
    with Store.open(tmp_path, create=True) as store:
        run = store.begin_run("rate", {}, [], {}, cells)
        first = execute(em.mixed, cells, store, workers=1)
        assert (first.total, first.reused, first.measured, first.failed, first.skipped) == (4, 0, 4, 2, 1)
        frame = store.frame(run).set_index("replicate")
        assert list(frame.loc[[0, 1, 2, 3], "status"]) == [
            "failed: ValueError: first line",
            "skipped: n must be at least p + 1",
            "failed: not finite: agreement",
            "ok",
        ]
        assert set(frame["quantity"]) == {"excess_risk"}
        assert frame.loc[[0, 1, 2], ["value", "bound"]].isna().all().all()
        monkeypatch.setenv("ENGINE_HEALED", "1")
        again = execute(em.mixed, cells, store, workers=1)
        assert (again.reused, again.measured, again.failed) == (2, 2, 0)
        assert execute(em.mixed, cells, store, workers=1).measured == 0
    with opened(tmp_path / "measurements.sqlite") as database:
        traces = database.execute("SELECT traceback FROM cells").fetchall()
    assert traces == [(None,)] * 4


def test_a_failure_keeps_its_traceback() -> None:
    trace = measure_cell(em.mixed, em.cells(1)[0]).traceback
    assert trace is not None
    assert "second line" in trace
    assert "engine_measures.py" in trace


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([Row("excess_risk", float("inf"))], "failed: not finite: excess_risk"),
        ([Row("excess_risk", 1.0, float("nan"))], "failed: not finite: excess_risk"),
        ([], "failed: no rows"),
        ([Row("excess_risk", 1.0, None, {"value": 1})], "failed: the column value belongs to the engine"),
        ([Row("excess_risk", 1.0, None, {"n": 1})], "failed: the column n belongs to the engine"),
        ([Row("excess_risk", 1.0, None, {"path": [1]})], "failed: the column path holds a list"),  # type: ignore[dict-item]
    ],
)
def test_rows_that_cannot_be_data_are_failures(rows: list[Row], fault: str) -> None:
    result = measure_cell(lambda cell, rng: rows, em.cells(1)[0])
    assert result.status.startswith(fault)
    assert list(result.rows) == []


def test_only_a_cell_s_own_keyboard_interrupt_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    (cell, *_) = em.cells(1)

    def raising(error: BaseException) -> Any:
        def measure(cell: Cell, rng: Any) -> list[Row]:
            raise error

        return measure

    before = signal.getsignal(signal.SIGINT)
    try:
        for handler in (signal.default_int_handler, lambda number, frame: None):  # a notebook's, a caller's
            signal.signal(signal.SIGINT, handler)
            with pytest.raises(KeyboardInterrupt):
                measure_cell(raising(KeyboardInterrupt()), cell)
        with handle_signals(CTRL_C), pytest.raises(Stop):
            measure_cell(raising(Stop(signal.SIGINT)), cell)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with handle_signals(CTRL_C):
            assert measure_cell(raising(KeyboardInterrupt()), cell).status == "failed: KeyboardInterrupt"
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a worker
        assert measure_cell(raising(KeyboardInterrupt()), cell).status == "failed: KeyboardInterrupt"
    finally:
        signal.signal(signal.SIGINT, before)
    assert measure_cell(raising(SystemExit(3)), cell).status == "failed: SystemExit: 3"
    said = measure_cell(raising(ValueError("\x1b[2Ja\u202eb\0c")), cell).status
    assert said == r"failed: ValueError: \x1b[2Ja\u202eb\x00c"


def test_what_stands_on_the_board_costs_a_cell_less_than_a_microsecond() -> None:
    """About .2 us; the least of several repetitions, as other programs may run beside."""
    key, memory = bytes(32), shared_memory.memory

    def stand() -> None:
        memory[shared_memory.KEY] = key
        memory[shared_memory.MEASURING] = 1
        assert key not in shared_memory.died
        memory[shared_memory.MEASURING] = 0

    assert min(timeit.repeat(stand, number=10_000, repeat=20)) / 10_000 < 1e-6


def test_a_long_forecast_moves_to_processes_and_a_short_one_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[int] = []

    class Spy(pools.Serial):
        def __init__(self, workers: int) -> None:
            opened.append(workers)

    monkeypatch.setattr(pools, "Processes", Spy)
    monkeypatch.setattr(pools, "STARTED", threading.Event())
    measured(tmp_path / "short", em.draw, em.cells(4), 2)
    assert opened == []
    monkeypatch.setattr(runner, "SERIAL_SECONDS", 1e-9)
    measured(tmp_path / "unknown", em.draw, em.cells(4), 2)
    assert opened == []
    monkeypatch.setattr(runner, "KNOWN_SECONDS", 1e-9)
    measured(tmp_path / "long", em.draw, em.cells(4), 2)
    assert opened == [2]
    monkeypatch.setattr(runner, "SERIAL_SECONDS", 1e9)
    pools.STARTED.set()  # workers that wait already cost nothing
    measured(tmp_path / "again", em.draw, em.cells(4), 2)
    assert opened == [2, 2]


def test_one_process_takes_the_cells_of_a_grid_point_together(tmp_path: Path) -> None:
    met: list[int] = []

    def measure(cell: Cell, rng: Any) -> list[Row]:
        met.append(id(cell.axes))
        return em.draw(cell, rng)

    with Store.open(tmp_path, create=True) as store:
        execute(measure, em.cells(40), store, workers=1)
    assert len(met) == 8 * 40
    assert sum(one != other for one, other in itertools.pairwise(met)) == 7


def test_the_limit_of_a_workers_growth_is_one_that_loky_has() -> None:
    """It is private; without it workers are replaced for what experiments load, and nothing else says so."""
    from joblib.externals.loky import process_executor

    assert 0 < process_executor._MAX_MEMORY_LEAK_SIZE < pools.GROWTH


def test_where_no_worker_can_start_this_process_measures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: int) -> None:
        raise OSError(30, "Read-only file system")  # no shared memory, as in some containers

    monkeypatch.setattr(pools, "Processes", refused)
    assert len(measured(tmp_path, em.draw, em.cells(1)[:4], 2)) > 0


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "two", ""])
def test_workers_that_cannot_be_are_refused(tmp_path: Path, workers: Any) -> None:
    with Store.open(tmp_path) as store, pytest.raises(InputError, match="Dask scheduler"):
        execute(em.draw, [], store, workers=workers)


def test_a_scheduler_that_does_not_answer_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    monkeypatch.setattr(pools, "_CONNECT_SECONDS", 0.3)
    with Store.open(tmp_path, create=True) as store, pytest.raises(InputError) as caught:
        execute(em.draw, em.cells(1), store, workers="tcp://127.0.0.1:1")
    assert "tcp://127.0.0.1:1" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_address_at_which_nobody_answers_is_found_before_anything_else_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    monkeypatch.setattr(pools, "_CONNECT_SECONDS", 0.3)
    for address in ("tcp://127.0.0.1:1", "nosuch://x:1", "tcp://"):
        with pytest.raises(InputError, match=f"no Dask scheduler answers at workers={address}") as caught:
            check_reachable(address)
        assert "\n" not in str(caught.value)
    for workers in (1, 8, "auto"):  # which are nobody's address
        check_reachable(workers)


def test_importing_the_engine_imports_no_heavy_package() -> None:
    heavy = "{'pandas', 'joblib', 'tqdm', 'threadpoolctl', 'distributed', 'dask', 'scipy'}"
    program = f"import dprepro.engine, sys; sys.exit(' '.join({heavy} & set(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    found = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert (found.returncode, found.stderr.strip()) in {(0, ""), (1, "")}


def test_no_blas_that_a_measurement_may_load_later_runs_with_threads() -> None:
    """What a measurement computed with threads and kept in a cache would outlive the repetition that mends its rows."""
    script = (
        "from dprepro.engine import runner; runner.one_thread(); import numpy, scipy.linalg, threadpoolctl;"
        "print(sorted({library['num_threads'] for library in threadpoolctl.threadpool_info()}))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "2"}
    said = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[1]"
