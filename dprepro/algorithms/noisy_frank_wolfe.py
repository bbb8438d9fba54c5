"""Algorithm 2 of Talwar, Thakurta and Zhang (2015): private Frank-Wolfe over a polytope."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Solution, iterate, records_changed
from dprepro.algorithms.frank_wolfe import DecayingStep, FrankWolfeSchedule, StepSize
from dprepro.algorithms.premises import Assumption, Settings, check_positive
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import NoiseMoments, PrivateSelection, selection
from dprepro.privacy import noise_for
from dprepro.problems import Domain, Problem
from dprepro.problems.problem_data import FloatArray
from dprepro.support.last_result import cache_last


@dataclass(frozen=True)
class NoisyFrankWolfe(Algorithm):
    """Algorithm 2: every step selects a vertex by noisy scores <s, grad L(theta_t)>.

    Attributes:
        selection: ``laplace`` as printed, or ``gumbel``: the exponential mechanism at the same scale, which the
            text names as an equal choice and which, unlike the printed one, is certified under replacement.
        constants: ``printed`` noise scale L_1 ||C||_1 sqrt(8 T ln(1/delta)) / (n epsilon), or ``exact``: the smallest
            that the accountant certifies for the budget.
        steps_exponent: T = ceil((Gamma n epsilon / (L_1 ||C||_1))^steps_exponent); Theorem 2.5 has 2/3.
        steps_factor: multiplies that power before rounding up; 1 in the paper.
        step_size: ``decaying`` mu_t = 2/(t+2) as printed, or ``constant`` 1/(T+2) (negative control).
    """

    selection: Literal["laplace", "gumbel"] = "gumbel"
    constants: Literal["printed", "exact"] = "printed"
    steps_exponent: float = 2 / 3
    steps_factor: float = 1.0
    step_size: StepSize = field(default_factory=DecayingStep)

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.VERTICES, Assumption.SMOOTH)
    by_setting: ClassVar[Settings] = {"constants": {"printed": (Assumption.DELTA,), "exact": (Assumption.PRIVATE,)}}
    bound: ClassVar[str] = "lasso.theorem_2_5"
    proved_rate: ClassVar[str] = "lasso.theorem_2_5_rate"
    stepwise: ClassVar[bool] = True
    version: ClassVar[int] = 3  # since bounded ranges compose by finer Renyi orders

    def __post_init__(self) -> None:
        if not 0 < self.steps_exponent <= 2:
            raise InputError(f"steps_exponent must be in (0, 2], got steps_exponent={self.steps_exponent:g}")
        check_positive(self, "steps_factor")

    @cache_last
    def schedule(self, domain: Domain, budget: Budget) -> FrankWolfeSchedule:
        """T and lambda of Theorem 2.5, with the expected regret of one selection among the vertices."""
        self.admit(domain, budget)
        scale = domain.l1_lipschitz * domain.l1_radius
        ratio = domain.curvature * domain.n * budget.epsilon / scale
        steps = max(1, math.ceil(self.steps_factor * ratio**self.steps_exponent))
        if self.constants == "printed":
            noise = scale * math.sqrt(8 * steps * math.log(1 / budget.delta)) / (domain.n * budget.epsilon)
        else:
            sensitivity = score_sensitivity(domain, budget.neighbours)
            noise = noise_for(lambda lam: self.mechanism(lam).guarantee(sensitivity), max(1, steps - 1), budget)
        assert domain.vertices is not None
        return FrankWolfeSchedule(steps, noise, self.mechanism(noise).expected_regret(domain.vertices))

    def mechanism(self, noise_scale: float) -> PrivateSelection:
        """The private selection of one step."""
        return selection(self.selection, noise_scale)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """Run on the data, as printed: one noise a vertex, 2 p of them a step for the l1 ball."""
        schedule, constraint_set = self.schedule(problem.domain, budget), problem.constraint_set
        mechanism = self.mechanism(schedule.noise_scale)

        def step(t: int, theta: FloatArray) -> tuple[FloatArray, NoiseMoments]:
            scores = constraint_set.scores(problem.gradient(theta))  # line 3: <s, grad L(theta_t)> of every vertex s,
            index, noise = mechanism.select(scores, rng)  # with noise, and line 4: the least of them
            chosen = constraint_set.vertex(index)
            mu = self.step_size.at(t, schedule.steps)
            return (1 - mu) * theta + mu * chosen, noise  # line 5

        theta, noise = iterate(step, constraint_set.start(), schedule.steps)  # lines 1, 2 and 6
        return Solution(theta, schedule, self.privacy_loss(problem.domain, budget), noise=noise)

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        """T - 1 selections (Theorem 2.4)."""
        schedule = self.schedule(domain, budget)
        guarantee = self.mechanism(schedule.noise_scale).guarantee(score_sensitivity(domain, budget.neighbours))
        return ((guarantee, schedule.steps - 1),)


def score_sensitivity(domain: Domain, neighbours: Neighbours) -> float:
    """Largest change of a score <s, grad L> between neighbours: 2 L_1 ||C||_1/n for replacing a record, else half."""
    return records_changed(neighbours) * domain.l1_lipschitz * domain.l1_radius / domain.n
