"""Experiments as published, made up, and the ledger's rows that they give."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pandas as pd

from dprepro.report import entries
from dprepro.report.measured import MeasuredStore
from dprepro.report.publish import Published
from dprepro.statements.papers import Erratum, Paper
from dprepro.statements.statement import Says, Statement


def check(role: str, verdict: str, expect: str = "", **details: object) -> dict[str, Any]:
    expect = expect or ("refuted" if role in ("control", "erratum") else "confirmed")
    numbers = {"estimate": 0.5, "low": 0.4, "high": 0.6, "expected": 0.5, "margin": 0.2, "rule": "exponent"}
    constants = dict.fromkeys(("constant", "constant_low", "constant_high"))
    said = {"role": role, "verdict": verdict, "expect": expect, "as_expected": verdict == expect, "reason": ""}
    return said | numbers | constants | {"details": details}


FAMILIES = ("iid", "planted", "noise")
SIZES = (1e5, 1e6, 1e7, 1e8)


def published(name: str, checks: dict[str, dict[str, Any]], sizes: Sequence[float] = SIZES) -> Published:
    """An experiment with three families of data, each over some sizes; every check is about all of them."""
    lines = [
        {"series": kind, "role": "claim", "n": n, "p": 100, "epsilon": 1.0, "delta": 1e-6, "norm": 1.0, "replicate": 0,
         "quantity": "excess_risk", "value": 1.0, "bound": 2.0, "status": "ok", "seconds": 1.0, "key": f"{kind}{n:g}"}
        for kind in FAMILIES for n in sizes
    ]  # fmt: skip
    construction = {"_target_": "dprepro.constructions.RandomDesign", "seed": 3}
    algorithm = {"_target_": "dprepro.algorithms.NoisyFrankWolfe", "constants": "printed"}
    series = {kind: {"construction": construction | {"kind": kind}, "algorithm": algorithm} for kind in FAMILIES}
    settings = {key: {"series": list(FAMILIES), "role": check["role"]} for key, check in checks.items()}
    config = {"paper": "lasso", "study": {"series": series}, "checks": settings}
    provenance = {"date": "2026-01-01", "cells": 3, "seconds": 1.0, "commit": "", "seed": 0, "versions": {}}
    verdict = {"checks": checks, "neighbours": "replace_one", "provenance": provenance}
    return Published(Path(name), pd.DataFrame(lines), config, verdict, "", Mock(), "")


def attacks(share: float = 0.5, corners: int = 40) -> Published:
    """Attacks on Theorem 1 in both forms, of which the worst place has this share of what is allowed."""
    lines = []
    for form, quantity in (("printed", "share"), ("repaired", "share")):
        witness = {"statement": "lasso-theorem-1", "form": form, "attack": "a", "numbers": {"n": 2.0}, "share": share}
        lines.append(
            {"series": "theorem_1", "role": "claim", "quantity": quantity, "value": share, "bound": 1.0, "status": "ok",
             "corners": corners, "searched": 10, "witness": json.dumps(witness), "seconds": 1.0, "key": form}
        )  # fmt: skip
    config = {"paper": "lasso", "study": {"_target_": "dprepro.studies.RefuteStudy", "of": "lasso"}, "checks": {}}
    return Published(Path("attacks"), pd.DataFrame(lines), config, {"checks": {}}, "", Mock(), "")


def store(**experiments: dict[str, dict[str, Any]]) -> MeasuredStore:
    """Experiments, beside attacks that found nothing."""
    found = {name: published(name, checks) for name, checks in experiments.items()}
    return MeasuredStore(found | {"attacks": attacks()}, {"late": "only overridden or unfinished runs are stored"})


#: Evidence that carries an upper rate: it is attained, and its bound holds.
BOTH = {"attained": {"one": ["slope"]}, "holds": {"one": ["bound"]}}
GOOD = {
    "slope": check("claim", "confirmed"), "bound": check("claim", "confirmed"), "open": check("claim", "inconclusive"),
    "seen": check("context", "confirmed"), "wrong": check("control", "refuted"), "slip": check("erratum", "refuted"),
}  # fmt: skip


def row(
    measured: MeasuredStore, kind: str = "rate", errata: Sequence[Erratum] = (), evidence: Any = None, **fields: Any
) -> dict[str, Any]:
    """The row of a statement, of which these checks speak: of a kind, in an experiment."""
    elsewhere: dict[str, Any] = {}
    for one in measured.published.values():
        for settings in one.config["checks"].values():
            settings.pop("about", None)
    for name, experiments in (evidence or {}).items():
        for experiment, checks in experiments.items():
            if experiment in measured.published:
                for key in checks:
                    measured.published[experiment].config["checks"][key]["about"] = {"Theorem 1": name}
            else:
                elsewhere[experiment] = (
                    "lasso",
                    {key: {"role": "claim", "about": {"Theorem 1": name}} for key in checks},
                )
    own = ("upper_only", "constant", "quantifiers", "premise")
    says = Says(text="It holds.", **{key: fields.pop(key) for key in own if key in fields})
    statement = Statement(item="Theorem 1", kind=kind, says=says, **fields)  # type: ignore[arg-type]
    paper = Paper(title="x", authors="x", year=1, claims=[statement], errata=errata)
    store = MeasuredStore(
        measured.published, measured.notes, measured.papers, described={"lasso": paper}, elsewhere=elsewhere
    )
    return entries._row("lasso", statement, store, errata)
