"""Domains, losses, constraint sets, problems and their exact, certified minimisers."""

from dprepro.problems.domain import Domain
from dprepro.problems.losses import (
    AbsoluteLoss,
    DistanceLoss,
    HalfSquaredDistance,
    HalfSquaredLoss,
    HingeLoss,
    HuberLoss,
    LinearLoss,
    LogisticLoss,
    Loss,
    MarginLoss,
    Median,
    PositivePartLoss,
    SharpDistance,
    SquaredLoss,
)
from dprepro.problems.moments import Moments
from dprepro.problems.point_forms import GroupPoint, Minimum, PlanePoint, Point
from dprepro.problems.problem import DENSE, REPRESENTATIONS, Problem, derived_representations
from dprepro.problems.problem_data import Records, VertexGroups
from dprepro.problems.sets import Box, ConstraintSet, L1Ball, L2Ball, LocalBall, LqBall, Simplex, SpikedBall
from dprepro.problems.support_answers import SupportPoint
from dprepro.problems.views import GroupsView, MomentsView, OneHotView, RecordsView, SupportsView, View

__all__ = [
    "DENSE",
    "REPRESENTATIONS",
    "AbsoluteLoss",
    "Box",
    "ConstraintSet",
    "DistanceLoss",
    "Domain",
    "GroupPoint",
    "GroupsView",
    "HalfSquaredDistance",
    "HalfSquaredLoss",
    "HingeLoss",
    "HuberLoss",
    "L1Ball",
    "L2Ball",
    "LinearLoss",
    "LocalBall",
    "LogisticLoss",
    "Loss",
    "LqBall",
    "MarginLoss",
    "Median",
    "Minimum",
    "Moments",
    "MomentsView",
    "OneHotView",
    "PlanePoint",
    "Point",
    "PositivePartLoss",
    "Problem",
    "Records",
    "RecordsView",
    "SharpDistance",
    "Simplex",
    "SpikedBall",
    "SquaredLoss",
    "SupportPoint",
    "SupportsView",
    "VertexGroups",
    "View",
    "derived_representations",
]
