"""What figures say of a verdict."""

from __future__ import annotations

import pandas as pd
import pytest
from helpers.drawn_figures import check, config, plain, verdict

from dprepro.figures.lines import said
from dprepro.figures.words import JudgedCheck, comparison, controls, headline, quantity_label

LOGS = {"up_to_logarithms": True}


def test_the_headline_says_up_to_logarithms_where_a_claim_is():
    assert headline(verdict(a=check(details=LOGS))) == "Theorem 7: confirmed up to logarithms"
    assert headline(verdict(a=check(), b=check(role="context", details=LOGS))) == "Theorem 7: confirmed"
    assert headline(verdict(a=check(details=LOGS)), "The rate") == "The rate: confirmed up to logarithms"


def test_the_headline_names_the_claims_that_are_not_confirmed():
    checks = {name: check(verdict="refuted") for name in "abc"} | {"d": check(verdict="inconclusive"), "e": check()}
    assert headline(verdict("refuted", **checks)) == "Theorem 7: refuted (a, b and 1 more)"


@pytest.mark.parametrize(
    ("result", "options", "words"),
    [
        (check(), {}, "exponent −1.000 ± 0.010, claimed −1 ± 0.05"),
        (check(), {"axis": "p"}, "exponent of p −1.000 ± 0.010, claimed −1 ± 0.05"),
        (check(details=LOGS), {}, "exponent −1.000 ± 0.010, claimed −1 ± 0.05; up to logarithms"),
        (check(verdict="refuted"), {}, "exponent −1.000 ± 0.010, claimed −1 ± 0.05: refuted"),
        (check(margin=0, details={"side": "at_most"}), {}, "exponent −1.000 ± 0.010, claimed at most −1"),
        (
            check(estimate=-0.0001, expected=0, details={"measured_slope": -0.706}), {"divide": "bound"},
            "exponent less the bound's 0.000 ± 0.010, claimed 0 ± 0.05; log-log slope −0.706",
        ),
        (
            check("below", 0.8, high=0.9, expected=1), {},
            "at most 0.8 of the bound (99%: 0.9), claimed at most 1, margin 0.05",
        ),
        (
            check("below", 0.01, high=0.02, expected=1, details={"vacuous": True}), {},
            "at most 0.01 of the bound (99%: 0.02), claimed at most 1, margin 0.05; vacuous",
        ),
        (
            check("proportion", 3.0, low=2.0, expected=1, margin=0, details={"side": "at_least"}), {},
            "at least 3 of the bound (99%: 2), claimed at least 1",
        ),
        (
            check("ratio", 1.0, expected=1), {"against": "few_steps"},
            "ratio to few steps 1.000 ± 0.010, claimed 1 ± 0.05",
        ),
        (
            check("noise", 1.0, expected=1), {"series": "*"},
            "noise drawn, over the schedule's 1.000 ± 0.010, claimed 1 ± 0.05",
        ),
        (
            check("scheduled", 1.0, expected=1), {"column": "total_steps"},
            "steps T, over the formula 1.000 ± 0.010, claimed 1 ± 0.05",
        ),
        (check(estimate=69.574, expected=68.4, margin=10), {}, "exponent 69.6 ± 0.010, claimed 68.4 ± 10"),
        (
            check("crossing", 0.1, expected=0), {"versus": "bound", "axis": "n"},
            "exponent of the crossing less the bounds' 0.100 ± 0.010, claimed 0 ± 0.05",
        ),
        (
            check(verdict="inconclusive", reason="too few points") | {"estimate": None}, {},
            "it: inconclusive, too few points",
        ),
    ],
)  # fmt: skip
def test_a_comparison_is_that_which_was_judged(result, options, words):
    judged = JudgedCheck("it", result, options)
    assert plain(comparison(judged, "n")) == words


def test_a_rate_without_a_bound_is_no_share_of_one():
    one = JudgedCheck("it", check("proportion", 0.3, high=0.4, expected=0.5, margin=0), {})
    assert plain(comparison(one, bounded=False)) == "at most 0.3 (99%: 0.4), claimed at most 0.5"


@pytest.mark.parametrize(("limit", "words"), [(1.0, "at most 0.3"), (2.0, "at most 0.3 of the bound")])
def test_what_is_a_ratio_already_is_not_the_share_of_a_bound(limit: float, words: str) -> None:
    result = {"rule": "below", "verdict": "confirmed", "estimate": 0.3, "low": 0.2, "high": 0.3, "expected": 0.5,
              "margin": 0.0, "reason": ""}  # fmt: skip
    rows = pd.DataFrame({"series": ["a", "a"], "quantity": ["gain", "excess_risk"], "bound": [limit, 7.0]})
    one = JudgedCheck("gain", result, {"rule": "below", "quantity": "gain", "series": "a"})
    assert plain(said(one, rows, {"a": "a (claim)"}, named=False)) == f"{words}, claimed at most 0.5"


def test_a_control_says_what_came_out_and_by_what():
    results = verdict(
        a=check(role="control", verdict="refuted"), b=check("below", role="control", verdict="inconclusive"),
    )  # fmt: skip
    settings = config(a={"series": "slow"}, b={"series": "cheap", "quantity": "certified_epsilon"})
    assert controls(results, settings) == {"slow": "refuted by its slope", "cheap": "inconclusive by its budget"}


def test_the_worst_of_a_family_is_named_on_the_axis():
    assert quantity_label("excess_risk", ["mass"]) == "excess risk (mean, worst mass)"
    assert quantity_label("noise_norm") == "noise norm"
