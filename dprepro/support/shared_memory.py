"""Memory that a command's worker process shares with the process that waits for it: progress, and how the worker died.

It loads hardly anything: it is read before all else, and is behind every measurement.
"""

from __future__ import annotations

import signal

DPREPRO_READS = ()  # memory that no file is behind

SIGNALS = [
    signal.Signals[name] for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGXCPU") if name in signal.Signals.__members__
]
"""Signals that end a command: Ctrl-C, and those of schedulers, of a terminal that is closed, of processor time."""

LEFT, CODE, HEARD, STOPPED, MEASURING = range(5)
"""Places of single bytes: whether the process left by itself, with which exit code; the signal that it heard of, and
that ended it; whether it measures a cell, or `SEVERAL` at once."""
SEVERAL = 2
KEPT, TOTAL, KEY = slice(8, 16), slice(16, 24), slice(24, 56)
"""Places of the number of stored cells of a run, of all its cells, and of the key of the cell that is measured."""
_SIZE, _NOTES, _BYTES = slice(56, 64), 64, 1 << 20

#: Shared in a command; in any other process nobody reads it.
memory = memoryview(bytearray(_NOTES))

died: dict[bytes, str] = {}
"""By its key, each cell that has killed a process of this command, with what the process died of."""


one_by_one = False
"""Whether each cell is measured by itself, because a process died while it measured several at once."""


def share() -> None:
    """Share the memory with all copies of this process that are made from now on."""
    global memory
    from mmap import mmap

    memory = memoryview(mmap(-1, _BYTES))


def left(code: int) -> None:
    """Note that this process ends by itself, with this exit code."""
    memory[CODE], memory[LEFT] = code % 256, 1


def progress(kept: int, total: int) -> None:
    """Note how many cells of the current run are stored, and how many there are; 0 of 0 without a run."""
    memory[KEPT], memory[TOTAL] = kept.to_bytes(8, "little"), total.to_bytes(8, "little")


def number(place: slice) -> int:
    """The number in these bytes of the memory."""
    return int.from_bytes(memory[place], "little")


def note(line: str) -> None:
    """Leave a line for the process that takes over if this one dies; a full memory takes no more lines."""
    start, text = _NOTES + number(_SIZE), f"{line}\n".encode()
    if start + len(text) <= len(memory):
        memory[start : start + len(text)] = text
        memory[_SIZE] = (start + len(text) - _NOTES).to_bytes(8, "little")


def noted() -> list[str]:
    """The lines that were left by processes that have died."""
    return bytes(memory[_NOTES : _NOTES + number(_SIZE)]).decode().splitlines() if died else []
