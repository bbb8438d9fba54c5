"""The entries of the ledger: a row for every statement and every further experiment, and the errata."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dprepro.analysis.checks import worded
from dprepro.report.attacked import Attacked
from dprepro.report.evidence import evidence_entry, sizes_of
from dprepro.report.formulas import with_symbols
from dprepro.report.ledger_rows import NOT_MEASURED, NOTHING, Judged, judged
from dprepro.report.measured import MeasuredStore
from dprepro.report.text import AT_A_CORNER, number
from dprepro.statements.papers import Erratum
from dprepro.statements.proofs import proofs_of
from dprepro.statements.statement import Says, Statement, identity
from dprepro.support.folders import command

NOT_HERE = "not in this store"
CORNER = "corner"
FEW_DRAWS = "not among all of its paper"
"""A refutation by itself that does not pass where all of a paper are judged (`multiplicity`)."""

#: What a row repeats of a check, beside its side; its details stay in verdict.json.
CHECK = (
    "role", "verdict", "expect", "as_expected", "estimate", "low", "high", "expected", "margin", "rule", "reason",
    "constant", "constant_low", "constant_high",
)  # fmt: skip


def repeated(check: Mapping[str, Any]) -> dict[str, Any]:
    """What is told of a check of verdict.json; ``side`` is ``at_most`` or ``at_least`` where it has one."""
    return {key: check[key] for key in CHECK} | {"side": _side(check)}


def _side(check: Mapping[str, Any]) -> str:
    return str((check.get("details") or {}).get("side", ""))


def claims(measured: MeasuredStore) -> Iterable[dict[str, Any]]:
    """The rows of all numbered statements, and of results that are derived here, which have their ``proof``."""
    for paper, described in measured.described.items():
        proofs = proofs_of(paper, described)
        for statement in described.claims:
            row = _row(paper, statement, measured, described.errata)
            yield row | {"proof": proofs[statement.item]} if proofs else row


def _row(paper: str, statement: Statement, measured: MeasuredStore, of_paper: Sequence[Erratum]) -> dict[str, Any]:
    """One statement, as printed and as repaired; what was measured is held against what holds."""
    errata = [erratum for erratum in of_paper if statement.item in erratum.statements]
    holding = "printed" if statement.repaired is None else "repaired"
    attack, on_print = (measured.attacks.on(paper, statement, form) for form in (holding, "printed"))
    evidence = measured.spoken.of(paper, statement)
    held = judged(evidence, measured.published, statement.kind, statement.holds, attack)
    experiments = measured.spoken.experiments(paper, statement)
    printed = held if statement.repaired is None else Judged(NOT_MEASURED)
    if statement.nothing:
        printed = Judged(NOTHING)
    elif statement.false:
        printed = _disproved(paper, [erratum for erratum in of_paper if erratum.item in statement.false], measured)
    repaired = None
    expected = [printed.expected]
    reasons = list(printed.reasons)
    if statement.repaired is not None:
        repaired = {
            "statement": statement.repaired.text,
            "verdict": held.verdict,
            "words": held.words or held.verdict,
            "evidence": list(held.evidence),
            "note": " ".join(_sentences([*held.reasons, *_attacked(attack)])),
            "attack": attack.to_dict() if attack else None,
            **_said(statement.repaired),
        }
        expected.append(held.expected)
    known = [flag for flag in expected if flag is not None]
    absent = [f"{name}: {measured.notes[name]}" for name in experiments if name in measured.notes]
    constant = _constant(statement.holds, measured)
    return {
        "id": identity(paper, statement.item),
        "paper": paper,
        "item": statement.item,
        "kind": statement.kind,
        "statement": statement.says.text,
        **_said(statement.says),
        "constant": constant,
        "attack": on_print.to_dict() if on_print else None,
        "verdict": printed.verdict,
        "words": printed.words or printed.verdict,
        "repaired": repaired,
        "evidence": list(printed.evidence),
        "as_expected": all(known) if known else None,
        "note": " ".join(
            _sentences(
                [
                    *reasons,
                    statement.nothing,
                    statement.note,
                    _constant_in_words(constant),
                    *_attacked(on_print),
                    *absent,
                ]
            )
        ),
        "experiments": experiments,
        "errata": [erratum.item for erratum in errata],
        "measurements": list(_measurements(paper, statement, measured)),
    }


def _attacked(attack: Attacked | None) -> list[str]:
    return [attack.in_words] if attack else []


def _said(says: Says) -> dict[str, Any]:
    return {
        "premise": [*says.premise, *says.assumes],
        "direction": says.direction,
        "formula": says.latex or None,
    }


def _disproved(paper: str, errata: Sequence[Erratum], measured: MeasuredStore) -> Judged:
    """A statement that is false as printed, by errata of which one at least is shown."""
    evidence, states = [], []
    for erratum in errata:
        line = _erratum_row(paper, erratum, measured)
        states.append(line["state"])
        shown = [item for item in line["shown_by"] if "test" in item or item["verdict"] == item["expect"] is not None]
        if shown:
            where = ", ".join(
                evidence.get("test") or f"{evidence['experiment']}: {evidence['check']}" for evidence in shown
            )
            fails = f" Fails for: {erratum.range.rstrip('.')}." if erratum.range else ""
            text = f"{erratum.holds}{fails} ({erratum.severity}; {where})"
            experiment = next((evidence["experiment"] for evidence in shown if "test" not in evidence), "")
            checks = [
                evidence["check"]
                for evidence in shown
                if evidence.get("experiment") == experiment and "check" in evidence
            ]
            evidence.append({"kind": "exact", "text": text, "experiment": experiment, "checks": checks})
    if "not as expected" in states:
        return Judged("inconclusive", ["an erratum did not come out as expected"], evidence, False)
    if not evidence:
        return Judged(NOT_MEASURED)
    severities = list(dict.fromkeys(erratum.severity for erratum in errata))
    words = AT_A_CORNER if severities == [CORNER] else "refuted"
    return Judged("refuted", [f"false as printed ({', '.join(severities)}); see the errata"], evidence, True, words)


def _measurements(paper: str, statement: Statement, measured: MeasuredStore) -> Iterable[dict[str, Any]]:
    """What each experiment says of a statement, as printed or as repaired."""
    named: dict[str, list[str]] = {}
    for checks in measured.spoken.of(paper, statement).values():
        for experiment, names in checks.items():
            stored = measured.checks(experiment)
            named.setdefault(experiment, []).extend(name for name in names if name in stored)
    for experiment, names in named.items():
        if names:
            yield _measurement(measured, experiment, list(dict.fromkeys(names)))


def _constant(says: Says, measured: MeasuredStore) -> dict[str, Any] | None:
    """Between which numbers the least constant of the claim lies, by what was measured: the largest lower end."""
    found = []
    for experiment, (known, bound) in says.constant.items():
        checks = measured.checks(experiment)
        lower, upper = (checks.get(name, {}).get(limit) for name, limit in ((known, "low"), (bound, "high")))
        if lower is not None and upper is not None:
            where = sizes_of(measured.published[experiment], known)
            found.append({"lower": lower, "upper": upper, "witness": f"{experiment}: {known}", "at": where})
    return max(found, key=lambda entry: float(entry["lower"]), default=None)


def _constant_in_words(constant: Mapping[str, Any] | None) -> str:
    if constant is None:
        return ""
    low, high = (number(float(f"{constant[end]:.3g}")) for end in ("lower", "upper"))
    return f"constant: at least {low} (worst known), at most {high} (bound) at {with_symbols(constant['at'])}"


_NAMED = re.compile(r"\w+_\w+: ")
"""What is said of an experiment begins with its name, which has no capital."""


def _sentences(words: Iterable[str]) -> Iterable[str]:
    for word in words:
        if word:
            said = word if _NAMED.match(word) else word[0].upper() + word[1:]
            yield said if said.endswith((".", "!", "?")) else f"{said}."


def _measurement(measured: MeasuredStore, experiment: str, names: Iterable[str]) -> dict[str, Any]:
    """What one experiment says: the named checks, its controls, and where the numbers come from."""
    verdict = measured.published[experiment].verdict
    checks, provenance = verdict["checks"], verdict["provenance"]
    controls = [name for name, check in checks.items() if check["role"] == "control"]
    return {
        "experiment": experiment,
        "neighbours": verdict["neighbours"],
        "checks": {name: repeated(checks[name]) for name in names},
        "controls": {name: repeated(checks[name]) for name in controls},
        "figure": f"{experiment}/figure.png",
        "command": command(experiment, measured.config_dir),
        "note": measured.notes.get(experiment, ""),
        "measuring_seconds": measured.published[experiment].measuring_seconds,
        **provenance,
    }


def further(measured: MeasuredStore) -> Iterable[dict[str, Any]]:
    """Experiments that no row names: a user's own, and those that serve no single statement."""
    named = {
        name
        for paper, described in measured.described.items()
        for claim in described.claims
        for name in measured.spoken.experiments(paper, claim)
    }
    for name in sorted({*measured.published, *measured.notes} - named):
        row: dict[str, Any] = {
            "id": identity("experiment", name),
            "paper": measured.papers[name],
            "item": name,
            "kind": "further",
            "statement": "",
            "repaired": None,
            "evidence": [],
            "errata": [],
            "premise": [],
            "direction": "none",
            "formula": None,
            "constant": None,
            "attack": None,
        }
        row |= {
            "verdict": NOT_MEASURED,
            "words": NOT_MEASURED,
            "as_expected": None,
            "note": measured.notes.get(name, ""),
        }
        row |= {"experiments": [name], "measurements": []}
        if name in measured.published:
            verdict = measured.published[name].verdict
            claims = [key for key, check in verdict["checks"].items() if check["role"] == "claim"]
            row |= {key: verdict[key] for key in ("statement", "verdict", "as_expected")}
            row["words"] = worded(verdict)
            row["measurements"] = [_measurement(measured, name, claims)]
            row["evidence"] = [evidence_entry("holds", name, measured.published[name], claims)]
        yield row


def causes(claims: Iterable[Mapping[str, Any]], measured: MeasuredStore) -> dict[str, int]:
    """How many rows are refuted as printed, for how many causes; rows that fail at a corner alone are counted apart."""
    found, rows, corners = set[tuple[str, str]](), 0, 0
    refuted = {row["id"] for row in claims if row["verdict"] == "refuted"}
    for paper, described in measured.described.items():
        by_item = {erratum.item: erratum for erratum in described.errata}
        for statement in described.claims:
            if identity(paper, statement.item) not in refuted:
                continue
            of = [by_item[item] for item in statement.false if item in by_item]
            if of and all(erratum.severity == CORNER for erratum in of):
                corners += 1
                continue
            rows += 1
            found |= {(paper, erratum.cause or erratum.item) for erratum in of if erratum.severity != CORNER}
    return {"rows": rows, "causes": len(found), "corners": corners}


def errata_rows(measured: MeasuredStore) -> Iterable[dict[str, Any]]:
    """All errata."""
    for paper, described in measured.described.items():
        for erratum in described.errata:
            yield _erratum_row(paper, erratum, measured)


def _erratum_row(paper: str, erratum: Erratum, measured: MeasuredStore) -> dict[str, Any]:
    """One erratum. ``shown`` says whether its checks came out as expected in this store; tests are run elsewhere."""
    shown_by: list[dict[str, Any]] = []
    states = []
    for evidence in erratum.shown_by:
        if evidence.test:
            shown_by.append({"test": evidence.test})
            states.append("by a test")
            continue
        check = measured.checks(evidence.experiment).get(evidence.check)
        shown_by.append(
            {
                "experiment": evidence.experiment,
                "check": evidence.check,
                "command": command(evidence.experiment, measured.config_dir),
            }
            | {
                key: check[key] if check else None
                for key in ("verdict", "expect", "estimate", "low", "high", "expected")
            }
            | {"side": _side(check) if check else ""}
        )
        states.append(_state(check))
    order = ("not as expected", "shown", "by a test", NOT_HERE)
    if "shown" in states or "by a test" in states:  # one witness is enough where another has too few draws
        states = [state for state in states if state != FEW_DRAWS]
    states = ["not as expected" if state == FEW_DRAWS else state for state in states]
    return {
        "paper": paper,
        "item": erratum.item,
        "id": identity(paper, f"erratum {erratum.item}"),
        "printed": erratum.printed,
        "quote": erratum.quote,
        "source": erratum.source,
        "ocr": erratum.ocr,
        "range": erratum.range,
        "holds": erratum.holds,
        "severity": erratum.severity,
        "cause": erratum.cause or erratum.item,
        "state": min(states, key=order.index),
        "shown_by": shown_by,
    }


def _state(check: Mapping[str, Any] | None) -> str:
    """Whether a check shows its erratum."""
    if check is None:
        return NOT_HERE
    if check["as_expected"]:
        return "shown"
    return FEW_DRAWS if (check.get("details") or {}).get("corrected") else "not as expected"
