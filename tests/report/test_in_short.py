"""The sentences of a row: made of its evidence, and no more than it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dprepro.report.compared import CHECKS, CROSSINGS, QUANTITIES, RATIOS, TAILS
from dprepro.report.in_short import in_short
from dprepro.support.regular_files import unpacked

ROOT = Path(__file__).parents[2]
GRID = {"n": [4.0, 9.0, 3.0], "p": [10.0, 10.0, 1.0]}


def finding(**given: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "check": "one", "rule": "exponent", "verdict": "confirmed", "estimate": -0.6659, "low": -0.6674,
        "high": -0.6644, "expected": -2 / 3, "margin": 0.03, "quantity": "excess_risk", "axis": "n", "over": "",
        "side": "", "families": ["tuned needle"], "grid": GRID, "points": {"one": 3}, "envelope": [],
        "text": "the exponent of n in the excess risk: -0.6659",
    }  # fmt: skip
    return plain | given


def below(value: float, **given: Any) -> dict[str, Any]:
    return finding(rule="below", estimate=value, low=value, high=value, **({"side": "at_most"} | given))


def entry(
    *findings: dict[str, Any], families: tuple[str, ...] = ("tuned needle",), kind: str = "holds", experiment: str = "a"
) -> dict[str, Any]:
    given = [one | {"families": list(families)} for one in findings]
    return {"kind": kind, "words": "Attained", "families": list(families), "range": "", "under": "", "text": "",
            "experiment": experiment, "checks": [], "findings": given}  # fmt: skip


def row(*evidence: dict[str, Any], **given: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "verdict": "confirmed", "words": "confirmed", "direction": "at_most", "evidence": list(evidence),
        "note": "A reason of it. More.", "repaired": None, "kind": "rate",
    }  # fmt: skip
    return plain | given


def test_a_rate_is_told_with_its_interval_its_range_where_else_it_stood_and_what_was_stated() -> None:
    assert in_short(row(entry(finding()))) == (
        r"On tuned needle the mean excess risk goes as $n^{-0.666 \pm 0.002}$ over $n$ from 4 to 9 at $p$ = 10 "
        "(stated: $-2/3$ at most)."
    )


def test_a_stated_power_that_is_no_fraction_stands_as_a_number() -> None:
    assert "(stated: 0.347 at most)" in in_short(row(entry(finding(expected=0.347))))


def test_what_no_check_confirmed_is_not_told() -> None:
    open_one = finding(verdict="inconclusive", text="the exponent: open")
    assert "goes as" not in in_short(row(entry(open_one)))
    assert "times its" not in in_short(row(entry(below(0.5, verdict="refuted"))))


def test_a_bound_is_told_at_its_worst_over_all_families_and_rounded_away_from_the_claim() -> None:
    near = entry(below(0.8) | {"low": 0.79, "high": 0.8201}, families=("a", "b"))
    far = entry(below(0.2), families=("c",), experiment="b")
    said = in_short(row(near, far))
    assert said.startswith("On each of the 3 families tried the mean excess risk is at most 0.821 times its explicit")
    lower = entry(below(1.3, side="at_least") | {"low": 1.2349})
    said = in_short(row(lower, direction="at_least"))
    assert "is at least 1.23 times the stated lower bound" in said


def test_points_are_counted_once_though_several_checks_were_judged_on_them() -> None:
    first, again = below(0.5, points={"one": 3, "two": 4}), below(0.6, points={"one": 3})
    assert "(7 points, $n$ from 4 to 9, $p$ = 10)" in in_short(row(entry(first, again)))
    elsewhere = entry(again, experiment="b")
    assert "(10 points," in in_short(row(entry(first, again), elsewhere))


def test_what_was_computed_for_all_data_is_not_told_of_the_families_beside_it() -> None:
    """A range over both would say of the family what was computed elsewhere."""
    family = entry(below(0.04, quantity="certified_risk"), families=("packing",), kind="certified")
    exact = entry(below(0.9, quantity="certified_risk"), families=(), kind="certified", experiment="b")
    said = in_short(row(family, exact))
    assert "On packing the risk certified for every private algorithm is at most 0.04 times the stated rate" in said
    assert "Computed exactly, the risk certified for every private algorithm is at most 0.9 times" in said


def test_the_other_side_of_a_bound_is_told_of_its_own_families_alone() -> None:
    low = entry(below(0.996, side="at_least", points={"tail": 1}), families=("a",))
    said = in_short(row(entry(below(1.0), families=("a", "b")), low))
    assert "On each of the 2 families tried the mean excess risk is at most its explicit bound (3 points" in said
    assert "On a the mean excess risk is at least 0.996 times its explicit bound (1 point," in said


def test_two_sides_make_a_range_where_they_were_judged_on_the_same_points_only() -> None:
    sides = [below(value, side=side, quantity="sensitivity") for value, side in ((0.2, "at_least"), (0.3, "at_most"))]
    assert r"is 0.2 to 0.3 times the stated $\alpha$" in in_short(row(entry(*sides, kind="exact")))
    apart = [sides[0] | {"points": {"two": 3}}, sides[1]]
    said = in_short(row(entry(*apart, kind="exact")))
    assert "is at most 0.3 times" in said
    assert "is at least 0.2 times" in said


def test_a_lower_side_of_the_worst_member_alone_is_reached_and_not_held_by_all() -> None:
    said = in_short(row(entry(below(0.4, side="at_least", envelope=["mass"]))))
    assert "the mean excess risk reaches 0.4 times its explicit bound" in said


def test_nothing_but_zero_is_told_as_zero() -> None:
    assert r"at most $3.46\cdot 10^{-9}$ times" in in_short(row(entry(below(3.456e-9), kind="exact")))
    assert "is 0 (3 points" in in_short(row(entry(below(0.0), kind="exact")))
    assert "was 0 in all runs" in in_short(row(entry(below(0.0), kind="holds")))


def test_an_exponent_of_a_ratio_has_its_own_expectation_and_0_only_where_that_is_expected() -> None:
    drift = finding(over="bound", estimate=0.0312, low=0.0301, high=0.0323, expected=0.0)
    assert in_short(row(entry(drift))).endswith("at $p$ = 10 (expected: 0).")
    third = finding(over="bound", estimate=0.344, low=0.336, high=0.352, expected=1 / 3)
    assert in_short(row(entry(third))).endswith("at $p$ = 10 (expected: $1/3$).")


def test_an_exponent_is_told_of_the_families_it_was_measured_on_and_of_no_others() -> None:
    other = entry(finding(axis="p", estimate=0.5, low=0.499, high=0.501, expected=0.5), families=("spread places",))
    said = in_short(row(entry(finding()), other))
    assert "On tuned needle the mean excess risk goes as $n^{" in said
    assert "On spread places the mean excess risk goes as $p^{" in said


def test_what_is_left_to_the_table_is_counted() -> None:
    names = ("sensitivity", "excess_risk", "certified_risk", "certified_epsilon")
    said = in_short(row(entry(*(below(0.5, quantity=name) for name in names))))
    assert "the mean excess risk is at most 0.5" in said
    assert "sensitivity" not in said
    assert said.endswith("The table has 2 more comparisons.")
    assert "The table has 1 more exponent." in in_short(row(entry(finding(), finding())))


def test_a_row_on_privacy_tells_privacy_first_and_an_audit_no_more_than_it_showed() -> None:
    risk, certified = below(0.5), below(0.9, quantity="certified_epsilon")
    audit = finding(rule="audit", estimate=0.9477, low=0.9477, high=1.376, expected=1.0, side="at_most")
    said = in_short(row(entry(risk, certified), entry(audit, kind="audited"), kind="privacy"))
    assert "udits of draws show 0.947 times the budget's" in said
    assert said.index("udits of draws") < said.index("accountant certifies")
    assert "excess risk" not in said
    assert "excess risk" in in_short(row(entry(risk, certified), kind="rate"))


def erratum(severity: str, text: str = "A factor lacks.") -> dict[str, Any]:
    return {
        "kind": "exact", "text": f"{text} So. Fails for: $n = 1$. ({severity}; a: b)", "experiment": "", "checks": [],
    }  # fmt: skip


def test_a_refuted_row_says_why_and_for_what() -> None:
    said = in_short(row(erratum("typo"), verdict="refuted", words="refuted"))
    assert said == "As printed it is false, by a typo. A factor lacks. It fails for $n = 1$."
    corner = in_short(row(erratum("corner"), verdict="refuted", words="refuted at a corner"))
    assert corner == "As printed it fails at a degenerate corner. A factor lacks. It fails there for $n = 1$."


def test_a_row_that_is_false_is_not_explained_by_its_corner() -> None:
    said = in_short(row(erratum("corner", "A corner."), erratum("constant"), verdict="refuted", words="refuted"))
    assert said.startswith("As printed it is false, by a constant. A factor lacks.")


def test_a_refuted_row_says_then_what_holds_as_repaired_or_that_this_was_not_measured() -> None:
    repaired = {"verdict": "confirmed", "words": "confirmed", "direction": "at_most", "evidence": [entry(finding())]}
    said = in_short(row(entry(finding()), verdict="refuted", words="refuted", repaired=repaired))
    assert said.startswith("As printed it is false. As repaired, on tuned needle")
    unmeasured = repaired | {"verdict": "not measured", "words": "not measured", "evidence": []}
    said = in_short(row(verdict="refuted", words="refuted", repaired=unmeasured))
    assert said == "As printed it is false. What holds instead was not measured."


@pytest.mark.parametrize(
    ("verdict", "begin"), [("not contradicted", "Not contradicted, no more"), ("inconclusive", "Inconclusive")]
)
def test_what_falls_short_of_its_statement_says_so_and_why(verdict: str, begin: str) -> None:
    said = in_short(row(entry(finding()), verdict=verdict, words=verdict))
    assert said.endswith(f"{begin}: a reason of it.")


def test_logarithms_that_grids_leave_open_are_told() -> None:
    said = in_short(row(entry(finding()), words="confirmed within 0.1 up to ln^(-1 to 1.5) n, ln^±0.5 p"))
    assert said.endswith(r"cannot exclude a further factor $\ln^a n$ ($a$ from -1 to 1.5) or $\ln^{\pm 0.5} p$.")


def test_a_row_without_measurements_tells_its_note() -> None:
    assert in_short(row(verdict="nothing to measure", words="nothing to measure")) == "A reason of it. More."
    assert in_short(row(verdict="not measured", words="not measured")) == "A reason of it. More."


def findings() -> list[tuple[str, dict[str, Any]]]:
    """Those of the reference ledger, with their experiments."""
    ledger = json.loads(unpacked(ROOT / "results/reference/ledger.json.gz"))
    forms = [form for one in ledger["claims"] for form in (one, one["repaired"] or {})]
    entries = [found for form in forms for found in form.get("evidence", ()) if "findings" in found]
    return [(found["experiment"], one) for found in entries for one in found["findings"]]


def test_all_that_the_reference_compares_has_words_of_the_field() -> None:
    """A quantity without words would be told by the name that it has in the code."""
    told = [(experiment, one) for experiment, one in findings() if one["rule"] in ("below", "proportion", "exponent")]
    known = {"excess_risk", *QUANTITIES}
    silent = {
        f"{experiment}: {one['check']} ({one['quantity']})"
        for experiment, one in told
        if one["quantity"] not in known
        and not one["quantity"].startswith(TAILS)
        and one["check"] not in CHECKS.get(experiment, {})
    }
    assert silent == set()
    assert len(told) > 500


def test_no_words_are_left_of_checks_that_the_reference_has_no_more() -> None:
    known = {(experiment, one["check"]) for experiment, one in findings()}
    for words in (CHECKS, CROSSINGS, RATIOS):
        assert {(name, check) for name, checks in words.items() for check in checks} <= known


def test_the_sentences_of_the_reference_are_those_of_its_evidence() -> None:
    """Nobody has edited them, nor forgotten to renew them."""
    for one in json.loads(unpacked(ROOT / "results/reference/ledger.json.gz"))["claims"]:
        assert one["short"] == in_short(one), one["id"]
