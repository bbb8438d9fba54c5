"""How good the advice is: the algorithm that is advised by public numbers, beside the best that was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dprepro import bounds
from dprepro.algorithms import Algorithm
from dprepro.axes import at
from dprepro.budget import Budget
from dprepro.constructions import RandomDesign, Shipped, Table
from dprepro.engine.cell import Cell, Row, canonical
from dprepro.errors import DpreproError, PremiseError
from dprepro.plans import plan
from dprepro.plans.advice import FLOOR, WORK, Asked, Candidate, advise, work
from dprepro.problems import Problem
from dprepro.reductions import REDUCTIONS, solver
from dprepro.studies.base import Declaration, Design, Study, points
from dprepro.studies.describe import describe
from dprepro.tables import Column

ZERO = "answering zero"

WAYS = ("advised", "reversed", "random")


@dataclass(frozen=True)
class Described:
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
class AdviceStudy(Study):
    """Measures what the advised algorithm loses, over what the best algorithm does: the regret, at least 1.

    All algorithms whose runs are quick (`plans.advice.work`) are run ``draws`` times, and answering zero is one of
    them; the advisor is told n, p, the budget and the loss, and nothing else. Each record of a table stands ``copies``
    times: data like these, and more of them; the n and p of the sweep are those of the designs.
    ``regret_reversed`` is the regret of the last algorithm of its ranking, ``regret_random`` that of one at random.
    ``excess_risk`` is what the advised algorithm loses; columns: ``advised``, ``best``, ``trivial_risk``. Mean risks
    below `FLOOR` of zero's count as that.
    """

    tables: Mapping[str, Described]
    algorithms: Mapping[str, Algorithm]
    designs: Mapping[str, RandomDesign] = field(default_factory=dict)
    copies: tuple[float, ...] = (1,)
    draws: int = 8

    def cells(self, design: Design) -> list[Cell]:
        """Series by series."""
        found = []
        for label, one in self._data.items():
            parts = {"construction": one, "algorithms": dict(self.algorithms), "draws": self.draws}
            made = canonical(self.identity(**describe(parts))), self.code(one, *self._judged)
            grid = [at(one, point).settle(point) for point in points(label, self._axes(one, design), one)]
            for point in {tuple(point.values()): point for point in grid}.values():
                found += [Cell(label, "claim", point, k, design.seed, *made) for k in range(design.replicates)]
        return found

    @cached_property
    def _judged(self) -> list[object]:
        """The algorithms, whatever they are run by, and the bounds by which they are ranked."""
        named = {name for algorithm in self.algorithms.values() for name in (algorithm.bound, algorithm.shape) if name}
        return [*self.algorithms.values(), *REDUCTIONS.values(), *map(bounds.find, sorted(named))]

    @cached_property
    def _data(self) -> dict[str, Table | RandomDesign]:
        """All data, by series."""
        found: dict[str, Table | RandomDesign] = {}
        for label, one in self.tables.items():
            columns = {
                name: Column(range=tuple(ends), above=one.above if name == one.target else None, missing="drop")
                for name, ends in one.bounds.items()
            }
            found[label] = Shipped(
                name=one.name or label, target=one.target, columns=columns, loss=one.loss, constraint_set="l2_ball"
            )
        return {**found, **self.designs}

    def _axes(self, one: Table | RandomDesign, design: Design) -> dict[str, list[float]]:
        """A table has the n and p that it has."""
        own: dict[str, Sequence[float]] = {"n": [1e9], "p": [1.0], "copies": self.copies}
        return design.axes(own if isinstance(one, Table) else {})

    def declare(self, design: Design) -> Declaration:
        """As the class says."""
        names = frozenset({"excess_risk", "regret", *(f"regret_{way}" for way in WAYS[1:])})
        axes = {axis for one in self._data.values() for axis in self._axes(one, design)}
        columns = frozenset({"advised", "best", "trivial_risk"})
        return Declaration(dict.fromkeys(self._data, names), columns, frozenset(axes))

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """See the class."""
        construction = at(self._data[cell.series], cell.axes)
        budget = Budget(cell.axes["epsilon"], cell.axes["delta"], self.neighbours)
        known: list[Candidate] = [(name, {}, one) for name, one in self.algorithms.items()]
        problem = construction.build(cell.axes, 0.0)
        risks = self._risks(known, construction, cell.axes, budget, problem, rng)
        if len(risks) < 3:
            raise PremiseError(f"{len(risks) - 1} algorithms run here, too few to choose from")
        given = str(construction.loss), construction.constraint_set, construction.radius
        asked = Asked(cell.axes["n"], cell.axes["p"], budget, *given)
        advice = advise(asked, [one for one in known if one[0] in risks])
        ranked = [one.name for one in advice.choices if one.typical is not None]
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

    def _risks(
        self,
        known: Sequence[Candidate],
        construction: Table | RandomDesign,
        point: Mapping[str, float],
        budget: Budget,
        problem: Problem,
        rng: np.random.Generator,
    ) -> dict[str, float]:
        """Mean excess risks by name, of all that run here quickly, and of answering zero."""
        found = {ZERO: problem.trivial_risk}
        for name, _, algorithm in known:
            try:
                how = plan(algorithm, construction, point, budget).how
            except DpreproError:
                continue
            if work(algorithm, problem.domain, budget, 500) > WORK:
                continue
            runs = solver(how, algorithm)
            answers = [runs.solve(problem, budget, rng) for _ in range(self.draws)]
            found[name] = float(np.mean([problem.excess_risk(one.theta) for one in answers]))
        return found
