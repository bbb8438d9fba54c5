"""A line for each statement, with the largest share that attacks found."""

from __future__ import annotations

import pandas as pd
import pytest

from dprepro import figures
from dprepro.errors import InputError
from dprepro.figures.words import item

VERDICT = {"verdict": "confirmed", "claim": "No counterexample", "checks": {}, "as_expected": True, "overrides": []}


def frame(statements: int) -> pd.DataFrame:
    lines = []
    for number in range(1, statements + 1):
        for quantity, values in (("share", (0.1, 0.5)), ("share_as_printed", (30.0,) if number == 2 else ())):
            end = "" if quantity == "share" else "_share_as_printed"
            lines += [
                {"series": f"theorem_{number}{end}", "quantity": quantity, "status": "ok", "value": value,
                 "corners": 1000, "searched": 7}
                for value in values
            ]  # fmt: skip
    return pd.DataFrame(lines)


def test_the_worst_attack_on_each_statement_stands_on_its_line_in_the_papers_order() -> None:
    drawn = figures.build({"name": "margins"}).draw(frame(12), VERDICT, {})
    (panel,) = drawn.axes
    assert [text.get_text() for text in panel.get_yticklabels()] == [f"Theorem {k}" for k in range(1, 13)]
    holds, printed = panel.get_lines()[:2]
    assert list(holds.get_xdata()) == [0.5] * 12
    assert (list(printed.get_xdata()), list(printed.get_ydata())) == ([30.0], [1])
    said = [text.get_text() for text in panel.texts]
    assert said.count("2,014") == 11  # two attacks on what holds
    assert said.count("3,021") == 1


def test_many_statements_stand_in_two_columns_and_without_any_there_is_no_figure() -> None:
    assert len(figures.build({"name": "margins"}).draw(frame(30), VERDICT, {}).axes) == 2
    with pytest.raises(InputError, match="quantity of the figure"):
        figures.build({"name": "margins"}).draw(frame(2).assign(quantity="risk"), VERDICT, {})


@pytest.mark.parametrize("statements", [1, 2, 5])
def test_a_single_statement_leaves_room_for_heading_axis_and_legend(statements: int) -> None:
    drawn = figures.build({"name": "margins"}).draw(frame(statements), VERDICT, {})
    drawn.draw_without_rendering()
    (panel,), (legend,) = drawn.axes, drawn.legends
    label, box = panel.xaxis.label.get_window_extent(), panel.get_window_extent()
    assert box.height > 0.15 * drawn.bbox.height
    assert legend.get_window_extent().y1 <= label.y0 < label.y1 < box.y0


def test_items_are_called_as_papers_number_them() -> None:
    assert [item(name) for name in ("definition_2_1", "fact_2_3", "lemma_a_3", "section_1_the_gap")] == [
        "Definition 2.1", "Fact 2.3", "Lemma A.3", "Section 1 the gap"
    ]  # fmt: skip


@pytest.mark.parametrize(("statements", "last"), [(1, 20.0), (30, 60.0)])
def test_the_axis_holds_all_shares_and_is_the_same_in_both_columns(statements: int, last: float) -> None:
    drawn = figures.build({"name": "margins"}).draw(frame(statements), VERDICT, {})
    assert {panel.get_xlim() for panel in drawn.axes} == {(0.05, last)}


def test_acronyms_are_written_as_such() -> None:
    assert item("phased_sgd_risk") == "Phased SGD risk"
