"""A row of the ledger for people: what was shown, on what, and how far, in at most three sentences.

They are made of the row alone, of its verdict, its evidence and the ranges that this was measured on, and say no more
than these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dprepro.analysis.points import number

LETTERS = {"epsilon": r"\epsilon", "delta": r"\delta", "ln(delta)": r"\ln(1/\delta)", "norm": r"\|w\|"}
EXACT = 1e-6
"""Half an interval below which an exponent is told without it."""
PRIMARY = ("n", "p", "epsilon")
"""Axes whose exponents are told first."""
NAMES = {"spent_epsilon": "The certified epsilon", "ratio": "The left side"}
LIMITS = {"spent_epsilon": "its budget", "ratio": "the right side"}
"""Of quantities that the field has other words for: those of an inequality are one side over the other."""
UNMEASURED = ("not measured", "nothing to measure")


def in_short(row: Mapping[str, Any]) -> str:
    """The sentences on a row, with formulas between dollar signs."""
    repaired = row["repaired"]
    if row["verdict"] in UNMEASURED and not repaired:
        return str(row["note"])
    said = list(_refuted(row)) if row["verdict"] == "refuted" else []
    form = repaired if said and repaired else None if said else row
    if form is not None:
        start = "With the repair: " if said else ""
        found = [*_found(form), *_limits(form)]
        said += [start + found[0], *found[1:]] if found and start else found
    return " ".join(said) or str(row["note"])


def _refuted(row: Mapping[str, Any]) -> Iterable[str]:
    yield "As printed it fails at a degenerate corner." if "corner" in row["words"] else "As printed it is false."


def _found(form: Mapping[str, Any]) -> Iterable[str]:
    """The exponents that were seen, and how far from its bound the measurement stays."""
    exponents = [
        (entry, finding)
        for entry in form["evidence"]
        for finding in entry.get("findings", ())
        if finding["rule"] == "exponent" and finding["verdict"] == "confirmed" and finding["estimate"] is not None
    ]
    if exponents:
        yield _rates(exponents, form["direction"])
    bounds = [
        (entry, finding)
        for entry in form["evidence"]
        for finding in entry.get("findings", ())
        if finding["rule"] == "below" and finding["verdict"] == "confirmed" and finding["high"] is not None
    ]
    for quantity in dict.fromkeys(finding["quantity"] for _, finding in bounds):
        yield from _bounded(
            quantity, [(entry, finding) for entry, finding in bounds if finding["quantity"] == quantity]
        )
    if not exponents and not bounds:
        yield from _first(form)


def _rates(exponents: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]], direction: str) -> str:
    """``On tuned needle the excess risk goes as n^(-0.666 +- 0.002) (stated: -0.667 at most)``."""
    told: dict[tuple[str, str], tuple[Mapping[str, Any], Mapping[str, Any]]] = {}
    for entry, finding in exponents:
        told.setdefault((finding["axis"], finding["over"]), (entry, finding))
    order = sorted(told, key=lambda key: (bool(key[1]), PRIMARY.index(key[0]) if key[0] in PRIMARY else len(PRIMARY)))
    chosen = [told[key] for key in order[:3]]
    families = list(dict.fromkeys(name for entry, _ in chosen for name in entry["families"]))
    plain = [finding for _, finding in chosen if not finding["over"]]
    over = [finding for _, finding in chosen if finding["over"]]
    most = " at most" if direction == "at_most" else ""
    parts = []
    if plain:
        quantity = plain[0]["quantity"].replace("_", " ")
        powers = ", ".join(
            f"{_power(finding)} (stated: {number(_short(finding['expected']))}{most})" for finding in plain
        )
        parts.append(f"the {quantity} goes as {powers}")
    if over:
        flat = ", ".join(f"${_letter(finding['axis'])}$ ({_plus_minus(finding)})" for finding in over)
        rate = {"bound": "its bound", "law": "its exact law"}.get(over[0]["over"], "the stated rate")
        stated = all(not finding["expected"] for finding in over)
        parts.append(
            f"its ratio to {rate} {'stays the same' if stated else 'goes with the exponents stated'} in {flat}"
        )
    said = f"{_on(families)}{' and '.join(parts)}."
    return said[0].upper() + said[1:]


def _bounded(quantity: str, found: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> Iterable[str]:
    """``It stays below 82.9% of its explicit bound on all of 3 families tried``, the worst of all experiments."""
    families = list(dict.fromkeys(name for entry, _ in found for name in entry["families"]))
    where = _everywhere(families)
    name = NAMES.get(quantity, f"The {quantity.replace('_', ' ')}")
    above = [finding for _, finding in found if finding["side"] == "at_least"]
    below = [finding for _, finding in found if finding["side"] == "at_most"]
    equal = [finding for _, finding in found if finding["side"] == "equals"]
    limit = LIMITS.get(quantity, "its bound")
    if below:
        most = _rounded(max(entry["high"] for entry in below), 3, math.ceil)
        yield f"{name} is at most {number(most)} times {limit}{where}."
    if above:
        least = _rounded(min(entry["low"] for entry in above), 3, math.floor)
        yield f"{name} is at least {number(least)} times {limit}{where}."
    if equal:
        worst = max(equal, key=lambda entry: abs(entry["estimate"] - 1))
        yield f"{name} is {number(_short(worst['estimate']))} times its formula where it is farthest from it{where}."


def _first(form: Mapping[str, Any]) -> Iterable[str]:
    """What the strongest evidence found, where no exponent and no bound was measured."""
    for entry in form["evidence"]:
        for finding in entry.get("findings", ()):
            if finding["verdict"] == "confirmed":
                text = finding["text"]
                yield f"{entry['words']}{_on(entry['families'], ' on ').rstrip(', ')}: {text}."
                return
        if "findings" not in entry:
            yield str(entry["text"])
            return


def _limits(form: Mapping[str, Any]) -> Iterable[str]:
    """The ranges of everything that was measured, outside of which nothing was."""
    ranges = list(dict.fromkeys(filter(None, (_told(entry.get("range", "")) for entry in form["evidence"]))))
    if len(ranges) == 1:
        yield f"Measured at {ranges[0]}."
    elif ranges:
        yield f"Measured at {ranges[0]}, and on {len(ranges) - 1} more grid{'s' if len(ranges) > 2 else ''} (below)."
    if form.get("verdict") == "not contradicted":
        yield "That is less than the statement says: not contradicted, no more."


def _told(grid: str) -> str:
    """A grid without what no budget has: a statement without one is measured at epsilon = inf, delta = 0 and n = 1."""
    if r"$\epsilon$ = inf" in grid:
        grid = grid.replace(r", $\epsilon$ = inf, $\delta$ = 0", "").removeprefix("$n$ = 1, ")
    return "" if grid == "$p$ = 1" else grid


def _on(families: Sequence[str], start: str = "On ") -> str:
    if not families:
        return ""
    shown = ", ".join(families[:2]) + (f" and {len(families) - 2} more families" if len(families) > 2 else "")
    return f"{start}{shown} "


def _everywhere(families: Sequence[str]) -> str:
    if not families:
        return ""
    return f" on {families[0]}" if len(families) == 1 else f" on each of the {len(families)} families tried"


def _power(finding: Mapping[str, Any]) -> str:
    error = f" \\pm {number(_half(finding))}" if _half(finding) > EXACT else ""
    return f"${_letter(finding['axis'])}^{{{number(_short(finding['estimate']))}{error}}}$"


def _plus_minus(finding: Mapping[str, Any]) -> str:
    return f"{number(round(finding['estimate'], 4) + 0.0)} ± {number(_half(finding))}"


def _letter(axis: str) -> str:
    return LETTERS.get(axis, axis.replace("_", r"\_"))


def _half(finding: Mapping[str, Any]) -> float:
    """The larger distance of the interval's ends from the estimate, rounded up, so that what is told holds it."""
    return _rounded(max(finding["high"] - finding["estimate"], finding["estimate"] - finding["low"]), 1, math.ceil)


def _rounded(value: float, digits: int, direction: Callable[[float], float]) -> float:
    """To that many significant digits, up (`math.ceil`) or down (`math.floor`)."""
    if value == 0 or not math.isfinite(value):
        return value
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - digits + 1)
    return float(f"{direction(value / unit - 1e-9 * (direction is math.ceil)) * unit:.{digits}g}")


def _short(value: float) -> float:
    return float(f"{value:.3g}")
