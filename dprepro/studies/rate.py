"""Excess risk of algorithms on families of data sets, over a grid: the study behind every rate and every bound."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeVar

import numpy as np

from dprepro import bounds
from dprepro.algorithms import Algorithm, Solution
from dprepro.budget import Budget
from dprepro.constructions import Construction
from dprepro.engine.cell import Cell, Row, canonical
from dprepro.engine.grid import expand
from dprepro.errors import InputError, PremiseError
from dprepro.problems.problem import Problem
from dprepro.reductions import AUTOMATIC, LITERAL, REDUCTIONS, choose, solver
from dprepro.studies.base import MAIN_AXES, Design, Study
from dprepro.studies.describe import describe

NONE, OWN = "none", "own"  # in place of a bound's name
MOST_CELLS = 10_000_000  # more would fill the memory before the first is measured
Role = Literal["claim", "control", "context"]
T = TypeVar("T")


@dataclass(frozen=True)
class Series:
    """One curve: an algorithm on a construction.

    Attributes:
        role: ``claim``, ``control`` (must be refuted) or ``context``.
        algorithm: what is run; an axis of the sweep that bears the name of one of its fields sets that field.
        construction: the data; axes set its fields likewise.
        reduction: ``automatic`` (the cheapest that serves), ``literal``, or a reduction's name.
        bound: explicit bound, by name; empty for the study's, ``none`` for no bound, ``own`` for the algorithm's own.
        shape: shape of the rate, likewise.
        sweep: axes on which this series departs from the experiment's sweep.
        at_most: largest value of an axis for this series: it keeps what is costly off the far end of the grid.
        replicates: repetitions, where they differ from the experiment's.
        delta_power: if set, delta = n^-delta_power instead of the sweep's.
        overspend: the algorithm runs with this multiple of the grid point's epsilon, which stays the one that is
            claimed: above 1 it is under-noised on purpose.
    """

    role: Role
    algorithm: Algorithm
    construction: Construction
    reduction: str = AUTOMATIC
    bound: str = ""
    shape: str = ""
    sweep: Mapping[str, Sequence[float]] = field(default_factory=dict)
    at_most: Mapping[str, float] = field(default_factory=dict)
    replicates: int | None = None
    delta_power: float | None = None
    overspend: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.overspend < math.inf:
            raise InputError(f"overspend must be positive, got overspend={self.overspend:g}")


@dataclass(frozen=True)
class RateStudy(Study):
    """Measures ``excess_risk`` (mean over n, against the certified minimum) and ``spent_epsilon`` of every series.

    Attributes:
        series: the curves, by name.
        bound: explicit bound of every series that names none, by name (`lasso.theorem_2_5`); may be empty, or ``own``:
            the one that the paper proves of the series' algorithm, where it has one.
        shape: shape of the rate, likewise.
        tails: bounds that hold with a probability, by name: risk >= bound(level) with probability at most exp(-level).
        levels: the levels at which the tails are measured.

    Every diagnostic of a solution is a quantity of its own, with bound 1. A tail gives the quantity
    ``<function>_<level>``, 1 where the risk reached the bound and 0 elsewhere, with bound exp(-level).
    Columns besides the contract's: ``shape``, ``trivial_risk`` (excess risk of the data-free start), ``total_steps``,
    ``noise_scale``, ``reduction``, ``gap`` (certificate of the minimum), ``deterministic`` (one run has no error).
    """

    series: Mapping[str, Series]
    bound: str = ""
    shape: str = ""
    tails: tuple[str, ...] = ()
    levels: tuple[float, ...] = ()

    def cells(self, design: Design) -> list[Cell]:
        """Series by series, grid point by grid point, replicate by replicate."""
        for name in (
            self.bound,
            self.shape,
            *self.tails,
            *(name for one in self.series.values() for name in (one.bound, one.shape)),
        ):
            if name and name not in (NONE, OWN):
                bounds.find(name)
        cells: list[Cell] = []
        for label, one in self.series.items():
            axes = MAIN_AXES_AS_LISTS | dict(design.sweep) | dict(one.sweep)
            wanted = math.prod(len(values) for values in axes.values()) * (one.replicates or design.replicates)
            if wanted > MOST_CELLS:
                raise InputError(f"series {label} asks for {wanted:.3g} cells, more than {MOST_CELLS:.0e} in one run")
            Design(axes, one.replicates or 1, design.seed)  # checks the series' own axes
            for axis, limit in one.at_most.items():
                if axis not in axes:
                    raise InputError(f"series {label}: at_most.{axis} is no axis; choices: {', '.join(axes)}")
                axes[axis] = [value for value in axes[axis] if value <= limit]
            self._check_axes(label, axes)
            science: dict[str, str] = {}  # by the reduction that is used
            points: dict[tuple[float, ...], dict[str, float]] = {}
            for point in expand(axes):
                settled = at(one.construction, point).settle(point)
                if one.delta_power is not None:
                    settled["delta"] = settled["n"] ** -one.delta_power
                points.setdefault(tuple(settled.values()), settled)
            for point in points.values():
                reduction = self._reduction(label, one, point)
                if reduction not in science:
                    science[reduction] = canonical(self._science(one) | reduction_version(reduction))
                with suppress(PremiseError):  # such a point becomes a skipped row
                    constants = at(one.construction, point).constants(point)
                    at(one.algorithm, point).admit(constants, self._budget(one, point))
                for replicate in range(one.replicates or design.replicates):
                    cells.append(Cell(label, one.role, point, replicate, design.seed, science[reduction]))
        if not cells:
            raise InputError("the sweep is empty: no series has a grid point within its limits")
        return cells

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """Build the problem, solve it, and report risk and privacy."""
        one = self.series[cell.series]
        point = cell.axes
        algorithm, construction = at(one.algorithm, point), at(one.construction, point)
        budget = self._budget(one, point)
        constants = construction.constants(point)
        schedule = algorithm.schedule(constants, budget)
        problem = construction.draw(point, schedule.noise_scale, rng)
        reduction = self._reduction(cell.series, one, point)
        solution = solver(reduction, algorithm).solve(problem, budget, rng)
        numbers = dict(point) | vars(constants) | vars(schedule) | {"initial_risk": problem.trivial_risk}
        further = [Row(name, value) for name, value in construction.report(point).items()]
        return self._rows(one, problem, solution, numbers, reduction) + further

    def _rows(
        self, one: Series, problem: Problem, solution: Solution, numbers: dict[str, float], reduction: str
    ) -> list[Row]:
        explicit, shape = self._bound(one), self._shape(one)
        columns: dict[str, float | int | str | bool | None] = {
            "shape": _shape_value(shape, numbers),
            "trivial_risk": problem.trivial_risk,
            "total_steps": solution.schedule.steps,
            "noise_scale": solution.schedule.noise_scale,
            "reduction": reduction,
            "gap": problem.minimum.gap,
            "deterministic": one.algorithm.deterministic,
        }
        bound = bounds.evaluate(explicit, numbers) if explicit not in ("", NONE) else None
        risk = problem.excess_risk(solution.theta)
        rows = [Row("excess_risk", risk, bound, columns)]
        rows += [Row(name, value, 1.0) for name, value in solution.diagnostics.items()]
        for tail in self.tails:
            for level in self.levels:
                reached = risk >= bounds.evaluate(tail, {**numbers, "level": level})
                rows.append(Row(f"{tail.rpartition('.')[2]}_{level:g}", float(reached), math.exp(-level)))
        if solution.spent is not None and math.isfinite(numbers["epsilon"]):
            rows.append(
                Row(
                    "spent_epsilon",
                    solution.spent.epsilon,
                    numbers["epsilon"],
                    {"total_steps": solution.schedule.steps, "deterministic": True},
                )
            )
        return rows

    def _science(self, one: Series) -> dict[str, Any]:
        return {
            "study": type(self).__name__,
            "version": self.version,
            "neighbours": str(self.neighbours),
            "bound": self._bound(one),
            "shape": self._shape(one),
            "algorithm": describe(one.algorithm),
            "construction": describe(one.construction),
            "reduction": one.reduction,
            **({"tails": list(self.tails), "levels": list(self.levels)} if self.tails else {}),
            **({"overspend": one.overspend} if one.overspend != 1 else {}),
        }

    def _budget(self, one: Series, point: Mapping[str, float]) -> Budget:
        """What the algorithm is given; the grid point holds what is claimed."""
        return Budget(one.overspend * point["epsilon"], point["delta"], self.neighbours)

    def _bound(self, one: Series) -> str:
        name = one.bound or self.bound
        return one.algorithm.bound or NONE if name == OWN else name

    def _shape(self, one: Series) -> str:
        name = one.shape or self.shape
        return one.algorithm.shape if name == OWN else name

    def _check_axes(self, label: str, axes: Mapping[str, Sequence[float]]) -> None:
        """An axis beyond the main ones must set a parameter of some series, or it would be a slip of the pen."""
        parts = [part for one in self.series.values() for part in (one.algorithm, one.construction)]
        known = {*MAIN_AXES, *(f.name for part in parts for f in fields(part))}
        if extra := [axis for axis in axes if axis not in known]:
            raise InputError(
                f"series {label}: sweep.{extra[0]} is neither a main axis nor a parameter of an algorithm or "
                f"construction; choices: {', '.join(sorted(known))}"
            )

    def _reduction(self, label: str, one: Series, point: Mapping[str, float]) -> str:
        construction = at(one.construction, point)
        capabilities = construction.capabilities(point)
        if construction.constants(point).vertices:
            capabilities |= {"vertices"}  # of the constraint set; a ball without corners has none
        return choose(one.reduction, one.algorithm, capabilities, f"series {label}")


def _shape_value(name: str, numbers: Mapping[str, float]) -> float | None:
    """The rate's shape; None where it has no value (a logarithm of 1/delta at delta = 0)."""
    try:
        return bounds.evaluate(name, numbers) if name else None
    except ZeroDivisionError:
        return None


MAIN_AXES_AS_LISTS: dict[str, Sequence[float]] = {axis: [value] for axis, value in MAIN_AXES.items()}


def reduction_version(name: str) -> dict[str, int]:
    """What the version of a reduction adds to a cell's identity: nothing for the first."""
    version = 1 if name == LITERAL else REDUCTIONS[name].version
    return {} if version == 1 else {"reduction_version": version}


def at(value: T, point: Mapping[str, float]) -> T:
    """The algorithm or construction with those fields replaced that are axes of the grid."""
    changes = {f.name: point[f.name] for f in fields(value) if f.name in point and f.name not in MAIN_AXES}  # type: ignore[arg-type]
    return replace(value, **changes) if changes else value  # type: ignore[type-var]
