"""The worst risk over a family of data sets, at every grid point, and the best choice of a parameter against it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from dprepro import laws
from dprepro.algorithms import Solution
from dprepro.engine.cell import Cell, Row
from dprepro.errors import InputError, PremiseError, unknown
from dprepro.problems import Problem
from dprepro.studies.base import certified_rows, noise_rows
from dprepro.studies.rate_study import RateStudy
from dprepro.studies.series import CellContext, Series
from dprepro.support import typed

Members = Sequence[tuple[float | str | None, Problem]]
PER_DECADE = 12
"""Values a decade in the first pass over a parameter; two more passes look between the best one's neighbours."""


@dataclass(frozen=True)
class EnvelopeStudy(RateStudy):
    """As RateStudy, but ``excess_risk`` is the largest, over the members of a family, of the mean over ``draws``.

    Theorems about every data set are about such a supremum: no single family member is hard at all n and p.

    Attributes:
        over: a field of the construction that numbers the members; constructions without it are one data set.
        values: its values. Members outside their premise are passed over.
        draws: runs of the algorithm on each member, with common random numbers.
        expected: whether risks are expectations by the exact law of the answer (see `laws`), and nothing is drawn.
        best: a parameter of the algorithm, which gets the value whose worst member is best, the data being made against
            it where the construction has this parameter too. An algorithm without it meets the worst member of all
            these values. Where ``best`` is an axis the risk is that of the series' own data at its value.
        between: the least and the largest value of ``best``.

    ``trivial_risk`` is the supremum of the trivial answer's risk over the same members. The largest of several means is
    biased upwards, by less than the standard error of one. Lemmas' ratios and tails are the largest over draws and
    members. Columns: ``worst``, the member that was hardest, and ``best_<parameter>``. With expected risks ``sum_risk``
    is n times the mean.
    """

    version: ClassVar[int] = 3

    over: str = "size"
    values: Sequence[float | str] = ()
    draws: int = 10
    expected: bool = False
    best: str = ""
    between: Sequence[float] = ()

    def __post_init__(self) -> None:
        if not self.values:
            raise InputError("values is empty; name the members of the family")
        if self.draws < 1:
            raise InputError(f"draws must be at least 1, got draws={self.draws}")
        if self.best and not (len(self.between) == 2 and 0 < self.between[0] < self.between[1] < math.inf):
            raise InputError(f"between must be [low, high] with 0 < low < high, got {list(self.between)}")

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """See the class."""
        stream = int(rng.integers(2**62))

        def context_at(value: float) -> CellContext:
            return self._context(cell.series, cell.axes | ({self.best: value} if self.best else {}))

        if not self.best:
            context = context_at(math.nan)
            return self._worst(context, self._members(context), stream)
        if self.best in cell.axes:
            context = context_at(cell.axes[self.best])
            own = [(getattr(context.construction, self.over), context.build())]
            return self._worst(context, own, stream, of=self._members(context))

        def guaranteed(value: float) -> float:
            context = context_at(value)
            return max(self._risk(context, problem, stream)[0] for _, problem in self._members(context))

        tuned = self.best in {named_field.name for named_field in fields(self.series[cell.series].algorithm)}
        low, high = self.between
        context = context_at(_search(guaranteed, low, high, 1 if tuned else -1))
        return self._worst(context, self._members(context), stream)

    def rebuilt(self, cell: Cell) -> dict[str, dict[str, Any]]:
        """As RateStudy, but for what depends on a parameter that is searched for."""
        if self.best and self.best not in cell.axes:
            return {}
        exact = {"deterministic": True} if self.expected else {}
        return {quantity: columns | exact for quantity, columns in super().rebuilt(cell).items()}

    def _worst(self, context: CellContext, members: Members, stream: int, of: Members = ()) -> list[Row]:
        """The rows of the worst member; lemmas' ratios over all, the trivial risk over all ``of`` which they are."""
        found = []
        answers: list[Solution] = []
        for value, problem in members:
            risk, solutions = self._risk(context, problem, stream)
            answers += solutions
            rows = self._expected(context, problem, risk) if self.expected else self._rows(context, problem, solutions)
            found.append((rows, value))
        rows, worst = max(found, key=lambda pair: pair[0][0].value)
        columns = rows[0].columns | {"trivial_risk": max(problem.trivial_risk for _, problem in of or members)}
        columns |= {"worst": worst} | ({f"best_{self.best}": context.point[self.best]} if self.best else {})
        rows[0] = replace(rows[0], columns=columns)
        for name in (*self._lemmas(context.series), *self._tails()):
            largest = max(row.value for some, _ in found for row in some if row.quantity == name)
            rows = [replace(row, value=largest) if row.quantity == name else row for row in rows]
        n = context.point["n"]
        of_sum = columns | {"trivial_risk": n * float(columns["trivial_risk"] or 0)}
        rows += noise_rows(answers, context.schedule.noise_scale, copies=len(members))
        return rows + ([Row("sum_risk", n * rows[0].value, None, of_sum)] if self.expected else [])

    def _expected(self, context: CellContext, problem: Problem, risk: float) -> list[Row]:
        """An expected risk, with no answers."""
        law, schedule = laws.find(context.algorithm, problem.domain, context.budget), context.schedule
        first = self._risk_row(context, problem.dense, risk, schedule, deterministic=True)
        held = self._held(context, problem, problem.dense, [], lambda bound: law.exceeds(problem, bound))
        privacy_loss = context.algorithm.privacy_loss(context.dispatch.domain, context.budget)
        return [first, *held, *certified_rows(privacy_loss, context.point["epsilon"], schedule.steps)]

    def _members(self, context: CellContext) -> Members:
        """The members that lie within their premise, with their names."""
        family, found = context.construction, []
        premise = PremiseError("the family has no member here")
        numbered = self.over in {named_field.name for named_field in fields(family)}
        for value in self.values if numbered else [None]:
            changes: dict[str, Any] = {}
            if numbered:  # the field's own type says whether a word is meant, or a number such as inf
                changes[self.over] = typed.build(typed.hints(type(family))[self.over], value, "study.values")
            try:
                found.append(
                    (changes.get(self.over), replace(context, construction=replace(family, **changes)).build())
                )
            except PremiseError as error:
                premise = error
        if not found:
            raise premise
        return found

    def _check_names(self) -> None:
        super()._check_names()
        for family in (series.construction for series in self.series.values()):
            for value in self.values if self.over in {named_field.name for named_field in fields(family)} else ():
                typed.build(typed.hints(type(family))[self.over], value, "study.values")
        families = {field.name for series in self.series.values() for field in fields(series.construction)}
        tuned = {field.name for series in self.series.values() for field in fields(series.algorithm)}
        for key, name, known in (("over", self.over, families), ("best", self.best, tuned | families)):
            if name and name not in known:
                raise InputError(f"study.{key}: {unknown('parameter', name, known)}")

    def _runs(self) -> bool:
        return not self.expected

    def _check_bounds(self, label: str, context: CellContext) -> None:
        if self.expected and laws.law_of(type(context.algorithm)) is None:
            raise InputError(f"series {label}: no expected risk is known for {type(context.algorithm).__name__}")
        super()._check_bounds(label, context)

    def _risk(self, context: CellContext, problem: Problem, stream: int) -> tuple[float, Sequence[Solution]]:
        """The mean risk on one data set, and the answers that it is the mean of."""
        if self.expected:
            return laws.find(context.algorithm, problem.domain, context.budget).expected_risk(problem), []
        same = np.random.default_rng(stream)  # common random numbers: members are compared on equal draws
        solutions = context.solve(problem, same, self.draws)
        return math.fsum(problem.excess_risk(solution.theta) for solution in solutions) / self.draws, solutions

    def _quantities(self, series: Series) -> list[str]:
        found = super()._quantities(series)
        if not self.expected:
            return found
        return [*(name for name in found if name not in (*series.algorithm.measures, "noise_moments")), "sum_risk"]

    def _columns(self) -> list[str]:
        known = [name for name in super()._columns() if not (self.expected and name == "freedom")]
        return [*known, "worst", *([f"best_{self.best}"] if self.best else [])]

    def _parts(self, series: Series, backend: str) -> list[object]:
        return super()._parts(series, backend) + ([laws.law_of(type(series.algorithm))] if self.expected else [])

    def _science(self, series: Series) -> dict[str, Any]:
        found = {"over": self.over, "values": list(self.values), "draws": self.draws, "expected": self.expected}
        return super()._science(series) | found | {"best": self.best, "between": list(self.between)}


def _search(risk: Callable[[float], float], low: float, high: float, sign: int) -> float:
    """Where sign times the risk is least: three passes over ever smaller geometric grids."""
    best = low
    for _ in range(3):
        count = max(2 * PER_DECADE, math.ceil(PER_DECADE * math.log10(high / low)))
        grid = np.geomspace(low, high, count)
        index = int(np.argmin([sign * risk(float(value)) for value in grid]))
        best = float(grid[index])
        low, high = float(grid[max(0, index - 1)]), float(grid[min(count - 1, index + 1)])
    return best
