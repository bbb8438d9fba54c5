"""What the process that does a command's work leaves for the one that waits for it, in memory that both share.

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
"""Places: of the cells of a run how many are stored, and how many there are; the key of the cell that is measured."""
_SIZE, _NOTES, _BYTES = slice(56, 64), 64, 1 << 20

#: Shared in a command; in any other process nobody reads it.
memory = memoryview(bytearray(_NOTES))

died: dict[bytes, str] = {}
"""Cells that have taken a process with them in this command, by their keys, with what it died of."""


one_by_one = False
"""Whether cells are to be measured each by itself, since several at once have taken a process with them."""


def share() -> None:
    """From now on the memory is shared with copies of this process."""
    global memory
    from mmap import mmap

    memory = memoryview(mmap(-1, _BYTES))


def left(code: int) -> None:
    """The process is about to end, by itself."""
    memory[CODE], memory[LEFT] = code % 256, 1


def progress(kept: int, total: int) -> None:
    """So many cells of the current run are stored; where there is no run, none of none."""
    memory[KEPT], memory[TOTAL] = kept.to_bytes(8, "little"), total.to_bytes(8, "little")


def number(place: slice) -> int:
    """The number that stands there."""
    return int.from_bytes(memory[place], "little")


def note(line: str) -> None:
    """Leave a line for the process that takes over if this one dies; without effect where there is no more room."""
    start, text = _NOTES + number(_SIZE), f"{line}\n".encode()
    if start + len(text) <= len(memory):
        memory[start : start + len(text)] = text
        memory[_SIZE] = (start + len(text) - _NOTES).to_bytes(8, "little")


def noted() -> list[str]:
    """The lines that processes left which have died."""
    return bytes(memory[_NOTES : _NOTES + number(_SIZE)]).decode().splitlines() if died else []
