"""AdaSSP of Wang (2018), "Revisiting differentially private linear regression": noisy sums with an adaptive ridge."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution
from dprepro.algorithms.premises import Assumption, check_positive
from dprepro.algorithms.sufficient_statistics import second_moments
from dprepro.budget import Budget, Neighbours
from dprepro.mechanisms import Gaussian
from dprepro.privacy import noise_factor
from dprepro.problems import Domain, Problem
from dprepro.problems.problem_data import FloatArray
from dprepro_adassp.bounds import threshold_factor


@dataclass(frozen=True)
class AdaSSPSchedule(Schedule):
    """The three releases; ``noise_scale`` is that of lambda_min and of every entry of X^T X.

    Attributes:
        label_noise: scale of the noise on X^T y.
        shift: what is taken off the noisy lambda_min, so that it errs on the low side.
        threshold: lambda_min + lambda is to reach it.
    """

    label_noise: float = 0.0
    shift: float = 0.0
    threshold: float = 0.0


@dataclass(frozen=True)
class AdaSSP(Algorithm):
    """Solve (X^T X + E + lambda I) theta = X^T y + e, where lambda is as small as a noisy lambda_min(X^T X) allows.

    With X bounding ||x||, Y bounding |y| and t = sqrt(ln(6/delta))/(epsilon/3):
    1. l = max(0, lambda_min(X^T X) + t X^2 Z - t sqrt(ln(6/delta)) X^2), Z standard normal.
    2. lambda = max(0, t X^2 sqrt(p ln(2 p^2/rho)) - l).
    3. E is symmetric, t X^2 times standard normals on and above the diagonal.
    4. e is t X Y times standard normals.

    Sums, not means: nothing here reads n as a public number. A record that comes or goes moves lambda_min by at most
    X^2 (Weyl), the upper triangle of X^T X by at most X^2 and X^T y by at most X Y; a replaced one by X^2, sqrt(2) X^2
    and 2 X Y.

    Attributes:
        rho: probability of failure in the threshold.
        ridge: ``adaptive``; ``full``, the threshold whatever the data; ``none``. The last two are no part of the paper.
        constants: ``printed``, t as above; or ``exact``, the least t that an accountant certifies for all three.
        noise_factor: multiplies t where noise is drawn; 1 for the paper's.
    """

    relations: ClassVar[tuple[Neighbours, ...]] = tuple(Neighbours)
    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.DELTA, Assumption.SQUARE)
    measures: ClassVar[tuple[str, ...]] = ("ridge_share",)

    rho: float = 0.05
    ridge: Literal["adaptive", "full", "none"] = "adaptive"
    constants: Literal["printed", "exact"] = "printed"
    noise_factor: float = 1.0

    def __post_init__(self) -> None:
        check_positive(self, "rho", "noise_factor")

    def schedule(self, domain: Domain, budget: Budget) -> AdaSSPSchedule:
        """t, in the units of what it is added to."""
        self.admit(domain, budget)
        x, y, logarithm = domain.feature_length, domain.label_bound, math.log(6 / budget.delta)
        if self.constants == "exact":
            t = noise_factor(_parts(1.0, budget.neighbours), budget)
        else:
            t = math.sqrt(logarithm) / (budget.epsilon / 3)
        noise = self.noise_factor * t * x**2
        return AdaSSPSchedule(
            3,
            noise,
            label_noise=self.noise_factor * t * x * y,
            shift=noise * math.sqrt(logarithm),
            threshold=noise * threshold_factor(domain.p, self.rho),
        )

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As the class says; the answer is projected only where it has to lie in the set."""
        domain, schedule = problem.domain, self.schedule(problem.domain, budget)
        gram, cross = (domain.n * mean for mean in second_moments(problem))
        entries, labels = Gaussian(schedule.noise_scale), Gaussian(schedule.label_noise)

        least: FloatArray = np.array([np.linalg.eigvalsh(gram)[0]], dtype=np.float64)
        released, of_least = entries.release(least, rng)
        low = max(0.0, float(released[0]) - schedule.shift)
        wanted = {"adaptive": schedule.threshold - low, "full": schedule.threshold, "none": 0.0}
        ridge = max(0.0, wanted[self.ridge])

        upper, noisy = np.triu_indices(domain.p), np.empty_like(gram)
        noisy[upper], of_gram = entries.release(gram[upper], rng)
        noisy.T[upper] = noisy[upper]
        target, _ = labels.release(cross, rng)
        theta = np.linalg.solve(noisy + ridge * np.eye(domain.p), target)

        of_labels = entries.moments((target - cross) * (schedule.noise_scale / schedule.label_noise))
        answer = domain.constraint_set.project(theta) if domain.proper else theta
        shares = {"ridge_share": ridge / schedule.threshold}
        return Solution(answer, schedule, self.privacy_loss(domain, budget), shares, of_least + of_gram + of_labels)

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        """Three Gaussian releases."""
        schedule = self.schedule(domain, budget)
        return _parts(schedule.noise_scale / domain.feature_length**2, budget.neighbours)


def _parts(t: float, neighbours: Neighbours) -> Parts:
    """lambda_min, X^T X and X^T y with noise t times X^2, X^2 and X Y."""
    replaced = neighbours is Neighbours.REPLACE_ONE
    changes = (1.0, math.sqrt(2.0), 2.0) if replaced else (1.0, 1.0, 1.0)
    return tuple((Gaussian(t).guarantee(change), 1) for change in changes)
