"""The 1-way marginals themselves: the mean record, exact, coarsened, or with noise (section 5 of Bassily et al.)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution, records_changed
from dprepro.algorithms.premises import Assumption, Settings, check_positive
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import Gaussian, NoiseMoments, vector_noise
from dprepro.privacy import noise_for
from dprepro.problems import Domain, MarginLoss, Problem
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class ReleasedMarginals(Algorithm):
    """Returns q(D) = (1/n) sum_i d_i as released, projected onto the set; any linear loss may be minimised from it.

    Attributes:
        release: ``exact``; ``rounded``: one bit a coordinate, sign(q_j)/sqrt p; ``subsampled``: the mean of a random
            ``fraction`` of the records: these three promise no privacy. ``laplace``: density exp(-epsilon ||b||/s), s
            the l2 sensitivity; ``gaussian``: the least noise that the accountant certifies.
        fraction: of the records, for ``subsampled``.
        noise_factor: multiplies the noise scale; 1 keeps within the budget (others are negative controls).
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.MEAN,)
    by_setting: ClassVar[Settings] = {"release": {"laplace": (Assumption.PRIVATE,), "gaussian": (Assumption.DELTA,)}}

    release: Literal["exact", "rounded", "subsampled", "laplace", "gaussian"] = "gaussian"
    fraction: float = 0.5
    noise_factor: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.fraction <= 1:
            raise InputError(f"fraction must be in (0, 1], got fraction={self.fraction:g}")
        check_positive(self, "noise_factor")

    @property
    def representations(self) -> tuple[str, ...]:
        return ("records",) if self.release == "subsampled" else super().representations

    def schedule(self, domain: Domain, budget: Budget) -> Schedule:
        self.admit(domain, budget)
        sensitivity, scale = mean_sensitivity(domain, budget.neighbours), 0.0
        if self.release == "laplace":
            scale = sensitivity / budget.epsilon
        elif self.release == "gaussian":
            scale = noise_for(lambda value: vector_noise(self.release, value).guarantee(sensitivity), 1, budget)
        return Schedule(1, self.noise_factor * scale)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        schedule = self.schedule(problem.domain, budget)
        released, noise = self._release(problem, schedule.noise_scale, rng)
        theta = problem.constraint_set.project(released)
        return Solution(theta, schedule, self.privacy_loss(problem.domain, budget), noise=noise)

    def solve_many(self, problem: Problem, budget: Budget, rngs: Sequence[np.random.Generator]) -> Sequence[Solution]:
        schedule, privacy_loss = self.schedule(problem.domain, budget), self.privacy_loss(problem.domain, budget)
        if self.release != "gaussian" or not schedule.noise_scale:
            return super().solve_many(problem, budget, rngs)
        released, noises = Gaussian(schedule.noise_scale).release_many(mean_record(problem), rngs)
        answers = problem.constraint_set.project_many(released)
        return [
            Solution(theta, schedule, privacy_loss, noise=noise) for theta, noise in zip(answers, noises, strict=True)
        ]

    def _release(
        self, problem: Problem, scale: float, rng: np.random.Generator
    ) -> tuple[FloatArray, NoiseMoments | None]:
        """The released marginals, and the moments of their noise, if any."""
        if self.release == "subsampled":
            records = problem.records.records
            counts = records.copies.astype(np.int64)
            kept = rng.multivariate_hypergeometric(counts, max(1, round(self.fraction * counts.sum())))
            return np.asarray(kept @ records.features / kept.sum()), None
        mean = mean_record(problem)
        if self.release == "rounded":
            return np.sign(mean) / math.sqrt(mean.size), None
        if not scale:
            return mean, None
        mechanism = vector_noise(self.release, scale)
        return mechanism.release(mean, rng)

    def parts(self, domain: Domain, budget: Budget) -> Parts | None:
        mechanism = vector_noise(self.release, self.schedule(domain, budget).noise_scale)
        return ((mechanism.guarantee(mean_sensitivity(domain, budget.neighbours)), 1),) if mechanism.scale else None


def mean_record(problem: Problem) -> FloatArray:
    """(1/n) sum_i d_i, shape (p,), as the gradient tells it: -d for a linear loss, theta - d for half the square."""
    theta = problem.constraint_set.start()
    gradient = problem.gradient(theta)
    return -gradient if isinstance(problem.domain.loss, MarginLoss) else theta - gradient


def mean_sensitivity(domain: Domain, neighbours: Neighbours) -> float:
    """Largest l2 change of (1/n) sum_i d_i: 2 X/n for replacing a record, ||d||_2 <= X, and X/n for silencing one."""
    return records_changed(neighbours) * domain.feature_length / domain.n
