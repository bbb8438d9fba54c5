"""Algorithm 1 of Bassily, Smith and Thakurta (2014): noisy SGD, and Note (2)'s full gradient.

    1: Set sigma^2 = 32 L^2 n^2 ln(n/delta) ln(1/delta)/epsilon^2.
    2: theta_1: choose any point of C.
    3: for t = 1 to n^2 - 1 do
    4:     pick d uniformly from the data, with replacement
    5:     theta_{t+1} = P_C(theta_t - eta(t) [n grad l(theta_t; d) + b_t]), b_t from N(0, sigma^2 I)
    6: Output theta_{n^2}.

The paper's risk is a sum over records, all of this project's are means. Line 5 is the same step with n eta(t) and
[grad l(theta_t; d) + b_t/n]: all steps here are n eta(t), all noise is s = sigma/n.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Solution, gradient_sensitivity
from dprepro.algorithms.descent import Descent
from dprepro.algorithms.premises import AlgorithmRule, Assumption, ZeroedOut, check_positive, with_setting
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import GaussianShift, Guarantee, SampledGaussianShift
from dprepro.privacy import noise_for
from dprepro.problems import DENSE, Domain, Problem
from dprepro.problems.problem_data import FloatArray
from dprepro.support.last_result import cache_last
from dprepro.support.named import NamedRule

LARGEST_SAMPLED_N = 1e5  # n^2 steps beyond it would take weeks; the full gradient serves there


@dataclass(frozen=True)
class Gradient(NamedRule, ABC):
    """What line 4 takes for the gradient of the mean loss.

    Attributes:
        representations: of the problem, of which it needs one.
    """

    representations: ClassVar[tuple[str, ...]] = DENSE

    def lacks(self, domain: Domain) -> str:
        """Why it cannot be taken there; empty if it can."""
        return ""

    @abstractmethod
    def steps(self, n: float, rule: int) -> int:
        """T, where ``rule`` is that of `NoisySGD.steps`."""

    @abstractmethod
    def at(self, problem: Problem, rng: np.random.Generator) -> Callable[[FloatArray], FloatArray]:
        """The gradient of one step, shape (p,), as a function of theta."""

    @abstractmethod
    def guarantee(self, domain: Domain, neighbours: Neighbours, noise: float, constants: str) -> Guarantee:
        """Of one step with this noise."""


@dataclass(frozen=True)
class SampledGradient(Gradient):
    """As printed: n^2 steps, of one record each, drawn uniformly."""

    name = "sampled"
    representations: ClassVar[tuple[str, ...]] = ("records",)

    def lacks(self, domain: Domain) -> str:
        if domain.n <= LARGEST_SAMPLED_N:
            return ""
        limit = f"takes n^2 steps, which stops at n={LARGEST_SAMPLED_N:g}, got n={domain.n:g}"
        return with_setting("gradient sampled", limit, "full")

    def steps(self, n: float, rule: int) -> int:
        return int(n**2)

    def at(self, problem: Problem, rng: np.random.Generator) -> Callable[[FloatArray], FloatArray]:
        records = problem.records
        last = np.cumsum(records.records.copies)

        def gradient(theta: FloatArray) -> FloatArray:
            picked = int(np.searchsorted(last, int(rng.random() * last[-1]), side="right"))
            return records.record_gradient(theta, picked)

        return gradient

    def guarantee(self, domain: Domain, neighbours: Neighbours, noise: float, constants: str) -> Guarantee:
        """The guarantee of a step in which a record is replaced; it holds for a zeroed-out record too."""
        moved = gradient_sensitivity(domain, Neighbours.REPLACE_ONE, constants) / noise
        return SampledGaussianShift(moved * domain.n, domain.n)


@dataclass(frozen=True)
class FullGradient(Gradient):
    """Note (2): T steps with the complete gradient.

    The printed noise has sigma_T^2 = 32 L^2 T ln(n/delta) ln(1/delta)/epsilon^2: the same privacy for every T, and the
    same noise as the sampled gradient's at T = n^2.
    """

    name = "full"

    def steps(self, n: float, rule: int) -> int:
        return int(max(2, min(rule, int(n**2))))

    def at(self, problem: Problem, rng: np.random.Generator) -> Callable[[FloatArray], FloatArray]:
        return problem.gradient

    def guarantee(self, domain: Domain, neighbours: Neighbours, noise: float, constants: str) -> Guarantee:
        return GaussianShift(gradient_sensitivity(domain, neighbours, constants) / noise)


@dataclass(frozen=True)
class LearningRate(AlgorithmRule, ABC):
    """eta(t) = eta(1)/t^decay.

    Attributes:
        decay: see above. theorem: the explicit bound that is proved with it, by name; may be empty.
    """

    decay: ClassVar[float]
    theorem: ClassVar[str] = ""

    @abstractmethod
    def first(self, domain: Domain, noise: float) -> float:
        """n eta(1)."""


@dataclass(frozen=True)
class LipschitzRate(LearningRate):
    """Theorem 2.4, part 1: n eta(t) = C/sqrt(t (L^2 + p s^2))."""

    name = "lipschitz"
    decay = 0.5
    theorem = "bst.theorem_2_4_1"

    def first(self, domain: Domain, noise: float) -> float:
        return domain.diameter / math.sqrt(domain.lipschitz**2 + domain.p * noise**2)


@dataclass(frozen=True)
class ConstantRate(LipschitzRate):
    """The step of t = 1 at every t: a negative control, which does not converge."""

    name = "constant"
    decay = 0.0
    theorem = ""


@dataclass(frozen=True)
class StronglyConvexRate(LearningRate):
    """Theorem 2.4, part 2: n eta(t) = 1/(Delta t)."""

    name = "strongly_convex"
    decay = 1.0
    theorem = "bst.theorem_2_4_2"
    assumptions = (Assumption.STRONGLY_CONVEX,)

    def first(self, domain: Domain, noise: float) -> float:
        assert domain.strong_convexity is not None
        return 1 / domain.strong_convexity


@dataclass(frozen=True)
class NoisySGD(Algorithm):
    """Algorithm 1, or its variant with the complete gradient; see the module's text for the units.

    Attributes:
        gradient: of line 4: ``sampled`` or ``full``; see the classes of `Gradient`.
        constants: ``printed`` noise of line 1, or ``exact``: the smallest that the accountant certifies for the budget.
        step_size: eta: ``lipschitz``, ``strongly_convex`` or ``constant``; see the classes of `LearningRate`.
        steps: T of the full gradient; 0 takes as many as make p s^2 = steps_factor L^2, so that the noise and not the
            gradient decides on the step size and the answer no longer depends on T.
        steps_factor: see ``steps``; T = steps_factor (L/s_1)^2/p with s_1 the noise of a single step, at most n^2.
        noise_factor: multiplies the noise scale; 1 is the paper's (others are negative controls).
    """

    gradient: Gradient = SampledGradient()
    constants: Literal["printed", "exact"] = "printed"
    step_size: LearningRate = LipschitzRate()
    steps: int = 0
    steps_factor: float = 20.0
    noise_factor: float = 1.0

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.DELTA,)
    stepwise: ClassVar[bool] = True
    zeroed_out_noise: ClassVar[ZeroedOut] = "gradient"
    version: ClassVar[int] = 3  # since exact constants rest on the gradient diameter and on a tight account of sampling

    def __post_init__(self) -> None:
        if self.steps < 0:
            raise InputError(f"steps must be at least 1, or 0 for the rule, got steps={self.steps}")
        check_positive(self, "steps_factor", "noise_factor")

    @property
    def representations(self) -> tuple[str, ...]:
        return self.gradient.representations

    @property
    def bound(self) -> str:
        return self.step_size.theorem

    @property
    def proved_rate(self) -> str:
        return f"{self.bound}_rate" if self.bound else ""

    def premise(self, domain: Domain, budget: Budget) -> str:
        """Steps that can be run."""
        return self.gradient.lacks(domain)

    @cache_last
    def schedule(self, domain: Domain, budget: Budget) -> Descent:
        """T, s of line 1, and n eta; T steps need sqrt(T) times the noise of one."""
        self.admit(domain, budget)
        if self.constants == "printed":
            logarithms = math.log(domain.n / budget.delta) * math.log(1 / budget.delta)
            value = domain.lipschitz * math.sqrt(32 * logarithms) / (domain.n * budget.epsilon)
        else:
            sensitivity = gradient_sensitivity(domain, budget.neighbours, self.constants)
            value = noise_for(lambda scale: GaussianShift(sensitivity / scale), 1, budget)
        rule = self.steps or math.ceil(self.steps_factor * (domain.lipschitz / value) ** 2 / domain.p)
        steps = self.gradient.steps(domain.n, rule)
        taken = max(1, steps - 1)  # by the loop; the printed noise counts T
        noise = value * math.sqrt(steps if self.constants == "printed" else taken)
        if self.constants == "exact" and not isinstance(self.gradient, FullGradient):  # other steps add up otherwise
            noise = noise_for(lambda scale: self._guarantee(domain, budget, scale), taken, budget)
        noise *= self.noise_factor
        return Descent(steps, noise, self.step_size.first(domain, noise), self.step_size.decay)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As printed; the answer is the last iterate."""
        schedule = self.schedule(problem.domain, budget)  # line 1
        gradient = self.gradient.at(problem, rng)  # line 4
        theta, noise = schedule.run(gradient, problem.constraint_set, rng)  # lines 2, 3, 5 and 6
        return Solution(theta, schedule, self.privacy_loss(problem.domain, budget), noise=noise)

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        """T - 1 noisy gradients (Theorem 2.1)."""
        schedule = self.schedule(domain, budget)
        return ((self._guarantee(domain, budget, schedule.noise_scale), schedule.steps - 1),)

    def _guarantee(self, domain: Domain, budget: Budget, noise: float) -> Guarantee:
        return self.gradient.guarantee(domain, budget.neighbours, noise, self.constants)
