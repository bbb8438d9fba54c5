"""How far a run is, on stderr: a bar on a terminal; elsewhere, in a log or under a scheduler, a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Protocol, TextIO

Progress = Callable[[int, int], None]
"""Is told how many cells are measured, of how many."""

BAR_SECONDS = 2.0
"""A shorter run has no bar."""
FORECAST_FROM = 0.02
"""Below this share nothing is said of the time that is left."""
LINE_SECONDS = 30.0
"""Between two lines where there is no terminal; a run that is shorter says nothing."""


class Indicator(Protocol):
    """What shows how far a run is."""

    def move(self, cells: int, standing: str = "") -> None:
        """So many more cells are measured; ``standing`` is how jobs are, in words."""

    def close(self) -> None:
        """The run has ended."""


def indicator(total: int, label: str, progress: bool | Progress) -> Indicator:
    """Of a run of ``total`` cells; ``progress`` is whether to show it, or what to tell instead."""
    if callable(progress):
        return _Told(total, progress)
    if not progress:
        return _Told(total, lambda *_: None)
    return _Bar(total, label) if sys.stderr.isatty() else _Lines(total, label)


class _Bar:
    """A progress bar on a terminal, for runs longer than two seconds."""

    def __init__(self, total: int, label: str) -> None:
        self._total = total
        self._label = label
        self._done = 0
        self._bar: Any = None
        self._due = time.perf_counter() + BAR_SECONDS

    def move(self, cells: int, standing: str = "") -> None:
        self._done += cells
        if standing and self._bar is not None:
            self._bar.set_postfix_str(standing)
        if self._bar is not None:
            self._bar.update(cells)
        elif time.perf_counter() > self._due:
            from tqdm import tqdm

            self._bar = tqdm(total=self._total, initial=self._done, desc=self._label, unit="cell", leave=False)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _Lines:
    """``lasso_rate: 1200 of 7200 cells (17%), about 4 min left``, every 30 s."""

    def __init__(self, total: int, label: str) -> None:
        self._total = total
        self._label = label
        self._done = 0
        self._started = self._said = time.monotonic()

    def move(self, cells: int, standing: str = "") -> None:
        self._done += cells
        now = time.monotonic()
        if now - self._said >= LINE_SECONDS:
            self._said, share = now, self._done / self._total
            line = f"{self._label}: {self._done} of {self._total} cells ({share:.0%})"
            say(sys.stderr, line + forecast(share, now - self._started) + (f"; {standing}" if standing else ""))

    def close(self) -> None:
        pass


class _Told:
    """Hands the progress on."""

    def __init__(self, total: int, tell: Progress) -> None:
        self._total = total
        self._tell = tell
        self._done = 0

    def move(self, cells: int, standing: str = "") -> None:
        self._done += cells
        self._tell(self._done, self._total)

    def close(self) -> None:
        pass


def forecast(share: float, seconds: float) -> str:
    """`, about 4 min left`, where ``share`` of all took so long; nothing while next to nothing is done."""
    return f", about {spell(seconds * (1 / share - 1))} left" if share >= FORECAST_FROM else ""


def say(stream: TextIO, line: str) -> None:
    """A line at once; nobody may read it any more."""
    try:
        stream.write(f"{line}\n")
        stream.flush()
    except (OSError, ValueError):
        pass


def spell(seconds: float) -> str:
    """A length of time in one or two words."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
