"""Algorithm 3 of Arora, Bassily, Guzman, Menart and Ullah (2022): regularised output perturbation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.budget import Budget, Neighbours
from dprepro.errors import Incompatible, InputError
from dprepro.mechanisms import Gaussian
from dprepro.privacy import Spent, noise_for, spent
from dprepro.problems import OneHot
from dprepro.problems.constants import Constants
from dprepro.problems.problem import Problem


@dataclass(frozen=True)
class RegularisedOutputPerturbation(Algorithm):
    """argmin over the ball of (mean loss + lambda/2 ||w||^2), plus N(0, sigma^2 I): not projected again.

    Attributes:
        setting: ``smooth`` (Theorem 3) or ``lipschitz`` (Theorem 5).
        constants: ``printed`` or ``exact``, the smallest sigma that the accountant certifies.
        lambda_exponent: power of 1/(n epsilon) in lambda; 0 for the theorem's, 2/3 or 1/2. Others are controls.

    Smooth: lambda = (sqrt(H) X G/(B n epsilon))^(2/3) L^(1/3), sigma^2 = 8 G^2 L/(lambda n epsilon)^2, L = ln(1/delta),
    with G of Lemma 2. The printed (||Y|| + H B X^2) in lambda and (||Y||^2 + H^2 B^2 X^4) in sigma^2 lack the factor
    sqrt(H) X of ||Y|| that G has, and sigma^2 is printed with O(.); 8 is Theorem 1's constant.
    Lipschitz: lambda = G X ln(1/delta)^(1/4)/(B sqrt(n epsilon)), sigma^2 = 4 G^2 X^2 ln(1/delta)/(lambda n epsilon)^2,
    both as printed; this sigma is short of the budget for all but small epsilon.
    """

    needs: ClassVar[tuple[str, ...]] = ("population",)

    setting: Literal["smooth", "lipschitz"] = "smooth"
    constants: Literal["printed", "exact"] = "printed"
    lambda_exponent: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.lambda_exponent <= 2:
            raise InputError(f"lambda_exponent must be in [0, 2], got lambda_exponent={self.lambda_exponent:g}")

    def weight(self, constants: Constants, budget: Budget) -> float:
        """lambda; see the class."""
        logarithm, power = math.log(1 / budget.delta), self.lambda_exponent
        signal = constants.n * budget.epsilon
        g = constants.lipschitz
        if self.setting == "smooth":
            front = (math.sqrt(constants.smoothness) * g / constants.radius) ** (2 / 3) * logarithm ** (1 / 3)
            return float(front * signal ** -(power or 2 / 3))
        return float(g * logarithm**0.25 / constants.radius * signal ** -(power or 1 / 2))

    def admit(self, constants: Constants, budget: Budget) -> None:
        """A finite epsilon and a positive delta are needed, for the smooth setting a smooth loss too."""
        if not budget.is_private or budget.delta == 0:
            raise InputError(
                f"RegularisedOutputPerturbation needs a finite epsilon and delta > 0, got epsilon={budget.epsilon:g}, "
                f"delta={budget.delta:g}"
            )
        if self.setting == "smooth" and not constants.smoothness > 0:
            raise InputError("setting smooth needs a smooth loss; choices: smooth, lipschitz")

    def schedule(self, constants: Constants, budget: Budget) -> Schedule:
        """sigma as `noise_scale`, one step; raises InputError without a finite epsilon and delta > 0."""
        self.admit(constants, budget)
        weight = self.weight(constants, budget)
        if self.constants == "exact":
            sensitivity = self.sensitivity(constants, budget)
            noise = noise_for(lambda sigma: Gaussian(sigma).guarantee(sensitivity), 1, budget)
        else:
            factor = 8 if self.setting == "smooth" else 4
            root = math.sqrt(factor * math.log(1 / budget.delta))
            noise = constants.lipschitz * root / (weight * constants.n * budget.epsilon)
        return Schedule(1, noise, weight=weight)

    def sensitivity(self, constants: Constants, budget: Budget) -> float:
        """l2 change of the minimiser: 2 G/(lambda n) by replacing a record (strong convexity), half by adding one."""
        one = constants.lipschitz / (self.weight(constants, budget) * constants.n)
        return 2 * one if budget.neighbours is Neighbours.REPLACE_ONE else one

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As printed; all p coordinates are perturbed, whether they occur in the data or not."""
        if not isinstance(problem, OneHot):
            raise Incompatible(
                "RegularisedOutputPerturbation needs a one-hot sample, whose regularised minimiser is exact"
            )
        schedule = self.schedule(problem.constants, budget)
        w = np.zeros(problem.constraint_set.p)
        w[: problem.touched] = problem.regularised_minimum(schedule.weight)
        released = Gaussian(schedule.noise_scale).release(w, rng)
        diagnostics = {"noise_norm": float(np.linalg.norm(released - w)), "minimiser_norm": float(np.linalg.norm(w))}
        one = Gaussian(schedule.noise_scale).guarantee(self.sensitivity(problem.constants, budget))
        certified: Spent = spent(one, 1, budget.delta)
        return Solution(released, schedule, certified, diagnostics)
