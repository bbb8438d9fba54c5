"""A command is two processes: one that waits for signals, and a copy of it, made before anything is loaded, that works.

Whatever runs in the copy, a library that catches everything, a cell that ends its process, a kernel that takes minutes,
the first process lives, says in one line what happened, and gives the exit code. The copy costs a millisecond.

- A signal ends the working process where it stands: no exception is raised that others could swallow, or turn into half
  a result. Nothing is lost by it, as what is stored survives a kill at any moment.
- A cell that takes its process with it is a failed cell: its key stands in memory that both processes share. A new copy
  begins the command again, takes from the store what is there, and leaves that cell out.

Where processes cannot be copied (Windows) the command works by itself.
"""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from dprepro.support import shared_memory
from dprepro.support.shared_memory import CODE, HEARD, KEY, LEFT, MEASURING, SIGNALS, STOPPED

SIGNALLED = 128
"""An exit code above it is that of a signal, by its number."""

HEARD_SECONDS = 0.05
"""After so long a signal is passed on to a working process that has not heard it, and again."""
LIMIT_SECONDS = 3.0
"""After so long a working process that has heard of a signal, or cannot hear, is killed."""
SECOND_SECONDS = 0.5
"""A signal that comes so long after the first is a second one, and kills at once; sooner it is the same one."""

KEPT = "what was measured is stored"

STORELESS = ("advise", "audit", "challenge", "privacy", "referee", "refute", "release", "verify")
"""Commands that enter what they have found at their end, or nowhere: of one that is stopped nothing is left."""

MOST_DEATHS = 100
"""Cells of one command that may take their process with them, before the command is taken for hopeless."""


def said(number: int, name: str, arguments: list[str]) -> str:
    """The line after a signal: what ended, what is kept, and the command that takes it up."""
    kept, total = shared_memory.number(shared_memory.KEPT), shared_memory.number(shared_memory.TOTAL)
    what = (
        f": {kept} of {total} cells are stored; the same command resumes" if total else f"; {what_is_kept(arguments)}"
    )
    return f"{reason(number)}{what}: {again(name, arguments)}"


def what_is_kept(arguments: list[str]) -> str:
    """What is left of a command that did not reach its end."""
    if not arguments or arguments[0] not in STORELESS:
        return KEPT
    if arguments[0] != "audit":
        return "nothing is kept"
    keeps = any(word.startswith("keep=") for word in arguments)
    return "the same command resumes" if keeps else "nothing is kept without keep=FILE"


def reason(number: int) -> str:
    """What a signal does to a command, in words."""
    return "interrupted" if number == signal.SIGINT else f"stopped by {signal.Signals(number).name}"


def again(name: str, arguments: list[str]) -> str:
    """The command line of a command."""
    return shlex.join(["python", "-m", name, *arguments])


def tell(line: str) -> None:
    """One line on standard error, whatever state Python's own is in."""
    shown = "".join(text if text.isprintable() else ascii(text)[1:-1] for text in line)
    with suppress(OSError):  # nobody is there to read it
        os.write(2, f"{shown}\n".encode(errors="backslashreplace"))


def supervised(work: Callable[[], int], name: str, arguments: list[str]) -> int:
    """The exit code of a command that a copy of this process does; in the copy, what ``work`` returns.

    The copy calls :func:`dprepro.support.shared_memory.left` once its output is written.
    """
    if not hasattr(os, "fork"):
        _handle(signal.SIG_DFL)
        return work()
    shared_memory.share()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # they wait for whoever is there to hear them
    try:
        while True:
            for place in (LEFT, CODE, HEARD, STOPPED, MEASURING):
                shared_memory.memory[place] = 0
            shared_memory.progress(0, 0)
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError, AttributeError):  # full, closed, or none
                    stream.flush()
            waiting, copy = os.getpid(), os.fork()
            if not copy:
                _follow(waiting)
                _hear()
                break
            if (code := _ended(_Watch(copy).wait(mask), name, arguments)) is not None:
                return code
    except BlockingIOError:  # no more processes for this user
        _handle(signal.SIG_DFL)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return _work(work)


def _work(work: Callable[[], int]) -> int:
    """The code of the working process, which leaves by itself even where it raises."""
    try:
        return work()
    except BaseException:
        shared_memory.left(1)
        raise


def _ended(status: int, name: str, arguments: list[str]) -> int | None:
    """The exit code, after a line where the working process did not leave by itself; None where another goes on."""
    if shared_memory.memory[LEFT]:
        return int(shared_memory.memory[CODE])
    if number := shared_memory.memory[STOPPED] or shared_memory.memory[HEARD]:
        tell(said(number, name, arguments))
        return SIGNALLED + number
    how = _death(status)
    if not shared_memory.memory[MEASURING]:
        tell(f"error: the process {how}; {what_is_kept(arguments)}")
        return 1
    if shared_memory.memory[MEASURING] == shared_memory.SEVERAL:
        shared_memory.one_by_one = True
        tell(f"the process {how} while it measured several cells; the command begins again, and measures each alone")
        return None
    shared_memory.died[bytes(shared_memory.memory[KEY])] = how
    if len(shared_memory.died) >= MOST_DEATHS:
        tell(f"error: {len(shared_memory.died)} cells took their process with them, the last one {how}; {KEPT}")
        return 1
    tell(f"a cell's process {how}; the command begins again, without that cell")
    return None


def _death(status: int) -> str:
    """How a process ended that should not have."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"left with exit code {code}"
    return f"died ({signal.Signals(-code).name if -code in list(signal.Signals) else f'signal {-code}'})"


class _Watch:
    """Waits for the working process, and passes on what it has not heard."""

    def __init__(self, copy: int) -> None:
        self._copy = copy
        self._number = 0
        self._since = 0.0

    def wait(self, mask: set[int]) -> int:
        """The status of its end; ``mask`` are the signals that are blocked outside of here."""
        signal.signal(signal.SIGALRM, self._look)
        _handle(self._heard)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        _, status = os.waitpid(self._copy, 0)
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._copy = 0
        if self._number and not shared_memory.memory[STOPPED]:
            shared_memory.memory[STOPPED] = self._number
        return status

    def _heard(self, number: int, _: object) -> None:
        if not self._number:
            self._number, self._since = number, time.monotonic()
            signal.setitimer(signal.ITIMER_REAL, HEARD_SECONDS, HEARD_SECONDS)
        elif time.monotonic() - self._since > SECOND_SECONDS:
            self._send(signal.SIGKILL)

    def _look(self, _: int, __: object) -> None:
        if time.monotonic() - self._since > LIMIT_SECONDS:
            self._send(signal.SIGKILL)
        elif not shared_memory.memory[HEARD]:
            self._send(self._number)

    def _send(self, number: int) -> None:
        if self._copy:
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(self._copy, number)


def _handle(handler: Callable[[int, object], None] | signal.Handlers) -> None:
    """Have the signals go to this handler, but for those that the caller ignores."""
    for number in SIGNALS:
        if signal.getsignal(number) not in (signal.SIG_IGN, None):
            signal.signal(number, handler)


def _hear() -> None:
    """In the working process: hear the signals from now on."""
    from dprepro.support import interrupts

    interrupts.ends.append(_stop)
    _handle(_stop_on_signal)


def _stop_on_signal(number: int, _: object) -> None:
    from dprepro.errors import Stop
    from dprepro.support.interrupts import raise_or_wait

    shared_memory.memory[HEARD] = number
    raise_or_wait(Stop(number))


def _stop(number: int) -> None:
    """End this process and its own at once, whatever state it is in."""
    try:
        if not shared_memory.memory[STOPPED]:
            shared_memory.memory[STOPPED] = number
            # The module may be half imported.
            for process in list(getattr(sys.modules.get("multiprocessing.process"), "_children", ())):
                with suppress(OSError, TypeError):
                    os.kill(process.pid, signal.SIGKILL)
            sys.stdout.flush()
    finally:  # a flush in the midst of a write fails, for one
        os._exit(SIGNALLED + number)


def _follow(waiting: int) -> None:
    """Have the system kill this process when the one that waits is gone."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    except (ImportError, OSError, AttributeError, TypeError):  # not Linux
        from threading import Thread

        Thread(target=_poll, args=(waiting,), daemon=True).start()
    if os.getppid() != waiting:  # it was gone before
        os._exit(1)


def _poll(waiting: int) -> None:
    while os.getppid() == waiting:
        time.sleep(HEARD_SECONDS)
    os._exit(1)
