"""The regularisation of Bassily, Smith and Thakurta (2014), Appendix F: Algorithm 3 on losses made strongly convex."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution, gradient_sensitivity
from dprepro.algorithms.premises import Assumption, Settings, ZeroedOut, check_positive
from dprepro.budget import Budget
from dprepro.mechanisms import Gaussian, L2Laplace, vector_noise
from dprepro.privacy import noise_for
from dprepro.problems import Domain, Problem
from dprepro.problems.views.base import as_theta


@dataclass(frozen=True)
class RegularisedReleaseSchedule(Schedule):
    """Of one release; ``weight`` is Delta."""

    weight: float = 0.0


@dataclass(frozen=True)
class RegularisedRelease(Algorithm):
    """The projection of argmin (mean loss + Delta/2 ||theta||^2) + b, for any Lipschitz loss.

    The regularised losses are Delta-strongly convex, so the minimiser moves by at most 2 L/(n Delta) with a record
    (`regularised_output_perturbation` of Arora et al. is the same with another Delta). The weight is the best of the
    bound Delta R^2/2 + L E ||b||, R being the set's l2 norm bound.

    Attributes:
        noise: ``laplace``: ||b|| is Gamma(p) of scale 2 L/(n Delta epsilon), Delta = (2 L/R) sqrt(p/(n epsilon));
            ``gaussian``: the least that the accountant certifies, s for a shift of 1, with sqrt(s sqrt(p)/n) there.
        weight_factor: multiplies Delta; 1 is the best (others are negative controls).
    """

    noise: Literal["laplace", "gaussian"] = "laplace"
    weight_factor: float = 1.0

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.PRIVATE,)
    by_setting: ClassVar[Settings] = {"noise": {"laplace": (), "gaussian": (Assumption.DELTA,)}}
    zeroed_out_noise: ClassVar[ZeroedOut] = "other"  # its weight follows the sensitivity too
    measures: ClassVar[tuple[str, ...]] = ("noise_norm",)

    def __post_init__(self) -> None:
        check_positive(self, "weight_factor")

    def schedule(self, domain: Domain, budget: Budget) -> RegularisedReleaseSchedule:
        self.admit(domain, budget)
        moved, p = gradient_sensitivity(domain, budget.neighbours), domain.p
        unit = noise_for(lambda value: self._noise(value).guarantee(1.0), 1, budget)  # for a shift of 1
        length = unit * (p if self.noise == "laplace" else math.sqrt(p))
        weight = self.weight_factor * math.sqrt(2 * domain.lipschitz * moved * length) / domain.radius
        return RegularisedReleaseSchedule(1, unit * moved / weight, weight)

    def _noise(self, scale: float) -> Gaussian | L2Laplace:
        return vector_noise(self.noise, scale)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        schedule, within = self.schedule(problem.domain, budget), problem.constraint_set
        centre = as_theta(problem.dense.minimise(np.zeros(within.p), schedule.weight).theta, within.p)
        mechanism = self._noise(schedule.noise_scale)
        released, noise = mechanism.release(centre, rng)
        privacy_loss = self.privacy_loss(problem.domain, budget)
        return Solution(within.project(released), schedule, privacy_loss, {"noise_norm": noise.norm}, noise)

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        schedule = self.schedule(domain, budget)
        moved = gradient_sensitivity(domain, budget.neighbours) / schedule.weight
        return ((self._noise(schedule.noise_scale).guarantee(moved), 1),)
