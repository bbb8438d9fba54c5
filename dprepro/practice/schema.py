"""The public schema of a table: what is known of each column without looking at its values."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Literal
from unicodedata import normalize

from dprepro.errors import InputError
from dprepro.support import typed
from dprepro.support.frozen import normalise
from dprepro.support.yaml_files import load

DPREPRO_READS = ()  # see practice.table

LARGEST = 1e150
"""Of a range's ends: their difference and its square are still numbers."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
PLACEHOLDER = "FILL IN"
"""What a draft holds in the place of public knowledge; a schema with it is refused."""

MISSING = frozenset({
    "", "#N/A", "#NA", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "na", "nan", "null", "-nan", "-NaN",
})  # fmt: skip
"""Words that say that a value is missing, unless they are among a column's categories."""

TRUE, FALSE = frozenset({"true", "t", "yes", "y", "1"}), frozenset({"false", "f", "no", "n", "0"})
"""Words of a boolean, in lower case."""

VERBATIM = frozenset({"categories", "fill", "missing_words", "target", "unit", "separator", "decimal", "encoding"})
"""Keys of a schema's file below which words stay as they are written."""


@dataclass(frozen=True)
class Column:
    """What is public about one column, and so how each of its values is read, whatever the others are.

    Attributes:
        range: [low, high], in the column's own unit; for dates in days since ``since``.
        categories: all values that may occur, compared as texts (of type ``number``: as numbers).
        type: ``number``, ``text``, ``boolean`` or ``date``; by default dates where there is ``since``, text where there
            are categories, else numbers. A boolean needs nothing else: true, yes, t, y, 1 and false, no, f, n, 0 are
            its words, in any case, and it is encoded as 1 or -1.
        since: a public day, YYYY-MM-DD; the column holds dates, read as days since then.
        until: a later one, which stands for the range from 0 to it.
        outside: what becomes of a value outside: ``clip`` to the range (a category: none of them), ``drop`` the
            record, or ``error``. A target that is none of its categories is dropped under ``clip`` too.
        missing: what becomes of a missing value: ``error``, ``drop`` the record, ``fill`` by a public value, or
            ``indicator``: filled, with a column more that says so. Nothing and the words of `MISSING` are missing; a
            category of the list never is.
        missing_words: further words that say that a value is missing, such as -99.
        unreadable: whether a value that is not of the column's type is an ``error`` or taken as ``missing``. A number
            has digits, perhaps a sign, the schema's decimal mark and an exponent; it has no separators of thousands and
            is not infinite.
        fill: the public value (of dates a day, or how many since ``since``); the middle of the range, or no category,
            where it is not given.
        above: of a target: a public threshold in its range that makes two classes of it, +1 above and -1 otherwise.
    """

    range: Sequence[float] = ()
    categories: Sequence[str | float] = ()
    type: Literal["", "number", "text", "boolean", "date"] = ""
    since: str = ""
    until: str = ""
    outside: Literal["clip", "drop", "error"] = "clip"
    missing: Literal["error", "drop", "fill", "indicator"] = "error"
    missing_words: Sequence[str | float] = ()
    unreadable: Literal["error", "missing"] = "error"
    fill: float | str | None = None
    above: float | None = None

    def __post_init__(self) -> None:
        if self.until:
            if self.range or not self.since:
                raise InputError("until stands beside since, in the place of a range")
            days = (_day("until", self.until) - _day("since", self.since)).days
            if days < 1:
                raise InputError(f"until must be after since={self.since}, got until={self.until}")
            normalise(self, range=(0, days))
        self._check_type()
        if self.range and not (len(self.range) == 2 and -LARGEST <= self.range[0] < self.range[1] <= LARGEST):
            raise InputError(
                f"range must be [low, high] with low < high, of at most {LARGEST:g} in size, got {list(self.range)}"
            )
        if self.since:
            _day("since", self.since)
        self._check_categories()
        if self.fill is not None:
            self._check_fill()
        if self.above is not None and not (self.range and self.range[0] <= self.above < self.range[1]):
            raise InputError(
                f"above must be a number in the range {list(self.range)} below its end, got {self.above:g}"
            )

    def _check_type(self) -> None:
        """Settle the type, and raise InputError where the other keys do not fit it."""
        kind = self.type or ("date" if self.since else "text" if self.categories else "number")
        given = [key for key in ("range", "categories", "since", "above") if getattr(self, key) not in ((), "", None)]
        if kind == "boolean":
            if given and tuple(self.range) != (0, 1):
                raise InputError(f"a boolean needs no {given[0]}; leave it out, or leave out type: boolean")
            normalise(self, range=(0, 1))
        elif kind == "date":
            if self.categories:
                raise InputError("dates have a range of days, not categories")
            if not self.since or not self.range:
                raise InputError("dates need two public days: since: 2020-01-01, until: 2023-12-31")
        elif self.since:
            raise InputError(f"since is for dates; leave it out, or write type: date in the place of type: {kind}")
        elif kind == "text" and not self.categories:
            raise InputError("text needs a public list of categories")
        elif bool(self.range) == bool(self.categories):
            raise InputError("a column needs either a public range or a public list of categories")
        normalise(self, type=kind)

    def _check_categories(self) -> None:
        words, absent = self.words, {word_of(word) for word in self.missing_words}
        if len(set(words)) < len(words) or len(words) == 1:
            raise InputError(f"categories must be at least two different values, got {list(words)}")
        if both := [word for word in words if word in absent]:
            raise InputError(f"{both[0]!r} is a category and a missing word; it can be one of them only")
        if self.type == "number" and words:
            numbers = [number_in(word) for word in words]
            if None in numbers:
                raise InputError(
                    f"{words[numbers.index(None)]!r} is no number; leave out type: number to compare texts"
                )
            if len(set(numbers)) < len(numbers):
                raise InputError(f"categories must be different numbers, got {list(words)}")

    def _check_fill(self) -> None:
        if self.missing not in ("fill", "indicator"):
            raise InputError(f"fill={self.fill} is used with missing=fill or missing=indicator, not {self.missing}")
        if self.categories:
            if word_of(self.fill) not in self.words:
                raise InputError(f"fill must be one of the categories {', '.join(self.words)}, got {self.fill}")
            return
        value: float | str | Decimal | None = self.fill
        if isinstance(value, str):  # as the file has it
            if self.type == "date" and not is_number(value):
                value = (_day("fill", value) - _day("since", self.since)).days
            else:
                value = number_in(value) if self.type != "boolean" else _truth(value)
        if value is None or isinstance(value, str) or not self.range[0] <= value <= self.range[1]:
            kind = "a day" if self.type == "date" else "a number"
            raise InputError(f"fill must be {kind} in the range {list(self.range)}, got {self.fill}")
        normalise(self, fill=float(value))

    @property
    def words(self) -> tuple[str, ...]:
        """The categories as texts."""
        return tuple(word_of(category) for category in self.categories)

    @property
    def filling(self) -> float:
        """The number that takes a missing value's place."""
        return float(self.fill) if self.fill is not None else 0.5 * (self.range[0] + self.range[1])

    def says_missing(self, word: str) -> bool:
        """Whether a value, without spaces around it, is missing."""
        if word in MISSING:
            return word not in self.words
        return bool(self.missing_words) and word in {word_of(absent) for absent in self.missing_words}


@dataclass(frozen=True)
class Schema:
    """The columns of a table that are used, by name, and which of them is to be predicted.

    A numeric target is a regression; one of two categories is a classification, the second of which is +1, and so are a
    boolean (true is +1) and a number with a threshold (`Column.above`).

    Attributes:
        target: the column to be predicted. columns: what is public of each. intercept: whether 1 is a feature too.
        separator, decimal, encoding: of a CSV file. Without an encoding it is UTF-8, or UTF-16 with a byte order mark.
        unit: a column that says whose a row is. A record is then a unit, all rows of one person together: privacy, n
            and sizes are those of units (`practice.encoding`).
        rows_per_unit: a public limit: of a unit with more rows so many are kept, chosen at random; 0 is no limit.
    """

    target: str = ""
    columns: Mapping[str, Column] = field(default_factory=dict)
    intercept: bool = True
    separator: str = ","
    decimal: Literal[".", ","] = "."
    encoding: str = ""
    unit: str = ""
    rows_per_unit: int = 0

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
        if self.separator == "\\t":  # as one writes it without quotation marks
            normalise(self, separator="\t")
        check_separator(self.separator)
        check_encoding(self.encoding)
        if self.unit in self.columns:
            raise InputError(f"the unit {self.unit} says whose a row is; take it out of the columns")
        if self.rows_per_unit < 0 or (self.rows_per_unit and not self.unit):
            raise InputError(
                f"rows_per_unit={self.rows_per_unit} needs a unit, the column that says whose a row is"
                if self.rows_per_unit > 0
                else f"rows_per_unit must be at least 1, or 0 for no limit, got {self.rows_per_unit}"
            )

    @property
    def features(self) -> tuple[str, ...]:
        """The columns to predict from, in order."""
        return tuple(name for name in self.columns if name != self.target)

    @property
    def used(self) -> tuple[str, ...]:
        """All columns that are read."""
        return (*self.columns, *([self.unit] if self.unit else []))

    @property
    def classification(self) -> bool:
        """Whether the target is a class."""
        target = self.columns[self.target]
        return bool(target.categories) or target.above is not None or target.type == "boolean"

    @property
    def names(self) -> tuple[str, ...]:
        """Of the encoded features: the intercept, then each column's, categories by ``=``, and who is missing."""
        found = ["intercept"] if self.intercept else []
        for name in self.features:
            column = self.columns[name]
            found += [f"{name}={word}" for word in column.words] or [name]
            found += [f"{name} is missing"] if column.missing == "indicator" else []
        return tuple(found)

    @property
    def p(self) -> int:
        """How many features there are after encoding."""
        return len(self.names)

    @property
    def squared_length(self) -> float:
        """max ||x||_2^2 of an encoded record, whose entries are in [-1, 1]: at most one category of a column is 1.

        Of a unit's record, a mean of such rows, it is no larger: a ball is convex.
        """
        indicators = sum(self.columns[name].missing == "indicator" for name in self.features)
        return float(len(self.features) + indicators + int(self.intercept))

    def scale(self) -> float:
        """Units of the target per unit of the encoded label in [-1, 1]."""
        column = self.columns[self.target]
        return 1.0 if self.classification else 0.5 * (column.range[1] - column.range[0])


def check_separator(separator: str) -> None:
    """Raise InputError for a text that cannot stand between values."""
    if len(separator) != 1 or separator in "\"'\r\n.-+" or separator.isalnum():
        raise InputError(f'separator must be one character such as ",", ";", "|" or "\\t", got {separator!r}')


def check_encoding(encoding: str) -> None:
    """Raise InputError for an encoding that Python does not know, or that is none of texts."""
    try:
        known = not encoding or codecs.lookup(encoding)._is_text_encoding
    except (LookupError, ValueError):
        known = False
    if not known:
        raise InputError(
            f"unknown encoding {encoding!r}; for example: utf-8, utf-16, latin-1, cp1252, cp1250, shift_jis"
        )


def _day(key: str, text: str) -> date:
    try:
        if not _DAY.fullmatch(text):
            raise ValueError
        return date.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"{key} must be a day like 2020-01-31, got {text!r}") from error


def word_of(value: object) -> str:
    """A category as text; a schema that was not read from a file may have numbers: 1 and 1.0 are "1"."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return plain(str(value))


def plain(text: str) -> str:
    """Without spaces around it; a letter and its accent are one character, and a line ends in one, where they look so.

    Files from different systems write both in two ways.
    """
    text = text.strip()
    return text if text.isascii() and "\r" not in text else normalize("NFC", text.replace("\r\n", "\n"))


NUMBER = {
    mark: re.compile(rf"[+-]?(?:[0-9]+(?:{re.escape(mark)}[0-9]*)?|{re.escape(mark)}[0-9]+)(?:[eE][+-]?[0-9]{{1,5}})?")
    for mark in ".,"
}
"""What a number looks like, by the decimal mark."""


def number_in(text: str, decimal: str = ".") -> Decimal | None:
    """The number that a text is by the rule of `Column`, exactly; None where it is none."""
    return Decimal(text.replace(decimal, ".")) if is_number(text, decimal) else None


def is_number(text: str, decimal: str = ".") -> bool:
    """Whether a text without spaces around it is a number by the rule of `Column`."""
    return NUMBER[decimal].fullmatch(text) is not None


def _truth(word: str) -> Decimal | None:
    lower = word.lower()
    return Decimal(1) if lower in TRUE else Decimal(0) if lower in FALSE else None


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
    found = load(path, VERBATIM)
    if not isinstance(found, dict):
        raise InputError(f"the schema {path} must have the keys target and columns")
    if places := list(dict.fromkeys(_unfilled(found, ""))):
        more = f" and {len(places) - 1} more places" if len(places) > 1 else ""
        raise InputError(
            f"the schema {path} still has {PLACEHOLDER!r} at {places[0]}{more}: public knowledge belongs there"
        )
    _check_forms(found.get("columns"), path)
    return typed.build(Schema, found, str(path))


def _check_forms(columns: object, path: Path) -> None:
    """Raise InputError, with what to type, for ways to write a column that YAML reads as something else."""
    if not isinstance(columns, Mapping):
        return
    for name, rule in columns.items():
        where = f"{path}.columns.{name}"
        if not isinstance(rule, Mapping):
            raise InputError(
                f"{where} must say what is public of it, such as {{range: [0, 100]}}, {{categories: [a, b]}} or "
                f"{{type: boolean}}, got {rule}"
            )
        for key in ("categories", "missing_words", "range"):
            if key in rule and not isinstance(rule[key], list):
                more = [str(word) for word, value in rule.items() if value is None]
                written = ", ".join([str(rule[key]), *more]) if rule[key] is not None else "..."
                raise InputError(f"{where}.{key} must be a list in brackets: {key}: [{written}]")


def _unfilled(found: object, place: str) -> list[str]:
    if isinstance(found, Mapping):
        return [where for key, inner in found.items() for where in _unfilled(inner, f"{place}.{key}".lstrip("."))]
    if isinstance(found, list):
        return [where for inner in found for where in _unfilled(inner, place)]
    return [place] if isinstance(found, str) and PLACEHOLDER in found else []
