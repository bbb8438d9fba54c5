"""The sentences of a row: made of its evidence, and no more than it says."""

from __future__ import annotations

import math
from typing import Any

import pytest

from dprepro.report.in_short import _half, _rounded, in_short


def finding(**given: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "check": "one", "rule": "exponent", "verdict": "confirmed", "estimate": -0.6659, "low": -0.6674,
        "high": -0.6644, "expected": -2 / 3, "margin": 0.03, "quantity": "excess_risk", "axis": "n", "over": "",
        "side": "", "families": ["tuned needle"],
        "text": "the exponent of n in the excess risk: -0.6659",
    }  # fmt: skip
    return plain | given


def entry(
    *findings: dict[str, Any], families: tuple[str, ...] = ("tuned needle",), at: str = "n = 10", kind: str = "attained"
) -> dict[str, Any]:
    findings = tuple(given | {"families": list(families)} for given in findings)
    return {"kind": kind, "words": "Attained", "families": list(families), "range": at, "under": "", "text": "",
            "experiment": "one", "checks": [], "findings": list(findings)}  # fmt: skip


def row(*evidence: dict[str, Any], **given: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "verdict": "confirmed", "words": "confirmed", "direction": "at_most", "evidence": list(evidence),
        "note": "A note.", "repaired": None,
    }  # fmt: skip
    return plain | given


def test_a_rate_is_told_with_its_interval_what_was_stated_and_where() -> None:
    said = in_short(row(entry(finding(), at="$n$ from 4 to 9")))
    assert said == (
        r"On tuned needle the excess risk goes as $n^{-0.666 \pm 0.002}$ (stated: -0.667 at most). "
        "Measured at $n$ from 4 to 9."
    )


def test_what_no_check_confirmed_is_not_told() -> None:
    open_one = finding(verdict="inconclusive", text="the exponent: open")
    assert "goes as" not in in_short(row(entry(open_one)))
    assert "times its bound" not in in_short(row(entry(finding(rule="below", side="at_most", verdict="refuted"))))


def test_a_bound_is_told_at_its_worst_over_all_families_and_rounded_away_from_the_claim() -> None:
    near = entry(finding(rule="below", side="at_most", estimate=0.8, low=0.79, high=0.8201), families=("a", "b"))
    far = entry(finding(rule="below", side="at_most", estimate=0.1, low=0.1, high=0.2), families=("c",), at="n = 20")
    said = in_short(row(near, far))
    assert "On each of the 3 families tried the excess risk is at most 0.821 times its bound." in said
    assert "on 1 more grid (below)" in said
    lower = entry(finding(rule="below", side="at_least", estimate=1.3, low=1.2349, high=1.4))
    assert "On tuned needle the excess risk is at least 1.23 times its bound." in in_short(row(lower))


def below(estimate: float, **given: Any) -> dict[str, Any]:
    side = {"side": "at_most"} | given
    return finding(rule="below", estimate=estimate, low=estimate, high=estimate, **side)


def test_what_was_computed_without_families_is_told_of_no_more_than_that() -> None:
    said = in_short(row(entry(below(1.0, quantity="ratio"), families=(), at="", kind="exact")))
    assert said == "Wherever it was computed, the left side is at most the right side."
    said = in_short(row(entry(below(0.5, quantity="lemma_7"), families=(), at="", kind="holds")))
    assert said == "Wherever it was tried, the left side is at most 0.5 times the right side."


@pytest.mark.parametrize(
    ("estimate", "words"),
    [(1.0, "is equal to the right side."), (1.03, "is 1.03 times the right side, where the two differ most.")],
)
def test_what_is_held_to_equal_its_bound_is_told_as_equal_or_at_its_farthest(estimate: float, words: str) -> None:
    said = in_short(row(entry(below(estimate, side="equals", quantity="ratio"), families=(), at="", kind="exact")))
    assert said == f"Wherever it was computed, the left side {words}"


def test_an_exponent_is_told_of_the_families_it_was_measured_on_and_of_no_others() -> None:
    other = entry(finding(axis="p", estimate=0.5, low=0.499, high=0.501, expected=0.5), families=("spread places",))
    said = in_short(row(entry(finding()), other))
    assert "On tuned needle the excess risk goes as $n^{" in said
    assert "On spread places the excess risk goes as $p^{" in said


def test_a_ratio_that_drifts_within_its_margin_is_told_with_its_exponent() -> None:
    drift = finding(over="bound", estimate=0.0312, low=0.0301, high=0.0323, expected=0.0)
    assert r"its bound goes as $n^{0.0312 \pm 0.002}$ (stated: 0)." in in_short(row(entry(drift)))


def test_the_sides_of_different_inequalities_make_no_range_and_those_of_one_quantity_do() -> None:
    near = below(0.4, side="at_least", quantity="ratio", check="attained")
    said = in_short(row(entry(below(0.8, quantity="ratio"), near, families=(), kind="exact")))
    assert "is at most 0.8 times the right side." in said
    assert "is at least 0.4 times the right side (attained)." in said
    risks = [
        below(value, side=side, quantity="certified_risk") for value, side in ((0.2, "at_least"), (0.3, "at_most"))
    ]
    said = in_short(row(entry(*risks, kind="certified")))
    assert "certified for every private algorithm is 0.2 to 0.3 times the stated rate." in said


def test_two_bounds_are_told_the_risk_first_and_the_others_are_counted() -> None:
    names = ("halfway", "identity", "excess_risk", "certified_epsilon")
    said = in_short(row(entry(*(below(0.5, quantity=name) for name in names))))
    assert "the excess risk is at most 0.5" in said
    assert "the certified epsilon is at most 0.5 times its budget. 2 more bounds below." in said
    assert "halfway" not in said


def test_a_refuted_row_says_what_is_wrong_in_the_first_sentence_of_its_erratum() -> None:
    erratum = {
        "kind": "exact",
        "text": "A factor $\\sqrt{2}$ lacks. It fails for: n = 1.",
        "experiment": "",
        "checks": [],
    }
    said = in_short(row(erratum, verdict="refuted", words="refuted"))
    assert said == "As printed it is false. A factor $\\sqrt{2}$ lacks."


@pytest.mark.parametrize(
    ("words", "begin"),
    [("refuted", "As printed it is false."), ("refuted at a corner", "As printed it fails at a degenerate corner.")],
)
def test_a_refuted_row_says_so_first_and_then_what_holds_with_the_repair(words: str, begin: str) -> None:
    repaired = {"verdict": "confirmed", "words": "confirmed", "direction": "at_most", "evidence": [entry(finding())]}
    said = in_short(row(entry(finding()), verdict="refuted", words=words, repaired=repaired))
    assert said.startswith(f"{begin} With the repair: On tuned needle")
    assert in_short(row(entry(finding()), verdict="refuted", words=words)) == begin  # nothing that speaks for it


def test_what_is_not_contradicted_is_not_told_as_confirmed() -> None:
    said = in_short(row(entry(finding()), verdict="not contradicted", words="not contradicted"))
    assert said.endswith("That is less than the statement says: not contradicted, no more.")


def test_a_row_without_measurements_tells_its_note() -> None:
    assert in_short(row(verdict="nothing to measure", words="nothing to measure")) == "A note."
    assert in_short(row(verdict="not measured", words="not measured")) == "A note."


@pytest.mark.parametrize("value", [0.8201, 0.82, 1.0, 12345.6, 3.4e-7, 0.0, 0.99951])
def test_rounding_up_is_never_below_and_rounding_down_never_above(value: float) -> None:
    assert _rounded(value, 3, math.ceil) >= value - 1e-9 * value
    assert _rounded(value, 3, math.floor) <= value + 1e-9 * value
    assert _rounded(value, 3, math.ceil) == pytest.approx(value, rel=0.01)
    assert _half({"estimate": 0.5, "low": 0.5 - 0.0021, "high": 0.5 + 0.0013}) == pytest.approx(0.003)
