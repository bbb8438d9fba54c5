"""Equation (9) of Bassily, Smith and Thakurta (2014), Appendix A: objective perturbation on the Huberised hinge."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms.base import Algorithm, Solution
from dprepro.algorithms.objective_perturbation import PerturbationSchedule
from dprepro.algorithms.premises import Assumption, check_positive
from dprepro.budget import Budget, Neighbours
from dprepro.mechanisms import NoiseMoments
from dprepro.problems import Domain, PositivePartLoss, Problem
from dprepro.problems.problem_data import FloatArray
from dprepro.support.named import NamedRule


@dataclass(frozen=True)
class HuberRegulariser(NamedRule):
    """Delta = 1/(share epsilon h).

    Attributes:
        share: see above.
    """

    share: ClassVar[float]


@dataclass(frozen=True)
class PrintedRegulariser(HuberRegulariser):
    """Delta/2 = 1/(8 epsilon h), that is Delta = beta/(2 epsilon)."""

    name = "printed"
    share = 4


@dataclass(frozen=True)
class CorrectedRegulariser(HuberRegulariser):
    """Delta/2 = 1/(2 epsilon h), that is Delta = 2 beta/epsilon as in Kifer, Smith and Thakurta's Algorithm 1."""

    name = "corrected"
    share = 1


@dataclass(frozen=True)
class HuberisedObjectivePerturbation(Algorithm):
    """theta^priv = argmin over [-2, 2] of sum_i f^(y_i - x_i theta) + Delta/2 theta^2 + b theta, in one dimension.

    f^(z) = z_+ for |z| > h and z^2/(4h) + z/2 + h/4 between: continuous with its derivative, not with the second one
    (printed: twice continuously differentiable), which is beta = 1/(2h) at most. b is N(0, 8 ln(1/delta)/epsilon^2).
    Both are for |x| <= 1; for |x| <= X beta has X^2 and the deviation of b has X.

    Attributes:
        smoothing: h > 0.
        regulariser: ``printed`` or ``corrected``; see the classes of `HuberRegulariser`.
        noise_factor: multiplies b; 1 is the paper's. Replacing a record moves the sum's slope by up to 2, twice what
            adding one does, and b is scaled for 1: 2 serves replacement.

    The privacy of (9) is computed, not certified: it has an exact law.
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.DELTA,)
    representations: ClassVar[tuple[str, ...]] = ("records",)
    relations: ClassVar[tuple[Neighbours, ...]] = tuple(Neighbours)

    smoothing: float = 0.01
    regulariser: HuberRegulariser = CorrectedRegulariser()
    noise_factor: float = 1.0

    def __post_init__(self) -> None:
        check_positive(self, "smoothing", "noise_factor")

    def premise(self, domain: Domain, budget: Budget) -> str:
        if not isinstance(domain.loss, PositivePartLoss) or domain.p != 1:
            return f"smooths PositivePartLoss in one dimension, got {type(domain.loss).__name__} with p={domain.p}"
        return ""

    def schedule(self, domain: Domain, budget: Budget) -> PerturbationSchedule:
        self.admit(domain, budget)
        scale = self.noise_factor * domain.lipschitz * math.sqrt(8 * math.log(1 / budget.delta)) / budget.epsilon
        regulariser = domain.feature_length**2 / (self.regulariser.share * budget.epsilon * self.smoothing)
        return PerturbationSchedule(1, scale, coordinate_scale=scale, regulariser=regulariser)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As printed. The objective's slope without b is piecewise linear and increasing: (9) inverts it at -b."""
        schedule = self.schedule(problem.domain, budget)
        b = schedule.coordinate_scale * float(rng.standard_normal())
        places, slopes = self.slope(problem, schedule.regulariser)
        theta = np.array([np.interp(-b, slopes, places)])  # beyond the set's ends these
        return Solution(theta, schedule, None, noise=NoiseMoments.normal(b**2, 1))

    def slope(self, problem: Problem, regulariser: float) -> tuple[FloatArray, FloatArray]:
        """Ascending places in the set, and the slope of the objective without b there; linear between them."""
        h, kinks, records = self.smoothing, problem.records.kinks, problem.records.records
        x, y = records.features[:, 0], records.targets
        seen = x != 0
        ends = np.concatenate([(y[seen] - h) / x[seen], (y[seen] + h) / x[seen], kinks])
        places = np.unique(np.clip(ends, kinks[0], kinks[-1]))
        z = y - places[:, None] * x
        return places, -huber_slope(z, h) @ (records.copies * x) + regulariser * places


def huber_slope(z: FloatArray, h: float) -> FloatArray:
    """The derivative of f^: 0 below -h, 1 above h, (z/h + 1)/2 between."""
    return np.asarray(np.clip((z / h + 1) / 2, 0.0, 1.0))
