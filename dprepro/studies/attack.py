"""Attacks: an algorithm answers on an instance with a secret, and an attack tries to recover it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dprepro.constructions import Attackable, Finding
from dprepro.engine.cell import Cell, Row
from dprepro.errors import InputError
from dprepro.reductions import solver
from dprepro.studies.rate import RateStudy, Series, at


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
        for label, one in self.series.items():
            if not isinstance(one.construction, Attackable):
                raise InputError(
                    f"series {label}: {type(one.construction).__name__} has no secret to attack; choose a construction "
                    "that is Attackable"
                )

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """See the class."""
        one, point = self.series[cell.series], cell.axes
        algorithm, family = at(one.algorithm, point), at(one.construction, point)
        assert isinstance(family, Attackable)
        budget = self._budget(one, point)
        constants = family.constants(point)
        schedule = algorithm.schedule(constants, budget)
        reduction = self._reduction(cell.series, one, point)
        solve = solver(reduction, algorithm).solve
        trials: list[list[Row]] = []
        findings: list[Finding] = []
        for _ in range(self.trials):
            challenge = family.challenge(point, schedule.noise_scale, rng)
            solution = solve(challenge.problem, budget, rng)
            initial = {"initial_risk": challenge.problem.trivial_risk}
            numbers = dict(point) | vars(constants) | vars(schedule) | initial
            trials.append(self._rows(one, challenge.problem, solution, numbers, reduction))
            findings += challenge.attack(solution.theta, rng)
            findings += [Finding(name, value, trials=0) for name, value in challenge.certificates.items()]
        further = [Row(name, value) for name, value in family.report(point).items()]
        return [_mean(rows) for rows in zip(*trials, strict=True)] + _pooled(findings) + further

    def _science(self, one: Series) -> dict[str, Any]:
        return super()._science(one) | {"trials": self.trials}


def _mean(rows: Sequence[Row]) -> Row:
    """One row for the same quantity of several trials; the certificate's gap is the largest."""
    columns = dict(rows[0].columns)
    if "gap" in columns:  # the row of the risk; the instance is random even where the algorithm is not
        columns["deterministic"] = False
        columns["gap"] = max(_number(row.columns["gap"]) for row in rows)
        columns["trivial_risk"] = _average([_number(row.columns["trivial_risk"]) for row in rows])
    bounds = [row.bound for row in rows if row.bound is not None]
    value = _average([row.value for row in rows])
    return replace(rows[0], value=value, bound=_average(bounds) if bounds else None, columns=columns)


def _pooled(findings: Sequence[Finding]) -> list[Row]:
    """One row for each quantity, with all its trials."""
    by_name: dict[str, list[Finding]] = {}
    for finding in findings:
        by_name.setdefault(finding.quantity, []).append(finding)
    rows = []
    for name, same in by_name.items():
        trials = sum(finding.trials for finding in same)
        weights = [finding.trials if trials else 1 for finding in same]
        value = math.fsum(f.value * weight for f, weight in zip(same, weights, strict=True)) / sum(weights)
        bounds = [finding.bound for finding in same if finding.bound is not None]
        columns: dict[str, Any] = {
            key: _average([finding.columns[key] for finding in same]) for key in same[0].columns
        } | ({"trials": trials} if trials else {})
        rows.append(Row(name, value, _average(bounds) if bounds else None, columns))
    return rows


def _average(values: Sequence[float]) -> float:
    # Equal numbers (a bound, say) stay what they are, to the last bit.
    return values[0] if all(value == values[0] for value in values) else math.fsum(values) / len(values)


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return float(value)
