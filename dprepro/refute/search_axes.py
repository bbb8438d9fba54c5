"""The numbers that an attack may choose: their ranges, and the corners at which they are tried first."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dprepro.errors import InputError, unknown
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class Axis:
    """The values of one number.

    Attributes:
        low, high: the ends, both tried.
        usual: where it stays while others are moved; by default in the middle.
        corners: what is tried first besides the ends.
        log: whether the search divides the range geometrically; an end that is not positive stands for itself.
        whole: whether the values are whole numbers.

    Raises:
        InputError: ends that are no range, or a geometric range of which both ends are not positive.
    """

    low: float
    high: float
    usual: float | None = None
    corners: tuple[float, ...] = ()
    log: bool = True
    whole: bool = False

    def __post_init__(self) -> None:
        if not -math.inf < self.low <= self.high < math.inf:
            raise InputError(f"an axis needs finite ends, low <= high, got low={self.low:g}, high={self.high:g}")
        if self.log and not self.high > 0:
            raise InputError(f"a geometric axis needs a positive end, got high={self.high:g}")

    @property
    def middle(self) -> float:
        """Where it stays while others are moved."""
        return self.value(0.5) if self.usual is None else self.usual

    @property
    def first(self) -> tuple[float, ...]:
        """The corners: what is tried before anything else, `middle` left out."""
        every = dict.fromkeys((self.low, self.high, *self.corners))
        return tuple(value for value in every if value != self.middle)

    def value(self, place: float) -> float:
        """What stands at a place in [0, 1]."""
        low = self._least
        inner = low * (self.high / low) ** place if self.log else self.low + place * (self.high - self.low)
        if self.log and self.low <= 0 and place == 0:
            inner = self.low
        return float(round(inner)) if self.whole else float(min(max(inner, self.low), self.high))

    def place(self, value: float) -> float:
        """Where a value stands in [0, 1]; one outside stands at the nearer end."""
        if self.high == self.low:
            return 0.0
        inside = min(max(value, self._least if self.log else self.low), self.high)
        if self.log:
            return math.log(inside / self._least) / math.log(self.high / self._least)
        return (inside - self.low) / (self.high - self.low)

    @property
    def _least(self) -> float:
        return self.low if self.low > 0 else 1e-9 * self.high


STANDARD: Mapping[str, Axis] = {
    "n": Axis(1, 1e12, usual=1e4, corners=(2, 100, 1e6), whole=True),
    "p": Axis(1, 1e6, usual=10, corners=(2, 3, 100), whole=True),
    "epsilon": Axis(1e-6, 20, usual=1, corners=(0.1, 3)),
    "delta": Axis(1e-15, 0.5, usual=1e-6, corners=(0.1,)),
    "gamma": Axis(1e-12, 1, usual=0.05, corners=(0.9, 0.999)),
    "beta": Axis(1e-12, 1, usual=0.05, corners=(0.9, 0.999)),
    "norm": Axis(1e-3, 1e3, usual=1),
    "steps": Axis(1, 1e6, usual=100, corners=(2,), whole=True),
    "sparsity": Axis(1, 100, usual=2, whole=True),
}
"""Ranges by the names that the papers use; the corners are those at which proofs fail most."""


def axis(name: str, **changes: Any) -> Axis:
    """The standard axis of that name with some of its fields replaced; raises InputError for another name."""
    if name not in STANDARD:
        raise unknown("standard axis", name, STANDARD)
    return replace(STANDARD[name], **changes)


def corners(axes: Mapping[str, Axis], most: int, seed: int = 0) -> Iterator[dict[str, float]]:
    """The corners of a space, at most so many: all at their middles, then one moved, then two, then all at random.

    The order is the same for the same seed.
    """
    usual = {name: axis.middle for name, axis in axes.items()}
    yielded = 0
    for moved in range(min(2, len(axes)) + 1):
        every = [
            usual | dict(zip(names, values, strict=True))
            for names in itertools.combinations(axes, moved)
            for values in itertools.product(*(axes[name].first for name in names))
        ]
        if moved == 2 and len(every) > most - yielded:  # rather some of all pairs than all of the first
            order = np.random.default_rng(seed).permutation(len(every))
            every = [every[index] for index in order]
        kept = every[: most - yielded]
        yield from kept
        yielded += len(kept)
    rng, tried = np.random.default_rng([seed, 1]), 0
    while len(axes) > 2 and yielded < most and tried < 2 * most:
        tried += 1
        yielded += 1
        yield {name: _drawn((*axis.first, axis.middle), rng) for name, axis in axes.items()}


def values_at(axes: Mapping[str, Axis], place: FloatArray) -> dict[str, float]:
    """The numbers at a place of the unit cube, shape (axes,)."""
    return {name: axis.value(float(at)) for (name, axis), at in zip(axes.items(), place, strict=True)}


def place_of(axes: Mapping[str, Axis], numbers: Mapping[str, float]) -> FloatArray:
    """Where numbers stand in the unit cube."""
    return np.array([axis.place(numbers[name]) for name, axis in axes.items()])


def _drawn(values: Sequence[float], rng: np.random.Generator) -> float:
    return float(values[int(rng.integers(len(values)))])
