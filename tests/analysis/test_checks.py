"""Building checks from mappings, and what a verdict file gets from them."""

from __future__ import annotations

import subprocess
import sys

import pandas as pd
import pytest

from dprepro.analysis.checks import as_expected, build, judge, worst
from dprepro.analysis.rule import _some_names
from dprepro.errors import InputError

GOOD = {"rule": "exponent", "role": "claim", "series": "hard", "expected": -0.5}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rule": "exponnent"}, "did you mean exponent"),
        (
            {"rule": None},
            "choices: affine, attainment, audit, below, coverage, crossing, exponent, noise, proportion, ratio, "
            "scheduled, share",
        ),
        ({"exspected": 1.0}, "did you mean expected"),
        ({"expected": "half"}, "it must be a number"),
        ({"expected": True}, "it must be a number"),
        ({"expected": float("nan")}, "it must be a number"),
        ({"series": 3}, "it must be a text"),
        ({"axes": "noise_scale"}, "it must be a list of texts"),
        ({"axes": ["noise_scale", 1]}, "axes[1] is 1; it must be a text"),
        ({"minimum_points": 5.5}, "it must be a whole number"),
        ({"minimum_points": float("inf")}, "it must be a whole number"),
        ({"minimum_points": 2}, "at least 3"),
        ({"minimum_span": 0.0}, "must be positive"),
        ({"role": "clam"}, "choices: claim, context, control, erratum"),
        ({"expect": "yes"}, "choices: confirmed, inconclusive, refuted"),
        ({"side": "left"}, "choices: at_least, at_most, two"),
        ({"transform": "exp"}, "choices: log, log_log, log_log_double, log_log_inverse"),
        ({"margin": -0.1}, "not negative"),
        ({"grid": "mine"}, "choices: other, own"),
        ({"about": {"Theorem 1": "sure"}}, "choices: attained, audited, certified, exact, holds, not contradicted"),
        ({"about": "Theorem 1"}, "about is 'Theorem 1'; it must be a block of keys"),
        ({"lacks": "this\nand that"}, "it must be one line"),
    ],
)
def test_what_a_rule_does_not_know_is_refused_in_one_line_that_names_check_and_choices(
    change: dict[str, object], words: str
) -> None:
    with pytest.raises(InputError) as caught:
        build("exponent_n", {**GOOD, **change})
    assert words in str(caught.value)
    assert str(caught.value).startswith("check exponent_n: ")
    assert "\n" not in str(caught.value)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(InputError, match="needs expected"):
        build("exponent_n", {key: value for key, value in GOOD.items() if key != "expected"})


def test_controls_and_errata_are_expected_to_be_refuted_and_all_else_to_be_confirmed() -> None:
    expects = {role: build("x", {**GOOD, "role": role}).expect for role in ("claim", "control", "context", "erratum")}
    assert expects == {"claim": "confirmed", "control": "refuted", "context": "confirmed", "erratum": "refuted"}
    assert build("x", {**GOOD, "role": "control", "expect": "inconclusive"}).expect == "inconclusive"


def test_whole_numbers_and_lists_are_taken_where_numbers_and_texts_belong() -> None:
    rule = build("x", {**GOOD, "expected": -1, "minimum_points": 6.0, "axes": ["noise_scale"]})
    assert (rule.expected, rule.minimum_points, rule.axes) == (-1.0, 6, ("noise_scale",))  # type: ignore[attr-defined]


def test_the_verdict_is_the_worst_of_the_claims_and_controls_never_enter(lasso: pd.DataFrame) -> None:
    true = {**GOOD, "expected": -2 / 3}
    rules = {
        "claim": build("claim", true),
        "control": build("control", {**true, "expected": -0.5, "role": "control"}),
        "erratum": build("erratum", {**true, "expected": -0.5, "role": "erratum"}),
    }
    results = judge(lasso, rules)
    assert [result.verdict for result in results.values()] == ["confirmed", "refuted", "refuted"]
    assert worst(results) == "confirmed"
    assert as_expected(results)
    few = judge(lasso, {**rules, "few": build("few", {**true, "minimum_points": 9})})
    assert worst(few) == "inconclusive"
    assert not as_expected(few)
    wrong = judge(lasso, {**rules, "few": build("few", {**true, "minimum_points": 9}), "no": build("no", GOOD)})
    assert worst(wrong) == "refuted"


def test_an_unknown_series_quantity_or_column_is_refused_with_the_check_and_the_choices(lasso: pd.DataFrame) -> None:
    for change, words in (
        ({"series": "hrd"}, "unknown series 'hrd'.*hard"),
        ({"quantity": "risk"}, "unknown quantity .*excess_risk"),
        ({"divide": "noise"}, "unknown column 'noise'.*noise_scale"),
        ({"axis": "steps"}, "unknown column 'steps'"),
    ):
        with pytest.raises(InputError, match=f"check x: {words}"):
            judge(lasso, {"x": build("x", {**GOOD, **change})})


def test_importing_the_package_loads_no_pandas() -> None:
    code = "import sys, dprepro.analysis; sys.exit(bool({'pandas', 'numpy', 'scipy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_result_names_a_thousand_points_of_a_state_and_counts_the_others():
    found = _some_names({"used": ["n=1"] * 1500, "slope": 0.5, "steep": {"used": ["n=1", "n=2"], "failed": []}})
    assert found["used"][-2:] == ["n=1", "and 500 more"]
    assert len(found["used"]) == 1001
    assert (found["slope"], found["steep"]) == (0.5, {"used": ["n=1", "n=2"], "failed": []})
