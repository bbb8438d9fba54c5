"""The worst mean risk over a family of data sets, at every grid point, and per-draw inequalities along the way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, ObjectivePerturbation, Schedule, Solution
from dprepro.algorithms.objective_perturbation import PerturbationSchedule
from dprepro.constructions import Construction
from dprepro.engine.cell import Cell, Row
from dprepro.errors import InputError, PremiseError
from dprepro.problems import Quadratic
from dprepro.problems.problem import Problem
from dprepro.reductions import solver
from dprepro.studies.rate import RateStudy, Series, at


@dataclass(frozen=True)
class EnvelopeStudy(RateStudy):
    """As RateStudy, but ``excess_risk`` is the largest, over the members of a family, of the mean over ``draws``.

    Theorems about every data set are about such a supremum: no single family member is hard at all n and p.

    Attributes:
        over: a field of the construction that numbers the members; constructions without it are one data set.
        values: its values. Members outside their premise are passed over.
        draws: runs of the algorithm on each member, with common random numbers.

    ``trivial_risk`` is the supremum of the trivial answer's risk over the same members. The largest of several means is
    biased upwards, by less than the standard error of one. Column ``worst`` is the member that was hardest.

    For objective perturbation every draw is held against Lemma 24, Corollary 25, Lemma 3 and, where the loss is
    strongly convex, Theorem 30: the quantities `lemma_24`, `corollary_25`, `lemma_3` and `theorem_30` are the largest
    ratio of left to right side over all draws and members, with bound 1.
    """

    version: ClassVar[int] = 2

    over: str = "size"
    values: Sequence[float] = ()
    draws: int = 10

    def __post_init__(self) -> None:
        if not self.values:
            raise InputError("values is empty; name the members of the family")
        if self.draws < 1:
            raise InputError(f"draws must be at least 1, got draws={self.draws}")

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """See the class."""
        one, point = self.series[cell.series], cell.axes
        algorithm, family = at(one.algorithm, point), at(one.construction, point)
        budget = self._budget(one, point)
        constants = family.constants(point)
        schedule = algorithm.schedule(constants, budget)
        reduction = self._reduction(cell.series, one, point)
        stream = int(rng.integers(2**62))
        worst, trivial, hardest, first, premise = -math.inf, 0.0, math.nan, None, None
        ratios: dict[str, float] = {}
        for value, member in self._members(family):
            try:
                problem = member.build(point, schedule.noise_scale)
            except PremiseError as error:
                premise = error
                continue
            same = np.random.default_rng(stream)  # common random numbers: members are compared on equal draws
            solve = solver(reduction, algorithm).solve
            solutions = [solve(problem, budget, same) for _ in range(self.draws)]
            risk = math.fsum(problem.excess_risk(solution.theta) for solution in solutions) / self.draws
            trivial = max(trivial, problem.trivial_risk)
            for name, ratio in _inequalities(algorithm, problem, schedule, solutions).items():
                ratios[name] = max(ratio, ratios.get(name, 0.0))
            if risk > worst:
                worst, hardest, first = risk, value, (problem, solutions[0])
        if first is None:
            raise premise or PremiseError("the family has no member here")
        problem, solution = first
        numbers = dict(point) | vars(constants) | vars(schedule) | {"initial_risk": problem.trivial_risk}
        rows = self._rows(one, problem, solution, numbers, reduction)
        columns = dict(rows[0].columns) | {"trivial_risk": trivial, "worst": hardest}
        rows[0] = replace(rows[0], value=worst, columns=columns)
        return rows + [Row(name, ratio, 1.0) for name, ratio in ratios.items()]

    def _members(self, family: Construction) -> list[tuple[float, Construction]]:
        if self.over not in {field.name for field in fields(family)}:
            return [(math.nan, family)]
        changes: list[dict[str, Any]] = [{self.over: value} for value in self.values]
        return [(change[self.over], replace(family, **change)) for change in changes]

    def _science(self, one: Series) -> dict[str, Any]:
        return super()._science(one) | {"over": self.over, "values": list(self.values), "draws": self.draws}


def _inequalities(
    algorithm: Algorithm, problem: Problem, schedule: Schedule, solutions: Sequence[Solution]
) -> dict[str, float]:
    """Largest left over right side of Lemma 24, Corollary 25, Lemma 3 and Theorem 30 of KST, over draws.

    Theorem 30 (b) in every draw, before its tail bound of ||b||: the distance to theta_hat is at most 2 ||b||/(Delta +
    eta) + sqrt(Delta/(Delta + eta)) ||theta_hat|| (equations 18 and 21), the loss being eta/n-strongly convex.
    """
    if not (isinstance(algorithm, ObjectivePerturbation) and isinstance(schedule, PerturbationSchedule)):
        return {}
    if not isinstance(problem, Quadratic):
        return {}
    n, delta = problem.constants.n, schedule.regulariser
    regularised = problem.perturbed(0.0, delta / n)  # J#, whose minimiser is theta#
    at, least = regularised.minimum.theta, problem.minimum.theta
    assert isinstance(at, np.ndarray)
    assert isinstance(least, np.ndarray)
    ridge = delta / (2 * n) * float(least @ least)
    eta = n * float(problem.curvature.min())
    found: dict[str, list[float]] = {"lemma_24": [], "corollary_25": [], "lemma_3": []}
    if eta > 0:
        found["theorem_30"] = []
    for solution in solutions:
        norm, theta = solution.diagnostics["noise_norm"], solution.theta
        energy = 2 * norm**2 / (delta * n)
        found["lemma_24"].append(float(np.linalg.norm(theta - at)) / (2 * norm / delta))
        found["corollary_25"].append(regularised.excess_risk(theta) / energy)
        found["lemma_3"].append(problem.excess_risk(theta) / (energy + ridge))
        if eta > 0:
            shrunk = math.sqrt(delta / (delta + eta)) * float(np.linalg.norm(least))
            reach = 2 * norm / (delta + eta) + shrunk
            found["theorem_30"].append(float(np.linalg.norm(theta - least)) / reach)
    return {name: max(ratios) for name, ratios in found.items()}
