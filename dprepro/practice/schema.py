"""The public schema of a table: what is known of each column without looking at its values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Literal

from dprepro import typed
from dprepro.errors import InputError
from dprepro.yaml_files import load

DPREPRO_READS = ()  # see practice.table

LARGEST = 1e150
"""Of a range's ends: their difference and its square are still numbers."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
PLACEHOLDER = "FILL IN"
"""What a draft holds in the place of public knowledge; a schema with it is refused."""


@dataclass(frozen=True)
class Column:
    """What is public about one column: a range of numbers or dates, or a list of categories.

    Attributes:
        range: [low, high], in the column's own unit; for dates in days since ``since``.
        categories: all values that may occur, as texts or numbers.
        since: a public day, YYYY-MM-DD; the column holds dates, read as days since then.
        until: a later one, which stands for the range from 0 to it.
        outside: what becomes of a value outside: ``clip`` to the range (a category: none of them), ``drop`` the
            record, or ``error``.
        missing: what becomes of a missing value: ``error``, ``drop`` the record, ``fill`` by a public value, or
            ``indicator``: filled, with a column more that says so.
        fill: the public value; the middle of the range, or no category, where it is not given.
        above: of a target: a public threshold in its range that makes two classes of it, +1 above and -1 otherwise.
    """

    range: Sequence[float] = ()
    categories: Sequence[str | float] = ()
    since: str = ""
    until: str = ""
    outside: Literal["clip", "drop", "error"] = "clip"
    missing: Literal["error", "drop", "fill", "indicator"] = "error"
    fill: float | str | None = None
    above: float | None = None

    def __post_init__(self) -> None:
        if self.until:
            if self.range or not self.since:
                raise InputError("until stands beside since, in the place of a range")
            days = (_day("until", self.until) - _day("since", self.since)).days
            if days < 1:
                raise InputError(f"until must be after since={self.since}, got until={self.until}")
            object.__setattr__(self, "range", (0, days))
        if bool(self.range) == bool(self.categories):
            raise InputError("a column needs either a public range or a public list of categories")
        if self.range and not (len(self.range) == 2 and -LARGEST <= self.range[0] < self.range[1] <= LARGEST):
            raise InputError(
                f"range must be [low, high] with low < high, of at most {LARGEST:g} in size, got {list(self.range)}"
            )
        words = [word_of(one) for one in self.categories]
        if len(set(words)) < len(words) or len(words) == 1:
            raise InputError(f"categories must be at least two different values, got {words}")
        if self.since:
            if self.categories:
                raise InputError("dates have a range of days, not categories")
            _day("since", self.since)
        if self.fill is not None:
            self._check_fill(words)
        if self.above is not None and not (self.range and self.range[0] <= self.above < self.range[1]):
            raise InputError(
                f"above must be a number in the range {list(self.range)} below its end, got {self.above:g}"
            )

    def _check_fill(self, words: list[str]) -> None:
        if self.missing not in ("fill", "indicator"):
            raise InputError(f"fill={self.fill} is used with missing=fill or missing=indicator, not {self.missing}")
        if self.categories:
            if word_of(self.fill) not in words:
                raise InputError(f"fill must be one of the categories {', '.join(words)}, got {self.fill}")
        elif not (isinstance(self.fill, int | float) and self.range[0] <= self.fill <= self.range[1]):
            raise InputError(f"fill must be a number in the range {list(self.range)}, got {self.fill}")

    @property
    def words(self) -> list[str]:
        """The categories as texts."""
        return [word_of(one) for one in self.categories]

    @property
    def filling(self) -> float:
        """The number that takes a missing value's place."""
        return float(self.fill) if self.fill is not None else 0.5 * (self.range[0] + self.range[1])


@dataclass(frozen=True)
class Schema:
    """The columns of a table that are used, by name, and which of them is to be predicted.

    A numeric target is a regression; one of two categories is a classification, the second of which is +1, and so is
    one with a threshold (`Column.above`).
    """

    target: str = ""
    columns: Mapping[str, Column] = field(default_factory=dict)
    intercept: bool = True

    def __post_init__(self) -> None:
        if not self.target:
            raise InputError("target names no column; give the one to be predicted")
        if self.target not in self.columns:
            raise InputError(f"the target {self.target} has no entry among the columns")
        if not self.features:
            raise InputError("no feature is left; describe at least one column besides the target")
        found = self.columns[self.target]
        if found.categories and len(found.categories) != 2:
            raise InputError(f"a target of categories needs two of them, {self.target} has {len(found.categories)}")
        if found.missing in ("fill", "indicator"):
            raise InputError(f"a missing {self.target} cannot be predicted: missing must be drop or error")
        if split := [name for name in self.features if self.columns[name].above is not None]:
            raise InputError(f"above makes classes of the target, and {split[0]} is a feature")

    @property
    def features(self) -> tuple[str, ...]:
        """The columns to predict from, in order."""
        return tuple(name for name in self.columns if name != self.target)

    @property
    def classification(self) -> bool:
        """Whether the target is a class."""
        target = self.columns[self.target]
        return bool(target.categories) or target.above is not None

    @property
    def names(self) -> tuple[str, ...]:
        """Of the encoded features: the intercept, then each column's, categories and indicators by ``=``."""
        found = ["intercept"] if self.intercept else []
        for name in self.features:
            column = self.columns[name]
            found += [f"{name}={word}" for word in column.words] or [name]
            found += [f"{name}=missing"] if column.missing == "indicator" else []
        return tuple(found)

    @property
    def p(self) -> int:
        """How many features there are after encoding."""
        return len(self.names)

    @property
    def squared_length(self) -> float:
        """max ||x||_2^2 of an encoded record, whose entries are in [-1, 1]: at most one category of a column is 1."""
        indicators = sum(self.columns[name].missing == "indicator" for name in self.features)
        return float(len(self.features) + indicators + int(self.intercept))

    def scale(self) -> float:
        """Units of the target per unit of the encoded label in [-1, 1]."""
        column = self.columns[self.target]
        return 1.0 if self.classification else 0.5 * (column.range[1] - column.range[0])


def _day(key: str, text: str) -> date:
    try:
        if not _DAY.fullmatch(text):
            raise ValueError
        return date.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"{key} must be a day like 2020-01-31, got {text!r}") from error


def word_of(value: object) -> str:
    """A category as text: 1, 1.0 and "1" are one."""
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value).strip()


def load_schema(path: str) -> Schema:
    """A schema from a YAML file.

    Raises:
        InputError: the file cannot be read, still has places to fill in, or breaks a rule; named with the place.
    """
    try:
        file = Path(path).expanduser()
        about = file.stat()
    except (OSError, RuntimeError, ValueError) as error:  # nobody's home, a NUL
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read the schema {path}: {reason}") from error
    return _schema(file, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=8)  # every cell of an experiment asks for it, and reading YAML takes milliseconds
def _schema(path: Path, _time: int, _size: int) -> Schema:
    found = load(path)
    if not isinstance(found, dict):
        raise InputError(f"the schema {path} must have the keys target and columns")
    if places := list(dict.fromkeys(_unfilled(found, ""))):
        more = f" and {len(places) - 1} more places" if len(places) > 1 else ""
        raise InputError(
            f"the schema {path} still has {PLACEHOLDER!r} at {places[0]}{more}: public knowledge belongs there"
        )
    return typed.build(Schema, found, str(path))


def _unfilled(found: object, place: str) -> list[str]:
    if isinstance(found, Mapping):
        return [one for key, inner in found.items() for one in _unfilled(inner, f"{place}.{key}".lstrip("."))]
    if isinstance(found, list):
        return [one for inner in found for one in _unfilled(inner, place)]
    return [place] if isinstance(found, str) and PLACEHOLDER in found else []
