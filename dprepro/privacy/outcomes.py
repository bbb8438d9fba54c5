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
"""So many kinds are told apart by all that they say, more without the words that differ most, or by the first word."""

ANY = "*"
"""Stands for a word of an error that is another one each time."""


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


def outcomes(first: Answers, second: Answers, halves: bool = False) -> Told:
    """See the class.

    Args:
        first, second: answers on two data sets.
        halves: whether kinds are those of the first halves alone, so that the others may be counted.

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
    said = [[_kind(answer, size) for answer in some] for some in (first, second)]
    kinds = _kinds({word for some in said for word in (some[: len(some) // 2] if halves else some)} - {""})
    found = [
        np.array([_row(answer, word, size, kinds) for answer, word in zip(some, words, strict=True)])
        for some, words in zip((first, second), said, strict=True)
    ]
    return Told(found[0], found[1], kinds)


def same_error(first: Answers, second: Answers) -> bool:
    """Whether all that is answered on both data sets is one and the same error: nothing is told."""
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return False
    said = {answer.words if isinstance(answer, Refused) else "" for answer in (*first, *second)}
    return len(said) == 1 and "" not in said


def as_row(answer: Answer, size: int, kinds: tuple[str, ...]) -> FloatArray:
    """One answer as `outcomes` writes it: ``size`` numbers, and a column for each of the ``kinds`` that are none."""
    return _row(answer, _kind(answer, size), size, kinds)


def _row(answer: Answer, word: str, size: int, kinds: tuple[str, ...]) -> FloatArray:
    row = np.zeros(size + len(kinds))
    if not word:
        row[:size] = np.asarray(answer)
    elif (kind := next((kind for kind in kinds if _is_of(word, kind)), None)) is not None:
        row[size + kinds.index(kind)] = 1.0
    return row


def _kinds(said: set[str]) -> tuple[str, ...]:
    """Kinds, of which each that was said is one: what was said, as a whole where that is not too much.

    Else words that differ too often at their place, as a number with noise in an error's text, are left open; where
    even that is too much, all but the first word is.
    """
    if len(said) > MOST_KINDS:
        patterns = set()
        for length in {len(text.split(" ")) for text in said}:
            texts = [text.split(" ") for text in said if text.count(" ") == length - 1]
            alike: dict[str, list[list[str]]] = {}
            for text in texts:
                alike.setdefault(text[0], []).append(text)
            for some in alike.values():
                many = [len(set(column)) > MOST_KINDS for column in zip(*some, strict=True)]
                patterns |= {
                    " ".join(ANY if is_open else word for word, is_open in zip(text, many, strict=True))
                    for text in some
                }
        said = patterns if len(patterns) <= MOST_KINDS else {text.partition(":")[0] for text in said}
    return tuple(sorted(said))


def _is_of(word: str, kind: str) -> bool:
    """Whether what was said is of the kind."""
    if kind in (word, word.partition(":")[0]):
        return True
    said, open_words = word.split(" "), kind.split(" ")
    return len(said) == len(open_words) and all(two in (one, ANY) for one, two in zip(said, open_words, strict=True))


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
