"""Every number that an erratum's words have stands in what shows it: a test, a check's result, or its experiment."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from docs.sources import ROOT, checks
from dprepro.config.compose import compose
from dprepro.statements.papers import Erratum, ErratumEvidence, papers

ERRATA = [(name, erratum) for name, paper in papers().items() for erratum in paper.errata]
_AT = r"(?:[A-Z]\.)?\d+(?:\.\d+)*"
PLACES = re.compile(
    r"\b(?:Algorithms?|Assumptions?|Claims?|Corollar(?:y|ies)|Definitions?|Lemmas?|[Ss]ections?|Tables?|Theorems?|"
    rf"equations?|lines?|condition) {_AT}(?:'s)?(?:(?:,| and|, and| or) {_AT})*"
    r"|\(\d+\)|\b\d+ \([a-z]\)|\b(?:26\.2|44|31) (?:from|where|whatever)"
)
"""Places in a paper, which are no numbers of it."""
NUMBER = re.compile(r"(?<![\w.^_{-])(\d{1,3}(?:,\d{3})+|\d*\.?\d+)(?:\s*\\cdot\s*10\^\{(-?\d+)\})?(\\%)?")
POWER = re.compile(r"(?<![\w.])(?<!cdot )10\^\{(-?\d+)\}")
SMALL = {float(number) for number in range(11)}
"""Numbers that are parts of formulas: the tests hold the formulas."""


def numbers(words: str) -> set[tuple[float, int]]:
    """The numbers of a sentence, each with its significant digits."""
    text = PLACES.sub(" ", words)
    found = {(float(f"1e{power}"), 1) for power in POWER.findall(text)}
    for digits, power, percent in NUMBER.findall(POWER.sub(" ", text)):
        plain = digits.replace(",", "")
        value = float(plain) * 10.0 ** int(power or 0) / (100 if percent else 1)
        if value not in SMALL:
            found.add((value, len(plain.replace(".", "").strip("0")) or 1))
    return found


def stands(number: tuple[float, int], among: Iterable[float]) -> bool:
    """Whether one of them, or what is one over it, rounds to the number."""
    value, digits = number
    rounded = {f"{known:.{digits - 1}e}" for other in among if other for known in (other, 1 / other)}
    return f"{value:.{digits - 1}e}" in rounded


@cache
def constants(path: Path) -> dict[str, frozenset[float]]:
    """The numbers that each test of a file has, those of its parameters and of what it calls in the file included."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    named |= {
        target.id: node  # type: ignore[misc]
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }

    def of(node: ast.AST, seen: frozenset[str]) -> Iterator[float]:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Constant) and isinstance(inner.value, int | float):
                yield float(inner.value)
            elif isinstance(inner, ast.Name) and inner.id in named and inner.id not in seen:
                yield from of(named[inner.id], seen | {inner.id})

    return {name: frozenset(of(node, frozenset({name}))) for name, node in named.items()}


@cache
def of_experiment(name: str) -> frozenset[float]:
    """The numbers of an experiment: its grids and its parameters."""

    def walk(part: object) -> Iterator[float]:
        if isinstance(part, dict):
            yield from (number for inner in part.values() for number in walk(inner))
        elif isinstance(part, list | tuple):
            yield from (number for inner in part for number in walk(inner))
        elif isinstance(part, int | float) and not isinstance(part, bool):
            yield float(part)

    return frozenset(walk(compose([f"+experiment={name}"]).config))


def known(evidence: ErratumEvidence) -> frozenset[float]:
    """What a piece of evidence holds."""
    if evidence.test:
        path, _, test = evidence.test.partition("::")
        return constants(ROOT / path)[test]
    check = checks(evidence.experiment)[evidence.check]
    results = [check[key] for key in ("estimate", "low", "high", "expected") if check[key] is not None]
    return of_experiment(evidence.experiment) | frozenset(results)


def untraced(erratum: Erratum, words: str) -> set[tuple[float, int]]:
    """The numbers of some words on it that nothing which shows it has."""
    among = frozenset().union(*map(known, erratum.shown_by))
    return {number for number in numbers(words) if not stands(number, among)}


@pytest.mark.parametrize(("paper", "erratum"), ERRATA, ids=[f"{name}-{erratum.item}" for name, erratum in ERRATA])
def test_every_number_of_an_erratum_stands_in_what_shows_it(paper: str, erratum: Erratum) -> None:
    assert not untraced(erratum, f"{erratum.holds} {erratum.range}")


def test_a_number_that_is_a_tenth_too_large_is_noticed() -> None:
    planted = noticed = 0
    for _, erratum in ERRATA:
        for value, digits in numbers(erratum.holds):
            planted += 1
            wrong = f"{value * 1.1:.{max(digits, 2) - 1}e}"
            mantissa, _, power = wrong.partition("e")
            noticed += bool(untraced(erratum, rf"It is ${mantissa}\cdot 10^{{{int(power)}}}$."))
    assert planted > 60
    assert noticed > 0.9 * planted
