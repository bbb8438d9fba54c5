"""Confidence boosting of Arora, Bassily, Guzman, Menart and Ullah (2022), section 5 and Appendix D."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution
from dprepro.algorithms.noisy_gradient_descent import NoisyGD
from dprepro.algorithms.partition import REPRESENTATIONS, lacks_parts, parted, sizes
from dprepro.algorithms.premises import Assumption, ZeroedOut
from dprepro.algorithms.regularised_output_perturbation import RegularisedOutputPerturbation
from dprepro.budget import Budget
from dprepro.errors import InputError
from dprepro.mechanisms import LaplaceMin
from dprepro.privacy import compose
from dprepro.problems import Domain, Problem


@dataclass(frozen=True)
class BoostedSchedule(Schedule):
    """``steps`` of all runs together; ``noise_scale`` of the choice, on mean losses.

    Attributes:
        chunks: m. largest: what no loss of a chunk's answer exceeds, but with a small chance.
    """

    chunks: int = 1
    largest: float = 0.0


@dataclass(frozen=True)
class ConfidenceBoosting(Algorithm):
    """m + 1 chunks: ``inner`` on m of them with the whole budget, and report noisy max chooses by the last one.

    Chunks are disjoint, so a replaced record is in one run, or in the choice. The body of the paper describes this; the
    pseudocode of Appendix D is not at hand.

    Attributes:
        inner: the algorithm that is run on every chunk.
        chunks: m; 0 for ceil(log2(2/beta)), at which all m runs exceed twice their mean with chance beta/2 at most.
        failure: beta.
        noise_factor: multiplies the noise of the choice; 1 is what epsilon needs (others are negative controls).
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.MARGIN, Assumption.DELTA, Assumption.CURVED)
    zeroed_out_noise: ClassVar[ZeroedOut] = "other"  # the inner algorithm runs at constants of its own
    representations: ClassVar[tuple[str, ...]] = REPRESENTATIONS
    measures: ClassVar[tuple[str, ...]] = ("choice_regret",)

    inner: Algorithm = field(default_factory=RegularisedOutputPerturbation)
    chunks: int = 0
    failure: float = 0.05
    noise_factor: float = 1.0

    def __post_init__(self) -> None:
        if not (self.chunks >= 0 and 0 < self.failure < 1 and self.noise_factor > 0):
            said = f"chunks={self.chunks}, failure={self.failure:g}, noise_factor={self.noise_factor:g}"
            raise InputError(f"chunks must be at least 0, failure in (0, 1), noise_factor positive, got {said}")

    def premise(self, domain: Domain, budget: Budget) -> str:
        reason = lacks_parts(domain, self.count + 1) or answers_reach(self.inner)
        inside = "" if reason else self.inner.refusal(self.chunk(domain), budget)
        return reason or (f"needs an inner algorithm that runs: {inside}" if inside else "")

    @property
    def count(self) -> int:
        """m."""
        return self.chunks or math.ceil(math.log2(2 / self.failure))

    def chunk(self, domain: Domain) -> Domain:
        """What is public of the smallest chunk."""
        return replace(domain, n=sizes(domain.n, self.count + 1)[-1], proper=False)

    def schedule(self, domain: Domain, budget: Budget) -> BoostedSchedule:
        """A replaced record moves a chunk's mean loss by Delta/n_chunk; Laplace noise has twice that over epsilon."""
        self.admit(domain, budget)
        within, inner = self.chunk(domain), self.inner.schedule(self.chunk(domain), budget)
        chance = min(budget.delta, self.failure) / (4 * self.count)
        largest = largest_loss(self.inner, within, budget, chance, within.n)
        scale = self.noise_factor * 2 * largest / (within.n * budget.epsilon)
        return BoostedSchedule(self.count * inner.steps, scale, self.count, largest)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """``choice_regret``: the chosen loss less the least, over the noise's scale and ln(m/beta)."""
        domain, schedule, m = problem.domain, self.schedule(problem.domain, budget), self.count
        chunks = parted(problem, sizes(domain.n, m + 1), rng)
        w = [self.inner.solve(chunk, budget, rng).theta for chunk in chunks[:m]]
        losses = np.array([chunks[m].dense.value(item) for item in w])
        mechanism = LaplaceMin(schedule.noise_scale)
        chosen, noise = mechanism.select(losses, rng)
        regret = float(losses[chosen] - losses.min()) / (schedule.noise_scale * 2 * math.log(m / self.failure))
        answer = domain.constraint_set.project(w[chosen]) if domain.proper else w[chosen]
        privacy_loss = self.privacy_loss(domain, budget)
        return Solution(answer, schedule, privacy_loss, {"choice_regret": regret}, noise)

    def parts(self, domain: Domain, budget: Budget) -> Parts | None:
        """Of the part that is dearest, a run or the choice; losses exceed their bound with chance delta/4 at most.

        Chunks are of two sizes where n is no multiple of their number, and runs on them may spend unlike.
        """
        chunks = sorted(set(sizes(domain.n, self.count + 1)[:-1]))
        runs = [self.inner.parts(replace(self.chunk(domain), n=size), budget) for size in chunks]
        schedule, within = self.schedule(domain, budget), self.chunk(domain)
        choice = ((LaplaceMin(schedule.noise_scale).guarantee(schedule.largest / within.n), 1),)
        found = [choice, *(run for run in runs if run is not None)]
        if len(found) <= len(runs):
            return None
        return max(found, key=lambda part: compose(part, budget.delta).epsilon)


def answers_reach(inner: Algorithm) -> str:
    """Why no bound on the losses of its answers is known, as the rest of a sentence; empty if one is."""
    if isinstance(inner, NoisyGD | RegularisedOutputPerturbation):
        return ""
    if isinstance(inner, ConfidenceBoosting):
        return answers_reach(inner.inner)
    name = type(inner).__name__
    return f"needs an inner algorithm whose predictions are bounded: NoisyGD, RegularisedOutputPerturbation, not {name}"


def largest_loss(inner: Algorithm, domain: Domain, budget: Budget, chance: float, tried: float) -> float:
    """Delta(B): but with this chance no loss of the ``tried`` records on which an answer is tried exceeds it.

    The root of a non-negative H-smooth function is sqrt(H/2)-Lipschitz, hence (Y + sqrt(H/2) |z|)^2 with predictions z
    of at most X B, and X sigma sqrt(2 ln(2 tried/chance)) more where Gaussian noise is added last: a prediction's noise
    has deviation at most X sigma.
    """
    if isinstance(inner, ConfidenceBoosting):
        return largest_loss(inner.inner, inner.chunk(domain), budget, chance / inner.count, tried)
    reach = domain.radius
    if isinstance(inner, RegularisedOutputPerturbation):
        scale = inner.schedule(domain, budget).noise_scale
        reach += scale * math.sqrt(2 * math.log(2 * tried / chance))
    return float((domain.label_level + math.sqrt(domain.smoothness / 2) * reach) ** 2)
