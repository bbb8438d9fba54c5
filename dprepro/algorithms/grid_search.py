"""Algorithm 4 of Arora, Bassily, Guzman, Menart and Ullah (2022): private grid search over the norm."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.algorithms.boosting import answers_reach, largest_loss
from dprepro.algorithms.partition import REPRESENTATIONS, lacks_parts, over, parted, sizes
from dprepro.algorithms.premises import Assumption, ZeroedOut
from dprepro.algorithms.regularised_output_perturbation import RegularisedOutputPerturbation
from dprepro.budget import Budget
from dprepro.errors import InputError
from dprepro.mechanisms import GumbelMin
from dprepro.privacy import PrivacyLoss, compose
from dprepro.problems import Domain, L2Ball, Problem
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class GuessSchedule(Schedule):
    """``steps`` of all runs together; ``noise_scale`` of the choice, on scores without a unit.

    Attributes:
        guesses: K. divided: by how much epsilon/2 of the runs is divided. failure: beta.
    """

    guesses: int = 1
    divided: int = 1
    failure: float = 1.0


@dataclass(frozen=True)
class GridSearch(Algorithm):
    """K runs of ``inner`` on half of the records, over balls of radius 2, 4, ..., 2^K; the other half chooses one.

    The choice is the generalised exponential mechanism of Raskhodnikova and Smith (2015), at epsilon/4; answer 0 is
    among the candidates, with the score Y^2. A replaced record lies in one half: K runs at (epsilon/(2K), delta/(2K)),
    or the choice, whichever has it.

    Attributes:
        inner: the algorithm A, run over the ball of radius B_j.
        guesses: K. first: exponent of the least radius; 1 is the paper's, which begins at 2.
        failure: beta.
        divided: epsilon/2 and delta/2 of the runs are divided by it; 0 for K. 1 is a negative control.
        sensitivities: of the scores: ``mean``, 2 Delta(B_j)/n, a mean's over n/2 records; ``printed``, Delta(B_j).
        penalised: whether scores have line 6's penalty, with Y^2 Delta(B_j) under its root where Y^2 is printed.
        noise_factor: multiplies the noise of the choice; 1 is what epsilon/4 needs (others are negative controls).
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.MARGIN, Assumption.DELTA, Assumption.CURVED)
    zeroed_out_noise: ClassVar[ZeroedOut] = "other"  # the inner algorithm runs at constants of its own
    version: ClassVar[int] = 2  # since the penalty has Delta(B_j)
    representations: ClassVar[tuple[str, ...]] = REPRESENTATIONS
    measures: ClassVar[tuple[str, ...]] = ("chosen",)

    inner: Algorithm = field(default_factory=RegularisedOutputPerturbation)
    guesses: int = 8
    first: int = 1
    failure: float = 0.05
    divided: int = 0
    sensitivities: Literal["mean", "printed"] = "mean"
    penalised: bool = True
    noise_factor: float = 1.0

    def __post_init__(self) -> None:
        if not (self.guesses >= 1 and self.divided >= 0 and 0 < self.failure < 1 and self.noise_factor > 0):
            said = f"guesses={self.guesses}, divided={self.divided}, failure={self.failure:g}"
            raise InputError(f"guesses must be at least 1, divided at least 0 and failure in (0, 1), got {said}")

    def premise(self, domain: Domain, budget: Budget) -> str:
        if reason := lacks_parts(domain, 2) or answers_reach(self.inner):
            return reason
        inside = self.inner.refusal(self.ball(domain, self.first), self.share(budget))
        return f"needs an inner algorithm that runs: {inside}" if inside else ""

    def ball(self, domain: Domain, exponent: int) -> Domain:
        """What a run sees: the records of S_1 over the ball of radius 2^exponent, which answers may leave."""
        ball = L2Ball(domain.p, 2.0**exponent)
        return replace(domain, constraint_set=ball, n=sizes(domain.n, 2)[0], proper=False)

    def share(self, budget: Budget) -> Budget:
        """Of one run: epsilon/(2K) and delta/(2K)."""
        parts = 2 * (self.divided or self.guesses)
        return Budget(budget.epsilon / parts, budget.delta / parts, budget.neighbours)

    def largest(self, domain: Domain, budget: Budget, exponent: int) -> float:
        """Delta(B): no record's loss is larger at a run's answer, but with chance min(delta, beta)/(4K)."""
        chance = min(budget.delta, self.failure) / (4 * self.guesses)
        return largest_loss(self.inner, self.ball(domain, exponent), self.share(budget), chance, domain.n / 2)

    def schedule(self, domain: Domain, budget: Budget) -> GuessSchedule:
        """The choice draws with weights exp(-epsilon/4 s/2): Gumbel noise of scale 8/epsilon."""
        self.admit(domain, budget)
        steps = self.inner.schedule(self.ball(domain, self.first), self.share(budget)).steps
        divided = self.divided or self.guesses
        noise = self.noise_factor * 8 / budget.epsilon
        return GuessSchedule(self.guesses * steps, noise, self.guesses, divided, self.failure)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """Line by line; ``chosen`` is j*."""
        domain, schedule, n = problem.domain, self.schedule(problem.domain, budget), problem.domain.n
        beta, level = self.failure, problem.domain.label_level
        train, validate = parted(problem, sizes(n, 2), rng)  # line 1
        w: list[FloatArray] = [np.zeros(domain.p)]
        scores, sensitivities = [level**2], [0.0]
        for exponent in range(self.first, self.first + self.guesses):  # lines 3 to 7
            w.append(self.inner.solve(over(train, self.ball(domain, exponent)), self.share(budget), rng).theta)
            delta = self.largest(domain, budget, exponent)
            logarithm = math.log(self.guesses / beta)
            penalty = delta * logarithm / n + math.sqrt(4 * level**2 * delta * logarithm / n)
            scores.append(validate.dense.value(w[-1]) + (penalty if self.penalised else 0.0))
            sensitivities.append(delta if self.sensitivities == "printed" else 2 * delta / n)
        chance = beta / (4 * len(w))
        normal = normalised(np.array(scores), np.array(sensitivities), 8 * math.log(1 / chance) / budget.epsilon)
        mechanism = GumbelMin(schedule.noise_scale)  # line 8
        chosen, noise = mechanism.select(normal, rng)
        answer = domain.constraint_set.project(w[chosen]) if domain.proper else w[chosen]
        privacy_loss = self.privacy_loss(domain, budget)
        return Solution(answer, schedule, privacy_loss, {"chosen": float(chosen)}, noise)

    def privacy_loss(self, domain: Domain, budget: Budget) -> PrivacyLoss | None:
        """Of the dearer half: all runs, or the choice, whose scores have unit sensitivity but with chance delta/4.

        Of an odd n the choice has fewer than n/2 records, each of which moves its scores by more.
        """
        runs = self.inner.parts(self.ball(domain, self.first), self.share(budget))
        if runs is None:
            return None
        scale = self.schedule(domain, budget).noise_scale * (1 if self.sensitivities == "mean" else domain.n / 2)
        moved = domain.n / 2 / sizes(domain.n, 2)[1]
        privacy_loss = compose([(GumbelMin(scale).guarantee(moved), 1)], budget.delta)
        all_of = compose([(part, uses * self.guesses) for part, uses in runs], budget.delta)
        return max((privacy_loss, all_of), key=lambda half: half.epsilon)


def normalised(scores: FloatArray, sensitivities: FloatArray, t: float) -> FloatArray:
    """s_i = max_j ((q_i + t D_i) - (q_j + t D_j))/(D_i + D_j), shape as ``scores``: neighbours move it by at most 1."""
    raised = scores + t * sensitivities
    apart, both = raised[:, None] - raised, sensitivities[:, None] + sensitivities
    return np.asarray(np.divide(apart, both, out=np.zeros_like(apart), where=both > 0).max(axis=1))
