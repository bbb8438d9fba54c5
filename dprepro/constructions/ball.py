"""Data on an l2 ball for Bassily, Smith and Thakurta (2014): a few distinct records, n with all their copies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dprepro.constructions.base import LOSSES, Construction, Point, recorded
from dprepro.errors import PremiseError
from dprepro.problems import Domain, HingeLoss, L2Ball, PositivePartLoss, Problem, Records, RecordsView
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class UnitBall(Construction):
    """Records of norm at most 1 over the unit ball, with a loss by its name."""

    loss: str

    def domain(self, point: Point) -> Domain:
        """The loss over the unit ball, records of norm at most 1."""
        return Domain(LOSSES[self.loss], L2Ball(int(point["p"])), point["n"])


@dataclass(frozen=True)
class OneWayMarginals(UnitBall):
    """Records +c and -c, c = (1, ..., 1)/sqrt p, whose mean is ``bias`` c: section 5's data, without the codewords.

    ``linear``: theta* = c and the risk bias (1 - <theta, c>) grows with the bias at any given algorithm, so bias = 1
    (n equal records) is the worst. ``half_squared_distance``: theta* = bias c.

    Attributes:
        bias: mean of the records along c, in (0, 1]; the (1 + bias) n / 2 copies of c are rounded to whole records.
    """

    loss: Literal["linear", "half_squared_distance"] = "linear"
    bias: float = 1.0

    def __post_init__(self) -> None:
        self._demand("bias", 0 < self.bias <= 1, "in (0, 1]")

    def representations(self, point: Point) -> frozenset[str]:
        """Any linear or quadratic risk has an axis: its mean record."""
        return recorded(self.domain(point), 2, "axis")

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The data set; raises PremiseError where no whole number of records is left on the heavier side."""
        n, domain = point["n"], self.domain(point)
        heavy = round(n * (1 + self.bias) / 2)
        if not 2 * heavy > n:
            raise PremiseError(f"bias={self.bias:g} leaves no bias among n={n:g} whole records")
        counts = np.array([heavy, n - heavy], dtype=np.float64)
        signs, c = np.array([[1.0], [-1.0]])[counts > 0], np.full(domain.p, 1 / math.sqrt(domain.p))
        return dense_problem(domain, Records(signs * c, counts=counts[counts > 0]))


@dataclass(frozen=True)
class OnePlace(UnitBall):
    """n equal records at ``place`` c inside the ball: the tip of a norm, where the risk is sharp in every direction.

    For ``median`` the risk is ||theta - place c||, so a slope of 1 stands against the noise in all p directions at
    once; ``sharp_distance`` adds half the squared distance. The trivial answer, zero, loses at least ``place``.
    """

    loss: Literal["median", "sharp_distance", "half_squared_distance"] = "median"
    place: float = 0.5

    def __post_init__(self) -> None:
        self._demand("place", 0 < self.place <= 1, "in (0, 1]")

    def representations(self, point: Point) -> frozenset[str]:
        """A single place makes the risk symmetric about its axis."""
        return recorded(self.domain(point), 1, "axis")

    def build(self, point: Point, noise_scale: float) -> Problem:
        domain = self.domain(point)
        place = np.full(domain.p, self.place / math.sqrt(domain.p))
        return dense_problem(domain, Records(place[None, :], counts=np.array([domain.n])))


@dataclass(frozen=True)
class SpreadPlaces(UnitBall):
    """A 1-median with many tips: at least half of the records at 0.5 e_1, the others in pairs 0.5 e_1 +- spread e_j.

    The pairs, as many for each j = 2..p, cancel at 0.5 e_1, which is the minimiser. Where 4 (p - 1) divides n exactly
    half of the records are there. Premise: p >= 2, and n >= 4 (p - 1).
    """

    loss: Literal["median", "sharp_distance", "half_squared_distance"] = "median"
    spread: float = 0.3

    def __post_init__(self) -> None:
        self._demand("spread", 0 < self.spread <= 0.8, "in (0, 0.8]")

    def representations(self, point: Point) -> frozenset[str]:
        return recorded(self.domain(point), 2 * point["p"] - 1)

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The data set; raises PremiseError where a pair has no record."""
        copies, domain = _copies(point, 4), self.domain(point)
        centre, aside = 0.5 * np.eye(1, domain.p), self.spread * np.eye(domain.p)[1:]
        counts = np.append(domain.n - 2 * len(aside) * copies, np.full(2 * len(aside), copies))
        return dense_problem(
            domain, Records(np.concatenate([centre, centre + aside, centre - aside]), counts=counts), centre[0]
        )


@dataclass(frozen=True)
class HingeCorner(Construction):
    """Hinge loss whose margins all meet the kink at theta* = 2/3 e_1, so that the risk is sharp in every direction.

    Records x = (3/2) e_1 +- e_j, j = 2..p, with label +1 for three quarters of each and -1 for one quarter. At
    theta* = 2/3 e_1 all positive margins are 1: along e_1 the risk rises both ways, and across it rises as
    (3/8) sum_j |theta_j| / (p - 1). On the unit ball with ||x|| <= 1 the hinge would be linear; here ||x||^2 = 13/4.
    The records beyond a multiple of 8 (p - 1) are x = 0. Premise: p >= 2, and n >= 8 (p - 1).
    """

    def domain(self, point: Point) -> Domain:
        """Unit ball, ||x|| <= sqrt(13)/2 = L."""
        return Domain(HingeLoss(), L2Ball(int(point["p"])), point["n"], math.sqrt(13) / 2)

    def representations(self, point: Point) -> frozenset[str]:
        return recorded(self.domain(point), 4 * point["p"] - 3)

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The data set; raises PremiseError where a record would have no copy."""
        copies, domain = _copies(point, 8), self.domain(point)
        first, aside = np.eye(1, domain.p), np.eye(domain.p)[1:]
        once = np.concatenate([1.5 * first + aside, 1.5 * first - aside])
        repeats = [len(once), len(once), 1]
        counts = np.repeat([3 * copies, copies, domain.n % (4 * len(once))], repeats)
        features, labels = np.concatenate([once, once, 0 * first]), np.repeat([1.0, -1.0, 1.0], repeats)
        return dense_problem(
            domain, Records(features[counts > 0], labels[counts > 0], counts[counts > 0]), 2 / 3 * first[0]
        )


@dataclass(frozen=True)
class HuberCounterexample(Construction):
    """n records (x, y) with loss (y - x theta)_+ over [-2, 2]: L = 1, C = 4. All counts are rounded to whole records.

    Attributes:
        data: ``d1``: n/3 of (1, 1), 2n/3 of (-1, -1). The risk has slopes -1/3 and 2/3 at its minimiser 1, and a
            Huberised one its minimiser at 1 - h/3. ``d1_as_printed``: n/3 of (-1, 1), 2n/3 of (1, -1), whose minimiser
            is -1, not 1 as the text says. ``d2``: n/2 + 1/(32h) of (1, 1), the others (-1, 1), at most n and at least
            none of them: slope -1/(16h) of the sum on [-1, 1], minimiser 1.
        smoothing: h, against which d2 is made.
    """

    data: Literal["d1", "d2", "d1_as_printed"] = "d1"
    smoothing: float = 0.01

    def __post_init__(self) -> None:
        self._demand("smoothing", self.smoothing > 0, "positive")

    def resolve(self, point: Point) -> dict[str, float]:
        return dict(point) | {"p": 1}

    def domain(self, point: Point) -> Domain:
        """The loss over [-2, 2], records with |x| <= 1 and |y| <= 1."""
        return Domain(PositivePartLoss(), L2Ball(1, 2.0), point["n"])

    def representations(self, point: Point) -> frozenset[str]:
        return recorded(self.domain(point), 2, "axis")

    def build(self, point: Point, noise_scale: float) -> Problem:
        n = point["n"]
        if self.data == "d2":
            first, second = (1.0, 1.0), (-1.0, 1.0)
            count = min(n, round(n / 2 + 1 / (32 * self.smoothing)))
        else:
            sign = 1.0 if self.data == "d1" else -1.0
            first, second = (sign, 1.0), (-sign, -1.0)
            count = round(n / 3)
        records, counts = np.array([first, second]), np.array([count, n - count], dtype=np.float64)
        (x, y), counts = records[counts > 0].T, counts[counts > 0]
        return dense_problem(self.domain(point), Records(x[:, None], y, counts))


def dense_problem(domain: Domain, records: Records, known: FloatArray | None = None) -> Problem:
    """The problem of these records, with their minimiser where it is known."""
    return Problem(domain, {"records": RecordsView(domain, records, known)})


def _copies(point: Point, parts: int) -> float:
    """The whole part of n/(parts (p - 1)); raises PremiseError where it is 0."""
    n, p = point["n"], int(point["p"])
    if p < 2 or n < parts * (p - 1):
        raise PremiseError(f"n={n:g} is below {parts} (p - 1) with p={p}, or p below 2")
    return float(n // (parts * (p - 1)))
