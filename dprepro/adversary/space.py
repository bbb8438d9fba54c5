"""Families of data sets with parameters, as boxes to search in: one protocol for every construction."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dprepro.constructions import (
    ApartNeedleFamily,
    CentredNeedle,
    Construction,
    DirectionRegression,
    LinearSlope,
    NeedleFamily,
    OneHotFamily,
    OnePlace,
    OneWayMarginals,
    OrthogonalRegression,
    PlantedSupport,
    Point,
    SpreadPlaces,
    TunedNeedle,
)
from dprepro.constructions.needle_family import known_apart, known_hard
from dprepro.errors import unknown
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class Range:
    """Values of one parameter, by a place in [0, 1].

    Attributes:
        low, high: its ends. log: whether places divide them geometrically.
        off: the first share of places stands for ``low`` itself, which would else never be tried.
    """

    low: float
    high: float
    log: bool = False
    off: float = 0.0

    def value(self, place: float) -> float:
        """What stands at a place, which is brought into [0, 1]."""
        share = max(0.0, min(1.0, place) - self.off) / (1 - self.off)
        if share == 0:
            return self.low
        return min(self.high, self.low * (self.high / self.low) ** share if self.log else self._between(share))

    def place(self, value: float) -> float:
        """Where a value stands; one outside the range stands at its nearer end."""
        value = min(max(value, self.low), self.high)
        if value == self.low:
            return self.off / 2
        share = math.log(value / self.low) / math.log(self.high / self.low) if self.log else None
        return self.off + (1 - self.off) * ((value - self.low) / (self.high - self.low) if share is None else share)

    def _between(self, share: float) -> float:
        return self.low + share * (self.high - self.low)


@dataclass(frozen=True)
class Space:
    """The members of a family: the construction with other values of some of its parameters."""

    family: Construction
    ranges: Mapping[str, Range]

    def member(self, place: Sequence[float] | FloatArray) -> Construction:
        """The data at a place, shape (parameters,)."""
        changes = {name: axis.value(float(at)) for (name, axis), at in zip(self.ranges.items(), place, strict=True)}
        return replace(self.family, **changes)

    def place(self, values: Mapping[str, float]) -> FloatArray:
        """Where the family with these values stands."""
        given = {name: float(values.get(name, getattr(self.family, name))) for name in self.ranges}
        return np.array([axis.place(given[name]) for name, axis in self.ranges.items()])

    def parameters(self, member: Construction) -> dict[str, float]:
        """The values of a member."""
        return {name: float(getattr(member, name)) for name in self.ranges}

    def starts(self, point: Point, noise_scale: float) -> list[FloatArray]:
        """Places of the family as it is configured and of what is known to be hard."""
        hard = known_hard(point, noise_scale) if isinstance(self.family, NeedleFamily) else []
        hard += known_apart() if isinstance(self.family, ApartNeedleFamily) else []
        return [self.place(values) for values in ({}, *hard)]


_SIZE = Range(0.01, 100.0, log=True)
SPACES: dict[type[Construction], Mapping[str, Range]] = {
    CentredNeedle: {},
    TunedNeedle: {},
    NeedleFamily: {
        "level": Range(-1.0, 1.0),
        "gap": Range(0.1, 1e4, log=True),
        "heads": Range(0.0, 1.0, off=0.25),
        "rivals": Range(0.0, 1.0),
        "label": Range(0.1, 1.0),
        "curved": Range(0.0, 0.99, off=0.5),
        "fill": Range(0.0, 1.0),
    },
    DirectionRegression: {"size": _SIZE},
    LinearSlope: {"size": _SIZE, "ball": Range(0.05, 1.0)},
    OrthogonalRegression: {"size": _SIZE},
    OneWayMarginals: {"bias": Range(1e-3, 1.0, log=True)},
    OnePlace: {"place": Range(1e-3, 1.0, log=True)},
    OneHotFamily: {"mass": Range(1e-5, 1.0, log=True)},
    SpreadPlaces: {"spread": Range(1e-3, 0.8, log=True)},
    PlantedSupport: {"size": Range(0.05, 20.0, log=True)},
}
SPACES |= {ApartNeedleFamily: {**SPACES[NeedleFamily], "apart": Range(0.0, 2.0, off=0.5)}}
"""What is searched, by family; a needle is one data set.

Where a parameter changes the constraint set (``ball``), so does the search.
"""


def space_of(family: Construction) -> Space:
    """The space of a family; raises InputError for one without parameters to search over."""
    if type(family) not in SPACES:
        raise unknown("family to search in", type(family).__name__, [kind.__name__ for kind in SPACES])
    return Space(family, SPACES[type(family)])
