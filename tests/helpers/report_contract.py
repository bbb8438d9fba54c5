"""The contract on the files of a results folder, as the design has it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

FILES = [
    "config.yaml", "figure.pdf", "figure.png", "figure_all.pdf", "figure_all.png", "measurements.parquet", "run.log",
    "verdict.json",
]  # fmt: skip
AXES = ["n", "p", "epsilon", "delta", "norm"]
COLUMNS = ["experiment", "series", "role", *AXES, "replicate", "quantity", "value", "bound", "status", "seconds"]
TOP = [
    "experiment",
    "paper",
    "claim",
    "statement",
    "neighbours",
    "verdict",
    "as_expected",
    "checks",
    "overrides",
    "provenance",
]
CHECK = [
    "role", "verdict", "expect", "as_expected", "estimate", "low", "high", "expected", "margin", "rule", "reason",
    "constant", "constant_low", "constant_high",
]  # fmt: skip
PROVENANCE = ["versions", "commit", "seed", "platform", "cells", "seconds", "date", "run"]
ORDER = ["refuted", "inconclusive", "confirmed"]


def breaches(folder: Path) -> Iterator[str]:
    """What is wrong with a results folder."""
    if missing := [name for name in FILES if not (folder / name).is_file() or not (folder / name).stat().st_size]:
        yield f"missing or empty: {missing}"
        return

    def refuse(constant: str) -> float:
        raise AssertionError(f"verdict.json holds {constant}, which is no JSON")

    verdict = json.loads((folder / "verdict.json").read_text(encoding="utf-8"), parse_constant=refuse)
    if list(verdict) != TOP:
        yield f"keys of verdict.json: {list(verdict)}"
    if list(verdict["provenance"]) != PROVENANCE:
        yield f"keys of provenance: {list(verdict['provenance'])}"
    checks = verdict["checks"]
    for name, check in checks.items():
        if list(check)[: len(CHECK)] != CHECK:
            yield f"keys of check {name}: {list(check)}"
        if check["verdict"] not in ORDER or (check["verdict"] == "inconclusive" and not check["reason"]):
            yield f"check {name}: {check['verdict']} because {check['reason']!r}"
        limits = [check[key] for key in ("low", "estimate", "high")]
        if None not in limits and sorted(limits) != limits:
            yield f"check {name}: estimate outside its interval"
        if check["as_expected"] != (check["verdict"] == check["expect"]):
            yield f"check {name}: as_expected is wrong"
    if verdict["as_expected"] != all(check["as_expected"] for check in checks.values()):
        yield "as_expected is wrong"
    claims = [check["verdict"] for check in checks.values() if check["role"] == "claim"]
    if verdict["verdict"] != min(claims, key=ORDER.index):
        yield "the verdict is not the worst of its claims"
    frame = pd.read_parquet(folder / "measurements.parquet")
    if list(frame.columns)[: len(COLUMNS)] != COLUMNS:
        yield f"columns: {list(frame.columns)}"
    if not frame["key"].is_monotonic_increasing:
        yield "rows are not ordered by key"
    if not set(frame["role"]) <= {"claim", "control", "context"}:
        yield f"roles: {set(frame['role'])}"
    if frame[AXES].isna().any().any():
        yield "an axis holds NaN"
    if not frame["status"].map(lambda text: text == "ok" or text.startswith(("failed: ", "skipped: "))).all():
        yield f"statuses: {set(frame['status'])}"
    if not frame["value"][frame["status"] == "ok"].map(math.isfinite).all():
        yield "a measured value is not finite"
    if frame.duplicated([name for name in frame if name not in ("value", "seconds", "bound", "status")]).any():
        yield "two rows measure the same thing"
