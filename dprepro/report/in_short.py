"""A row of the ledger for people: what was shown, on what, and how far, in a few sentences.

They are made of the row alone, of its verdict, its evidence and the grids that this was measured on, and say no more
than these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from dprepro.report import clauses
from dprepro.report.clauses import Found
from dprepro.report.compared import compared
from dprepro.report.measured_grid import LETTERS, from_to, hull

PRIMARY = ("n", "p", "epsilon")
"""Axes whose exponents are told first."""
PRIVACY = ("exact_delta", "largest_loss", "lower_epsilon", "audit", "certified_epsilon")
"""Quantities that a row on privacy tells first, the strongest evidence first, and all others last."""
RISKS = ("excess_risk", "certified_risk", "certified_error", "ratio")
CURVES = ("crossing", "ratio")
"""Rules that compare two curves, which few checks do: what a statement is about."""
MOST = 2
"""Comparisons that are told in sentences; the table has all."""
MOST_EXPONENTS = 3
MOST_AXES = 4
"""Axes of which a sentence gives the span; the table has all."""
UNMEASURED = ("not measured", "nothing to measure")
BY = {"typo": ", by a typo", "constant": ", by a constant", "privacy failure": ", and not private"}
"""What an erratum's severity says of a statement."""
SENTENCE = re.compile(r"(?<=[.]) +(?=[A-Z$])")
LOGARITHMS = re.compile(r"ln\^(?:\((\S+) to (\S+)\)|±?(-?[\d.]+)) (\w+)")
"""As `qualified` writes them: ``ln^(-1 to 1.5) n``, ``ln^±0.5 p``, ``ln^-0.5 p``."""


def in_short(row: Mapping[str, Any]) -> str:
    """The sentences on a row, with formulas between dollar signs."""
    repaired = row["repaired"]
    if row["verdict"] in UNMEASURED and not repaired:
        return str(row["note"])
    said = list(_refuted(row)) if row["verdict"] == "refuted" else []
    form = repaired if said and repaired else None if said else row
    if form is not None:
        found = [*_found(form, row), *_short_of(form)]
        start = "As repaired, " if said and form["verdict"] not in UNMEASURED else ""
        said += [f"{start}{found[0][0].lower()}{found[0][1:]}", *found[1:]] if found and start else found
    return " ".join(said) or str(row["note"])


def _refuted(row: Mapping[str, Any]) -> Iterable[str]:
    """That it is false as printed, why, and for what; of several errata the first that the verdict rests on."""
    corner = "corner" in row["words"]
    errata = [entry["text"] for entry in row["evidence"] if "findings" not in entry]
    grave = [text for text in errata if corner or "(corner;" not in text] or errata
    by = {BY.get(found[1], "") for text in grave if (found := re.search(r" \(([a-z ]+);[^()]*\)$", text))}
    several = f" ({len(grave)} errata)" if len(grave) > 1 else ""
    false = f"is false{by.pop() if len(by) == 1 else ''}"
    yield f"As printed it {'fails at a degenerate corner' if corner else false}{several}."
    if grave:
        yield SENTENCE.split(grave[0], maxsplit=1)[0]
        if fails := re.search(r"Fails for: (.*?)\. \(", grave[0]):
            there = "there " if corner else ""
            yield f"Where it fails: {fails[1]}." if ": " in fails[1] else f"It fails {there}for {fails[1]}."


def _found(form: Mapping[str, Any], row: Mapping[str, Any]) -> Iterable[str]:
    """The exponents that were seen, and how far from its bound the measurement stays."""
    side = form["direction"] if form["direction"] != "none" else row["direction"]
    order = (*PRIVACY, *RISKS) if row["kind"] == "privacy" else (*RISKS, *PRIVACY)
    found = [
        {**finding, "kind": entry["kind"], "experiment": entry["experiment"]}
        for entry in form["evidence"]
        for finding in entry.get("findings", ())
        if finding["verdict"] == "confirmed"
    ]
    rates, exponents = _rates([one for one in found if one["rule"] == "exponent" and one["estimate"] is not None], side)
    yield from map(_sentence, rates)
    told = list(_comparisons(found, side, order))
    shown = told[:MOST]
    for (where, at), several in groupby(shown, key=lambda one: one[:2]):
        yield _sentence(f"{where}{'; '.join(clause for *_, clause in several)}{at}")
    more = [_counted(exponents, "more exponent"), _counted(len(told) - len(shown), "more comparison")]
    if any(more):
        yield f"The table has {' and '.join(filter(None, more))}."
    if not rates and not told:
        yield from _first(form)


def _comparisons(found: Sequence[Found], side: str, order: Sequence[str]) -> Iterable[tuple[str, str, str]]:
    """Where, on which grid, and what: bounds by what they compare, then what other rules say, each once."""
    alike: dict[tuple[tuple[str, str] | str, bool], list[Found]] = {}
    for one in found:
        if one["rule"] == "below" and one["high"] is not None:
            words = compared(one["experiment"], one["check"], one["quantity"], side)
            alike.setdefault((words, bool(one["families"])), []).append(one)
    said: list[tuple[int, str, Sequence[Found]]] = []
    for (words, _), several in alike.items():
        made = [(words, several)] if isinstance(words, str) else clauses.bounds(words, several)
        said += [(_rank(several[0]["quantity"], order), clause, on) for clause, on in made]
    others: dict[tuple[str, str], list[Found]] = {}
    for one in found:
        if one["rule"] not in ("below", "exponent") and (clause := clauses.other(one, side)):
            others.setdefault((one["rule"], one["kind"] if one["rule"] == "audit" else clause), []).append(one)
    for (rule, _), several in others.items():
        clause = clauses.other(max(several, key=lambda one: one["estimate"] or 0.0), side)
        said.append((-1 if rule in CURVES else _rank(rule, order), clause, several))
    for _, clause, on in sorted(said, key=lambda one: one[0]):
        yield _where(on), _at(on), clause


def _rates(found: Sequence[Found], direction: str) -> tuple[list[str], int]:
    """``on tuned needle the mean excess risk goes as ...``, by families, and how many exponents are not told.

    Of each axis the first exponent; of several quantities two each.
    """
    told: dict[tuple[Any, ...], Found] = {}
    for one in found:
        what = compared(one["experiment"], one["check"], one["quantity"], direction)
        told.setdefault((what, one["axis"], one["over"]), one)
    order = sorted(told, key=lambda key: (bool(key[2]), PRIMARY.index(key[1]) if key[1] in PRIMARY else len(PRIMARY)))
    quantities = list(dict.fromkeys(what for what, *_ in told))
    most = MOST_EXPONENTS if len(quantities) == 1 else MOST
    chosen = [key for what in quantities[:MOST] for key in [key for key in order if key[0] == what][:most]]
    alike: dict[tuple[Any, ...], list[Found]] = {}
    for key in chosen:
        alike.setdefault((tuple(told[key]["families"]), key[0]), []).append(told[key])
    said = [f"{_on(families)}{clauses.exponents(some, direction)}." for (families, _), some in alike.items()]
    return said, len(found) - len(chosen)


def _where(several: Sequence[Found]) -> str:
    """On what it was seen to hold, as no more than this is known."""
    families = list(dict.fromkeys(name for one in several for name in one["families"]))
    if families:
        return f"on {families[0]} " if len(families) == 1 else f"on each of the {len(families)} families tried "
    return "computed exactly, " if all(one["kind"] in clauses.COMPUTED for one in several) else ""


def _at(several: Sequence[Found]) -> str:
    """`` (87 points, $n$ from 4 to 9, $p$ = 10).``: how many points, no point twice, and the spans of their axes."""
    counted = [((one["experiment"], name), count) for one in several for name, count in one["points"].items()]
    points = sum(dict(sorted(counted, key=lambda pair: pair[1])).values())
    spans = hull(one["grid"] for one in several)
    axes = [from_to(axis, ends) for axis, ends in list(spans.items())[:MOST_AXES]]
    more = " and further axes" if len(spans) > MOST_AXES else ""
    return f" ({', '.join([_counted(points, 'point'), *axes])}{more})."


def _first(form: Mapping[str, Any]) -> Iterable[str]:
    """What the strongest evidence found, where nothing else can be told in words."""
    for entry in form["evidence"]:
        for finding in entry.get("findings", ()):
            if finding["verdict"] == "confirmed":
                yield f"{entry['words']}{_on(entry['families'], ' on ').rstrip()}: {finding['text']}."
                return
        if "findings" not in entry:
            yield str(entry["text"])
            return


def _short_of(form: Mapping[str, Any]) -> Iterable[str]:
    """How far what was shown falls short of what the statement says: its first reason, and logarithms left open."""
    reason = SENTENCE.split(str(form.get("note", "")), maxsplit=1)[0].rstrip(".")
    reason = reason[:1].lower() + reason[1:]
    if form["verdict"] in UNMEASURED:
        yield "What holds instead was not measured."
    if form["verdict"] == "not contradicted":
        yield f"Not contradicted, no more: {reason}."
    if form["verdict"] == "inconclusive":
        yield f"Inconclusive: {reason}."
    if left := list(map(_logarithm, LOGARITHMS.finditer(str(form.get("words", ""))))):
        yield f"The grids cannot exclude a further factor {' or '.join(left)}."


def _logarithm(found: re.Match[str]) -> str:
    low, high, single, axis = found.groups()
    letter = LETTERS.get(axis, axis)
    if single:
        sign = r"\pm " if "±" in found[0] else ""
        return rf"$\ln^{{{sign}{single}}} {letter}$"
    return f"$\\ln^a {letter}$ ($a$ from {low} to {high})"


def _rank(quantity: str, order: Sequence[str]) -> int:
    return order.index(quantity) if quantity in order else len(RISKS)


def _on(families: Sequence[str], start: str = "on ") -> str:
    if not families:
        return ""
    shown = ", ".join(families[:2]) + (f" and {len(families) - 2} more families" if len(families) > 2 else "")
    return f"{start}{shown} "


def _counted(many: int, what: str) -> str:
    return f"{many} {what}{'s' if many > 1 else ''}" if many else ""


def _sentence(said: str) -> str:
    return said[0].upper() + said[1:]
