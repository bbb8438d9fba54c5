"""Excess risk of algorithms on families of data sets, over a grid: the study behind every rate and every bound."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from dprepro import bounds, laws
from dprepro.algorithms import Schedule, Solution
from dprepro.axes import at
from dprepro.budget import Budget
from dprepro.dispatch import dispatch
from dprepro.engine.blocks import VALUE, Block
from dprepro.engine.cell import Cell, Row, canonical
from dprepro.errors import InputError, PremiseError, unknown
from dprepro.mechanisms import NoiseMoments
from dprepro.problems import Problem, View
from dprepro.reductions import LITERAL, reductions_of
from dprepro.statements.conditions import condition, unmet
from dprepro.studies.base import Declaration, Design, Study, certified_rows, noise_rows
from dprepro.studies.describe import describe
from dprepro.studies.forecast import forecast
from dprepro.studies.series import NONE, OWN, PRINTED, SCHEDULED, CellContext, References, Series
from dprepro.support.last_result import cache_last

Columns = dict[str, float | int | str | bool | None]


@dataclass(frozen=True)
class RateStudy(Study):
    """Measures ``excess_risk`` (mean over n, against the certified minimum) and ``certified_epsilon`` of every series.

    Attributes:
        series: the curves, by name.
        bound: explicit bound of every series that names none, by name (`lasso.theorem_2_5`); may be empty, or ``own``:
            the one that the paper proves of the series' algorithm, where it has one and the domain has its constants.
        rate: the rate, without its constant, likewise. Rates and laws are formulas in the grid point and the domain's
            constants: never in the noise, steps or k as run, or a measurement would be held against itself.
        schedule: the schedule as printed, as of `Series`, of every series that says nothing else. Like rates and laws
            these are formulas in public numbers.
        lemmas: of every series that names none and whose algorithm has them.
        tails: bounds that hold with a probability, by name: risk >= bound(level) with probability at most exp(-level).
        levels: the levels at which the tails are measured.
        skip_refused: whether an algorithm that refuses the data leaves its cells skipped, with its reason, in place of
            an error: for lists of algorithms on data of somebody's choice.

    Every diagnostic of a solution, and every lemma's ratio, is a quantity of its own, with bound 1. A tail gives the
    quantity ``<function>_<level>``, 1 where the risk reached the bound and 0 elsewhere, with bound exp(-level).
    ``noise_moments`` is the second moment of the noise that was drawn over the schedule's, with its degrees of freedom
    in the column ``freedom``.
    Columns besides the contract's: ``rate``, ``trivial_risk`` (excess risk of the data-free start), ``largest_risk``
    (what no answer can exceed), ``total_steps``, ``noise_scale`` and `SCHEDULED` (empty where the schedule has no such
    number), each that is in ``schedule`` again as ``<column>_printed`` (empty where that has no value),
    ``reduction``, ``gap`` (certificate of the minimum), ``deterministic`` (one run has no error).
    """

    version: ClassVar[int] = 3  # since the noise that was drawn is measured

    series: Mapping[str, Series]
    bound: str = ""
    rate: str = ""
    schedule: Mapping[str, str] = field(default_factory=dict)
    lemmas: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()
    levels: tuple[float, ...] = ()
    skip_refused: bool = False

    def cells(self, design: Design) -> list[Cell]:
        """Series by series, grid point by grid point, replicate by replicate."""
        self._check_names()
        parts = [part for labelled in self.series.values() for part in (labelled.algorithm, labelled.construction)]
        cells: list[Cell] = []
        for label, series in self.series.items():
            science, checked = self._science(series), False
            printed = self._references(series).schedule
            beside = canonical(dict(printed)) if printed else ""
            codes: dict[str, str] = {}  # one for each backend, however many grid points
            for point in series.grid(label, design, parts):
                backend, used = LITERAL, dict[str, int | str]()
                try:
                    context = self._context(label, point)
                    if not checked:
                        self._check_bounds(label, context)
                    checked, backend = True, context.dispatch.backend
                    kind = reductions_of(series.algorithm).get(backend)
                    used = {"reduction_version": kind.version} if kind and kind.version > 1 else {}
                    used |= self._affords(series, context)
                except PremiseError as error:  # such a point becomes a skipped row
                    # a series without a premise may have a measurement there, under the same key
                    used |= {"unmet": f"{error}"} if series.premise else {}
                if backend not in codes:
                    codes[backend] = self.code(*self._parts(series, backend))
                made = canonical(science | used), codes[backend], beside
                replicates = range(series.replicates or design.replicates)
                cells += [Cell(label, series.role, point, replicate, design.seed, *made) for replicate in replicates]
        if not cells:
            raise InputError("the sweep is empty: no series has a grid point within its limits")
        return cells

    def declare(self, design: Design) -> Declaration:
        """As the class says."""
        self._check_names()
        axes = {axis for label, series in self.series.items() for axis in series.axes(label, design)}
        quantities = {label: frozenset(self._quantities(series)) for label, series in self.series.items()}
        return Declaration(quantities, frozenset(self._columns()), frozenset(axes))

    def remarks(self, cells: Sequence[Cell]) -> list[str]:
        """Controls that cannot have the `epsilon_factor` that is asked, and a forecast where the time is long."""
        said = dict[str, None]()
        over = {label for label, series in self.series.items() if series.epsilon_factor > 1}
        for cell in (cell for cell in cells if over and cell.series in over and not cell.replicate):
            asked, claimed = self.series[cell.series].epsilon_factor, cell.axes["epsilon"]
            with suppress(PremiseError):
                given = resolve(self, cell.series, dict(cell.axes)).budget.epsilon
                if given < 0.999 * asked * claimed:
                    most = f"{given / claimed:.3g} times the budget"
                    said |= {f"{cell.series}: {most}, the most that can be, for {asked:g}": None}
        long = forecast(cells, lambda cell: resolve(self, cell.series, cell.axes)) if self._runs() else ""
        return [*said, *([long] if long else [])]

    def rebuilt(self, cell: Cell) -> dict[str, dict[str, Any]]:
        """Of the risk what does not depend on the data: rate, law and schedule, and a bound that does not either."""
        context = resolve(self, cell.series, dict(cell.axes))
        known = self._scheduled(context, context.schedule, context.algorithm.deterministic)
        name = context.references.names["bound"]
        if not (name and "initial_risk" in bounds.arguments(name)):
            known["bound"] = context.value("bound", initial_risk=0.0)
        return {"excess_risk": known}

    def measure(self, cell: Cell, rng: np.random.Generator) -> Sequence[Row]:
        """Build the problem, solve it, and report risk and privacy; replicates that cannot differ share their rows."""
        context = resolve(self, cell.series, dict(cell.axes))
        if context.held:
            return context.held[0]
        before = rng.bit_generator.state if context.constant else None
        problem = context.construction.draw(cell.axes, context.schedule.noise_scale, rng)
        solutions = context.solve(problem, rng)
        rows = self._rows(context, problem, solutions) + noise_rows(solutions, context.schedule.noise_scale)
        rows += self._reported(context) + self._scored(context, solutions)
        if context.constant and rng.bit_generator.state == before:
            context.held.append(tuple(rows))
            return context.held[0]
        return rows

    def measure_many(self, cells: Sequence[Cell], streams: Callable[[], list[np.random.Generator]]) -> Block | None:
        """Replicates that share their data: all answers in one call, and of their rows only what can differ anew."""
        if type(self) is not RateStudy:
            return None  # a study that derives from this one may have rows of its own
        context = resolve(self, cells[0].series, dict(cells[0].axes))
        if context.held:
            return Block(context.held[0])
        series = context.series
        if context.construction.varies or context.constant or self.tails or self._lemmas(series):
            return None
        rngs = streams()
        problem = context.construction.draw(context.point, context.schedule.noise_scale, rngs[0])
        solutions = context.solve_many(problem, rngs)
        first, view, scale = solutions[0], problem.judge(solutions[0].theta), context.schedule.noise_scale
        alike = all(
            (run.schedule is first.schedule or run.schedule == first.schedule)
            and (run.privacy_loss is first.privacy_loss or run.privacy_loss == first.privacy_loss)
            and type(run.theta) is type(first.theta)
            and run.diagnostics.keys() == first.diagnostics.keys() and (run.noise is None) is (first.noise is None)
            for run in solutions
        )  # fmt: skip
        if not alike or self._scored(context, [first]):
            return None
        noise = noise_rows([first], scale)
        # as a cell sums them: a float, where a count of draws is a whole number
        moments = [NoiseMoments() + (solution.noise or NoiseMoments()) for solution in solutions]
        if any((moment.unit > 0) is not (moments[0].unit > 0) for moment in moments):
            return None
        rows = [*self._rows(context, problem, [first]), *noise, *self._reported(context)]
        varying: dict[tuple[int, str], Sequence[float]] = {}
        for number, row in enumerate(rows):
            if row.quantity == "excess_risk":
                varying[number, VALUE] = [
                    _mean([risk]) for risk in view.excess_many([solution.theta for solution in solutions])
                ]
            elif row.quantity in first.diagnostics:
                varying[number, VALUE] = [_mean([solution.diagnostics[row.quantity]]) for solution in solutions]
            elif noise and row is noise[0]:
                varying[number, VALUE] = [moment.ratio(scale) for moment in moments]
                varying[number, "freedom"] = [moment.freedom for moment in moments]
        return Block(rows, varying)

    def _check_names(self) -> None:
        """Raise InputError for a bound, a rate, a column of a schedule, a lemma or a condition that nobody has."""
        for label, series in self.series.items():
            for text in series.premise:
                try:
                    condition(text)
                except InputError as error:
                    raise InputError(f"series {label}: premise: {error}") from error
        everyone: list[RateStudy | Series] = [self, *self.series.values()]
        named = [name for study in everyone for name in (study.bound, study.rate, getattr(study, "law", ""))]
        for name in (*self.tails, *named):
            if name not in ("", NONE, OWN):
                bounds.find(name)
        for column, name in (item for study in everyone for item in study.schedule.items()):
            if column not in PRINTED:
                raise unknown("column of a schedule", column, PRINTED)
            if name not in ("", NONE):
                bounds.find(name)
        for name in (name for study in everyone for name in study.lemmas):
            if name not in (known := laws.every_lemma()):
                raise unknown("lemma", name, known)

    def _check_bounds(self, label: str, context: CellContext) -> None:
        """Raise InputError for a bound that was named and that needs a number which nobody has."""
        context.references.check(label, context)
        for name in self.tails:
            if lack := context.numbers(initial_risk=1.0, level=1.0).lacks(name):
                raise InputError(
                    f"series {label}: the bound {name} is a function of {lack}, which "
                    f"{type(context.algorithm).__name__} does not have here; study.tails=[] leaves it out"
                )

    def _quantities(self, series: Series) -> list[str]:
        """What a series may write."""
        noise = [] if series.algorithm.deterministic else ["noise_moments"]
        found = [
            "excess_risk",
            *noise,
            *series.algorithm.measures,
            *series.construction.measures,
            *self._lemmas(series),
        ]
        found += self._tails()
        return [*found, "certified_epsilon"] if series.algorithm.promises() else found

    def _tails(self) -> list[str]:
        return [_reached(tail, level) for tail in self.tails for level in self.levels]

    def _columns(self) -> list[str]:
        known = ["rate", "law", "trivial_risk", "largest_risk", "total_steps", "noise_scale", *SCHEDULED]
        noisy = any(not series.algorithm.deterministic for series in self.series.values())
        known += [
            f"{column}_printed" for column in PRINTED if any(column in schedule for schedule in self._schedules())
        ]
        return [*known, "reduction", "gap", "deterministic", *(["freedom"] if noisy else [])]

    def _runs(self) -> bool:
        """Whether measuring runs the algorithms."""
        return True

    def _schedules(self) -> list[Mapping[str, str]]:
        return [self._references(series).schedule for series in self.series.values()]

    def _context(self, label: str, point: Mapping[str, float]) -> CellContext:
        series = self.series[label]
        algorithm, construction = at(series.algorithm, point), at(series.construction, point)
        claimed = Budget(point["epsilon"], point["delta"], self.neighbours)
        budget = claimed if series.epsilon_factor == 1 else series.given(algorithm, construction.domain(point), claimed)
        try:
            found = dispatch(algorithm, construction, point, budget, series.reduction, f"series {label}")
        except InputError as error:
            if self.skip_refused:
                raise PremiseError(f"{error}") from error
            raise
        if math.isfinite(series.most_operations):
            domain = found.domain
            each = domain.p * (domain.p if "moments" in found.representations else domain.n)
            if (wanted := algorithm.schedule(domain, budget).steps * each) > series.most_operations:
                raise PremiseError(
                    f"series {label}: {wanted:.2g} operations, more than most_operations={series.most_operations:g}"
                )
        context = CellContext(series, point, algorithm, construction, budget, found, self._references(series))
        if series.premise and (reason := unmet(series.premise, context.public.find, self._facts(context))):
            raise PremiseError(reason)
        return context

    def _facts(self, context: CellContext) -> dict[str, str]:
        """The words that a premise may ask for."""
        domain = context.dispatch.domain
        kinds = {"loss": domain.loss, "set": domain.constraint_set, "algorithm": context.algorithm}
        return {"relation": str(self.neighbours)} | {word: type(built).__name__ for word, built in kinds.items()}

    def _references(self, series: Series) -> References:
        return References.of(series, {"bound": self.bound, "rate": self.rate}, self.schedule)

    def _lemmas(self, series: Series) -> list[str]:
        asked = series.lemmas or self.lemmas
        known = laws.lemmas_of(type(series.algorithm)) if asked else None
        return [name for name in asked if known and name in known.names]

    def _rows(self, context: CellContext, problem: Problem, solutions: Sequence[Solution]) -> list[Row]:
        """Means over some answers on one problem, the risk first."""
        first, view = solutions[0], problem.judge(solutions[0].theta)
        risks = [view.excess(solution.theta) for solution in solutions]

        def reached(bound: float) -> float:
            return _mean([risk >= bound for risk in risks])

        risk = self._risk_row(context, view, _mean(risks), first.schedule, context.algorithm.deterministic)
        diagnostics = [
            Row(name, _mean([solution.diagnostics[name] for solution in solutions]), 1.0) for name in first.diagnostics
        ]
        held = self._held(context, problem, view, solutions, reached)
        return [
            risk,
            *diagnostics,
            *held,
            *certified_rows(first.privacy_loss, context.point["epsilon"], first.schedule.steps),
        ]

    def _risk_row(self, context: CellContext, view: View, risk: float, schedule: Schedule, deterministic: bool) -> Row:
        """The risk beside its bound, with the columns that tell where it comes from."""
        columns = self._scheduled(context, schedule, deterministic)
        columns |= {
            "trivial_risk": view.trivial_risk,
            "gap": view.minimum.gap,
        }
        return Row("excess_risk", risk, context.value("bound", initial_risk=view.trivial_risk), columns)

    def _scheduled(self, context: CellContext, schedule: Schedule, deterministic: bool) -> Columns:
        """The columns of a risk that no data decide."""
        columns: Columns = {
            "rate": context.value("rate"),
            "law": context.value("law"),
            "largest_risk": context.dispatch.domain.largest_risk,
            "total_steps": schedule.steps,
            "noise_scale": schedule.noise_scale,
            "reduction": context.dispatch.backend,
            "deterministic": deterministic,
        }
        return {**columns, **{name: getattr(schedule, name, None) for name in SCHEDULED}, **context.printed}

    def _held(
        self,
        context: CellContext,
        problem: Problem,
        view: View,
        solutions: Sequence[Solution],
        reached: Callable[[float], float],
    ) -> list[Row]:
        """The largest ratio of each lemma over the answers, and how often each tail's bound was ``reached``."""
        names, known = self._lemmas(context.series), laws.lemmas_of(type(context.algorithm))
        ratios = known.ratios(context.algorithm, problem, context.schedule, solutions, names) if known and names else {}
        rows = [Row(name, ratio, 1.0) for name, ratio in ratios.items()]
        for tail, level in itertools.product(self.tails, self.levels):
            bound = context.numbers(initial_risk=view.trivial_risk, level=level).evaluate(tail)
            rows.append(Row(_reached(tail, level), reached(bound), math.exp(-level)))
        return rows

    def _scored(self, context: CellContext, solutions: Sequence[Solution]) -> list[Row]:
        """What the answers are worth on records that were held out, in the mean."""
        listed = [solution.theta for solution in solutions if isinstance(solution.theta, np.ndarray)]
        scores = [context.construction.score(context.point, theta) for theta in listed]
        return [Row(name, _mean([score[name] for score in scores])) for name in (scores[0] if scores else ())]

    def _reported(self, context: CellContext) -> list[Row]:
        return [Row(name, value) for name, value in context.construction.report(context.point).items()]

    def _affords(self, series: Series, context: CellContext) -> dict[str, int]:
        """What a grid point must do with, where that is less than a series asks for; it is part of the cell's key."""
        return {}

    def _parts(self, series: Series, backend: str) -> list[object]:
        """What makes a series' measurements, besides the study."""
        parts: list[object] = [series.algorithm, series.construction, *self._references(series).functions]
        parts += [bounds.find(name) for name in self.tails]
        parts += [] if backend == LITERAL else [reductions_of(series.algorithm)[backend]]
        known = laws.lemmas_of(type(series.algorithm)) if self._lemmas(series) else None
        return parts + ([known.ratios] if known else [])

    def _science(self, series: Series) -> dict[str, Any]:
        references = self._references(series)
        names = references.names
        further = {
            "tails": [list(self.tails), list(self.levels)] if self.tails else None,
            "law": names["law"],
            "lemmas": self._lemmas(series),
            "overspend": series.epsilon_factor if series.epsilon_factor != 1 else None,
        }
        # the key has the words that it had first: with others all draws would be others
        return self.identity(
            bound=names["bound"], shape=names["rate"], algorithm=describe(series.algorithm),
            construction=describe(series.construction), reduction=series.reduction,
            **{key: value for key, value in further.items() if value},
        )  # fmt: skip


@cache_last
def resolve(study: RateStudy, label: str, point: Mapping[str, float]) -> CellContext:
    """The parts of a cell, held for its replicates."""
    return study._context(label, point)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _reached(tail: str, level: float) -> str:
    """What a tail at a level is called."""
    return f"{tail.rpartition('.')[2]}_{level:g}"
