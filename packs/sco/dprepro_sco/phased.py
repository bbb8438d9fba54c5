"""Phased ERM and phased SGD, derived here after Feldman, Koren and Talwar (2020); all risks are means.

    1: k = floor(log2 n), D >= |w_0 - w*|, mu: the budget's Gaussian parameter.
    2: part the records at random into phases of T_i = floor(n/2^i), i = 1, ..., k.
    3: for i = 1 to k do
    4:     eta_i = eta/4^i
    5:     ERM:  wbar_i = argmin over K of F_i(w) + |w - P(w_{i-1})|^2/(eta_i T_i), F_i the mean loss of phase i
           SGD:  one pass from P(w_{i-1}) over the phase with the step eta_i; wbar_i is the mean of the T_i points at
                 which gradients were taken
    6:     w_i = wbar_i + N(0, sigma_i^2 I), sigma_i = c L eta_i/mu, c = 1 for ERM and 2 for SGD
    7: Output P(w_k).

P is the projection on K. Why it is private: one record stands in one phase, whatever the partition, and moves wbar_i by
at most c L eta_i. (ERM: the objective of line 5 is 2/(eta_i T_i)-strongly convex, and its two versions differ by a
function that is 2L/T_i-Lipschitz. SGD: a step on a smooth convex loss moves no two points apart where eta_i <= 2/beta,
and the one on the record that differs by 2 L eta_i at most.) So all that is released is one Gaussian shift of mu.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution, records_changed
from dprepro.algorithms.partition import MOST_RECORDS, parted
from dprepro.algorithms.premises import Assumption, check_positive
from dprepro.budget import Budget
from dprepro.errors import PremiseError
from dprepro.mechanisms import Gaussian, GaussianShift, NoiseMoments
from dprepro.privacy import noise_for
from dprepro.problems import Domain, Problem, RecordsView
from dprepro.problems.problem_data import FloatArray
from dprepro.support.last_result import cache_last


@dataclass(frozen=True)
class PhasedSchedule(Schedule):
    """``steps`` counts the gradients of a pass, or the phases of ERM; ``noise_scale`` is sigma_1.

    Attributes:
        step_size: eta_1.
        sizes, step_sizes, noise_scales: T_i, eta_i and sigma_i of each phase.
    """

    step_size: float = 0.0
    sizes: tuple[int, ...] = ()
    step_sizes: tuple[float, ...] = ()
    noise_scales: tuple[float, ...] = ()


def halves(n: float) -> tuple[int, ...]:
    """T_i = floor(n/2^i), i = 1, ..., floor(log2 n)."""
    whole = int(n)
    return tuple(whole >> i for i in range(1, whole.bit_length()))


@dataclass(frozen=True)
class Phased(Algorithm):
    """What both have in common; see the module.

    Attributes:
        phases: ``halving``, as above; ``one``: the first alone, with the step that is best for it, which is no part of
            the paper.
        noise_factor: multiplies the noise; 1 for what is derived.
    """

    moved: ClassVar[float]  # c of line 6
    passes: ClassVar[bool]  # whether gradients are taken one by one

    phases: Literal["halving", "one"] = "halving"
    noise_factor: float = 1.0

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.DELTA, Assumption.L2_BALL)
    representations: ClassVar[tuple[str, ...]] = ("records",)

    def __post_init__(self) -> None:
        check_positive(self, "noise_factor")

    @classmethod
    def reductions(cls) -> Mapping[str, Any]:
        """Two coordinates."""
        from dprepro_sco.two_coordinates import TwoCoordinates

        return {"two_coordinates": TwoCoordinates}

    def premise(self, domain: Domain, budget: Budget) -> str:
        """Records for a phase."""
        return "" if domain.n >= 2 else f"needs at least 2 records, got n={domain.n:g}"

    @abstractmethod
    def step(self, n: float, p: float, mu: float) -> float:
        """a of eta = a D/L: the least of the bound that the halves have; see `bounds`."""

    @abstractmethod
    def lone_step(self, size: float, p: float, mu: float) -> float:
        """The same of eta_1 for a single phase."""

    @cache_last
    def schedule(self, domain: Domain, budget: Budget) -> PhasedSchedule:
        """Lines 1, 4 and 6: D is the radius, as w_0 = 0."""
        self.admit(domain, budget)
        mu = 1 / noise_for(lambda scale: GaussianShift(1 / scale), 1, budget)
        unit, sizes = domain.radius / domain.lipschitz, halves(domain.n)
        if self.phases == "one":
            sizes = sizes[:1]
            steps = (unit * self.lone_step(sizes[0], domain.p, mu),)
        else:
            eta = unit * self.step(domain.n, domain.p, mu)
            steps = tuple(eta / 4**i for i in range(1, len(sizes) + 1))
        share = self.noise_factor * records_changed(budget.neighbours) / 2
        noise = tuple(share * self.moved * domain.lipschitz * eta_i / mu for eta_i in steps)
        count = sum(sizes) if self.passes else len(sizes)
        return PhasedSchedule(count, noise[0], steps[0], sizes, steps, noise)

    @abstractmethod
    def phase(self, part: RecordsView, start: FloatArray, step_size: float, rng: np.random.Generator) -> FloatArray:
        """Line 5: wbar_i."""

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As the module says."""
        domain, schedule = problem.domain, self.schedule(problem.domain, budget)
        if domain.n > MOST_RECORDS:
            raise PremiseError(f"n={domain.n:g} records are too many to part")
        project, w, noise = domain.constraint_set.project, domain.constraint_set.start(), NoiseMoments()
        parts = parted(problem, schedule.sizes, rng)
        for part, eta, sigma in zip(parts, schedule.step_sizes, schedule.noise_scales, strict=True):
            mean = self.phase(part.records, project(w), eta, rng)
            w, moments = Gaussian(sigma).release(mean, rng)
            # in units of the first phase's noise
            noise += NoiseMoments.normal(moments.square * (schedule.noise_scale / sigma) ** 2, domain.p)
        return Solution(project(w), schedule, self.privacy_loss(domain, budget), noise=noise)

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        """One Gaussian: each record is in one phase, and all phases have the same shift."""
        schedule = self.schedule(domain, budget)
        sensitivity = records_changed(budget.neighbours) / 2 * self.moved * domain.lipschitz * schedule.step_size
        return ((Gaussian(schedule.noise_scale).guarantee(sensitivity), 1),)


@dataclass(frozen=True)
class PhasedERM(Phased):
    """Phases that minimise; no smoothness is needed."""

    moved: ClassVar[float] = 1.0
    passes: ClassVar[bool] = False

    @property
    def bound(self) -> str:
        return "dprepro_sco.bounds.erm" if self.phases == "halving" else "dprepro_sco.bounds.erm_one_phase"

    def step(self, n: float, p: float, mu: float) -> float:
        return math.sqrt((8 / n) / (1 / 3 + 8 * p / (mu**2 * n) + 4 * math.sqrt(p) / (mu * n**2)))

    def lone_step(self, size: float, p: float, mu: float) -> float:
        return math.sqrt(1 / (size * (1 + math.sqrt(p) / mu)))

    def phase(self, part: RecordsView, start: FloatArray, step_size: float, rng: np.random.Generator) -> FloatArray:
        """By the certified minimum of F + ridge/2 |w|^2 - ridge <start, w>."""
        ridge = 2 / (step_size * part.domain.n)
        return np.asarray(part.minimise(-ridge * start, ridge).theta, dtype=np.float64)


@dataclass(frozen=True)
class PhasedSGD(Phased):
    """Phases of one pass, for smooth losses: eta_1 <= 2/beta."""

    moved: ClassVar[float] = 2.0
    passes: ClassVar[bool] = True
    assumptions: ClassVar[tuple[Assumption, ...]] = (*Phased.assumptions, Assumption.SMOOTH)

    @property
    def bound(self) -> str:
        return "dprepro_sco.bounds.sgd" if self.phases == "halving" else "dprepro_sco.bounds.sgd_one_phase"

    def premise(self, domain: Domain, budget: Budget) -> str:
        """Steps of 2/beta at most."""
        if reason := super().premise(domain, budget):
            return reason
        mu = 1 / noise_for(lambda scale: GaussianShift(1 / scale), 1, budget)
        step = self.step(domain.n, domain.p, mu) / 4 if self.phases == "halving" else 0.0
        if self.phases == "one":
            step = self.lone_step(halves(domain.n)[0], domain.p, mu)
        step *= domain.radius / domain.lipschitz
        if step * domain.smoothness > 2:
            return f"needs steps of at most 2/beta={2 / domain.smoothness:.3g}, its first one is {step:.3g}"
        return ""

    def step(self, n: float, p: float, mu: float) -> float:
        return math.sqrt((4 / n) / (1 / 6 + 16 * p / (mu**2 * n) + 8 * math.sqrt(p) / (mu * n**2)))

    def lone_step(self, size: float, p: float, mu: float) -> float:
        return math.sqrt(1 / (size * (1 + 4 * math.sqrt(p) / mu)))

    def phase(self, part: RecordsView, start: FloatArray, step_size: float, rng: np.random.Generator) -> FloatArray:
        """In a random order."""
        records, project = part.records, part.domain.constraint_set.project
        w, total = start, np.zeros_like(start)
        order = rng.permutation(np.repeat(np.arange(len(records.copies)), np.rint(records.copies).astype(np.int64)))
        for number in order:
            total += w
            w = project(w - step_size * part.record_gradient(w, int(number)))
        return np.asarray(total / len(order))
