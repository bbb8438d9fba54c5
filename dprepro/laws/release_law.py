"""A number released with additive noise: output perturbation and its kin in one dimension."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms.marginals import ReleasedMarginals, mean_record
from dprepro.algorithms.output_perturbation import OutputPerturbation
from dprepro.algorithms.regularised_output_perturbation import RegularisedSchedule
from dprepro.algorithms.regularised_release import RegularisedReleaseSchedule
from dprepro.algorithms.strongly_convex_perturbation import StronglyConvexPerturbation
from dprepro.laws.base import Law, NeighbourLaws
from dprepro.laws.noise_law import LaplaceNoise, Noise, NormalNoise
from dprepro.problems import Domain, HalfSquaredDistance, L2Ball, Problem, Records, RecordsView
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.views.base import as_theta

PLACES, SCALES = 8_001, 60.0
"""How finely and how far, in scales, the noise is cut into intervals."""

ALWAYS_INSIDE = (OutputPerturbation, ReleasedMarginals, StronglyConvexPerturbation)
"""Algorithms whose answer lies in the set, whether it has to or not."""


@dataclass(frozen=True)
class ReleaseLaw(Law):
    """theta = P(c + b), c a minimiser or a mean and b with the Laplace or the normal law, P the projection.

    Where the answer is not projected, neither is it here. With b in the objective of records that share a Hessian, it
    moves theta by b over n times that: the same law.
    """

    # n = 20 records of +-1 over [-.1, .1]: a record moves the mean by no more than the set is wide, and the Lipschitz
    # constant 1.1 of the half squared distance is hardly more than half of what gradients differ by.
    plain: ClassVar[Domain] = Domain(HalfSquaredDistance(), L2Ball(1, 0.1), 20)

    @classmethod
    def obstacle(cls, domain: Domain) -> str:
        return "" if domain.p == 1 else f"is known in one dimension, not at p={domain.p}"

    @property
    def noise(self) -> Noise:
        """The law of b over its scale."""
        word = getattr(self.algorithm, "release", getattr(self.algorithm, "noise", "gaussian"))
        return LaplaceNoise() if word in ("laplace", "gamma") else NormalNoise()

    @property
    def scale(self) -> float:
        """Of the noise on theta."""
        scale = self.algorithm.schedule(self.domain, self.budget).noise_scale
        if isinstance(self.algorithm, StronglyConvexPerturbation):
            assert self.domain.strong_convexity is not None
            return scale / (self.domain.n * self.domain.strong_convexity)
        return scale

    def centre(self, problem: Problem) -> float:
        """c."""
        if isinstance(self.algorithm, ReleasedMarginals):
            return float(mean_record(problem)[0])
        schedule = self.algorithm.schedule(problem.domain, self.budget)
        found = problem.dense.minimum
        if isinstance(schedule, RegularisedSchedule | RegularisedReleaseSchedule):
            found = problem.dense.minimise(np.zeros(1), schedule.weight)
        place = as_theta(found.theta, 1)
        if isinstance(self.algorithm, StronglyConvexPerturbation):
            # b pulls at the minimiser over the whole line, a Newton step away, which the set cuts off only afterwards
            assert self.domain.strong_convexity is not None
            place = place - problem.dense.gradient(place) / self.domain.strong_convexity
        return float(place[0])

    def below(self, problem: Problem, places: FloatArray) -> FloatArray:
        inside = self.noise.below((places - self.centre(problem)) / self.scale)
        if not (self.domain.proper or isinstance(self.algorithm, ALWAYS_INSIDE)):
            return inside
        low, high = (sign * self.domain.constraint_set.support(np.array([sign])) for sign in (-1.0, 1.0))
        return np.where(places < low, 0.0, np.where(places >= high, 1.0, inside))

    def pairs(self) -> Iterator[NeighbourLaws]:
        """n/2 records of either sign, one of which changes sides; projected answers tell less and are none here."""
        first, second = (self.centre(self._split(extra)) for extra in (1, 0))
        unit = self.scale
        ends = np.concatenate([[-math.inf], np.linspace(-SCALES, SCALES, PLACES), [math.inf]])
        yield NeighbourLaws(
            self.noise.masses(ends), self.noise.masses(ends - (second - first) / unit), zeroed_out=False
        )

    def _split(self, extra: int) -> Problem:
        """So many more records on the right side than n/2 rounded down."""
        domain = self.domain
        right = int(domain.n) // 2 + extra
        counts = np.array([right, domain.n - right])
        records = Records(np.array([[1.0], [-1.0]])[counts > 0] * domain.feature_bound, counts=counts[counts > 0])
        return Problem(domain, {"records": RecordsView(domain, records)})
