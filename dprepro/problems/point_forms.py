"""What is answered: a point in one of its forms, and an exact minimiser with its certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from dprepro.errors import InputError
from dprepro.problems.problem_data import FloatArray, finite
from dprepro.problems.support_answers import SupportPoint
from dprepro.support.frozen import normalise


@dataclass(frozen=True, eq=False)
class GroupPoint:
    """A point theta = sum_g (weights_g spread over the vertices of group g); the rest of the weight is on zero.

    Attributes:
        weights: shape (G,), not negative, with a sum of at most 1.

    Raises:
        InputError: where a weight is negative or not finite, or they sum to more than 1 (beyond rounding, 1e-9).
    """

    weights: FloatArray

    def __post_init__(self) -> None:
        weights = finite("weights", self.weights, 1)
        if not weights.size or weights.min() < -1e-12 or weights.sum() > 1 + 1e-9:
            raise InputError(f"weights must be at least 0 and sum to at most 1, got {weights.tolist()}")
        normalise(self, weights=weights)


@dataclass(frozen=True, eq=False)
class PlanePoint:
    """A point by its coordinates along the data and, last, its norm in the spare directions; see `Moments`."""

    coordinates: FloatArray


Point: TypeAlias = FloatArray | GroupPoint | PlanePoint | SupportPoint
"""A parameter: theta of shape (p,), its weights on groups of vertices, its place in a plane, or its support."""


@dataclass(frozen=True, eq=False)
class Minimum:
    """An exact minimiser with its certificate: value - gap <= min risk <= value.

    Attributes:
        theta: the minimiser.
        value: its risk.
        gap: bounds the excess risk of theta: max_s <gradient(theta), theta - s> over the set for every convex risk.
    """

    theta: Point
    value: float
    gap: float
