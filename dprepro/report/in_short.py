"""A row of the ledger for people: what was shown, on what, and how far, in a few sentences.

They are made of the row alone, of its verdict, its evidence and the ranges that this was measured on, and say no more
than these.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dprepro.analysis.points import number

LETTERS = {
    "epsilon": r"\epsilon", "delta": r"\delta", "ln(delta)": r"\ln(1/\delta)", "norm": r"\|w\|", "ln(p)": r"(\ln p)",
    "sparsity": "s", "steps": "T",
}  # fmt: skip
EXACT = 1e-6
"""Half an interval below which an exponent is told without it."""
PRIMARY = ("n", "p", "epsilon")
"""Axes whose exponents are told first."""
NAMES = {
    "ratio": ("the left side", "the right side"),
    "certified_epsilon": ("the certified epsilon", "its budget"),
    "lower_epsilon": ("the epsilon that output distributions show", "its budget"),
    "exact_delta": ("the exact delta", "that of its budget"),
    "exact_delta_zeroed_out": ("the exact delta beside a zeroed-out record", "that of its budget"),
    "largest_loss": ("the largest privacy loss", "its epsilon"),
    "mixing_steps": ("the number of mixing steps", "its bound"),
    "risk_over_zero": ("the risk over that of the answer zero", "its bound"),
    "certified_risk": ("the risk that is certified for every private algorithm", "the stated rate"),
    "certified_likely": ("the risk that every private algorithm has with a chance of 1/3 or more", "the stated rate"),
}
"""Quantities that the field has other words for, and what each is held against; else it is `its bound`."""
OF_A_STATEMENT = re.compile("(lemma|theorem|corollary|claim|fact|equation|appendix|definition)_")
"""Quantities that are one side of what a statement says over the other."""
FIRST = ("excess_risk", "certified_risk", "certified_epsilon", "exact_delta", "largest_loss", "ratio")
MOST = 2
"""Bounds that are told in sentences, those of `FIRST` before others; the table has all."""
SIDES = {"at_most": "at most", "at_least": "at least"}
COMPUTED = ("exact", "certified")
"""Kinds of evidence that were computed, not drawn."""
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
    if why := next((entry["text"] for entry in row["evidence"] if "findings" not in entry), ""):
        yield re.split(r"(?<=[.]) +(?=[A-Z$])", why, maxsplit=1)[0]


def _found(form: Mapping[str, Any]) -> Iterable[str]:
    """The exponents that were seen, and how far from its bound the measurement stays."""
    exponents = _confirmed(form, "exponent", "estimate")
    if exponents:
        yield from _rates([finding for _, finding in exponents], form["direction"])
    bounds = _confirmed(form, "below", "high")
    alike: dict[tuple[str, str], list[tuple[str, Mapping[str, Any]]]] = {}
    for kind, finding in sorted(bounds, key=lambda bound: _rank(bound[1]["quantity"])):
        alike.setdefault(_words_of(finding["quantity"]), []).append((kind, finding))
    for words in list(alike)[:MOST]:
        yield from _bounded(words, alike[words])
    if further := len(list(alike)[MOST:]):
        yield f"{further} more bound{'s' if further > 1 else ''} below."
    if not exponents and not bounds:
        yield from _first(form)


def _confirmed(form: Mapping[str, Any], rule: str, told: str) -> list[tuple[str, Mapping[str, Any]]]:
    """The findings of a rule that were confirmed and have that number, each with the kind of its evidence."""
    return [
        (entry["kind"], finding)
        for entry in form["evidence"]
        for finding in entry.get("findings", ())
        if finding["rule"] == rule and finding["verdict"] == "confirmed" and finding[told] is not None
    ]


def _rates(exponents: Sequence[Mapping[str, Any]], direction: str) -> Iterable[str]:
    """``On tuned needle the excess risk goes as n^(-0.666 +- 0.002) (stated: -0.667 at most)``, by families."""
    told: dict[tuple[str, str], Mapping[str, Any]] = {}
    for finding in exponents:
        told.setdefault((finding["axis"], finding["over"]), finding)
    order = sorted(told, key=lambda key: (bool(key[1]), PRIMARY.index(key[0]) if key[0] in PRIMARY else len(PRIMARY)))
    by_families: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for key in order[:3]:
        by_families.setdefault(tuple(told[key]["families"]), []).append(told[key])
    for families, chosen in by_families.items():
        said = f"{_on(families)}{_powers(chosen, direction)}."
        yield said[0].upper() + said[1:]


def _powers(chosen: Sequence[Mapping[str, Any]], direction: str) -> str:
    """What was seen on the same families: exponents, and those of the ratio to what is stated."""
    plain = [finding for finding in chosen if not finding["over"]]
    over = [finding for finding in chosen if finding["over"]]
    most = " at most" if direction == "at_most" else ""
    parts = []
    if plain:
        quantity = {"ratio": "computed value"}.get(plain[0]["quantity"], plain[0]["quantity"].replace("_", " "))
        powers = ", ".join(f"{_power(finding)} (stated: {_stated(finding)}{most})" for finding in plain)
        parts.append(f"the {quantity} goes as {powers}")
    if over:
        rate = {"bound": "its bound", "law": "its exact law"}.get(over[0]["over"], "the stated rate")
        of = "its ratio to" if plain else f"the ratio of the {over[0]['quantity'].replace('_', ' ')} to"
        powers = ", ".join(f"{_power(finding)} (stated: {_stated(finding)})" for finding in over)
        parts.append(f"{of} {rate} goes as {powers}")
    return " and ".join(parts)


def _bounded(words: tuple[str, str], found: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterable[str]:
    """``On each of the 3 families tried it is at most 0.829 times its bound``, the worst of all experiments."""
    name, limit = words
    computed = all(kind in COMPUTED for kind, _ in found)
    sides: dict[str, list[Mapping[str, Any]]] = {}
    for _, finding in found:
        sides.setdefault(finding["side"], []).append(finding)
    where = {side: _everywhere(several, computed) for side, several in sides.items()}
    times = {side: _times(side, several) for side, several in sides.items()}
    said = []
    if where.keys() >= SIDES.keys() and where["at_most"] == where["at_least"] and words != NAMES["ratio"]:
        low, high = times.pop("at_least"), times.pop("at_most")
        said.append((where["at_most"], "equal to" if low == high == "1" else f"{low} to {high} times", ""))
    for side, short in SIDES.items():
        if side in times:
            # the sides of an inequality are other ones in each check
            names = ", ".join(finding["check"].replace("_", " ") for finding in sides[side])
            which = f" ({names})" if len(sides) > 1 and side == "at_least" else ""
            said.append((where[side], short if times[side] == "1" else f"{short} {times[side]} times", which))
    if "equals" in times:
        equal = times["equals"] == "1"
        so_much, which = ("equal to", "") if equal else (f"{times['equals']} times", ", where the two differ most")
        said.append((where["equals"], so_much, which))
    for on, so_much, which in said:
        sentence = f"{on}{name} is {so_much} {limit}{which}."
        yield sentence[0].upper() + sentence[1:]


def _times(side: str, several: Sequence[Mapping[str, Any]]) -> str:
    """How many times its bound a quantity is at worst, rounded away from what is claimed."""
    if side == "at_most":
        return number(_rounded(max(finding["high"] for finding in several), 3, math.ceil))
    if side == "at_least":
        return number(_rounded(min(finding["low"] for finding in several), 3, math.floor))
    return number(_short(max(several, key=lambda finding: abs(finding["estimate"] - 1))["estimate"]))


def _rank(quantity: str) -> int:
    return FIRST.index(quantity) if quantity in FIRST else len(FIRST)


def _words_of(quantity: str) -> tuple[str, str]:
    """A quantity, and what it is held against."""
    if OF_A_STATEMENT.match(quantity):
        return NAMES["ratio"]
    return NAMES.get(quantity, (f"the {quantity.replace('_', ' ')}", "its bound"))


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
    ranges = list(dict.fromkeys(filter(None, (_of_a_budget(entry.get("range", "")) for entry in form["evidence"]))))
    if len(ranges) == 1:
        yield f"Measured at {ranges[0]}."
    elif ranges:
        yield f"Measured at {ranges[0]}, and on {len(ranges) - 1} more grid{'s' if len(ranges) > 2 else ''} (below)."
    if form.get("verdict") == "not contradicted":
        yield "That is less than the statement says: not contradicted, no more."


def _of_a_budget(grid: str) -> str:
    """A grid without what no budget has: a statement without one is measured at epsilon = inf, delta = 0 and n = 1."""
    if r"$\epsilon$ = inf" in grid:
        grid = grid.replace(r", $\epsilon$ = inf, $\delta$ = 0", "").removeprefix("$n$ = 1, ")
    return "" if grid == "$p$ = 1" else grid


def _on(families: Sequence[str], start: str = "On ") -> str:
    if not families:
        return ""
    shown = ", ".join(families[:2]) + (f" and {len(families) - 2} more families" if len(families) > 2 else "")
    return f"{start}{shown} "


def _everywhere(found: Sequence[Mapping[str, Any]], computed: bool) -> str:
    """On what a bound was seen to hold, as no more than this is known."""
    families = list(dict.fromkeys(name for finding in found for name in finding["families"]))
    if not families:
        return "wherever it was computed, " if computed else "wherever it was tried, "
    return f"on {families[0]} " if len(families) == 1 else f"on each of the {len(families)} families tried "


def _power(finding: Mapping[str, Any]) -> str:
    error = f" \\pm {number(_half(finding))}" if _half(finding) > EXACT else ""
    return f"${_letter(finding['axis'])}^{{{number(round(_short(finding['estimate']), 4) + 0.0)}{error}}}$"


def _stated(finding: Mapping[str, Any]) -> str:
    return number(_short(finding["expected"]))


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
