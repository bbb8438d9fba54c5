"""Families for objective perturbation: one direction of data in p dimensions, and random diagonal quadratics.

The first two have a free size, the norm of the data. Their ``size`` is in units of the noise, and infinity stands for
the largest norm that the records may have. The claim is about the worst of them: a study takes the supremum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dprepro.constructions.base import Construction, Point
from dprepro.errors import InputError, PremiseError
from dprepro.problems import Box, L1Ball, L2Ball, Quadratic
from dprepro.problems.constants import Constants

View = Literal["subspace", "quadratic"]


@dataclass(frozen=True)
class LinearSlope(Construction):
    """Linear losses -<x, theta> with equal records x = c e_1, c <= zeta = 1, over the l2 ball of radius ``norm``.

    n c is ``size`` times the root mean square of ||b||. A fixed c would not do: the risk then falls faster than 1/n,
    since a large slope drowns the noise. Premise: c <= 1.
    """

    view: View = "subspace"
    size: float = 1.0

    def constants(self, point: Point) -> Constants:
        """zeta = 1, lambda = 0."""
        radius = point["norm"]
        return Constants(point["n"], point["p"], radius, 1.0, 0.0, 0, diameter=2 * radius)

    def capabilities(self, point: Point) -> frozenset[str]:
        """What ``view`` says."""
        return frozenset({self.view})

    def build(self, point: Point, noise_scale: float) -> Quadratic:
        """The data set; raises PremiseError where c exceeds 1."""
        c = 1.0 if math.isinf(self.size) else self.size * noise_scale / point["n"]
        if c > 1:
            raise PremiseError(f"c={c:.3g} exceeds 1, the bound on a record")
        return _one_direction(self.view, self.constants(point), 0.0, c)


@dataclass(frozen=True)
class OrthogonalRegression(Construction):
    """Table 1's setting: (1/2)(<x, theta> - y)^2 with ||x||, ||theta*|| <= sqrt p, |y| <= p, ||theta|| <= sqrt p.

    The rows are s sqrt p e_j, n/p of each, and y = <x, theta*> with theta* = sqrt p e_1: the Hessian is s^2 times the
    identity. Hence zeta = 2 p^1.5 and lambda = p. n s^2 sqrt p, the slope at zero, is ``size`` times the root mean
    square of ||b||; size infinite is s = 1, where the Hessian is largest. Premise: s <= 1 and n >= p.
    """

    view: View = "subspace"
    size: float = 1.0

    def constants(self, point: Point) -> Constants:
        """zeta = 2 p^1.5, lambda = p, radius sqrt p."""
        p, radius = point["p"], math.sqrt(point["p"])
        return Constants(point["n"], p, radius, 2 * p**1.5, 4.0 * p * p, 0, diameter=2 * radius, smoothness=p)

    def capabilities(self, point: Point) -> frozenset[str]:
        """What ``view`` says."""
        return frozenset({self.view})

    def build(self, point: Point, noise_scale: float) -> Quadratic:
        """The data set; raises PremiseError where a row would be too long or a direction has no row."""
        n, root = point["n"], math.sqrt(point["p"])
        square = 1.0 if math.isinf(self.size) else self.size * noise_scale / (n * root)
        if square > 1:
            raise PremiseError(f"s^2={square:.3g} exceeds 1, the bound on a row")
        if n < point["p"]:
            raise PremiseError(f"n={n:g} rows cannot span p={point['p']:g} directions")
        return _one_direction(self.view, self.constants(point), square, square * root)


@dataclass(frozen=True)
class NiceRegression(Construction):
    """The member s = 1 of OrthogonalRegression: the mean loss is 1-strongly convex, eta = n = lambda n/p.

    Premise of Table 1's third row (Assumption 1): n >= p^2.
    """

    view: View = "subspace"

    def constants(self, point: Point) -> Constants:
        """As there; the strong convexity of the mean loss is a property of these data, not of every record."""
        return replace(self._family().constants(point), strong_convexity=point["n"])

    def capabilities(self, point: Point) -> frozenset[str]:
        """What ``view`` says."""
        return frozenset({self.view})

    def build(self, point: Point, noise_scale: float) -> Quadratic:
        """The data set; raises PremiseError for n < p^2."""
        if point["n"] < point["p"] ** 2:
            raise PremiseError(f"n={point['n']:g} is below p^2={point['p'] ** 2:g}")
        return self._family().build(point, noise_scale)

    def _family(self) -> OrthogonalRegression:
        return OrthogonalRegression(self.view, math.inf)


@dataclass(frozen=True)
class RandomQuadratic(Construction):
    """Squared losses with orthogonal rows of random lengths at most 1, random labels, and an l1 regulariser.

    Attributes:
        within: ``l2_ball``, ``l1_ball`` or ``box``, of radius ``norm``.
        l1: r(theta) = l1 ||theta||_1, not differentiable.
        seed: of the data.
    """

    within: Literal["l2_ball", "l1_ball", "box"] = "box"
    l1: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.l1 < math.inf:
            raise InputError(f"l1 must be at least 0 and finite, got l1={self.l1:g}")

    def constants(self, point: Point) -> Constants:
        """lambda = 1 and zeta = 1 + the largest |<x, theta>|; the radius is the set's largest l2 norm."""
        reach = self._set(point).norm_bound(2)
        # a row along e_j sees one coordinate, which is at most `norm` in all three sets
        return Constants(point["n"], point["p"], reach, 1 + point["norm"], 0.0, 0, diameter=2 * reach, smoothness=1.0)

    def capabilities(self, point: Point) -> frozenset[str]:
        """A quadratic."""
        return frozenset({"quadratic"})

    def build(self, point: Point, noise_scale: float) -> Quadratic:
        """The data set: H_jj = s_j^2/p and c_j = s_j y_j/p; a fifth of the directions has no curvature left."""
        p = int(point["p"])
        rng = np.random.default_rng([self.seed, p])
        lengths = rng.uniform(0, 1, p) * (rng.uniform(0, 1, p) > 0.2)
        labels = rng.uniform(-1, 1, p)
        within = self._set(point)
        weight = self.l1 / point["n"]
        return Quadratic(within, self.constants(point), lengths**2 / p, lengths * labels / p, weight)

    def _set(self, point: Point) -> Box | L1Ball | L2Ball:
        p, radius = int(point["p"]), point["norm"]
        if self.within == "box":
            return Box(p, radius)
        return L1Ball(p, radius) if self.within == "l1_ball" else L2Ball(p, radius)


def _one_direction(view: View, constants: Constants, curvature: float, slope: float) -> Quadratic:
    """(curvature/2) ||theta||^2 - slope theta_1 over the l2 ball, with all coordinates listed or as a plane."""
    p = int(constants.p)
    if view == "quadratic" or p < 3:
        if p > 4096:
            raise PremiseError(f"p={p} coordinates are too many to list (at most 4096)")
        linear = np.zeros(p)
        linear[0] = slope
        return Quadratic(L2Ball(p, constants.radius), constants, curvature, linear)
    return Quadratic(L2Ball(2, constants.radius), constants, curvature, np.array([slope, 0.0]), spare=p - 1)
