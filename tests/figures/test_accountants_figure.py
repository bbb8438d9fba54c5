"""The figure of accountants: what is below lies left of the exact answer, and who gives no answer is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helpers.drawn_figures import alike_in_grey, collisions, laid_out

from docs.pictures import ACCOUNTANTS, LARGEST
from dprepro.figures.accountants import MOST, draw, picture
from dprepro.figures.style import styled

ROOT = Path(__file__).parent.parent.parent


def row(accountant: str, verdict: str, ratio: float | None, *, ordinary: bool = True) -> dict[str, Any]:
    return {"accountant": accountant, "verdict": verdict, "ratio": ratio, "ordinary": ordinary}


ROWS = [
    row("right", "tight", 1.0), row("right", "tight", 1.005), row("right", "above", 1.2, ordinary=False),
    row("low", "below", 0.4), row("low", "below", 0.0, ordinary=False), row("low", "above", None),
    row("slow", "fails", None), row("slow", "costly", None), row("slow", "costly", None), row("slow", "above", 1e9),
]  # fmt: skip


def drawn() -> Any:
    with styled() as figure_class:
        return laid_out(picture(ROWS, figure_class))


def test_answers_below_what_is_spent_lie_left_of_it_and_all_others_do_not() -> None:
    lines = {line.get_label(): line for line in drawn().axes[0].lines}
    assert sorted(lines["below what is spent"].get_xdata()) == [-1.0, -0.6]
    assert sorted(lines["ordinary question"].get_xdata()) == [0.0, 1.005 - 1, MOST]
    assert [round(place, 9) for place in lines["extreme question"].get_xdata()] == [0.2]
    assert {round(height) for height in lines["below what is spent"].get_ydata()} == {1}


def test_questions_without_an_answer_are_counted_beside_the_accountant() -> None:
    told = [(text.get_text(), text.xy[1]) for text in drawn().axes[0].texts if text.get_text()]
    assert told == [("fails", -1), ("1", 2), ("costly", -1), ("2", 2), ("no form", -1)]


def test_no_text_lies_on_another_and_points_differ_in_grey() -> None:
    figure = drawn()
    assert not collisions(figure)
    assert not alike_in_grey(figure)


def test_the_site_shows_the_figure_of_the_last_run_small(tmp_path: Path) -> None:
    assert draw(ROWS, tmp_path / "accountants.png").read_bytes().startswith(b"\x89PNG")
    page = (ROOT / "docs/pages/howto/referee.md").read_text(encoding="utf-8")
    assert "](../assets/accountants.png)" in page
    assert ACCOUNTANTS == ROOT / "docs/pages/assets/accountants.png"
    assert ACCOUNTANTS.stat().st_size <= LARGEST
