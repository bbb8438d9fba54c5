"""What every study is: which cells a claim needs, and how one cell is measured."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from dprepro.budget import Neighbours
from dprepro.engine.cell import Cell, Row
from dprepro.errors import InputError

#: The axes that every cell has, with their values where a sweep does not name them.
MAIN_AXES: dict[str, float] = {"n": 1, "p": 1, "epsilon": math.inf, "delta": 0, "norm": 1}


@dataclass(frozen=True)
class Design:
    """What to sweep: the study turns it into cells.

    Attributes:
        sweep: values of every axis; those of ``MAIN_AXES`` have defaults.
        replicates: independent repetitions of every grid point.
        seed: changes every random stream.
    """

    sweep: Mapping[str, Sequence[float]]
    replicates: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if self.replicates < 1:
            raise InputError(f"replicates must be at least 1, got replicates={self.replicates}")
        if not self.sweep:
            raise InputError("sweep names no axis; give at least one, for example sweep.n=[1e5,1e6]")
        for axis, values in self.sweep.items():
            if not values:
                raise InputError(f"sweep.{axis} is empty; give it at least one number")
            for value in values:
                check_axis(axis, value)


def check_axis(axis: str, value: float) -> None:
    """Raise InputError unless the value can stand on that axis."""
    if math.isnan(value):
        raise InputError(f"sweep.{axis} must hold numbers, got nan")
    if axis in ("n", "p", "steps") and not (math.isfinite(value) and value >= 1 and value == int(value)):
        raise InputError(f"sweep.{axis} must hold whole numbers of at least 1, got {axis}={value:g}")
    if axis == "epsilon" and not value > 0:
        raise InputError(f"sweep.epsilon must hold positive numbers (inf for no privacy), got epsilon={value:g}")
    if axis == "delta" and not 0 <= value < 1:
        raise InputError(f"sweep.delta must hold numbers in [0, 1), got delta={value:g}")
    if axis == "norm" and not (math.isfinite(value) and value > 0):
        raise InputError(f"sweep.norm must hold positive numbers, got norm={value:g}")


@dataclass(frozen=True)
class Study(ABC):
    """How to measure one kind of claim. Subclasses are frozen dataclasses that can be pickled.

    ``neighbours`` is the relation under which privacy is meant; the experiment sets it. Class attribute ``version``:
    raise it when rows change for equal parameters.
    """

    version: ClassVar[int] = 1
    neighbours: Neighbours = field(default=Neighbours.REPLACE_ONE, kw_only=True)

    @abstractmethod
    def cells(self, design: Design) -> list[Cell]:
        """All cells of the design, series by series.

        Raises:
            InputError: nothing can be measured as asked.
        """

    @abstractmethod
    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """The rows of one cell; all randomness from ``rng``.

        Raises:
            PremiseError: the grid point lies outside the premise of what is measured.
        """
