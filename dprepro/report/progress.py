"""One line about many experiments on a terminal: which one is measured, how far it is, how long the rest may take."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TextIO

REDRAW_SECONDS = 0.2
#: Below this share nothing is said of the time that is left.
FORECAST_FROM = 0.02


class Overall:
    """Redraws its line in place; says nothing where the stream is no terminal."""

    def __init__(self, jobs: int, stream: TextIO | None = None) -> None:
        self._jobs = jobs
        self._stream = stream or sys.stderr
        self._wanted = self._stream.isatty()
        self._started = time.monotonic()
        self._drawn = -REDRAW_SECONDS
        self._number, self._name, self._shown = 0, "", False

    def start(self, number: int, name: str) -> None:
        """The ``number``-th experiment begins, counted from 1."""
        self._number, self._name = number, name
        self.cells(0, 0)

    def cells(self, done: int, total: int) -> None:
        """So many of the current experiment's cells are measured."""
        now = time.monotonic()
        if not self._wanted or (now - self._drawn < REDRAW_SECONDS and done < total):
            return
        self._drawn = now
        share = (self._number - 1 + (done / total if total else 0)) / self._jobs
        line = f"[{self._number}/{self._jobs}] {share:.0%}"
        if share >= FORECAST_FROM:
            line += f", about {spell((now - self._started) * (1 / share - 1))} left"
        line += f": {self._name}" + (f", {done} of {total} cells" if total else "")
        self.clear()
        # One column less than there are: a full line would wrap.
        self._stream.write(line[: shutil.get_terminal_size().columns - 1])
        self._stream.flush()
        self._shown = True

    def clear(self) -> None:
        """Take the line away, so that others can be printed."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown = False


def spell(seconds: float) -> str:
    """A length of time in one or two words."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
