"""Inequalities between pure functions of plain numbers: a proof's own chain of constants, at any size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dprepro import bounds
from dprepro.engine.cell import Cell, Row, canonical
from dprepro.engine.grid import expand
from dprepro.errors import InputError
from dprepro.studies.base import Declaration, Design, Role, Study


@dataclass(frozen=True)
class Inequality:
    """Two sides of a proof, by name (`lasso.printed_lemma_3_3`).

    Attributes:
        role: ``claim``, ``control`` (must be refuted) or ``context``.
        left, right: the side that is to be the smaller one, and the other.
        sweep: axes on which this series departs from the experiment's sweep.
    """

    role: Role
    left: str
    right: str
    sweep: Mapping[str, Sequence[float]] = field(default_factory=dict)


@dataclass(frozen=True)
class InequalityStudy(Study):
    """Evaluates both sides of every inequality over a grid; nothing is drawn and nothing is built.

    The axes are the arguments of the two functions; those that neither takes are left out of a series. Its quantity is
    ``ratio``, left over right, with the bound 1: rule `below` judges it, rule `exponent` its growth.
    """

    series: Mapping[str, Inequality]

    def cells(self, design: Design) -> list[Cell]:
        """Series by series, grid point by grid point, each once: both sides are exact."""
        cells = []
        for label, inequality in self.series.items():
            science = {
                "study": type(self).__name__,
                "version": self.version,
                "left": inequality.left,
                "right": inequality.right,
            }
            text, grid = canonical(science), expand(self._axes(label, inequality, design))
            code = self.code(bounds.find(inequality.left), bounds.find(inequality.right))
            cells += [Cell(label, inequality.role, point, 0, design.seed, text, code) for point in grid]
        return cells

    def declare(self, design: Design) -> Declaration:
        """The ratio with its two sides."""
        axes = {axis for label, inequality in self.series.items() for axis in self._axes(label, inequality, design)}
        ratio, sides = frozenset({"ratio"}), frozenset({"left", "right"})
        return Declaration(dict.fromkeys(self.series, ratio), sides, frozenset(axes))

    def rebuilt(self, cell: Cell) -> dict[str, dict[str, Any]]:
        """All of it."""
        (row,) = self.measure(cell, np.random.default_rng(0))
        return {row.quantity: {"value": row.value, "bound": row.bound, **row.columns}}

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """Left over right; nothing is random."""
        inequality = self.series[cell.series]
        left, right = bounds.evaluate(inequality.left, cell.axes), bounds.evaluate(inequality.right, cell.axes)
        return [Row("ratio", left / right, 1.0, {"left": left, "right": right})]

    def _axes(self, label: str, inequality: Inequality, design: Design) -> dict[str, list[float]]:
        """The arguments of both sides, and the default of every main axis that is none."""
        needed = {*bounds.arguments(inequality.left), *bounds.arguments(inequality.right)}
        if missing := sorted(needed - {*design.sweep, *inequality.sweep}):
            given = ", ".join(sorted({*design.sweep, *inequality.sweep}))
            raise InputError(f"series {label} needs the axis {missing[0]}; given are {given}")
        if extra := sorted(inequality.sweep.keys() - needed):
            raise InputError(f"series {label}: sweep.{extra[0]} is no argument; choices: {', '.join(sorted(needed))}")
        swept = {**design.sweep, **inequality.sweep}
        return Design({axis: swept[axis] for axis in sorted(needed)} or {"n": [1]}).axes({})
