"""What one confirmed check, or several of one kind, say of a statement, as the clauses of a sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dprepro.analysis.points import number
from dprepro.report.compared import CROSSINGS, RATIOS, compared
from dprepro.report.formulas import with_symbols
from dprepro.report.measured_grid import from_to, letter

EXACT = 1e-6
"""Relative: what differs by less is told as equal, an exponent without its interval."""
POWERS = {"ln(delta)": r"\ln(1/\delta)", "ln(p)": r"(\ln p)", "tilt": r"(\eta \tau)"}
"""Axes of which a logarithm is fitted, or whose letters a power would tear apart."""
LOGARITHMS = re.compile(r"ln\^(\([^()]*\)|[^\s(),;]+) (\w+)")
"""As the words of a verdict have them: ``ln^(-1 to 1.5) n``, ``ln^±0.5 p``, ``ln^-0.5 p``; powers and axis."""
FIXED = ("n", "p", "epsilon")
"""Axes whose value is told where an exponent was seen at one alone."""
MOST_DENOMINATOR = 6
DECIMALS = 4
"""Of an exponent, at most."""
COMPUTED = ("exact", "certified")
"""Kinds of evidence that were computed, not drawn."""
SHOWN = {"audited": "audits of draws", "exact": "the distributions of the output"}

Found = Mapping[str, Any]
"""A finding of the ledger, with ``experiment`` and ``kind``."""


def exponents(chosen: Sequence[Found], direction: str) -> str:
    """``the mean excess risk goes as $n^{-0.67}$ over $n$ from 4 to 9 (stated: $-2/3$ at most)``."""
    plain = [finding for finding in chosen if not finding["over"]]
    over = [finding for finding in chosen if finding["over"]]
    most = " at most" if direction == "at_most" else ""
    parts = []
    if plain:
        powers = _listed(f"{_power(one)}{_along(one)} (stated: {_stated(one)}{most})" for one in plain)
        parts.append(f"{_subject(plain[0], direction)} goes as {powers}")
    if over:
        rate = {"bound": "its bound", "law": "its exact law"}.get(over[0]["over"], "the stated rate")
        of = "its ratio to" if plain else f"the ratio of {_subject(over[0], direction)} to"
        level = all(one["expected"] == 0 for one in over)
        powers = _listed(f"{_power(one)}{_along(one)}{'' if level else f' (expected: {_stated(one)})'}" for one in over)
        parts.append(f"{of} {rate} goes as {powers}" + " (expected: 0)" * level)
    return " and ".join(parts)


def bounds(words: tuple[str, str], found: Sequence[Found]) -> Iterable[tuple[str, Sequence[Found]]]:
    """``the mean excess risk is at most 0.83 times its explicit bound``, and on what: of several checks the worst.

    Both sides make a range only where they were judged on the same points; else each stands for itself.
    """
    left, right = words
    sides: dict[str, list[Found]] = {}
    for finding in found:
        sides.setdefault(finding["side"], []).append(finding)
    worst = {side: _worst(side, several) for side, several in sides.items()}
    same = {side: {place(one) for one in several} for side, several in sides.items()}
    if worst.keys() >= {"at_most", "at_least"} and same["at_most"] == same["at_least"]:
        low, high = (worst.pop(side) for side in ("at_least", "at_most"))
        equal = _is(low, 1) and _is(high, 1)
        yield f"{left} is {_times(f'{low} to {high}' if low != high else low, right, equal)}", sides["at_most"]
    if "at_most" in worst:
        high = worst["at_most"]
        drawn = any(one["kind"] not in COMPUTED for one in sides["at_most"])
        none = "was 0 in all runs" if drawn else "is 0"
        said = none if _is(high, 0) else f"is at most {_times(high, right, _is(high, 1))}"
        yield f"{left} {said}", sides["at_most"]
    if "at_least" in worst:
        low = worst["at_least"]
        reaches = "reaches" if any(one["envelope"] for one in sides["at_least"]) else "is at least"
        yield f"{left} {reaches} {_times(low, right, _is(low, 1))}", sides["at_least"]
    if "equals" in worst:
        middle = worst["equals"]
        farthest = "" if _is(middle, 1) else " where it is farthest from it"
        yield f"{left} is {_times(middle, right, _is(middle, 1))}{farthest}", sides["equals"]


def other(finding: Found, direction: str) -> str:
    """What a check says that compares no quantity with its bound; nothing where no words are known for it."""
    rule, experiment, check = finding["rule"], finding["experiment"], finding["check"]
    if rule == "audit":
        shown = number(_down(finding["estimate"]))
        return f"{SHOWN.get(finding['kind'], 'audits')} show {shown} times the budget's $\\epsilon$, and no more"
    if rule == "crossing" and (words := CROSSINGS.get(experiment, {}).get(check)):
        subject, base = words
        return f"{subject} goes as {_power(finding, base)} (expected: {_stated(finding)})"
    if rule == "ratio" and (pair := RATIOS.get(experiment, {}).get(check)):
        middle, half = rounded_interval(finding)
        return f"{pair[0]} is ${number(middle)} \\pm {number(half)}$ times {pair[1]}"
    if rule == "proportion":
        return _proportion(finding, direction)
    if rule == "share":
        subject, _, claimed = finding["text"].rpartition(": ")
        subject = subject.partition(", ")[2] or subject
        return f"{subject} is {number(_short(finding['estimate']))} (claimed: {claimed.partition(', ')[2]})"
    if rule == "attainment":
        answer = str(finding["text"]).partition(": ")[2]
        return "some private algorithm is " + answer.replace("_", " ").replace("<=", "at most")
    return ""


def logarithm(powers: str, axis: str) -> str:
    """What `LOGARITHMS` found as a formula."""
    exponent = powers.strip("()").replace("±", r"\pm ").replace(" to ", r"\ldots ")
    return rf"$\ln^{{{exponent}}} {letter(axis)}$"


def place(finding: Found) -> tuple[Any, ...]:
    """What tells apart the points on which checks were judged."""
    grid = tuple((axis, *ends) for axis, ends in finding["grid"].items())
    return finding["experiment"], tuple(finding["points"].items()), grid


def rounded_interval(finding: Found) -> tuple[float, float]:
    """The estimate to the digit in which its error begins, and how far from it the interval's ends lie.

    The second is rounded up, and is of the rounded estimate: what is told holds the interval. It is 0 of what is exact.
    """
    estimate, low, high = (float(finding[key]) for key in ("estimate", "low", "high"))
    error = max(high - estimate, estimate - low)
    if error <= EXACT:
        return _short(estimate), 0.0
    places = min(max(-math.floor(math.log10(error)), 0), DECIMALS)
    middle = float(number(round(estimate, places))) + 0.0
    return middle, rounded(max(high - middle, middle - low), 1, math.ceil)


def rounded(value: float, digits: int, direction: Callable[[float], float]) -> float:
    """To that many significant digits, up (`math.ceil`) or down (`math.floor`)."""
    if value == 0 or not math.isfinite(value):
        return value
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - digits + 1)
    return float(f"{direction(value / unit - 1e-9 * (direction is math.ceil)) * unit:.{digits}g}")


def _proportion(finding: Found, direction: str) -> str:
    """A share of runs is told by its limits at 99% (`high`, or `low` of what is at least)."""
    words = compared(finding["experiment"], finding["check"], finding["quantity"], direction)
    return next(iter(bounds(words, [finding])))[0] if isinstance(words, tuple) else words


def _worst(side: str, several: Sequence[Found]) -> str:
    """How many times what it is held against a quantity is at worst, rounded away from what is claimed."""
    if side == "at_most":
        return number(rounded(max(finding["high"] for finding in several), 3, math.ceil))
    if side == "at_least":
        return number(_down(min(finding["low"] for finding in several)))
    return number(_short(max(several, key=lambda finding: abs(finding["estimate"] - 1))["estimate"]))


def _times(factor: str, right: str, equal: bool) -> str:
    """``0.83 times its bound``, ``its bound``, or the factor alone where it is held against 1."""
    told = with_symbols(factor)
    if right == "1":
        return told
    return right if equal else f"{told} times {right}"


def _is(told: str, value: float) -> bool:
    """Up to rounding; nothing but 0 is 0."""
    return float(told) == value if value == 0 else abs(float(told) - value) < EXACT


def _subject(finding: Found, direction: str) -> str:
    words = compared(finding["experiment"], finding["check"], finding["quantity"], direction)
    return words[0] if isinstance(words, tuple) else f"the {finding['quantity'].replace('_', ' ')}"


def _power(finding: Found, base: str = "") -> str:
    middle, half = rounded_interval(finding)
    error = f" \\pm {with_symbols(number(half)).strip('$')}" if half else ""
    axis = finding["axis"]
    base = base or POWERS.get(axis) or letter(axis)
    return f"${base}^{{{number(round(middle, DECIMALS) + 0.0)}{error}}}$"


def _along(finding: Found) -> str:
    """Over which values of its axis an exponent was seen, and at which of the other main axes, where there is one."""
    axis, grid = finding["axis"].removeprefix("ln(").rstrip(")"), finding["grid"]
    fixed = [from_to(name, grid[name]) for name in FIXED if name in grid and name != axis and grid[name][2] == 1]
    over = f" over {from_to(axis, grid[axis])}" if axis in grid else ""
    return over + (f" at {', '.join(fixed)}" if fixed else "")


def _stated(finding: Found) -> str:
    """A fraction where it is one: ``-2/3``."""
    value = float(finding["expected"])
    near = Fraction(value).limit_denominator(MOST_DENOMINATOR)
    return f"${near}$" if abs(value - near) < EXACT else number(_short(value))


def _listed(parts: Iterable[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _down(value: float) -> float:
    return rounded(value, 3, math.floor)


def _short(value: float) -> float:
    return float(f"{value:.3g}")
