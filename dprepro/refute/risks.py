"""Attacks on upper bounds of risk: an algorithm on data of a family, at any size and budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np

from dprepro import laws
from dprepro.algorithms import Algorithm
from dprepro.axes import DEFAULTS, at
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import Construction
from dprepro.dispatch import Dispatch, Numbers, dispatch
from dprepro.dispatch.run_seconds import run_seconds
from dprepro.errors import Incompatible, InputError, PremiseError
from dprepro.problems import Domain, Problem
from dprepro.problems.views.base import as_theta
from dprepro.reductions import Reduction, reductions_of, solver
from dprepro.refute.attack import GRANTED, Attack, Trial
from dprepro.statements.conditions import unmet
from dprepro.statements.statement import Says
from dprepro.support.named import name_of

DRAWS = 8
"""Runs at each place. The worst place is measured again with more runs."""

ROUNDING = 1e-11
"""Relative rounding error of a computed risk, in units of the largest loss of a record."""

SECONDS = 0.01
"""An attack skips places whose run takes longer, by `run_seconds`."""

SKETCH = 60
"""It also skips places with more dimensions after a projection: `run_seconds` does not know the price of a map."""

INSIDE = "B >= ||w*||"
"""The assumption of statements whose set contains a minimiser over the whole space; their answers may leave the set."""


@dataclass(frozen=True, kw_only=True)
class Risks(Attack):
    """An algorithm's expected excess risk over what a statement allows.

    The risk is exact where the output distribution is known (`dprepro.laws`), else it is the mean of `DRAWS` runs. The
    statement allows its explicit bound, or its rate times `GRANTED`.

    Attributes:
        algorithm, family: an axis with the name of one of their fields sets this field.
        relation: the neighbouring relation of the budget.
        bound: replaces the statement's own bound.
        choices: the words that a field may hold; an axis with the field's name is the index of one.
    """

    exact: ClassVar[bool] = False

    algorithm: Algorithm
    family: Construction
    relation: Neighbours = Neighbours.REPLACE_ONE
    bound: str = ""
    choices: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def see(self, says: Says, numbers: Mapping[str, float], rng: np.random.Generator) -> Trial:
        """See the class."""
        point = {**DEFAULTS, **numbers}
        try:
            chosen = {name: some[round(point[name])] for name, some in self.choices.items() if name in point}
            plain = {name: value for name, value in point.items() if name not in chosen}
            algorithm, family = at(self.algorithm, plain), replace(at(self.family, plain), **chosen)
            budget = Budget(point["epsilon"], point["delta"], self.relation)
            backend = dispatch(algorithm, family, point, budget)
            self._hold(says, algorithm, backend, point)
            schedule = algorithm.schedule(backend.domain, budget)
            if run_seconds(algorithm, backend.domain, budget, backend.backend) > SECONDS:
                raise PremiseError(f"a run takes more than {SECONDS:g} s")
            if getattr(schedule, "sketch", 0) > SKETCH:
                raise PremiseError(f"a map to more than {SKETCH} dimensions takes too long")
            problem = family.build(point, schedule.noise_scale)
            if INSIDE in says.assumes and not _inside(problem):
                raise PremiseError(f"the statement assumes {INSIDE}")
            taken, error = self._risk(algorithm, backend, problem, budget, rng)
            allowed = self._allowed(says, backend.domain, vars(schedule), point, problem)
        except InputError as error_:  # the algorithm, the data or the budget cannot be
            raise PremiseError(str(error_)) from error_
        except (ArithmeticError, ValueError) as error_:
            raise PremiseError(f"there is no value there: {error_}") from error_
        return Trial(taken, allowed, error)

    @property
    def parts(self) -> list[object]:
        reductions = reductions_of(self.algorithm).values()
        return [type(self), self.algorithm, self.family, *laws.every_law(), *reductions]

    def _hold(self, says: Says, algorithm: Algorithm, backend: Dispatch, point: Mapping[str, float]) -> None:
        facts = {
            "relation": str(self.relation),
            "loss": type(backend.domain.loss).__name__,
            "set": type(backend.domain.constraint_set).__name__,
            "algorithm": type(algorithm).__name__,
        }
        facts |= {
            f"algorithm.{named_field.name}": _word(getattr(algorithm, named_field.name))
            for named_field in fields(algorithm)
        }
        numbers = Numbers(backend.domain, point, vars(algorithm))
        premise = dict.fromkeys((*says.premise, *self.premise), "the statement")
        if reason := unmet(premise, numbers.find, facts):
            raise PremiseError(reason)

    @staticmethod
    def _risk(
        algorithm: Algorithm, backend: Dispatch, problem: Problem, budget: Budget, rng: np.random.Generator
    ) -> tuple[float, float]:
        """The mean risk and its standard error."""
        try:
            return laws.find(algorithm, problem.domain, budget).expected_risk(problem), 0.0
        except Incompatible:
            pass
        runs, draws = solver(backend.backend, algorithm), 1 if algorithm.deterministic else DRAWS
        if draws > 1 and isinstance(runs, Reduction):
            answers = list(runs.solve_many(problem, budget, [rng] * draws))
        else:
            answers = [runs.solve(problem, budget, rng) for _ in range(draws)]
        risks = np.array([problem.excess_risk(answer.theta) for answer in answers])
        if not np.isfinite(risks).all():
            raise PremiseError("an answer has no finite risk")
        error = float(np.std(risks, ddof=1) / math.sqrt(draws)) if draws > 1 else 0.0
        unsure = problem.judge(answers[0].theta).minimum.gap + ROUNDING * max(map(abs, problem.domain.loss_range))
        return max(0.0, float(risks.mean()) - unsure), error

    def _allowed(
        self, says: Says, domain: Domain, schedule: Mapping[str, float], point: Mapping[str, float], problem: Problem
    ) -> float:
        name = self.bound or says.bound
        if name:
            known = {"initial_risk": problem.dense.trivial_risk}
            value = Numbers(domain, schedule, point, known).evaluate(name)
        else:
            value = GRANTED * Numbers(domain, schedule, point).evaluate(says.rate)
        if math.isnan(value):
            raise PremiseError("the bound has no value there")
        return value


def _inside(problem: Problem) -> bool:
    """Whether the minimiser over the set is one over the whole space."""
    place = as_theta(problem.dense.minimum.theta, problem.domain.p)
    slope = float(np.linalg.norm(problem.dense.gradient(place)))
    return float(np.linalg.norm(place)) < (1 - 1e-9) * problem.domain.radius or slope <= 1e-9 * problem.domain.lipschitz


def _word(value: object) -> str:
    return str(value) if isinstance(value, str | int | float) else name_of(value) or type(value).__name__
