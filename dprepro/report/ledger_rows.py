"""A row of the ledger: the verdict of a statement as printed and as repaired, and the evidence that carries it.

Kinds of evidence, the strongest first: ``exact`` (closed form or quadrature), ``certified`` (binds every private
algorithm at these sizes), ``attained`` (a family shows the rate), ``holds`` (a bound is violated nowhere), ``audited``
(privacy, from draws), ``not contradicted`` (some algorithms were tried).

A statement is refuted where a check contradicts it, or an attack found a counterexample. It is confirmed where all its
checks are, nothing is in doubt (`_doubts`), every control of the experiments came out as expected, and what was shown
reaches as far as the statement does (`limits`, the one rule of that): else it is not contradicted, however many checks
speak for it. Checks of role context carry nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dprepro.analysis.checks import is_precondition, qualified
from dprepro.analysis.rule import EVIDENCE, VERDICTS
from dprepro.report.attacked import Attacked
from dprepro.report.evidence import evidence_entry, families, sizes
from dprepro.report.publish import Published
from dprepro.report.spoken import Evidence
from dprepro.statements.statement import Says

NOT_MEASURED, NOTHING, NOT_CONTRADICTED = "not measured", "nothing to measure", "not contradicted"
FEWEST_FAMILIES, FEWEST_SIZES = 3, 4
FEWEST_TRIED = 30
"""Places of an attack, in the place of sizes at which a statement was seen."""
MOST_FACTOR = 10.0
"""Evidence that would not notice so large an error says little."""


@dataclass(frozen=True)
class Judged:
    """What a statement's evidence says.

    Attributes:
        verdict: of the row; ``words`` say besides within which margin and up to which logarithms it is confirmed.
        reasons: why it is no better.
        evidence: for the ledger, as `evidence_entry` makes it.
        expected: whether all checks that it rests on came out as expected; None without any.
    """

    verdict: str
    reasons: Sequence[str] = ()
    evidence: Sequence[Mapping[str, Any]] = ()
    expected: bool | None = None
    words: str = ""


@dataclass
class _Found:
    """The evidence that a store has for a statement, collected."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    checks: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    controls: list[str] = field(default_factory=list)
    families: set[str] = field(default_factory=set)
    sizes: int = 0
    certified: int = 0


def judged(
    evidence: Evidence, published: Mapping[str, Published], kind: str, says: Says, attack: Attacked | None = None
) -> Judged:
    """The verdict of what a store holds of a statement of that kind, and of what attacks on it found."""
    found = _Found()
    algorithms = [name for one in says.conditions if one.fact == "algorithm" for name in one.values]
    for name in EVIDENCE:
        _collect(found, name, evidence.get(name, {}), published, algorithms)
    checks = [check for several in found.checks.values() for check in several]
    if not checks:
        return Judged(NOT_MEASURED)
    worst = min((check["verdict"] for check in checks), key=VERDICTS.index)
    reasons, short = list(_doubts(found, kind)), list(limits(found, kind, says, attack))
    verdict = worst
    if attack is not None and attack.violated:
        verdict, reasons = "refuted", ["an attack found a counterexample", *reasons]
    elif worst == "confirmed":
        verdict = "inconclusive" if reasons else NOT_CONTRADICTED if short else "confirmed"
        reasons += short
    expected = all(check["as_expected"] for check in checks) and not found.controls
    expected &= attack is None or not attack.violated
    words = qualified(verdict, [check for check in checks if not is_precondition(check)])
    return Judged(verdict, reasons, found.entries, expected, words)


def _collect(
    found: _Found,
    kind: str,
    wanted: Mapping[str, Sequence[str]],
    published: Mapping[str, Published],
    algorithms: Sequence[str],
) -> None:
    """Enter the evidence of one kind, as far as it is about one of these ``algorithms``, where some are named."""
    for experiment, names in wanted.items():
        measured = published.get(experiment)
        stored = measured.verdict["checks"] if measured else {}
        found.missing += [f"{experiment}:{name}" for name in names if name not in stored] if measured else [experiment]
        present = [name for name in names if name in stored]
        if measured is None or not present:
            continue
        checks = [stored[name] for name in present]
        found.checks.setdefault(kind, []).extend(checks)
        bad = [name for name, check in stored.items() if _vetoes(check)]
        found.controls += [f"{experiment}:{name}" for name in bad if f"{experiment}:{name}" not in found.controls]
        if kind == "holds":
            found.families |= {family for name in present for family in families(measured, name, algorithms)}
        found.sizes = max([found.sizes, *(sizes(measured, name, algorithms) for name in present)])
        if kind == "certified":
            found.certified = max([found.certified, *(sizes(measured, name, algorithms) for name in present)])
        found.entries.append(evidence_entry(kind, experiment, measured, present, algorithms))


def _doubts(found: _Found, kind: str) -> Iterable[str]:
    """What keeps confirmed checks from confirming the row."""
    if found.missing:
        yield f"confirmed as far as measured; missing: {', '.join(found.missing)}"
    if found.controls:
        yield f"controls and preconditions did not come out as expected: {', '.join(found.controls)}"
    if all(check["role"] == "context" for several in found.checks.values() for check in several):
        yield "only checks of role context speak for it"
    held = found.checks.get("holds", [])
    if held and all((check.get("details") or {}).get("vacuous") for check in held) and len(found.checks) == 1:
        yield "every bound is vacuous at these sizes"
    if kind == "privacy" and "exact" not in found.checks and not {"audited", "certified"} <= found.checks.keys():
        yield "privacy is confirmed only by an exact law, or by an audit next to a certificate"


def limits(found: _Found, kind: str, says: Says, attack: Attacked | None) -> Iterable[str]:
    """How far what was shown falls short of what a statement says, by its quantifiers and its evidence.

    A conjecture stays one. A statement about every algorithm needs certificates at several sizes; one about a limit, or
    about all data, several families; a rate a family that attains it; one about all sizes several of them, or an attack
    on many; a bound a measurement so near to it that some factor would be noticed; and all an attack that found
    nothing.
    """
    exact, attained = "exact" in found.checks, found.checks.get("attained", [])
    if attack is None or not attack.tried:
        yield "no attack on it was made"
    if kind == "attack" and not _certified(found):
        yield f"a lower bound is confirmed only where it is certified at {FEWEST_SIZES} sizes or more"
    if "as a conjecture" in says.quantifiers:
        yield "a conjecture, which no measurement proves"
    if "in the limit" in says.quantifiers and len(found.families) < FEWEST_FAMILIES:
        yield f"a limit, and seen on fewer than {FEWEST_FAMILIES} families"
    if kind == "rate" and not exact:
        if not says.upper_only and not attained:
            yield "no family was seen to attain the rate"
        if not says.upper_only and any((check.get("details") or {}).get("not_attained") for check in attained):
            yield "the rate holds as an upper bound, and is not attained on these data"
        if "holds" in found.checks and len(found.families) < FEWEST_FAMILIES:
            families = f"{len(found.families)} famil{'y' if len(found.families) == 1 else 'ies'}"
            yield f"about all data, and the bound was held on {families}"
        if "holds" not in found.checks:
            yield "no explicit bound was held against the measurements"
    if found.sizes < FEWEST_SIZES and (attack is None or attack.tried < FEWEST_TRIED):
        yield f"about all sizes, and seen at {found.sizes}"
    if kind in ("inequality", "rate") and not attained and not _noticing(found):
        yield f"no factor up to {MOST_FACTOR:g} would be noticed"


def _noticing(found: _Found) -> bool:
    """Whether a check would notice some factor up to `MOST_FACTOR` on what it measured."""
    return any(_factor(check) <= MOST_FACTOR for several in found.checks.values() for check in several)


def _factor(check: Mapping[str, Any]) -> float:
    """The factor on the measured values from which on a check is refuted; 1 of a rule that compares with a number."""
    if check["rule"] != "below" or check["low"] is None or check["high"] is None:
        return 1.0
    side = (check.get("details") or {}).get("side", "at_most")
    over = (check["expected"], check["low"]) if side == "at_most" else (check["high"], check["expected"])
    return float(over[0] / over[1]) if over[1] > 0 else math.inf


def _vetoes(check: Mapping[str, Any]) -> bool:
    """Whether nothing can rest on the experiment: a control is not as expected, or a precondition is not confirmed."""
    unsure = check["role"] == "claim" and is_precondition(check) and check["verdict"] != "confirmed"
    return unsure or (check["role"] == "control" and not check["as_expected"])


def _certified(found: _Found) -> bool:
    return "exact" in found.checks or ("certified" in found.checks and found.certified >= FEWEST_SIZES)
