"""One line about many experiments: which one is measured, how far it is, how long the rest may take."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TextIO

from dprepro.engine.progress import LINE_SECONDS, forecast, say

REDRAW_SECONDS = 0.2


class Overall:
    """Redraws its line in place; where the stream is no terminal a new line is written every 30 s."""

    def __init__(self, jobs: int, stream: TextIO | None = None) -> None:
        self._jobs = jobs
        self._stream = stream or sys.stderr
        self._terminal = self._stream.isatty()
        self._started = time.monotonic()
        self._every = REDRAW_SECONDS if self._terminal else LINE_SECONDS
        self._drawn = -self._every if self._terminal else self._started
        self._number, self._name, self._shown = 0, "", False

    def start(self, number: int, name: str) -> None:
        """The ``number``-th experiment begins, counted from 1."""
        self._number, self._name = number, name
        self.cells(0, 0)

    def cells(self, done: int, total: int) -> None:
        """So many of the current experiment's cells are measured."""
        now = time.monotonic()
        if now - self._drawn < self._every and not (self._terminal and done >= total):
            return
        self._drawn = now
        share = (self._number - 1 + (done / total if total else 0)) / self._jobs
        line = f"[{self._number}/{self._jobs}] {share:.0%}{forecast(share, now - self._started)}"
        line += f": {self._name}" + (f", {done} of {total} cells" if total else "")
        if not self._terminal:
            say(self._stream, line)
            return
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
