"""The registries of statements and errata name what exists, and leave no number of the briefs out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from shipped import composed

from dprepro import typed
from dprepro.errors import InputError
from dprepro.folders import experiment_files
from dprepro.report.registry import Erratum, identity, registries

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
        "Table 1, lower bounds", "Section 1.1, generalisation", "Section 5.1, dependence on L and C",
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


def named() -> Iterator[tuple[str, str, str]]:
    """Where, experiment and check of everything that the registries name; the check is empty for all claims."""
    for paper, registry in registries().items():
        for statement in registry.claims:
            repaired = statement.repaired.evidence if statement.repaired else {}
            both = (statement.evidence, repaired, {"constant": statement.constant})
            for experiment, checks in (item for evidence in both for one in evidence.values() for item in one.items()):
                for check in checks or [""]:
                    yield f"{paper}, {statement.item}", experiment, check
        for erratum in registry.errata:
            for one in erratum.shown_by:
                if one.experiment:
                    yield f"{paper}, {erratum.item}", one.experiment, one.check


@pytest.mark.parametrize("paper", list(NUMBERED))
def test_every_numbered_statement_has_one_row(paper: str) -> None:
    assert sorted(one.item for one in registries()[paper].claims) == sorted(NUMBERED[paper] + FURTHER[paper])


def test_every_experiment_and_check_that_is_named_exists(experiments: Configs) -> None:
    wrong = [
        (where, experiment, check)
        for where, experiment, check in named()
        if experiment not in experiments or (check and check not in experiments[experiment].get("checks", {}))
    ]
    assert not wrong


def test_every_experiment_on_the_papers_but_pair_is_named_by_a_statement(
    experiments: dict[str, dict[str, Any]],
) -> None:
    of_papers = {name for name, text in experiments.items() if text["paper"] in registries()}
    measured = {name for registry in registries().values() for one in registry.claims for name in one.experiments}
    assert of_papers - measured == {"pair"}


def test_experiments_measure_statements_of_their_own_paper(experiments: Configs) -> None:
    # Two papers state the bounds of objective perturbation, the exact optimum is above the lower bounds of two; the
    # audit, the games, the worst data and the certified worst cases are of the algorithms of all.
    wrong = {
        (where.partition(",")[0], experiment)
        for where, experiment, _ in named()
        if experiment in experiments and not where.startswith(f"{experiments[experiment]['paper']}, ")
    }
    assert wrong == {
        ("bst", "objective_perturbation"), ("bst", "objective_perturbation_privacy"),
        ("glm", "minimax_linear"), ("glm", "minimax_squared"), ("glm", "privacy_audit"), ("lasso", "privacy_audit"),
        ("glm", "schedule_games"), ("kst", "schedule_games"), ("glm", "worst_functions"), ("bst", "worst_functions"),
        ("glm", "worst_constants"), ("kst", "worst_constants"), ("lasso", "worst_constants"),
    }  # fmt: skip


def test_errata_are_about_statements_that_have_a_row() -> None:
    wrong = []
    for paper, registry in registries().items():
        items = {one.item for one in registry.claims}
        wrong += [(paper, one.item) for one in registry.errata if not set(one.statements) <= items]
    # A slip in the introduction to a section, about the loss that two theorems use, names them instead.
    assert not wrong


def test_a_statement_that_is_false_names_errata_that_exist() -> None:
    for registry in registries().values():
        errata = {one.item for one in registry.errata}
        assert all(set(one.false) <= errata for one in registry.claims)


STATEMENTS = [(paper, one) for paper, registry in registries().items() for one in registry.claims]
ERRATA = [(paper, one) for paper, registry in registries().items() for one in registry.errata]


def test_a_statement_that_is_false_has_a_repaired_one_or_says_why_there_is_none() -> None:
    wrong = [
        (paper, one.item)
        for paper, one in STATEMENTS
        if one.false and one.repaired is None and "Nothing" not in one.note
    ]
    assert not wrong
    assert sum(bool(one.false) for _, one in STATEMENTS) >= 20


def test_evidence_of_a_statement_that_is_false_stands_with_the_repaired_one() -> None:
    assert not [(paper, one.item) for paper, one in STATEMENTS if one.false and one.evidence]
    assert not [(paper, one.item) for paper, one in STATEMENTS if one.repaired and not one.false]


def test_errata_that_disprove_a_statement_are_about_it() -> None:
    for paper, one in STATEMENTS:
        about = {slip.item for slip in registries()[paper].errata if one.item in slip.statements}
        assert set(one.false) <= about, (paper, one.item)


def test_every_erratum_has_its_quote_its_source_and_its_range() -> None:
    missing = [
        (paper, slip.item, name)
        for paper, slip in ERRATA
        for name in ("quote", "source", "range", "holds")
        if not getattr(slip, name).strip()
    ]
    assert not missing
    # The text of this paper was converted from its source, those of the others were read from pages by a machine.
    assert {paper for paper, slip in ERRATA if not slip.ocr} == {"bst"}
    assert all(not slip.ocr for paper, slip in ERRATA if paper == "bst")


def test_a_privacy_failure_names_the_budgets_that_are_exceeded_and_an_exact_computation() -> None:
    for paper, slip in ERRATA:
        if slip.severity == "privacy failure":
            assert "epsilon" in slip.range, (paper, slip.item)
            exact = {one.experiment for one in slip.shown_by} & {
                "objective_perturbation_privacy",
                "huberization_privacy",
            }
            assert exact or any(one.test for one in slip.shown_by), (paper, slip.item)


def test_definitions_have_nothing_to_measure_and_nothing_else_claims_so_but_a_comparison_of_papers() -> None:
    nothing = {(paper, one.item): one.kind for paper, one in STATEMENTS if one.nothing}
    definitions = {(paper, one.item): one.kind for paper, one in STATEMENTS if one.kind == "definition"}
    assert nothing == definitions | {("lasso", "Remark 3"): "comparison"}


def test_every_statement_has_an_address_of_its_own() -> None:
    addresses = [identity(paper, one.item) for paper, registry in registries().items() for one in registry.claims]
    assert len(set(addresses)) == len(addresses)
    assert "lasso-theorem-2-5" in addresses


def test_errata_are_named_once() -> None:
    for registry in registries().values():
        items = [one.item for one in registry.errata]
        assert len(set(items)) == len(items)


def test_every_test_that_an_erratum_names_exists() -> None:
    tests = [one.test for registry in registries().values() for slip in registry.errata for one in slip.shown_by]
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
    for registry in registries().values():
        for slip in registry.errata:
            for one in slip.shown_by:
                check = experiments.get(one.experiment, {}).get("checks", {}).get(one.check)
                if check and check["role"] not in ("erratum", "control") and slip.severity != "typo":
                    wrong.append((slip.item, one.check))
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
        (one.experiment, one.check)
        for registry in registries().values()
        for slip in registry.errata
        for one in slip.shown_by
    }
    checks = {
        (name, key)
        for name, text in experiments.items()
        if text["paper"] in registries()
        for key, check in text["checks"].items()
        if check["role"] == "erratum"
    }
    assert not checks - shown
