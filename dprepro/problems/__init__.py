"""Losses, constraint sets, problems and their exact, certified minimisers."""

from dprepro.problems.constants import Constants
from dprepro.problems.data import GroupPoint, Minimum, Moments, Point, Records, VertexGroups
from dprepro.problems.least_squares import LeastSquares
from dprepro.problems.losses import AbsoluteLoss, LogisticLoss, Loss, SquaredLoss
from dprepro.problems.one_hot import OneHot, SketchedOneHot, glm_constants
from dprepro.problems.problem import Problem
from dprepro.problems.quadratic import Quadratic
from dprepro.problems.sets import Box, ConstraintSet, L1Ball, L2Ball, LqBall, Simplex

__all__ = [
    "AbsoluteLoss",
    "Box",
    "Constants",
    "ConstraintSet",
    "GroupPoint",
    "L1Ball",
    "L2Ball",
    "LeastSquares",
    "LogisticLoss",
    "Loss",
    "LqBall",
    "Minimum",
    "Moments",
    "OneHot",
    "Point",
    "Problem",
    "Quadratic",
    "Records",
    "Simplex",
    "SketchedOneHot",
    "SquaredLoss",
    "VertexGroups",
    "glm_constants",
]
