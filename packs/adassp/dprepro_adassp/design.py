"""Designs along the coordinate axes, whose spectrum says how much a ridge costs and how much it saves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dprepro.constructions.base import Construction, Point, offered
from dprepro.errors import PremiseError
from dprepro.problems import Domain, Moments, MomentsView, Problem, SquaredLoss
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.sets import L2Ball
from dprepro_adassp.bounds import threshold_factor

MOST_COORDINATES = 2000
"""AdaSSP takes p^3 operations."""


@dataclass(frozen=True)
class SpectralDomain(Domain):
    """A domain with a promise about the data, for bounds: the least eigenvalue of X^T X, and tr (X^T X)^-1."""

    least_eigenvalue: float = 0.0
    inverse_trace: float = math.inf


@dataclass(frozen=True)
class Spectrum(Construction):
    """n w_j records e_j with the label theta*_j, ||theta*|| = ``norm``: X^T X is n diag(w), and the least risk is 0.

    ``even``: w_j = 1/p. ``harmonic``: w_j in proportion to 1/j. ``geometric``: to 2^-j. In these theta* is flat.
    ``spiked``: ``size`` times AdaSSP's threshold of records on e_1, where theta* lies, and zero records besides.
    Premise: p <= 2000; ``norm`` at most 1, the bound on labels; a spike of at most n records.
    """

    kind: Literal["even", "harmonic", "geometric", "spiked"] = "even"
    size: float = 4.0
    rho: float = 0.05

    def __post_init__(self) -> None:
        self._demand("size", 0 < self.size < math.inf, "positive")
        self._demand("rho", 0 < self.rho < 1, "in (0, 1)")

    def domain(self, point: Point) -> SpectralDomain:
        """||x|| and |y| at most 1; answers may leave the ball of radius ``norm``."""
        if point["norm"] > 1:
            raise PremiseError(f"norm={point['norm']:g} exceeds 1, the bound on a label")
        ball = L2Ball(int(point["p"]), point["norm"])
        known = {}
        if self.kind != "spiked":
            sums = point["n"] * self._weights(int(point["p"]))
            known = {"least_eigenvalue": float(sums.min()), "inverse_trace": float(np.sum(1 / sums))}
        return SpectralDomain(SquaredLoss(), ball, point["n"], proper=False, **known)

    def representations(self, point: Point) -> frozenset[str]:
        """Moments."""
        return frozenset({"moments"} if point["p"] <= MOST_COORDINATES else ())

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The data set; raises PremiseError."""
        domain, p = self.domain(point), int(point["p"])
        theta = np.full(p, point["norm"] / math.sqrt(p))
        weights = self._weights(p)
        if self.kind == "spiked":
            theta = point["norm"] * np.eye(1, p)[0]
            weights = self.size * noise_scale * threshold_factor(p, self.rho) / point["n"] * np.eye(1, p)[0]
            if weights[0] > 1:
                raise PremiseError(f"a spike of {weights[0] * point['n']:.3g} records exceeds n={point['n']:g}")

        def moments() -> MomentsView:
            form = Moments(weights * theta, float(weights @ theta**2), ridge=weights)
            return MomentsView(domain, form, theta)

        return offered(domain, self.representations(point), moments=moments)

    def _weights(self, p: int) -> FloatArray:
        j = np.arange(1, p + 1, dtype=np.float64)
        shape = {"harmonic": 1 / j, "geometric": 2.0**-j}.get(self.kind, np.ones(p))
        return np.asarray(shape / shape.sum())
