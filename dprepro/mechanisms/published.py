"""What the mechanisms of one run publish: noted, and given again to a run on other data.

An account composes mechanisms, and holds against whoever sees all that they publish, not the answer alone. That
transcript has a known probability on every data set, so what it reveals can be computed where it cannot be counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np

Output = TypeVar("Output")


class Noisy(Protocol):
    """A mechanism whose law is known."""

    def log_chance(self, value: Any, output: Any) -> float:
        """ln of the probability, or density, of an output where the data say ``value``."""


@dataclass
class Transcript:
    """All that mechanisms published in one run, in order.

    Attributes:
        given: outputs of another run that stand in the place of this run's own.
        mechanisms: by which it was published.
        outputs: what was published. values: what the data said there, before noise.
        log_chance: ln of the probability of these outputs on this run's data, each given those before it.
    """

    given: Sequence[Any] = ()
    mechanisms: list[Noisy] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    log_chance: float = 0.0

    def add(self, mechanism: Noisy, value: Any, output: Output) -> Output:
        """Note one output, or the one that is given for it, which is returned."""
        at = len(self.outputs)
        if at < len(self.given):
            output = self.given[at]
        self.mechanisms.append(mechanism)
        self.outputs.append(output)
        self.values.append(np.copy(value))
        self.log_chance += mechanism.log_chance(value, output)
        return output


_open: ContextVar[Transcript | None] = ContextVar("_open", default=None)


@contextmanager
def noted(given: Sequence[Any] = ()) -> Iterator[Transcript]:
    """Within it all that mechanisms publish is noted; ``given`` outputs replace theirs.

    The noise of those is drawn all the same, so that other draws from the same generator stay what they were.
    """
    token = _open.set(Transcript(given))
    try:
        found = _open.get()
        assert found is not None
        yield found
    finally:
        _open.reset(token)


def transcribed() -> bool:
    """Whether a transcript is being written, or read."""
    return _open.get() is not None


def published(mechanism: Noisy, value: Any, output: Output) -> Output:
    """What a mechanism publishes: ``output``, unless a transcript gives another."""
    transcript = _open.get()
    return output if transcript is None else transcript.add(mechanism, value, output)
