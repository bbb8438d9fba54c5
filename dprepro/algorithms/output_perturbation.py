"""Algorithm 3 of Bassily, Smith and Thakurta (2014): output perturbation for strongly convex losses, in both noises."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import Gaussian, GaussianShift, PureLoss
from dprepro.privacy import Spent, noise_for, spent
from dprepro.problems.constants import Constants
from dprepro.problems.data import FloatArray
from dprepro.problems.problem import Problem, as_theta


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

    version: ClassVar[int] = 1
    needs: ClassVar[tuple[str, ...]] = ("records", "moments")

    def __post_init__(self) -> None:
        if not 0 < self.noise_factor < math.inf:
            raise InputError(f"noise_factor must be positive, got noise_factor={self.noise_factor:g}")

    def admit(self, constants: Constants, budget: Budget) -> None:
        """A finite epsilon and a strongly convex loss are needed, for Gaussian noise a positive delta too."""
        if not budget.is_private:
            raise InputError(f"OutputPerturbation needs a finite epsilon, got epsilon={budget.epsilon:g}")
        if not constants.strong_convexity > 0:
            raise InputError("OutputPerturbation needs a strongly convex loss")
        if self.noise == "gaussian" and budget.delta == 0:
            raise InputError("OutputPerturbation with noise gaussian needs delta > 0; choices: laplace")

    def schedule(self, constants: Constants, budget: Budget) -> Schedule:
        """One release, with its noise scale.

        Raises:
            InputError: an infinite epsilon, a loss that is not strongly convex, or delta = 0 with Gaussian noise.
        """
        self.admit(constants, budget)
        sensitivity = minimiser_sensitivity(constants, budget.neighbours)
        printed = 2 * constants.lipschitz / (constants.n * constants.strong_convexity * budget.epsilon)
        if self.noise == "laplace":
            scale = printed if self.constants == "printed" else sensitivity / budget.epsilon
        elif self.constants == "printed":
            scale = printed * math.sqrt(math.log(1 / budget.delta))
        else:
            scale = noise_for(lambda sigma: Gaussian(sigma).guarantee(sensitivity), 1, budget)
        return Schedule(1, self.noise_factor * scale)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """Minimise, add noise, project."""
        schedule = self.schedule(problem.constants, budget)
        p = problem.constraint_set.p
        minimiser = as_theta(problem.minimum.theta, p)
        theta = problem.constraint_set.project(minimiser + self.draw(p, schedule.noise_scale, rng))
        return Solution(theta, schedule, self.spent(problem.constants, budget))

    def draw(self, p: int, scale: float, rng: np.random.Generator) -> FloatArray:
        """The noise vector b, shape (p,)."""
        direction = rng.standard_normal(p)
        if self.noise == "gaussian":
            return scale * direction
        length = float(rng.standard_gamma(p)) * scale
        return np.asarray(length * direction / float(np.linalg.norm(direction)))

    def reach(self, constants: Constants, budget: Budget) -> float:
        """Radius of C_0, line 4: zeta p 2 L/(Delta epsilon n) with zeta = 3 ln n, or zeta sigma_0 sqrt p, sqrt(3 ln n).

        Line 0 asks for zeta < 1, against Algorithm 4's 3 ln n: a slip, since a ball with zeta < 1 misses theta*.
        """
        scale = self.schedule(constants, budget).noise_scale
        if self.noise == "laplace":
            return 3 * math.log(constants.n) * constants.p * scale
        return math.sqrt(3 * math.log(constants.n) * constants.p) * scale

    def spent(self, constants: Constants, budget: Budget) -> Spent:
        """Epsilon of the release at the budget's delta."""
        sensitivity = minimiser_sensitivity(constants, budget.neighbours)
        scale = self.schedule(constants, budget).noise_scale
        loss = PureLoss(sensitivity / scale) if self.noise == "laplace" else GaussianShift(sensitivity / scale)
        return spent(loss, 1, budget.delta)


def minimiser_sensitivity(constants: Constants, neighbours: Neighbours) -> float:
    """Largest l2 change of theta*: 2 L / (n Delta) for replacing a record, L / (n Delta) for adding or removing one.

    The mean risk is Delta-strongly convex and its gradient changes by at most 2 L/n; the divisor n is public.
    """
    one = constants.lipschitz / (constants.n * constants.strong_convexity)
    return 2 * one if neighbours is Neighbours.REPLACE_ONE else one
