"""Attacks on Talwar, Thakurta and Zhang (2015): what is false is found, what holds is not broken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from dprepro.refute import Attack, Effort, Tried, hunt
from dprepro.refute.lasso import ATTACKS, PRINTED, UNTRIED
from dprepro.statements.lasso import STATEMENTS
from dprepro.statements.statement import Says, Statement

BY_ITEM = {row.item: row for row in STATEMENTS}


def _pairs(table: dict[str, tuple[Attack, ...]], exact: bool = True) -> Iterator[tuple[str, Attack]]:
    return ((item, attack) for item, attacks in table.items() for attack in attacks if attack.exact == exact)


def _tried(attack: Attack, says: Says) -> Tried:
    return hunt(attack, says, Effort(300, 200) if attack.exact else Effort(40, 24), seed=0)


@pytest.mark.parametrize(("item", "attack"), [*_pairs(dict(PRINTED)), *_pairs(dict(PRINTED), exact=False)])
def test_what_is_printed_and_false_has_a_counterexample(item: str, attack: Attack) -> None:
    assert BY_ITEM[item].false
    assert _tried(attack, BY_ITEM[item].says).violated


@pytest.mark.parametrize(("item", "attack"), [*_pairs(dict(ATTACKS))])
def test_what_holds_is_attacked_and_not_broken(item: str, attack: Attack) -> None:
    tried = _tried(attack, BY_ITEM[item].holds)
    assert tried.numbers
    assert not tried.violated


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda candidate: str(candidate.item))
def test_every_statement_has_an_attack_or_a_reason(statement: Statement) -> None:
    assert statement.nothing or statement.item in UNTRIED or statement.item in ATTACKS
    assert bool(statement.false) == (statement.item in PRINTED)


def _of(item: str) -> tuple[Attack, Says]:
    return ATTACKS[item][0], BY_ITEM[item].holds


def test_the_attacks_find_what_holds_only_with_its_conditions() -> None:
    """Each repair without a condition of its own: delta at most 1/e, the range of epsilon, n above log^3 p."""
    for item in ("Theorem 2.5", "Section 1, privacy for free"):
        attack, says = _of(item)
        free = replace(says, premise=())
        wide = {
            **attack.axes,
            **({"delta": replace(attack.axes["delta"], high=1 - 1e-12)} if "delta" in attack.axes else {}),
        }
        assert _tried(replace(attack, premise=(), axes=wide), free).violated
    attack, says = _of("Theorem B.1")
    assert _tried(attack, replace(says, premise=("delta <= 1/e",))).violated
    attack, says = _of("Theorem 2.4")
    assert hunt(attack, replace(says, premise=("delta <= 0.1",)), Effort(1000, 1000, rounds=3)).violated
