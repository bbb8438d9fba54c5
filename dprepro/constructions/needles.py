"""Needles: data sets on which private selection among vertices is as hard as it can be at every n.

All n records are equal, (m, 1), so the loss is (m.theta - 1)^2 and the data matter only through m.theta. Vertices with
the same inner product with m are interchangeable: a handful of groups carries any p.

The gap at which one selection by the exponential mechanism loses most, among K candidates of which one is best and the
others are equal, is lambda (1 + W((K - 1)/e)) (see `GumbelMin.expected_regret`). Both families place their vertices
there or close to it (of the tuned needle's 2p - 1 rivals only p - 1 share the gap), at the noise scale lambda that the
algorithm will use, hence anew for each n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dprepro.constructions.base import Construction, Point, unit_lasso_constants
from dprepro.errors import PremiseError
from dprepro.problems import L1Ball, LeastSquares, Moments, VertexGroups
from dprepro.problems.constants import Constants

VERTICES_LISTED = 4096


def hardest_gap(noise_scale: float, candidates: float) -> float:
    """lambda (1 + W((K - 1)/e)): the gap between the best and its K - 1 equal rivals that costs one selection most."""
    from scipy.special import lambertw

    return noise_scale * (1 + float(lambertw((candidates - 1) / math.e).real))


@dataclass(frozen=True)
class Needle(Construction):
    """Equal records (m, 1), with m given by its distinct values; ``view`` is how the data are offered.

    ``groups`` costs nothing at any p; ``moments`` lists all p coordinates, for the literal algorithm (p <= 4096).
    """

    view: Literal["groups", "moments"] = "groups"

    def constants(self, point: Point) -> Constants:
        """Those of the unit LASSO."""
        return unit_lasso_constants(point["n"], point["p"])

    def capabilities(self, point: Point) -> frozenset[str]:
        """What ``view`` says."""
        return frozenset({self.view})

    def levels(self, point: Point, noise_scale: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Distinct values of m and how many coordinates have each; raises PremiseError."""
        raise TypeError(f"{type(self).__name__} does not say what its records are")

    def build(self, point: Point, noise_scale: float) -> LeastSquares:
        """The data set; raises PremiseError outside the premise of the family."""
        p = int(point["p"])
        values, counts = self.levels(point, noise_scale)
        if self.view == "moments":
            if p > VERTICES_LISTED:
                raise PremiseError(f"p={p} coordinates are too many to list (at most {VERTICES_LISTED})")
            m = np.repeat(values, counts.astype(np.int64))
            moments = Moments(n=point["n"], cross=m, second_moment=1.0, gram=np.outer(m, m))
            return LeastSquares.from_moments(moments, L1Ball(p))
        inner = np.concatenate([values, -values])
        groups = VertexGroups(np.concatenate([counts, counts]), np.outer(inner, inner), inner, second_moment=1.0)
        return LeastSquares.from_groups(groups, point["n"], L1Ball(p))


@dataclass(frozen=True)
class TunedNeedle(Needle):
    """m_1 = 1/2 and m_j = 1/2 - kappa for all others, kappa = lambda (1 + W((2p - 1)/e)).

    The minimiser is e_1, where the residual is 1/2, so the other p - 1 positive vertices have the linear gap kappa
    there. Premise: kappa <= 1, or -e_j would beat e_1 (and beyond 3/2 the records would leave [-1, 1]).
    """

    def levels(self, point: Point, noise_scale: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(1/2, 1/2 - kappa), once and p - 1 times."""
        kappa = hardest_gap(noise_scale, 2 * point["p"])
        if point["p"] < 2:
            raise PremiseError(f"p={point['p']:g} leaves no rival vertex (p >= 2)")
        if kappa > 1:
            raise PremiseError(f"kappa={kappa:.3g} exceeds 1, another vertex would win")
        return np.array([0.5, 0.5 - kappa]), np.array([1.0, point["p"] - 1.0])


@dataclass(frozen=True)
class CentredNeedle(Needle):
    """m = (a, 0, ..., 0) with 2a = lambda (1 + W((2p - 2)/e)): both signs of the other p - 1 coordinates compete.

    Near theta = e_1 the gap to them is 2 a (1 - a), close to 2a where lambda is small. Premise: a <= 1.
    """

    def levels(self, point: Point, noise_scale: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(a, 0), once and p - 1 times."""
        a = hardest_gap(noise_scale, 2 * point["p"] - 1) / 2
        if point["p"] < 2:
            raise PremiseError(f"p={point['p']:g} leaves no rival vertex (p >= 2)")
        if a > 1:
            raise PremiseError(f"a={a:.3g} exceeds 1, the bound on a record")
        return np.array([a, 0.0]), np.array([1.0, point["p"] - 1.0])
