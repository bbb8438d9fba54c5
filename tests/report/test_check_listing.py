"""The list of the checks that an experiment has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dprepro.__main__ import main
from dprepro.analysis.checks import build
from dprepro.report.check_listing import check_lines

CONFIG = {"claim": "Theorem 1", "statement": "The risk falls."}


def line(**check: object) -> str:
    return check_lines(CONFIG, {"it": build("it", {"role": "claim", **check})}).splitlines()[1]


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (
            {"rule": "exponent", "series": "a", "expected": "-2/3", "margin": 0.03, "about": {"Theorem 1": "attained"}},
            "  it  claim  exponent  exponent of n: -2/3 +- 0.03; a; Theorem 1 (attained)",
        ),
        (
            {"rule": "exponent", "series": "a", "axis": "delta", "transform": "log_log_inverse", "divide": "rate",
             "expected": 0, "side": "at_most", "margin": 0.1},
            "  it  claim  exponent  exponent of ln(1/delta) beside that of rate: at most 0 (margin 0.1); a",
        ),
        (
            {"rule": "below", "series": ["a", "b"], "quantity": "certified_epsilon", "expect": "inconclusive"},
            "  it  claim  below  certified_epsilon over its bound: at most 1; a, b; must come out inconclusive",
        ),
        (
            {"rule": "scheduled", "series": "a", "column": "noise_scale", "lacks": "other data", "pinned": "shipped"},
            "  it  claim  scheduled  noise_scale over the printed one: 1 +- 0.02; a; lacks: other data; "
            "refutes nothing: shipped",
        ),
        ({"rule": "noise", "series": "*"}, "  it  claim  noise  noise_moments: 1 +- 0.1; every series"),
    ],
)  # fmt: skip
def test_a_line_says_rule_expectation_series_statements_and_what_keeps_a_check_from_deciding(
    check: dict[str, object], said: str
) -> None:
    assert line(**check) == said


def test_the_command_lists_the_checks_as_overrides_leave_them_and_measures_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["+experiment=lasso_rate", "--checks"]) == 0
    shipped = capsys.readouterr().out
    assert re.search(r"^  exponent_n +claim +exponent +exponent of n: -2/3 .*Theorem 2.5 \(attained\)$", shipped, re.M)
    assert main(["--checks", "+experiment=lasso_rate", "construction=iid_design"]) == 0
    changed = capsys.readouterr().out
    assert "exponent of n: at most -2/3 (margin 0.03); tuned_needle" in changed
    assert "lacks: the predicted risk is that of the experiment as shipped, and the data changed" in changed
    assert "refutes nothing: 0.84 was chosen for the experiment as shipped, and the data changed" in changed
    assert not list(tmp_path.iterdir())
