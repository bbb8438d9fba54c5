"""Needles: data sets on which private selection among vertices is as hard as it can be at every n.

All n records are equal, (m, 1), so the loss is (m.theta - 1)^2 and the data matter only through m.theta.

The gap at which one selection by the exponential mechanism loses most, among K candidates of which one is best and the
others are equal, is lambda (1 + W((K - 1)/e)) (see `GumbelMin.expected_regret`). Both families place their vertices
there or close to it (of the tuned needle's 2p - 1 rivals only p - 1 share the gap), at the noise scale lambda that the
algorithm will use, hence anew for each n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from dprepro.constructions.base import Point, unit_lasso
from dprepro.constructions.equal_records import EqualRecords
from dprepro.errors import PremiseError
from dprepro.problems import Domain


def hardest_gap(noise_scale: float, candidates: float) -> float:
    """lambda (1 + W((K - 1)/e)): the gap between the best and its K - 1 equal rivals that costs one selection most."""
    from scipy.special import lambertw

    return noise_scale * (1 + float(lambertw((candidates - 1) / math.e).real))


@dataclass(frozen=True)
class Needle(EqualRecords):
    """Equal records (m, 1) in the domain of the unit LASSO."""

    least: ClassVar[int] = 2  # or there is no rival vertex

    def domain(self, point: Point) -> Domain:
        return unit_lasso(point)


@dataclass(frozen=True)
class TunedNeedle(Needle):
    """m_1 = 1/2 and m_j = 1/2 - kappa for all others, kappa = lambda (1 + W((2p - 1)/e)).

    The minimiser is e_1, where the residual is 1/2, so the other p - 1 positive vertices have the linear gap kappa
    there. Premise: kappa <= 1, or -e_j would beat e_1 (and beyond 3/2 the records would leave [-1, 1]).
    """

    def entries(self, point: Point, noise_scale: float) -> tuple[float, float]:
        kappa = hardest_gap(noise_scale, 2 * point["p"])
        if kappa > 1:
            raise PremiseError(f"kappa={kappa:.3g} exceeds 1, another vertex would win")
        return 0.5, 0.5 - kappa


@dataclass(frozen=True)
class CentredNeedle(Needle):
    """m = (a, 0, ..., 0) with 2a = lambda (1 + W((2p - 2)/e)): both signs of the other p - 1 coordinates compete.

    Near theta = e_1 the gap to them is 2 a (1 - a), close to 2a where lambda is small. Premise: a <= 1.
    """

    def entries(self, point: Point, noise_scale: float) -> tuple[float, float]:
        a = hardest_gap(noise_scale, 2 * point["p"] - 1) / 2
        if a > 1:
            raise PremiseError(f"a={a:.3g} exceeds 1, the bound on a record")
        return a, 0.0
