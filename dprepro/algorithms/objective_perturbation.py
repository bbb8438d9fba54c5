"""Algorithm 1 of Kifer, Smith and Thakurta (2012): generalised objective perturbation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import Gaussian
from dprepro.privacy import Spent, noise_for, spent
from dprepro.problems.constants import Constants
from dprepro.problems.problem import Problem
from dprepro.problems.quadratic import quadratic


@dataclass(frozen=True)
class PerturbationSchedule(Schedule):
    """Noise and ridge. ``noise_scale`` is the root mean square of ||b||_2, the unit of n times a gradient.

    Attributes:
        coordinate_scale: standard deviation of b's coordinates, or 2 zeta/epsilon of the gamma density.
        regulariser: Delta, the strong convexity that is added to n J.
    """

    coordinate_scale: float = 0.0
    regulariser: float = 0.0


@dataclass(frozen=True)
class ObjectivePerturbation(Algorithm):
    """theta^priv = argmin over F of L(theta) + r(theta)/n + Delta/(2n) ||theta||^2 + b.theta/n.

    Attributes:
        noise: ``gamma``, density proportional to exp(-epsilon ||b|| / (2 zeta)), for delta = 0; or ``gaussian``,
            N(0, zeta^2 (8 ln(2/delta) + 4 epsilon)/epsilon^2).
        constants: ``printed``, or ``exact``: the smallest noise that is certified at this Delta.
        regulariser: Delta. ``theorem_4``: zeta p ln p/(epsilon R) for gamma and zeta sqrt(p ln(1/delta))/(epsilon R)
            for Gaussian noise, R being the set's l2 norm bound in place of ||theta_hat||; ``balanced``: zeta p/(epsilon
            R) for gamma noise; ``least``: no more than privacy needs.
        least: Delta is at least this many lambda/epsilon: 2 in line 1; Theorem 4 assumes 1/2, which is not private.
        noise_factor: multiplies the noise; 1 is the paper's (others are negative controls).

    Add or remove one record; losses whose Hessian has rank one (generalised linear models).
    """

    noise: Literal["gamma", "gaussian"] = "gaussian"
    constants: Literal["printed", "exact"] = "printed"
    regulariser: Literal["theorem_4", "balanced", "least"] = "theorem_4"
    least: float = 2.0
    noise_factor: float = 1.0
    needs: ClassVar[tuple[str, ...]] = ("quadratic",)

    def __post_init__(self) -> None:
        if not 0 < self.noise_factor < math.inf:
            raise InputError(f"noise_factor must be positive, got noise_factor={self.noise_factor:g}")

    def admit(self, constants: Constants, budget: Budget) -> None:
        """A finite epsilon, a delta that the noise can use, and add-or-remove-one neighbours are needed."""
        if not budget.is_private or (budget.delta == 0) != (self.noise == "gamma"):
            raise InputError(
                f"{self.noise} noise needs a finite epsilon and delta {'= 0' if self.noise == 'gamma' else '> 0'}, "
                f"got epsilon={budget.epsilon:g}, delta={budget.delta:g}"
            )
        if budget.neighbours is not Neighbours.ADD_OR_REMOVE_ONE:
            raise InputError("ObjectivePerturbation is proved for neighbours=add_or_remove_one only")

    def schedule(self, constants: Constants, budget: Budget) -> PerturbationSchedule:
        """Delta and the noise.

        Raises:
            InputError: an infinite epsilon, a delta that the noise cannot use, another neighbouring relation, no
                Delta above zero, or (constants exact) a Delta so small that the Hessian alone spends the budget.
        """
        self.admit(constants, budget)
        p, zeta, epsilon = constants.p, constants.lipschitz, budget.epsilon
        delta_big = max(self._wanted(constants, budget), self.least * constants.smoothness / epsilon)
        if not delta_big > 0:
            raise InputError(f"Delta must be positive; regulariser={self.regulariser} gives {delta_big:g}")
        if self.constants == "exact":
            left = epsilon - math.log1p(constants.smoothness / delta_big)
            if left <= 0:
                raise InputError(f"Delta={delta_big:g} leaves no epsilon for the noise")
            scale = zeta / left if self.noise == "gamma" else _gaussian_scale(zeta, left, budget)
        elif self.noise == "gamma":
            scale = 2 * zeta / epsilon
        else:
            scale = zeta * math.sqrt(8 * math.log(2 / budget.delta) + 4 * epsilon) / epsilon
        scale *= self.noise_factor
        # ||b|| has the gamma law of shape p and this scale, or is chi with p degrees of freedom
        size = math.sqrt(p * (p + 1)) * scale if self.noise == "gamma" else math.sqrt(p) * scale
        return PerturbationSchedule(1, size, coordinate_scale=scale, regulariser=delta_big)

    def _wanted(self, constants: Constants, budget: Budget) -> float:
        p, unit = constants.p, constants.lipschitz / (budget.epsilon * constants.radius)
        if self.regulariser == "least":
            return 0.0
        if self.noise == "gaussian":
            return unit * math.sqrt(p * math.log(1 / budget.delta))
        return unit * p * (math.log(p) if self.regulariser == "theorem_4" else 1.0)

    def draw(self, p: int, scale: float, rng: np.random.Generator, spare: float = 0) -> NDArray[np.float64]:
        """b, shape (p,). With ``spare`` > 0 the last coordinate is the norm of that many coordinates of b."""
        direction = rng.standard_normal(p)
        if spare:
            direction[-1] = math.sqrt(rng.chisquare(spare))
        if self.noise == "gaussian":
            return scale * direction
        # uniform direction, norm with density r^(p-1) exp(-r/scale)
        norm = rng.gamma(p - 1 + spare if spare else p, scale)
        return np.asarray(norm / math.sqrt(float(direction @ direction)) * direction)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As printed, with the minimiser exact up to its certified gap."""
        schedule = self.schedule(problem.constants, budget)
        problem.require("quadratic")
        b = self.draw(problem.constraint_set.p, schedule.coordinate_scale, rng)
        return self.answer(problem, budget, b)

    def answer(self, problem: Problem, budget: Budget, b: NDArray[np.float64]) -> Solution:
        """Line 7 for a given noise; ||b||_2 is reported in the diagnostics."""
        schedule, n = self.schedule(problem.constants, budget), problem.constants.n
        theta = quadratic(problem).perturbed(b / n, schedule.regulariser / n).minimum.theta
        norm = math.sqrt(float(b @ b))
        return Solution(theta, schedule, self.spent(problem.constants, budget), {"noise_norm": norm})

    def spent(self, constants: Constants, budget: Budget) -> Spent:
        """Certified epsilon at the budget's delta, for smooth losses of generalised linear form.

        With one record more, the density of theta^priv at a point alpha changes by two factors. The determinant grows
        by at most 1 + lambda/Delta. The noise that leads to alpha moves along the record's fixed direction x by at most
        zeta, and log nu(b)/nu(b') <= ||b - b'||/scale for gamma noise; for Gaussian noise it is at most mu |Z| + mu^2/2
        with mu = zeta/scale and Z = <b, x>/(scale ||x||) standard normal. The excess of that over e^epsilon' is at most
        twice the Gaussian mechanism's delta(epsilon') if epsilon' >= mu^2/2. Hence epsilon = ln(1 + lambda/Delta) +
        zeta/scale, or ln(1 + lambda/Delta) + the Gaussian mechanism's epsilon' at delta/2. Sets and regularisers are
        limits of smooth ones (Theorem 1).
        """
        schedule = self.schedule(constants, budget)
        hessian = math.log1p(constants.smoothness / schedule.regulariser)
        mu = constants.lipschitz / schedule.coordinate_scale
        if self.noise == "gamma":
            return Spent(hessian + mu, 0.0, "density ratio")
        half = spent(Gaussian(1.0).guarantee(mu), 1, budget.delta / 2).epsilon
        return Spent(hessian + max(half, mu**2 / 2), budget.delta, "determinant and two-sided Gaussian shift")


def _gaussian_scale(zeta: float, epsilon: float, budget: Budget) -> float:
    """The least standard deviation at which a shift by zeta costs epsilon at delta/2, and epsilon >= mu^2/2."""
    half = Budget(epsilon, budget.delta / 2, budget.neighbours)
    return max(noise_for(lambda one: Gaussian(one).guarantee(zeta), 1, half), zeta / math.sqrt(2 * epsilon))
