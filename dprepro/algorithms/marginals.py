"""The 1-way marginals themselves: the mean record, exact, coarsened, or with noise (section 5 of Bassily et al.)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.budget import Budget, Neighbours
from dprepro.errors import Incompatible, InputError
from dprepro.mechanisms import Gaussian, PureLoss
from dprepro.privacy import noise_for, spent
from dprepro.problems import BallRisk
from dprepro.problems.constants import Constants
from dprepro.problems.data import FloatArray
from dprepro.problems.problem import Problem


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

    release: Literal["exact", "rounded", "subsampled", "laplace", "gaussian"] = "gaussian"
    fraction: float = 0.5
    noise_factor: float = 1.0

    version: ClassVar[int] = 1
    needs: ClassVar[tuple[str, ...]] = ("moments",)

    def __post_init__(self) -> None:
        if not 0 < self.fraction <= 1:
            raise InputError(f"fraction must be in (0, 1], got fraction={self.fraction:g}")
        if not 0 < self.noise_factor < math.inf:
            raise InputError(f"noise_factor must be positive, got noise_factor={self.noise_factor:g}")

    def admit(self, constants: Constants, budget: Budget) -> None:
        """Raise InputError for noise that the budget does not define."""
        if self.release in ("laplace", "gaussian") and not budget.is_private:
            raise InputError(f"release {self.release} needs a finite epsilon, got epsilon={budget.epsilon:g}")
        if self.release == "gaussian" and budget.delta == 0:
            raise InputError("release gaussian needs delta > 0; choices: laplace")

    def schedule(self, constants: Constants, budget: Budget) -> Schedule:
        """One release with its noise scale; raises InputError as `admit` does."""
        self.admit(constants, budget)
        sensitivity = mean_sensitivity(constants, budget.neighbours)
        if self.release == "laplace":
            return Schedule(1, self.noise_factor * sensitivity / budget.epsilon)
        if self.release == "gaussian":
            scale = noise_for(lambda scale: Gaussian(scale).guarantee(sensitivity), 1, budget)
            return Schedule(1, self.noise_factor * scale)
        return Schedule(1)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """Average, coarsen or add noise, project."""
        if not isinstance(problem, BallRisk):
            raise Incompatible("ReleasedMarginals averages records; it needs a BallRisk")
        schedule = self.schedule(problem.constants, budget)
        theta = problem.constraint_set.project(self._release(problem, schedule.noise_scale, rng))
        if not schedule.noise_scale:
            return Solution(theta, schedule, None)
        sensitivity = mean_sensitivity(problem.constants, budget.neighbours)
        shift = sensitivity / schedule.noise_scale
        guarantee = PureLoss(shift) if self.release == "laplace" else Gaussian(1.0).guarantee(shift)
        return Solution(theta, schedule, spent(guarantee, 1, budget.delta))

    def _release(self, problem: BallRisk, scale: float, rng: np.random.Generator) -> FloatArray:
        mean, p = problem.mean_record, problem.constraint_set.p
        if self.release == "rounded":
            return np.sign(mean) / math.sqrt(p)
        if self.release == "subsampled":
            counts = problem.counts.astype(np.int64)
            kept = rng.multivariate_hypergeometric(counts, max(1, round(self.fraction * counts.sum())))
            return np.asarray(kept @ problem.distinct / kept.sum())
        if self.release == "gaussian":
            return mean + scale * rng.standard_normal(p)
        if self.release == "laplace":
            direction = rng.standard_normal(p)
            return mean + scale * rng.standard_gamma(p) / float(np.linalg.norm(direction)) * direction
        return mean


def mean_sensitivity(constants: Constants, neighbours: Neighbours) -> float:
    """Largest l2 change of (1/n) sum_i d_i: 2 b/n for replacing a record of norm at most b, b/n for adding one.

    b is what the loss of one record adds to the curvature's share of its Lipschitz constant: L = b + Delta radius.
    """
    one = (constants.lipschitz - constants.strong_convexity * constants.radius) / constants.n
    return 2 * one if neighbours is Neighbours.REPLACE_ONE else one
