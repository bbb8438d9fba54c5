"""Algorithm 1 of Bassily, Smith and Thakurta (2014): noisy SGD, and Note (2)'s full gradient."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.budget import Budget, Neighbours
from dprepro.errors import Incompatible, InputError
from dprepro.mechanisms import Gaussian, GaussianShift, Guarantee, SampledGaussianShift
from dprepro.privacy import Spent, noise_for, spent
from dprepro.problems import BallRisk
from dprepro.problems.constants import Constants
from dprepro.problems.problem import Problem

LARGEST_SAMPLED_N = 1e5  # n^2 steps beyond it would take weeks; the full gradient serves there


@dataclass(frozen=True)
class NoisySGD(Algorithm):
    """Algorithm 1 (``gradient: sampled``) or its variant with the complete gradient (Note (2), ``gradient: full``).

    Everything is in the units of the mean: the paper's line 5 divided by n. Its eta(t) [n grad l + b_t] is
    (n eta(t)) [grad l + b_t / n], so noise and step size here are sigma/n and n eta(t).

    Attributes:
        gradient: ``sampled``: n^2 steps, one uniform record a step, sigma/n = L c/epsilon with
            c^2 = 32 ln(n/delta) ln(1/delta). ``full``: T steps with the complete gradient and sigma_T^2 =
            32 L^2 T ln(n/delta) ln(1/delta)/epsilon^2, so sigma_T/n = L c sqrt(T)/(n epsilon): the same privacy for
            every T, and the same noise as the sampled one at T = n^2.
        constants: ``printed`` noise, or ``exact``: the smallest that the accountant certifies for the budget.
        step_size: ``lipschitz`` C/sqrt(t (L^2 + p s^2)) or ``strongly_convex`` 1/(Delta t) (Theorem 2.4);
            ``constant`` is the former with t = 1 throughout (negative control: it never settles).
        steps: T of the full gradient; 0 takes as many as make p s^2 = steps_factor L^2, so that the noise and not the
            gradient decides on the step size and the answer no longer depends on T.
        steps_factor: see ``steps``; T = steps_factor (L/s_1)^2/p with s_1 the noise of a single step, at most n^2.
        noise_factor: multiplies the noise scale; 1 is the paper's (others are negative controls).
    """

    gradient: Literal["sampled", "full"] = "sampled"
    constants: Literal["printed", "exact"] = "printed"
    step_size: Literal["lipschitz", "strongly_convex", "constant"] = "lipschitz"
    steps: int = 0
    steps_factor: float = 20.0
    noise_factor: float = 1.0

    version: ClassVar[int] = 1
    needs: ClassVar[tuple[str, ...]] = ("records", "moments")

    def __post_init__(self) -> None:
        if self.steps < 0:
            raise InputError(f"steps must be at least 1, or 0 for the rule, got steps={self.steps}")
        for name in ("steps_factor", "noise_factor"):
            if not 0 < getattr(self, name) < math.inf:
                raise InputError(f"{name} must be positive, got {name}={getattr(self, name):g}")

    def admit(self, constants: Constants, budget: Budget) -> None:
        """A finite epsilon, a positive delta, an l2 diameter; for its own step size a strongly convex loss."""
        if not budget.is_private or budget.delta == 0:
            raise InputError(
                f"NoisySGD needs a finite epsilon and delta > 0, got epsilon={budget.epsilon:g}, delta={budget.delta:g}"
            )
        if not constants.diameter > 0:
            raise InputError("NoisySGD needs a set of known l2 diameter")
        if self.step_size == "strongly_convex" and not constants.strong_convexity > 0:
            raise InputError("step_size strongly_convex needs a strongly convex loss; choices: lipschitz")

    def schedule(self, constants: Constants, budget: Budget) -> Schedule:
        """T and s = sigma/n.

        Raises:
            InputError: epsilon infinite or delta zero, no l2 diameter, a loss that is not strongly convex where the
                step size needs it, or n^2 steps that cannot be run.
        """
        self.admit(constants, budget)
        if self.gradient == "sampled" and constants.n > LARGEST_SAMPLED_N:
            raise InputError(
                f"gradient sampled takes n^2 steps, which stops at n={LARGEST_SAMPLED_N:g}, got n={constants.n:g}; "
                "choices: full"
            )
        steps, one = self._steps(constants, budget)
        noise = self.noise_factor * one * math.sqrt(steps if self.constants == "printed" else max(1, steps - 1))
        if self.gradient == "sampled" and self.constants == "exact":
            noise = self.noise_factor * self._least_sampled_noise(constants, budget, steps)
        return Schedule(steps, noise)

    def _steps(self, constants: Constants, budget: Budget) -> tuple[int, float]:
        """T, and the noise s_1 that one step alone would need; T steps need s_1 sqrt(T) (the loop takes T - 1)."""
        if self.constants == "printed":
            logarithms = math.log(constants.n / budget.delta) * math.log(1 / budget.delta)
            one = constants.lipschitz * math.sqrt(32 * logarithms) / (constants.n * budget.epsilon)
        else:
            sensitivity = gradient_sensitivity(constants, budget.neighbours)
            one = noise_for(lambda scale: Gaussian(scale).guarantee(sensitivity), 1, budget)
        squared = constants.n**2
        if self.gradient == "sampled":
            return int(squared), one
        rule = self.steps or math.ceil(self.steps_factor * (constants.lipschitz / one) ** 2 / constants.p)
        return int(max(2, min(rule, squared))), one

    def _least_sampled_noise(self, constants: Constants, budget: Budget, steps: int) -> float:
        def epsilon(scale: float) -> float:
            return spent(self._guarantee(constants, budget, scale), steps - 1, budget.delta).epsilon

        high = constants.lipschitz
        while epsilon(high) > budget.epsilon:
            high *= 2
        low = high / 2
        while epsilon(low) <= budget.epsilon:
            low, high = low / 2, low
        while high / low > 1 + 1e-3:
            middle = math.sqrt(low * high)
            low, high = (middle, high) if epsilon(middle) > budget.epsilon else (low, middle)
        return high

    def step(self, constants: Constants, schedule: Schedule, t: int) -> float:
        """n eta(t) of Theorem 2.4, for t = 1, 2, ..."""
        if self.step_size == "strongly_convex":
            return 1 / (constants.strong_convexity * t)
        second_moment = constants.lipschitz**2 + constants.p * schedule.noise_scale**2
        return constants.diameter / math.sqrt((t if self.step_size == "lipschitz" else 1) * second_moment)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """Run on the data, as printed; returns the last iterate theta_T after T - 1 steps."""
        constants, constraint_set = problem.constants, problem.constraint_set
        schedule = self.schedule(constants, budget)
        theta = constraint_set.start()
        last = np.cumsum(record_counts(problem)) if self.gradient == "sampled" else None
        for t in range(1, schedule.steps):
            if last is None:
                gradient = problem.gradient(theta)
            else:
                assert isinstance(problem, BallRisk)
                drawn = int(np.searchsorted(last, int(rng.random() * last[-1]), side="right"))
                gradient = problem.record_gradient(theta, drawn)
            noise = schedule.noise_scale * rng.standard_normal(constraint_set.p)
            theta = constraint_set.project(theta - self.step(constants, schedule, t) * (gradient + noise))
        return Solution(theta, schedule, self.spent(constants, budget))

    def _guarantee(self, constants: Constants, budget: Budget, noise: float) -> Guarantee:
        if self.gradient == "full":
            return GaussianShift(gradient_sensitivity(constants, budget.neighbours) / noise)
        # another record's gradient in the place of one: 2 L whatever the sizes of the data sets
        return SampledGaussianShift(2 * constants.lipschitz / noise, constants.n)

    def spent(self, constants: Constants, budget: Budget) -> Spent:
        """Epsilon that the accountant certifies for all T - 1 steps at the budget's delta (Theorem 2.1)."""
        schedule = self.schedule(constants, budget)
        if self.gradient == "sampled" and budget.neighbours is not Neighbours.REPLACE_ONE:
            raise InputError("the sampled gradient is accounted for under replace_one only")
        return spent(self._guarantee(constants, budget, schedule.noise_scale), schedule.steps - 1, budget.delta)


def gradient_sensitivity(constants: Constants, neighbours: Neighbours) -> float:
    """Largest l2 change of the mean gradient between neighbours: 2 L/n for replacing a record, L/n for adding one.

    The divisor n is a public number, the same for both data sets.
    """
    one = constants.lipschitz / constants.n
    return 2 * one if neighbours is Neighbours.REPLACE_ONE else one


def record_counts(problem: Problem) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Copies of each distinct record; raises Incompatible for a problem without listed records."""
    if not isinstance(problem, BallRisk):
        raise Incompatible("the sampled gradient needs a problem that lists its records; choices: BallRisk")
    return problem.counts
