"""Results of this project are told apart from what papers state, and have their proofs."""

from __future__ import annotations

import dataclasses

import pytest

from dprepro.errors import DpreproError
from dprepro.report.text import by_paper, derived, of_papers, rows_in_words
from dprepro.statements.papers import papers
from dprepro.statements.proofs import proofs_of

ROWS = [
    {"paper": "lasso", "kind": "rate", "verdict": "confirmed"},
    {"paper": "derived", "kind": "rate", "verdict": "refuted", "proof": "It is clear."},
]


def test_every_result_of_this_project_has_a_proof_in_words_and_no_statement_of_a_paper_has() -> None:
    for paper, described in papers().items():
        proofs = proofs_of(paper, described)
        assert bool(proofs) == (paper == "derived"), paper
        assert all(len(text.split()) >= 50 for text in proofs.values())
    assert papers()["derived"].authors == "Derived here"


def test_a_result_without_its_proof_is_refused() -> None:
    described = papers()["derived"]
    more = [*described.claims, dataclasses.replace(described.claims[0], item="Another")]
    with pytest.raises(DpreproError, match="STATEMENTS and PROOFS differ in Another"):
        proofs_of("derived", dataclasses.replace(described, claims=more))


def test_rows_that_are_derived_here_are_counted_apart() -> None:
    assert (of_papers(ROWS), derived(ROWS)) == (ROWS[:1], ROWS[1:])
    assert list(by_paper(of_papers(ROWS))) == ["lasso"]
    said = "1 numbered statement: 1 confirmed. Besides, 1 derived here, which no paper states: 1 refuted."
    assert rows_in_words(ROWS) == said
    assert rows_in_words(ROWS[:1]) == "1 numbered statement: 1 confirmed."
    further = {**ROWS[0], "kind": "further"}
    assert (
        rows_in_words([ROWS[0], further])
        == "1 numbered statement: 1 confirmed. Of no statement: 1 experiment, 1 confirmed."
    )
