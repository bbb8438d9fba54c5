"""What a ledger calls refuted is corrected for how many claims its paper has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from helpers.ledger_rows import check, published
from scipy.stats import binom

from dprepro.analysis.checks import build
from dprepro.analysis.fits import LEVEL
from dprepro.analysis.rule import RUNGS
from dprepro.report.multiplicity import corrected, holm


def test_holm_steps_down_from_the_smallest_error() -> None:
    errors = {"a": 0.0, "b": 0.0, "c": 0.0024, "d": 0.004, "e": 0.0041}
    assert holm(errors, tests=5) == {*errors}, "0.01/3, then 0.01/2 and 0.01/1"
    assert holm(errors, tests=6) == {"a", "b", "c"}, "0.01/4 is below 0.0041, and 0.01/3 below 0.004"
    assert holm({}, tests=0) == set()


def test_of_true_claims_one_is_rejected_in_one_percent_of_papers() -> None:
    """Uniform errors of 50 true claims beside ten false ones; probability 1e-4 of a false alarm of this test."""
    rng, papers = np.random.default_rng(5), 2000
    wrong = 0
    for _ in range(papers):
        errors = {i: float(error) for i, error in enumerate(rng.random(50))} | {50 + i: 0.0 for i in range(10)}
        rejected = holm({key: error for key, error in errors.items() if error <= 1 - LEVEL}, tests=60)
        wrong += any(key < 50 for key in rejected)
        assert {*range(50, 60)} <= rejected
    assert wrong <= binom.ppf(1 - 1e-4, papers, 1 - LEVEL)


def ledger_of(**checks: dict[str, Any]) -> dict[str, Any]:
    one = published("one", checks)
    one = replace(one, verdict=one.verdict | {"verdict": "refuted", "as_expected": False})
    return corrected({"one": one})["one"].verdict


NULLS = {f"true_{i}": check("claim", "confirmed") for i in range(100)}


def test_planted_noise_is_no_refutation_and_a_planted_error_is_one() -> None:
    found = ledger_of(
        **NULLS, noise=check("claim", "refuted", error=0.003), false=check("claim", "refuted", error=1e-6)
    )
    checks = found["checks"]
    assert checks["false"]["verdict"] == "refuted"
    assert (checks["noise"]["verdict"], checks["noise"]["as_expected"]) == ("inconclusive", False)
    assert "among the 102 claims and errata" in checks["noise"]["reason"]
    assert found["verdict"] == "refuted"
    assert ledger_of(**NULLS, noise=check("claim", "refuted", error=0.003))["verdict"] == "inconclusive"


def test_errata_are_hypotheses_and_controls_are_none() -> None:
    checks = ledger_of(
        **NULLS, slip=check("erratum", "refuted", error=0.003), exact=check("erratum", "refuted", error=0.0),
        wrong=check("control", "refuted", error=0.009),
    )["checks"]  # fmt: skip
    verdicts = {name: checks[name]["verdict"] for name in ("slip", "exact", "wrong")}
    assert verdicts == {"slip": "inconclusive", "exact": "refuted", "wrong": "refuted"}


def test_papers_are_corrected_apart() -> None:
    alone = published("alone", {"only": check("claim", "refuted", error=0.009)})
    alone.config["paper"] = "bst"
    many = published("many", NULLS)
    assert corrected({"alone": alone, "many": many})["alone"].verdict["checks"]["only"]["verdict"] == "refuted"


def test_the_error_of_a_refutation_is_the_level_at_which_its_interval_ends(ratio_frame: Any) -> None:
    rule = {"rule": "ratio", "role": "claim", "series": "hard", "divide": "rate", "margin": 0}
    errors = []
    for shift in (0.0, 0.06, 0.2):
        frame, expected = ratio_frame(0.1), float(np.exp(shift))
        found = build("it", rule | {"expected": expected}).judge(frame)
        errors.append(found.details.get("error"))
        if found.verdict == "refuted":
            error = errors[-1]
            assert error in RUNGS
            inside = build("it", rule | {"expected": expected})._at(1 - 0.25 * error).measure(frame).interval
            assert inside is not None
            assert inside.low <= expected <= inside.high or error == RUNGS[-1]
    assert errors[0] is None, "it is not refuted"
    assert errors[1] is None or errors[1] > errors[2]


def test_an_exact_violation_has_no_error(ratio_frame: Any) -> None:
    rule = {"rule": "below", "role": "claim", "series": "hard", "expected": 0.5}
    assert build("it", rule).judge(ratio_frame(0.0)).details["error"] == 0
    assert "error" not in build("it", {**rule, "role": "control"}).judge(ratio_frame(0.0)).details


@pytest.fixture
def ratio_frame() -> Any:
    """Values that are their bound and rate, up to noise."""
    import pandas as pd

    def frame(noise: float) -> pd.DataFrame:
        rng = np.random.default_rng(11)
        rows = [
            {"series": "hard", "role": "claim", "n": n, "p": 10.0, "epsilon": 1.0, "delta": 0.0, "norm": 1.0,
             "replicate": i, "quantity": "excess_risk", "value": float(np.exp(noise * rng.standard_normal())),
             "bound": 1.0, "rate": 1.0, "status": "ok", "deterministic": not noise}
            for n in (1e4, 1e5, 1e6, 1e7, 1e8, 1e9) for i in range(4)
        ]  # fmt: skip
        return pd.DataFrame(rows)

    return frame
