"""Attacks: an algorithm answers on an instance with a secret, and an attack tries to recover it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dprepro.algorithms import Solution
from dprepro.constructions import Attackable, Finding
from dprepro.engine.cell import Cell, Row
from dprepro.errors import InputError
from dprepro.studies.base import noise_rows
from dprepro.studies.rate_study import RateStudy, resolve
from dprepro.studies.series import Series


@dataclass(frozen=True)
class AttackStudy(RateStudy):
    """As RateStudy, on fresh instances with a secret, each followed by the construction's attack.

    Attributes:
        trials: instances drawn, solved and attacked in one cell; the rows pool them.

    Every construction must be an :class:`~dprepro.constructions.Attackable`. Besides RateStudy's rows (``excess_risk``
    and diagnostics as means over the trials, ``gap`` the largest) a cell has one row for each finding of the attack:
    where it counts trials, the share of successes with their number in the column ``trials`` (for rule `proportion`),
    elsewhere the mean; and one for each certificate of the instance (the mean over the trials).
    """

    trials: int = 1

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise InputError(f"trials must be at least 1, got trials={self.trials}")
        for label, series in self.series.items():
            if not isinstance(series.construction, Attackable):
                raise InputError(
                    f"series {label}: {type(series.construction).__name__} has no secret to attack; choose a "
                    "construction that is Attackable"
                )

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """See the class."""
        context = resolve(self, cell.series, dict(cell.axes))
        assert isinstance(context.construction, Attackable)
        trials: list[list[Row]] = []
        answers: list[Solution] = []
        findings: dict[str, list[Finding]] = {}
        for _ in range(self.trials):
            challenge = context.construction.challenge(cell.axes, context.schedule.noise_scale, rng)
            solutions = context.solve(challenge.problem, rng)
            trials.append(self._rows(context, challenge.problem, solutions))
            answers += solutions
            certified = [Finding(name, value, trials=0) for name, value in challenge.certificates.items()]
            for finding in (*challenge.attack(solutions[0].theta, rng), *certified):
                findings.setdefault(finding.quantity, []).append(finding)
        pooled = [_pooled(name, same) for name, same in findings.items()]
        means = [_mean(rows) for rows in zip(*trials, strict=True)]
        return means + noise_rows(answers, context.schedule.noise_scale) + pooled + self._reported(context)

    def rebuilt(self, cell: Cell) -> dict[str, dict[str, Any]]:
        """As RateStudy; the instance is random even where the algorithm is not."""
        known = super().rebuilt(cell)
        return {quantity: columns | {"deterministic": False} for quantity, columns in known.items()}

    def _quantities(self, series: Series) -> list[str]:
        assert isinstance(series.construction, Attackable)
        return [*super()._quantities(series), *series.construction.findings, *series.construction.certificates]

    def _columns(self) -> list[str]:
        return [*super()._columns(), "trials"]

    def _science(self, series: Series) -> dict[str, Any]:
        return super()._science(series) | {"trials": self.trials}


def _mean(rows: Sequence[Row]) -> Row:
    """One row for the same quantity of several trials; the certificate's gap is the largest."""
    columns = dict(rows[0].columns)
    if "gap" in columns:  # the row of the risk; the instance is random even where the algorithm is not
        columns["deterministic"] = False
        columns["gap"] = max(_numbers(rows, "gap"))
        columns["trivial_risk"] = _average(_numbers(rows, "trivial_risk"))
    bounds = [row.bound for row in rows if row.bound is not None]
    value = _average([row.value for row in rows])
    return replace(rows[0], value=value, bound=_average(bounds) if bounds else None, columns=columns)


def _pooled(name: str, same: Sequence[Finding]) -> Row:
    """One row for a quantity, with all its trials."""
    trials = sum(finding.trials for finding in same)
    weights = [finding.trials if trials else 1 for finding in same]
    value = math.fsum(f.value * weight for f, weight in zip(same, weights, strict=True)) / sum(weights)
    bounds = [finding.bound for finding in same if finding.bound is not None]
    columns: dict[str, Any] = {key: _average([finding.columns[key] for finding in same]) for key in same[0].columns}
    return Row(name, value, _average(bounds) if bounds else None, columns | ({"trials": trials} if trials else {}))


def _average(values: Sequence[float]) -> float:
    # Equal numbers (a bound, say) stay what they are, to the last bit.
    return values[0] if all(value == values[0] for value in values) else math.fsum(values) / len(values)


def _numbers(rows: Sequence[Row], column: str) -> list[float]:
    return [value for row in rows if isinstance(value := row.columns[column], int | float)]
