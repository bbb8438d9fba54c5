"""Several rows a person: a record is a unit, and n, sizes and privacy are those of units."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dprepro.errors import InputError
from dprepro.practice.encoding import Encoded, encode
from dprepro.practice.reading import RawTable, Values
from dprepro.practice.schema import Schema
from dprepro.practice.table import File
from dprepro.support import typed

Row = tuple[str, str, str]
ROWS: list[Row] = [(f"p{person}", str(visit + person % 3), str((person * 7 + visit) % 20)) for person in range(30)
                   for visit in range(1 + person % 5)]  # fmt: skip


def by_unit(rows: list[Row], limit: int = 0, seed: int = 0, **rule: Any) -> Encoded:
    block = {
        "target": "y", "unit": "who", "rows_per_unit": limit, "intercept": False,
        "columns": {"x": {"range": [0, 10], "missing": "drop"}, "y": {"range": [0, 20], **rule}},
    }  # fmt: skip
    columns = {
        name: Values(texts=list(texts)) for name, texts in zip(("who", "x", "y"), zip(*rows, strict=True), strict=True)
    }
    return encode(RawTable(("who", "x", "y"), columns, len(rows)), typed.build(Schema, block), seed=seed)


def records(found: Encoded) -> set[tuple[float, ...]]:
    return {tuple(row) for row in np.column_stack([found.features, found.labels]).round(9).tolist()}


def test_a_unit_is_one_record_the_mean_of_its_rows() -> None:
    means = {
        tuple(np.mean([(int(x) / 5 - 1, int(y) / 10 - 1) for who, x, y in ROWS if who == name], axis=0).round(9))
        for name in {who for who, _, _ in ROWS}
    }
    found = by_unit(ROWS)
    assert records(found) == means
    assert len(found.labels) == 30


def test_all_rows_of_a_unit_may_change_and_no_other_units_record_does() -> None:
    """In number and place too, under a limit; a unit without usable rows is no record."""
    first = by_unit(ROWS, 2)
    others = [row for row in ROWS if row[0] != "p4"]
    for own in ([("p4", "9", "9")] * 7, [("p4", "", "1")], [("p4", "1", "2")]):
        for changed in ([*others, *own], [*own, *others]):
            second = by_unit(changed, 2)
            gone = records(first) - records(second)
            assert len(gone) <= 1
            assert len(records(second) - records(first)) <= 1
            assert len(first.labels) - len(second.labels) == (own[0][1] == "")


def test_a_unit_of_another_name_in_anothers_place_changes_one_record_of_those_that_are_learnt_from(
    tmp_path: Path,
) -> None:
    """Whatever its name's hash: the order of the others stays, and one of them at most crosses the border."""

    def parts(name: str) -> list[set[tuple[float, ...]]]:
        rows = [(name, "7", "7") if row[0] == "p4" else row for row in ROWS]
        path = tmp_path / f"{name}.csv"
        path.write_text("who,x,y\n" + "".join(",".join(row) + "\n" for row in rows), "utf-8")
        columns = {"x": {"range": [0, 10]}, "y": {"range": [0, 20]}}
        (tmp_path / "s.yaml").write_text(f"target: y\nunit: who\nintercept: false\ncolumns: {columns}\n", "utf-8")
        table = typed.build(File, {"path": str(path), "schema": str(tmp_path / "s.yaml"), "holdout": 0.25, "split": 1})
        every = np.column_stack([table.encoded.features, table.encoded.labels]).round(9)
        return [{tuple(every[place]) for place in part} for part in table._parts()]

    first = parts("p4")
    for place in range(20):
        second = parts(f"new{place}")
        assert [len(part) for part in second] == [len(part) for part in first]
        for before, after in zip(first, second, strict=True):
            assert len(before - after) <= 1


def test_surplus_rows_are_dropped_at_random_by_the_seed_and_the_units_name() -> None:
    """Of four rows each is kept in a quarter of 300 seeds: 4.5 standard errors, 1 of 10^5 choices of seeds fails."""
    rows, kept = [*ROWS, *(("many", f"0.{place}", "5") for place in range(1, 5))], []
    for seed in range(300):
        found = by_unit(rows, 1, seed)
        assert found.counts["surplus"] == sum(person % 5 for person in range(30)) + 3
        own = (5 * (found.features[:, 0] + 1)).round(6)
        kept += [value for value in own if 0 < value < 0.5]
    assert len(kept) == 300
    for place in range(1, 5):
        assert abs(np.mean(np.isclose(kept, place / 10)) - 0.25) < 4.5 * np.sqrt(0.25 * 0.75 / 300)


def test_a_units_class_is_that_of_most_of_its_rows() -> None:
    found = by_unit([("a", "1", "3"), ("a", "2", "9"), ("a", "3", "12"), *ROWS], above=8)
    assert set(found.labels.tolist()) == {-1.0, 1.0}
    own = np.flatnonzero(np.isclose(found.features[:, 0], 2 / 5 - 1))
    assert 1.0 in found.labels[own]


def test_records_of_units_keep_the_bounds_of_one_record() -> None:
    found = by_unit(ROWS)
    assert np.abs(found.features).max() <= 1
    assert np.abs(found.labels).max() <= 1


@pytest.mark.parametrize(
    ("rows", "limit", "said"),
    [
        ([("", "1", "2"), *ROWS], 0, "column who of the table, the unit, is missing in 1 rows \\("),
        ([("NA", "1", "2"), *ROWS], 0, "the unit, is missing in 1 rows \\("),
        (ROWS, -1, "rows_per_unit must be at least 1, or 0 for no limit"),
        (ROWS[:9], 0, "usable units"),
    ],
)
def test_units_that_cannot_be_are_refused(rows: list[Row], limit: int, said: str) -> None:
    with pytest.raises(InputError, match=said):
        by_unit(rows, limit)


def test_a_limit_without_a_unit_and_a_unit_that_is_a_feature_are_refused() -> None:
    columns = {"x": {"range": [0, 10]}, "y": {"range": [0, 20]}}
    with pytest.raises(InputError, match="rows_per_unit=3 needs a unit"):
        typed.build(Schema, {"target": "y", "columns": columns, "rows_per_unit": 3})
    with pytest.raises(InputError, match="the unit x says whose a row is"):
        typed.build(Schema, {"target": "y", "columns": columns, "unit": "x"})
