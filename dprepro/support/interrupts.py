"""Exceptions that signals raise outside of commands, Ctrl-C above all; and the few calls whose end they have to await.

In a command a signal raises nothing: see `supervisor`.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import ParamSpec, TypeVar

from dprepro.errors import Stop
from dprepro.support.shared_memory import SIGNALS

_Given = ParamSpec("_Given")
_T = TypeVar("_T")

CTRL_C = [signal.SIGINT]
ENDING = [number for number in SIGNALS if number not in CTRL_C]
"""Signals that end a run as Ctrl-C does: of schedulers, of a terminal that is closed, of processor time used up."""

ends: list[Callable[[int], None]] = []
"""In the working process of a command: what ends it, in the place of an exception."""

_busy = False  # the main thread is inside `defer_signals`
_waiting: list[BaseException] = []  # what signals would have raised meanwhile


@contextmanager
def handle_signals(numbers: Iterable[int]) -> Iterator[None]:
    """Raise `Stop` in the main thread where one of these signals comes.

    What the caller ignores (nohup) or handles itself is left alone. After one of `ENDING` the others are ignored.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        usual = (signal.SIG_DFL, signal.default_int_handler)
        before = {number: signal.getsignal(number) for number in numbers if signal.getsignal(number) in usual}
    for key in before:
        signal.signal(key, _end)
    try:
        yield
    finally:
        for key, handler in before.items():
            if signal.getsignal(key) is _end:
                signal.signal(key, handler)


def _end(number: int, _: FrameType | None) -> None:
    if number in ENDING:
        # Schedulers send it to the group and to each process: the second must not cut the end off.
        for signals in ENDING:
            if signal.getsignal(signals) is _end:
                signal.signal(signals, signal.SIG_IGN)
    raise_or_wait(Stop(number))


def raise_or_wait(error: BaseException) -> None:
    """Called by a handler: raises now, or at the end of `defer_signals`. A `Stop` ends a command (see `supervisor`)."""
    if _busy:
        _waiting.append(error)
        return
    if isinstance(error, Stop):
        for end in ends:
            end(error.number)
    raise error


def defer_signals(call: Callable[_Given, _T], *given: _Given.args, **named: _Given.kwargs) -> _T:
    """``call(*given, **named)``; what signals raise meanwhile by `raise_or_wait` is raised at its end."""
    global _busy
    if _busy or threading.get_ident() != threading.main_thread().ident:
        return call(*given, **named)
    _busy = True
    try:
        return call(*given, **named)
    finally:
        _busy = False
        if _waiting:
            error = next((stop for stop in _waiting if isinstance(stop, Stop)), _waiting[0])
            _waiting.clear()
            raise_or_wait(error)
