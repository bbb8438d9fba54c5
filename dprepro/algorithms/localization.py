"""Algorithm 4 of Bassily, Smith and Thakurta (2014): localise by output perturbation, then solve on the small ball."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import LATER, Algorithm, Parts, Schedule, Solution
from dprepro.algorithms.exponential_mechanism import ExponentialMechanism
from dprepro.algorithms.output_perturbation import OutputPerturbation
from dprepro.algorithms.premises import Assumption, ZeroedOut, check_positive
from dprepro.budget import Budget
from dprepro.problems import Domain, LocalBall, Problem
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class Localization(Algorithm):
    """Algorithm 3 at (epsilon/2, delta/2) gives C_0; ``inner`` solves on C_0 with the other half.

    Attributes:
        inner: any private solver for Lipschitz losses; the paper's is Algorithm 2.
        noise, constants: of Algorithm 3 (`OutputPerturbation`); ``gaussian`` is Appendix B.
        reach_factor: multiplies the radius of C_0, whose 3 ln n bounds a tail; 1 in the paper.
    """

    inner: Algorithm = field(default_factory=ExponentialMechanism)
    noise: Literal["laplace", "gaussian"] = "laplace"
    constants: Literal["printed", "exact"] = "printed"
    reach_factor: float = field(default=1.0, metadata=LATER)

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.STRONGLY_CONVEX, Assumption.L2_BALL)
    zeroed_out_noise: ClassVar[ZeroedOut] = "gradient"
    version: ClassVar[int] = 3  # since exact constants of its first half rest on the gradient diameter
    representations: ClassVar[tuple[str, ...]] = ("records", "moments")

    def __post_init__(self) -> None:
        check_positive(self, "reach_factor")

    @property
    def measures(self) -> tuple[str, ...]:
        return self.inner.measures  # what is reported is the inner solution

    @property
    def outer(self) -> OutputPerturbation:
        """Algorithm 3."""
        return OutputPerturbation(noise=self.noise, constants=self.constants)

    def premise(self, domain: Domain, budget: Budget) -> str:
        if reason := self.outer.lacks(domain, half_of(budget)):
            return reason
        if not domain.n >= 2:
            return f"needs at least 2 records, got n={domain.n:g}"
        inside = self.inner.refusal(self.local(domain, budget), half_of(budget))
        return f"needs an inner solver for C_0: {inside}" if inside else ""

    def needs(self, representations: frozenset[str]) -> str:
        return super().needs(representations) or self.inner.needs(representations & frozenset(self.representations))

    def local(self, domain: Domain, budget: Budget, centre: FloatArray | None = None) -> Domain:
        """The domain over C_0, a ball about theta_0; its constants are the same wherever that is."""
        ball, reach = domain.constraint_set, self.reach_factor * self.outer.reach(domain, half_of(budget))
        middle = np.zeros(ball.p) if centre is None else centre
        return replace(domain, constraint_set=LocalBall(ball.p, ball.radius, middle, reach))

    def schedule(self, domain: Domain, budget: Budget) -> Schedule:
        self.admit(domain, budget)
        return self.inner.schedule(self.local(domain, budget), half_of(budget))

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        self.admit(problem.domain, budget)
        half = half_of(budget)
        first = self.outer.solve(problem, half, rng)
        local = self.local(problem.domain, budget, first.theta).constraint_set
        second = self.inner.solve(problem.restricted(local), half, rng)
        assert first.noise is not None
        # both noises in the unit of the second, whose schedule is reported
        noise = first.noise.beside(second.schedule.noise_scale / first.schedule.noise_scale)
        noise = noise + second.noise.beside(1.0) if second.noise else noise
        return replace(second, privacy_loss=self.privacy_loss(problem.domain, budget), noise=noise)

    def parts(self, domain: Domain, budget: Budget) -> Parts | None:
        inside = self.inner.parts(self.local(domain, budget), half_of(budget))
        return None if inside is None else (*self.outer.parts(domain, half_of(budget)), *inside)


def half_of(budget: Budget) -> Budget:
    """What Algorithm 3 has, and the inner solver likewise."""
    return Budget(budget.epsilon / 2, budget.delta / 2, budget.neighbours)
