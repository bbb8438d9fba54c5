"""What the checks of a store would notice, by check and by statement: ``power.json`` and ``power.md``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from dprepro.analysis.check_power import power
from dprepro.analysis.checks import build
from dprepro.analysis.rule import Rule
from dprepro.engine.store import Store
from dprepro.report.publish import judge_run
from dprepro.report.spoken import places
from dprepro.report.tables import table
from dprepro.statements.papers import citation, heads, papers
from dprepro.statements.statement import identity

ERRORS = ("above", "below", "steeper", "flatter", "epsilon")
"""In the order of the columns; of all the smaller is the better, but of ``below`` the larger."""


def powers(results: Path, workers: int | None = None) -> list[dict[str, Any]]:
    """One entry for each check that came out as expected in an experiment's latest run without overrides.

    Experiments are judged side by side in `workers` processes, by default as many as there are cores.

    Raises:
        InputError: a run that can no longer be judged.
    """
    with Store.open(results) as store:
        names = store.published()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return [entry for entries in pool.map(_of_experiment, [results] * len(names), names) for entry in entries]


def _of_experiment(results: Path, name: str) -> list[dict[str, Any]]:
    with Store.open(results) as store:
        run = store.latest(name)
        assert run is not None
        frame, integrity = store.measurements(run.id)
    rules = {key: build(key, check) for key, check in run.config["checks"].items()}
    checks = judge_run(run, frame, integrity.problem)["checks"]
    slope = _slope_in_epsilon(rules, checks)
    paper = str(run.config.get("paper", ""))
    known = papers()
    about = {
        key: [identity(*where) for where, _ in places(check, paper, known)]
        for key, check in run.config["checks"].items()
    }
    return [
        {"experiment": name, "check": key, "about": about[key], "role": rule.role, "verdict": checks[key]["verdict"]}
        | power(rule, frame, slope if rule.quantity == "excess_risk" else None).to_dict()
        for key, rule in rules.items()
        if checks[key]["as_expected"]
    ]


def _slope_in_epsilon(rules: Mapping[str, Rule], checks: Mapping[str, Mapping[str, Any]]) -> float | None:
    """How the risk of an experiment falls in epsilon, as measured; by n, which enters with it, where epsilon stays."""
    for axis in ("epsilon", "n"):
        for key, rule in rules.items():
            if getattr(rule, "axis", "") == axis and rule.role == "claim" and rule.quantity == "excess_risk":
                slope = (checks[key]["details"] or {}).get("measured_slope")
                if slope:
                    return float(slope)
    return None


def statements(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One entry for each statement that checks speak for: the smallest errors that any of them notices."""
    entries = []
    for paper, described in papers().items():
        for statement in described.claims:
            names = {identity(paper, item) for item in (statement.item, *statement.restates)}
            if own := [entry for entry in found if entry["role"] == "claim" and names & {*entry["about"]}]:
                best = {key: _smallest(key, own) for key in ERRORS}
                entries.append({"id": identity(paper, statement.item), "paper": paper, "item": statement.item} | best)
    return entries


def _smallest(key: str, own: Sequence[Mapping[str, Any]]) -> float | None:
    noticed = [entry[key] for entry in own if entry[key] is not None]
    return (max if key == "below" else min)(noticed, default=None)


def as_json(found: Sequence[Mapping[str, Any]]) -> str:
    """Both tables."""
    content = {"statements": statements(found), "checks": list(found)}
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def markdown(found: Sequence[Mapping[str, Any]]) -> str:
    """Both tables, as a page."""
    known = heads(papers())
    lines = [
        "# What the checks would notice",
        "",
        "The stored measurements with an error put in, judged again; nothing was measured. The smallest error that",
        "changes a verdict, on a ladder of errors: a factor on the measured values, a power of the axis that is named",
        "(of ln(1/delta) for delta), a multiple of the claimed epsilon. A dash: none on the ladder, which ends at a",
        "factor of 100 and a power of 1.",
        "",
        "## By statement",
        "",
        "Of the checks that are its evidence the one that notices first.",
        "",
        *table(
            ("paper", "item", "factor above", "below", "power added", "taken away", "epsilon"),
            ((citation(row["paper"], known), row["item"], *map(_cell, _row(row))) for row in statements(found)),
        ),
        "",
        "## By check",
        "",
        "`spare`: whether the verdict stays without any one value of the axis; if not, the values that it needs.",
        "",
        *table(
            ("experiment", "check", "role", "verdict", "factor above", "below", "power added", "taken away", "axis",
             "epsilon", "spare"),
            ((row["experiment"], row["check"], row["role"], row["verdict"], *map(_cell, _row(row)[:4]), row["axis"],
              _cell(row["epsilon"]), _spare(row)) for row in found),
        ),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _row(entry: Mapping[str, Any]) -> list[float | None]:
    return [entry[key] for key in ERRORS]


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _spare(entry: Mapping[str, Any]) -> str:
    if entry["spare"] is None:
        return ""
    return "yes" if entry["spare"] else f"needs {', '.join(f'{value:g}' for value in entry['needed'])}"
