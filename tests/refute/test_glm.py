"""Attacks on Arora et al. (2022) find what is false, break nothing that holds, and see a condition left out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from scipy.special import ndtr

from dprepro import bounds
from dprepro.refute import Attack, Axis, Effort, Tried, hunt
from dprepro.refute.find import attacks_on, forms, says_of
from dprepro.refute.glm import ATTACKS, PRINTED, UNTRIED
from dprepro.statements.glm import STATEMENTS
from dprepro.statements.statement import Says, Statement

BY_ITEM = {row.item: row for row in STATEMENTS}


def _pairs(table: Mapping[str, tuple[Attack, ...]]) -> Iterator[tuple[str, Attack]]:
    return ((item, attack) for item, attacks in table.items() for attack in attacks)


FULL, SHORT = Effort(300, 200), Effort(60, 40)
LONG = "exact laws"
"""The names of attacks begin so that integrate laws at every place, a hundred times longer than formulas take."""


def _tried(attack: Attack, says: Says, effort: Effort = FULL) -> Tried:
    return hunt(attack, says, effort if attack.exact else Effort(40, 24), seed=0)


@pytest.mark.parametrize(("item", "attack"), [*_pairs(PRINTED)])
def test_what_is_printed_and_false_has_a_counterexample(item: str, attack: Attack) -> None:
    assert BY_ITEM[item].false
    assert _tried(attack, BY_ITEM[item].says).violated


@pytest.mark.parametrize(
    ("item", "attack", "effort"),
    [
        *((item, attack, SHORT if attack.name.startswith(LONG) else FULL) for item, attack in _pairs(ATTACKS)),
        *(
            pytest.param(item, attack, FULL, marks=pytest.mark.slow)
            for item, attack in _pairs(ATTACKS)
            if attack.name.startswith(LONG)
        ),
    ],
)
def test_what_holds_is_attacked_and_not_broken(item: str, attack: Attack, effort: Effort) -> None:
    tried = _tried(attack, BY_ITEM[item].holds, effort)
    assert tried.numbers
    assert not tried.violated


@pytest.mark.parametrize("item", ["Theorem 1", "Corollary 1", "Theorem 2", "Theorem 3", "Theorem 5"])
def test_algorithms_on_data_of_families_do_not_break_what_holds(item: str) -> None:
    """Of draws: a lower end of four standard errors on fresh ones, a false alarm in 30,000 a place that is reported."""
    statement = BY_ITEM[item]
    form = forms(statement)[-1]
    drawn = [one for one in attacks_on("glm", statement, form) if not one.exact]
    tried = [_tried(one, says_of(statement, form)) for one in drawn]
    assert any(one.numbers for one in tried)
    assert not any(one.violated for one in tried)


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda candidate: str(candidate.item))
def test_every_statement_has_an_attack_or_a_reason(statement: Statement) -> None:
    assert statement.nothing or statement.item in UNTRIED or attacks_on("glm", statement, forms(statement)[-1])
    assert bool(statement.false) == (statement.item in PRINTED)


def _without(item: str, **axes: Axis) -> Tried:
    """The first attack on what holds, without its premise, these axes changed."""
    attack = ATTACKS[item][0]
    says = replace(BY_ITEM[item].holds, premise=())
    return _tried(replace(attack, premise=(), axes={**attack.axes, **axes}), says)


@pytest.mark.parametrize(
    ("item", "axes"),
    [
        ("Theorem 1, privacy", {}),  # epsilon up to 20
        ("Definition 1", {}),  # alpha up to 100
        ("Lemma 1", {}),  # up to a million records
        ("Lemma 12", {"ratio": Axis(1e-3, 1e3, usual=1)}),  # u and v of unlike lengths
        ("Lemma 2", {"place": Axis(-4, 4, usual=-1, log=False)}),  # outside of the ball
        ("Theorem 7", {"squared": Axis(1, 1)}),  # the middle term as printed
        ("Section 3.1, the smallest sample", {"share": Axis(0.1, 10, usual=0.5)}),
    ],
)
def test_an_attack_finds_what_holds_only_with_its_condition(item: str, axes: dict[str, Axis]) -> None:
    assert _without(item, **axes).violated


def test_a_published_sample_breaks_corollary_4_where_delta_is_above_epsilon() -> None:
    (attack,) = (attack for attack in ATTACKS["Corollary 4"] if "order 2" in attack.name)
    says = BY_ITEM["Corollary 4"].holds
    assert "delta <= epsilon" in says.premise
    further = tuple(one for one in says.premise if one != "delta <= epsilon")
    assert _tried(attack, replace(says, premise=further)).violated


def test_beyond_the_range_that_is_verified_theorem_1_exceeds_delta_as_its_row_notes() -> None:
    """At n = T = 2 what is published is one noisy gradient: 1.6 and 6 times delta."""
    for epsilon, delta, times in ((20.0, 0.3, 1.6), (40.0, 0.1, 6.0)):
        found = bounds.evaluate("glm_corners.theorem_1_privacy_at_two_records", {"epsilon": epsilon, "delta": delta})
        assert found == pytest.approx(times, rel=0.02)
        assert found == pytest.approx(gaussian_delta_at(epsilon, delta) / delta)


def gaussian_delta_at(epsilon: float, delta: float) -> float:
    """Of the shift epsilon/sqrt(8 ln(1/delta)), by the normal distribution function."""
    shift = epsilon / math.sqrt(8 * math.log(1 / delta))
    first, second = ndtr(shift / 2 - epsilon / shift), ndtr(-shift / 2 - epsilon / shift)
    return float(first - math.exp(epsilon) * second)
