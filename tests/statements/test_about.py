"""Of which statements a check speaks: as it says, by its name, or as what it is like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from helpers.shipped import composed

from dprepro.analysis.checks import build
from dprepro.config.asked import asked
from dprepro.config.templates import expand
from dprepro.errors import InputError
from dprepro.statements.about import spoken_of
from dprepro.statements.statement import Says, Statement

ITEMS = {"mine": ("Theorem 5.3", "Theorem 5", "Equation (6)", "Definition 1"), "other": ("Lemma 2",)}


def find(paper: str) -> Sequence[Statement]:
    return [
        Statement(item=item, kind="rate", says=Says(text="x"), nothing="it is one" if "Definition" in item else "")
        for item in ITEMS.get(paper, ())
    ]


def spoken(name: str, study: str = "dprepro.studies.RateStudy", **check: Any) -> dict[str, str] | None:
    return spoken_of(name, {"role": "claim", "rule": "below"} | check, "mine", study, find)


@pytest.mark.parametrize(
    ("name", "item"),
    [
        ("theorem_5_3", "Theorem 5.3"), ("theorem_5_3_most", "Theorem 5.3"), ("theorem_5_4", "Theorem 5"),
        ("equation_6_grid", "Equation (6)"), ("theorem_55", ""), ("definition_1_rows", ""), ("below_bound", ""),
    ],
)  # fmt: skip
def test_a_claim_speaks_of_the_longest_item_that_its_name_begins_with(name: str, item: str) -> None:
    assert spoken(name) == ({item: "holds"} if item else None)


def test_a_quantity_names_a_statement_too_and_a_control_speaks_of_none() -> None:
    assert spoken("tail", quantity="theorem_5_3_tail") == {"Theorem 5.3": "holds"}
    assert spoken("theorem_5", role="control") is None
    assert spoken("theorem_5", role="context") is None
    assert spoken("theorem_5", about="none") == {}


def test_the_kind_of_evidence_is_what_rule_quantity_and_study_say_unless_the_check_does() -> None:
    assert spoken("a", about="Theorem 5", rule="exponent") == {"Theorem 5": "attained"}
    assert spoken("a", about="Theorem 5", rule="audit") == {"Theorem 5": "audited"}
    assert spoken("a", about="Theorem 5", quantity="certified_epsilon") == {"Theorem 5": "certified"}
    assert spoken("theorem_5", "dprepro.studies.InequalityStudy") == {"Theorem 5": "exact"}
    assert spoken("a", about=["Theorem 5", "other Lemma 2"], evidence="exact") == {
        "Theorem 5": "exact", "other Lemma 2": "exact",
    }  # fmt: skip
    assert spoken("a", about={"Theorem 5": "attained", "Equation (6)": None}) == {
        "Theorem 5": "attained", "Equation (6)": "holds",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ("Theorem 6", "unknown statement 'Theorem 6'.*Theorem 5"),
        ("other Lemma 3", "unknown statement 'other Lemma 3'.*Lemma 2"),
        ("Definition 1", "of Definition 1 there is nothing to measure: it is one"),
        (3, "it must be an item"),
    ],
)
def test_an_item_that_no_paper_has_is_refused_with_the_choices(about: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        spoken("a", about=about)


def test_a_paper_that_nobody_describes_is_named() -> None:
    with pytest.raises(InputError, match=r"papers/mine\.yaml with its claims"):
        spoken_of("a", {"about": "Theorem 5"}, "mine", "", lambda paper: ())


def test_a_kind_of_evidence_that_does_not_exist_is_refused_with_the_choices() -> None:
    with pytest.raises(InputError, match=r"unknown kind of evidence 'sure'.*not contradicted"):
        build("a", {"rule": "below", "role": "claim", "expected": 1, "about": {"Theorem 5": "sure"}})


def written(checks: Mapping[str, Any]) -> dict[str, Any]:
    series = {name: {"role": "claim"} for name in ("one", "two")}
    config = {"paper": "mine", "study": {"_target_": "a.RateStudy", "series": series}, "checks": checks}
    full = expand(config, lambda group, name: {}, find)
    assert expand(full, lambda group, name: {}, find) == full
    return {name: check.get("about") for name, check in full["checks"].items()}


def test_a_claim_that_is_like_another_speaks_of_the_same_and_a_control_does_not() -> None:
    checks = {
        "claims": {
            "below_bound": {"series": ["one"], "about": "Theorem 5"},
            "again": {"like": "below_bound"},
            "silent": {"like": "below_bound", "about": "none"},
            "theorem_5_3": {"like": "below_bound"},
            "theorem_5_most": {"like": "below_bound", "expected": 2},
        },
        "controls": {"one": "below_bound"},
    }
    assert written(checks) == {
        "below_bound": {"Theorem 5": "holds"}, "again": {"Theorem 5": "holds"}, "silent": {},
        "theorem_5_3": {"Theorem 5.3": "holds"}, "theorem_5_most": {"Theorem 5": "holds"}, "one": None,
    }  # fmt: skip


def test_a_family_says_of_its_members_together_or_of_each() -> None:
    family = {"rule": "below", "series": ["one", "two"], "expected": 1}
    together = written({"claims": {"*_held": family | {"about": {"Theorem 5": "exact"}}}})
    assert together == {"one_held": {"Theorem 5": "exact"}, "two_held": {"Theorem 5": "exact"}}
    each = written({"claims": {"*_held": family | {"about": {"one": ["Theorem 5", "Equation (6)"]}}}})
    assert each == {"one_held": {"Theorem 5": "holds", "Equation (6)": "holds"}, "two_held": None}
    axes = {"series": "one", "n": -1, "p": 1, "about": {"n": "Theorem 5"}}
    assert written({"claims": {"exponents": axes}}) == {"exponent_n": {"Theorem 5": "attained"}, "exponent_p": None}
    ends = {"series": ["one"], "between": [1, 2], "about": "Theorem 5"}
    assert written({"claims": {"ends": ends}}) == {"ends": {"Theorem 5": "holds"}, "ends_most": {"Theorem 5": "holds"}}


@pytest.mark.parametrize("name", ["lasso_rate", "advice", "erm_exponential", "kst_limits", "glm_noisy_gd"])
def test_what_an_experiment_asks_is_read_without_composing_it(name: str) -> None:
    config = composed(name).config
    paper, checks = asked(())[name]
    assert paper == config["paper"]
    assert {key: check.get("about") for key, check in checks.items()} == {
        key: value.get("about") for key, value in config["checks"].items()
    }
