"""Rows of the ledger: a statement's verdict, what forbids it, and the errata's state."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pandas as pd
import pytest

from dprepro.report import ledger
from dprepro.report.formulas import prose
from dprepro.report.ledger import Measured
from dprepro.report.markdown import markdown
from dprepro.report.publish import alone
from dprepro.report.registry import Erratum, Evidence, Statement


def check(role: str, verdict: str, expect: str = "") -> dict[str, Any]:
    expect = expect or ("confirmed" if role == "claim" else "refuted")
    numbers = {"estimate": 0.5, "low": 0.4, "high": 0.6, "expected": 0.5, "margin": 0.2, "rule": "exponent"}
    constants = dict.fromkeys(("constant", "constant_low", "constant_high"))
    said = {"role": role, "verdict": verdict, "expect": expect, "as_expected": verdict == expect, "reason": ""}
    return said | numbers | constants


def store(**experiments: dict[str, dict[str, Any]]) -> Measured:
    published = {}
    for name, checks in experiments.items():
        provenance = {"date": "2026-01-01", "cells": 3, "seconds": 1.0, "commit": "", "seed": 0, "versions": {}}
        one = Mock(folder=Path(name), frame=pd.DataFrame({"key": ["a", "a", "b"], "seconds": [1.0, 1.0, 2.0]}))
        one.verdict = {"checks": checks, "neighbours": "replace_one", "provenance": provenance}
        published[name] = one
    return Measured(published, {"late": "only overridden or unfinished runs are stored"})


GOOD = {"a": check("claim", "confirmed"), "b": check("claim", "inconclusive"), "wrong": check("control", "refuted")}


def row(measured: Measured, **checks: list[str]) -> dict[str, Any]:
    return ledger._row("lasso", Statement("Theorem 1", "rate", "It holds.", checks), measured, [])


def test_a_statement_has_the_worst_verdict_of_the_checks_that_are_about_it() -> None:
    measured = store(one=GOOD, two={"a": check("claim", "refuted")})
    assert row(measured, one=["a"])["verdict"] == "confirmed"
    assert row(measured, one=[])["verdict"] == "inconclusive"
    assert row(measured, one=["a"], two=[])["verdict"] == "refuted"
    only = row(measured, one=["a"])["measurements"][0]
    assert (list(only["checks"]), list(only["controls"])) == (["a"], ["wrong"])
    assert only["command"] == "python -m dprepro +experiment=one"
    assert only["measuring_seconds"] == 3


def test_a_statement_without_a_measurement_is_not_measured_and_says_why() -> None:
    assert row(store())["verdict"] == "not measured"
    late = row(store(), late=[])
    assert (late["verdict"], late["as_expected"]) == ("not measured", None)
    assert late["note"] == "late: only overridden or unfinished runs are stored"


def test_what_is_missing_forbids_confirmed_but_not_refuted() -> None:
    measured = store(one=GOOD, two={"a": check("claim", "refuted")})
    partly = row(measured, one=["a"], late=[])
    assert partly["verdict"] == "inconclusive"
    assert partly["note"].startswith("Confirmed as far as measured; missing: late.")
    assert row(measured, one=["a", "gone"])["note"].startswith("Confirmed as far as measured; missing: one:gone.")
    assert row(measured, two=[], late=[])["verdict"] == "refuted"


@pytest.mark.parametrize(
    ("shown_by", "state"),
    [
        ([Evidence("one", "wrong")], "shown"),
        ([Evidence("one", "odd"), Evidence("one", "wrong")], "not as expected"),
        ([Evidence("late", "wrong")], "not in this store"),
        ([Evidence("late", "wrong"), Evidence(test="tests/x.py::test_y")], "by a test"),
    ],
)
def test_an_erratum_says_whether_its_check_came_out(shown_by: list[Evidence], state: str) -> None:
    measured = store(one={**GOOD, "odd": check("erratum", "confirmed")})
    slip = ledger._slip("lasso", Erratum("Theorem 1", "x", "y", "typo", shown_by), measured)
    assert slip["state"] == state


def test_markdown_keeps_signs_that_would_break_its_tables() -> None:
    line = row(store(one=GOOD), one=["a"]) | {"statement": "||theta||_1 <= 1 [*]"}
    text = markdown({"claims": [line], "errata": []})
    assert r"\|\|theta\|\|\_1 \<= 1 \[\*\]" in text
    assert "`one: a` 0.5 \\[0.4, 0.6\\], expected 0.5 ± 0.2" in text


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("L_1 sqrt(p) (n epsilon)^(-2/3)", "L<sub>1</sub> √(p) (n ε)<sup>-2/3</sup>"),
        ("a < 1 & ||theta_hat|| >= x_ij^2", "a &lt; 1 &amp; ||θ\u0302|| ≥ x<sub>ij</sub><sup>2</sup>"),
        ("gamma noise with probability 1 - gamma", "gamma noise with probability 1 − γ"),
        ("n^2. And n^0.5.", "n<sup>2</sup>. And n<sup>0.5</sup>."),
        ("lasso_delta and glm_jl, deltas", "lasso_delta and glm_jl, deltas"),
        ('x^(<b>) y_("&)', "x<sup>&lt;b&gt;</sup> y<sub>&#34;&amp;</sub>"),
    ],
)
def test_formulas_are_set_and_names_left_alone(text: str, html: str) -> None:
    assert prose(text) == html


def test_only_one_publishes_at_a_time(tmp_path: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with alone(tmp_path):
            order.append("second")

    other = threading.Thread(target=second)
    with alone(tmp_path):
        other.start()
        time.sleep(0.2)
        order.append("first")
    other.join()
    assert order == ["first", "second"]
    assert not list(tmp_path.iterdir())
