"""Least squares from noisy moments, after Wang (2018), "Revisiting differentially private linear regression"."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution
from dprepro.algorithms.premises import Assumption, ZeroedOut, check_positive
from dprepro.budget import Budget, Neighbours
from dprepro.mechanisms import Gaussian
from dprepro.privacy import noise_for
from dprepro.problems import Domain, Moments, Problem
from dprepro.problems.minimise import minimise_quadratic
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class SufficientStatistics(Algorithm):
    """Minimise theta^T (G + E + lambda I) theta - 2 <c + e, theta> over the set, G = X^T X/n, c = X^T y/n.

    E is symmetric and e a vector of Gaussian noise, one mechanism: the off-diagonal entries of G count sqrt 2 times, so
    that the l2 norm is Frobenius', and their noise is smaller by as much. As in AdaSSP the ridge adapts,
    lambda = max(0, ridge_factor sigma sqrt(p) - smallest eigenvalue of G + E), but that eigenvalue is read off the
    noisy matrix itself, which costs no budget.

    Attributes:
        ridge_factor: of sigma sqrt p; sqrt 2 is where the spectrum of E ends for many coordinates.
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.DELTA, Assumption.SQUARE)
    zeroed_out_noise: ClassVar[ZeroedOut] = "other"  # two replaced records need not move products x x^T twice as far

    ridge_factor: float = 2.0

    def __post_init__(self) -> None:
        check_positive(self, "ridge_factor")

    def schedule(self, domain: Domain, budget: Budget) -> Schedule:
        self.admit(domain, budget)
        sensitivity = statistics_sensitivity(domain, budget.neighbours)
        return Schedule(1, noise_for(lambda sigma: Gaussian(sigma).guarantee(sensitivity), 1, budget))

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        domain, schedule = problem.domain, self.schedule(problem.domain, budget)
        (gram, cross), p = second_moments(problem), domain.p
        upper = np.triu_indices(p)
        doubled = np.where(upper[0] == upper[1], 1.0, math.sqrt(2.0))
        noisy, _ = Gaussian(schedule.noise_scale).release(np.concatenate([gram[upper] * doubled, cross]), rng)
        gram[upper] = noisy[: doubled.size] / doubled
        gram.T[upper] = gram[upper]
        least = float(np.linalg.eigvalsh(gram)[0])
        ridge = max(0.0, self.ridge_factor * schedule.noise_scale * math.sqrt(p) - least)
        shrunk = Moments(noisy[doubled.size :], 1.0, gram + ridge * np.eye(p))
        theta, _ = minimise_quadratic(shrunk, domain.constraint_set)
        return Solution(theta, schedule, self.privacy_loss(domain, budget))

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        mechanism = Gaussian(self.schedule(domain, budget).noise_scale)
        return ((mechanism.guarantee(statistics_sensitivity(domain, budget.neighbours)), 1),)


def second_moments(problem: Problem) -> tuple[FloatArray, FloatArray]:
    """The means of x x^T, shape (p, p), and of x y, shape (p,), whatever the loss makes of them."""
    form, moments = problem.domain.loss.quadratic, problem.moments.moments
    assert form is not None
    return moments.matrix() / form[0], moments.cross * (2 / form[1])


def statistics_sensitivity(domain: Domain, neighbours: Neighbours) -> float:
    """Largest l2 change of (X^T X, X^T y)/n, the first in Frobenius' norm, where ||x||_2 <= X and |y| <= Y.

    One record has the norm X sqrt(X^2 + Y^2). Two with cosine c differ by X sqrt((2 - 2 c^2) X^2 + (2 + 2 |c|) Y^2),
    the most at |c| = min(1, Y^2/(2 X^2)).
    """
    length, label = domain.feature_length, domain.label_bound
    if neighbours is not Neighbours.REPLACE_ONE:
        return length * math.hypot(length, label) / domain.n
    cosine = min(1.0, label**2 / (2 * length**2)) if length else 0.0
    return length * math.sqrt((2 - 2 * cosine**2) * length**2 + (2 + 2 * cosine) * label**2) / domain.n
