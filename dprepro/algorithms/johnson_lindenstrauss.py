"""Algorithm 2 of Arora, Bassily, Guzman, Menart and Ullah (2022): noisy descent after a random projection."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Solution
from dprepro.algorithms.descent import Descent
from dprepro.algorithms.noisy_gradient_descent import NoisyGD
from dprepro.algorithms.premises import Assumption, check_positive
from dprepro.algorithms.sketches import Transform, columns
from dprepro.budget import Budget
from dprepro.errors import InputError, PremiseError
from dprepro.problems import Domain, L2Ball, Problem, RecordsView
from dprepro.problems.domain import clip
from dprepro.problems.problem_data import FloatArray
from dprepro.support.last_result import cache_last

CLIPPING = 1e-6
"""delta_J: the probability with which clipping changes any feature, at most, for a Gaussian map."""

MAP_LIMIT = 1e8
"""Largest number of entries of a random map (800 MB)."""


@dataclass(frozen=True)
class SketchedDescent(Descent):
    """After the projection: ``sketch`` is k, ``sketched_lipschitz`` and ``sketched_smoothness`` are its G and H X^2."""

    sketch: int = 0
    sketched_lipschitz: float = 0.0
    sketched_smoothness: float = 0.0


@dataclass(frozen=True)
class JohnsonLindenstrauss(Algorithm):
    """Algorithm 2: Phi maps the features to k dimensions, Algorithm 1 runs on the ball of radius 2B there, then Phi^T.

    As printed, the answer is not projected onto the ball. It is where it has to lie in the set (`Domain.proper`).

    Attributes:
        transform: ``gaussian``, ``rademacher``, ``srht`` or ``countsketch``.
        constants: as in Algorithm 1.
        dimension_factor: c in k = ceil(c (sqrt(H) B X n epsilon/(Y + sqrt(H) B X))^dimension_exponent). The paper has
            O(.) and log(2n/delta) inside, which costs a factor of about three in risk; 1/4 is near the best.
        dimension_exponent: 2/3 in the paper; others are controls.

    Errata: k's numerator and denominator differ by a factor X; the step size is written with sqrt(d) where
    Algorithm 1 runs in k dimensions; the radius is B in Theorem 2 and 2B in Algorithm 2. Here: sqrt(k), 2B, and sigma
    with the Lipschitz constant over the ball of radius 2B.

    Privacy must hold for every Phi: embedded features are clipped to the norm X (1 + sqrt(2 ln(p/delta_J)/k)),
    delta_J = 1e-6, and sigma is computed for that norm. A Gaussian map exceeds it for any of p fixed features with
    probability at most delta_J, so the clipping hardly ever changes anything.
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.MARGIN, Assumption.CURVED, Assumption.DELTA)
    stepwise: ClassVar[bool] = True
    version: ClassVar[int] = 2  # since exact constants rest on L_2
    representations: ClassVar[tuple[str, ...]] = ("one_hot", "records")

    transform: Transform = "gaussian"
    constants: Literal["printed", "exact"] = "printed"
    dimension_factor: float = 0.25
    dimension_exponent: float = 2 / 3

    def __post_init__(self) -> None:
        check_positive(self, "dimension_factor")
        if not 0 < self.dimension_exponent <= 1:
            raise InputError(f"dimension_exponent must be in (0, 1], got {self.dimension_exponent:g}")

    @property
    def descent(self) -> NoisyGD:
        """Algorithm 1 as it is run after the projection."""
        return NoisyGD(constants=self.constants)

    def dimension(self, domain: Domain, budget: Budget) -> int:
        """k; see the class."""
        self.admit(domain, budget)
        scale = math.sqrt(domain.smoothness) * domain.radius
        ratio = scale * domain.n * budget.epsilon / (domain.label_level + scale)
        return max(1, math.ceil(self.dimension_factor * float(ratio**self.dimension_exponent)))

    def embedded(self, domain: Domain, budget: Budget) -> Domain:
        """The domain after the projection: the ball of radius 2B in k dimensions, features of the clipped norm."""
        k = self.dimension(domain, budget)
        longest = domain.feature_length * (1 + math.sqrt(2 * math.log(domain.p / CLIPPING) / k))
        ball = L2Ball(k, 2 * domain.radius)
        return replace(domain, constraint_set=ball, feature_bound=longest, feature_norm=2, proper=False)

    @cache_last
    def schedule(self, domain: Domain, budget: Budget) -> SketchedDescent:
        after = self.embedded(domain, budget)
        inner = self.descent.schedule(after, budget)
        return SketchedDescent(
            **vars(inner), sketch=after.p, sketched_lipschitz=self.descent.lipschitz(after),
            sketched_smoothness=after.smoothness,
        )  # fmt: skip

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As printed: project, descend, map back. theta lists the coordinates that occur where it may leave the set."""
        schedule = self.schedule(problem.domain, budget)
        sketched, phi = self.project(problem, budget, rng)
        inner = self.descent.solve(sketched, budget, rng)
        return Solution(self.lift(problem.domain, phi, inner.theta), schedule, inner.privacy_loss, noise=inner.noise)

    def project(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> tuple[Problem, FloatArray]:
        """The data with features Phi x, clipped, and the columns of Phi for the m coordinates of the answer, (k, m).

        Raises:
            PremiseError: more entries than `MAP_LIMIT`.
        """
        domain, after = problem.domain, self.embedded(problem.domain, budget)
        counts = problem.one_hot if "one_hot" in problem.representations else None
        listed = counts.touched if counts and not domain.proper else domain.p
        self.check_map(after.p, listed)
        phi = columns(self.transform, after.p, domain.p, listed, rng)
        given = counts.embedded(phi[:, : counts.touched]) if counts else problem.records.records
        mapped = given.features if counts else given.features @ phi.T
        clipped = replace(given, features=clip(mapped, after.feature_bound))
        return Problem(after, {"records": RecordsView(after, clipped)}), phi

    @staticmethod
    def check_map(k: int, listed: int) -> None:
        """Raise PremiseError for a map of that many coordinates to k dimensions with more entries than `MAP_LIMIT`."""
        if k * listed > MAP_LIMIT:
            raise PremiseError(f"a map of {listed} coordinates to k={k} is too large to write out")

    @staticmethod
    def lift(domain: Domain, phi: FloatArray, w: FloatArray) -> FloatArray:
        """Phi^T w, shape (m,)."""
        theta: FloatArray = phi.T @ w
        return domain.constraint_set.project(theta) if domain.proper else theta

    def parts(self, domain: Domain, budget: Budget) -> Parts | None:
        return self.descent.parts(self.embedded(domain, budget), budget)
