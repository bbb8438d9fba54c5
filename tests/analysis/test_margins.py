"""Margins by kind, equalities, and inequalities without slack."""

from __future__ import annotations

import math

import pytest
from helpers.analysis_frames import decades, make_frame

from dprepro.analysis.checks import RULES, build, qualified, said, worded
from dprepro.analysis.margins import FROZEN, MEANING, RELATIVE, kind
from dprepro.analysis.rule import CheckResult

GRID = decades("n", 4, 8, 6)


def judged(rule: dict[str, object], share: float, noise: float = 0.0, replicates: int = 40) -> CheckResult:
    frame = make_frame(
        GRID, lambda at: share / at["n"], bound=lambda at: 1 / at["n"], noise=noise, replicates=replicates, seed=3
    )
    return build("it", {"role": "claim", "series": "hard", **rule}).judge(frame)


def test_every_rule_has_the_margin_of_its_kind() -> None:
    assert {kind(name, {}) for name in RULES} <= FROZEN.keys() == MEANING.keys()
    assert {*RELATIVE} <= FROZEN.keys()
    exponent = build("it", {"rule": "exponent", "role": "claim", "series": "a", "expected": -0.5})
    assert (exponent.kind, exponent.margin) == ("rate", FROZEN["rate"])
    ratio = build("it", {"rule": "ratio", "role": "claim", "series": "a", "divide": "rate", "expected": 96})
    assert (ratio.kind, ratio.margin) == ("constant", pytest.approx(96 * FROZEN["constant"]))
    inner = {"rule": "exponent", "role": "claim", "series": "a", "expected": 1, "transform": "log_log_inverse"}
    assert build("it", inner).margin == FROZEN["rate of a logarithm"]


def test_a_margin_of_its_own_is_kept() -> None:
    one = {"rule": "exponent", "role": "claim", "series": "a", "expected": -0.5, "margin": 0.2, "margin_reason": "few"}
    assert build("it", one).margin == 0.2
    assert not math.isnan(build("it", one).frozen_margin)


def test_a_bound_that_is_violated_by_a_tenth_is_refuted() -> None:
    assert judged({"rule": "below"}, 1.1, noise=0.1).verdict == "refuted"
    assert judged({"rule": "below"}, 0.8, noise=0.1).verdict == "confirmed"


def test_a_bound_that_is_attained_is_no_more_than_equal_to_it() -> None:
    attained = {"rule": "below", "side": "equals"}
    assert judged({"rule": "below"}, 1.0, noise=0.1).verdict == "inconclusive", "draws cannot tell"
    found = judged(attained, 1.0, noise=0.1)
    assert (found.verdict, found.margin, found.details.get("side")) == ("confirmed", FROZEN["attained bound"], None)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 1 < found.high
    assert judged(attained, 1.2, noise=0.1).verdict == "refuted"
    assert judged(attained, 0.8, noise=0.1).verdict == "refuted", "from either side"
    assert judged(attained, 1.1, noise=0.1).verdict == "inconclusive", "at the end of the margin"


def test_exact_values_have_no_slack_but_rounding() -> None:
    assert judged({"rule": "below"}, 1 + 1e-12, replicates=1).verdict == "confirmed"
    assert judged({"rule": "below"}, 1 + 1e-7, replicates=1).verdict == "refuted"


def test_a_confirmation_within_a_wide_margin_says_so() -> None:
    narrow, wide = ({"rule": "below", "side": "equals", "margin": margin} for margin in (0.05, 0.2))
    assert said(judged(narrow, 1.0).to_dict()) == "confirmed"
    assert said(judged(wide, 1.0).to_dict()) == "confirmed within 0.2"
    assert said(judged(wide, 2.0).to_dict()) == "refuted"
    relative = {"rule": "ratio", "divide": "bound", "expected": 96}
    assert "within" not in judged(relative, 96.0).details, "5% of 96 is no wide margin"


def test_an_experiment_says_its_widest_margin_and_every_power_of_a_logarithm() -> None:
    def check(**details: object) -> dict[str, object]:
        return {"role": "claim", "verdict": "confirmed", "rule": "exponent", "details": details}

    n, p = (
        {"up_to_logarithms": True, "axis": axis, "log_powers": powers}
        for axis, powers in (("n", [0.5]), ("p", [-1.0, 1.0]))
    )
    checks = {"a": check(**n), "b": check(**p, within=0.1), "c": check(within=0.3, precondition=True)}
    verdict = {"verdict": "confirmed", "checks": checks}
    assert worded(verdict) == "confirmed within 0.1 up to ln^0.5 n, ln^±1 p"
    assert worded(verdict | {"verdict": "refuted"}) == "refuted"
    assert qualified("confirmed", []) == "confirmed"
