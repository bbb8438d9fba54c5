"""Attacks of a fixed effort as a study: cells, rows, and the same on every machine."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from dprepro.errors import InputError
from dprepro.refute import VIOLATED
from dprepro.refute.witness import Witness
from dprepro.statements.papers import papers
from dprepro.studies import Design, RefuteStudy

STUDY = RefuteStudy(of="kst", corners=60, searched=20, drawn_corners=4, drawn_searched=2)
DESIGN = Design({"n": [1]})


def test_each_attack_is_a_cell_of_its_statement_and_false_prints_have_series_of_their_own() -> None:
    cells = STUDY.cells(DESIGN)
    assert len({cell.key for cell in cells}) == len(cells)
    series = {cell.series for cell in cells}
    assert {"theorem_26", "theorem_26_share_as_printed", "theorem_31", "theorem_31_share_as_printed"} <= series
    false = {claim.item for claim in papers()["kst"].claims if claim.false}
    assert len({name for name in series if name.endswith("as_printed")}) == len(false)
    declared = STUDY.declare(DESIGN)
    assert declared.series["theorem_26"] == {"share"}
    assert declared.series["theorem_26_share_as_printed"] == {"share_as_printed"}
    with pytest.raises(InputError, match="unknown paper"):
        RefuteStudy(of="ktx").cells(DESIGN)


@pytest.mark.parametrize(("series", "violated"), [("theorem_26", False), ("theorem_26_share_as_printed", True)])
def test_a_cell_says_what_was_tried_and_the_worst_place(series: str, violated: bool) -> None:
    (cell, *_) = [cell for cell in STUDY.cells(DESIGN) if cell.series == series]
    rows = [STUDY.measure(cell, np.random.default_rng(seed)) for seed in (0, 1)]
    assert rows[0] == rows[1]  # the effort and the draws are the study's own
    ((row,), _) = rows
    assert (row.value > VIOLATED) is violated
    assert row.bound == VIOLATED
    assert row.columns["corners"] > 0  # type: ignore[operator]
    witness = Witness(**json.loads(str(row.columns["witness"])))
    assert witness.statement == "kst-theorem-26"
    assert witness.measured(seed=4).least_share == pytest.approx(row.value)


def test_another_premise_effort_or_paper_is_another_cell() -> None:
    keys = {cell.key for cell in STUDY.cells(DESIGN)}
    assert keys.isdisjoint({cell.key for cell in replace(STUDY, corners=61, drawn_corners=5).cells(DESIGN)})
    assert keys.isdisjoint({cell.key for cell in replace(STUDY, of="glm").cells(DESIGN)})
