"""Data on an l2 ball for Bassily, Smith and Thakurta (2014), a few distinct records copied n times in all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dprepro.constructions.base import Construction, Point
from dprepro.errors import InputError, PremiseError
from dprepro.problems import BallRisk, L2Ball, ball_constants, record_loss
from dprepro.problems.constants import Constants

AxisLoss = Literal["linear", "half_squared_distance", "median", "sharp_distance"]


@dataclass(frozen=True)
class OneWayMarginals(Construction):
    """Records +c and -c, c = (1, ..., 1)/sqrt p, whose mean is ``bias`` c: section 5's data, without the codewords.

    ``linear``: theta* = c and the risk bias (1 - <theta, c>) grows with the bias at any given algorithm, so bias = 1
    (n equal records) is the worst. ``half_squared_distance``: theta* = bias c.

    Attributes:
        bias: mean of the records along c, in (0, 1]; the (1 + bias) n / 2 copies of c are rounded to whole records.
    """

    loss: Literal["linear", "half_squared_distance"] = "linear"
    bias: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.bias <= 1:
            raise InputError(f"bias must be in (0, 1], got bias={self.bias:g}")

    def constants(self, point: Point) -> Constants:
        """Those of the unit ball and records of norm 1."""
        return ball_constants(self.loss, point["n"], L2Ball(int(point["p"])))

    def capabilities(self, point: Point) -> frozenset[str]:
        """Any linear or quadratic risk has an axis: its mean record."""
        return frozenset({"axis", "moments", "records"})

    def build(self, point: Point, noise_scale: float) -> BallRisk:
        """The data set; raises PremiseError where no whole number of records is left on the heavier side."""
        p, n = int(point["p"]), point["n"]
        heavy = round(n * (1 + self.bias) / 2)
        if not 2 * heavy > n:
            raise PremiseError(f"bias={self.bias:g} leaves no bias among n={n:g} whole records")
        c = np.full(p, 1 / math.sqrt(p))
        records, counts = np.array([c, -c]), np.array([heavy, n - heavy], dtype=np.float64)
        return BallRisk(self.loss, L2Ball(p), records[counts > 0], counts[counts > 0])


@dataclass(frozen=True)
class OnePlace(Construction):
    """n equal records at ``place`` c inside the ball: the tip of a norm, where the risk is sharp in every direction.

    For ``median`` the risk is ||theta - place c||, so a slope of 1 stands against the noise in all p directions at
    once; ``sharp_distance`` adds half the squared distance. The trivial answer, zero, loses at least ``place``.
    """

    loss: Literal["median", "sharp_distance", "half_squared_distance"] = "median"
    place: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.place <= 1:
            raise InputError(f"place must be in (0, 1], got place={self.place:g}")

    def constants(self, point: Point) -> Constants:
        """Those of the unit ball and records of norm 1."""
        return ball_constants(self.loss, point["n"], L2Ball(int(point["p"])))

    def capabilities(self, point: Point) -> frozenset[str]:
        """A single place makes the risk symmetric about its axis."""
        return frozenset({"axis", "records"} | ({"moments"} if record_loss(self.loss).linear_quadratic else set()))

    def build(self, point: Point, noise_scale: float) -> BallRisk:
        """The data set."""
        p = int(point["p"])
        return BallRisk(self.loss, L2Ball(p), np.full((1, p), self.place / math.sqrt(p)), [point["n"]])


@dataclass(frozen=True)
class SpreadPlaces(Construction):
    """A 1-median with many tips: half of the records at 0.5 e_1, the others in pairs 0.5 e_1 +- spread e_j, j = 2..p.

    The pairs cancel at 0.5 e_1, which is the minimiser. Premise: p >= 2, and n divisible into whole records:
    4 (p - 1) divides n.
    """

    loss: Literal["median", "sharp_distance"] = "median"
    spread: float = 0.3

    def __post_init__(self) -> None:
        if not 0 < self.spread <= 0.8:
            raise InputError(f"spread must be in (0, 0.8], got spread={self.spread:g}")

    def constants(self, point: Point) -> Constants:
        """Those of the unit ball and records of norm 1."""
        return ball_constants(self.loss, point["n"], L2Ball(int(point["p"])))

    def capabilities(self, point: Point) -> frozenset[str]:
        """Records only."""
        return frozenset({"records"})

    def build(self, point: Point, noise_scale: float) -> BallRisk:
        """The data set; raises PremiseError."""
        p, n = int(point["p"]), point["n"]
        if p < 2 or n % (4 * (p - 1)):
            raise PremiseError(f"n={n:g} is no multiple of 4 (p - 1) with p={p}")
        centre = 0.5 * np.eye(1, p)[0]
        aside = self.spread * np.eye(p)[1:]
        records = np.concatenate([[centre], centre + aside, centre - aside])
        counts = np.full(2 * p - 1, n / (4 * (p - 1)))
        counts[0] = n / 2
        return BallRisk(self.loss, L2Ball(p), records, counts, minimiser=centre)


@dataclass(frozen=True)
class HingeCorner(Construction):
    """Hinge loss whose margins all meet the kink at theta* = 2/3 e_1, so that the risk is sharp in every direction.

    Records x = (3/2) e_1 +- e_j, j = 2..p, with label +1 for three quarters of each and -1 for one quarter. At
    theta* = 2/3 e_1 all positive margins are 1: along e_1 the risk rises both ways, and across it rises as
    (3/8) sum_j |theta_j| / (p - 1). On the unit ball with ||x|| <= 1 the hinge would be linear; here ||x||^2 = 13/4.
    Premise: p >= 2, and 8 (p - 1) divides n.
    """

    def constants(self, point: Point) -> Constants:
        """Unit ball, ||x|| <= sqrt(13)/2 = L."""
        return ball_constants("hinge", point["n"], L2Ball(int(point["p"])), math.sqrt(13) / 2)

    def capabilities(self, point: Point) -> frozenset[str]:
        """Records only."""
        return frozenset({"records"})

    def build(self, point: Point, noise_scale: float) -> BallRisk:
        """The data set; raises PremiseError."""
        p, n = int(point["p"]), point["n"]
        if p < 2 or n % (8 * (p - 1)):
            raise PremiseError(f"n={n:g} is no multiple of 8 (p - 1) with p={p}")
        first, aside = 1.5 * np.eye(1, p), np.eye(p)[1:]
        once = np.concatenate([first + aside, first - aside])
        copies = n / (8 * (p - 1))
        return BallRisk(
            "hinge",
            L2Ball(p),
            np.concatenate([once, once]),
            np.repeat([3 * copies, copies], len(once)),
            np.repeat([1.0, -1.0], len(once)),
            bound=math.sqrt(13) / 2,
            minimiser=2 / 3 * np.eye(1, p)[0],
        )
