"""Ctrl-C and its like, as an exception; and the few calls whose end it has to await."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import ParamSpec, TypeVar

from dprepro.errors import Stop

_Given = ParamSpec("_Given")
_T = TypeVar("_T")

CTRL_C = [signal.SIGINT]
ENDING = [signal.Signals[name] for name in ("SIGTERM", "SIGHUP", "SIGXCPU") if name in signal.Signals.__members__]
"""Signals that end a run as Ctrl-C does: of schedulers, of a terminal that is closed, of processor time used up."""

_busy = False  # the main thread is inside `whole`
_waiting: list[int] = []  # signals that came meanwhile


@contextmanager
def taken(numbers: Iterable[int]) -> Iterator[None]:
    """Raise `Stop` in the main thread where one of these signals comes.

    What the caller ignores (nohup) or handles itself is left alone. After one of `ENDING` the others are ignored.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        usual = (signal.SIG_DFL, signal.default_int_handler)
        before = {one: signal.getsignal(one) for one in numbers if signal.getsignal(one) in usual}
    for one in before:
        signal.signal(one, _end)
    try:
        yield
    finally:
        for one, handler in before.items():
            if signal.getsignal(one) is _end:
                signal.signal(one, handler)


def _end(number: int, _: FrameType | None) -> None:
    if number in ENDING:
        # Schedulers send it to the group and to each process: the second must not cut the end off.
        for one in ENDING:
            if signal.getsignal(one) is _end:
                signal.signal(one, signal.SIG_IGN)
    if not _busy:
        raise Stop(number)
    _waiting.append(number)


def whole(call: Callable[_Given, _T], *given: _Given.args, **named: _Given.kwargs) -> _T:
    """``call(*given, **named)``; a signal that is `taken` and comes meanwhile raises `Stop` at its end."""
    global _busy
    if _busy or threading.get_ident() != threading.main_thread().ident:
        return call(*given, **named)
    _busy = True
    try:
        return call(*given, **named)
    finally:
        _busy = False
        if _waiting:
            number = _waiting[0]
            _waiting.clear()
            raise Stop(number)
