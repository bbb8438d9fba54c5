"""Rows of the ledger: a statement's verdict, what forbids it, and the errata's state."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from helpers.ledger_rows import BOTH, FAMILIES, GOOD, SIZES, attacks, check, published, row, store

from dprepro.errors import InputError
from dprepro.report import entries
from dprepro.report.evidence import finding_in_words
from dprepro.report.formulas import plain, prose
from dprepro.report.markdown import markdown
from dprepro.report.measured import MeasuredStore
from dprepro.report.page import page
from dprepro.report.publish import alone
from dprepro.report.tex import tex
from dprepro.report.text import counts, ledger_lines
from dprepro.statements.papers import Erratum, ErratumEvidence, Paper
from dprepro.statements.statement import Says, Statement

NO_CAUSES = {"rows": 0, "causes": 0, "corners": 0}


def test_an_upper_rate_takes_a_bound_on_three_families_and_one_that_attains_it() -> None:
    measured = store(one=GOOD)
    found = row(measured, evidence=BOTH)
    assert (found["id"], found["verdict"], found["as_expected"]) == ("lasso-theorem-1", "confirmed", True)
    assert [one["kind"] for one in found["evidence"]] == ["attained", "holds"]
    only = row(measured, evidence={"holds": {"one": ["bound"]}})
    assert only["verdict"] == "not contradicted"
    assert only["note"].startswith("No family was seen to attain the rate.")
    assert row(measured, evidence={"holds": {"one": ["bound"]}}, upper_only=True)["verdict"] == "confirmed"
    slope = row(measured, evidence={"attained": {"one": ["slope"]}})
    assert slope["verdict"] == "not contradicted"
    assert slope["note"].startswith("No explicit bound was held against the measurements.")
    for series in ("planted", "noise"):
        del measured.published["one"].config["study"]["series"][series]["construction"]
    few = row(measured, evidence=BOTH)
    assert few["verdict"] == "not contradicted"
    assert few["note"].startswith("About all data, and the bound was held on 1 family.")


def test_a_slope_that_confirms_an_upper_bound_only_attains_no_rate() -> None:
    measured = store(one=GOOD | {"slope": check("claim", "confirmed", not_attained=True)})
    found = row(measured, evidence=BOTH)
    assert found["verdict"] == "not contradicted"
    assert found["note"].startswith("The rate holds as an upper bound, and is not attained on these data.")
    assert row(measured, evidence=BOTH, upper_only=True)["verdict"] == "confirmed"


def test_vacuous_bounds_alone_confirm_nothing() -> None:
    vacuous = {"bound": check("claim", "confirmed", vacuous=True), "slope": check("claim", "confirmed")}
    measured = store(one=vacuous)
    alone = row(measured, evidence={"holds": {"one": ["bound"]}}, upper_only=True)
    assert alone["verdict"] == "inconclusive"
    assert alone["note"].startswith("Every bound is vacuous at these sizes.")
    assert row(measured, evidence=BOTH)["verdict"] == "confirmed"


def test_a_row_has_the_worst_verdict_of_its_checks() -> None:
    measured = store(one=GOOD, two={"slope": check("claim", "refuted")})
    assert row(measured, evidence=BOTH | {"attained": {"one": ["open"]}})["verdict"] == "inconclusive"
    assert row(measured, evidence=BOTH | {"attained": {"one": ["slope"], "two": ["slope"]}})["verdict"] == "refuted"
    only = row(measured, evidence=BOTH)["measurements"][0]
    assert (list(only["checks"]), list(only["controls"])) == (["slope", "bound"], ["wrong"])
    assert only["command"] == "python -m dprepro --config-dir DIR +experiment=one"
    assert only["measuring_seconds"] == len(FAMILIES) * len(SIZES)


def test_a_control_that_fails_takes_the_confirmation_away() -> None:
    failed = row(store(one=GOOD | {"wrong": check("control", "confirmed")}), evidence=BOTH)
    assert (failed["verdict"], failed["as_expected"]) == ("inconclusive", False)
    assert failed["note"].startswith("Controls and preconditions did not come out as expected: one:wrong.")


def test_checks_of_role_context_carry_no_row() -> None:
    seen = row(store(one=GOOD), kind="inequality", evidence={"holds": {"one": ["seen"]}})
    assert seen["verdict"] == "inconclusive"
    assert seen["note"].startswith("Only checks of role context speak for it.")


def test_a_lower_bound_is_confirmed_only_where_it_is_certified_at_four_sizes() -> None:
    measured = store(one=GOOD)
    tried = row(measured, kind="attack", evidence={"not contradicted": {"one": ["bound"]}})
    assert tried["verdict"] == "not contradicted"
    assert tried["evidence"][0]["text"].startswith(
        "Not contradicted by 1 algorithm (noisy Frank-Wolfe (constants printed))"
    )
    certified = {"certified": {"one": ["bound"]}}
    assert row(measured, kind="attack", evidence=certified)["verdict"] == "confirmed"
    measured.published["one"] = published("one", GOOD, SIZES[:3])  # type: ignore[index]
    assert row(measured, kind="attack", evidence=certified)["verdict"] == "not contradicted"


def test_privacy_is_confirmed_by_an_exact_law_or_by_an_audit_next_to_a_certificate() -> None:
    measured = store(one=GOOD)
    one = {"one": ["bound"]}
    for evidence, verdict in (
        ({"exact": one}, "confirmed"), ({"certified": one}, "inconclusive"), ({"audited": one}, "inconclusive"),
        ({"audited": {"one": ["slope"]}, "certified": one}, "confirmed"),
    ):  # fmt: skip
        assert row(measured, kind="privacy", evidence=evidence)["verdict"] == verdict


def test_a_statement_that_an_erratum_disproves_is_refuted_as_printed_and_has_a_repaired_twin() -> None:
    erratum = Erratum("Theorem 1, step", "x", "The other step is meant.", "false", [ErratumEvidence("one", "slip")])
    repaired = Says(text="It holds with the other step.")
    found = row(store(one=GOOD), errata=[erratum], evidence=BOTH, false=[erratum.item], repaired=repaired)
    assert (found["verdict"], found["repaired"]["verdict"]) == ("refuted", "confirmed")
    assert found["evidence"][0]["text"] == "The other step is meant. (false; one: slip)"
    assert found["errata"] == ["Theorem 1, step"]
    assert row(store(), errata=[erratum], false=[erratum.item])["verdict"] == "not measured"
    broken = store(one=GOOD | {"slip": check("erratum", "confirmed")})
    assert row(broken, errata=[erratum], false=[erratum.item])["verdict"] == "inconclusive"
    exact = Erratum("Theorem 1, step", "x", "y", "false", [ErratumEvidence(test="tests/x.py::test_y")])
    assert row(store(), errata=[exact], false=[erratum.item])["verdict"] == "refuted"


def test_a_statement_without_a_measurement_is_not_measured_and_says_why() -> None:
    assert row(store())["verdict"] == "not measured"
    late = row(store(), evidence={"holds": {"late": ["a"]}})
    assert (late["verdict"], late["as_expected"]) == ("not measured", None)
    assert late["note"].endswith("Late: only overridden or unfinished runs are stored.")
    assert row(store(), kind="definition", nothing="A definition.")["verdict"] == "nothing to measure"


def test_what_is_missing_forbids_confirmed_but_not_refuted() -> None:
    measured = store(one=GOOD, two={"slope": check("claim", "refuted")})
    partly = row(measured, evidence=BOTH | {"exact": {"late": ["a"]}})
    assert partly["verdict"] == "inconclusive"
    assert partly["note"].startswith("Confirmed as far as measured; missing: late.")
    assert row(measured, evidence={"attained": {"two": ["slope"], "late": ["a"]}})["verdict"] == "refuted"


def test_evidence_names_families_grid_replicates_constants_and_neighbours() -> None:
    text = row(store(one=GOOD), evidence=BOTH)["evidence"][1]["text"]
    families = ", ".join(f"random design (kind {kind})" for kind in sorted(FAMILIES))
    assert plain(text) == (
        f"Holds on {families}, n from 1e5 to 1e8 (4 values), p = 100, epsilon = 1, delta = 1e-6, 1 replicate, "
        "constants as printed, neighbours replace a record. "
        "Found: bound, the exponent of n in the excess risk: 0.5 [0.4, 0.6], expected 0.5 ± 0.2."
    )


def test_a_finding_says_what_was_measured_and_why_it_is_open() -> None:
    bound = check("claim", "inconclusive")
    bound |= {"rule": "below", "reason": "too few points", "low": 0.5, "high": 0.5, "margin": 0.0,
              "details": {"side": "at_least"}}  # fmt: skip
    settings = {"quantity": "certified_epsilon"}
    assert finding_in_words("within_budget", bound, settings) == (
        "within budget, the largest certified epsilon over its bound: 0.5, at least 0.5 (inconclusive: too few points)"
    )
    slope = check("claim", "confirmed") | {"margin": 0.0}
    settings = {"axis": "delta", "transform": "log_log_inverse", "divide": "rate"}
    assert finding_in_words("exponent_delta", slope, settings) == (
        "the exponent of the logarithm of delta in the excess risk over its rate: 0.5 [0.4, 0.6], expected 0.5"
    )
    silent = slope | {"estimate": None, "reason": "no points"}
    assert finding_in_words("slope", silent, {}) == "slope: no points"


def test_a_confirmation_up_to_logarithms_says_so() -> None:
    found = row(store(one=GOOD | {"slope": check("claim", "confirmed", up_to_logarithms=True)}), evidence=BOTH)
    assert (found["verdict"], found["words"]) == ("confirmed", "confirmed up to logarithms")
    slope = check("claim", "confirmed", up_to_logarithms=True, axis="n", log_powers=[-0.5, 0.5, 1.5])
    found = row(store(one=GOOD | {"slope": slope}), evidence=BOTH)
    assert found["words"] == "confirmed up to ln^(-0.5 to 1.5) n"


def test_a_confirmation_within_a_wide_margin_says_so_and_guards_do_not_count() -> None:
    wide = GOOD | {"slope": check("claim", "confirmed", within=0.1), "bound": check("claim", "confirmed", within=0.2)}
    assert row(store(one=wide), evidence=BOTH)["words"] == "confirmed within 0.2"
    met = GOOD | {"bound": check("claim", "confirmed", within=0.2, precondition=True)}
    assert row(store(one=met), evidence=BOTH)["words"] == "confirmed"


@pytest.mark.parametrize(
    ("shown_by", "state"),
    [
        ([ErratumEvidence("one", "wrong")], "shown"),
        ([ErratumEvidence("one", "odd"), ErratumEvidence("one", "wrong")], "not as expected"),
        ([ErratumEvidence("late", "wrong")], "not in this store"),
        ([ErratumEvidence("late", "wrong"), ErratumEvidence(test="tests/x.py::test_y")], "by a test"),
    ],
)
def test_an_erratum_says_whether_its_check_came_out(shown_by: list[ErratumEvidence], state: str) -> None:
    measured = store(one={**GOOD, "odd": check("erratum", "confirmed")})
    erratum = entries._erratum_row("lasso", Erratum("Theorem 1", "x", "y", "typo", shown_by), measured)
    assert erratum["state"] == state


def test_markdown_keeps_signs_that_would_break_its_tables() -> None:
    line = row(store(one=GOOD), evidence=BOTH) | {"statement": "||theta||_1 <= 1 [*]"}
    text = markdown({"claims": [line], "errata": [], "causes": NO_CAUSES})
    assert r"\|\|theta\|\|\_1 \<= 1 \[\*\]" in text
    assert "*attained*: Attained on random design (kind iid)" in text


def test_latex_has_a_table_of_rows_that_are_escaped_and_whole() -> None:
    line = row(store(one=GOOD), evidence=BOTH) | {"statement": r"100% of $L_1 \le n^2$ & more_"}
    erratum = entries._erratum_row(
        "lasso", Erratum("Theorem 1", "50%", "#", "typo", [ErratumEvidence(test="a::b")]), store(one=GOOD)
    )
    text = tex({"claims": [line], "errata": [erratum]})
    found = r"\emph{attained:} one; \emph{holds:} one"
    cells = (r"Theorem 1 \newline \emph{confirmed}", r"100\% of $L_1 \le n^2$ \& more\_", found)
    assert f"{' & '.join(cells)} \\\\" in text
    assert "Theorem 1 & typo & 50\\% & \\# \\\\" in text
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") == 2
    assert tex({"claims": [line], "errata": []}).count(r"\begin{longtable}") == 1
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")


def test_a_row_in_latex_has_what_was_found_without_words_on_tables_that_stand_elsewhere() -> None:
    short = "The risk is at most $0.9$ times its bound. The table has 2 more exponents. Not tried: $p$ < 10."
    line = row(store(one=GOOD), evidence=BOTH) | {
        "short": short,
        "words": "confirmed up to ln^(-1 to 1.5) n, ln^±1 steps",
    }
    text = tex({"claims": [line], "errata": []})
    assert r"\emph{confirmed up to $\ln^{-1\ldots 1.5} n$, $\ln^{\pm 1} \mathrm{steps}$}" in text
    assert (
        r"& The risk is at most $0.9$ times its bound. Not tried: $p$ \textless{} 10. \newline \emph{attained:}" in text
    )


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


def test_a_constant_lies_between_the_worst_known_and_the_bound_as_measured() -> None:
    measured, constant = store(one=GOOD), {"one": ["seen", "bound"]}
    found = row(measured, evidence=BOTH, constant=constant)
    said = "Constant: at least 0.4 (worst known), at most 0.6 (bound) at n from 1e5 to 1e8 (4 values), p = 100"
    assert said in plain(found["note"])
    assert found["verdict"] == "confirmed"
    assert "onstant" not in row(measured, evidence=BOTH, constant={"one": ["seen", "absent"]})["note"]
    assert "onstant" not in row(measured, evidence=BOTH, constant={"late": ["seen", "bound"]})["note"]
    expected = {"lower": 0.4, "upper": 0.6, "witness": "one: seen"}
    assert {key: value for key, value in found["constant"].items() if key != "at"} == expected
    with pytest.raises(InputError, match="two checks"):
        row(measured, constant={"one": ["seen"]})


def test_a_row_says_direction_and_formula_in_every_file_and_its_premise_on_pages() -> None:
    said = {"premise": ["epsilon <= 3", "convex losses"], "direction": "at_most", "formula": r"|x|^{2/3}"}
    line = row(store(one=GOOD), evidence=BOTH) | said
    ledger = {"claims": [line], "errata": [], "causes": NO_CAUSES}
    assert r"*An upper bound. Premise: $\epsilon$ \<= 3; convex losses.*<br>$\vert x\vert ^{2/3}$" in markdown(ledger)
    assert r"\newline \emph{at most} \fitted{|x|^{2/3}} &" in tex(ledger)  # a premise's conditions would not fit a cell
    assert prose(r"$|x|^{2/3}$") in page(ledger, [])


def test_a_statement_that_restates_another_has_its_evidence() -> None:
    measured = store(one=GOOD)
    found = row(measured, evidence=BOTH)
    says = Says(text="The same.")
    both = [
        Statement(item="Theorem 1", kind="rate", says=says),
        Statement(item="Corollary", kind="rate", says=says, restates=["Theorem 1"]),
    ]
    described = {"lasso": Paper(title="x", authors="x", year=1, claims=both)}
    again = entries._row("lasso", both[1], MeasuredStore(measured.published, described=described), [])
    assert again["evidence"] == found["evidence"]


def test_checks_of_controls_and_errata_are_evidence_of_nothing() -> None:
    assert row(store(one=GOOD), evidence={"holds": {"one": ["wrong", "slip"]}})["verdict"] == "not measured"


def test_a_statement_is_confirmed_only_after_an_attack_that_found_nothing() -> None:
    measured = store(one=GOOD)
    found = row(measured, evidence=BOTH)
    assert (found["verdict"], found["attack"]["corners"], found["attack"]["searched"]) == ("confirmed", 40, 10)
    assert found["attack"]["least_margin"] == 2
    assert "no counterexample, least margin 2" in found["note"]
    del measured.published["attacks"]  # type: ignore[attr-defined]
    without = row(measured, evidence=BOTH)
    assert (without["verdict"], without["attack"]) == ("not contradicted", None)
    assert without["note"] == "No attack on it was made."
    measured = store(one=GOOD)
    measured.published["attacks"] = attacks(share=3.0)  # type: ignore[index]
    broken = row(measured, evidence=BOTH)
    assert (broken["verdict"], broken["as_expected"]) == ("refuted", False)
    assert "a counterexample, 3 times what is allowed, at n = 2" in plain(broken["note"])


def test_an_attack_on_what_is_printed_says_nothing_of_what_is_repaired() -> None:
    erratum = Erratum("Theorem 1, step", "x", "The other step is meant.", "false", [ErratumEvidence("one", "slip")])
    measured = store(one=GOOD)
    frame = measured.published["attacks"].frame
    frame.loc[frame["key"] == "printed", "value"] = 7.0
    found = row(measured, errata=[erratum], evidence=BOTH, false=[erratum.item], repaired=Says(text="Otherwise."))
    assert (found["verdict"], found["repaired"]["verdict"], found["as_expected"]) == ("refuted", "confirmed", True)
    assert found["attack"]["least_margin"] == pytest.approx(1 / 7)
    assert found["repaired"]["attack"]["least_margin"] == 2


def test_what_reaches_less_far_than_the_statement_is_not_contradicted() -> None:
    """Limits on one family, sizes that were seen at a few, and bounds that no factor of ten would reach."""
    measured = store(one=GOOD)
    exact = {"exact": {"one": ["slope"]}}
    assert row(measured, kind="inequality", evidence=exact)["verdict"] == "confirmed"
    limit = row(measured, kind="inequality", evidence=exact, quantifiers=["in the limit"])
    assert limit["verdict"] == "not contradicted"
    guess = row(measured, kind="inequality", evidence=exact, quantifiers=["as a conjecture"])
    assert (guess["verdict"], "no measurement proves" in guess["note"]) == ("not contradicted", True)
    measured.published["attacks"] = attacks(corners=5)  # type: ignore[index]
    assert row(measured, kind="inequality", evidence=exact)["verdict"] == "confirmed"  # at four sizes
    measured.published["one"] = published("one", GOOD, SIZES[:3])  # type: ignore[index]
    few = row(measured, kind="inequality", evidence=exact)
    assert (few["verdict"], "about all sizes" in few["note"].lower()) == ("not contradicted", True)
    for low, side, verdict in ((0.2, "at_most", "confirmed"), (0.02, "at_most", "not contradicted")):
        far = check("claim", "confirmed", side=side) | {"rule": "below", "low": low, "high": low, "expected": 1.0}
        assert (
            row(store(one=GOOD | {"bound": far}), kind="inequality", evidence={"exact": {"one": ["bound"]}})["verdict"]
            == verdict
        )
    for high, verdict in ((5.0, "confirmed"), (50.0, "not contradicted")):
        far = check("claim", "confirmed", side="at_least") | {
            "rule": "below",
            "low": 4.0,
            "high": high,
            "expected": 1.0,
        }
        found = row(store(one=GOOD | {"bound": far}), kind="inequality", evidence={"exact": {"one": ["bound"]}})
        assert found["verdict"] == verdict


def test_a_note_begins_with_a_capital_but_for_the_name_of_an_experiment() -> None:
    said = ["lasso_rate: a later run had overrides", "no attack on it was made"]
    assert list(entries._sentences(said)) == ["lasso_rate: a later run had overrides.", "No attack on it was made."]


def test_causes_are_counted_once_and_corners_apart() -> None:
    shown = [ErratumEvidence(test="tests/x.py::test_y")]
    errata = [
        Erratum(f"{item}, x", "x", "y", severity, shown, cause=cause)  # type: ignore[arg-type]
        for item, severity, cause in (
            ("A", "false", "half"),
            ("B", "false", "half"),
            ("C", "corner", ""),
            ("D", "typo", ""),
        )
    ]
    says = Says(text="It holds.")
    both = [
        Statement(item=erratum.statements[0], kind="inequality", says=says, false=[erratum.item], repaired=says)
        for erratum in errata
    ]
    measured = MeasuredStore({}, described={"lasso": Paper(title="x", authors="x", year=1, claims=both, errata=errata)})
    rows = list(entries.claims(measured))
    assert [row["verdict"] for row in rows] == ["refuted"] * 4
    assert [row["words"] for row in rows] == ["refuted", "refuted", "refuted at a corner", "refuted"]
    assert entries.causes(rows, measured) == {"rows": 3, "causes": 2, "corners": 1}
    assert counts(rows) == "4 refuted (1 at a corner alone)"
    assert counts(rows[:2]) == "2 refuted"
    waiting = rows[0] | {"verdict": "not measured", "words": "not measured", "experiments": ["lasso_rate"]}
    ledger = {"claims": [*rows, waiting], "errata": []}
    hint = "1 not measured here: python -m dprepro -m '+experiment=glob(*)' runs all experiments"
    assert ledger_lines(ledger, {}).splitlines()[-1] == hint
    assert hint not in ledger_lines(ledger, {"lasso_rate": ("confirmed", "Theorem 2.5")})
