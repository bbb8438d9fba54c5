"""A limit on the time that something takes."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from dprepro.interrupts import raise_or_wait


class _Late(TimeoutError):
    """The time is up."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Ends what stands inside after that time of the processor; outside of the main thread nothing is limited.

    Other programs on the machine thus do not change an answer.
    """
    if (
        not 0 < seconds < math.inf
        or threading.current_thread() is not threading.main_thread()
        or not hasattr(signal, "setitimer")
    ):
        yield
        return

    def late(number: int, frame: object) -> None:
        raise_or_wait(_Late())

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        with suppress(_Late):
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
