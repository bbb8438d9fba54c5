"""Algorithms 2, 3 and 6 of Kifer, Smith and Thakurta (2012): a private support, then objective perturbation on it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Solution
from dprepro.algorithms.exponential_support import ExponentialSupport, SupportSchedule, SupportSelection
from dprepro.algorithms.objective_perturbation import LeastRegulariser, ObjectivePerturbation, PerturbationSchedule
from dprepro.algorithms.premises import Assumption, ZeroedOut, check_positive
from dprepro.algorithms.sample_and_aggregate import SampleAndAggregate
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.privacy import PrivacyLoss
from dprepro.problems import Domain, Problem, Records, RecordsView, SupportsView
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.support_answers import IntArray
from dprepro.support.frozen import normalise

TOP_SLACK = 1e-12  # relative: what rows of norm sqrt(s) may exceed it by through rounding


@dataclass(frozen=True)
class SparseSchedule(PerturbationSchedule):
    """``noise_scale`` is that of the first half, to which hard data are tuned; the rest is objective perturbation's.

    ``fit_noise`` is the root mean square of ||b||_2 in s dimensions, ``sparsity`` s, ``loss_bound`` alpha of the scores
    (1 for votes).
    """

    fit_noise: float = 0.0
    sparsity: int = 0
    loss_bound: float = 0.0


@dataclass(frozen=True)
class SparseRegression(Algorithm):
    """Half of epsilon chooses a support, the other half and delta minimise on it.

    Attributes:
        selection: Algorithm 4 (Theorem 7's pipeline) or Algorithm 5 (Algorithms 3 and 6); its ``sparsity`` is the one
            below.
        sparsity: s.
        noise: of objective perturbation; ``gamma`` for delta = 0.
        rows: line 4 of Algorithm 6 tests the norm of a row's s largest entries and divides by the norm of all;
            ``restricted`` divides by the norm that was tested, as Algorithm 3 says, ``printed`` as Algorithm 6 does.
        second_half: share of epsilon for objective perturbation; above 1/2 it is a negative control.

    Labels are cut off at +-s, and rows scaled, where the domain's bounds allow more: then zeta = 2 s^(3/2) and lambda =
    s for half the squared loss over the unit box.
    """

    selection: SupportSelection = field(default_factory=SampleAndAggregate)
    sparsity: int = 2
    noise: Literal["gaussian", "gamma"] = "gaussian"
    rows: Literal["restricted", "printed"] = "restricted"
    second_half: float = 0.5

    zeroed_out_noise: ClassVar[ZeroedOut] = "other"  # of the block of votes that moves, and half of it
    representations: ClassVar[tuple[str, ...]] = ("records",)
    measures: ClassVar[tuple[str, ...]] = ("noise_norm",)

    def __post_init__(self) -> None:
        check_positive(self, "second_half")
        if not isinstance(self.selection, ExponentialSupport | SampleAndAggregate):
            name = type(self.selection).__name__
            raise InputError(f"selection must be ExponentialSupport or SampleAndAggregate, got {name}")
        # a field that has to agree with another: equal algorithms must have equal fields, by which they are stored
        normalise(self, selection=replace(self.selection, sparsity=self.sparsity))

    @property
    def relations(self) -> tuple[Neighbours, ...]:
        return self.selection.relations

    @property
    def fit(self) -> ObjectivePerturbation:
        """Algorithm 1 with Delta = 2 lambda/epsilon."""
        return ObjectivePerturbation(noise=self.noise, regulariser=LeastRegulariser())

    def assumed(self) -> tuple[Assumption, ...]:
        return (*self.selection.assumed(), *self.fit.assumed())

    def premise(self, domain: Domain, budget: Budget) -> str:
        if reason := self.selection.lacks(domain, self.first(budget)):
            return reason
        return self.fit.lacks(self.restricted(domain), self.second(budget))

    def first(self, budget: Budget) -> Budget:
        """What the support may spend."""
        return Budget(budget.epsilon / 2, 0.0, budget.neighbours)

    def second(self, budget: Budget) -> Budget:
        """What objective perturbation may spend."""
        return Budget(self.second_half * budget.epsilon, budget.delta, budget.neighbours)

    def restricted(self, domain: Domain) -> Domain:
        """The domain of the second half: s coordinates, |y| <= s and ||x||_2 <= sqrt(s), or less."""
        part = domain.section(self.sparsity)
        if part.feature_length > math.sqrt(self.sparsity) * (1 + TOP_SLACK):
            part = replace(part, feature_bound=math.sqrt(self.sparsity), feature_norm=2)
        return replace(part, label_bound=min(part.label_bound, float(self.sparsity)))

    def schedule(self, domain: Domain, budget: Budget) -> SparseSchedule:
        self.admit(domain, budget)
        chosen = self.selection.schedule(domain, self.first(budget))
        fitted = self.fit.schedule(self.restricted(domain), self.second(budget))
        assert isinstance(chosen, SupportSchedule)
        return SparseSchedule(
            1,
            chosen.noise_scale,
            coordinate_scale=fitted.coordinate_scale,
            regulariser=fitted.regulariser,
            fit_noise=fitted.noise_scale,
            sparsity=self.sparsity,
            loss_bound=chosen.loss_bound,
        )

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """Line by line as Algorithm 6, line 2 with the selection that was asked for."""
        self.admit(problem.domain, budget)
        support = self.selection.support(problem, self.first(budget), rng)  # lines 1 and 2
        return self.on_support(problem, support, budget, rng)

    def on_support(self, problem: Problem, support: IntArray, budget: Budget, rng: np.random.Generator) -> Solution:
        """Lines 3 to 6, on a support that has been chosen."""
        fitted = self.fit.solve(self.part(problem, support), self.second(budget), rng)  # line 5
        theta = np.zeros(problem.domain.p)
        theta[support] = fitted.theta
        privacy_loss = self.privacy_loss(problem.domain, budget)
        return Solution(theta, self.schedule(problem.domain, budget), privacy_loss, fitted.diagnostics)  # line 6

    def part(self, problem: Problem, support: IntArray) -> Problem:
        """What objective perturbation sees: lines 3 and 4, where they change anything, and the support's columns."""
        domain = self.restricted(problem.domain)
        if self.keeps(problem.domain):
            quadratic = "moments" in problem.representations
            view = SupportsView(problem.moments if quadratic else problem.records).on(support)
            return Problem(domain, {"moments" if quadratic else "records": view})
        records = problem.records.records
        labels = np.clip(records.targets, -self.sparsity, self.sparsity)  # line 3
        features = records.features[:, support] * self.row_factors(records.features)  # line 4
        chosen = Records(features, labels, records.counts)
        return Problem(domain, {"records": RecordsView(domain, chosen)})

    def keeps(self, domain: Domain) -> bool:
        """Whether no label is cut off and no row scaled, by the bounds alone: lines 3 and 4 change nothing then."""
        return self.rows == "restricted" and self.restricted(domain) == domain.section(self.sparsity)

    def row_factors(self, features: FloatArray) -> FloatArray:
        """What line 4 multiplies rows by, shape (K, 1): the s largest entries then have a norm of at most sqrt(s)."""
        s = self.sparsity
        top = np.partition(np.abs(features), -s, axis=1)[:, -s:] if s < features.shape[1] else np.abs(features)
        size, limit = np.linalg.norm(top, axis=1, keepdims=True), math.sqrt(s)
        if self.rows == "restricted":
            return np.asarray(np.minimum(1.0, limit / np.maximum(size, 1e-300)))
        whole = np.linalg.norm(features, axis=1, keepdims=True)
        return np.where(size >= limit, limit / np.maximum(whole, 1e-300), 1.0)

    def privacy_loss(self, domain: Domain, budget: Budget) -> PrivacyLoss | None:
        """Both halves added up: the first has no delta."""
        first = self.selection.privacy_loss(domain, self.first(budget))
        if first is None:
            return None
        second = self.fit.privacy_loss(self.restricted(domain), self.second(budget))
        return PrivacyLoss(first.epsilon + second.epsilon, second.delta, f"{first.conversion} + {second.conversion}")
