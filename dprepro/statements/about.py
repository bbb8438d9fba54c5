"""The statements that a check judges, and the kind of evidence that it gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dprepro.errors import InputError, unknown
from dprepro.statements.statement import Statement

NONE = "none"
"""What ``about`` says where a check speaks of nothing, whatever its name."""

EXACT = ("InequalityStudy", "PrivacyStudy")
"""Studies that compute and do not draw."""

Find = Callable[[str], Sequence[Statement]]


def spoken_of(name: str, check: Mapping[str, Any], paper: str, study: str, find: Find) -> dict[str, str] | None:
    """The statements that a check is about, each with the kind of evidence; None where nobody says any.

    ``about`` may be an item, a list of them, or a mapping to kinds of evidence; an item of another paper has the
    paper's key in front (``kst Theorem 2``). Without it, a claim whose name, or whose quantity, begins with an item in
    lower case, words joined by underscores, is about that statement: ``theorem_5_3``, ``theorem_5_3_most``.
    ``evidence`` is the kind, by default what the rule, the quantity and the study of the check say.

    Raises:
        InputError: an item that no paper has.
    """
    said, kind = check.get("about"), check.get("evidence") or _kind(check, study)
    if said is None:
        item = named(name, check, paper, find)
        return {item: str(kind)} if item else None
    if said == NONE:
        return {}
    if isinstance(said, Mapping):
        found = {str(item): str(check.get("evidence") or value or kind) for item, value in said.items()}
    elif isinstance(said, str | list):
        found = {str(item): str(kind) for item in ([said] if isinstance(said, str) else said)}
    else:
        raise InputError(f"check {name}: about is {said!r}; it must be an item, as Theorem 2.5, or a list of items")
    for item in found:
        try:
            place(item, paper, find)
        except InputError as error:
            raise InputError(f"check {name}: about: {error}") from error
    return found


def named(name: str, check: Mapping[str, Any], paper: str, find: Find) -> str:
    """The item that the name of a claim begins with, or else its quantity; the longest; empty where there is none."""
    if check.get("role") != "claim":
        return ""
    items = {_slug(statement.item): statement.item for statement in find(paper) if not statement.nothing}
    for text in (name, str(check.get("quantity", ""))):
        found = [slug for slug in items if f"{text}_".startswith(f"{slug}_")]
        if found:
            return items[max(found, key=len)]
    return ""


def place(item: str, paper: str, find: Find) -> tuple[str, str]:
    """Paper and item of what a check of an experiment on ``paper`` is about.

    Raises:
        InputError: there is no such statement, or there is nothing to measure of it.
    """
    own = find(paper)
    other, _, rest = item.partition(" ")
    where, number, among = (paper, item, own)
    if all(row.item != item for row in own) and (further := find(other)):
        where, number, among = other, rest, further
    for statement in among:
        if statement.item == number:
            if statement.nothing:
                raise InputError(f"of {item} there is nothing to measure: {statement.nothing}")
            return where, number
    if not among:
        raise InputError(f"nobody describes the paper {paper}; papers/{paper}.yaml with its claims would")
    raise unknown("statement", item, [row.item for row in among])


def _slug(item: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", item.lower()).strip("_")


def _kind(check: Mapping[str, Any], study: str) -> str:
    quantity = str(check.get("quantity", ""))
    if check.get("rule") == "audit":
        return "audited"
    if quantity == "certified_epsilon" or quantity.startswith("certified"):
        return "certified"
    if study.rpartition(".")[2] in EXACT:
        return "exact"
    return "attained" if check.get("rule") == "exponent" else "holds"
