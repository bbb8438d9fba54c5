"""Convex losses of one record, one class each: value, derivative, constants and, where it has one, its kernel."""

from dprepro.problems.losses.base import DistanceLoss, Loss, MarginLoss
from dprepro.problems.losses.distance import HalfSquaredDistance, Median, SharpDistance
from dprepro.problems.losses.margin import (
    AbsoluteLoss,
    HalfSquaredLoss,
    HingeLoss,
    HuberisedPartLoss,
    HuberLoss,
    LinearLoss,
    LogisticLoss,
    PositivePartLoss,
    SquaredLoss,
)

__all__ = [
    "AbsoluteLoss",
    "DistanceLoss",
    "HalfSquaredDistance",
    "HalfSquaredLoss",
    "HingeLoss",
    "HuberLoss",
    "HuberisedPartLoss",
    "LinearLoss",
    "LogisticLoss",
    "Loss",
    "MarginLoss",
    "Median",
    "PositivePartLoss",
    "SharpDistance",
    "SquaredLoss",
]
