"""What each value of a column is, by the column's rule alone: a number, a category, or why it is none.

Texts of CSV files and the typed values of Parquet files follow the same rule. A type of a file's column is read from
its declaration, never from its values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from dprepro.errors import InputError
from dprepro.practice.reading import Values
from dprepro.practice.schema import FALSE, MISSING, NUMBER, TRUE, Column, is_number, number_in, plain, word_of

if TYPE_CHECKING:
    from dprepro.problems.problem_data import FloatArray, IntArray

Read = TypeVar("Read")

RAW = "(counted in the raw table, not private)"

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:$|[T ][0-9])")

_GROUPED = re.compile("[+-]?[0-9]{1,3}(?:[,.' _\u2019\u00a0\u202f][0-9]{3})+(?:[.,][0-9]*)?")
"""Numbers with marks between thousands."""

GONE, WRONG, ENDLESS = -1, -2, -3
"""Of a value that was not read: it is missing, not of its type, or infinite."""


def unreadable(raw: Values, rule: Column, where: str, status: IntArray, decimal: str) -> str:
    """What is said of values that are not of their column's type, and what to type."""
    count, endless = int((status <= WRONG).sum()), int((status == ENDLESS).sum())
    of = f"{count} of its {len(status)} values are"
    take = "mend them, or write unreadable: missing to take them as missing"
    if rule.type == "boolean":
        other = "or give its two words as categories, or numbers a range"
        return f"{where} is not boolean: {of} neither true nor false {RAW}; {take}, {other}"
    if rule.type == "date":
        return f"{where} is not a column of dates like 2020-01-31, without time zones: {of} none {RAW}; {take}"
    if endless == count:
        return f"{where} has {count} infinite values {RAW}; {take}"
    other = "," if decimal == "." else "."
    wrong = [text.strip() for text, said in zip(raw.texts or (), status, strict=False) if said == WRONG]
    if wrong and all(map(_GROUPED.fullmatch, wrong)):
        or_decimal = f', or write decimal: "{other}" into the schema' if all(is_number(w, other) for w in wrong) else ""
        return (f"{where} is not numeric: {of} no numbers {RAW}; take out the marks between thousands, as in 1000 for "
                f"1,000{or_decimal}")  # fmt: skip
    if wrong and all(is_number(text, other) for text in wrong):
        return f'{where} is not numeric: {of} no numbers {RAW}; write decimal: "{other}" into the schema to read them'
    return (
        f"{where} is not numeric: {of} no numbers {RAW}; {take}, or give a list of categories, or since: a public day "
        "for dates"
    )


def read_values(raw: Values, rule: Column, where: str, decimal: str) -> tuple[FloatArray, IntArray]:
    """Numbers (of categories: their places in the list, -1 for none), and `GONE`, `WRONG` or `ENDLESS` below zero."""
    if raw.array is not None:
        return _read_array(raw.array, rule, where, decimal)
    assert raw.texts is not None
    if rule.type == "number" and not rule.categories and not rule.missing_words:
        return _plain_numbers(raw.texts, rule, decimal)
    return _each(raw.texts, _text_rule(rule, decimal))


def _text_rule(rule: Column, decimal: str) -> Callable[[Any], tuple[float, int]]:
    """What a text is: a number and 0, or why it is none."""
    numeric = rule.type == "number"
    words: dict[Any, int] = {(number_in(word) if numeric else word): place for place, word in enumerate(rule.words)}
    first = datetime.fromisoformat(rule.since) if rule.since else datetime.min

    def read(text: str | None) -> tuple[float, int]:
        word = "" if text is None else plain(text)
        if text is None or rule.says_missing(word):
            return 0.0, GONE
        if rule.type == "boolean":
            lower = word.lower()
            return (float(lower in TRUE), 0) if lower in TRUE | FALSE else (0.0, WRONG)
        if rule.type == "date":
            return _days(word, first)
        if rule.categories:
            if not numeric:
                return float(words.get(word, -1)), 0
            number = number_in(word, decimal)
            return (0.0, WRONG) if number is None else (float(words.get(number, -1)), 0)
        if is_number(word, decimal):
            return float(word.replace(decimal, ".")), 0  # beyond all floats it is infinite, and clipped
        return 0.0, ENDLESS if word.lower().lstrip("+-") in ("inf", "infinity") else WRONG

    return read


def _days(word: str, first: datetime) -> tuple[float, int]:
    """Days since the first one, of a day like 2020-01-31 that may have a time and has no zone."""
    if not _DAY.match(word):
        return 0.0, WRONG
    try:
        found = datetime.fromisoformat(word)
        return (0.0, WRONG) if found.tzinfo else ((found - first).total_seconds() / 86400, 0)
    except ValueError:
        return 0.0, WRONG


def _plain_numbers(texts: Sequence[str], rule: Column, decimal: str) -> tuple[FloatArray, IntArray]:
    """As the rule of every text; most are numbers, without spaces or words for missing among them, and quickly read."""
    numeric = [found is not None for found in map(NUMBER[decimal].fullmatch, texts)]
    written = texts if decimal == "." else [text.replace(decimal, ".") for text in texts]
    numbers = np.array([float(text) if is_one else 0.0 for text, is_one in zip(written, numeric, strict=True)])
    status, other = np.zeros(len(texts), dtype=np.intp), np.flatnonzero(~np.array(numeric))
    numbers[other], status[other] = _each([texts[int(place)] for place in other], _text_rule(rule, decimal))
    return numbers, status


def _each(values: Sequence[Read], rule: Callable[[Read], tuple[float, int]]) -> tuple[FloatArray, IntArray]:
    """The rule of every value; each different one is read once."""
    known = {value: rule(value) for value in dict.fromkeys(values)}
    numbers = np.fromiter((known[value][0] for value in values), np.float64, len(values))
    return numbers, np.fromiter((known[value][1] for value in values), np.intp, len(values))


def _read_array(array: Any, rule: Column, where: str, decimal: str) -> tuple[FloatArray, IntArray]:
    """As `read_values`, of an Arrow array; its type and the rule's must fit, whatever its values are."""
    import pyarrow as pa
    import pyarrow.types as kinds

    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if isinstance(array, pa.ChunkedArray):  # of no chunks
        array = pa.array([], array.type)
    if kinds.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = array.type
    if kinds.is_null(kind):
        return np.zeros(len(array)), np.full(len(array), GONE)
    if str(kind) in ("string", "large_string", "string_view"):
        return _each(array.to_pylist(), _text_rule(rule, decimal))
    refused = InputError(f"{where} has the type {kind}, which cannot be read as {rule.type}: save it as another type")
    if kinds.is_date(kind) or kinds.is_timestamp(kind):
        if rule.type not in ("date", "text"):
            raise refused
        if getattr(kind, "tz", None):
            raise InputError(f"{where} has dates with the time zone {kind.tz}; save them without one")
        if rule.type == "text":
            return _each([None if day is None else str(day) for day in array.to_pylist()], _text_rule(rule, decimal))
        gone = np.asarray(array.is_null())
        days = array.to_numpy(zero_copy_only=False).astype("datetime64[us]")  # in nanoseconds 1677 is beyond all days
        found = np.where(gone, 0.0, (days - np.datetime64(rule.since, "us")) / np.timedelta64(1, "D"))
        return found, np.where(gone, GONE, 0)
    known = kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_boolean(kind) or kinds.is_decimal(kind)
    if not known or rule.type == "date":
        raise refused
    if rule.categories or rule.type == "boolean" or rule.missing_words:
        single = kinds.is_float32(kind) or kinds.is_float16(kind)
        return _each(_exact(array.to_pylist(), single), _exact_rule(rule, where))
    return _numbers(array)


def _numbers(array: Any) -> tuple[FloatArray, IntArray]:
    """The nearest floats."""
    import pyarrow.types as kinds

    gone = np.asarray(array.is_null())
    if kinds.is_decimal(array.type):
        numbers = np.array([0.0 if item is None else float(item) for item in array.to_pylist()], dtype=np.float64)
    else:
        plain = array.fill_null(False if kinds.is_boolean(array.type) else 0) if array.null_count else array
        numbers = plain.to_numpy(zero_copy_only=False).astype(np.float64)
    status = np.where(gone | np.isnan(numbers), GONE, np.where(np.isinf(numbers), ENDLESS, 0))
    return np.where(status < 0, 0.0, numbers), status


def _exact(values: Sequence[Any], single: bool) -> list[Any]:
    """Numbers as decimals of the digits that one would print; None, booleans and what is not finite as they are."""

    def exact(value: Any) -> Any:
        if isinstance(value, float):
            return Decimal(str(np.float32(value)) if single else repr(value)) if math.isfinite(value) else value
        return Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value

    return [exact(value) for value in values]


def _exact_rule(rule: Column, where: str) -> Callable[[Any], tuple[float, int]]:
    """What a number or boolean with a type is: 1, 1.0 and 01 of a list are one number, True and TRUE one boolean."""
    places: dict[Any, int] = {}
    for place, word in enumerate(rule.words):
        number, lower = number_in(word), word.lower()
        value = number if number is not None else {"true": True, "false": False}.get(lower, word)
        key = (isinstance(value, bool), value)
        if key in places:
            raise InputError(f"{where} holds numbers, of which {rule.words[places[key]]} and {word} are one: list one")
        places[key] = place
    absent = {number_in(word_of(word)) for word in rule.missing_words} - {None}

    def read(value: Any) -> tuple[float, int]:
        if value is None or value != value or (not isinstance(value, bool | float) and value in absent):
            return 0.0, GONE
        if isinstance(value, float):
            return 0.0, ENDLESS
        if rule.type == "boolean":
            return (float(value), 0) if value in (0, 1) else (0.0, WRONG)
        if rule.categories:
            return float(places.get((isinstance(value, bool), value), -1)), 0
        return float(value), 0

    return read


def units_of(raw: Values, where: str) -> list[str]:
    """The person of each row, as texts; raises InputError where nobody is named, or names have no exact text."""
    from pyarrow.types import is_nested

    values: Sequence[Any]
    if raw.array is None:
        assert raw.texts is not None
        values = [plain(text) for text in raw.texts]
    else:
        if is_nested(raw.array.type):
            raise InputError(f"{where}, the unit, has the type {raw.array.type}: save it as text or whole numbers")
        values = [None if value is None or value != value else plain(str(value)) for value in raw.array.to_pylist()]
    if lacking := sum(value is None or value in MISSING for value in values):
        raise InputError(f"{where}, the unit, is missing in {lacking} rows {RAW}; say in every row whose it is")
    return [str(value) for value in values]
