"""The ledger's rules, row by row: planted stores that differ in one thing from a sound one, and what that must change.

What a sound store says is compared with, so that a rule which words it otherwise changes nothing here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import pandas as pd
import pytest
from helpers.ledger_rows import BOTH, GOOD, SIZES, attacks, check, published, row, store

from dprepro.analysis.checks import as_expected, build, up_to_logarithms, worst
from dprepro.analysis.fits import Interval
from dprepro.analysis.rule import CheckResult, Measured, Rule
from dprepro.report import entries
from dprepro.report.measured import MeasuredStore
from dprepro.statements.papers import Erratum, ErratumEvidence
from dprepro.statements.statement import Says

SOUND = row(store(one=GOOD), evidence=BOTH)
CARRIED = SOUND["verdict"]


def changed(**checks: dict[str, Any]) -> MeasuredStore:
    """A store whose experiment has other or further checks."""
    return store(one=GOOD | checks)


def test_a_sound_store_carries_its_row() -> None:
    assert CARRIED in ("confirmed", "not contradicted")
    assert SOUND["as_expected"] is True


VERDICTS = ("confirmed", "inconclusive", "refuted")
CONTROLS = [
    ("refuted", "refuted"),
    ("inconclusive", "inconclusive"),
    ("inconclusive", "refuted"),
    ("confirmed", "refuted"),
]


@pytest.mark.parametrize(("said", "expect", "control"), list(product(VERDICTS, VERDICTS, CONTROLS)))
def test_a_row_is_as_expected_where_each_of_its_checks_and_all_controls_are(
    said: str, expect: str, control: tuple[str, str]
) -> None:
    found = row(changed(bound=check("claim", said, expect), wrong=check("control", *control)), evidence=BOTH)
    fine = control[0] == control[1]
    assert found["as_expected"] is (said == expect and fine)
    if said != "confirmed":
        assert found["verdict"] == said
    else:
        assert found["verdict"] == (CARRIED if fine else "inconclusive")


def test_a_control_need_not_be_named_to_take_a_confirmation_away_and_those_of_another_experiment_do_not() -> None:
    failed = check("control", "inconclusive")
    found = row(changed(another=failed), evidence=BOTH)
    assert (found["verdict"], found["as_expected"]) == ("inconclusive", False)
    assert "one:another" in found["note"]
    apart = store(one=GOOD, two={"another": failed, "bound": check("claim", "confirmed")})
    assert row(apart, evidence=BOTH)["verdict"] == CARRIED


@pytest.mark.parametrize("said", ["inconclusive", "refuted", "confirmed"])
def test_nothing_rests_on_an_experiment_whose_guard_is_not_confirmed(said: str) -> None:
    found = row(changed(noise=check("claim", said, precondition=True)), evidence=BOTH)
    assert found["verdict"] == (CARRIED if said == "confirmed" else "inconclusive")
    assert found["as_expected"] is (said == "confirmed")
    assert ("one:noise" in found["note"]) is (said != "confirmed")
    plain = row(changed(noise=check("claim", said)), evidence=BOTH)
    assert plain["verdict"] == CARRIED
    aside = row(changed(noise=check("context", said, precondition=True)), evidence=BOTH)
    assert aside["verdict"] == CARRIED


def test_a_check_that_is_asked_for_and_was_not_judged_is_missing() -> None:
    measured = store(one=GOOD)
    measured.published["one"].config["checks"]["late"] = {"role": "claim"}
    found = row(measured, evidence=BOTH | {"exact": {"one": ["late"]}})
    assert found["verdict"] == "inconclusive"
    assert "missing: one:late" in found["note"]


def test_context_beside_a_claim_takes_nothing_away() -> None:
    found = row(store(one=GOOD), evidence=BOTH | {"holds": {"one": ["bound", "seen"]}})
    assert found["verdict"] == CARRIED


def test_the_worst_check_decides_in_whatever_order_and_kind_it_stands() -> None:
    every = {"a": check("claim", "confirmed"), "b": check("claim", "inconclusive"), "c": check("claim", "refuted")}
    for kinds in (("attained", "holds", "exact"), ("exact", "attained", "holds"), ("holds", "exact", "attained")):
        evidence = {kind: {"one": [name]} for kind, name in zip(kinds, "abc", strict=True)}
        assert row(store(one=every), evidence=evidence)["verdict"] == "refuted"
        without = {kind: places for kind, places in evidence.items() if places != {"one": ["c"]}}
        assert row(store(one=every), evidence=without)["verdict"] == "inconclusive"


def test_doubts_never_turn_a_refutation_into_something_milder() -> None:
    failed = {"wrong": check("control", "confirmed"), "noise": check("claim", "refuted", precondition=True)}
    found = row(changed(bound=check("claim", "refuted"), **failed), evidence={"holds": {"one": ["bound"]}})
    assert (found["verdict"], found["as_expected"]) == ("refuted", False)


CERTIFIED = {"certified": {"one": ["bound"]}}


def test_a_lower_bound_is_certified_by_its_own_sizes_or_exact() -> None:
    measured = store(one=GOOD)
    assert row(measured, kind="attack", evidence={"exact": {"one": ["bound"]}})["verdict"] == CARRIED
    few = MeasuredStore(
        {"one": published("one", GOOD, SIZES[:3]), "two": published("two", GOOD), "attacks": attacks()}, {}
    )
    other = CERTIFIED | {"holds": {"two": ["slope"]}, "attained": {"two": ["bound"]}}
    assert row(few, kind="attack", evidence=other)["verdict"] == "not contradicted"
    for said in ("inconclusive", "refuted"):
        unsure = changed(bound=check("claim", said))
        assert row(unsure, kind="attack", evidence={"holds": {"one": ["bound"]}})["verdict"] == said


def grid(*changes: tuple[str, Sequence[Any]]) -> MeasuredStore:
    """The sound store, of whose frame some columns have these values in turn."""
    measured = store(one=GOOD)
    frame = measured.published["one"].frame
    for column, values in changes:
        frame[column] = [values[k % len(values)] for k in range(len(frame))]
    return measured


def test_sizes_are_values_of_one_axis_that_were_measured() -> None:
    assert row(grid(), kind="attack", evidence=CERTIFIED)["verdict"] == CARRIED
    two_by_two = grid(("n", [1e5, 1e6]), ("epsilon", [1.0, 1.0, 2.0, 2.0]))
    assert row(two_by_two, kind="attack", evidence=CERTIFIED)["verdict"] == "not contradicted"
    by_p = grid(("n", [1e5]), ("p", [10, 20, 30, 40]))
    assert row(by_p, kind="attack", evidence=CERTIFIED)["verdict"] == CARRIED
    lost = grid(("status", ["ok", "ok", "ok", "failed: x"]))
    assert row(lost, kind="attack", evidence=CERTIFIED)["verdict"] == "not contradicted"


def test_an_exact_law_needs_no_families_and_no_bound() -> None:
    assert row(store(one=GOOD), evidence={"exact": {"one": ["slope"]}})["verdict"] == CARRIED


def families(*blocks: dict[str, Any]) -> MeasuredStore:
    """The sound store with other constructions of its three series."""
    measured = store(one=GOOD)
    series = measured.published["one"].config["study"]["series"]
    for name, block in zip(series, blocks, strict=True):
        series[name]["construction"] = {"_target_": "dprepro.constructions.RandomDesign", **block}
    return measured


@pytest.mark.parametrize(
    ("blocks", "count"),
    [
        (({"kind": "a"}, {"kind": "b"}, {"kind": "c"}), 3),
        (({"kind": "a"}, {"kind": "b"}, {"kind": "b"}), 2),
        (({"seed": "1"}, {"seed": "2"}, {"seed": "3"}), 1),
        (({"rows": 1}, {"rows": 2}, {"rows": 3}), 1),
        (({"mass": 0.1}, {"mass": 0.2}, {"kind": "a"}), 2),
        (({"coordinates": 1}, {"coordinates": 2}, {"coordinates": 3}), 3),
    ],
)
def test_families_differ_in_words_and_in_where_the_signal_lies_not_in_seeds_and_sizes(
    blocks: tuple[dict[str, Any], ...], count: int
) -> None:
    found = row(families(*blocks), evidence=BOTH)
    assert found["verdict"] == (CARRIED if count == 3 else "not contradicted")
    families_held = "1 family" if count == 1 else f"{count} families"
    assert (f"held on {families_held}" in found["note"]) is (count < 3)


def test_only_the_families_on_which_the_bound_itself_was_held_count() -> None:
    measured = store(one=GOOD)
    measured.published["one"].config["checks"]["bound"]["series"] = ["iid", "planted"]
    found = row(measured, evidence=BOTH)
    assert found["verdict"] == "not contradicted"
    assert "held on 2 families" in found["note"]
    evidence = found["evidence"][1]["text"]
    assert "kind planted" in evidence
    assert "kind noise" not in evidence


def test_a_check_of_all_series_is_one_of_those_that_have_its_bound_and_speak_for_it() -> None:
    measured = store(one=GOOD)
    one = measured.published["one"]
    one.config["checks"]["bound"]["series"] = "*"
    assert row(measured, evidence=BOTH)["verdict"] == CARRIED
    frame = one.frame
    frame.loc[frame["series"] == "noise", "quantity"] = "another"
    one.__dict__.pop("bounded", None)
    assert "held on 2 families" in row(measured, evidence=BOTH)["note"]
    frame["quantity"] = "excess_risk"
    frame.loc[frame["series"] == "noise", "role"] = "control"
    one.__dict__.pop("bounded", None)
    assert "held on 2 families" in row(measured, evidence=BOTH)["note"]
    frame["role"] = "claim"
    frame.loc[frame["series"] == "noise", "bound"] = float("nan")
    one.__dict__.pop("bounded", None)
    assert "held on 2 families" in row(measured, evidence=BOTH)["note"]


def test_one_bound_that_is_not_vacuous_is_enough() -> None:
    measured = changed(empty=check("claim", "confirmed", vacuous=True))
    evidence = {"holds": {"one": ["empty", "bound"]}}
    assert row(measured, evidence=evidence, upper_only=True)["verdict"] == CARRIED
    alone = row(measured, evidence={"holds": {"one": ["empty"]}}, upper_only=True)
    assert alone["verdict"] == "inconclusive"


def test_evidence_stands_with_the_strongest_kind_first() -> None:
    kinds = ["exact", "certified", "attained", "holds", "audited", "not contradicted"]
    measured = store(one={kind: check("claim", "confirmed") for kind in kinds})
    found = row(measured, evidence={kind: {"one": [kind]} for kind in reversed(kinds)})
    assert [one["kind"] for one in found["evidence"]] == kinds


SLIP = Erratum("Theorem 1, step", "x", "y", "false", [ErratumEvidence("one", "slip")])
OTHER = Erratum("Theorem 1, size", "x", "y", "typo", [ErratumEvidence("one", "odd")])
REPAIRED = Says(text="It holds otherwise.")


def disproved(measured: MeasuredStore, *errata: Erratum, **fields: Any) -> dict[str, Any]:
    return row(measured, errata=errata, evidence=BOTH, false=[erratum.item for erratum in errata], **fields)


def test_one_erratum_that_does_not_come_out_as_expected_leaves_a_statement_open() -> None:
    good, bad = (changed(odd=check("erratum", said)) for said in ("refuted", "confirmed"))
    assert disproved(good, SLIP, OTHER)["verdict"] == "refuted"
    found = disproved(bad, SLIP, OTHER)
    assert (found["verdict"], found["as_expected"]) == ("inconclusive", False)
    assert disproved(store(one=GOOD), SLIP, OTHER)["verdict"] == "refuted"  # the other is not in this store
    alone = disproved(bad, OTHER)
    assert (alone["verdict"], alone["evidence"]) == ("inconclusive", [])
    assert disproved(changed(odd=check("erratum", "inconclusive", "inconclusive")), OTHER)["verdict"] == "refuted"


def test_a_row_of_two_statements_is_as_expected_only_if_both_are() -> None:
    for slip, bound in product(("refuted", "confirmed"), ("confirmed", "refuted")):
        measured = changed(slip=check("erratum", slip), bound=check("claim", bound))
        found = disproved(measured, SLIP, repaired=REPAIRED)
        assert found["as_expected"] is (slip == "refuted" and bound == "confirmed")
        assert found["repaired"]["verdict"] == (CARRIED if bound == "confirmed" else "refuted")
        assert found["verdict"] == ("refuted" if slip == "refuted" else "inconclusive")


def test_what_holds_of_a_repair_confirms_nothing_that_is_printed() -> None:
    found = row(store(one=GOOD), evidence=BOTH, repaired=REPAIRED)
    assert (found["verdict"], found["repaired"]["verdict"]) == ("not measured", CARRIED)
    assert found["evidence"] == []
    assert len(found["repaired"]["evidence"]) == 2


def test_a_row_names_the_errata_of_its_statement_only() -> None:
    far = Erratum("Lemma 9", "x", "y", "typo", [ErratumEvidence("one", "slip")])
    assert row(store(one=GOOD), errata=[SLIP, far], evidence=BOTH)["errata"] == ["Theorem 1, step"]


BY_TEST, ABSENT = ErratumEvidence(test="tests/x.py::test_y"), ErratumEvidence("late", "slip")


@pytest.mark.parametrize(
    ("shown_by", "state"),
    [
        ([ErratumEvidence("one", "slip"), BY_TEST], "shown"),
        ([BY_TEST, ErratumEvidence("one", "slip"), ABSENT], "shown"),
        ([BY_TEST, ErratumEvidence("one", "odd")], "not as expected"),
        ([ErratumEvidence("one", "slip"), ABSENT, ErratumEvidence("one", "odd")], "not as expected"),
        ([BY_TEST, ABSENT], "by a test"),
        ([ABSENT], "not in this store"),
        ([ErratumEvidence("one", "held")], "shown"),
    ],
)
def test_the_state_of_an_erratum_is_the_worst_of_what_this_store_shows(
    shown_by: list[ErratumEvidence], state: str
) -> None:
    measured = changed(odd=check("erratum", "inconclusive"), held=check("erratum", "confirmed", "confirmed"))
    assert entries._erratum_row("lasso", Erratum("Theorem 1", "x", "y", "typo", shown_by), measured)["state"] == state


def test_the_constant_of_a_row_is_the_largest_that_is_known() -> None:
    def both(low: float, high: float) -> dict[str, dict[str, Any]]:
        held = check("claim", "confirmed")
        return GOOD | {"known": held | {"low": low, "high": 9.0}, "most": held | {"low": 0.1, "high": high}}

    stores = {"one": both(0.2, 4.0), "two": both(0.7, 3.0), "three": both(0.5, 2.0)}
    constant = dict.fromkeys(stores, ("known", "most"))
    found = row(store(**stores), evidence=BOTH, constant=constant)["constant"]
    assert (found["lower"], found["upper"], found["witness"]) == (0.7, 3.0, "two: known")


def result(role: str, verdict: str, expect: str, **details: Any) -> CheckResult:
    numbers = {"estimate": 0.5, "low": 0.4, "high": 0.6, "expected": 0.5, "margin": 0.2}
    return CheckResult(
        role, verdict, expect, verdict == expect, rule="exponent", reason="why", details=details, **numbers
    )


@pytest.mark.parametrize("role", ["claim", "control", "context", "erratum"])
def test_an_experiment_is_as_expected_only_if_checks_of_every_role_are(role: str) -> None:
    fine = {
        "claim": result("claim", "confirmed", "confirmed"), "control": result("control", "refuted", "refuted"),
        "context": result("context", "confirmed", "confirmed"), "erratum": result("erratum", "refuted", "refuted"),
    }  # fmt: skip
    assert as_expected(fine)
    for verdict in {"confirmed", "inconclusive", "refuted"} - {fine[role].verdict}:
        assert not as_expected(fine | {"odd": result(role, verdict, fine[role].expect)})


def test_an_experiment_has_the_worst_verdict_of_its_claims_and_without_any_none() -> None:
    every = {name: result("claim", name, name) for name in ("confirmed", "inconclusive", "refuted")}
    assert worst(every) == "refuted"
    assert worst({name: value for name, value in every.items() if name != "refuted"}) == "inconclusive"
    assert worst({}) == "inconclusive"
    others = {role: result(role, "refuted", "refuted") for role in ("control", "context", "erratum")}
    assert worst(others) == "inconclusive"
    assert worst({**others, "fine": every["confirmed"]}) == "confirmed"


def test_only_a_confirmed_exponent_is_confirmed_up_to_logarithms() -> None:
    for verdict in ("confirmed", "inconclusive", "refuted"):
        said = result("claim", verdict, verdict, up_to_logarithms=True).to_dict()
        assert up_to_logarithms(said) is (verdict == "confirmed")


@pytest.mark.parametrize("verdict", ["confirmed", "inconclusive", "refuted"])
def test_measurements_in_doubt_neither_confirm_nor_refute(verdict: str) -> None:
    doubted = result("claim", verdict, verdict).doubted("cells are damaged")
    assert (doubted.verdict, doubted.reason) == ("inconclusive", "cells are damaged; why")
    assert doubted.as_expected is (verdict == "inconclusive")


@dataclass(frozen=True, kw_only=True)
class Said(Rule):
    """A rule that has measured an interval."""

    name: ClassVar[str] = "said"

    found: Interval

    def measure(self, frame: Any) -> Measured:
        """What it was given."""
        return Measured(interval=self.found)


def ruled(low: float, high: float, **fields: Any) -> CheckResult:
    """The judgement of an interval about 1, give or take .1."""
    rule = Said(role="claim", expected=1.0, margin=0.1, found=Interval((low + high) / 2, low, high), **fields)
    return rule.judge(pd.DataFrame())


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.95, 1.05, "confirmed"),
        (0.9, 1.1, "confirmed"),
        (0.85, 1.05, "inconclusive"),
        (0.95, 1.15, "inconclusive"),
        (0.5, 1.5, "inconclusive"),
        (1.05, 1.5, "inconclusive"),
        (1.11, 1.5, "refuted"),
        (0.5, 0.89, "refuted"),
        (0.5, 0.9, "inconclusive"),
    ],
)
def test_a_whole_interval_inside_confirms_one_outside_refutes_and_nothing_else_does(
    low: float, high: float, verdict: str
) -> None:
    assert ruled(low, high).verdict == verdict
    lacking = ruled(low, high, lacks="the premise is left")
    assert lacking.verdict == "inconclusive"
    assert lacking.reason.startswith("the premise is left")
    pinned = ruled(low, high, pinned="typed for another grid")
    assert pinned.verdict == ("inconclusive" if verdict == "refuted" else verdict)
    assert ("typed for another grid" in pinned.reason) is (verdict == "refuted")


def test_controls_and_errata_must_be_refuted_and_claims_and_context_confirmed() -> None:
    found = {
        role: build("x", {"rule": "below", "role": role, "expected": 1}).expect
        for role in ("claim", "control", "context", "erratum")
    }
    assert found == {"claim": "confirmed", "control": "refuted", "context": "confirmed", "erratum": "refuted"}


def two_algorithms(*own: str) -> MeasuredStore:
    """A store whose checks hold Frank-Wolfe on families ``own`` and another algorithm on all others."""
    measured = store(one=GOOD)
    for kind, series in measured.published["one"].config["study"]["series"].items():
        if kind not in own:
            series["algorithm"] = {"_target_": "dprepro.algorithms.GridSearch"}
    return measured


@pytest.mark.parametrize(("own", "count"), [(("iid", "planted", "noise"), 3), (("iid", "noise"), 2), (("iid",), 1)])
def test_families_of_other_algorithms_are_none_on_which_a_statement_was_held(own: tuple[str, ...], count: int) -> None:
    """A check may hold several algorithms at once, each against its own bound."""
    premise = ["algorithm is NoisyFrankWolfe"]
    found = row(two_algorithms(*own), evidence=BOTH, premise=premise)
    held = next(entry for entry in found["evidence"] if entry["kind"] == "holds")
    assert len(held["families"]) == count
    assert set(held["findings"][0]["points"]) == set(own)
    assert found["verdict"] == (CARRIED if count == 3 else "not contradicted")
    assert row(two_algorithms(*own), evidence=BOTH)["verdict"] == CARRIED  # it says of no algorithm


def test_a_check_that_none_of_its_algorithms_runs_is_about_all_of_its_families() -> None:
    """An audit of the step inside, or a curve of the rival: the premise says no more of it."""
    found = row(store(one=GOOD), evidence=BOTH, premise=["algorithm is Localization"])
    assert found["verdict"] == CARRIED
    assert len(found["evidence"][0]["families"]) == 3
