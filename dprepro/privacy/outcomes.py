"""Answers that are no numbers: every kind of them is an outcome of its own, which a distinguisher sees.

An algorithm that answers NaN, or refuses, on one of two data sets alone has told them apart, whatever its numbers say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]

HUGE = 1e150
"""Numbers beyond it are a kind of their own: their squares are no numbers."""

MOST_KINDS = 16
"""So many kinds are told apart by all that they say, more only by the first word of it."""


@dataclass(frozen=True)
class Refused:
    """No answer but an error."""

    error: Exception

    @property
    def words(self) -> str:
        """What whoever asked is told."""
        return f"{type(self.error).__name__}: {self.error}"


Answer: TypeAlias = FloatArray | Refused
Answers: TypeAlias = FloatArray | Sequence[Answer]
"""Of shape (draws, q), or one by one where some are none."""


@dataclass(frozen=True)
class Told:
    """Answers on two data sets as finite numbers, shape (draws, q + kinds) each.

    Attributes:
        first, second: q numbers an answer, all 0 where it is none, and then for each kind 1 where it is of that kind.
        kinds: of answers that are no numbers, in words.
    """

    first: FloatArray
    second: FloatArray
    kinds: tuple[str, ...] = ()


def answered(solve: Callable[[], FloatArray]) -> Answer:
    """The answer, or the error that stands in its place; signals are neither."""
    try:
        return solve()
    except Exception as error:
        return Refused(error)


def outcomes(first: Answers, second: Answers) -> Told:
    """See the class.

    Raises:
        Exception: that of the first answer, where there is none on either data set and all say the same.
    """
    if all(isinstance(some, np.ndarray) and _plain(some) for some in (first, second)):
        return Told(np.asarray(first), np.asarray(second))
    numbers = [answer for some in (first, second) for answer in some if isinstance(answer, np.ndarray)]
    if not numbers:
        refused = [answer for some in (first, second) for answer in some if isinstance(answer, Refused)]
        if len({answer.words for answer in refused}) == 1:
            raise refused[0].error
    size = numbers[0].size if numbers else 0
    words = [[_kind(answer, size) for answer in some] for some in (first, second)]
    if len({word for some in words for word in some}) > MOST_KINDS:
        words = [[word.partition(":")[0] for word in some] for some in words]
    kinds = tuple(sorted({word for some in words for word in some if word}))
    found = []
    for some, said in zip((first, second), words, strict=True):
        table = np.zeros((len(said), size + len(kinds)))
        for row, answer, word in zip(table, some, said, strict=True):
            if word:
                row[size + kinds.index(word)] = 1.0
            else:
                row[:size] = np.asarray(answer)
        found.append(table)
    return Told(found[0], found[1], kinds)


def same_error(first: Answers, second: Answers) -> bool:
    """Whether all that is answered on both data sets is one and the same error: nothing is told."""
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return False
    said = {answer.words if isinstance(answer, Refused) else "" for answer in (*first, *second)}
    return len(said) == 1 and "" not in said


def as_row(answer: Answer, size: int, kinds: tuple[str, ...]) -> FloatArray:
    """One answer as `outcomes` writes it: ``size`` numbers, and a column for each of the ``kinds`` that are none."""
    row = np.zeros(size + len(kinds))
    word = _kind(answer, size)
    if not word:
        row[:size] = np.asarray(answer)
    elif word in kinds or word.partition(":")[0] in kinds:
        row[size + kinds.index(word if word in kinds else word.partition(":")[0])] = 1.0
    return row


def _plain(values: FloatArray) -> bool:
    return bool(np.all(np.abs(values) < HUGE))  # false for NaN


def _kind(answer: Answer, size: int) -> str:
    """What kind of answer that is no number, in words; empty for numbers."""
    if isinstance(answer, Refused):
        return answer.words
    if answer.size != size:
        return f"another length: {answer.size}"
    if _plain(answer):
        return ""
    names = [f"{value:g}" if not np.isfinite(value) else "huge" if abs(value) >= HUGE else "." for value in answer]
    return f"no numbers: {' '.join(names)}"
