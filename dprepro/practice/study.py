"""How good the advice is: predictions beside measurements, and the advised algorithm beside the best that was measured.

Nothing below this room imports it: a configuration names the study by its path.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dprepro import bounds
from dprepro.algorithms import Algorithm
from dprepro.axes import at
from dprepro.budget import Budget
from dprepro.constructions import RandomDesign
from dprepro.dispatch import dispatch
from dprepro.engine.cell import Cell, Row, canonical
from dprepro.errors import DpreproError, InputError, PremiseError, unknown
from dprepro.practice.advice import FLOOR, Candidate, advise, expected
from dprepro.practice.constants import losses_of
from dprepro.practice.ordinary import SETS, AdviceQuestion
from dprepro.practice.prediction import predict, trivial
from dprepro.practice.schema import Column
from dprepro.practice.shipped import Shipped
from dprepro.practice.simulation import simulated
from dprepro.practice.table import Table
from dprepro.reductions import reductions_of, solver
from dprepro.studies.base import Declaration, Design, Study, points
from dprepro.studies.describe import describe

ZERO = "answering zero"

WAYS = ("advised", "reversed", "random")

FITTED, HELD_OUT, PROBLEMS = "fitted", "held_out", "problems"
"""Series: cases to which constants are fitted, cases that no fit has seen, and problems whose choice is judged."""


@dataclass(frozen=True)
class PublicDescription:
    """What is public about a table that ships: the target, bounds of all columns used, and perhaps a threshold.

    Attributes:
        target, bounds: as of `Table`. above: a threshold that makes two classes of the target.
        name: of the table; empty for the series' own. loss: empty for that of the task.
    """

    target: str
    bounds: Mapping[str, Sequence[float]]
    above: float | None = None
    name: str = ""
    loss: str = ""


@dataclass(frozen=True)
class Question:
    """A point at which ordinary data are measured.

    Attributes:
        algorithm: the name of one of the study's; empty where all are measured. draws: of each kind of data; 0 for as
            many as make `COORDINATES` coordinates of noise.
    """

    n: int
    p: int
    loss: str
    set: str
    algorithm: str = ""
    epsilon: float = 1.0
    delta: float = 1e-6
    radius: float = 1.0
    draws: int = 0

    def asked(self, study: Study) -> AdviceQuestion:
        """As the advisor is asked."""
        if self.set not in SETS:
            raise unknown("set", self.set, SETS)
        budget = Budget(self.epsilon, self.delta, study.neighbours)
        return AdviceQuestion(self.n, self.p, budget, self.loss, SETS[self.set], self.radius)


COORDINATES = 400
"""Coordinates of noise of a case, draws times p: the mean of their squares has an error of about 7%."""

MOST_WORK, A_STEP = 3e7, 1e4
"""Operations of a run on a table that is measured, steps times entries, and of a step on no data: longer loops are left
out."""


@dataclass(frozen=True)
class AdviceStudy(Study):
    """Measures what predictions miss by, and what the advised algorithm loses over what the best one does.

    Cases: an algorithm runs literally, or by an exact reduction, on the three kinds of ordinary data; ``excess_risk``
    is the largest of the three means, ``prediction_error`` the relative error of what was predicted of it, and
    ``error_doubled`` that of twice as much, which a check must notice. Columns: ``algorithm``, ``predicted``, and
    ``unfitted``, the prediction before the constant of ``source`` and ``losses``.

    Problems: all algorithms run, and ``regret`` is the largest mean of the advised one over the least such of all,
    answering zero being one of them.

    Tables and designs: the advisor is told n, p, the budget and the loss, and nothing else; ``regret`` is that on the
    data. Each record of a table stands ``copies`` times: data like these, and more of them; the n and p of the sweep
    are those of the designs. ``regret_reversed`` is the regret of the last algorithm of its ranking, ``regret_random``
    that of one at random; columns: ``advised``, ``best``, ``trivial_risk``. Mean risks below `FLOOR` of zero's count
    as that.

    Attributes:
        algorithms: all that are named. chosen: those among which the advisor chooses.
    """

    algorithms: Mapping[str, Algorithm]
    chosen: tuple[str, ...]
    fitted: tuple[Question, ...] = ()
    held_out: tuple[Question, ...] = ()
    problems: tuple[Question, ...] = ()
    tables: Mapping[str, PublicDescription] = field(default_factory=dict)
    designs: Mapping[str, RandomDesign] = field(default_factory=dict)
    copies: tuple[float, ...] = (1,)
    draws: int = 8

    def __post_init__(self) -> None:
        named = {*self.chosen, *(case.algorithm for case in (*self.fitted, *self.held_out))}
        if wrong := sorted(named - set(self.algorithms)):
            raise unknown("algorithm", wrong[0], self.algorithms)
        if twice := set(self.fitted) & set(self.held_out):
            case = min(twice, key=repr)
            raise InputError(f"a case is fitted and held out: {case.algorithm}, n={case.n}, p={case.p}")

    @cached_property
    def _questions(self) -> dict[str, tuple[Question, ...]]:
        return {FITTED: self.fitted, HELD_OUT: self.held_out, PROBLEMS: self.problems}

    def cells(self, design: Design) -> list[Cell]:
        """Series by series."""
        found = []
        for label, questions in self._questions.items():
            for place, question in enumerate(questions):
                parts: dict[str, Any] = {"question": question, "draws": self.draws}
                named = [question.algorithm] if question.algorithm else list(self.chosen)
                parts["algorithms"] = {name: self.algorithms[name] for name in named}
                family = question.asked(self).family("iid")
                made = canonical(self.identity(**describe(parts))), self.code(family, *self._judged)
                axes = {
                    "n": question.n,
                    "p": question.p,
                    "epsilon": question.epsilon,
                    "delta": question.delta,
                    "norm": 1.0,
                    "case": place,
                }
                role = "context" if label == FITTED else "claim"
                point = {name: float(value) for name, value in axes.items()}
                found += [Cell(label, role, point, k, design.seed, *made) for k in range(design.replicates)]
        for label, data in self._data.items():
            known = {name: self.algorithms[name] for name in self.chosen}
            made = (
                canonical(self.identity(**describe({"construction": data, "algorithms": known, "draws": self.draws}))),
                self.code(data, *self._judged),
            )
            grid = [at(data, point).resolve(point) for point in points(label, self._axes(data, design), data)]
            for point in {tuple(point.values()): point for point in grid}.values():
                found += [Cell(label, "claim", point, k, design.seed, *made) for k in range(design.replicates)]
        return found

    @cached_property
    def _judged(self) -> list[object]:
        """The algorithms, whatever they are run by, and the bounds by which they are ranked."""
        named = {
            name for algorithm in self.algorithms.values() for name in (algorithm.bound, algorithm.proved_rate) if name
        }
        reductions = {
            kind: None for algorithm in self.algorithms.values() for kind in reductions_of(algorithm).values()
        }
        return [*self.algorithms.values(), *reductions, *map(bounds.find, sorted(named))]

    @cached_property
    def _data(self) -> dict[str, Table | RandomDesign]:
        """All data, by series."""
        found: dict[str, Table | RandomDesign] = {}
        for label, description in self.tables.items():
            columns = {
                name: Column(
                    range=tuple(ends), above=description.above if name == description.target else None, missing="drop"
                )
                for name, ends in description.bounds.items()
            }
            found[label] = Shipped(
                name=description.name or label,
                target=description.target,
                columns=columns,
                loss=description.loss,
                constraint_set="l2_ball",
            )
        return {**found, **self.designs}

    def _axes(self, data: Table | RandomDesign, design: Design) -> dict[str, list[float]]:
        """A table has the n and p that it has."""
        own: dict[str, Sequence[float]] = {"n": [1e9], "p": [1.0], "copies": self.copies}
        return design.axes(own if isinstance(data, Table) else {})

    def declare(self, design: Design) -> Declaration:
        """As the class says."""
        table_quantities = frozenset({"excess_risk", "prediction_error", "error_doubled"})
        regrets = frozenset({"excess_risk", "regret", *(f"regret_{way}" for way in WAYS[1:])})
        series = {label: table_quantities for label, some in self._questions.items() if some and label != PROBLEMS}
        series |= dict.fromkeys([PROBLEMS] if self.problems else [], regrets) | dict.fromkeys(self._data, regrets)
        axes = {axis for data in self._data.values() for axis in self._axes(data, design)}
        axes |= {"n", "p", "epsilon", "delta", "norm"} | ({"case"} if set(series) & set(self._questions) else set())
        columns = {"advised", "best", "trivial_risk"}
        if table_quantities in series.values():
            columns |= {"algorithm", "source", "losses", "predicted", "unfitted"}
        return Declaration(series, frozenset(columns), frozenset(axes))

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """See the class."""
        if cell.series in (FITTED, HELD_OUT):
            return self._case(self._questions[cell.series][int(cell.axes["case"])], cell, rng)
        if cell.series == PROBLEMS:
            asked = self.problems[int(cell.axes["case"])].asked(self)
            risks = self._typical(asked, rng)
        else:
            construction = at(self._data[cell.series], cell.axes)
            budget = Budget(cell.axes["epsilon"], cell.axes["delta"], self.neighbours)
            given = str(construction.loss), construction.constraint_set, construction.radius
            asked = AdviceQuestion(cell.axes["n"], cell.axes["p"], budget, *given)
            risks = self._risks(construction, cell.axes, budget, rng)
        return self._regrets(asked, risks, rng)

    def _case(self, case: Question, cell: Cell, rng: np.random.Generator) -> list[Row]:
        algorithm, asked = self.algorithms[case.algorithm], case.asked(self)
        draws = case.draws or math.ceil(COORDINATES / case.p)
        seed = int(rng.integers(2**31))
        measured = float(simulated(algorithm, asked, draws, seed).mean(axis=1).max())
        before, (risks, source, _) = predict(algorithm, asked), expected(algorithm, asked)
        predicted = float(risks.max())
        columns: dict[str, Any] = {
            "algorithm": case.algorithm, "source": source, "losses": losses_of(asked.domain.loss),
            "predicted": predicted, "unfitted": float(before.risks.max()),
        }  # fmt: skip
        return [
            Row("excess_risk", measured, None, columns),
            Row("prediction_error", abs(predicted / measured - 1), None, columns),
            Row("error_doubled", abs(2 * predicted / measured - 1), None, columns),
        ]

    def _regrets(self, asked: AdviceQuestion, risks: Mapping[str, float], rng: np.random.Generator) -> list[Row]:
        if len(risks) < 3:
            raise PremiseError(f"{len(risks) - 1} algorithms run here, too few to choose from")
        known: list[Candidate] = [(name, {}, self.algorithms[name]) for name in self.chosen if name in risks]
        advice = advise(asked, known)
        ranked = [choice.name for choice in advice.choices if choice.typical is not None]
        first = advice.best.name if advice.best else ZERO
        chosen = dict(zip(WAYS, (first, ranked[-1] if ranked else ZERO, str(rng.choice(sorted(risks)))), strict=True))
        floor = FLOOR * risks[ZERO]
        best = min(risks, key=lambda name: risks[name])
        columns: dict[str, Any] = {"advised": first, "best": best, "trivial_risk": risks[ZERO]}
        regrets = {way: max(risks[name], floor) / max(risks[best], floor) for way, name in chosen.items()}
        return [
            Row("excess_risk", risks[first], None, columns),
            Row("regret", regrets["advised"], None, columns),
            *(Row(f"regret_{way}", regrets[way], None, columns) for way in WAYS[1:]),
        ]

    def _typical(self, asked: AdviceQuestion, rng: np.random.Generator) -> dict[str, float]:
        """The largest mean over the kinds of ordinary data, by name, of all that run there, and of answering zero."""
        found, seed = {ZERO: float(trivial(asked).max())}, int(rng.integers(2**31))
        for name in self.chosen:
            try:
                found[name] = float(simulated(self.algorithms[name], asked, self.draws, seed).mean(axis=1).max())
            except DpreproError:
                continue
        return found

    def _risks(
        self, construction: Table | RandomDesign, point: Mapping[str, float], budget: Budget, rng: np.random.Generator
    ) -> dict[str, float]:
        """Mean excess risks by name, of all that run there quickly, and of answering zero."""
        problem = construction.build(point, 0.0)
        found, work = {ZERO: problem.trivial_risk}, problem.records.records.features.size + A_STEP
        for name in self.chosen:
            algorithm = self.algorithms[name]
            try:
                backend = dispatch(algorithm, construction, point, budget).backend
            except DpreproError:
                continue
            if algorithm.schedule(problem.domain, budget).steps * work > MOST_WORK:
                continue
            runs = solver(backend, algorithm)
            answers = [runs.solve(problem, budget, rng) for _ in range(self.draws)]
            found[name] = float(np.mean([problem.excess_risk(answer.theta) for answer in answers]))
        return found
