"""A row of the ledger: the verdict of a statement as printed and as repaired, and the evidence that carries it.

Kinds of evidence, the strongest first: ``exact`` (closed form or quadrature), ``certified`` (binds every private
algorithm at these sizes), ``attained`` (a family shows the rate), ``holds`` (a bound is violated nowhere), ``audited``
(privacy, from draws), ``not contradicted`` (some algorithms were tried).

What a confirmation takes: an upper rate is held on at least three families and attained by one (or says that it is an
upper bound only), by bounds that are not all vacuous; a lower bound is certified at four sizes or more; privacy is
exact, or audited next to a certificate; every control of the experiments came out as expected, and every check that
guards them (`Rule.guards`) is confirmed; checks of role context carry nothing; nothing is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dprepro.analysis.checks import guards, qualified
from dprepro.analysis.rule import EVIDENCE, VERDICTS
from dprepro.report.evidence import families, sentence, sizes
from dprepro.report.publish import Published
from dprepro.report.spoken import Evidence

NOT_MEASURED, NOTHING, NOT_CONTRADICTED = "not measured", "nothing to measure", "not contradicted"
FEWEST_FAMILIES, FEWEST_SIZES = 3, 4


@dataclass(frozen=True)
class Judged:
    """What a statement's evidence says.

    Attributes:
        verdict: of the row; ``words`` say besides within which margin and up to which logarithms it is confirmed.
        reasons: why it is no better.
        evidence: for the ledger: {kind, text, experiment, checks}.
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


def judged(evidence: Evidence, published: Mapping[str, Published], kind: str, upper_only: bool = False) -> Judged:
    """The verdict of what a store holds of a statement of that kind."""
    found = _Found()
    for name in EVIDENCE:
        _collect(found, name, evidence.get(name, {}), published)
    checks = [check for several in found.checks.values() for check in several]
    if not checks:
        return Judged(NOT_MEASURED)
    worst = min((check["verdict"] for check in checks), key=VERDICTS.index)
    reasons = list(_doubts(found, kind, upper_only))
    verdict = worst
    if worst == "confirmed" and reasons:
        verdict = "inconclusive"
    elif worst == "confirmed" and kind == "attack" and not _certified(found):
        verdict = NOT_CONTRADICTED
        reasons.append(f"a lower bound is confirmed only where it is certified at {FEWEST_SIZES} sizes or more")
    expected = all(check["as_expected"] for check in checks) and not found.controls
    words = qualified(verdict, [check for check in checks if not guards(check)])
    return Judged(verdict, reasons, found.entries, expected, words)


def _collect(found: _Found, kind: str, wanted: Mapping[str, Sequence[str]], published: Mapping[str, Published]) -> None:
    for experiment, names in wanted.items():
        one = published.get(experiment)
        stored = one.verdict["checks"] if one else {}
        found.missing += [f"{experiment}:{name}" for name in names if name not in stored] if one else [experiment]
        present = [name for name in names if name in stored]
        if one is None or not present:
            continue
        checks = [stored[name] for name in present]
        found.checks.setdefault(kind, []).extend(checks)
        bad = [name for name, check in stored.items() if _vetoes(check)]
        found.controls += [f"{experiment}:{name}" for name in bad if f"{experiment}:{name}" not in found.controls]
        if kind == "holds":
            found.families |= {family for name in present for family in families(one, name)}
        if kind == "certified":
            found.sizes = max([found.sizes, *(sizes(one, name) for name in present)])
        text = sentence(kind, one, present)
        found.entries.append({"kind": kind, "text": text, "experiment": experiment, "checks": present})


def _doubts(found: _Found, kind: str, upper_only: bool) -> Iterable[str]:
    """What keeps confirmed checks from confirming the row."""
    if found.missing:
        yield f"confirmed as far as measured; missing: {', '.join(found.missing)}"
    if found.controls:
        yield f"controls and guards did not come out as expected: {', '.join(found.controls)}"
    if all(check["role"] == "context" for several in found.checks.values() for check in several):
        yield "only checks of role context speak for it"
    held = found.checks.get("holds", [])
    if kind == "rate" and "exact" not in found.checks:
        if not upper_only and "attained" not in found.checks:
            yield "no family was seen to attain the rate"
        attaining = found.checks.get("attained", [])
        if not upper_only and any((check.get("details") or {}).get("not_attained") for check in attaining):
            yield "the rate holds as an upper bound, and is not attained on these data"
        if held and len(found.families) < FEWEST_FAMILIES:
            yield f"the bound was held on {len(found.families)} families, and {FEWEST_FAMILIES} are wanted"
        if not held:
            yield "no explicit bound was held against the measurements"
    if held and all((check.get("details") or {}).get("vacuous") for check in held) and len(found.checks) == 1:
        yield "every bound is vacuous at these sizes"
    if kind == "privacy" and "exact" not in found.checks and not {"audited", "certified"} <= found.checks.keys():
        yield "privacy is confirmed only by an exact law, or by an audit next to a certificate"


def _vetoes(check: Mapping[str, Any]) -> bool:
    """Whether nothing can rest on the experiment: a control is not as expected, or a guard not confirmed."""
    unsure = check["role"] == "claim" and guards(check) and check["verdict"] != "confirmed"
    return unsure or (check["role"] == "control" and not check["as_expected"])


def _certified(found: _Found) -> bool:
    return "exact" in found.checks or ("certified" in found.checks and found.sizes >= FEWEST_SIZES)
