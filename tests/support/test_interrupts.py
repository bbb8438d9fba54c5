"""What Ctrl-C and its like end at once, and what they await."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial

import numpy as np
import pytest

from dprepro.errors import Stop
from dprepro.reductions.kernels.group_kernels import on_groups
from dprepro.support.interrupts import CTRL_C, ENDING, defer_signals, handle_signals, raise_or_wait

pytestmark = pytest.mark.usefixtures("under_a_terminal")


@contextmanager
def cpu_time_limit() -> Iterator[None]:
    """What stands inside ends at a timer's signal, as a limit of time has it."""
    before = signal.signal(signal.SIGPROF, lambda number, frame: raise_or_wait(TimeoutError()))
    try:
        with suppress(TimeoutError):
            yield
    finally:
        signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("number", CTRL_C + ENDING)
@pytest.mark.parametrize("awaited", [False, True])
def test_a_signal_raises_at_once_and_awaits_the_end_of_what_is_whole(number: int, awaited: bool) -> None:
    done = []

    def work(name: str, *, step: int) -> None:
        signal.raise_signal(number)
        done.append((name, step))

    with pytest.raises(Stop) as caught, handle_signals(CTRL_C + ENDING):
        (partial(defer_signals, work) if awaited else work)("a", step=1)
    assert caught.value.number == number
    assert done == [("a", 1)] * awaited
    assert defer_signals(sum, [1, 2]) == 3  # nothing is left waiting


def test_the_second_signal_of_a_scheduler_is_ignored_and_a_second_ctrl_c_is_not() -> None:
    with handle_signals(CTRL_C + ENDING):
        with pytest.raises(Stop):
            signal.raise_signal(ENDING[0])
        signal.raise_signal(ENDING[0])
        signal.raise_signal(ENDING[-1])
        for _ in range(2):
            with pytest.raises(Stop):
                signal.raise_signal(signal.SIGINT)


def test_what_the_caller_ignores_or_handles_is_left_alone() -> None:
    heard = []
    signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with handle_signals(CTRL_C + ENDING):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
    assert heard == [signal.SIGINT]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN


def test_threads_take_no_signals() -> None:
    found = []

    def work() -> None:
        with handle_signals(CTRL_C):
            found.append((signal.getsignal(signal.SIGINT), defer_signals(sum, [1, 2])))

    thread = threading.Thread(target=work)
    before = signal.getsignal(signal.SIGINT)
    thread.start()
    thread.join()
    assert found == [(before, 3)]


def test_an_interrupt_wins_over_a_limit_of_time() -> None:
    def work() -> None:
        signal.raise_signal(signal.SIGPROF)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(Stop), handle_signals(CTRL_C), cpu_time_limit():
        defer_signals(work)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGPROF])
def test_an_interrupt_while_numba_unpacks_a_generator_awaits_the_kernel(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """An exception there would end the process: the kernel's caller uses what ctypes.cast returned, without a look."""
    arguments = (np.eye(2), np.zeros(2), np.ones(2), 50, 0.1, False, False)
    weights = [np.array([1.0, 0.0]) for _ in range(2)]
    on_groups(*arguments, weights[0], np.zeros(2), np.zeros(3), np.random.default_rng(0))
    cast, calls = ctypes.cast, []

    def interrupted(*given: object) -> object:
        calls.append(given)
        signal.raise_signal(number)
        return cast(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(ctypes, "cast", interrupted)
    ended = []
    with suppress(Stop), handle_signals(CTRL_C), cpu_time_limit():
        on_groups(*arguments, weights[1], np.zeros(2), np.zeros(3), np.random.default_rng(0))
        ended.append("as if nothing had come")
    assert calls
    assert not ended
    assert weights[1].tolist() == weights[0].tolist()
