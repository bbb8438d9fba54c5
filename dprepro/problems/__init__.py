"""Losses, constraint sets, problems and their exact, certified minimisers."""

from dprepro.problems.ball_risk import BallRisk, ball_constants
from dprepro.problems.constants import Constants
from dprepro.problems.data import GroupPoint, Minimum, Moments, Point, Records, VertexGroups
from dprepro.problems.least_squares import LeastSquares
from dprepro.problems.local_ball import LocalBall
from dprepro.problems.losses import Loss, SquaredLoss
from dprepro.problems.problem import Problem
from dprepro.problems.record_losses import RECORD_LOSSES, RecordLoss, record_loss
from dprepro.problems.sets import ConstraintSet, L1Ball, L2Ball, Simplex

__all__ = [
    "RECORD_LOSSES",
    "BallRisk",
    "Constants",
    "ConstraintSet",
    "GroupPoint",
    "L1Ball",
    "L2Ball",
    "LeastSquares",
    "LocalBall",
    "Loss",
    "Minimum",
    "Moments",
    "Point",
    "Problem",
    "RecordLoss",
    "Records",
    "Simplex",
    "SquaredLoss",
    "VertexGroups",
    "ball_constants",
    "record_loss",
]
