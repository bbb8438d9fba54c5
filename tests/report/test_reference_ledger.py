"""The ledger of the reference folder is one as its schema says, whoever wrote it and when."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.json_schema import faults

from dprepro.report.ledger import SCHEMA
from dprepro.statements.papers import papers
from dprepro.support.regular_files import unpacked

ROOT = Path(__file__).parents[2]
WORDS = ("printed", "quote", "source", "range", "holds", "severity", "ocr")


@pytest.fixture(scope="module")
def ledger() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(unpacked(ROOT / "results/reference/ledger.json.gz"))
    return found


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return found


def test_the_reference_ledger_is_as_the_schema_says(ledger: dict[str, Any], schema: dict[str, Any]) -> None:
    """What pages and articles read of it is there: an evidence's families, an attack's corners, a row's short words."""
    assert list(faults(ledger, schema, schema)) == []


def test_evidence_of_an_experiment_has_all_that_pages_read_or_is_that_of_an_erratum(ledger: dict[str, Any]) -> None:
    read = {"words", "families", "range", "under", "findings"}
    held = [read & set(entry) for row in ledger["claims"] for entry in row["evidence"]]
    assert all(one in (read, set()) for one in held)
    assert sum(one == read for one in held) > len(held) / 2


@pytest.mark.parametrize("key", ["families", "verdict", "text"])
def test_a_finding_without_a_key_that_pages_read_is_a_fault(
    key: str, ledger: dict[str, Any], schema: dict[str, Any]
) -> None:
    row = next(row for row in ledger["claims"] if row["evidence"] and "findings" in row["evidence"][0])
    first = row["evidence"][0]
    short = {name: one for name, one in first["findings"][0].items() if name != key}
    spoilt = ledger | {"claims": [row | {"evidence": [first | {"findings": [short]}]}]}
    assert [fault for fault in faults(spoilt, schema, schema) if key in fault]


def test_the_errata_of_the_reference_are_those_of_the_papers(ledger: dict[str, Any]) -> None:
    """The articles print the reference's words; tests of `tests/errata` hold those of the papers' files."""
    said = {(row["paper"], row["item"]): row for row in ledger["errata"]}
    for name, paper in papers().items():
        for erratum in paper.errata:
            row = said.pop((name, erratum.item))
            assert {key: row[key] for key in WORDS} == {key: getattr(erratum, key) for key in WORDS}, erratum.item
            tests = [one.test for one in erratum.shown_by if one.test]
            assert [one["test"] for one in row["shown_by"] if "test" in one] == tests
    assert not said
