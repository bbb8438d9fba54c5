"""What every study is: which cells a claim needs, how one cell is measured, and the names of what it writes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from dprepro.algorithms import Solution
from dprepro.axes import AXES, DEFAULTS, check_axis
from dprepro.budget import Neighbours
from dprepro.engine.blocks import Block
from dprepro.engine.cell import Cell, Row
from dprepro.engine.code import PROJECT, code_of, modules_of
from dprepro.engine.grid import expand
from dprepro.errors import InputError
from dprepro.mechanisms import NoiseMoments
from dprepro.privacy import PrivacyLoss
from dprepro.support.typed import allowed_packages

Role = Literal["claim", "control", "context"]

MOST_REPLICATES = 1_000_000
"""Of a series; see also :mod:`dprepro.engine.resources`."""

ANYTHING = "*"
"""In a declaration: names that only measuring can tell."""


@dataclass(frozen=True)
class Design:
    """What to sweep: the study turns it into cells.

    Attributes:
        sweep: values of every axis; those of ``AXES`` have defaults.
        replicates: independent repetitions of every grid point.
        seed: changes every random stream.
    """

    sweep: Mapping[str, Sequence[float]]
    replicates: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.replicates <= MOST_REPLICATES:
            bound = "at least 1" if self.replicates < 1 else f"at most {MOST_REPLICATES}"
            raise InputError(f"replicates must be {bound}, got replicates={self.replicates}")
        if not self.sweep:
            raise InputError("sweep names no axis; give at least one, for example sweep.n=[1e5,1e6]")
        for axis, values in self.sweep.items():
            if not values:
                raise InputError(f"sweep.{axis} is empty; give it at least one number")
            for value in values:
                check_axis(axis, value)

    def axes(self, sweep: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
        """All axes of a series that departs from the sweep on some; raises InputError for a value out of range."""
        axes = {axis: [value] for axis, value in DEFAULTS.items()} | {**self.sweep, **sweep}
        Design(axes)
        return {axis: list(values) for axis, values in axes.items()}


def points(label: str, axes: Mapping[str, Sequence[float]], *parts: Any) -> list[dict[str, float]]:
    """The grid; an axis beyond the main ones must set a field of one of the parts, or it would be a typo.

    A part is a dataclass, or a class of such.
    """
    known = {*AXES, *(named_field.name for part in parts for named_field in fields(part))}
    if extra := [axis for axis in axes if axis not in known]:
        raise InputError(
            f"series {label}: sweep.{extra[0]} is neither a main axis nor a parameter of an algorithm or "
            f"construction; choices: {', '.join(sorted(known))}"
        )
    return expand(axes)


@dataclass(frozen=True)
class Declaration:
    """The names that the cells of a study will have, known before any is measured.

    Attributes:
        series: every series with the quantities that it may write.
        columns: the study's own columns.
        axes: the axes of all grid points.

    A name that ends in a star stands for all names that begin so.
    """

    series: Mapping[str, frozenset[str]]
    columns: frozenset[str]
    axes: frozenset[str]


@dataclass(frozen=True)
class Study(ABC):
    """How to measure one kind of claim. Subclasses are frozen dataclasses that can be pickled.

    ``neighbours`` is the relation under which privacy is meant; the experiment sets it. Class attribute ``version``:
    raise it when rows change for equal parameters.
    """

    version: ClassVar[int] = 1
    neighbours: Neighbours = field(default=Neighbours.REPLACE_ONE, kw_only=True)

    def code(self, *parts: object) -> str:
        """The digest of the code behind a measurement: of the study's class and of what else makes it.

        Of plug-ins all that the study names counts, since loading one part of them may change what another does.
        """
        packages = allowed_packages()
        start = {*modules_of((type(self), *parts), packages), *self._plugged}
        return code_of(tuple(sorted(start)), packages).digest

    @cached_property
    def _plugged(self) -> tuple[str, ...]:
        """The modules of plug-ins that define any part of the study."""
        packages = allowed_packages()
        return tuple(name for name in modules_of((self,), packages) if name.partition(".")[0] != PROJECT)

    def identity(self, **parts: Any) -> dict[str, Any]:
        """What a measurement depends on: the study, the relation, and ``parts``."""
        study = {"study": type(self).__name__, "version": self.version, "neighbours": str(self.neighbours)}
        return study | parts

    @abstractmethod
    def cells(self, design: Design) -> list[Cell]:
        """All cells of the design, series by series.

        Raises:
            InputError: nothing can be measured as asked.
        """

    def declare(self, design: Design) -> Declaration:
        """The names that the cells will have; a study that does not say which may write anything."""
        cells, anything = self.cells(design), frozenset({ANYTHING})
        axes = frozenset(axis for cell in cells for axis in cell.axes)
        return Declaration({cell.series: anything for cell in cells}, anything, axes)

    def remarks(self, cells: Sequence[Cell]) -> list[str]:
        """What a run says of its cells before it measures them."""
        return []

    def rebuilt(self, cell: Cell) -> Mapping[str, Mapping[str, Any]]:
        """What is known of a cell's rows without measuring it, by quantity: ``value``, ``bound`` and further columns.

        It is the same for all replicates of a grid point, and cheap; a study knows nothing unless it says so.

        Raises:
            PremiseError: the grid point lies outside the premise of what is measured.
        """
        return {}

    @abstractmethod
    def measure(self, cell: Cell, rng: np.random.Generator) -> Sequence[Row]:
        """The rows of one cell; all randomness from ``rng``.

        Raises:
            PremiseError: the grid point lies outside the premise of what is measured.
        """

    def measure_many(self, cells: Sequence[Cell], streams: Callable[[], list[np.random.Generator]]) -> Block | None:
        """What `measure` gives for each of some cells of one series and grid point, to the same bits, at less cost.

        None where a study has no quicker way. One cell of the point was measured before.

        Args:
            cells: of one series and grid point.
            streams: makes their random streams, one for each, which are made nowhere else.
        """
        return None


def certified_rows(privacy_loss: PrivacyLoss | None, claimed: float, steps: int) -> list[Row]:
    """The row that holds what is spent against what is claimed, where any privacy is promised and claimed."""
    if privacy_loss is None or math.isinf(claimed):
        return []
    return [Row("certified_epsilon", privacy_loss.epsilon, claimed, {"total_steps": steps, "deterministic": True})]


def noise_rows(solutions: Sequence[Solution], scale: float, copies: int = 1) -> list[Row]:
    """The row that holds the noise of some answers against noise of this scale, if any was counted.

    ``copies`` of the answers come from each stream of random numbers.
    """
    total = sum((solution.noise for solution in solutions if solution.noise), NoiseMoments())
    if not (scale > 0 and total.unit > 0):
        return []
    return [Row("noise_moments", total.ratio(scale), 1.0, {"freedom": total.freedom / copies})]
