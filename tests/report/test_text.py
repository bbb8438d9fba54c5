"""The words that a run ends with."""

from __future__ import annotations

import pandas as pd

from dprepro.analysis.points import SATURATED_IN_WORDS, sentence
from dprepro.report.text import first_words, number, position, reads_a_table, table, unmeasured, verdict_lines, wanted

AXES = {"n": 1e6, "p": 1000, "epsilon": 1.0, "delta": 1e-6, "norm": 1.0}


def rows(**changes: list[object]) -> pd.DataFrame:
    count = len(next(iter(changes.values())))
    plain = {
        "series": "a",
        "role": "claim",
        **AXES,
        "quantity": "excess_risk",
        "value": 0.5,
        "bound": 1.0,
        "status": "ok",
    }
    return pd.DataFrame({key: changes.get(key, [value] * count) for key, value in plain.items()}).assign(
        key=[f"{i:02}" for i in range(count)]
    )


def test_numbers_are_short() -> None:
    assert [number(value) for value in (None, float("nan"), 1e6, 0.123456, 1000, 3e-9)] == [
        "-", "-", "1e6", "0.1235", "1000", "3e-9",
    ]  # fmt: skip


def test_whole_numbers_on_an_axis_are_not_rounded() -> None:
    values = (1e6, 262144, 20192.0, 1e12, 0.003, 1e-128, float("inf"))
    assert [position(value) for value in values] == ["1e6", "262144", "20192", "1e12", "0.003", "1e-128", "inf"]


def test_the_table_has_claims_first_means_over_replicates_and_a_column_for_each_axis_that_varies() -> None:
    frame = rows(
        series=["control", "b", "b", "b"], role=["control", "claim", "claim", "claim"], n=[1e6, 1e6, 1e6, 1e5],
        p=[10, 10, 10, 20], value=[1.0, 1.0, 3.0, 4.0], bound=[float("nan"), 4.0, 4.0, 0.0],
    )  # fmt: skip
    assert table(frame, "n").splitlines() == [
        "series     n   p  risk  bound  ratio",
        "b        1e5  20     4      0      -",
        "b        1e6  10     2      4    0.5",
        "control  1e6  10     1      -      -",
    ]
    assert table(frame.assign(status="failed: x"), "n") == "no cell was measured"


def test_a_further_axis_that_tells_grid_points_apart_has_a_column_and_is_averaged_over_by_no_table() -> None:
    frame = rows(n=[1e5, 1e5, 1e5, 1e6], value=[1.0, 3.0, 5.0, 2.0], series=["a", "a", "a", "b"]).assign(
        mass=[0.5, 0.25, 0.25, float("nan")]
    )
    assert table(frame, "n", further=["mass"]).splitlines() == [
        "series    n  mass  risk  bound  ratio",
        "a       1e5  0.25     4      1      4",
        "a       1e5   0.5     1      1      1",
        "b       1e6     -     2      1      2",
    ]
    assert table(frame, "n", envelope=["mass"], further=["mass"]).splitlines()[1].split() == ["a", "1e5", "4", "1", "4"]
    assert table(frame.assign(mass=frame["n"]), "n", further=["mass"]).splitlines()[0].split()[:3] == [
        "series",
        "n",
        "risk",
    ]


def test_what_was_not_measured_is_counted_by_its_reason_and_shared_cells_once() -> None:
    frame = rows(status=["ok", *["skipped: too small"] * 3, "failed: ValueError: x"])
    assert unmeasured(frame) == ["3 cells skipped: too small (a at n=1e6)", "1 cell failed: ValueError: x"]
    assert unmeasured(pd.concat([frame, frame.assign(series="b")])) == unmeasured(frame)
    sizes = frame.assign(n=[1e5, 1e3, 2e3, 1e3, 1e5], series=["a", "a", "b", "a", "a"])
    assert unmeasured(sizes)[0] == "3 cells skipped: too small (a, b at n=1000, 2000)"
    more = rows(status=["skipped: too small"] * 5, n=[1e3, 2e3, 3e3, 4e3, 5e3], series=list("abcde"))
    assert unmeasured(more) == ["5 cells skipped: too small (5 series at n=1000 to 5000)"]
    many = rows(status=[f"skipped: n={i}" for i in range(10)])
    assert len(unmeasured(many)) == 7
    assert unmeasured(many)[-1] == "4 more cells failed or were skipped, for 4 further reasons"


def test_points_that_share_a_reason_are_listed_once_with_it() -> None:
    nothing: dict[str, list[str]] = {state: [] for state in ("used", "saturated", "skipped", "failed", "unusable")}
    points = [f"n={i}" for i in range(26)]
    assert sentence(nothing) == ""
    assert sentence({**nothing, "saturated": points[:2], "used": points}) == f"{SATURATED_IN_WORDS}: n=0, n=1"
    assert sentence({**nothing, "skipped": [f"{point} (p > n)" for point in points]}) == (
        "skipped: n=0, n=1, n=2, n=3, n=4, n=5 and 20 more (each: p > n)"
    )
    mixed = ["n=1 (a)", "n=2 (b (c))", "n=3 (a)"]
    assert sentence({**nothing, "failed": mixed}) == "failed: n=1, n=3 (each: a), n=2 (b (c))"
    different = [f"{point} (kappa={i})" for i, point in enumerate(points)]
    assert sentence({**nothing, "skipped": different}).endswith("n=5 (kappa=5) and 20 more")


def test_a_verdict_that_is_not_as_expected_is_marked() -> None:
    check = {
        "role": "claim",
        "rule": "exponent", "verdict": "refuted", "expect": "confirmed", "as_expected": False, "estimate": -0.5,
        "low": -0.6, "high": -0.4, "expected": -0.7, "margin": 0.03, "reason": "outside", "constant": 2.0,
    }  # fmt: skip
    verdict = {
        "experiment": "x", "paper": "lasso", "claim": "Theorem 1", "verdict": "refuted", "as_expected": False,
        "overrides": ["seed=1"], "checks": {"exponent_n": check},
    }  # fmt: skip
    assert verdict_lines(verdict).splitlines() == [
        "  exponent_n  claim    refuted      -0.5 in [-0.6, -0.4], expected -0.7 +- 0.03; outside"
        "  <- expected to be confirmed",
        "  overridden: seed=1",
        "verdict: x (lasso, Theorem 1): refuted; NOT all checks came out as expected",
    ]


def test_a_check_is_a_short_line_and_verbose_tells_its_constant_its_rivals_and_every_reason() -> None:
    rivals = "up to logarithms (n^-0.641 ln^-0.5 n, n^-0.692 ln^0.5 n not excluded)"
    confirmed = {
        "role": "claim", "rule": "exponent", "verdict": "confirmed", "expect": "confirmed", "as_expected": True,
        "estimate": -0.666, "low": -0.667, "high": -0.665, "expected": -0.667, "margin": 0.03, "reason": rivals,
        "constant": 2.0, "details": {"up_to_logarithms": True, "axis": "n", "log_powers": [-0.5, 0.5]},
    }  # fmt: skip
    left_out = f"{SATURATED_IN_WORDS}: {', '.join(f'n={n}' for n in range(40))}"
    unclear = confirmed | {
        "verdict": "inconclusive", "expect": "inconclusive", "estimate": None, "low": None, "high": None,
        "reason": f"3 usable points, and 5 are needed; {left_out}; a tenth of the trivial risk is 0.2", "details": {},
    }  # fmt: skip
    verdict = {
        "experiment": "x", "paper": "lasso", "claim": "Theorem 1", "verdict": "inconclusive", "as_expected": True,
        "overrides": [], "checks": {"sharp": confirmed, "few": unclear},
    }  # fmt: skip
    assert verdict_lines(verdict).splitlines()[:2] == [
        "  sharp  claim    confirmed    -0.666 in [-0.667, -0.665], expected -0.667 +- 0.03; up to ln^±0.5 n",
        "  few    claim    inconclusive; 3 usable points, and 5 are needed",
    ]
    told = verdict_lines(verdict, verbose=True).splitlines()
    assert told[0].endswith(f"expected -0.667 +- 0.03; constant 2; {rivals}")
    assert told[1].endswith(unclear["reason"])
    assert first_words("word " * 40).endswith("word ...")
    assert len(first_words("word " * 40)) <= 154
    reason = (
        "the usable points span 0.3854 decades of p (5 saturated values of p left out), and 1 are needed: "
        "give sweep.p at least 5 values over 1 decades"
    )
    assert first_words(reason) == reason, "what to type stands at its end"


def test_every_line_of_the_table_says_by_which_reduction_it_was_measured() -> None:
    frame = rows(series=["a", "a", "b"], n=[1e5, 1e5, 1e5]).assign(reduction=["few_steps", "literal", None])
    lines = [line.split() for line in table(frame, "n").splitlines()]
    assert [line[-1] for line in lines] == ["reduction", "few_steps/literal", "-"]


def test_a_claim_of_one_side_says_at_most_or_at_least_and_never_plus_or_minus() -> None:
    check = {"expected": -0.5, "margin": 0.03, "details": {}}
    assert wanted(check) == "expected -0.5 ± 0.03"
    assert wanted(check, "+-") == "expected -0.5 +- 0.03"
    assert wanted(check | {"details": {"side": "at_most"}}) == "at most -0.5 (margin 0.03)"
    assert wanted(check | {"details": {"side": "at_least"}, "margin": 0.0}) == "at least -0.5"


def test_an_audit_has_a_table_of_its_own() -> None:
    quantities = ["audited_epsilon", "certified_epsilon", "violating_epsilon", "slack"]
    frame = rows(quantity=quantities, value=[0.8, 1.0, 1.2, 1.25]).assign(epsilon_factor=[None, None, 1.3, None])
    assert table(frame, "n").splitlines() == [
        "series    n     p  claimed  delta  certified  by_law  audited  slack  notices   from",
        "a       1e6  1000        1   1e-6          1       -      0.8   1.25     x1.3  x1.15",
    ]
    refuted = frame.assign(value=[1.2, 1.0, 1.2, 0.83])  # spends the same whatever it is given: no line to follow
    assert table(refuted, "n").splitlines()[1].split()[-2:] == ["x1.3", "-"]


def test_audits_under_several_relations_say_which() -> None:
    frame = rows(series=["a", "b"], quantity="audited_epsilon", value=0.8)
    said = table(frame.assign(relation=["replace_one", "zero_out"], epsilon_factor=None), "n").splitlines()
    assert [line.split()[:2] for line in said] == [["series", "neighbours"], ["a", "replace_one"], ["b", "zero_out"]]


def test_only_a_construction_with_a_path_reads_a_table() -> None:
    def config(construction: object) -> dict[str, object]:
        return {"study": {"series": {"one": {"construction": construction}}}}

    assert reads_a_table(config({"path": "survey.csv"}))
    assert not any(reads_a_table(one) for one in (config({"path": ""}), config(None), {"study": {}}, {}))
