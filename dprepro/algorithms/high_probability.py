"""Appendix D of Bassily, Smith and Thakurta (2014): risk with high probability from risk in expectation."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution, records_changed
from dprepro.algorithms.exponential_mechanism import ExponentialMechanism
from dprepro.algorithms.premises import Assumption, ZeroedOut
from dprepro.budget import Budget
from dprepro.errors import InputError
from dprepro.mechanisms import BoundedRange, GumbelMin
from dprepro.problems import Domain, Problem


@dataclass(frozen=True)
class RepeatedSchedule(Schedule):
    """``steps`` of all runs together, ``noise_scale`` of one of them.

    Attributes:
        runs: k.
        run_epsilon: epsilon of one run.
        selection_scale: of the Gumbel noise on mean losses, the temperature of the choice.
        blind: see `HighProbability`.
    """

    runs: int = 1
    run_epsilon: float = math.inf
    selection_scale: float = 0.0
    blind: float = 0.0


@dataclass(frozen=True)
class HighProbability(Algorithm):
    """k runs of ``inner`` at (epsilon/k, delta/k), of which the exponential mechanism chooses one.

    By Markov's inequality a run exceeds twice its expected risk with chance at most 1/2, all k = log2(2/rho) of them
    with chance rho/2.

    Attributes:
        inner: the algorithm whose risk is known in expectation.
        failure: rho.
        runs: k, rounded up, if not 0.
        shares: ``printed``: the runs spend epsilon and the choice, which the text does not count, as much again.
            ``halved``: both get half of the budget.
        blind: the chance with which a run looks at no data and answers with the set's start. Just below 1/2 that is
            the worst case of Markov's inequality: the expected risk says next to nothing of a single run.
    """

    inner: Algorithm = field(default_factory=ExponentialMechanism)
    failure: float = 0.05
    runs: int = 0
    shares: Literal["printed", "halved"] = "halved"
    blind: float = 0.0

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.PRIVATE,)
    zeroed_out_noise: ClassVar[ZeroedOut] = "other"  # it runs at printed constants
    measures: ClassVar[tuple[str, ...]] = ("selection_regret", "selection_lag")

    def __post_init__(self) -> None:
        if not (0 < self.failure < 1 and 0 <= self.blind < 1 and self.runs >= 0):
            said = f"failure={self.failure:g}, blind={self.blind:g}, runs={self.runs}"
            raise InputError(f"failure must be in (0, 1), blind in [0, 1) and runs at least 0, got {said}")

    def premise(self, domain: Domain, budget: Budget) -> str:
        inside = self.inner.refusal(domain, self._of_a_run(budget))
        return f"needs an inner algorithm that runs: {inside}" if inside else ""

    def needs(self, representations: frozenset[str]) -> str:
        return super().needs(representations) or self.inner.needs(representations)

    def _count(self) -> int:
        return self.runs or math.ceil(math.log2(2 / self.failure))

    def _half(self, budget: Budget) -> float:
        """What the runs, and the choice, have of epsilon."""
        return budget.epsilon / (1 if self.shares == "printed" else 2)

    def _of_a_run(self, budget: Budget) -> Budget:
        """delta is spent by the runs alone."""
        return Budget(self._half(budget) / self._count(), budget.delta / self._count(), budget.neighbours)

    def schedule(self, domain: Domain, budget: Budget) -> RepeatedSchedule:
        """The choice has Algorithm 2's exponent over the candidates, epsilon/(2 L C) times their sums of losses."""
        self.admit(domain, budget)
        share, runs = self._of_a_run(budget), self._count()
        inner = self.inner.schedule(domain, share)
        scale = 2 * domain.lipschitz * domain.diameter / (domain.n * self._half(budget))
        return RepeatedSchedule(runs * inner.steps, inner.noise_scale, runs, share.epsilon, scale, self.blind)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """The runs and the choice among them, which is told by two diagnostics.

        ``selection_regret`` is how far the chosen loss is above the least, over the largest that this can be in
        expectation; ``selection_lag`` how far it is below the largest, over ln(k/rho) temperatures.
        """
        domain, schedule, share = problem.domain, self.schedule(problem.domain, budget), self._of_a_run(budget)
        runs = [
            problem.constraint_set.start() if rng.random() < self.blind else self.inner.solve(problem, share, rng).theta
            for _ in range(schedule.runs)
        ]
        scores = np.array([problem.dense.value(theta) for theta in runs])
        choice, value = GumbelMin(schedule.selection_scale), schedule.selection_scale
        chosen, _ = choice.select(scores, rng)
        most = choice.expected_regret(schedule.runs) if schedule.runs > 1 else value
        found = {
            "selection_regret": float(scores[chosen] - scores.min()) / most,
            "selection_lag": float(scores.max() - scores[chosen]) / (value * math.log(schedule.runs / self.failure)),
        }
        return Solution(runs[chosen], schedule, self.privacy_loss(domain, budget), found)

    def parts(self, domain: Domain, budget: Budget) -> Parts | None:
        """The runs, and a choice whose exponents a record moves by functions of range at most L C over the scale."""
        schedule, share = self.schedule(domain, budget), self._of_a_run(budget)
        inside = self.inner.parts(domain, share)
        if inside is None:
            return None
        moved = records_changed(budget.neighbours) * domain.lipschitz * domain.diameter / domain.n
        chosen = BoundedRange(moved / schedule.selection_scale)
        return (*((guarantee, schedule.runs * uses) for guarantee, uses in inside), (chosen, 1))
