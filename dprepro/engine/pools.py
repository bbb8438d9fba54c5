"""Where chunks of cells run: in this process, in local processes, or on a Dask cluster."""

from __future__ import annotations

import faulthandler
import io
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import contextmanager
from multiprocessing.resource_tracker import ensure_running
from typing import Any, Protocol, TextIO, TypeVar

from dprepro.errors import InputError, MissingDependency
from dprepro.own.files import portable
from dprepro.support.interrupts import CTRL_C, ENDING, defer_signals, handle_signals

_T = TypeVar("_T")
_CONNECT_SECONDS = 5
_IDLE_SECONDS = 120  # judging and drawing one experiment must not cost the next one its workers
_RECOUNT_SECONDS = 1.0
_FOLLOW_SECONDS = 0.5
GROWTH = 1_500_000_000
"""Bytes by which a worker may grow before another takes its place."""
STARTED = threading.Event()
"""Set once this process has had local workers, which a further experiment need not wait for."""
_ENDING = CTRL_C + ENDING


class ChunkPool(Protocol):
    """What the runner needs of an executor."""

    @property
    def width(self) -> int:
        """How many chunks to keep in flight."""

    @property
    def deaths(self) -> tuple[type[BaseException], ...]:
        """Errors which say that a worker died under a task."""

    def submit(self, task: Callable[[], _T]) -> Future[_T]:
        """Start a task."""

    def restart(self) -> None:
        """Become usable again after a death."""

    def close(self, drop: bool) -> None:
        """Let go of the workers; `drop` what is in flight."""


class Serial:
    """This process: a task has run when `submit` returns."""

    width = 1
    deaths = ()

    def submit(self, task: Callable[[], _T]) -> Future[_T]:
        future: Future[_T] = Future()
        future.set_result(task())
        return future

    def restart(self) -> None:
        pass

    def close(self, drop: bool) -> None:
        pass


class Processes:
    """Local processes of loky; they stay for the next experiment and leave by themselves after `_IDLE_SECONDS`."""

    deaths = (BrokenExecutor,)

    def __init__(self, workers: int) -> None:
        self.width = 2 * workers  # one running and one waiting for each, so that nobody waits for a commit
        self._workers = workers
        _start_trackers()  # before the mask below, which they lift
        self.restart()

    def restart(self) -> None:
        from joblib.externals.loky import get_reusable_executor

        # A worker whose memory has grown leaves, and another takes its place: nothing is lost, nobody need know.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
        with _starting():
            self._executor: Any = get_reusable_executor(
                self._workers,
                timeout=_IDLE_SECONDS,
                initializer=_prepare_worker,
                initargs=(os.getpid(),),
                env={f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "MKL", "OMP")},
            )
        STARTED.set()

    def submit(self, task: Callable[[], _T]) -> Future[_T]:
        task = portable(task)
        with _starting(), handle_signals(CTRL_C):
            try:
                # deferred: a task that is half handed in ends loky's own thread, with a traceback
                future: Future[_T] = defer_signals(self._executor.submit, task)
            except BrokenExecutor:  # a worker died between two tasks
                self.restart()
                future = defer_signals(self._executor.submit, task)
        return future

    def close(self, drop: bool) -> None:
        if drop:
            self._executor.shutdown(wait=True, kill_workers=True)


class Dask:
    """The workers of a Dask scheduler at an address such as tcp://host:8786."""

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client, KilledWorker
        except ImportError:
            raise MissingDependency(f"workers={address} needs Dask: pip install 'dprepro[dask]'") from None
        try:
            self._client: Any = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
        except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise InputError(f"no Dask scheduler answers at workers={address}: {reason}") from None
        self._executor = self._client.get_executor()  # type: ignore[no-untyped-call]
        self._counted = -_RECOUNT_SECONDS
        self._threads = 0
        self.deaths: tuple[type[BaseException], ...] = (KilledWorker,)

    @property
    def width(self) -> int:
        if time.monotonic() - self._counted > _RECOUNT_SECONDS:  # clusters grow and shrink
            try:
                self._threads = sum(self._client.nthreads().values())
            except OSError:
                raise CancelledError from None  # as the tasks of a lost scheduler do
            self._counted = time.monotonic()
        return max(4, 2 * self._threads)

    def submit(self, task: Callable[[], _T]) -> Future[_T]:
        import cloudpickle

        # As bytes: a worker that lacks a module and finds out before a task begins never says a word.
        future: Future[_T] = self._executor.submit(pickle.loads, cloudpickle.dumps(_Call(portable(task))))
        return future

    def restart(self) -> None:
        pass  # the scheduler replaces its workers

    def close(self, drop: bool) -> None:
        self._executor.shutdown(wait=not drop)
        self._client.close()


class _Call:
    """A task that runs when it is unpickled, and then stands for what it has returned."""

    def __init__(self, task: Callable[[], object]) -> None:
        self._task = task

    def __reduce__(self) -> tuple[Callable[[], object], tuple[()]]:
        return self._task, ()


def parallel(workers: int | str) -> Callable[[], ChunkPool] | None:
    """How to open the pool that `workers` names, None for this process alone; raises `InputError` for anything else."""
    if isinstance(workers, str) and "://" in workers:
        return lambda: Dask(workers)
    if isinstance(workers, int) and not isinstance(workers, bool) and workers >= 1:
        return (lambda: _local(workers)) if workers > 1 else None
    raise InputError(f"workers={workers!r} is neither a number from 1 nor a Dask address such as tcp://host:8786")


def check_reachable(workers: int | str) -> None:
    """Raise InputError where ``workers`` is an address at which no Dask scheduler answers."""
    if isinstance(workers, str) and "://" in workers:
        Dask(workers).close(drop=False)


def _local(workers: int) -> ChunkPool:
    """Local workers; this process alone where none can start, as in containers without shared memory."""
    try:
        return Processes(workers)
    except (OSError, ImportError):
        return Serial()


def _prepare_worker(parent: int) -> None:
    """Leave Ctrl-C and its like to the parent, and leave when it is gone: workers of a killed one would wait for ever.

    Schedulers send SIGTERM to every process of a job.
    """
    from joblib.externals.loky import process_executor

    faulthandler.disable()  # loky's: a worker that dies is measured again, and the run goes on
    # With psutil at hand loky lets a worker go that has grown by 300 MB. What experiments load is more: one left each
    # half minute, and its heir imported and loaded kernels again. No public option says so; a leak still ends it.
    process_executor._MAX_MEMORY_LEAK_SIZE = GROWTH
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    # A worker that loses its parent prints a traceback to the output that both share; a killed run has nothing to say.
    sys.stdout = sys.stderr = _WhileParentLives(parent, sys.stderr)
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()


class _WhileParentLives(io.TextIOBase):
    """Standard error, for as long as somebody reads it."""

    def __init__(self, parent: int, out: TextIO) -> None:
        self._parent = parent
        self._out = out

    def write(self, text: str) -> int:
        return self._out.write(text) if os.getppid() == self._parent else len(text)

    def flush(self) -> None:
        self._out.flush()

    def fileno(self) -> int:
        return self._out.fileno()


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_FOLLOW_SECONDS)
    os._exit(1)


def _start_trackers() -> None:
    """The helpers that take semaphores away where a process has died, silenced: of a signal there is one line.

    Their warnings are theirs alone, so that they have to inherit what silences them.
    """
    from joblib.externals.loky.backend import resource_tracker

    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, (before, "ignore:resource_tracker")))
    try:
        ensure_running()
        resource_tracker.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before


@contextmanager
def _starting() -> Iterator[None]:
    """While workers start: hold Ctrl-C and its like back, and give them standard error as their output.

    Both they inherit. They then print no tracebacks of their own at Ctrl-C, and what one says that loses its parent
    while it starts is not taken for the run's table.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    output = os.dup(1)
    try:
        os.dup2(2, 1)
        yield
    finally:
        os.dup2(output, 1)
        os.close(output)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
