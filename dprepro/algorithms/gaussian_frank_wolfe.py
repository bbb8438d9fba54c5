"""Algorithm 3 of Talwar, Thakurta and Zhang (2015): private Frank-Wolfe over a general convex set."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Solution, gradient_sensitivity, iterate
from dprepro.algorithms.frank_wolfe import DecayingStep, FrankWolfeSchedule, StepSize
from dprepro.algorithms.premises import Assumption, ZeroedOut
from dprepro.budget import Budget
from dprepro.mechanisms import Gaussian, NoiseMoments
from dprepro.privacy import noise_for
from dprepro.problems import Domain, LocalBall, Problem
from dprepro.problems.problem_data import FloatArray
from dprepro.support.last_result import cache_last


@dataclass(frozen=True)
class GaussianFrankWolfe(Algorithm):
    """Algorithm 3: every step minimises <grad L(theta_t) + b_t, .> over the set, b_t ~ N(0, sigma^2 I).

    Attributes:
        constants: ``printed`` sigma^2 = 32 L_2 T ln^2(n/delta) / (n epsilon)^2; ``squared``: the same with L_2^2, which
            the units ask for; ``exact``: the smallest sigma that the accountant certifies.
        step_size: ``decaying`` 2/(t+2) of Theorem 2.2, on which the proof of Theorem B.2 relies, or ``constant``
            1/(T+2) as printed in line 4, with which a share 1/e of theta_1 stays for ever.

    T = ceil((Gamma n epsilon / (L_2 G_C))^(2/3)), Theorem B.2. ``step_regret`` is sigma G_C: a step loses at most
    <b, s* - s~> with s* free of b, hence at most E sup_s |<b, s>| in the mean.
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.SMOOTH, Assumption.DELTA)
    zeroed_out_noise: ClassVar[ZeroedOut] = "gradient"
    bound: ClassVar[str] = "lasso.theorem_2_6"
    proved_rate: ClassVar[str] = "lasso.theorem_2_6_rate"
    stepwise: ClassVar[bool] = True

    constants: Literal["printed", "squared", "exact"] = "exact"
    step_size: StepSize = field(default_factory=DecayingStep)

    def premise(self, domain: Domain, budget: Budget) -> str:
        if isinstance(domain.constraint_set, LocalBall):
            return "needs the Gaussian width of the set, which is not known of a local ball"
        return ""

    @cache_last
    def schedule(self, domain: Domain, budget: Budget) -> FrankWolfeSchedule:
        self.admit(domain, budget)
        n, lipschitz, width = domain.n, domain.lipschitz, domain.width
        steps = max(2, math.ceil((domain.curvature * n * budget.epsilon / (lipschitz * width)) ** (2 / 3)))
        if self.constants == "exact":
            sensitivity = gradient_sensitivity(domain, budget.neighbours, self.constants)
            # T - 1 uses of a Gaussian shift mu are one use of mu sqrt(T - 1)
            sigma = noise_for(lambda value: Gaussian(value).guarantee(sensitivity * math.sqrt(steps - 1)), 1, budget)
        else:
            power = lipschitz if self.constants == "printed" else lipschitz**2
            sigma = math.sqrt(32 * power * steps) * math.log(n / budget.delta) / (n * budget.epsilon)
        return FrankWolfeSchedule(steps, sigma, sigma * width)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        schedule, constraint_set = self.schedule(problem.domain, budget), problem.constraint_set
        mechanism = Gaussian(schedule.noise_scale)

        def step(t: int, theta: FloatArray) -> tuple[FloatArray, NoiseMoments]:
            noisy, noise = mechanism.release(problem.gradient(theta), rng)
            toward = constraint_set.minimise_linear(noisy)  # line 3
            mu = self.step_size.at(t, schedule.steps)
            return (1 - mu) * theta + mu * toward, noise  # line 4

        theta, noise = iterate(step, constraint_set.start(), schedule.steps)  # lines 1, 2 and 5
        return Solution(theta, schedule, self.privacy_loss(problem.domain, budget), noise=noise)

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        """T - 1 noisy gradients (Theorem B.1)."""
        schedule = self.schedule(domain, budget)
        sensitivity = gradient_sensitivity(domain, budget.neighbours, self.constants)
        shift = Gaussian(schedule.noise_scale).guarantee(sensitivity)
        return ((shift, schedule.steps - 1),)
