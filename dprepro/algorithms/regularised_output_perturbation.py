"""Algorithm 3 of Arora, Bassily, Guzman, Menart and Ullah (2022): regularised output perturbation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution, records_changed
from dprepro.algorithms.premises import Assumption, Settings
from dprepro.budget import Budget
from dprepro.errors import InputError
from dprepro.mechanisms import Gaussian
from dprepro.privacy import noise_for
from dprepro.problems import Domain, Problem
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class RegularisedSchedule(Schedule):
    """Of one release; ``weight`` is lambda."""

    weight: float = 0.0


@dataclass(frozen=True)
class RegularisedOutputPerturbation(Algorithm):
    """argmin over the ball of (mean loss + lambda/2 ||w||^2), plus N(0, sigma^2 I).

    As printed it is not projected again; where an answer has to lie in the set (`Domain.proper`) it is.

    Attributes:
        setting: ``smooth`` (Theorem 3) or ``lipschitz`` (Theorem 5).
        constants: ``printed`` or ``exact``, the smallest sigma that the accountant certifies.
        lambda_exponent: power of 1/(n epsilon) in lambda; 0 for the theorem's, 2/3 or 1/2. Others are controls.

    Smooth: lambda = (sqrt(H) X G/(B n epsilon))^(2/3) L^(1/3), sigma^2 = 8 G^2 L/(lambda n epsilon)^2, L = ln(1/delta),
    with G of Lemma 2 or, for exact constants, the smaller L_2. The printed (||Y|| + H B X^2) in lambda and
    (||Y||^2 + H^2 B^2 X^4) in sigma^2 lack the factor sqrt(H) X of ||Y|| that G has, and sigma^2 is printed with O(.);
    8 is Theorem 1's constant.
    Lipschitz: lambda = G X ln(1/delta)^(1/4)/(B sqrt(n epsilon)), sigma^2 = 4 G^2 X^2 ln(1/delta)/(lambda n epsilon)^2,
    both as printed, G X = L_2; this sigma is short of the budget for all but small epsilon.
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.DELTA,)
    by_setting: ClassVar[Settings] = {"setting": {"smooth": (Assumption.CURVED,), "lipschitz": ()}}
    version: ClassVar[int] = 2  # since exact constants rest on L_2
    measures: ClassVar[tuple[str, ...]] = ("noise_norm", "minimiser_norm")

    setting: Literal["smooth", "lipschitz"] = "smooth"
    constants: Literal["printed", "exact"] = "printed"
    lambda_exponent: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.lambda_exponent <= 2:
            raise InputError(f"lambda_exponent must be in [0, 2], got lambda_exponent={self.lambda_exponent:g}")

    def lipschitz(self, domain: Domain) -> float:
        """G X: what a record's gradient is taken to be bounded by, in lambda, noise and account alike."""
        lemma_2 = self.setting == "smooth" and self.constants == "printed"
        return domain.self_bounding_lipschitz if lemma_2 else domain.lipschitz

    def weight(self, domain: Domain, budget: Budget) -> float:
        """lambda; see the class."""
        logarithm, power = math.log(1 / budget.delta), self.lambda_exponent
        signal, g = domain.n * budget.epsilon, self.lipschitz(domain)
        if self.setting == "smooth":
            front = (math.sqrt(domain.smoothness) * g / domain.radius) ** (2 / 3) * logarithm ** (1 / 3)
            return float(front * signal ** -(power or 2 / 3))
        return float(g * logarithm**0.25 / domain.radius * signal ** -(power or 1 / 2))

    def schedule(self, domain: Domain, budget: Budget) -> RegularisedSchedule:
        self.admit(domain, budget)
        weight = self.weight(domain, budget)
        if self.constants == "exact":
            sensitivity = self.sensitivity(domain, budget)
            noise = noise_for(lambda sigma: Gaussian(sigma).guarantee(sensitivity), 1, budget)
        else:
            factor = 8 if self.setting == "smooth" else 4
            root = math.sqrt(factor * math.log(1 / budget.delta))
            noise = self.lipschitz(domain) * root / (weight * domain.n * budget.epsilon)
        return RegularisedSchedule(1, noise, weight)

    def sensitivity(self, domain: Domain, budget: Budget) -> float:
        """l2 change of the minimiser, by strong convexity: 2 G/(lambda n) for replacing a record, else half."""
        changed = records_changed(budget.neighbours)
        return changed * self.lipschitz(domain) / (self.weight(domain, budget) * domain.n)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As printed; all p coordinates are perturbed, whether they occur in the data or not."""
        domain = problem.domain
        schedule = self.schedule(domain, budget)
        w: FloatArray = np.asarray(problem.dense.minimise(np.zeros(domain.p), schedule.weight).theta)
        mechanism = Gaussian(schedule.noise_scale)
        released, noise = mechanism.release(w, rng)
        norms = {"noise_norm": noise.norm, "minimiser_norm": float(np.linalg.norm(w))}
        answer = domain.constraint_set.project(released) if domain.proper else released
        return Solution(answer, schedule, self.privacy_loss(domain, budget), norms, noise)

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        scale = self.schedule(domain, budget).noise_scale
        return ((Gaussian(scale).guarantee(self.sensitivity(domain, budget)), 1),)
