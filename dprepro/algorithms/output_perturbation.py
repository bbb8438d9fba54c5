"""Algorithm 3 of Bassily, Smith and Thakurta (2014): output perturbation for strongly convex losses, in both noises."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution, gradient_sensitivity
from dprepro.algorithms.premises import Assumption, Settings, ZeroedOut, check_positive
from dprepro.budget import Budget, Neighbours
from dprepro.mechanisms import vector_noise
from dprepro.privacy import noise_for
from dprepro.problems import Domain, Problem
from dprepro.problems.views.base import as_theta


@dataclass(frozen=True)
class OutputPerturbation(Algorithm):
    """theta_0 = the projection of theta* + b, line 3 of Algorithm 3; as an algorithm of its own it returns theta_0.

    Attributes:
        noise: ``laplace``: b has density proportional to exp(-n Delta epsilon ||b|| / (2 L)), so ||b|| is Gamma(p) of
            scale 2 L / (n Delta epsilon), the l2 sensitivity of theta* over epsilon. ``gaussian`` (Appendix B):
            N(0, sigma_0^2 I) with sigma_0^2 = 4 L^2 ln(1/delta) / (Delta epsilon n)^2 as printed, which is too small.
        constants: ``printed``, or ``exact``: the smallest noise that the accountant certifies.
        noise_factor: multiplies the noise scale; 1 is the paper's (others are negative controls).
    """

    noise: Literal["laplace", "gaussian"] = "laplace"
    constants: Literal["printed", "exact"] = "printed"
    noise_factor: float = 1.0

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.STRONGLY_CONVEX, Assumption.PRIVATE)
    by_setting: ClassVar[Settings] = {"noise": {"laplace": (), "gaussian": (Assumption.DELTA,)}}
    zeroed_out_noise: ClassVar[ZeroedOut] = "gradient"
    version: ClassVar[int] = 2  # since exact constants rest on the gradient diameter

    def __post_init__(self) -> None:
        check_positive(self, "noise_factor")

    def schedule(self, domain: Domain, budget: Budget) -> Schedule:
        self.admit(domain, budget)
        sensitivity = minimiser_sensitivity(domain, budget.neighbours, self.constants)
        printed = minimiser_sensitivity(domain, Neighbours.REPLACE_ONE) / budget.epsilon
        if self.noise == "laplace":
            scale = printed if self.constants == "printed" else sensitivity / budget.epsilon
        elif self.constants == "printed":
            scale = printed * math.sqrt(math.log(1 / budget.delta))
        else:
            scale = noise_for(lambda sigma: vector_noise(self.noise, sigma).guarantee(sensitivity), 1, budget)
        return Schedule(1, self.noise_factor * scale)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        schedule, constraint_set = self.schedule(problem.domain, budget), problem.constraint_set
        minimiser = as_theta(problem.dense.minimum.theta, constraint_set.p)
        mechanism = vector_noise(self.noise, schedule.noise_scale)
        released, noise = mechanism.release(minimiser, rng)
        theta, privacy_loss = constraint_set.project(released), self.privacy_loss(problem.domain, budget)
        return Solution(theta, schedule, privacy_loss, noise=noise)

    def reach(self, domain: Domain, budget: Budget) -> float:
        """Radius of C_0, line 4: zeta p 2 L/(Delta epsilon n) with zeta = 3 ln n, or zeta sigma_0 sqrt p, sqrt(3 ln n).

        Line 0 asks for zeta < 1, against Algorithm 4's 3 ln n: a typo, since a ball with zeta < 1 misses theta*.
        """
        scale = self.schedule(domain, budget).noise_scale
        if self.noise == "laplace":
            return 3 * math.log(domain.n) * domain.p * scale
        return math.sqrt(3 * math.log(domain.n) * domain.p) * scale

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        mechanism = vector_noise(self.noise, self.schedule(domain, budget).noise_scale)
        return ((mechanism.guarantee(minimiser_sensitivity(domain, budget.neighbours, self.constants)), 1),)


def minimiser_sensitivity(domain: Domain, neighbours: Neighbours, constants: str = "printed") -> float:
    """Largest l2 change of theta*: 2 L / (n Delta) for replacing a record, L / (n Delta) for silencing one.

    The mean risk is Delta-strongly convex and its gradient changes by at most 2 L/n, with ``exact`` constants by the
    gradient diameter over n: on half the squared distance that is 2 X for 2 (R + X). The divisor n is public.
    """
    assert domain.strong_convexity is not None
    return gradient_sensitivity(domain, neighbours, constants) / domain.strong_convexity
