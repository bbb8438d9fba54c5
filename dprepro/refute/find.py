"""Which attacks there are on a statement: those written for it, and those that follow from it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dprepro.errors import InputError, unknown
from dprepro.refute.attack import Attack
from dprepro.refute.generic import of_algorithms
from dprepro.statements.papers import papers
from dprepro.statements.statement import Says, Statement, identity

DPREPRO_IMPORTS = ()  # a study names the attacks that it takes

Form = Literal["printed", "repaired"]
FORMS: tuple[Form, ...] = ("printed", "repaired")


def forms(statement: Statement) -> tuple[Form, ...]:
    """As which it can be attacked."""
    return FORMS if statement.repaired is not None else FORMS[:1]


def says_of(statement: Statement, form: str) -> Says:
    """What a statement says in one form; raises InputError for a form that it does not have."""
    if form not in forms(statement):
        raise unknown("form", form, forms(statement))
    return statement.says if form == "printed" or statement.repaired is None else statement.repaired


def attacks_on(paper: str, statement: Statement, form: str, config_dir: str | None = None) -> tuple[Attack, ...]:
    """The attacks on a statement as printed or as repaired, those that compute first.

    Those that follow from its premise are left out where others are written for it, and it is a print that is repaired,
    or says the same as one that it restates.

    Raises:
        InputError: two attacks of one name.
    """
    says = says_of(statement, form)
    by_item = {claim.item: claim for claim in papers(config_dir)[paper].claims}
    own = list(_written(paper, form, statement, config_dir))
    if not (own and (form != forms(statement)[-1] or _the_same(says, [by_item[item] for item in statement.restates]))):
        own += of_algorithms(says)
    found = tuple(sorted(own, key=lambda attack: not attack.exact))
    names = [attack.name for attack in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"{statement.item}: two attacks are called {twice[0]!r}")
    return found


def _the_same(says: Says, others: Sequence[Statement]) -> bool:
    """Whether one of these holds with the same premise, bound and rate."""
    content = [(other.holds.premise, other.holds.bound, other.holds.rate) for other in others]
    return (says.premise, says.bound, says.rate) in content


def untried(paper: str, statement: Statement, config_dir: str | None = None) -> str:
    """Why nothing is tried on a statement, in words; empty where there are attacks."""
    if statement.nothing:
        return statement.nothing
    if said := _table(paper, "UNTRIED", config_dir).get(statement.item):
        return str(said)
    return f"it restates {', '.join(statement.restates)}: attack that" if statement.restates else ""


def statement_at(address: str, config_dir: str | None = None) -> tuple[str, Statement]:
    """Paper and statement of an address such as ``kst-theorem-31``.

    Raises:
        InputError: there is no such statement; with the nearest.
    """
    known = {
        identity(paper, claim.item): (paper, claim)
        for paper, described in papers(config_dir).items()
        for claim in described.claims
    }
    if address not in known:
        raise unknown("statement", address, known)
    return known[address]


def _written(paper: str, form: str, statement: Statement, config_dir: str | None) -> Sequence[Attack]:
    """Those in the paper's module: ``PRINTED`` on what is printed where that is false, ``ATTACKS`` on what holds."""
    as_printed = form == "printed" and (statement.repaired is not None or bool(statement.false))
    return tuple(_table(paper, "PRINTED" if as_printed else "ATTACKS", config_dir).get(statement.item, ()))


def _table(paper: str, name: str, config_dir: str | None) -> Mapping[str, Any]:
    module = papers(config_dir)[paper].statements or f"dprepro.refute.{paper}"
    try:
        return getattr(importlib.import_module(module), name, {})
    except ModuleNotFoundError:
        return {}
