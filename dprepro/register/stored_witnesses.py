"""The witnesses that a results folder holds: the worst data of its searches, and the schedules of its games."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dprepro.engine.store import Run, Store
from dprepro.register.submission import Submission
from dprepro.statements.papers import papers
from dprepro.statements.statement import Says, identity
from dprepro.support import typed

FOUND, KNOWN = "excess_risk", "worst_known_risk"
STUDY = "WorstCaseStudy"


def stored_data(results_dir: Path) -> Iterator[Submission]:
    """For each constant that a statement names the data of its series with the largest risk over the rate.

    Each is measured anew on fresh seeds, since the largest of several is lucky.
    """
    with Store.open(results_dir) as store:
        for address, says in _statements():
            for experiment, (known, _) in says.constant.items():
                run = store.latest(experiment)
                if run is None or known not in run.config["checks"]:
                    continue
                frame, _ = store.measurements(run.id)
                for series in _listed(run.config["checks"][known]["series"]):
                    rows = frame[(frame["series"] == series) & (frame["status"] == "ok")]
                    yield from _worst(address, says, run, series, rows)


def _worst(address: str, says: Says, run: Run, series: str, rows: Any) -> Iterator[Submission]:
    """The data of the cell whose risk is largest beside the rate."""
    largest = rows[rows["quantity"] == KNOWN]
    largest = largest.assign(constant=largest["value"] / largest["bound"]).sort_values("constant")
    if not len(largest) or "found" not in rows:
        return
    cell = largest.iloc[-1]
    same = rows[(rows["quantity"] == FOUND) & (rows["key"] == cell["key"])]
    if not len(same) or not isinstance(same.iloc[0]["found"], str):
        return
    block = run.config["study"]["series"][series]
    yield _submission(
        address, run, series, block["algorithm"], says, at=_at(run, cell, block),
        construction=_in_words(json.loads(same.iloc[0]["found"])), claimed=float(cell["constant"]),
    )  # fmt: skip


def stored_schedules(results_dir: Path) -> Iterator[Submission]:
    """For each statement whose constant is measured the schedules that a game found for its algorithm, at its record.

    They are those of series that are held against another value of the same field, ``versus``, and that play no more.
    """
    with Store.open(results_dir) as store:
        names = sorted({run.experiment for run in store.runs()})
        runs = [run for name in names if (run := store.latest(name)) is not None]
    played = [(run, name, one) for run in runs for name, one in _series(run).items() if _is_kept(one)]
    for address, says in _statements():
        classes = [value for one in says.conditions if one.fact == "algorithm" for value in one.values]
        for run, name, one in played:
            algorithm = dict(one["algorithm"])
            if algorithm["_target_"].rpartition(".")[2] in classes:
                yield _submission(address, run, name, algorithm, says, at={})


def _series(run: Run) -> Mapping[str, Any]:
    study = run.config["study"]
    found: Mapping[str, Any] = study.get("series", {}) if str(study.get("_target_", "")).endswith(STUDY) else {}
    return found


def _is_kept(series: Mapping[str, Any]) -> bool:
    return bool(series.get("versus")) and not series.get("tune") and series.get("role") == "claim"


def _statements() -> Iterator[tuple[str, Says]]:
    for paper, described in papers().items():
        for claim in described.claims:
            if claim.holds.constant and not claim.restates:
                yield identity(paper, claim.item), claim.holds


def _at(run: Run, cell: Any, block: Mapping[str, Any]) -> dict[str, float | str]:
    """The axes of a cell: the main ones, and what its series sweeps besides."""
    axes = dict.fromkeys(("n", "p", "epsilon", "delta", "norm", *run.config["sweep"], *block.get("sweep", {})))
    return {axis: _finite(float(cell[axis])) for axis in axes}


def _submission(
    address: str, run: Run, series: str, algorithm: Mapping[str, Any], says: Says, **more: Any
) -> Submission:
    given = {
        "statement": address,
        "who": f"dprepro, {run.experiment}, {series}",
        "algorithm": _in_words(dict(algorithm)),
        "neighbours": _relation(says, str(run.config["neighbours"])),
    }
    return typed.build(Submission, {**given, **more}, f"{run.experiment}, {series}")


def _relation(says: Says, ran: str) -> str:
    """The relation of the run where the statement allows it, else the first that the statement allows."""
    named = [value for one in says.conditions if one.fact == "relation" for value in one.values]
    return ran if ran in named or not named else named[0]


def _in_words(value: Any) -> Any:
    """A block as a witness may hold it: infinity as a word, and nothing that is empty."""
    if isinstance(value, Mapping):
        return {str(key): _in_words(one) for key, one in value.items() if one is not None}
    if isinstance(value, list | tuple):
        return [_in_words(one) for one in value]
    return _finite(value) if isinstance(value, float) else value


def _finite(value: float) -> float | str:
    return "inf" if value == float("inf") else value


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
