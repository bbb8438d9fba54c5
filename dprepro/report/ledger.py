"""The ledger: every numbered statement with the verdict of what a results folder measured of it, and the errata."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dprepro.engine.store import Store
from dprepro.errors import InputError
from dprepro.folders import command
from dprepro.report.evidence import sentence, sizes_of
from dprepro.report.publish import Published, alone, replace_file
from dprepro.report.registry import Erratum, Paper, Registry, Statement, heads, identity, registries
from dprepro.report.rows import NOT_MEASURED, NOTHING, Judged, judged
from dprepro.report.seals import Seals
from dprepro.report.text import number

NOT_HERE = "not in this store"
BESIDE = "ledger_files"
"""Folder beside the page: its figures, and the seals of what was published."""

#: What a row repeats of a check; its details stay in verdict.json.
CHECK = (
    "role", "verdict", "expect", "as_expected", "estimate", "low", "high", "expected", "margin", "rule", "reason",
    "constant", "constant_low", "constant_high",
)  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """What a store holds: published experiments by name, why others are not published, and the papers of all.

    ``registries`` are what its rows are about, those of a user's ``config_dir`` among them.
    """

    published: Mapping[str, Published] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    papers: Mapping[str, str] = field(default_factory=dict)
    registries: Mapping[str, Paper] = field(default_factory=registries)
    config_dir: str | None = None

    def checks(self, experiment: str) -> Mapping[str, Mapping[str, Any]]:
        """The checks of a published experiment; empty for any other."""
        return self.published[experiment].verdict["checks"] if experiment in self.published else {}


def build_ledger(
    results_dir: str | Path, config_dir: str | None = None, single_file: bool = False
) -> tuple[dict[str, Any], Measured]:
    """Rebuild the folder of every experiment that has a finished run without overrides, and write the ledger's files.

    Experiments of which the store holds only overridden or unfinished runs, or one that can no longer be judged, leave
    their rows ``not measured`` with a note that says so. No algorithm is imported. With ``single_file`` there is a
    second page, ``ledger_single.html``, with its figures inside.

    Raises:
        InputError: the store is missing or cannot be read, a registry is wrong, or a file cannot be written.
    """
    from dprepro.report.markdown import markdown
    from dprepro.report.page import page
    from dprepro.report.pictures import beside, inside
    from dprepro.report.tex import tex

    papers, root = registries(config_dir), Path(results_dir)
    measured = replace(measure(results_dir), registries=papers, config_dir=config_dir)
    rows = [*_claims(measured), *_further(measured)]
    ledger = {"papers": heads(papers), "claims": rows, "errata": list(_errata(measured))}
    path = root / BESIDE
    try:
        shown = [(one, beside(one, path)) for one in measured.published.values()]
        files = {
            "ledger.json": json.dumps(ledger, indent=2, allow_nan=False) + "\n",
            "ledger.md": markdown(ledger),
            "ledger.tex": tex(ledger),
            "ledger.html": page(ledger, shown, config_dir),
        }
        if single_file:
            framed = [(one, inside(picture, root)) for one, picture in shown]
            files["ledger_single.html"] = page(ledger, framed, config_dir)
        for name, text in files.items():
            path = root / name
            replace_file(path, text.encode())
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}; choose another results_dir") from error
    return ledger, measured


def measure(results_dir: str | Path) -> Measured:
    """Publish what can be published of a store."""
    published, notes, papers = {}, {}, {}
    seals = Seals(results_dir, Path(results_dir) / BESIDE / "seals.json")
    with alone(results_dir), Store.open(results_dir) as store:
        for name in sorted({run.experiment for run in store.runs()}):
            run, newest = store.latest(name), store.latest(name, published=False)
            assert newest is not None
            papers[name] = str(newest.config.get("paper", ""))
            if run is None:
                notes[name] = "only overridden or unfinished runs are stored"
                continue
            try:
                published[name] = seals.published(store, run)
            except InputError as error:
                # Rules change; one experiment that no longer fits them must not take the others away.
                notes[name] = str(error)
                continue
            except Exception:
                if not run.damaged:
                    raise
                notes[name] = f"{run.damaged}, and cannot be judged"
                continue
            if newest.overrides:
                notes[name] = "a later run had overrides; it is not shown here"
        seals.write()
    return Measured(published, notes, papers)


def _claims(measured: Measured) -> Iterable[dict[str, Any]]:
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
        "measuring_seconds": measured.published[experiment].measuring_seconds,
        **provenance,
    }


def _further(measured: Measured) -> Iterable[dict[str, Any]]:
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


def _errata(measured: Measured) -> Iterable[dict[str, Any]]:
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
