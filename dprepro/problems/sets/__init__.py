"""Constraint sets: projection, linear minimisation oracle, diameter and Gaussian width.

Sets hold no arrays but for those that an algorithm makes while it runs, so their constants (widths, diameters,
numbers of vertices) are available at p = 1e12.
"""

from dprepro.problems.sets.balls import L2Ball, LqBall
from dprepro.problems.sets.base import NORMS, ConstraintSet, dual_order, norm_ratio
from dprepro.problems.sets.hulls import LocalBall, SpikedBall
from dprepro.problems.sets.polytopes import Box, L1Ball, Simplex

__all__ = [
    "NORMS",
    "Box",
    "ConstraintSet",
    "L1Ball",
    "L2Ball",
    "LocalBall",
    "LqBall",
    "Simplex",
    "SpikedBall",
    "dual_order",
    "norm_ratio",
]
