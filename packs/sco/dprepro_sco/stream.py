"""Records along one direction, in any number and dimension: the population on which both terms of the rate are seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dprepro.algorithms.partition import MOST_RECORDS
from dprepro.constructions.base import DENSE_LIMIT, Construction, Point
from dprepro.errors import PremiseError
from dprepro.problems import Domain, L2Ball, LinearLoss, Moments, MomentsView, Problem, Records, RecordsView
from dprepro.problems.point_forms import PlanePoint
from dprepro.problems.problem_data import FloatArray
from dprepro_sco.bounds import gaussian_parameter
from dprepro_sco.phased import halves


class AlongView(MomentsView):
    """A linear risk -s <c, w> over the unit ball, c = (1, ..., 1)/sqrt p, p >= 2: of a point <c, w> matters, and |w|.

    Points are `PlanePoint` (<c, w>, |w - <c, w> c|), or arrays of all p coordinates.
    """

    def __init__(self, domain: Domain, mean: float) -> None:
        moments = Moments(np.array([mean / 2, 0.0]), spare=domain.p - 1)
        super().__init__(domain, moments, known=np.array([math.copysign(1.0, mean), 0.0]))

    def coordinates(self, theta: object) -> FloatArray:
        """Shape (2,)."""
        if isinstance(theta, PlanePoint):
            return theta.coordinates
        dense = np.asarray(theta, dtype=np.float64)
        along = float(dense.sum()) / math.sqrt(dense.size)
        return np.array([along, math.sqrt(max(0.0, float(dense @ dense) - along**2))])


class HalvesView(AlongView):
    """A sample in phases: how many of the records of each half, quarter, ... are +c.

    Records that were drawn independently are the same to every order, so that phases of consecutive records have the
    law of phases of a random partition.

    Attributes:
        plus: numbers of records +c in phases of `halves`, shape (k,).
    """

    def __init__(self, domain: Domain, plus: tuple[int, ...], rest: int) -> None:
        self.plus, self.total = plus, sum(plus) + rest
        super().__init__(domain, (2 * self.total - domain.n) / domain.n)


@dataclass(frozen=True)
class DirectionStream(Construction):
    """n independent records +-c, the loss -<x, w> over |w| <= 1, E x = s c, s = size (1/sqrt n + sqrt p/(mu n)) <= 1.

    A signal that is much stronger than what a sample misses and the noise is found, and a much weaker one hardly
    matters: take the envelope over ``size``. An infinite one is s = 1. Premise: p >= 2, delta > 0.

    Attributes:
        size: see above.
        signal: ``two_terms``, as above; or ``one_phase``: s = size sqrt((1 + sqrt p/mu)/n), what a single phase misses.
    """

    size: float = 2.0
    signal: Literal["two_terms", "one_phase"] = "two_terms"

    def __post_init__(self) -> None:
        self._demand("size", self.size > 0, "positive")

    def domain(self, point: Point) -> Domain:
        """Over the unit ball, records of norm at most 1."""
        if point["p"] < 2:
            raise PremiseError(f"p={point['p']:g} is below 2")
        return Domain(LinearLoss(), L2Ball(int(point["p"])), point["n"])

    def representations(self, point: Point) -> frozenset[str]:
        listed = point["p"] <= DENSE_LIMIT and point["n"] <= MOST_RECORDS
        return frozenset({"halves", "records", "moments"} if listed else {"halves"})

    def strength(self, point: Point) -> float:
        """s."""
        if math.isinf(self.size):
            return 1.0
        mu = gaussian_parameter(point["epsilon"], point["delta"])
        n, private = point["n"], math.sqrt(point["p"]) / mu
        alone = self.signal == "one_phase"
        found = self.size * (math.sqrt((1 + private) / n) if alone else 1 / math.sqrt(n) + private / n)
        return min(1.0, found)

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The population itself, as n records in whole and broken numbers."""
        domain, chance = self.domain(point), (1 + self.strength(point)) / 2
        listed = "records" in self.representations(point)
        return self._problem(domain, domain.n * chance, AlongView(domain, self.strength(point)), listed)

    def draw(self, point: Point, noise_scale: float, rng: np.random.Generator) -> Problem:
        """n records."""
        domain, s = self.domain(point), self.strength(point)
        sizes = halves(domain.n)
        *plus, rest = (int(rng.binomial(size, (1 + s) / 2)) for size in (*sizes, int(domain.n) - sum(sizes)))
        sample = HalvesView(domain, tuple(plus), rest)
        problem = self._problem(domain, sample.total, sample, "records" in self.representations(point))
        problem.population = AlongView(domain, s)
        return problem

    def _problem(self, domain: Domain, plus: float, view: AlongView, listed: bool) -> Problem:
        def records() -> RecordsView:
            c, counts = np.full((1, domain.p), 1 / math.sqrt(domain.p)), np.array([plus, domain.n - plus])
            seen = counts > 0
            return RecordsView(domain, Records(np.concatenate([c, -c])[seen], None, counts[seen]))

        return Problem(domain, {"halves": view, **({"records": records} if listed else {})})
