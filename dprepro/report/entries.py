"""The entries of the ledger: a row for every statement and every further experiment, and the errata."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dprepro.folders import command
from dprepro.report.evidence import sentence, sizes_of
from dprepro.report.measured import Measured
from dprepro.report.publish import measuring_seconds
from dprepro.report.registry import Erratum, Registry, Statement, identity
from dprepro.report.rows import NOT_MEASURED, NOTHING, Judged, judged
from dprepro.report.text import number

NOT_HERE = "not in this store"

#: What a row repeats of a check; its details stay in verdict.json.
CHECK = (
    "role", "verdict", "expect", "as_expected", "estimate", "low", "high", "expected", "margin", "rule", "reason",
    "constant", "constant_low", "constant_high",
)  # fmt: skip


def claims(measured: Measured) -> Iterable[dict[str, Any]]:
    """The rows of all numbered statements."""
    for paper, registry in measured.registries.items():
        for statement in registry.claims:
            yield _row(paper, statement, measured, registry)


def _row(paper: str, statement: Statement, measured: Measured, registry: Registry) -> dict[str, Any]:
    """One statement, as printed and as repaired."""
    errata = [erratum for erratum in registry.errata if statement.item in erratum.statements]
    printed = judged(statement, measured.published, statement.kind)
    if statement.nothing:
        printed = Judged(NOTHING)
    elif statement.false:
        disproof = [erratum for erratum in registry.errata if erratum.item in statement.false]
        printed = _disproved(paper, disproof, measured)
    repaired = None
    expected = [printed.expected]
    reasons = list(printed.reasons)
    if statement.repaired is not None:
        mended = judged(statement.repaired, measured.published, statement.kind)
        repaired = {
            "statement": statement.repaired.statement,
            "verdict": mended.verdict,
            "evidence": list(mended.evidence),
            "note": " ".join(_sentences(mended.reasons)),
        }
        expected.append(mended.expected)
    known = [one for one in expected if one is not None]
    absent = [f"{name}: {measured.notes[name]}" for name in statement.experiments if name in measured.notes]
    return {
        "id": identity(paper, statement.item),
        "paper": paper,
        "item": statement.item,
        "kind": statement.kind,
        "statement": statement.statement,
        "verdict": printed.verdict,
        "repaired": repaired,
        "evidence": list(printed.evidence),
        "as_expected": all(known) if known else None,
        "note": " ".join(
            _sentences([*reasons, statement.nothing, statement.note, *_constants(statement, measured), *absent])
        ),
        "experiments": list(statement.experiments),
        "errata": [erratum.item for erratum in errata],
        "measurements": list(_measurements(statement, measured)),
    }


def _disproved(paper: str, errata: Sequence[Erratum], measured: Measured) -> Judged:
    """A statement that is false as printed, by errata of which one at least is shown."""
    evidence, states = [], []
    for erratum in errata:
        slip = _slip(paper, erratum, measured)
        states.append(slip["state"])
        shown = [one for one in slip["shown_by"] if "test" in one or one["verdict"] == one["expect"] is not None]
        if shown:
            where = ", ".join(one.get("test") or f"{one['experiment']}: {one['check']}" for one in shown)
            fails = f" Fails for: {erratum.range.rstrip('.')}." if erratum.range else ""
            text = f"{erratum.holds}{fails} ({erratum.severity}; {where})"
            experiment = next((one["experiment"] for one in shown if "test" not in one), "")
            checks = [one["check"] for one in shown if one.get("experiment") == experiment and "check" in one]
            evidence.append({"kind": "exact", "text": text, "experiment": experiment, "checks": checks})
    if "not as expected" in states:
        return Judged("inconclusive", ["an erratum did not come out as expected"], evidence, False)
    if not evidence:
        return Judged(NOT_MEASURED)
    severity = ", ".join(dict.fromkeys(erratum.severity for erratum in errata))
    return Judged("refuted", [f"false as printed ({severity}); see the errata"], evidence, True)


def _measurements(statement: Statement, measured: Measured) -> Iterable[dict[str, Any]]:
    """What each experiment says of a statement, as printed or as repaired."""
    both = (statement.evidence, statement.repaired.evidence if statement.repaired else {})
    named: dict[str, list[str]] = {}
    for evidence in both:
        for checks in evidence.values():
            for experiment, wanted in checks.items():
                stored = measured.checks(experiment)
                names = wanted or [name for name, check in stored.items() if check["role"] == "claim"]
                named.setdefault(experiment, []).extend(name for name in names if name in stored)
    for experiment, names in named.items():
        if names:
            yield _measurement(measured, experiment, list(dict.fromkeys(names)))


def _constants(statement: Statement, measured: Measured) -> Iterable[str]:
    """Between which numbers the least constant of the claim lies, by what was measured."""
    for experiment, (known, bound) in statement.constant.items():
        checks = measured.checks(experiment)
        ends = [checks.get(name, {}).get(limit) for name, limit in ((known, "low"), (bound, "high"))]
        if None not in ends:
            low, high = (number(float(f"{one:.3g}")) for one in ends)
            where = sizes_of(measured.published[experiment], known)
            yield f"constant: at least {low} (worst known), at most {high} (bound) at {where}"


def _sentences(words: Iterable[str]) -> Iterable[str]:
    for one in words:
        if one:
            said = one[0].upper() + one[1:]
            yield said if said.endswith((".", "!", "?")) else f"{said}."


def _measurement(measured: Measured, experiment: str, names: Iterable[str]) -> dict[str, Any]:
    """What one experiment says: the named checks, its controls, and where the numbers come from."""
    verdict = measured.published[experiment].verdict
    checks, provenance = verdict["checks"], verdict["provenance"]
    controls = [name for name, check in checks.items() if check["role"] == "control"]
    return {
        "experiment": experiment,
        "neighbours": verdict["neighbours"],
        "checks": {name: {key: checks[name][key] for key in CHECK} for name in names},
        "controls": {name: {key: checks[name][key] for key in CHECK} for name in controls},
        "figure": f"{experiment}/figure.png",
        "command": command(experiment, measured.config_dir),
        "note": measured.notes.get(experiment, ""),
        "measuring_seconds": measuring_seconds(measured.published[experiment]),
        **provenance,
    }


def further(measured: Measured) -> Iterable[dict[str, Any]]:
    """Experiments that no row names: a user's own, and those that serve no single statement."""
    named = {name for registry in measured.registries.values() for one in registry.claims for name in one.experiments}
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
        }
        row |= {"verdict": NOT_MEASURED, "as_expected": None, "note": measured.notes.get(name, "")}
        row |= {"experiments": [name], "measurements": []}
        if name in measured.published:
            verdict = measured.published[name].verdict
            claims = [key for key, check in verdict["checks"].items() if check["role"] == "claim"]
            row |= {key: verdict[key] for key in ("statement", "verdict", "as_expected")}
            row["measurements"] = [_measurement(measured, name, claims)]
            text = sentence("holds", measured.published[name], claims)
            row["evidence"] = [{"kind": "holds", "text": text, "experiment": name, "checks": claims}]
        yield row


def slips(measured: Measured) -> Iterable[dict[str, Any]]:
    """All errata."""
    for paper, registry in measured.registries.items():
        for erratum in registry.errata:
            yield _slip(paper, erratum, measured)


def _slip(paper: str, erratum: Erratum, measured: Measured) -> dict[str, Any]:
    """One erratum. ``shown`` says whether its checks came out as expected in this store; tests are run elsewhere."""
    shown_by: list[dict[str, Any]] = []
    states = []
    for one in erratum.shown_by:
        if one.test:
            shown_by.append({"test": one.test})
            states.append("by a test")
            continue
        check = measured.checks(one.experiment).get(one.check)
        shown_by.append(
            {"experiment": one.experiment, "check": one.check, "command": command(one.experiment, measured.config_dir)}
            | {
                key: check[key] if check else None
                for key in ("verdict", "expect", "estimate", "low", "high", "expected")
            }
        )
        states.append(NOT_HERE if check is None else "shown" if check["as_expected"] else "not as expected")
    order = ("not as expected", "shown", "by a test", NOT_HERE)
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
        "state": min(states, key=order.index),
        "shown_by": shown_by,
    }
