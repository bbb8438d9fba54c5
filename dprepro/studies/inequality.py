"""Inequalities between pure functions of plain numbers: a proof's own chain of constants, at any size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from dprepro import bounds
from dprepro.engine.cell import Cell, Row, canonical
from dprepro.engine.grid import expand
from dprepro.errors import InputError
from dprepro.studies.base import MAIN_AXES, Design, Study


@dataclass(frozen=True)
class Inequality:
    """Two sides of a proof, by name (`lasso.printed_lemma_3_3`).

    Attributes:
        role: ``claim``, ``control`` (must be refuted) or ``context``.
        left, right: the side that is to be the smaller one, and the other.
        sweep: axes on which this series departs from the experiment's sweep.
    """

    role: Literal["claim", "control", "context"]
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
        for label, one in self.series.items():
            needed = {*bounds.arguments(one.left), *bounds.arguments(one.right)}
            given = dict(design.sweep) | dict(one.sweep)
            if missing := sorted(needed - given.keys()):
                raise InputError(f"series {label} needs the axis {missing[0]}; given are {', '.join(sorted(given))}")
            if extra := sorted(one.sweep.keys() - needed):
                raise InputError(
                    f"series {label}: sweep.{extra[0]} is no argument; choices: {', '.join(sorted(needed))}"
                )
            axes: dict[str, Sequence[float]] = {axis: [value] for axis, value in MAIN_AXES.items()}
            axes |= {axis: given[axis] for axis in sorted(needed)}
            Design(axes)  # checks the series' own axes
            science = canonical(
                {"study": type(self).__name__, "version": self.version, "left": one.left, "right": one.right}
            )
            cells += [Cell(label, one.role, point, 0, design.seed, science) for point in expand(axes)]
        return cells

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """Left over right; nothing is random."""
        one = self.series[cell.series]
        left, right = bounds.evaluate(one.left, cell.axes), bounds.evaluate(one.right, cell.axes)
        return [Row("ratio", left / right, 1.0, {"left": left, "right": right})]
