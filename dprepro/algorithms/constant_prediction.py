"""The private mean, or the majority class: the answer that any other has to beat."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution, records_changed
from dprepro.algorithms.premises import Assumption, ZeroedOut
from dprepro.budget import Budget
from dprepro.mechanisms import Laplace
from dprepro.problems import Domain, Problem
from dprepro.problems.losses import AbsoluteLoss, HuberLoss
from dprepro.problems.problem_data import FloatArray

ERRORS = (AbsoluteLoss, HuberLoss)


@dataclass(frozen=True)
class ConstantPrediction(Algorithm):
    """One prediction for all: theta = t e_j for a coordinate j in which every record is 1, an intercept.

    The mean label is released with Laplace noise of scale 2 Y/(n epsilon) and clipped to [-Y, Y]; under `zero_out` too,
    since a zeroed-out record (x = 0) has a label of its own. t is best for labels that are +-Y with that mean: the mean
    itself for a squared loss, the log odds for a logistic one, the majority for a hinge. For other losses of an error
    (`ERRORS`) labels are numbers, whose majority says nothing: t is the mean.

    Attributes:
        coordinate: j, public. The answer is private whatever stands in it.
    """

    coordinate: int = 0

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.PRIVATE, Assumption.MARGIN)
    zeroed_out_noise: ClassVar[ZeroedOut] = "other"  # a zeroed-out record keeps its label
    version: ClassVar[int] = 2  # since labels of zeroed-out records count
    representations: ClassVar[tuple[str, ...]] = ("records",)

    def premise(self, domain: Domain, budget: Budget) -> str:
        if not math.isfinite(domain.label_bound):
            return "needs a bound on the labels"
        if not 0 <= self.coordinate < domain.p:
            return f"needs a coordinate from 0 to {domain.p - 1}, got coordinate={self.coordinate}"
        return ""

    def schedule(self, domain: Domain, budget: Budget) -> Schedule:
        self.admit(domain, budget)
        return Schedule(1, self._sensitivity(domain, budget) / budget.epsilon)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        domain, schedule = problem.domain, self.schedule(problem.domain, budget)
        records = problem.records.records
        mean = np.array([records.weights @ records.targets])
        released, _ = Laplace(schedule.noise_scale).release(mean, rng)
        noisy = float(released[0])
        bound = domain.label_bound
        share = 0.5 * (1 + float(np.clip(noisy, -bound, bound)) / bound) if bound > 0 else 0.5
        theta = np.zeros(domain.p)
        theta[self.coordinate] = self._best(domain, share)
        return Solution(domain.constraint_set.project(theta), schedule, self.privacy_loss(domain, budget))

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        scale = self.schedule(domain, budget).noise_scale
        return ((Laplace(scale).guarantee(self._sensitivity(domain, budget)), 1),)

    def _sensitivity(self, domain: Domain, budget: Budget) -> float:
        return records_changed(budget.neighbours, zeroed_out=1.0) * domain.label_bound / domain.n

    def _best(self, domain: Domain, share: float) -> float:
        """The minimiser of share phi(t; Y) + (1 - share) phi(t; -Y) over |t| <= the set's largest coordinate."""
        from scipy.optimize import minimize_scalar

        largest, bound = domain.constraint_set.norm_bound(math.inf), domain.label_bound

        def risk(t: float) -> float:
            losses: FloatArray = domain.loss.value(np.array([t, t]), np.array([bound, -bound]))
            return float(share * losses[0] + (1 - share) * losses[1])

        if isinstance(domain.loss, ERRORS):
            return float(np.clip(bound * (2 * share - 1), -largest, largest))
        inner = float(minimize_scalar(risk, bounds=(-largest, largest), method="bounded", options={"xatol": 1e-9}).x)
        return min((inner, -largest, largest), key=risk)
