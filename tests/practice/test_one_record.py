"""Random schemas and files: a change of one record, or of one unit, in any way moves no other encoded record."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dprepro.errors import InputError
from dprepro.practice.encoding import Encoded, encode
from dprepro.practice.reading import read_table
from dprepro.practice.schema import Schema
from dprepro.support import typed

Row = list[str]
ROWS = 40
PIECES = [
    *("0", "7", "12", "-3", "1e3", "02139", "2139", "NA", "None", "nan", "", " ", ",", ";", "|", "\t", '"', "'", "\n"),
    *("\r\n", "TRUE", "no", "2020-05-01", "2020-02-30", "inf", "1e400", "é", "٣", "\0", "#", "x", "=", "."),
]
WORDS = ["02139", "2139", "NA", "1e3", "1000", "None", "a b", "x=y"]


def rule(rng: np.random.Generator, target: bool = False) -> dict[str, Any]:
    """A column's rule, which refuses no value."""
    kind = rng.choice(["range", "categories", "numbers", "boolean", "date"])
    known: dict[str, dict[str, Any]] = {
        "range": {"range": [-5, 15]},
        "categories": {"categories": [str(word) for word in rng.permutation(WORDS)[: 2 if target else 4]]},
        "numbers": {"type": "number", "categories": ["7", "12"]},
        "boolean": {"type": "boolean"},
        "date": {"since": "2020-01-01", "until": "2020-12-31"},
    }
    found = known[str(kind)]
    ways = ["drop"] if target else ["drop", "fill", "indicator"]
    more: dict[str, Any] = {
        "missing": str(rng.choice(ways)),
        "outside": str(rng.choice(["clip", "drop"])),
        "unreadable": "missing",
    }
    if rng.random() < 0.3:
        more["missing_words"] = ["-99", "x"]
    return found | more


def sound(rng: np.random.Generator, found: dict[str, Any]) -> str:
    """A value that the rule knows."""
    if "categories" in found:
        return str(rng.choice(found["categories"]))
    if "since" in found:
        return f"2020-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}"
    return str(rng.choice(["yes", "FALSE"])) if found.get("type") == "boolean" else f"{rng.integers(-5, 16)}"


def anything(rng: np.random.Generator) -> str:
    return "".join(rng.choice(PIECES, rng.integers(0, 4)))


def encoded(path: Path, names: list[str], rows: list[Row], schema: Schema) -> Encoded:
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=schema.separator).writerows([names, *rows])
    return encode(read_table(str(path), schema.separator, keep=schema.used), schema)


def world(rng: np.random.Generator, unit: bool) -> tuple[list[str], list[Row], Schema]:
    """Names, records and a schema; a tenth of the values is anything."""
    columns = {f"c{place}": rule(rng, place == 0) for place in range(int(rng.integers(2, 6)))}
    block: dict[str, Any] = {"target": "c0", "columns": columns, "separator": str(rng.choice([",", ";", "\t", "|"]))}
    if unit:
        block |= {"unit": "who", "rows_per_unit": int(rng.integers(0, 4))}
    rows = [
        [
            anything(rng) if place and rng.random() < 0.1 else sound(rng, column)
            for place, column in enumerate(columns.values())
        ]
        for _ in range(ROWS)
    ]
    names = list(columns)
    if unit:
        names, rows = [*names, "who"], [[*row, f"p{place // 2}"] for place, row in enumerate(rows)]
    return names, rows, typed.build(Schema, block)


def whole(found: Encoded) -> np.ndarray[Any, Any]:
    return np.column_stack([found.features, found.labels])


@pytest.mark.parametrize("unit", [False, True])
def test_a_change_of_one_record_or_unit_in_any_way_moves_no_other(tmp_path: Path, unit: bool) -> None:
    """Of 80 random worlds at least 40 are read before and after; the others are refused, as too few are left."""
    rng, read = np.random.default_rng(38), 0
    for _ in range(80):
        names, rows, schema = world(rng, unit)
        place = int(rng.integers(ROWS))
        record = [anything(rng) for _ in names]
        own = [place]
        changed = [record if row == place else kept for row, kept in enumerate(rows)]
        if unit:  # all rows of it, in number too, and perhaps what it is called
            own = [row for row, kept in enumerate(rows) if kept[-1] == rows[place][-1]]
            name = str(rng.choice([rows[place][-1], "another", "-1"]))
            new = [[*(anything(rng) for _ in names[1:]), name] for _ in range(int(rng.integers(1, 6)))]
            changed = [kept for row, kept in enumerate(rows) if row not in own]
            changed[place:place] = new
        try:
            first, second = (encoded(tmp_path / "t.csv", names, one, schema) for one in (rows, changed))
        except InputError as error:
            assert "\n" not in str(error)  # noqa: PT017
            continue
        read += 1
        if unit:
            before, after = (Counter(map(tuple, whole(one).tolist())) for one in (first, second))
            assert (before - after).total() <= 1
            assert (after - before).total() <= 1
            continue
        others = np.setdiff1d(np.arange(ROWS), np.flatnonzero(np.random.default_rng(0).permutation(ROWS) == place))
        kept = [np.intersect1d(one.places, others) for one in (first, second)]
        assert (kept[0] == kept[1]).all()
        assert (whole(first)[first.at(others)] == whole(second)[second.at(others)]).all()
    assert read >= 40
