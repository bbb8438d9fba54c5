"""Numbers of a row's sentences, and what single rules say."""

from __future__ import annotations

import math
from typing import Any

import pytest

from dprepro.report.clauses import other, rounded, rounded_interval


@pytest.mark.parametrize("value", [0.8201, 0.82, 1.0, 12345.6, 3.4e-7, 0.0, 0.99951])
def test_rounding_up_is_never_below_and_rounding_down_never_above(value: float) -> None:
    assert rounded(value, 3, math.ceil) >= value - 1e-9 * value
    assert rounded(value, 3, math.floor) <= value + 1e-9 * value
    assert rounded(value, 3, math.ceil) == pytest.approx(value, rel=0.01)


@pytest.mark.parametrize(
    ("estimate", "low", "high", "shown"),
    [
        (0.5, 0.4979, 0.5013, (0.5, 0.003)),
        (0.6665953787736267, 0.6664241130672536, 0.6667666444799999, (0.6666, 0.0002)),  # 0.667 would leave 2/3 out
        (0.6666652183988674, 0.6666623655094654, 0.6666680712882693, (0.6667, 4e-5)),
        (-0.9998652111654762, -1.0003443355887525, -0.9993860867422, (-0.9999, 0.0006)),
        (2.003987348493669, 1.9962055184367322, 2.0117691785506056, (2.004, 0.008)),
        (1.0367896840065884, 0.9676590718154359, 1.105920296197741, (1.04, 0.08)),
        (12345.6, 12300.0, 12400.0, (12350.0, 50.0)),
        (1 / 3, 1 / 3, 1 / 3, (0.333, 0.0)),
    ],
)
def test_the_interval_that_is_told_holds_the_one_that_was_measured(
    estimate: float, low: float, high: float, shown: tuple[float, float]
) -> None:
    middle, half = rounded_interval({"estimate": estimate, "low": low, "high": high})
    assert (middle, half) == pytest.approx(shown)
    assert half == 0 or (middle - half <= low and high <= middle + half)


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
