"""One direction of data under every set: the hard family of Gaussian Frank-Wolfe."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dprepro.constructions.base import Construction, Point
from dprepro.errors import PremiseError
from dprepro.problems import (
    L1Ball,
    L2Ball,
    LeastSquares,
    LqBall,
    Moments,
    Quadratic,
    Simplex,
    SquaredLoss,
    VertexGroups,
)
from dprepro.problems.constants import Constants
from dprepro.problems.problem import Problem

LISTED = 4096


@dataclass(frozen=True)
class DirectionRegression(Construction):
    """Equal records x = (a, 0, ..., 0), y = 1 with the squared loss: the gradient at zero is -2a e_1.

    2a is ``size`` times noise_scale times the set's Gaussian width; size infinite is a = 1. A slope of about the size
    of the noise's own supremum costs a linear minimisation most, so the hardest member moves with n. Premise: a <= 1.

    Attributes:
        within: the set, of radius 1.
        q: order of the lq ball.
        features: records have ||x||_2 <= 1 (``l2``), or |x_ij| <= 1 (``sup``, as in the LASSO: the l2-Lipschitz
            constant then is 4 sqrt p).
        listed: all p coordinates for the literal algorithm, instead of groups or the data's subspace; always so for lq.
    """

    within: Literal["l1_ball", "l2_ball", "simplex", "lq_ball"] = "l2_ball"
    q: float = 1.5
    features: Literal["l2", "sup"] = "l2"
    listed: bool = False
    size: float = 1.0

    def constants(self, point: Point) -> Constants:
        """L_1 = 4, Gamma = 8, L_2 = 4 or 4 sqrt p, with the set's width and diameter.

        |<x, theta>| <= 1 holds in all cases but l2 and lq (q > 1) balls under ``sup``, which are refused.
        """
        p, within = point["p"], self._set(point)
        if self.features == "sup" and not isinstance(within, L1Ball | Simplex):
            raise PremiseError("features=sup is for l1_ball and simplex, where |<x, theta>| <= 1")
        # for q > 2 the ball reaches beyond the unit l2 ball
        reach = within.norm_bound(2) if self.features == "l2" else 1.0
        lipschitz = SquaredLoss().l1_lipschitz(reach, 1.0, 1.0)
        return Constants(
            n=point["n"],
            p=p,
            radius=1.0,
            lipschitz=lipschitz,
            curvature=SquaredLoss().curvature(reach, 1.0),
            vertices=within.vertices,
            diameter=within.diameter(2),
            width=within.gaussian_width(),
            euclidean_lipschitz=lipschitz * (math.sqrt(p) if self.features == "sup" else 1.0),
        )

    def capabilities(self, point: Point) -> frozenset[str]:
        """Groups, the subspace, or what is listed."""
        if self.within in ("l1_ball", "simplex"):
            return frozenset({"moments" if self.listed else "groups"})
        return frozenset({"quadratic" if self.listed or self.within == "lq_ball" else "subspace"})

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The data set; raises PremiseError where a exceeds 1 or p coordinates are too many to list."""
        constants, within, p = self.constants(point), self._set(point), int(point["p"])
        a = 1.0 if math.isinf(self.size) else 0.5 * self.size * noise_scale * constants.width
        if a > 1:
            raise PremiseError(f"a={a:.3g} exceeds 1, the bound on a record")
        if p < 3:
            raise PremiseError(f"p={p} leaves no room beside the data (p >= 3)")
        kinds = self.capabilities(point)
        if not kinds & {"groups", "subspace"} and p > LISTED:
            raise PremiseError(f"p={p} coordinates are too many to list (at most {LISTED})")
        if "groups" in kinds:
            inner = np.array([a, 0.0, -a, 0.0]) if isinstance(within, L1Ball) else np.array([a, 0.0])
            sizes = np.tile([1.0, p - 1.0], inner.size // 2)
            groups = VertexGroups(sizes, np.outer(inner, inner), inner, second_moment=1.0)
            return LeastSquares.from_groups(groups, point["n"], within).with_constants(constants)
        first = np.zeros(2 if "subspace" in kinds else p)
        first[0] = a
        if "moments" in kinds:
            moments = Moments(n=point["n"], cross=first, second_moment=1.0, factor=first[None, :])
            return LeastSquares.from_moments(moments, within).with_constants(constants)
        if "subspace" in kinds:
            return Quadratic(L2Ball(2), constants, 2 * first**2, 2 * first, spare=p - 1)
        return Quadratic(within, constants, 2 * first**2, 2 * first)

    def _set(self, point: Point) -> L1Ball | L2Ball | Simplex | LqBall:
        p = int(point["p"])
        if self.within == "lq_ball":
            return LqBall(p, 1.0, self.q)
        if self.within == "simplex":
            return Simplex(p)
        return L1Ball(p) if self.within == "l1_ball" else L2Ball(p)
