"""An attack on a bound of population risk: the algorithm on samples of a population, judged by the population."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm
from dprepro.axes import DEFAULTS, at
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import Construction
from dprepro.dispatch import Numbers, dispatch
from dprepro.errors import InputError, PremiseError
from dprepro.reductions import reductions_of, solver
from dprepro.refute import Attack, Trial
from dprepro.statements.statement import Says

DRAWS = 16
"""Samples at each place."""


@dataclass(frozen=True, kw_only=True)
class SampledRisks(Attack):
    """The mean population risk over samples, and what the statement's bound allows.

    An axis with the name of a field of the algorithm or of the family sets that field.

    Attributes:
        most: places with more records are skipped, of a literal algorithm for its time.
    """

    exact: ClassVar[bool] = False

    algorithm: Algorithm
    family: Construction
    relation: Neighbours = Neighbours.REPLACE_ONE
    most: float = math.inf

    def see(self, says: Says, numbers: Mapping[str, float], rng: np.random.Generator) -> Trial:
        """See the class."""
        self.hold(says, numbers)
        point = {**DEFAULTS, **numbers}
        if point["n"] > self.most:
            raise PremiseError(f"more than n={self.most:g} records take too long")
        try:
            algorithm, family = at(self.algorithm, point), at(self.family, point)
            point = family.resolve(point)
            budget = Budget(point["epsilon"], point["delta"], self.relation)
            backend = dispatch(algorithm, family, point, budget)
            schedule = algorithm.schedule(backend.domain, budget)
            runs, risks = solver(backend.backend, algorithm), []
            for _ in range(DRAWS):
                problem = family.draw(point, schedule.noise_scale, rng)
                risks.append(problem.excess_risk(runs.solve(problem, budget, rng).theta))
            allowed = Numbers(backend.domain, vars(schedule), point).evaluate(says.bound)
        except InputError as error:  # the algorithm, the data or the budget cannot be
            raise PremiseError(str(error)) from error
        return Trial(float(np.mean(risks)), allowed, float(np.std(risks, ddof=1)) / math.sqrt(DRAWS))

    @property
    def parts(self) -> list[object]:
        return [type(self), self.algorithm, self.family, *reductions_of(self.algorithm).values()]
