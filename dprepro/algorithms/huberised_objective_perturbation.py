"""Equation (9) of Bassily, Smith and Thakurta (2014), Appendix A: objective perturbation on the Huberised hinge."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Solution
from dprepro.algorithms.objective_perturbation import PerturbationSchedule
from dprepro.budget import Budget
from dprepro.errors import Incompatible, InputError
from dprepro.problems import BallRisk
from dprepro.problems.constants import Constants
from dprepro.problems.data import FloatArray
from dprepro.problems.problem import Problem


@dataclass(frozen=True)
class HuberisedObjectivePerturbation(Algorithm):
    """theta^priv = argmin over [-2, 2] of sum_i f^(y_i - x_i theta) + Delta/2 theta^2 + b theta, in one dimension.

    f^(z) = z_+ for |z| > h and z^2/(4h) + z/2 + h/4 between: continuous with its derivative, not with the second one
    (printed: twice continuously differentiable), which is beta = 1/(2h) at most. b is N(0, 8 ln(1/delta)/epsilon^2).

    Attributes:
        smoothing: h > 0.
        regulariser: ``printed`` Delta/2 = 1/(8 epsilon h), that is Delta = beta/(2 epsilon); or ``corrected`` 1/(2
            epsilon h), Delta = 2 beta/epsilon as in Kifer, Smith and Thakurta's Algorithm 1.
        noise_factor: multiplies b; 1 is the paper's. Replacing a record moves the sum's slope by up to 2, twice what
            adding one does, and b is scaled for 1: 2 serves replacement.

    The privacy of (9) is computed, not certified: see :class:`dprepro.studies.OneDimensionStudy`.
    """

    needs: ClassVar[tuple[str, ...]] = ("records",)

    smoothing: float = 0.01
    regulariser: Literal["printed", "corrected"] = "corrected"
    noise_factor: float = 1.0

    def __post_init__(self) -> None:
        for name, value in (("smoothing", self.smoothing), ("noise_factor", self.noise_factor)):
            if not 0 < value < math.inf:
                raise InputError(f"{name} must be positive, got {name}={value:g}")

    def admit(self, constants: Constants, budget: Budget) -> None:
        """A finite epsilon and a positive delta are needed."""
        if not budget.is_private or budget.delta == 0:
            raise InputError(
                f"HuberisedObjectivePerturbation needs a finite epsilon and delta > 0, got "
                f"epsilon={budget.epsilon:g}, delta={budget.delta:g}"
            )

    def schedule(self, constants: Constants, budget: Budget) -> PerturbationSchedule:
        """The noise of the sum's slope and Delta; raises InputError without a finite epsilon and delta > 0."""
        self.admit(constants, budget)
        scale = self.noise_factor * math.sqrt(8 * math.log(1 / budget.delta)) / budget.epsilon
        share = 4 if self.regulariser == "printed" else 1
        regulariser = 1 / (share * budget.epsilon * self.smoothing)
        return PerturbationSchedule(1, scale, coordinate_scale=scale, regulariser=regulariser)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As printed. The objective's slope without b is piecewise linear and increasing: (9) inverts it at -b."""
        schedule = self.schedule(problem.constants, budget)
        b = schedule.coordinate_scale * rng.standard_normal()
        places, slopes = self.slope(problem, schedule.regulariser)
        theta = np.array([np.interp(-b, slopes, places)])  # beyond the ends of [-2, 2] its ends
        return Solution(theta, schedule, None)

    def slope(self, problem: Problem, regulariser: float) -> tuple[FloatArray, FloatArray]:
        """Ascending places in the set, and the slope of the objective without b there; linear between them.

        Raises:
            Incompatible: not a one-dimensional risk of positive parts.
        """
        if not isinstance(problem, BallRisk) or problem.loss.name != "positive_part":
            raise Incompatible("HuberisedObjectivePerturbation needs a BallRisk with loss positive_part")
        h, kinks = self.smoothing, problem.kinks
        x, y = problem.distinct[:, 0], problem.labels
        seen = x != 0
        ends = np.concatenate([(y[seen] - h) / x[seen], (y[seen] + h) / x[seen], kinks])
        places = np.unique(np.clip(ends, kinks[0], kinks[-1]))
        z = y - places[:, None] * x
        return places, -huber_slope(z, h) @ (problem.counts * x) + regulariser * places


def huber_slope(z: FloatArray, h: float) -> FloatArray:
    """The derivative of f^: 0 below -h, 1 above h, (z/h + 1)/2 between."""
    return np.asarray(np.clip((z / h + 1) / 2, 0.0, 1.0))
