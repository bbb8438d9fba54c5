"""The answer of an algorithm that selects coordinates: a support, for the best point that is zero elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dprepro.errors import InputError
from dprepro.support.frozen import normalise

IntArray: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SupportPoint:
    """A set of coordinates: the answer reveals their numbers and nothing else.

    Attributes:
        chosen: their numbers, ascending and distinct, shape (s,).

    Raises:
        InputError: where they are not whole, negative, or twice the same.
    """

    chosen: IntArray

    def __post_init__(self) -> None:
        normalise(self, chosen=ascending(self.chosen))


def ascending(numbers: ArrayLike) -> IntArray:
    """Numbers of coordinates in their order; raises InputError as `SupportPoint`."""
    given = np.sort(np.asarray(numbers).astype(np.int64, casting="same_kind"))
    if given.ndim != 1 or (given.size and given[0] < 0) or (np.diff(given) == 0).any():
        raise InputError(f"a support holds distinct numbers of at least 0, got {given.tolist()}")
    return given
