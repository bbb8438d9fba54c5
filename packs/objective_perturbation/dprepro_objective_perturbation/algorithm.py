"""Approximate minima perturbation, after a public implementation of Iyengar et al. (2019); their text was not at hand.

Require: data, epsilon and delta, a loss of <x, theta> with gradients of norm at most L and smoothness beta, gamma.

    1: Split epsilon and delta between the output (epsilon_2, delta_2) and the objective (epsilon_1, delta_1), and
       epsilon_1 between b (epsilon_3) and the Hessian, 0 < epsilon_1 - epsilon_3 < 1.
    2: Lambda = r beta/(epsilon_1 - epsilon_3), r = 2.
    3: sample b_1 from N(0, sigma_1^2 I), sigma_1 = (2 L/n) (1 + sqrt(2 ln(1/delta_1)))/epsilon_3.
    4: find theta_approx with ||grad J(theta_approx)|| <= gamma,
       J(theta) = mean loss + Lambda/(2 n) ||theta||^2 + b_1.theta.
    5: sample b_2 from N(0, sigma_2^2 I), sigma_2 = (n gamma/Lambda) (1 + sqrt(2 ln(1/delta_2)))/epsilon_2.
    6: return theta_approx + b_2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.algorithms.premises import Assumption, check_positive
from dprepro.budget import Budget, Neighbours
from dprepro.errors import PremiseError
from dprepro.mechanisms import Gaussian
from dprepro.privacy import PrivacyLoss
from dprepro.problems import Domain, Problem
from dprepro.problems.problem_data import FloatArray
from dprepro.support.last_result import cache_last
from dprepro_objective_perturbation.minima import Split, both_stages

MOST_STEPS = 1_000_000


@dataclass(frozen=True)
class MinimaSchedule(Schedule):
    """``noise_scale`` is sigma_1, in the unit of the mean gradient.

    Attributes:
        output_noise: sigma_2, in the unit of theta.
        regulariser: Lambda.
        gamma: the norm of the gradient at which the solver stops.
    """

    output_noise: float = 0.0
    regulariser: float = 0.0
    gamma: float = 0.0


@dataclass(frozen=True)
class ApproximateMinima(Algorithm):
    """See the module's text; the solver of line 4 is Nesterov's method for strongly convex functions, from 0.

    Attributes:
        constants: ``printed``, or ``repaired``: sigma_2 is twice as large, as two minima differ by 2 n gamma/Lambda.
        out_share, noise_share: of line 1, as the implementation has them.
        gamma: of line 4, in units of L; by default 1/n^2.
        noise_factor: multiplies both noises; 1 for the algorithm's.
    """

    relations: ClassVar[tuple[Neighbours, ...]] = (Neighbours.REPLACE_ONE, Neighbours.ZERO_OUT)
    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.DELTA, Assumption.MARGIN, Assumption.CURVED)
    measures: ClassVar[tuple[str, ...]] = ("gradient_share",)

    constants: Literal["printed", "repaired"] = "repaired"
    out_share: float = 0.01
    noise_share: float = 0.9
    gamma: float = 0.0
    noise_factor: float = 1.0

    def __post_init__(self) -> None:
        check_positive(self, "out_share", "noise_share", "noise_factor")

    def premise(self, domain: Domain, budget: Budget) -> str:
        """A Hessian's part of epsilon below 1."""
        try:
            self._split(budget)
        except PremiseError as error:
            return f"asks for less: {error}"
        return ""

    def schedule(self, domain: Domain, budget: Budget) -> MinimaSchedule:
        """Lines 1 to 3, and sigma_2 of line 5."""
        self.admit(domain, budget)
        split, slope = self._split(budget), domain.lipschitz
        gamma = slope * (self.gamma or 1 / domain.n**2)
        ridge = domain.smoothness / split.curvature
        doubled = 2.0 if self.constants == "repaired" else 1.0
        return MinimaSchedule(
            1,
            self.noise_factor * 2 * slope / (domain.n * split.mu_first),
            output_noise=self.noise_factor * doubled * domain.n * gamma / (ridge * split.mu_output),
            regulariser=ridge,
            gamma=gamma,
        )

    def _split(self, budget: Budget) -> Split:
        return Split(budget.epsilon, budget.delta, self.out_share, self.noise_share)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As printed; the answer is projected only where it has to lie in the set."""
        domain, schedule, view = problem.domain, self.schedule(problem.domain, budget), problem.dense
        ridge = schedule.regulariser / domain.n
        b, of_objective = Gaussian(schedule.noise_scale).release(np.zeros(domain.p), rng)  # line 3

        def gradient(theta: FloatArray) -> FloatArray:
            return np.asarray(view.gradient(theta) + ridge * theta + b)

        theta, norm = descended(gradient, np.zeros(domain.p), domain.smoothness + ridge, ridge, schedule.gamma)
        released, _ = Gaussian(schedule.output_noise).release(theta, rng)  # lines 5 and 6
        answer = domain.constraint_set.project(released) if domain.proper else released
        shares = {"gradient_share": norm / schedule.gamma}
        in_units_of_b = (released - theta) * (schedule.noise_scale / schedule.output_noise)
        of_output = Gaussian(schedule.noise_scale).moments(in_units_of_b)
        return Solution(answer, schedule, self.privacy_loss(domain, budget), shares, of_objective + of_output)

    @cache_last
    def privacy_loss(self, domain: Domain, budget: Budget) -> PrivacyLoss:
        """The account of `minima.both_stages` at the budget's delta, a record being replaced; exact to 1e-9."""
        split = self._split(budget)
        twice = 1.0 if self.constants == "repaired" else 2.0
        mus = split.mu_first / self.noise_factor, twice * split.mu_output / self.noise_factor
        low, high = 0.0, 1.0
        while both_stages(mus[0], split.curvature, mus[1], high) > budget.delta:
            low, high = high, 2 * high
        while high - low > 1e-9 * high:
            middle = (low + high) / 2
            private = both_stages(mus[0], split.curvature, mus[1], middle) <= budget.delta
            low, high = (low, middle) if private else (middle, high)
        return PrivacyLoss(high, budget.delta, "determinant, shift in a plane, and a Gaussian")


def descended(
    gradient: Callable[[FloatArray], FloatArray], start: FloatArray, smooth: float, convex: float, gamma: float
) -> tuple[FloatArray, float]:
    """A point with a gradient of norm at most gamma, and that norm, by Nesterov's method.

    Raises:
        PremiseError: gamma is not reached in 1e6 steps, as where it lies below rounding.
    """
    theta, ahead = start.copy(), start.copy()
    root = math.sqrt(convex / smooth)
    momentum = (1 - root) / (1 + root)
    for _ in range(MOST_STEPS):
        slope = gradient(ahead)
        if (norm := float(np.linalg.norm(slope))) <= gamma:
            return ahead, norm
        moved = ahead - slope / smooth
        ahead, theta = moved + momentum * (moved - theta), moved
    raise PremiseError(f"no gradient of norm gamma={gamma:g} is reached")
