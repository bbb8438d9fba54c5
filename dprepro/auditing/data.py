"""What data sets an audited function takes: how many records, of what size, within which public bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dprepro.errors import InputError
from dprepro.privacy.outcomes import FloatArray

MOST_NUMBERS = 10_000_000
"""In the features of a data set; more are no small data set that is drawn from thousands of times."""


@dataclass(frozen=True)
class Data:
    """A data set: ``X`` of shape (n, p), or (n,) where records are single numbers, and labels ``y`` of shape (n,)."""

    X: FloatArray
    y: FloatArray | None = None

    @property
    def code(self) -> str:
        """The data set as expressions of Python, one for each argument of the function."""
        arrays = [self.X] if self.y is None else [self.X, self.y]
        return ", ".join(f"np.array({array.tolist()!r})" for array in arrays)


@dataclass(frozen=True)
class DataDomain:
    """What is public about the data.

    Attributes:
        n: records of a data set; under add_or_remove_one the larger of two neighbours has so many, or others that the
            search tries.
        p: features of a record; 0 where a record is a single number, and X has shape (n,).
        low, high: bounds of every feature.
        norm: the largest Euclidean norm of a record's features; infinite where there is none.
        labels: the values that y may take, or, of two numbers with ``interval``, its bounds; empty without y.
        interval: whether labels are any number between the two that are given.
        in_order: whether the order of the records is a part of the data, so that neighbours have the same; else they
            are multisets of records, in any order.

    Raises:
        InputError: an empty range, no records or too many, labels that are none.
    """

    n: int = 20
    p: int = 0
    low: float = 0.0
    high: float = 1.0
    norm: float = math.inf
    labels: tuple[float, ...] = ()
    interval: bool = False
    in_order: bool = False

    def __post_init__(self) -> None:
        if self.n < 1 or self.p < 0:
            raise InputError(f"a data set needs n >= 1 records of p >= 0 features, got n={self.n} p={self.p}")
        if self.n * self.width > MOST_NUMBERS:
            raise InputError(f"a data set of n={self.n} p={self.p} is too large; n * p may be {MOST_NUMBERS} at most")
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InputError(f"x must be a range LOW..HIGH, got {self.low:g}..{self.high:g}")
        if not self.norm > 0:
            raise InputError(f"norm must be positive, got norm={self.norm:g}")
        if math.sqrt(self.width) * max(self.low, -self.high, 0.0) > self.norm:
            raise InputError(f"no record within {self.low:g}..{self.high:g} has a norm of at most {self.norm:g}")
        if len(self.labels) == 1 or (self.interval and len(self.labels) != 2):
            raise InputError("y must be none, two or more values as -1|1, or a range as -1..1")
        ascending = len(self.labels) < 2 or not self.interval or self.labels[0] < self.labels[1]
        if not (all(map(math.isfinite, self.labels)) and len({*self.labels}) == len(self.labels) and ascending):
            said = (".." if self.interval else "|").join(f"{label:g}" for label in self.labels)
            raise InputError(f"y must be finite values that differ, as -1|1, or a range LOW..HIGH, got y={said}")

    @property
    def width(self) -> int:
        """Numbers in the features of a record."""
        return max(self.p, 1)

    def record(self, features: FloatArray, label: float | None = None) -> tuple[FloatArray, float]:
        """The nearest record of the domain: features, shape (width,), clipped and scaled; and the label."""
        clipped = np.clip(features, self.low, self.high)
        size = float(np.linalg.norm(clipped))
        if size > self.norm:
            clipped = clipped * (self.norm / size)
        return clipped, self.labels[-1] if label is None and self.labels else float(label or 0.0)

    def data(self, records: list[tuple[FloatArray, float]]) -> Data:
        """The data set of these records."""
        features = np.array([record for record, _ in records], dtype=np.float64).reshape(len(records), self.width)
        labels = np.array([label for _, label in records], dtype=np.float64) if self.labels else None
        return Data(features if self.p else features[:, 0], labels)

    @classmethod
    def parse(cls, text: str) -> DataDomain:
        """The domain of words such as ``n=20 p=3 x=-1..1 norm=1 y=-1|1``.

        Raises:
            InputError: a word that is none of these, with what to type.
        """
        found: dict[str, object] = {}
        said: dict[str, str] = {}
        for word in text.replace(",", " ").split():
            name, equals, value = word.partition("=")
            if not equals or name not in ("n", "p", "x", "norm", "y", "order"):
                raise InputError(f'domain: {word!r} is not understood; type domain="n=20 p=3 x=-1..1 norm=1 y=-1|1"')
            if name in said:
                raise InputError(f"domain: {name} is said twice, {name}={said[name]} and {word}")
            said[name] = value
            if name in ("n", "p"):
                if not (value.isascii() and value.isdigit()):
                    raise InputError(f"domain: {name} must be a whole number, got {word}")
                found[name] = int(value)
            elif name == "norm":
                found[name] = _number(word, value)
            elif name == "order":
                if value not in ("any", "fixed"):
                    raise InputError(f"domain: order must be any or fixed, got {word}")
                found["in_order"] = value == "fixed"
            elif name == "x":
                found["low"], found["high"] = _range(word, value)
            elif value != "none":
                found["interval"] = ".." in value
                found["labels"] = (
                    _range(word, value) if ".." in value else tuple(_number(word, part) for part in value.split("|"))
                )
        return cls(**found)  # type: ignore[arg-type]


def _range(word: str, value: str) -> tuple[float, float]:
    low, dots, high = value.partition("..")
    if not dots or high.startswith("."):
        raise InputError(f"domain: {word!r} is no range; type, for example, x=-1..1")
    return _number(word, low), _number(word, high)


def _number(word: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise InputError(f"domain: {value!r} in {word!r} is no number") from None
