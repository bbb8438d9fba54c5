"""What shows an erratum, in LaTeX: each check with what it found, where, and its command; each test with its path."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from docs.sources import checks
from docs.tex_numbers import Numbers
from docs.typeset import sentence, words
from dprepro.config.compose import compose
from dprepro.report.compared import compared
from dprepro.report.formulas import tex_text
from dprepro.report.measured_grid import LETTERS

SIDES = {"at_most": "at most ", "at_least": "at least "}
PLACE = re.compile(r"at [^\s,]+((?:, [^\s=]+=[^\s,]+)*) the (?:lower|upper) limit")
"""How the reason of a check begins that some point decides."""
GREEK = ("alpha", "beta", "gamma")
INEQUALITY = ("the left side", "the right side")
DISTANCES = {
    "minimiser_as_printed": "the distance of the minimiser from the printed one",
    "huber_minimiser_as_printed": "the distance of the minimiser from the printed one, in units of $h$,",
    "second_derivative_jump": "the jump of the second derivative, in units of $1/(2h)$,",
    "selection_lag": "the distance of the chosen risk below the largest one",
}
"""Quantities in words, where their names say too little."""


def shown(erratum: Mapping[str, Any], number: Numbers) -> list[str]:
    """Each piece of evidence, with its numbers by name."""
    return [_test(one) if "test" in one else _check(erratum["id"], one, number) for one in erratum["shown_by"]]


def _test(one: Mapping[str, Any]) -> str:
    return rf"\test{{{one['test']}}}"


def _check(of: str, one: Mapping[str, Any], number: Numbers) -> str:
    name = f"{of}/{one['check']}"
    found, claimed = number(name, one["estimate"]), number(f"{name}/expected", one["expected"])
    source = "printed" if one["verdict"] == "refuted" else "stated"
    return (
        rf"check \code{{{one['check']}}}: {_said(one, found)}{_place(name, one, number)} "
        rf"({source}: {SIDES.get(one['side'], '')}{claimed}; \code{{{one['command']}}})"
    )


def _said(one: Mapping[str, Any], found: str) -> str:
    """What the check compared, and with what result."""
    settings = _settings(one["experiment"])[one["check"]]
    rule, quantity = checks(one["experiment"])[one["check"]]["rule"], settings.get("quantity", "excess_risk")
    if rule == "audit":
        return rf"draws show {found} times the claimed $\epsilon$"
    if rule == "exponent":
        axis = settings.get("axis", "n")
        letter = LETTERS.get(axis, axis)
        over = " over its rate" if settings.get("divide") else ""
        base = rf"(\ln {letter})" if settings.get("transform", "log") != "log" else letter
        return rf"the {words(quantity.replace('_', ' '))}{over} goes as ${base}^{{{found}}}$"
    if not one["expected"]:
        return f"{DISTANCES[quantity]} is {found}"
    sides = compared(one["experiment"], one["check"], quantity, one["side"])
    name, limit = INEQUALITY if quantity == "ratio" or isinstance(sides, str) else sides
    return f"{DISTANCES.get(quantity, sentence(name))} is {found} times {sentence(limit)}"


def _place(name: str, one: Mapping[str, Any], number: Numbers) -> str:
    """The point that decides, where the check's reason names one."""
    found = PLACE.match(checks(one["experiment"])[one["check"]]["reason"])
    axes = [part.partition("=") for part in found[1].split(", ")[1:]] if found else []
    points = [f"{_axis(axis)}~=~{number(f'{name}/{axis}', float(value))}" for axis, _, value in axes]
    return f" at {', '.join(points)}" if points else ""


def _axis(axis: str) -> str:
    if axis in GREEK:
        return rf"$\{axis}$"
    return f"${LETTERS.get(axis, axis)}$" if len(axis) == 1 or axis in LETTERS else tex_text(axis.replace("_", " "))


@cache
def _settings(experiment: str) -> Mapping[str, Mapping[str, Any]]:
    """The checks of an experiment, as its YAML says them."""
    found: Mapping[str, Mapping[str, Any]] = compose([f"+experiment={experiment}"]).config["checks"]
    return found
