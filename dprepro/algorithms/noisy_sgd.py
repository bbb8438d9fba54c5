"""Algorithm 1 of Bassily, Smith and Thakurta (2014): noisy SGD, and Note (2)'s full gradient."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Solution, gradient_sensitivity
from dprepro.algorithms.descent import Descent
from dprepro.algorithms.premises import check_positive, lacks_privacy, lacks_strong_convexity, with_setting
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import GaussianShift, Guarantee, SampledGaussianShift
from dprepro.privacy import noise_for
from dprepro.problems import Domain, Problem
from dprepro.problems.data import FloatArray
from dprepro.support.last_result import cache_last

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

    version: ClassVar[int] = 3  # since exact constants rest on the gradient diameter and on a tight account of sampling

    def __post_init__(self) -> None:
        if self.steps < 0:
            raise InputError(f"steps must be at least 1, or 0 for the rule, got steps={self.steps}")
        check_positive(self, "steps_factor", "noise_factor")
        if self.gradient == "sampled":
            object.__setattr__(self, "views", ("records",))
        theorem = {"lipschitz": "bst.theorem_2_4_1", "strongly_convex": "bst.theorem_2_4_2"}.get(self.step_size, "")
        object.__setattr__(self, "bound", theorem)
        object.__setattr__(self, "shape", f"{theorem}_rate" if theorem else "")

    def premise(self, domain: Domain, budget: Budget) -> str:
        """A budget for Gaussian noise, strong convexity for its own step size only, n^2 steps that can be run."""
        if reason := lacks_privacy(budget, delta=True):
            return reason
        if self.gradient == "sampled" and domain.n > LARGEST_SAMPLED_N:
            limit = f"takes n^2 steps, which stops at n={LARGEST_SAMPLED_N:g}, got n={domain.n:g}"
            return with_setting("gradient sampled", limit, "full")
        reason = lacks_strong_convexity(domain) if self.step_size == "strongly_convex" else ""
        return with_setting("step_size strongly_convex", reason, "lipschitz")

    @cache_last
    def schedule(self, domain: Domain, budget: Budget) -> Descent:
        """T, s = sigma/n, and n eta(t) of Theorem 2.4; T steps need sqrt(T) times what one needs."""
        self.admit(domain, budget)
        if self.constants == "printed":
            logarithms = math.log(domain.n / budget.delta) * math.log(1 / budget.delta)
            one = domain.lipschitz * math.sqrt(32 * logarithms) / (domain.n * budget.epsilon)
        else:
            sensitivity = gradient_sensitivity(domain, budget.neighbours, self.constants)
            one = noise_for(lambda scale: GaussianShift(sensitivity / scale), 1, budget)
        steps = int(domain.n**2)
        if self.gradient == "full":
            rule = self.steps or math.ceil(self.steps_factor * (domain.lipschitz / one) ** 2 / domain.p)
            steps = int(max(2, min(rule, steps)))
        taken = max(1, steps - 1)  # by the loop; the printed noise counts T
        noise = one * math.sqrt(steps if self.constants == "printed" else taken)
        if self.gradient == "sampled" and self.constants == "exact":
            noise = noise_for(lambda scale: self._guarantee(domain, budget, scale), taken, budget)
        noise *= self.noise_factor
        decay = {"lipschitz": 0.5, "strongly_convex": 1.0, "constant": 0.0}[self.step_size]
        if self.step_size == "strongly_convex":
            assert domain.strong_convexity is not None
            return Descent(steps, noise, 1 / domain.strong_convexity, decay)
        return Descent(steps, noise, domain.diameter / math.sqrt(domain.lipschitz**2 + domain.p * noise**2), decay)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """Run on the data, as printed; returns the last iterate theta_T after T - 1 steps."""
        schedule = self.schedule(problem.domain, budget)
        gradient = problem.gradient
        if self.gradient == "sampled":
            records = problem.records
            last = np.cumsum(records.records.copies)

            def gradient(theta: FloatArray) -> FloatArray:
                drawn = int(np.searchsorted(last, int(rng.random() * last[-1]), side="right"))
                return records.record_gradient(theta, drawn)

        theta, drawn = schedule.run(gradient, problem.constraint_set, rng)
        return Solution(theta, schedule, self.spent(problem.domain, budget), drawn=drawn)

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        """T - 1 noisy gradients (Theorem 2.1)."""
        schedule = self.schedule(domain, budget)
        return ((self._guarantee(domain, budget, schedule.noise_scale), schedule.steps - 1),)

    def _guarantee(self, domain: Domain, budget: Budget, noise: float) -> Guarantee:
        """Of a step; a sampled one's is that of two records' gradients, for silence too: see the guarantee."""
        sampled = self.gradient == "sampled"
        neighbours = Neighbours.REPLACE_ONE if sampled else budget.neighbours
        whole = gradient_sensitivity(domain, neighbours, self.constants) / noise
        return SampledGaussianShift(whole * domain.n, domain.n) if sampled else GaussianShift(whole)
