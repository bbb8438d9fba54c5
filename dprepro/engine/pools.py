"""Where chunks of cells run: the one interface, and this process, local processes and a Dask cluster behind it.

Jobs of a queue are behind it too: `dprepro.engine.slurm`.
"""

from __future__ import annotations

import asyncio
import faulthandler
import io
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import contextmanager
from multiprocessing.resource_tracker import ensure_running
from typing import Any, Protocol, TextIO, TypeVar

from dprepro.engine.cell import Cell
from dprepro.engine.cell_lines import Line
from dprepro.errors import InputError, MissingDependency
from dprepro.support.interrupts import CTRL_C, ENDING, defer_signals, handle_signals
from dprepro.support.user_files import portable

_T = TypeVar("_T")
_CONNECT_SECONDS = 5
_IDLE_SECONDS = 120  # judging and drawing one experiment must not cost the next one its workers
_RECOUNT_SECONDS = 1.0
_ANSWER_SECONDS = 60.0  # of a scheduler, which may have much to do
NOBODY_SECONDS = 1800.0
"""How long cells wait for a scheduler that has no worker: a cluster that grows by a queue may have to be waited for."""
_FOLLOW_SECONDS = 0.5
GROWTH = 1_500_000_000
"""Bytes by which a worker may grow before another takes its place."""
STARTED = threading.Event()
"""Set once this process has had local workers, which a further experiment need not wait for."""
_ENDING = CTRL_C + ENDING
_PREEMPTING = [signal.Signals[name] for name in ("SIGUSR2", "SIGCONT") if name in signal.Signals.__members__]
"""What a queue sends to all processes of a job before it takes the job away."""


class NoWorkers(CancelledError):
    """Nobody is there who measures; the message says for how long."""


class Workload(Protocol):
    """Cells, and how they are measured: here, until the time of a chunk is over, or all of them, into a store."""

    @property
    def cells(self) -> Sequence[Cell]:
        """In the order in which they are measured."""

    @property
    def cell_seconds(self) -> float | None:
        """The limit of each; None where there is none."""

    def __call__(self) -> list[Line]:
        """The lines of the first cells."""

    def into(self, folder: str, processes: int) -> None:
        """Measure what the store of a folder lacks."""


class ChunkPool(ABC):
    """What the runner needs of whoever measures: it hands in chunks and waits for their lines.

    Attributes:
        deaths: errors which say that a worker died under a chunk.
        job_seconds: how long a chunk should take where all cells are handed in at once, as to a queue whose jobs wait
            long before they begin; None where workers take small chunks one after the other.
        tries: how often cells are handed in that jobs have left undone.
        standing: how the jobs are, in words.
    """

    deaths: tuple[type[BaseException], ...] = ()
    job_seconds: float | None = None
    tries: int = 1
    standing: str = ""

    @property
    @abstractmethod
    def width(self) -> int:
        """How many chunks to keep in flight."""

    @abstractmethod
    def submit_all(self, chunks: Sequence[Workload]) -> list[Future[list[Line]]]:
        """Start chunks."""

    def resume(self, todo: Sequence[Cell], stored: Sequence[Cell]) -> dict[Future[list[Line]], list[Cell]]:
        """What was started for these cells by a process that is gone; what it left of ``stored`` ones is removed."""
        return {}

    def restart(self) -> None:  # noqa: B027
        """Become usable again after a death."""

    def check(self) -> None:  # noqa: B027
        """Raise CancelledError where what is in flight will never end, as nobody is there any more who measures it."""

    def close(self, drop: bool) -> None:  # noqa: B027
        """Let go of the workers; `drop` what is in flight."""


class TaskPool(ChunkPool):
    """One whose workers take any task."""

    def submit_all(self, chunks: Sequence[Workload]) -> list[Future[list[Line]]]:
        return [self.submit(chunk) for chunk in chunks]

    @abstractmethod
    def submit(self, task: Callable[[], _T]) -> Future[_T]:
        """Start a task."""


class Serial(TaskPool):
    """This process: a task has run when `submit` returns."""

    width = 1

    def submit(self, task: Callable[[], _T]) -> Future[_T]:
        future: Future[_T] = Future()
        future.set_result(task())
        return future


class Processes(TaskPool):
    """Local processes of loky; they stay for the next experiment and leave by themselves after `_IDLE_SECONDS`."""

    deaths = (BrokenExecutor,)

    def __init__(self, workers: int) -> None:
        self._width = 2 * workers  # one running and one waiting for each, so that nobody waits for a commit
        self._workers = workers
        _start_trackers()  # before the mask below, which they lift
        self.restart()

    @property
    def width(self) -> int:
        return self._width

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


class Dask(TaskPool):
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
        self._flying: set[Any] = set()
        self._counted = -_RECOUNT_SECONDS
        self._threads = 0
        self._served = time.monotonic()
        self.deaths = (KilledWorker,)

    @property
    def width(self) -> int:
        self.check()
        return max(4, 2 * self._threads)

    def check(self) -> None:
        """Count the workers anew, as clusters grow and shrink.

        A local cluster takes a worker out for good that is not back 15 s after its death, as on a busy machine, and a
        scheduler whose workers are all gone keeps its tasks without a word.
        """
        now = time.monotonic()
        if now - self._counted < _RECOUNT_SECONDS:
            return
        try:
            counts = self._client.sync(self._client.nthreads, callback_timeout=_ANSWER_SECONDS)
        except (TimeoutError, OSError):
            raise CancelledError from None  # as the tasks of a lost scheduler do
        self._threads, self._counted = sum(counts.values()), now
        if self._threads:
            self._served, self.standing = now, ""
        elif (idle := now - self._served) > NOBODY_SECONDS:
            raise NoWorkers(f"no worker has been at the scheduler for {idle / 60:.0f} minutes")
        else:
            self.standing = "the scheduler has no worker"

    def submit(self, task: Callable[[], _T]) -> Future[_T]:
        import cloudpickle

        # As bytes: a worker that lacks a module and finds out before a task begins never says a word.
        given = self._client.submit(pickle.loads, cloudpickle.dumps(_Call(portable(task))), pure=False)
        future: Future[_T] = Future()
        self._flying.add(given)
        self._client.loop.add_callback(self._hand_over, given, future)
        return future

    async def _hand_over(self, given: Any, future: Future[_T]) -> None:
        """Set our future to what Dask's has come to.

        Dask's own executor never hears of a task that is done, is lost with its worker before it is fetched, and then
        fails; and takes a result that is lost later for a failure. A result is released once it is here, as it would
        be computed again wherever its worker dies.
        """
        try:
            result = await given._result()
        except asyncio.CancelledError:
            future.cancel()
            future.set_running_or_notify_cancel()
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)
        self._flying.discard(given)
        given.release()

    def close(self, drop: bool) -> None:
        if drop and self._client.status == "running":
            self._client.cancel(list(self._flying))
        self._client.close()


class _Call:
    """A task that runs when it is unpickled, and then stands for what it has returned."""

    def __init__(self, task: Callable[[], object]) -> None:
        self._task = task

    def __reduce__(self) -> tuple[Callable[[], object], tuple[()]]:
        return self._task, ()


def local(workers: int) -> TaskPool:
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
    for number in (*_ENDING, *_PREEMPTING):
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
