"""What experiment `advice` found of the predictions: a constant for each kind, its interval, and the tested error.

The cases of one half are fitted; errors are those of the other half. `python -m dprepro advise --renew` writes the file
anew from the measurements of the experiment, which `make reference` does.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from dprepro.problems import Loss

DPREPRO_READS = ("constants.json",)

SHIPPED = Path(__file__).with_name("constants.json")

FEWEST = 4
"""Cases from which on a constant is fitted; of fewer it is 1."""

SURE = 3.0
"""Standard errors that a constant is from 1, at least, or it is 1: what is measured has errors too."""

ANY = "any"
"""Of all kinds of losses together, and of all sources."""


@dataclass(frozen=True)
class FittedConstant:
    """What is known of predictions of one kind.

    Attributes:
        constant: measured over predicted risks in the mean of logarithms, with its interval (99%) ``low`` to ``high``.
        cases: how many were fitted. tested: how many were held out.
        median, nine_of_ten: relative errors of these, half and nine of ten of which are smaller.
    """

    constant: float
    low: float
    high: float
    cases: int
    tested: int
    median: float
    nine_of_ten: float


@dataclass(frozen=True)
class PredictionCase:
    """A prediction, before any constant, beside what was measured; ``held_out`` where it is no part of a fit."""

    source: str
    losses: str
    predicted: float
    measured: float
    held_out: bool


def losses_of(loss: Loss) -> str:
    """Kinds of losses that have a constant of their own: with kinks, or smooth."""
    return "smooth" if math.isfinite(loss.smoothness) else "kinked"


@lru_cache(maxsize=1)
def shipped() -> Mapping[str, FittedConstant]:
    """By ``source losses``; see `fitted`."""
    found = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return {key: FittedConstant(**value) for key, value in found.items()}


def fitted(source: str, losses: str, table: Mapping[str, FittedConstant] | None = None) -> FittedConstant:
    """Of a source and a kind of losses; without cases of their own, what is known of the source, or of all."""
    table = shipped() if table is None else table
    keys = (f"{source} {losses}", f"{source} {ANY}", f"{ANY} {ANY}")
    return next((table[key] for key in keys if key in table), FittedConstant(1.0, 1.0, 1.0, 0, 0, math.nan, math.nan))


def fit(cases: Sequence[PredictionCase]) -> dict[str, FittedConstant]:
    """Constants from the fitted half, errors from the other one; by source and kind of losses, and pooled."""
    found: dict[str, FittedConstant] = {}
    pairs = sorted({(case.source, case.losses) for case in cases})
    for source, losses in pairs:
        found[f"{source} {losses}"] = _fit([case for case in cases if (case.source, case.losses) == (source, losses)])
    for source in sorted({source for source, _ in pairs}):
        found[f"{source} {ANY}"] = _tested([case for case in cases if case.source == source], found)
    found[f"{ANY} {ANY}"] = _tested(cases, found)
    for (
        key,
        constant,
    ) in found.items():  # errors of few cases say little: those of the source, or of all, stand for them
        if constant.tested < FEWEST:
            source = key.split()[0]
            larger = found[f"{source} {ANY}"]
            larger = larger if larger.tested >= FEWEST else found[f"{ANY} {ANY}"]
            found[key] = replace(constant, median=larger.median, nine_of_ten=larger.nine_of_ten)
    return found


def _fit(cases: Sequence[PredictionCase]) -> FittedConstant:
    ratios = np.array([math.log(case.measured / case.predicted) for case in cases if not case.held_out])
    constant, low, high = 1.0, 1.0, 1.0
    if len(ratios) >= FEWEST:
        mean, error = float(ratios.mean()), float(ratios.std(ddof=1) / math.sqrt(len(ratios)))
        if abs(mean) > SURE * error:
            constant, low, high = (math.exp(mean + side * 2.58 * error) for side in (0, -1, 1))
    return FittedConstant(constant, low, high, len(ratios), *_errors(cases, [constant] * len(cases)))


def _tested(cases: Sequence[PredictionCase], found: Mapping[str, FittedConstant]) -> FittedConstant:
    constants = [found[f"{case.source} {case.losses}"].constant for case in cases]
    return FittedConstant(1.0, 1.0, 1.0, 0, *_errors(cases, constants))


def _errors(cases: Sequence[PredictionCase], constants: Sequence[float]) -> tuple[int, float, float]:
    """Held-out cases, and the relative errors that half and nine of ten of them keep to."""
    errors = [
        abs(constant * case.predicted / case.measured - 1)
        for case, constant in zip(cases, constants, strict=True)
        if case.held_out
    ]
    if not errors:
        return 0, math.nan, math.nan
    return len(errors), float(np.median(errors)), float(np.quantile(errors, 0.9, method="higher"))


def written(table: Mapping[str, FittedConstant]) -> str:
    """The file's text: four digits, a line for each kind."""
    lines = []
    for key, constant in sorted(table.items()):
        numbers = {name: float(f"{value:.4g}") if isinstance(value, float) else value
                   for name, value in vars(constant).items()}  # fmt: skip
        lines.append(f"  {json.dumps(key)}: {json.dumps(numbers)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def measured_cases(path: Path) -> list[PredictionCase]:
    """The cases among the measurements of experiment `advice`."""
    import pandas as pd

    frame = pd.read_parquet(path)
    rows = frame[(frame["quantity"] == "excess_risk") & frame["series"].isin(["fitted", "held_out"])]
    rows = rows[rows["status"] == "ok"].sort_values(["series", "case"])
    return [
        PredictionCase(str(row["source"]), str(row["losses"]), float(row["unfitted"]), float(row["value"]),
             row["series"] == "held_out")
        for row in rows.to_dict("records")
    ]  # fmt: skip
