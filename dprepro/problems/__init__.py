"""Losses, constraint sets, problems and their exact, certified minimisers."""

from dprepro.problems.constants import Constants
from dprepro.problems.data import GroupPoint, Minimum, Moments, Point, Records, VertexGroups
from dprepro.problems.least_squares import LeastSquares
from dprepro.problems.losses import Loss, SquaredLoss
from dprepro.problems.problem import Problem
from dprepro.problems.sets import ConstraintSet, L1Ball, L2Ball, Simplex

__all__ = [
    "Constants",
    "ConstraintSet",
    "GroupPoint",
    "L1Ball",
    "L2Ball",
    "LeastSquares",
    "Loss",
    "Minimum",
    "Moments",
    "Point",
    "Problem",
    "Records",
    "Simplex",
    "SquaredLoss",
    "VertexGroups",
]
