"""A figure of which no cell was measured says so, whatever its kind."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from helpers.cheap_experiment import command, write_config_dir

from dprepro import figures
from dprepro.errors import InputError
from dprepro.figures.drawn import drawn

OPTIONS = {
    "phase": {"series": ["a"], "against": ["b"], "along": ["n"], "checks": ["c"]},
    "attack": {"panels": ["excess_risk"]},
    "shares": {"quantities": {"regret": "advised"}},
}
VERDICT = {"experiment": "one", "claim": "Theorem 1", "verdict": "inconclusive", "checks": {}, "overrides": []}
FAILED = pd.DataFrame(
    {"series": "a", "quantity": "excess_risk", "key": ["1", "2", "2"],
     "status": ["failed: no", "failed: ValueError: $x", "failed: ValueError: $x"]}
)  # fmt: skip

DIVIDES_BY_ZERO = """\
paper: lasso
claim: Lemma 3.3
statement: The chain holds.
sweep: {m: [1.0], tau: [0.001]}
study:
  _target_: dprepro.studies.InequalityStudy
  series: {chain: {role: claim, left: lasso.printed_level, right: lasso.printed_rate}}
checks: {chain: {rule: below, role: claim, quantity: ratio, series: chain, expected: 1}}
figure: {name: rate, axis: m, quantity: ratio}
"""


@pytest.mark.parametrize("kind", sorted(figures.FIGURES))
@pytest.mark.parametrize("whole", [False, True])
def test_a_figure_of_failed_cells_says_why_in_every_kind(kind: str, whole: bool) -> None:
    figure = drawn(figures.build({"name": kind, **OPTIONS.get(kind, {})}), FAILED, VERDICT, {}, whole)
    assert figure.axes == []
    assert "inconclusive" in figure.get_suptitle()
    said = " ".join(text.get_text() for text in figure.texts).replace("\n", " ")
    assert "No cell was measured. 1 of 2 failed: no" in said


def test_a_reason_that_the_font_cannot_show_is_left_to_the_log() -> None:
    figure = drawn(figures.build({"name": "rate"}), FAILED.assign(status="failed: \u4e0d"), VERDICT, {})
    assert "No cell was measured. See run.log." in [text.get_text() for text in figure.texts]


def test_an_unknown_quantity_is_still_refused_where_something_was_measured() -> None:
    with pytest.raises(InputError, match=r"unknown figure\.quantity 'ratio'"):
        drawn(figures.build({"name": "rate", "quantity": "ratio"}), FAILED.assign(status="ok"), VERDICT, {})


def test_a_run_whose_cells_all_failed_ends_with_their_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_config_dir(tmp_path / "mine", zero=DIVIDES_BY_ZERO)
    assert command("--config-dir", folder, "+experiment=zero", f"results_dir={tmp_path}") == 1
    out, err = capsys.readouterr()
    assert "\n1 cell failed: ZeroDivisionError: float division by zero\n" in out
    assert "verdict: zero (lasso, Lemma 3.3): inconclusive" in out
    assert err == "1 cell failed; type the same command to try again\n"
    assert (tmp_path / "zero" / "figure.png").is_file()
