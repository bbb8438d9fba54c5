"""Statements and errata name what exists and leave no number of the briefs out; every statement has evidence."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.shipped import composed

from dprepro.errors import InputError
from dprepro.report.spoken import Spoken
from dprepro.statements.about import place
from dprepro.statements.papers import Erratum, Paper, papers, statements_of
from dprepro.statements.statement import Says, Statement, identity
from dprepro.support import typed
from dprepro.support.folders import experiment_files

ROOT = Path(__file__).parent.parent.parent
Configs = dict[str, dict[str, Any]]
#: Every number in the "Claims" tables of the four briefs.
NUMBERED = {
    "lasso": [
        "Definition 2.1", "Remark 1", "Remark 2", "Theorem 2.2", "Fact 2.3", "Theorem 2.4", "Theorem B.1",
        "Theorem 2.5", "Theorem A.1", "Corollary 2.7", "Theorem 1.1", "Theorem A.2", "Theorem 2.6",
        "Theorem B.2", "Section 1, the gap", "Section 1, privacy for free", "Theorem 3.2", "Equation (3)",
        "Lemma 3.3", "Theorem 3.1", "Theorem 1.2",
    ],
    "kst": [
        "Theorem 1", "Example 1", "Theorem 2", "Lemma 24", "Corollary 25", "Lemma 3", "Theorem 4",
        "Theorem 26", "Table 1", "Theorem 5", "Theorem 31", "Theorem 30", "Theorem 29", "Lemma 33",
        "Theorem 32", "Theorem 34", "Theorem 6", "Theorem 35", "Theorem 7", "Theorem 36", "Theorem 37",
        "Theorem 8", "Lemma 41", "Lemma 42", "Theorem 38", "Theorem 43", "Theorem 44", "Theorem 9", "Table 2",
    ],
    "bst": [
        "Theorem 2.4.1", "Theorem 2.4.2", "Theorem 3.2", "Theorem 3.4", "Lemma 6.1", "Lemma 6.2", "Lemma 6.3",
        "Lemma 6.4", "Lemma 6.5", "Lemma 6.6", "Theorem 4.3", "Theorem 2.1", "Theorem 3.1", "Theorem 4.1",
        "Lemma 5.1.1", "Theorem 5.2", "Theorem 5.4", "Lemma 5.1.2", "Theorem 5.3", "Theorem 5.5",
        "Theorem A.1", "Lemma A.2", "Lemma A.3", "Theorem B.1", "Theorem B.2", "Appendix D", "Theorem E.1",
        "Theorem E.2", "Theorem F.2", "Theorem F.3", "Theorem F.4", "Lemma F.5", "Theorem F.6", "Table 1",
    ],
    "glm": [
        "Self-bounding property", "Lemma 2", "Theorem 1", "Corollary 1", "Definition 1", "Theorem 2",
        "Section 1.2, the transition", "Theorem 3", "Theorem 5", "Theorem 4", "Lemma 1", "Theorem 6",
        "Theorem 7", "Theorem 8", "Appendix D", "Corollary 4", "Table 1",
    ],
}  # fmt: skip
#: Statements that the texts number and the briefs' tables leave out.
FURTHER = {
    "lasso": ["Definition 1.3", "Remark 3", "Section 2.1, sensitivity", "Equation (5)", "Equation (6)"],
    "kst": [
        "Definition 1", "Definition 2", "Assumption 1", "Assumption 2", "Assumption 3", "Table 3", "Lemma 10",
        "Claim 11", "Claim 12", "Claim 13", "Lemma 14", "Lemma 15", "Lemma 16", "Lemma 17", "Lemma 18",
        "Claim 19", "Lemma 20", "Lemma 21", "Claim 22", "Claim 23", "Lemma 27", "Lemma 28", "Lemma 39",
        "Lemma 40", "Remark after Definition 2",
    ],
    "bst": [
        "Equation (9)", "Note (2)", "Lemma 2.2", "Lemma 2.3", "Lemma 2.5", "Lemma 2.6", "Claim 3.3", "Lemma 4.2",
        "Theorem F.1", "Note (1)", "Table 1, smooth losses", "Table 1, smooth and strongly convex losses",
        "Table 1, lower bounds", "Section 1.1, generalisation", "Section 1.1, Huberisation",
        "Section 5.1, dependence on L and C",
        "Section 5.2, dependence on L, C and Delta", "Appendix E, privacy",
    ],
    "glm": [
        "Assumption 1", "Assumption 2", "Lemma 4", "Lemma 5", "Lemma 6", "Theorem 10", "Lemma 12",
        "Theorem 13", "Theorem 15", "Table 1, lower bounds", "Theorem 1, privacy", "Theorem 2, privacy",
        "Theorem 3, privacy", "Theorem 5, privacy", "Theorem 7, privacy", "Section 3.1, low dimension",
        "Section 3.1, the smallest sample",
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def experiments() -> Configs:
    """The configuration of every experiment."""
    return {name: composed(name).config for name in experiment_files()}


@pytest.fixture(scope="module")
def spoken(experiments: Configs) -> Spoken:
    """Which checks of all experiments speak of which statement."""
    return Spoken(papers(), {}, {name: (config["paper"], config["checks"]) for name, config in experiments.items()})


def named() -> Iterator[tuple[str, str, str]]:
    """Where, experiment and check of everything that is named beside the experiments: of errata and of constants."""
    for paper, described in papers().items():
        for statement in described.claims:
            for says in (statement.says, statement.repaired):
                for experiment, checks in says.constant.items() if says else ():
                    yield from ((f"{paper}, {statement.item}", experiment, check) for check in checks)
        for erratum in described.errata:
            for evidence in erratum.shown_by:
                if evidence.experiment:
                    yield f"{paper}, {erratum.item}", evidence.experiment, evidence.check


@pytest.mark.parametrize("paper", list(NUMBERED))
def test_every_numbered_statement_has_one_row(paper: str) -> None:
    assert sorted(claim.item for claim in papers()[paper].claims) == sorted(NUMBERED[paper] + FURTHER[paper])


def test_every_experiment_and_check_that_is_named_exists(experiments: Configs) -> None:
    wrong = [
        (where, experiment, check)
        for where, experiment, check in named()
        if experiment not in experiments or (check and check not in experiments[experiment].get("checks", {}))
    ]
    assert not wrong


def test_every_experiment_on_the_papers_but_pair_and_attacks_speaks_of_a_statement(
    experiments: Configs, spoken: Spoken
) -> None:
    of_papers = {name for name, text in experiments.items() if text["paper"] in papers()}
    silent = of_papers - {name for paper, statement in STATEMENTS for name in spoken.experiments(paper, statement)}
    assert silent == {"pair", *(f"attacks_{paper}" for paper in papers())}  # attacks are no evidence


UNMEASURABLE = {
    *(("kst", item) for item in ("Claim 11", "Claim 13")),
    *(("glm", item) for item in ("Section 3.1, low dimension", "Lemma 4", "Lemma 5", "Lemma 6")),
    *(("glm", item) for item in ("Theorem 10", "Theorem 13", "Theorem 15")),
    ("derived", "Records in low dimension"),
}
"""About all Borel sets, said in passing, in an appendix that is not at hand, or of sizes, which are attacked alone."""


def test_every_statement_has_evidence_but_what_cannot_be_measured_or_is_only_false(spoken: Spoken) -> None:
    without = {(paper, statement.item) for paper, statement in STATEMENTS if not spoken.of(paper, statement)}
    spared = {
        (paper, statement.item)
        for paper, statement in STATEMENTS
        if statement.nothing or (statement.false and not statement.repaired)
    }
    assert without - spared == UNMEASURABLE
    assert all(papers()[paper].find(item).note for paper, item in UNMEASURABLE)


def test_every_check_is_about_statements_that_some_paper_has(experiments: Configs) -> None:
    for config in experiments.values():
        for check in config["checks"].values():
            for item in check.get("about", {}):
                paper, number = place(item, config["paper"], statements_of)
                assert papers()[paper].find(number)


def test_no_control_and_no_erratum_says_that_it_is_evidence(experiments: Configs) -> None:
    wrong = [
        (name, key)
        for name, config in experiments.items()
        for key, check in config["checks"].items()
        if check["role"] in ("control", "erratum") and check.get("about")
    ]
    assert not wrong


def test_experiments_speak_of_statements_of_their_own_paper(experiments: Configs) -> None:
    # Two papers state the bounds of objective perturbation, the exact optimum is above the lower bounds of two; the
    # audit, the games, the worst data and the certified worst cases are of the algorithms of all; a result of this
    # project shows an erratum of the paper that it repairs.
    found = {
        (paper, name)
        for name, config in experiments.items()
        for check in config["checks"].values()
        for paper, _ in (place(item, config["paper"], statements_of) for item in check.get("about", {}))
        if paper != config["paper"]
    }
    constants = {(where.partition(",")[0], name) for where, name, _ in named()}
    assert found | {constant for constant in constants if constant[0] != experiments[constant[1]]["paper"]} == {
        ("bst", "objective_perturbation"), ("bst", "objective_perturbation_privacy"),
        ("glm", "minimax_linear"), ("glm", "minimax_squared"), ("glm", "privacy_audit"), ("lasso", "privacy_audit"),
        ("glm", "schedule_games"), ("glm", "worst_functions"), ("bst", "worst_functions"),
        ("glm", "worst_constants"), ("kst", "worst_constants"), ("lasso", "worst_constants"),
        ("kst", "convexity_radius"),
    }  # fmt: skip


def test_errata_are_about_statements_that_have_a_row() -> None:
    wrong = []
    for paper, described in papers().items():
        items = {claim.item for claim in described.claims}
        wrong += [(paper, erratum.item) for erratum in described.errata if not set(erratum.statements) <= items]
    # A slip in the introduction to a section, about the loss that two theorems use, names them instead.
    assert not wrong


def test_a_statement_that_is_false_names_errata_that_exist() -> None:
    for described in papers().values():
        errata = {erratum.item for erratum in described.errata}
        assert all(set(claim.false) <= errata for claim in described.claims)


STATEMENTS = [(paper, claim) for paper, described in papers().items() for claim in described.claims]
ERRATA = [(paper, erratum) for paper, described in papers().items() for erratum in described.errata]


def test_a_statement_that_is_false_has_a_repaired_one_or_says_why_there_is_none() -> None:
    wrong = [
        (paper, statement.item)
        for paper, statement in STATEMENTS
        if statement.false and statement.repaired is None and "Nothing" not in statement.note
    ]
    assert not wrong
    assert sum(bool(statement.false) for _, statement in STATEMENTS) >= 20


def test_only_what_is_false_has_a_repaired_statement() -> None:
    assert not [
        (paper, statement.item) for paper, statement in STATEMENTS if statement.repaired and not statement.false
    ]


def test_a_statement_restates_others_of_its_paper_and_none_restates_what_restates() -> None:
    for paper, statement in STATEMENTS:
        assert not [item for item in statement.restates if papers()[paper].find(item).restates], statement.item


@pytest.mark.parametrize(
    ("items", "restates", "word"),
    [(("A", "A"), (), "A twice"), (("A", "B"), ("C",), "A restates unknown statement 'C'")],
)
def test_a_paper_has_every_item_once_and_restates_its_own(
    items: tuple[str, ...], restates: tuple[str], word: str
) -> None:
    claims = [
        Statement(item=item, kind="rate", says=Says(text="x"), restates=restates if item == "A" else ())
        for item in items
    ]
    with pytest.raises(InputError, match=word):
        Paper(title="x", authors="x", year=1, claims=claims)


def test_errata_that_disprove_a_statement_are_about_it() -> None:
    for paper, statement in STATEMENTS:
        about = {erratum.item for erratum in papers()[paper].errata if statement.item in erratum.statements}
        assert set(statement.false) <= about, (paper, statement.item)


def test_every_erratum_has_its_quote_its_source_and_its_range() -> None:
    missing = [
        (paper, erratum.item, name)
        for paper, erratum in ERRATA
        for name in ("quote", "source", "range", "holds")
        if not getattr(erratum, name).strip()
    ]
    assert not missing
    # The text of this paper was converted from its source, those of the others were read from pages by a machine.
    assert {paper for paper, erratum in ERRATA if not erratum.ocr} == {"bst"}
    assert all(not erratum.ocr for paper, erratum in ERRATA if paper == "bst")


def test_a_privacy_failure_names_the_budgets_that_are_exceeded_and_an_exact_computation() -> None:
    for paper, erratum in ERRATA:
        if erratum.severity == "privacy failure":
            assert "epsilon" in erratum.range, (paper, erratum.item)
            exact = {evidence.experiment for evidence in erratum.shown_by} & {
                "objective_perturbation_privacy",
                "huberization_privacy",
            }
            assert exact or any(evidence.test for evidence in erratum.shown_by), (paper, erratum.item)


def test_definitions_have_nothing_to_measure_and_nothing_else_claims_so_but_a_comparison_of_papers() -> None:
    nothing = {(paper, statement.item): statement.kind for paper, statement in STATEMENTS if statement.nothing}
    definitions = {
        (paper, statement.item): statement.kind for paper, statement in STATEMENTS if statement.kind == "definition"
    }
    assert nothing == definitions | {("lasso", "Remark 3"): "comparison"}


def test_every_statement_has_an_address_of_its_own() -> None:
    addresses = [identity(paper, claim.item) for paper, described in papers().items() for claim in described.claims]
    assert len(set(addresses)) == len(addresses)
    assert "lasso-theorem-2-5" in addresses


def test_errata_are_named_once() -> None:
    for described in papers().values():
        items = [erratum.item for erratum in described.errata]
        assert len(set(items)) == len(items)


def test_every_test_that_an_erratum_names_exists() -> None:
    tests = [
        evidence.test
        for described in papers().values()
        for erratum in described.errata
        for evidence in erratum.shown_by
    ]
    wrong = []
    for test in filter(None, tests):
        path, _, name = test.partition("::")
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8")) if (ROOT / path).is_file() else ast.Module([], [])
        if name not in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}:
            wrong.append(test)
    assert not wrong


def test_a_check_that_shows_an_erratum_is_expected_to_be_refuted_or_to_confirm_the_theorem_nevertheless(
    experiments: dict[str, dict[str, Any]],
) -> None:
    wrong = []
    for described in papers().values():
        for erratum in described.errata:
            for evidence in erratum.shown_by:
                check = experiments.get(evidence.experiment, {}).get("checks", {}).get(evidence.check)
                if check and check["role"] not in ("erratum", "control") and erratum.severity != "typo":
                    wrong.append((erratum.item, evidence.check))
    assert not wrong


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"severity": "grave"}, "privacy failure"),
        ({"shown_by": [{"experiment": "lasso_rate"}]}, "by experiment and check, or by test"),
        ({"shown_by": [{"test": "x", "experiment": "y", "check": "z"}]}, "by experiment and check, or by test"),
        ({"prnted": "x"}, "printed"),
    ],
)
def test_a_malformed_erratum_is_refused(change: dict[str, object], word: str) -> None:
    good = {"item": "x", "printed": "x", "holds": "x", "severity": "typo", "shown_by": [{"test": "x"}]}
    with pytest.raises(InputError, match=word):
        typed.build(Erratum, good | change)


def test_every_check_of_role_erratum_is_an_entry(experiments: Configs) -> None:
    shown = {
        (evidence.experiment, evidence.check)
        for described in papers().values()
        for erratum in described.errata
        for evidence in erratum.shown_by
    }
    checks = {
        (name, key)
        for name, text in experiments.items()
        if text["paper"] in papers()
        for key, check in text["checks"].items()
        if check["role"] == "erratum"
    }
    assert not checks - shown
