"""Cells that take long: a limit on each, after which it has failed, and a line now and then that names one without end.

The limit is an alarm of the system, which ends whatever Python runs in the process's main thread. Compiled code that
does not return to Python never hears it; after as much processor time again the system then ends the process, and the
cell is found out as any other that takes its process with it.

Other threads, as those of a Dask worker, have no such alarm. A thread beside them raises the same error in theirs, and
ends the process after as much time again, with what other threads measure, which is measured anew.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from dprepro.engine.cell import Cell
from dprepro.engine.progress import say, spell
from dprepro.support import shared_memory

NAMED_SECONDS = 60.0
"""A cell that takes longer is named, and again after twice as long each time."""
LOOK_SECONDS = 5.0
SPARE_SECONDS = 5.0
"""Of processor time, beside twice the limit, before a process is ended that does not hear of it."""

ALARM_SECONDS = 0.1
"""How exactly a limit is kept in other threads than the main one."""

LIMITS = hasattr(signal, "setitimer")
"""Whether this system has alarms."""


class CellLimit(BaseException):
    """A cell took longer than it may; no Exception, since code of others catches those."""

    def __init__(self) -> None:
        super().__init__("it took longer than cell_minutes allows")


class Watch(threading.Thread):
    """Names the cell that this process measures once it takes long."""

    def __init__(self) -> None:
        super().__init__(daemon=True, name="long cells")
        self.cell: Cell | None = None
        self.began = 0.0

    def run(self) -> None:
        named, due = None, NAMED_SECONDS
        while True:
            time.sleep(LOOK_SECONDS)
            cell, seconds = self.cell, time.monotonic() - self.began
            if cell is not named:
                named, due = cell, NAMED_SECONDS
            if cell is not None and seconds > due and cell is self.cell:
                due *= 2
                say(sys.stderr, f"still measuring, for {spell(seconds)} now: {place(cell)}")


class _Alarms(threading.Thread):
    """Ends cells of other threads than the main one; a cell without a limit has nothing to do with it."""

    def __init__(self) -> None:
        super().__init__(daemon=True, name="limits of cells")
        self.lock = threading.Lock()
        self.due: dict[int, tuple[float, float, bool]] = {}  # by thread: when to raise, when to end, whether it was

    def run(self) -> None:
        while True:
            with self.lock:
                now = time.monotonic()
                for thread, (soft, hard, raised) in self.due.items():
                    if now > hard:
                        os._exit(1)
                    if now > soft and not raised:
                        _raise_in(thread, CellLimit)
                        self.due[thread] = soft, hard, True
            time.sleep(ALARM_SECONDS)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Have a thread raise when Python runs in it next; None takes back what it has not raised yet."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(error) if error is not None else None
    )


@contextmanager
def _time_limit_beside(seconds: float) -> Iterator[None]:
    """`limited`, for any thread."""
    global _alarms
    if _alarms is None or not _alarms.is_alive():  # a copy of a process has none
        _alarms = _Alarms()
        _alarms.start()
    thread, alarms, now = threading.get_ident(), _alarms, time.monotonic()
    with alarms.lock:
        alarms.due[thread] = now + seconds, now + 2 * seconds + SPARE_SECONDS, False
    try:
        yield
    finally:
        with alarms.lock:
            if alarms.due.pop(thread, (0.0, 0.0, False))[2]:
                _raise_in(thread, None)


_alarms: _Alarms | None = None
_watch: Watch | None = None


def place(cell: Cell) -> str:
    """Which cell it is, in words."""
    axes = ", ".join(f"{axis}={value:g}" for axis, value in cell.axes.items())
    return f"{cell.series} at {axes}, replicate {cell.replicate}"


@contextmanager
def watched() -> Iterator[Watch]:
    """The watch of this process, to be told each cell before it is measured; it looks at none outside of the block."""
    global _watch
    if _watch is None or not _watch.is_alive():  # a copy of a process has none
        _watch = Watch()
        _watch.start()
    try:
        yield _watch
    finally:
        _watch.cell = None


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `CellLimit` in a cell that takes longer. To be entered anew for each cell."""
    if seconds is None:
        yield
        return
    if not LIMITS or threading.current_thread() is not threading.main_thread():
        with _time_limit_beside(seconds):
            yield
        return
    before = signal.signal(signal.SIGALRM, _end)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_PROF, 2 * seconds + SPARE_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGALRM, before)


def _end(_: int, __: object) -> None:
    if shared_memory.memory[shared_memory.MEASURING]:  # else it has just ended by itself
        raise CellLimit
