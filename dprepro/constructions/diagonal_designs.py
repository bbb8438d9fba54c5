"""Diagonal designs for objective perturbation: n/p records along each axis, with half the squared loss."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from dprepro.constructions.base import RECORDS_LIMIT, Construction, Point, constraint_set, offered, recorded
from dprepro.errors import PremiseError
from dprepro.problems import Domain, HalfSquaredLoss, L2Ball, Moments, MomentsView, Problem, Records, RecordsView, View
from dprepro.problems.problem_data import FloatArray

Rows: TypeAlias = Callable[[], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True)
class DiagonalDesign(Construction):
    """Records (length_j e_j, label_j), n/p of each."""

    def representations(self, point: Point) -> frozenset[str]:
        """Moments, and records where p divides n, unless there is an l1 term, which no record carries."""
        domain = self.domain(point)
        plain = not (domain.n % domain.p or domain.l1_weight)
        found = frozenset({"moments"} if domain.p <= RECORDS_LIMIT else ())
        return found | (recorded(domain, domain.p) if plain else frozenset())

    def offer(self, point: Point, rows: Rows, **known: Callable[[], View]) -> Problem:
        """The problem of the lengths and labels that ``rows`` makes, both of shape (p,), and what else is ``known``."""
        domain = self.domain(point)

        def moments() -> MomentsView:
            lengths, labels = rows()
            constant = 0.5 * float(np.mean(labels**2))
            form = Moments(0.5 / domain.p * lengths * labels, constant, ridge=0.5 / domain.p * lengths**2)
            return MomentsView(domain, form)

        def records() -> RecordsView:
            lengths, labels = rows()
            return RecordsView(domain, Records(np.diag(lengths), labels, np.full(domain.p, domain.n / domain.p)))

        return offered(domain, self.representations(point), moments=moments, records=records, **known)


@dataclass(frozen=True)
class OrthogonalDesign(DiagonalDesign):
    """Table 1's setting: (1/2)(<x, theta> - y)^2 with ||x||, ||theta*|| <= sqrt p, |y| <= p, ||theta|| <= sqrt p.

    The rows are s sqrt p e_j, n/p of each, and y = <x, theta*> with theta* = sqrt p e_1: the Hessian is s^2 times the
    identity. Hence zeta = 2 p^1.5 and lambda = p.
    """

    kind: ClassVar[type[Domain]] = Domain

    def domain(self, point: Point) -> Domain:
        """zeta = 2 p^1.5, lambda = p, radius sqrt p."""
        p, root = int(point["p"]), math.sqrt(point["p"])
        return self.kind(HalfSquaredLoss(), L2Ball(p, root), point["n"], feature_bound=root, label_bound=p)

    def representations(self, point: Point) -> frozenset[str]:
        """Besides what is listed the plane through e_1, at any p >= 3."""
        return super().representations(point) | ({"plane"} if point["p"] >= 3 else set())

    @abstractmethod
    def square(self, point: Point, noise_scale: float) -> float:
        """s^2; raises PremiseError."""

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The data set; raises PremiseError also where a direction has no row."""
        square, p, root = self.square(point, noise_scale), int(point["p"]), math.sqrt(point["p"])
        if point["n"] < p:
            raise PremiseError(f"n={point['n']:g} rows cannot span p={p} directions")

        def rows() -> tuple[FloatArray, FloatArray]:
            return np.full(p, math.sqrt(square) * root), math.sqrt(square) * p * np.eye(1, p)[0]

        def plane() -> MomentsView:  # (s^2/2) ||theta||^2 - s^2 sqrt(p) theta_1 + s^2 p/2
            form = Moments(np.array([square * root / 2, 0.0]), square * p / 2, ridge=square / 2, spare=p - 1)
            return MomentsView(self.domain(point), form)

        return self.offer(point, rows, plane=plane)


@dataclass(frozen=True)
class OrthogonalRegression(OrthogonalDesign):
    """The design of a free s: n s^2 sqrt p, the slope at zero, is ``size`` times the root mean square of ||b||.

    ``size`` infinite is s = 1, where the Hessian is largest. The claim is about the worst size: a study takes the
    supremum. Premise: s <= 1 and n >= p.
    """

    size: float = 1.0

    def square(self, point: Point, noise_scale: float) -> float:
        square = 1.0 if math.isinf(self.size) else self.size * noise_scale / (point["n"] * math.sqrt(point["p"]))
        if square > 1:
            raise PremiseError(f"s^2={square:.3g} exceeds 1, the bound on a row")
        return square


@dataclass(frozen=True)
class NiceDomain(Domain):
    """A domain of data that satisfy Assumption 1 of Kifer, Smith and Thakurta: the mean loss is 1-strongly convex.

    That is a promise about the data, not about every record, whose strong convexity stays None.
    """

    @property
    def eta(self) -> float:
        """Strong convexity of the sum of the losses."""
        return self.n


@dataclass(frozen=True)
class NiceRegression(OrthogonalDesign):
    """The member s = 1: the mean loss is 1-strongly convex, eta = n = lambda n/p.

    Premise of Table 1's third row (Assumption 1): n >= p^2.
    """

    kind: ClassVar[type[Domain]] = NiceDomain

    def square(self, point: Point, noise_scale: float) -> float:
        if point["n"] < point["p"] ** 2:
            raise PremiseError(f"n={point['n']:g} is below p^2={point['p'] ** 2:g}")
        return 1.0


@dataclass(frozen=True)
class RandomQuadratic(DiagonalDesign):
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
        self._demand("l1", 0 <= self.l1 < math.inf, "at least 0 and finite")

    def domain(self, point: Point) -> Domain:
        """||x||_1 <= 1: a row along e_j sees one coordinate, at most ``norm`` in all three sets. zeta = 1 + norm."""
        within = constraint_set(self.within, point["p"], point["norm"])
        return Domain(HalfSquaredLoss(), within, point["n"], feature_norm=1, l1_weight=self.l1)

    def build(self, point: Point, noise_scale: float) -> Problem:
        """H_jj = s_j^2/p and c_j = s_j y_j/p; a fifth of the directions has no curvature left."""

        def rows() -> tuple[FloatArray, FloatArray]:
            p = int(point["p"])
            rng = np.random.default_rng([self.seed, p])
            lengths = rng.uniform(0, 1, p) * (rng.uniform(0, 1, p) > 0.2)
            return lengths, rng.uniform(-1, 1, p)

        return self.offer(point, rows)
