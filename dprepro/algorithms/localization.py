"""Algorithm 4 of Bassily, Smith and Thakurta (2014): localise by output perturbation, then solve on the small ball."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.algorithms.exponential_mechanism import ExponentialMechanism
from dprepro.algorithms.output_perturbation import OutputPerturbation
from dprepro.budget import Budget
from dprepro.errors import Incompatible, InputError
from dprepro.privacy import Spent
from dprepro.problems import BallRisk, LocalBall
from dprepro.problems.constants import Constants
from dprepro.problems.problem import Problem


@dataclass(frozen=True)
class Localization(Algorithm):
    """Algorithm 3 at (epsilon/2, delta/2) gives C_0; ``inner`` solves on C_0 with the other half.

    Attributes:
        inner: any private solver for Lipschitz losses; the paper's is Algorithm 2.
        noise, constants: of Algorithm 3 (`OutputPerturbation`); ``gaussian`` is Appendix B.
    """

    inner: Algorithm = field(default_factory=ExponentialMechanism)
    noise: Literal["laplace", "gaussian"] = "laplace"
    constants: Literal["printed", "exact"] = "printed"

    version: ClassVar[int] = 1
    needs: ClassVar[tuple[str, ...]] = ("records",)

    @property
    def outer(self) -> OutputPerturbation:
        """Algorithm 3."""
        return OutputPerturbation(noise=self.noise, constants=self.constants)

    def admit(self, constants: Constants, budget: Budget) -> None:
        """At least two records, and what Algorithm 3 needs."""
        if not constants.n >= 2:
            raise InputError(f"Localization needs at least 2 records, got n={constants.n:g}")
        self.outer.admit(constants, _half(budget))

    def schedule(self, constants: Constants, budget: Budget) -> Schedule:
        """Steps of the inner solver and, as ``noise_scale``, its noise on C_0."""
        self.admit(constants, budget)
        half = _half(budget)
        diameter = min(constants.diameter, 2 * self.outer.reach(constants, half))
        return self.inner.schedule(replace(constants, diameter=diameter), half)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """Both steps; raises Incompatible unless the problem can be restricted to a smaller set."""
        if not isinstance(problem, BallRisk):
            raise Incompatible("Localization needs a BallRisk, which can be restricted to a smaller set")
        half = _half(budget)
        first = self.outer.solve(problem, half, rng)
        ball = problem.constraint_set
        reach = self.outer.reach(problem.constants, half)
        local = LocalBall(ball.p, ball.radius, np.asarray(first.theta), reach)
        second = self.inner.solve(problem.restricted(local), half, rng)
        return Solution(second.theta, second.schedule, _sum(first.spent, second.spent), second.diagnostics)


def _half(budget: Budget) -> Budget:
    return Budget(budget.epsilon / 2, budget.delta / 2, budget.neighbours)


def _sum(first: Spent | None, second: Spent | None) -> Spent | None:
    if first is None or second is None:
        return None
    return Spent(first.epsilon + second.epsilon, first.delta + second.delta, "sum of both steps")
