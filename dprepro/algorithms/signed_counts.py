"""A private answer made for the data of Theorems 4 and 6 of Arora et al. (2022), which nearly attains their levels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.budget import Budget, Neighbours
from dprepro.errors import Incompatible, InputError
from dprepro.mechanisms import Laplace
from dprepro.privacy import spent
from dprepro.problems import OneHot
from dprepro.problems.constants import Constants
from dprepro.problems.problem import Problem


@dataclass(frozen=True)
class SignedCounts(Algorithm):
    """Counts positive minus negative labels of every coordinate, adds Laplace noise, answers for a two-point prior.

    Not an algorithm of the paper. Records are one-hot, (X e_j, +-a_j) or x = 0: replacing one moves the counts by at
    most 2 in l1. The prior is w_j = +-a with counts +-D, D = floor(1/epsilon), a = B/sqrt(d') and the d' at which the
    theorem hides its signs; after Laplace noise the log odds of + are epsilon times the noisy count cut off at +-D. The
    theorems' level needs odds of e^(+-D epsilon) always; here the answer has them only beyond the cut.

    Attributes:
        setting: ``squared``: d' = min(p, (n epsilon B X/Y)^(2/3)), the posterior mean a tanh(log odds/2).
            ``lipschitz``: d' = min(p, n epsilon), the posterior median a sign(count).
        flips: D; 0 for floor(1/epsilon). d' has 1/D in place of epsilon.
    """

    needs: ClassVar[tuple[str, ...]] = ("population",)

    setting: Literal["squared", "lipschitz"] = "squared"
    flips: int = 0

    def __post_init__(self) -> None:
        if self.flips < 0:
            raise InputError(f"flips must be at least 1, or 0 for floor(1/epsilon), got flips={self.flips}")

    def admit(self, constants: Constants, budget: Budget) -> None:
        """A finite epsilon is needed, for the squared setting a smooth loss and a label bound too."""
        if not budget.is_private:
            raise InputError(f"SignedCounts needs a finite epsilon, got epsilon={budget.epsilon:g}")
        if self.setting == "squared" and not (constants.smoothness > 0 and constants.label_bound > 0):
            raise InputError("setting squared needs a smooth loss and a label bound; choices: squared, lipschitz")

    def schedule(self, constants: Constants, budget: Budget) -> Schedule:
        """The Laplace scale of a count; raises InputError for an infinite epsilon, or without a label bound."""
        self.admit(constants, budget)
        return Schedule(1, self._sensitivity(budget) / budget.epsilon)

    def size(self, constants: Constants, budget: Budget) -> float:
        """a; see the class."""
        hidden = constants.n / self._most(budget)
        if self.setting == "squared":
            ratio = constants.radius * math.sqrt(constants.smoothness / 2) / constants.label_bound
            hidden = (hidden * ratio) ** (2 / 3)
        return constants.radius / math.sqrt(max(1.0, min(constants.p, hidden)))

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """All p coordinates, whether they occur or not."""
        if not isinstance(problem, OneHot):
            raise Incompatible("SignedCounts needs a one-hot sample")
        schedule = self.schedule(problem.constants, budget)
        mechanism = Laplace(schedule.noise_scale)
        count = np.zeros(problem.constraint_set.p)
        count[: problem.touched] = 2 * problem.positive - problem.count
        noisy = mechanism.release(count, rng)
        size = self.size(problem.constants, budget)
        if self.setting == "squared":
            most = self._most(budget)
            # a Laplace scale of 2/epsilon: the log ratio at x is (|x + D| - |x - D|) epsilon/2
            theta = size * np.tanh(np.clip(noisy, -most, most) * budget.epsilon / 2)
        else:
            theta = size * np.sign(noisy)
        certified = spent(mechanism.guarantee(self._sensitivity(budget)), 1, budget.delta)
        return Solution(theta, schedule, certified)

    def _most(self, budget: Budget) -> int:
        return int(self.flips) or max(1, math.floor(1 / budget.epsilon * (1 + 1e-12)))

    def _sensitivity(self, budget: Budget) -> float:
        """l1 change of all counts: 2 by replacing a record (or flipping its label), 1 by adding one."""
        return 2.0 if budget.neighbours is Neighbours.REPLACE_ONE else 1.0
