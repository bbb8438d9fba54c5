"""Numbers of a row's sentences, and what single rules say."""

from __future__ import annotations

import math
from typing import Any

import pytest

from dprepro.report.clauses import half_of, other, rounded


@pytest.mark.parametrize("value", [0.8201, 0.82, 1.0, 12345.6, 3.4e-7, 0.0, 0.99951])
def test_rounding_up_is_never_below_and_rounding_down_never_above(value: float) -> None:
    assert rounded(value, 3, math.ceil) >= value - 1e-9 * value
    assert rounded(value, 3, math.floor) <= value + 1e-9 * value
    assert rounded(value, 3, math.ceil) == pytest.approx(value, rel=0.01)
    assert half_of({"estimate": 0.5, "low": 0.5 - 0.0021, "high": 0.5 + 0.0013}) == pytest.approx(0.003)


def finding(rule: str, **given: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "rule": rule, "check": "one", "experiment": "a", "kind": "holds", "quantity": "missed", "side": "at_most",
        "estimate": 0.2, "low": 0.1, "high": 0.3412, "expected": 1.0, "axis": "n", "envelope": [], "families": [],
        "text": "", "grid": {}, "points": {},
    }  # fmt: skip
    return plain | given


def test_a_share_of_runs_is_told_by_its_limit_and_not_by_what_was_drawn() -> None:
    said = other(finding("proportion"), "at_most")
    assert (
        said == "the share of runs that miss a coordinate of the support is at most 0.342 times the stated probability"
    )
    few = other(finding("proportion", estimate=1.0, low=0.9868, high=1.0, side="at_least", quantity="agrees"), "none")
    assert few.endswith("is at least 0.986")


def test_a_share_of_cases_is_told_with_what_was_claimed() -> None:
    text = "half, the share of cases with a regret of at most 2: 1, at least 1"
    said = other(finding("share", estimate=1.0, text=text), "none")
    assert said == "the share of cases with a regret of at most 2 is 1 (claimed: at least 1)"


def test_a_rule_without_words_says_nothing() -> None:
    assert (
        other(finding("crossing"), "none") == other(finding("ratio"), "none") == other(finding("affine"), "none") == ""
    )
