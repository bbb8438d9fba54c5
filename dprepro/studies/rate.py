"""Excess risk of algorithms on families of data sets, over a grid: the study behind every rate and every bound."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dprepro import bounds, expressions
from dprepro.algorithms import Algorithm, Schedule, Solution
from dprepro.budget import Budget
from dprepro.constructions import Construction
from dprepro.constructions.base import latest
from dprepro.engine.cell import Cell, Row, canonical
from dprepro.engine.grid import MOST_CELLS
from dprepro.errors import InputError, PremiseError, unknown
from dprepro.laws import LEMMAS
from dprepro.problems import Problem
from dprepro.reductions import AUTOMATIC, LITERAL, REDUCTIONS, Reduction, solver
from dprepro.studies.base import Declaration, Design, Role, Study, at, check_axis, drawn, points, promises, spending
from dprepro.studies.describe import describe
from dprepro.studies.plan import Numbers, Plan, plan

SCHEDULED = ("step_size", "sketch", "weight", "regulariser")
"""Further numbers of schedules that become columns."""

PUBLIC = ("sparsity", "loss_bound")
"""Numbers of schedules that are parameters of the algorithm or constants of the domain: no noise, steps or weights."""

NONE, OWN = "none", "own"  # in place of a bound's name


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
        law: what the series' risk is, or tends to, by a derivation; empty for none.
        lemmas: what lemmas say of the algorithm's answers, by name (see `laws.LEMMAS`); empty for the study's.
        sweep: axes on which this series departs from the experiment's sweep.
        at_most: largest value of an axis for this series: it keeps what is costly off the far end of the grid.
        one_point: whether the series has the first value of every axis only, whatever is swept.
        replicates: repetitions, where they differ from the experiment's.
        tied: axes that follow the others, by formulas in their names: ``{delta: n^-2}`` instead of the sweep's delta.
        overspend: the algorithm runs with this multiple of the grid point's epsilon, which stays the one that is
            claimed: above 1 it is under-noised on purpose.
        most_operations: on data of somebody's size, points whose full gradients cost more (steps x n x p, or steps x
            p^2 by moments) are skipped.
    """

    role: Role
    algorithm: Algorithm
    construction: Construction
    reduction: str = AUTOMATIC
    bound: str = ""
    shape: str = ""
    law: str = ""
    lemmas: tuple[str, ...] = ()
    sweep: Mapping[str, Sequence[float]] = field(default_factory=dict)
    at_most: Mapping[str, float] = field(default_factory=dict)
    one_point: bool = False
    replicates: int | None = None
    tied: Mapping[str, str] = field(default_factory=dict)
    overspend: float = 1.0
    most_operations: float = math.inf

    def __post_init__(self) -> None:
        if not 0 < self.overspend < math.inf:
            raise InputError(f"overspend must be positive, got overspend={self.overspend:g}")


@dataclass(frozen=True)
class Setting:
    """The parts of one cell, their parameters set by its axes."""

    series: Series
    point: Mapping[str, float]
    algorithm: Algorithm
    construction: Construction
    budget: Budget
    plan: Plan

    @cached_property
    def found(self) -> dict[tuple[object, ...], float | None]:
        """The bounds, shapes and laws that have been asked for: all replicates of a grid point share them."""
        return {}

    @cached_property
    def schedule(self) -> Schedule:
        """The algorithm's, on this domain."""
        return self.algorithm.schedule(self.plan.domain, self.budget)

    def build(self) -> Problem:
        """The construction's data; raises PremiseError."""
        return self.construction.build(self.point, self.schedule.noise_scale)

    def solve(self, problem: Problem, rng: np.random.Generator, draws: int = 1) -> Sequence[Solution]:
        """Some runs, at once where a reduction can."""
        runs = solver(self.plan.how, self.algorithm)
        if draws > 1 and isinstance(runs, Reduction):
            return runs.solve_many(problem, self.budget, [rng] * draws)
        return [runs.solve(problem, self.budget, rng) for _ in range(draws)]

    def numbers(self, **further: float) -> Numbers:
        """What a bound may ask for."""
        return Numbers(self.plan.domain, vars(self.schedule), self.point, further)

    @property
    def public(self) -> Numbers:
        """What a shape or a law may ask for."""
        constants = {name: value for name, value in vars(self.schedule).items() if name in PUBLIC}
        return Numbers(self.plan.domain, constants, self.point)


@dataclass(frozen=True)
class RateStudy(Study):
    """Measures ``excess_risk`` (mean over n, against the certified minimum) and ``spent_epsilon`` of every series.

    Attributes:
        series: the curves, by name.
        bound: explicit bound of every series that names none, by name (`lasso.theorem_2_5`); may be empty, or ``own``:
            the one that the paper proves of the series' algorithm, where it has one and the domain has its constants.
        shape: shape of the rate, likewise. Shapes and laws are formulas in the grid point and the domain's constants:
            never in the noise, steps or k as run, or a measurement would be held against itself.
        lemmas: of every series that names none and whose algorithm has them.
        tails: bounds that hold with a probability, by name: risk >= bound(level) with probability at most exp(-level).
        levels: the levels at which the tails are measured.
        skip_refused: whether an algorithm that refuses the data leaves its cells skipped, with its reason, in place of
            an error: for lists of algorithms on data of somebody's choice.

    Every diagnostic of a solution, and every lemma's ratio, is a quantity of its own, with bound 1. A tail gives the
    quantity ``<function>_<level>``, 1 where the risk reached the bound and 0 elsewhere, with bound exp(-level).
    ``noise_drawn`` is the second moment of the noise that was drawn over the schedule's, with its degrees of freedom in
    the column ``freedom``.
    Columns besides the contract's: ``shape``, ``trivial_risk`` (excess risk of the data-free start), ``largest_risk``
    (what no answer can exceed), ``total_steps``, ``noise_scale`` and `SCHEDULED` (empty where the schedule has no such
    number), ``reduction``, ``gap`` (certificate of the minimum), ``deterministic`` (one run has no error).
    """

    version: ClassVar[int] = 3  # since the noise that was drawn is measured

    series: Mapping[str, Series]
    bound: str = ""
    shape: str = ""
    lemmas: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()
    levels: tuple[float, ...] = ()
    skip_refused: bool = False

    def cells(self, design: Design) -> list[Cell]:
        """Series by series, grid point by grid point, replicate by replicate."""
        self._check_names()
        parts = [part for one in self.series.values() for part in (one.algorithm, one.construction)]
        cells: list[Cell] = []
        for label, one in self.series.items():
            axes, replicates = self._axes(label, one, design), one.replicates or design.replicates
            wanted = math.prod(len(values) for values in axes.values()) * replicates
            if wanted > MOST_CELLS:
                raise InputError(f"series {label} asks for {wanted:.3g} cells, more than {MOST_CELLS:.0e} in one run")
            grid: dict[tuple[float, ...], dict[str, float]] = {}
            for point in points(label, axes, *parts):
                settled = at(one.construction, point).settle(point)
                settled |= {axis: _formula(label, axis, text, settled) for axis, text in one.tied.items()}
                grid.setdefault(tuple(settled.values()), settled)
            science, checked = self._science(one), False
            for point in grid.values():
                how, used = LITERAL, dict[str, int]()
                with suppress(PremiseError):  # such a point becomes a skipped row
                    setting = self._setting(label, point)
                    checked = checked or self._check_bounds(label, setting)
                    how = setting.plan.how
                    kind = REDUCTIONS.get(how)
                    used = {"reduction_version": kind.version} if kind and kind.version > 1 else {}
                made = canonical(science | used), self.code(*self._parts(one, how))
                cells += [
                    Cell(label, one.role, point, replicate, design.seed, *made) for replicate in range(replicates)
                ]
        if not cells:
            raise InputError("the sweep is empty: no series has a grid point within its limits")
        return cells

    def declare(self, design: Design) -> Declaration:
        """As the class says."""
        self._check_names()
        axes = {axis for label, one in self.series.items() for axis in self._axes(label, one, design)}
        quantities = {label: frozenset(self._quantities(one)) for label, one in self.series.items()}
        return Declaration(quantities, frozenset(self._columns()), frozenset(axes))

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """Build the problem, solve it, and report risk and privacy."""
        setting = settled(self, cell.series, dict(cell.axes))
        problem = setting.construction.draw(cell.axes, setting.schedule.noise_scale, rng)
        solutions = setting.solve(problem, rng)
        found = self._rows(setting, problem, solutions) + drawn(solutions, setting.schedule.noise_scale)
        return found + self._reported(setting) + self._scored(setting, solutions)

    def _check_names(self) -> None:
        """Raise InputError for a bound, a shape or a lemma that nobody has."""
        everyone: list[RateStudy | Series] = [self, *self.series.values()]
        for name in (
            *self.tails,
            *(name for one in everyone for name in (one.bound, one.shape, getattr(one, "law", ""))),
        ):
            if name not in ("", NONE, OWN):
                bounds.find(name)
        known = {name for lemmas in LEMMAS.values() for name in lemmas.names}
        for name in (name for one in everyone for name in one.lemmas):
            if name not in known:
                raise unknown("lemma", name, known)

    def _axes(self, label: str, one: Series, design: Design) -> dict[str, list[float]]:
        axes = design.axes(one.sweep)
        for axis, limit in one.at_most.items():
            if axis not in axes:
                raise InputError(f"series {label}: at_most.{axis} is no axis; choices: {', '.join(axes)}")
            axes[axis] = [value for value in axes[axis] if value <= limit]
        return {axis: values[:1] for axis, values in axes.items()} if one.one_point else axes

    def _quantities(self, one: Series) -> list[str]:
        """What a series may write."""
        noise = [] if one.algorithm.deterministic else ["noise_drawn"]
        found = ["excess_risk", *noise, *one.algorithm.measures, *one.construction.measures, *self._lemmas(one)]
        found += self._tails()
        return [*found, "spent_epsilon"] if promises(one.algorithm) else found

    def _tails(self) -> list[str]:
        return [_reached(tail, level) for tail in self.tails for level in self.levels]

    def _columns(self) -> list[str]:
        known = ["shape", "law", "trivial_risk", "largest_risk", "total_steps", "noise_scale", *SCHEDULED]
        noisy = any(not one.algorithm.deterministic for one in self.series.values())
        return [*known, "reduction", "gap", "deterministic", *(["freedom"] if noisy else [])]

    def _setting(self, label: str, point: Mapping[str, float]) -> Setting:
        one = self.series[label]
        algorithm, construction = at(one.algorithm, point), at(one.construction, point)
        # what the algorithm is given; the grid point holds what is claimed
        budget = Budget(one.overspend * point["epsilon"], point["delta"], self.neighbours)
        try:
            found = plan(algorithm, construction, point, budget, one.reduction, f"series {label}")
        except InputError as error:
            if self.skip_refused:
                raise PremiseError(f"{error}") from error
            raise
        if math.isfinite(one.most_operations):
            domain = found.domain
            each = domain.p * (domain.p if "moments" in found.views else domain.n)
            if (wanted := algorithm.schedule(domain, budget).steps * each) > one.most_operations:
                raise PremiseError(
                    f"series {label}: {wanted:.2g} operations, more than most_operations={one.most_operations:g}"
                )
        return Setting(one, point, algorithm, construction, budget, found)

    def _check_bounds(self, label: str, setting: Setting) -> bool:
        """True; raises InputError for a bound that was named and that needs a number which nobody has."""
        numbers = setting.numbers(initial_risk=1.0, level=1.0)
        named = {kind: self._named(setting.series, kind) for kind in ("bound", "shape", "law")}
        for kind, (name, own) in named.items():
            public = numbers if kind == "bound" else setting.public
            if name and not own and (lack := public.lacks(name)):
                raise InputError(f"series {label}: {kind} {name} needs {lack}")
        for name in self.tails:
            if lack := numbers.lacks(name):
                raise InputError(f"series {label}: bound {name} needs {lack}")
        return True

    def _named(self, one: Series, kind: str) -> tuple[str, bool]:
        """The name of a series' ``bound``, ``shape`` or ``law``, empty for none; and whether the algorithm names it."""
        name: str = getattr(one, kind) or getattr(self, kind, "")
        return (getattr(one.algorithm, kind, "") if name == OWN else "" if name == NONE else name), name == OWN

    def _lemmas(self, one: Series) -> list[str]:
        known = LEMMAS.get(type(one.algorithm))
        return [name for name in one.lemmas or self.lemmas if known and name in known.names]

    def _ratios(self, setting: Setting, problem: Problem, solutions: Sequence[Solution]) -> Mapping[str, float]:
        """The largest ratio of each lemma over the answers."""
        names = self._lemmas(setting.series)
        known = LEMMAS.get(type(setting.algorithm))
        return known.ratios(setting.algorithm, problem, setting.schedule, solutions, names) if known and names else {}

    def _rows(
        self, setting: Setting, problem: Problem, solutions: Sequence[Solution], expected: float | None = None
    ) -> list[Row]:
        """Means over some answers on one problem, the risk first; or its expected risk, with no answers."""
        view = problem.judge(solutions[0].theta) if solutions else problem.listed
        schedule = solutions[0].schedule if solutions else setting.schedule
        risks = [view.excess(solution.theta) for solution in solutions]
        columns: dict[str, float | int | str | bool | None] = {
            "shape": self._value(setting, "shape"),
            "law": self._value(setting, "law"),
            "trivial_risk": view.trivial_risk,
            "largest_risk": setting.plan.domain.largest_risk,
            "total_steps": schedule.steps,
            "noise_scale": schedule.noise_scale,
            "reduction": setting.plan.how,
            "gap": view.minimum.gap,
            "deterministic": setting.algorithm.deterministic or not solutions,
        }
        columns |= {name: getattr(schedule, name, None) for name in SCHEDULED}
        risk = _mean(risks) if expected is None else expected
        rows = [Row("excess_risk", risk, self._value(setting, "bound", initial_risk=view.trivial_risk), columns)]
        for name in solutions[0].diagnostics if solutions else ():
            rows.append(Row(name, _mean([solution.diagnostics[name] for solution in solutions]), 1.0))
        rows += [Row(name, ratio, 1.0) for name, ratio in self._ratios(setting, problem, solutions).items()]
        for tail, level in itertools.product(self.tails, self.levels):
            bound = setting.numbers(initial_risk=view.trivial_risk, level=level).evaluate(tail)
            rows.append(Row(_reached(tail, level), self._tail(setting, problem, risks, bound), math.exp(-level)))
        spent = solutions[0].spent if solutions else setting.algorithm.spent(setting.plan.domain, setting.budget)
        return rows + spending(spent, setting.point["epsilon"], schedule.steps)

    def _tail(self, setting: Setting, problem: Problem, risks: Sequence[float], bound: float) -> float:
        """How often the risk reached the bound."""
        return _mean([risk >= bound for risk in risks])

    def _value(self, setting: Setting, kind: str, **further: float) -> float | None:
        """The series' ``bound``, ``shape`` or ``law``, if any; a shape with ln(1/delta) has no value at delta = 0."""
        asked = (kind, *further.values())
        if asked not in setting.found:
            numbers = setting.numbers(**further) if kind == "bound" else setting.public
            setting.found[asked] = self._evaluated(setting.series, kind, numbers)
        return setting.found[asked]

    def _evaluated(self, one: Series, kind: str, numbers: Numbers) -> float | None:
        name, own = self._named(one, kind)
        if not name or (own and numbers.lacks(name)):
            return None
        try:
            return numbers.evaluate(name)
        except ZeroDivisionError:
            if kind != "bound":
                return None
            raise

    def _scored(self, setting: Setting, solutions: Sequence[Solution]) -> list[Row]:
        """What the answers are worth on records that were held out, in the mean."""
        listed = [one.theta for one in solutions if isinstance(one.theta, np.ndarray)]
        scores = [setting.construction.score(setting.point, theta) for theta in listed]
        return [Row(name, _mean([one[name] for one in scores])) for name in (scores[0] if scores else ())]

    def _reported(self, setting: Setting) -> list[Row]:
        return [Row(name, value) for name, value in setting.construction.report(setting.point).items()]

    def _parts(self, one: Series, how: str) -> list[object]:
        """What makes a series' measurements, besides the study."""
        named = [self._named(one, kind)[0] for kind in ("bound", "shape", "law")]
        parts: list[object] = [one.algorithm, one.construction]
        parts += [bounds.find(name) for name in (*named, *self.tails) if name]
        parts += [REDUCTIONS[how]] if how in REDUCTIONS else []
        return parts + ([LEMMAS[type(one.algorithm)].ratios] if self._lemmas(one) else [])

    def _science(self, one: Series) -> dict[str, Any]:
        found = {
            "study": type(self).__name__,
            "version": self.version,
            "neighbours": str(self.neighbours),
            "bound": self._named(one, "bound")[0],
            "shape": self._named(one, "shape")[0],
            "algorithm": describe(one.algorithm),
            "construction": describe(one.construction),
            "reduction": one.reduction,
        }
        further = {
            "tails": [list(self.tails), list(self.levels)] if self.tails else None,
            "law": self._named(one, "law")[0],
            "lemmas": self._lemmas(one),
            "overspend": one.overspend if one.overspend != 1 else None,
        }
        return found | {key: value for key, value in further.items() if value}


@latest
def settled(study: RateStudy, label: str, point: Mapping[str, float]) -> Setting:
    """The parts of a cell, held for its replicates."""
    return study._setting(label, point)


def _formula(label: str, axis: str, text: str, point: Mapping[str, float]) -> float:
    """The value of a tied axis; raises InputError for a formula that has none, or one that is out of range."""
    try:
        value = expressions.evaluate(text, point)
    except ValueError as error:
        choices = ", ".join(point)
        raise InputError(f"series {label}: tied.{axis} is {text!r}: {error}; names: {choices}") from error
    check_axis(axis, value)
    return value


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _reached(tail: str, level: float) -> str:
    """What a tail at a level is called."""
    return f"{tail.rpartition('.')[2]}_{level:g}"
