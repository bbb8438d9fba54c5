"""Losses, constraint sets, problems and their exact, certified minimisers."""

from dprepro.problems.ball_risk import BallRisk, ball_constants
from dprepro.problems.constants import Constants
from dprepro.problems.data import GroupPoint, Minimum, Moments, Point, Records, VertexGroups
from dprepro.problems.least_squares import LeastSquares
from dprepro.problems.local_ball import LocalBall
from dprepro.problems.losses import AbsoluteLoss, LogisticLoss, Loss, SquaredLoss
from dprepro.problems.one_hot import OneHot, OneHotData, SketchedOneHot, glm_constants
from dprepro.problems.problem import Problem
from dprepro.problems.quadratic import Quadratic
from dprepro.problems.record_losses import RECORD_LOSSES, RecordLoss, record_loss
from dprepro.problems.sets import Box, ConstraintSet, L1Ball, L2Ball, LqBall, Simplex

__all__ = [
    "RECORD_LOSSES",
    "AbsoluteLoss",
    "BallRisk",
    "Box",
    "Constants",
    "ConstraintSet",
    "GroupPoint",
    "L1Ball",
    "L2Ball",
    "LeastSquares",
    "LocalBall",
    "LogisticLoss",
    "Loss",
    "LqBall",
    "Minimum",
    "Moments",
    "OneHot",
    "OneHotData",
    "Point",
    "Problem",
    "Quadratic",
    "RecordLoss",
    "Records",
    "Simplex",
    "SketchedOneHot",
    "SquaredLoss",
    "VertexGroups",
    "ball_constants",
    "glm_constants",
    "record_loss",
]
