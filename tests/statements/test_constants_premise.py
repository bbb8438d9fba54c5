"""The constants of a statement are measured where its premise holds: under its relation, with its algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass

import pytest
from helpers.shipped import composed

from dprepro.config.checked_experiment import build_experiment
from dprepro.statements.conditions import condition
from dprepro.statements.papers import papers
from dprepro.statements.statement import Says
from dprepro.studies.rate_study import RateStudy


def with_constants() -> Iterator[tuple[str, Says, str, list[str]]]:
    """Each form of a statement that has a constant, with the experiment and the checks that measure it."""
    for paper, described in papers(None).items():
        for statement in described.claims:
            for form, says in (("printed", statement.says), ("repaired", statement.repaired)):
                for experiment, checks in (says.constant if says else {}).items():
                    yield f"{paper}, {statement.item}, {form}, {experiment}", says, experiment, list(checks)


def unmet(study: RateStudy, label: str, point: dict[str, float], premise: tuple[str, ...]) -> list[str]:
    """What of a premise does not hold at a point of a series; an algorithm's settings are its fields."""
    context = study._context(label, point)
    found = []
    for text in premise:
        asked = condition(text)
        facts = study._facts(context)
        if asked.of_algorithm and "." in asked.fact:
            value = getattr(context.algorithm, asked.fact.partition(".")[2])
            facts[asked.fact] = repr(value) if isinstance(value, float) else str(value)
            if is_dataclass(value):  # a rule by its name, a part by its class
                facts[asked.fact] = getattr(value, "name", "") or type(value).__name__
        if reason := asked.unmet(context.public.find, facts):
            found.append(reason)
    return found


@pytest.mark.parametrize(
    ("says", "experiment", "checks"), [pytest.param(*rest, id=name) for name, *rest in with_constants()]
)
def test_a_constant_is_measured_within_the_premise_of_its_statement(
    says: Says, experiment: str, checks: list[str]
) -> None:
    described = composed(experiment)
    built = build_experiment(described)
    if not isinstance(built.study, RateStudy):
        pytest.skip("functions of plain numbers, whose places the study itself keeps within a premise")
    labels = set()
    for check in checks:
        named = described.config["checks"][check]["series"]
        labels |= {named} if isinstance(named, str) else {*named}
    places = {(cell.series, *sorted(cell.axes.items())): cell for cell in built.cells if cell.series in labels}
    assert {cell.series for cell in places.values()} == labels
    for cell in places.values():
        assert not unmet(built.study, cell.series, dict(cell.axes), says.premise), cell.series


@pytest.mark.parametrize("says", [pytest.param(says, id=name) for name, says, *_ in with_constants()])
def test_a_constant_is_of_a_mean_or_of_each_answer(says: Says) -> None:
    """The mean of risks is neither above nor below what holds with a probability."""
    assert {"in expectation", "exactly"} & {*says.quantifiers}
