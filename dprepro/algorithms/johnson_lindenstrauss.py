"""Algorithm 2 of Arora, Bassily, Guzman, Menart and Ullah (2022): noisy descent after a random projection."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.algorithms.noisy_gradient_descent import NoisyGD
from dprepro.algorithms.sketches import Transform, columns
from dprepro.budget import Budget
from dprepro.errors import Incompatible, InputError
from dprepro.privacy import Spent
from dprepro.problems import OneHot, SketchedOneHot
from dprepro.problems.constants import Constants
from dprepro.problems.problem import Problem


@dataclass(frozen=True)
class JohnsonLindenstrauss(Algorithm):
    """Algorithm 2: Phi maps the features to k dimensions, Algorithm 1 runs on the ball of radius 2B there, then Phi^T.

    Attributes:
        transform: ``gaussian``, ``rademacher``, ``srht`` or ``countsketch``.
        constants: as in Algorithm 1.
        dimension_factor: c in k = ceil(c (sqrt(H) B X n epsilon/(Y + sqrt(H) B X))^dimension_exponent). The paper has
            O(.) and log(2n/delta) inside, which costs a factor of about three in risk; 1/4 is near the best.
        dimension_exponent: 2/3 in the paper; others are controls.

    Printed slips: k's numerator and denominator differ by a factor X; the step size is written with sqrt(d) where
    Algorithm 1 runs in k dimensions; the radius is B in Theorem 2 and 2B in Algorithm 2. Here: sqrt(k), 2B, and sigma
    with the Lipschitz constant over the ball of radius 2B.

    Privacy must not rest on luck with Phi: embedded features are clipped to the norm X (1 + sqrt(2 ln(p/delta_J)/k)),
    delta_J = 1e-6, and sigma is computed for that norm. A Gaussian map exceeds it for any of p fixed features with
    probability at most delta_J, so that the clipping hardly ever acts.
    """

    needs: ClassVar[tuple[str, ...]] = ("population",)

    transform: Transform = "gaussian"
    constants: Literal["printed", "exact"] = "printed"
    dimension_factor: float = 0.25
    dimension_exponent: float = 2 / 3

    def __post_init__(self) -> None:
        if not 0 < self.dimension_factor < math.inf:
            raise InputError(f"dimension_factor must be positive, got dimension_factor={self.dimension_factor:g}")
        if not 0 < self.dimension_exponent <= 1:
            raise InputError(f"dimension_exponent must be in (0, 1], got {self.dimension_exponent:g}")

    def admit(self, constants: Constants, budget: Budget) -> None:
        """A finite epsilon, and what Algorithm 1 needs."""
        if not budget.is_private:
            raise InputError("JohnsonLindenstrauss needs a finite epsilon, got epsilon=inf")
        self.descent.admit(constants, budget)

    @property
    def descent(self) -> NoisyGD:
        """Algorithm 1 as it is run after the projection."""
        return NoisyGD(constants=self.constants)

    def dimension(self, constants: Constants, budget: Budget) -> int:
        """k; see the class. Raises InputError as `admit`."""
        self.admit(constants, budget)
        scale = math.sqrt(constants.smoothness) * constants.radius
        ratio = scale * constants.n * budget.epsilon / (constants.label_bound + scale)
        return max(1, math.ceil(self.dimension_factor * float(ratio**self.dimension_exponent)))

    def embedded(self, constants: Constants, budget: Budget) -> tuple[Constants, float]:
        """Public constants after the projection, and the norm to which features are clipped, in units of X."""
        k = self.dimension(constants, budget)
        clip = 1 + math.sqrt(2 * math.log(constants.p / CLIPPING) / k)
        smoothness, radius = constants.smoothness * clip**2, 2 * constants.radius
        lipschitz = 2 * constants.label_bound * math.sqrt(smoothness) + 2 * smoothness * radius
        after = Constants(
            n=constants.n, p=k, radius=radius, lipschitz=lipschitz, curvature=0.0, vertices=0, diameter=2 * radius,
            smoothness=smoothness, label_bound=constants.label_bound,
        )  # fmt: skip
        return after, clip

    def schedule(self, constants: Constants, budget: Budget) -> Schedule:
        """Algorithm 1's schedule in k dimensions."""
        after = self.embedded(constants, budget)[0]
        inner = self.descent.schedule(after, budget)
        return Schedule(
            inner.steps, inner.noise_scale, step_size=inner.step_size, sketch=int(after.p),
            sketched_lipschitz=after.lipschitz, sketched_smoothness=after.smoothness,
        )  # fmt: skip

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As printed: project, descend, map back. theta has the touched coordinates."""
        if not isinstance(problem, OneHot):
            raise Incompatible("JohnsonLindenstrauss needs a one-hot sample")
        sketched = self.project(problem, budget, rng)
        inner = self.descent.solve(sketched, budget, rng)
        schedule = self.schedule(problem.constants, budget)
        return Solution(sketched.lift(inner.theta), schedule, inner.spent)

    def project(self, problem: OneHot, budget: Budget, rng: np.random.Generator) -> SketchedOneHot:
        """The sample with features Phi x, clipped."""
        after, clip = self.embedded(problem.constants, budget)
        phi = columns(self.transform, int(after.p), problem.constraint_set.p, problem.touched, rng)
        return SketchedOneHot(problem, phi, clip, after)

    def spent(self, constants: Constants, budget: Budget) -> Spent | None:
        """What Algorithm 1 spends after the projection."""
        return self.descent.spent(self.embedded(constants, budget)[0], budget)


CLIPPING = 1e-6
"""delta_J: probability with which clipping may act at all, for a Gaussian map."""
