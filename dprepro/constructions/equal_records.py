"""Families of n equal records: one direction of data, which can be shown in every view at once."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.constructions.base import DENSE_LIMIT, Construction, Point, constraint_set, offered
from dprepro.errors import PremiseError
from dprepro.problems import Domain, LinearLoss, Moments, Problem, Records, SquaredLoss, VertexGroups
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.sets import L1Ball, L2Ball, Simplex, SpikedBall
from dprepro.problems.views import GroupsView, MomentsView, RecordsView


@dataclass(frozen=True)
class EqualRecords(Construction):
    """n copies of one record (x, 1) with squared or linear loss, where all entries of x are equal but the first.

    Vertices of a polytope with the same inner product with x are interchangeable: a handful of groups carries any p. In
    an l2 ball the plane through x does. All p coordinates are listed for p <= `DENSE_LIMIT`.
    """

    least: ClassVar[int] = 1  # of p

    @abstractmethod
    def entries(self, point: Point, noise_scale: float) -> tuple[float, float]:
        """x_1, and the entry that all other coordinates have; raises PremiseError."""

    def representations(self, point: Point) -> frozenset[str]:
        """Groups or a plane, as the set has them, and what is listed; a single record lies on an axis."""
        within = self.domain(point).constraint_set
        found = {"records", "moments", "axis"} if within.p <= DENSE_LIMIT else set()
        if isinstance(within, L1Ball | Simplex):
            found |= {"groups"}
        if isinstance(within, L2Ball) and within.p >= 3:
            found |= {"plane"}
        return frozenset(found)

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The data set; raises PremiseError outside the family's premise, or where no view is left."""
        domain, p = self.domain(point), int(point["p"])
        if p < self.least:
            raise PremiseError(f"p={p} leaves no room beside the data (p >= {self.least})")
        first, others = self.entries(point, noise_scale)
        # phi = a s^2 - b s + c at the label 1
        a, b, c = (0.0, 1.0, 0.0) if isinstance(domain.loss, LinearLoss) else domain.loss.quadratic or (0.0, 0.0, 0.0)

        def groups() -> GroupsView:
            signs = (1.0, -1.0) if isinstance(domain.constraint_set, L1Ball) else (1.0,)
            inner = domain.constraint_set.radius * np.outer(signs, [first, others][:p]).ravel()
            sizes = np.tile(np.array([1.0, p - 1.0])[:p], len(signs))
            return GroupsView(domain, VertexGroups(sizes, a * np.outer(inner, inner), b / 2 * inner, c))

        def coefficients(x: FloatArray, spare: float = 0) -> MomentsView:
            along = {"factor": math.sqrt(a) * x[None, :]} if x[1:].any() else {"ridge": a * x**2}
            return MomentsView(domain, Moments(b / 2 * x, c, **along, spare=spare))

        def record() -> FloatArray:
            return np.append(first, np.full(p - 1, others))

        return offered(
            domain,
            self.representations(point),
            groups=groups,
            plane=lambda: coefficients(np.array([math.hypot(first, math.sqrt(p - 1) * others), 0.0]), p - 1),
            moments=lambda: coefficients(record()),
            records=lambda: RecordsView(domain, Records(record()[None, :], counts=np.array([domain.n]))),
        )


@dataclass(frozen=True)
class DirectionRegression(EqualRecords):
    """Equal records x = (a, 0, ..., 0), y = 1 with the squared loss: the hard family of Gaussian Frank-Wolfe.

    The gradient at zero is -2a e_1; 2a is ``size`` times noise_scale times the set's Gaussian width; size infinite is
    a = 1. A slope of about the size of the noise's own supremum costs a linear minimisation most, so the hardest member
    moves with n. Premise: a <= 1 and p >= 3.

    Attributes:
        within: the set, of radius 1.
        q: order of the lq ball.
        features: records have ||x||_2 <= 1 (``l2``), or |x_ij| <= 1 (``sup``, as in the LASSO: the l2-Lipschitz
            constant over its ball then is 4 sqrt p).
    """

    least: ClassVar[int] = 3

    within: Literal["l1_ball", "l2_ball", "simplex", "lq_ball"] = "l2_ball"
    q: float = 1.5
    features: Literal["l2", "sup"] = "l2"
    size: float = 1.0

    def domain(self, point: Point) -> Domain:
        """Squared loss with |y| <= 1 over the set; for the l1 ball and sup bounds that is the LASSO's."""
        within = constraint_set(self.within, point["p"], q=self.q)
        return Domain(SquaredLoss(), within, point["n"], feature_norm=2 if self.features == "l2" else math.inf)

    def entries(self, point: Point, noise_scale: float) -> tuple[float, float]:
        a = 1.0 if math.isinf(self.size) else 0.5 * self.size * noise_scale * self.domain(point).width
        if a > 1:
            raise PremiseError(f"a={a:.3g} exceeds 1, the bound on a record")
        return a, 0.0


@dataclass(frozen=True)
class LinearSlope(EqualRecords):
    """Linear losses -<x, theta> with equal records x = c e_1, c <= zeta = 1, over a set of radius ``norm``.

    n c is ``size`` times the root mean square of ||b||, the noise of objective perturbation; size infinite is c = 1. A
    fixed c would not do: the risk then falls faster than 1/n, since a large slope drowns the noise. Premise: c <= 1.

    Attributes:
        size: see above.
        ball: share r of the radius. At 1 the set is the l2 ball; below, it is the hull of an l2 ball of radius r
            ``norm`` and the points +-``norm`` e_1. Its tips are the minimisers of the data, which noise of the slope's
            size makes an answer miss altogether: the loss is largest near r = 1/sqrt 2, size r/sqrt(1 - r^2).
    """

    size: float = 1.0
    ball: float = 1.0

    def __post_init__(self) -> None:
        self._demand("ball", 0 < self.ball <= 1, "in (0, 1]")

    def domain(self, point: Point) -> Domain:
        """zeta = 1, lambda = 0."""
        p, norm = int(point["p"]), point["norm"]
        within = L2Ball(p, norm) if self.ball == 1 else SpikedBall(p, norm, self.ball * norm)
        return Domain(LinearLoss(), within, point["n"])

    def entries(self, point: Point, noise_scale: float) -> tuple[float, float]:
        c = 1.0 if math.isinf(self.size) else self.size * noise_scale / point["n"]
        if c > 1:
            raise PremiseError(f"c={c:.3g} exceeds 1, the bound on a record")
        return c, 0.0
