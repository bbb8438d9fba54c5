"""Appendix A of Bassily, Smith and Thakurta (2014): losses with kinks are Huberised for algorithms of smooth ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution
from dprepro.algorithms.objective_perturbation import ObjectivePerturbation
from dprepro.algorithms.premises import Assumption, ZeroedOut
from dprepro.budget import Budget
from dprepro.errors import InputError
from dprepro.privacy import PrivacyLoss
from dprepro.problems import Domain, HingeLoss, Problem, Records, RecordsView


@dataclass(frozen=True)
class Huberised(Algorithm):
    """``inner`` on the loss whose kinks are rounded within h: h times the loss at width 1 of records divided by h.

    A hinge of <x, theta> and y is the positive part of 1 - <yx, theta>. Each record is mapped by itself, so that the
    answer is as private as that of ``inner``; it loses at most what ``inner`` loses on the rounded loss and h/2 more
    (h/4 of a positive part). No h makes objective perturbation optimal, which is what the appendix shows.

    Attributes:
        inner: the algorithm that needs a smooth loss.
        width: h; 0 for X R sqrt(2/(n epsilon)), which balances h/2 with what a regulariser of 2 X^2/(h epsilon) costs,
            and at most the reach of predictions and labels, from which on the loss is quadratic.
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.KINK, Assumption.PRIVATE)
    zeroed_out_noise: ClassVar[ZeroedOut] = "other"  # in units of a width that both relations share
    representations: ClassVar[tuple[str, ...]] = ("records",)

    inner: Algorithm = field(default_factory=ObjectivePerturbation)
    width: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.width < math.inf:
            raise InputError(f"width must be positive, or 0 for the rule, got width={self.width:g}")

    @property
    def measures(self) -> tuple[str, ...]:
        return self.inner.measures  # what is reported is the inner solution

    def premise(self, domain: Domain, budget: Budget) -> str:
        inside = self.inner.refusal(self.smoothed(domain, budget), budget)
        return f"needs an inner algorithm that runs: {inside}" if inside else ""

    def at(self, domain: Domain, budget: Budget) -> float:
        """h; see the class."""
        rule = domain.feature_length * domain.radius * math.sqrt(2 / (domain.n * budget.epsilon))
        return self.width or min(rule, domain.reach + domain.label_bound)

    def smoothed(self, domain: Domain, budget: Budget) -> Domain:
        """What is public of the records that ``inner`` sees."""
        h, loss = self.at(domain, budget), domain.loss.rounded()
        assert loss is not None, "a loss without kinks is refused"
        hinge = isinstance(domain.loss, HingeLoss)
        longest, label = (domain.label_bound, 1.0) if hinge else (1.0, domain.label_bound)
        return replace(domain, loss=loss, feature_bound=domain.feature_bound * longest / h, label_bound=label / h)

    def schedule(self, domain: Domain, budget: Budget) -> Schedule:
        self.admit(domain, budget)
        return self.inner.schedule(self.smoothed(domain, budget), budget)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        self.admit(problem.domain, budget)
        h, within = self.at(problem.domain, budget), self.smoothed(problem.domain, budget)
        given = problem.records.records
        x, y = given.features, given.targets
        if isinstance(problem.domain.loss, HingeLoss):
            x, y = y[:, None] * x, np.ones_like(y)
        records = RecordsView(within, Records(x / h, y / h, given.copies))
        return self.inner.solve(Problem(within, {"records": records}), budget, rng)

    def parts(self, domain: Domain, budget: Budget) -> Parts | None:
        return self.inner.parts(self.smoothed(domain, budget), budget)

    def privacy_loss(self, domain: Domain, budget: Budget) -> PrivacyLoss | None:
        return self.inner.privacy_loss(self.smoothed(domain, budget), budget)
