"""Algorithm 1 of Kifer, Smith and Thakurta (2012): generalised objective perturbation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import LATER, Algorithm, Schedule, Solution
from dprepro.algorithms.premises import Assumption, Settings, check_positive
from dprepro.budget import Budget, Neighbours
from dprepro.mechanisms import Drawn, Gaussian
from dprepro.privacy import Spent, budget_under, converted, noise_for, spent
from dprepro.problems import Domain, Problem, View
from dprepro.problems.data import FloatArray


@dataclass(frozen=True)
class PerturbationSchedule(Schedule):
    """Noise and ridge, both in the unit of n times a gradient; ``noise_scale`` is the root mean square of ||b||_2.

    ``coordinate_scale`` is the standard deviation of b's coordinates, or 2 zeta/epsilon of the gamma density, and
    ``regulariser`` is Delta, the strong convexity that is added to n J.
    """

    coordinate_scale: float = 0.0
    regulariser: float = 0.0


@dataclass(frozen=True)
class ObjectivePerturbation(Algorithm):
    """theta^priv = argmin over F of L(theta) + r(theta)/n + Delta/(2n) ||theta||^2 + b.theta/n.

    Attributes:
        noise: ``gamma``, density proportional to exp(-epsilon ||b|| / (2 zeta)), for delta = 0; or ``gaussian``,
            N(0, zeta^2 (8 ln(2/delta) + 4 epsilon)/epsilon^2).
        constants: ``printed``, or ``exact``: the smallest noise that is certified at this Delta.
        regulariser: Delta. ``theorem_4``: zeta p ln p/(epsilon R) for gamma and zeta sqrt(p ln(1/delta))/(epsilon R)
            for Gaussian noise, R being the set's l2 norm bound in place of ||theta_hat||; ``balanced``: zeta p/(epsilon
            R) for gamma noise; ``least``: no more than privacy needs.
        least: Delta is at least this many lambda/epsilon: 2 in line 1; Theorem 4 assumes 1/2, which is not private.
        noise_factor: multiplies the noise; 1 is the paper's (others are negative controls).
        regulariser_factor: multiplies the Delta of ``regulariser``, not the least that privacy needs; 1 in the paper.

    For losses whose Hessian has rank one (generalised linear models), where a record comes or goes, or falls silent; n
    cancels. Under replacement it runs with the budget that two such steps leave, and `spent` names the conversion.
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.MARGIN, Assumption.SMOOTH)
    by_setting: ClassVar[Settings] = {"noise": {"gaussian": (Assumption.DELTA,), "gamma": (Assumption.PURE,)}}
    relations: ClassVar[tuple[Neighbours, ...]] = tuple(Neighbours)
    bound: ClassVar[str] = "kst.lemma_3"
    shape: ClassVar[str] = "kst.theorem_4_rate"
    measures: ClassVar[tuple[str, ...]] = ("noise_norm",)

    noise: Literal["gamma", "gaussian"] = "gaussian"
    constants: Literal["printed", "exact"] = "printed"
    regulariser: Literal["theorem_4", "balanced", "least"] = "theorem_4"
    least: float = 2.0
    noise_factor: float = 1.0
    regulariser_factor: float = field(default=1.0, metadata=LATER)

    def __post_init__(self) -> None:
        check_positive(self, "noise_factor", "regulariser_factor")

    def premise(self, domain: Domain, budget: Budget) -> str:
        """A Delta that leaves some epsilon."""
        delta_big = self._delta_big(domain, _native(budget))
        if self.constants == "exact" and self._left(domain, _native(budget), delta_big) <= 0:
            return f"leaves no epsilon for the noise, the Hessian alone spends it at Delta={delta_big:g}"
        return ""

    def schedule(self, domain: Domain, budget: Budget) -> PerturbationSchedule:
        self.admit(domain, budget)
        inner, p, zeta = _native(budget), domain.p, domain.lipschitz
        delta_big = self._delta_big(domain, inner)
        if self.constants == "exact":
            left = self._left(domain, inner, delta_big)
            scale = zeta / left
            if self.noise == "gaussian":  # at half of delta, and no less than `spent` allows for
                half = replace(inner, epsilon=left, delta=inner.delta / 2)
                least = noise_for(lambda one: Gaussian(one).guarantee(zeta), 1, half)
                scale = max(least, zeta / math.sqrt(2 * left))
        elif self.noise == "gamma":
            scale = 2 * zeta / inner.epsilon
        else:
            scale = zeta * math.sqrt(8 * math.log(2 / inner.delta) + 4 * inner.epsilon) / inner.epsilon
        scale *= self.noise_factor
        # ||b|| has the gamma law of shape p and this scale, or is chi with p degrees of freedom
        size = math.sqrt(p * (p + 1)) * scale if self.noise == "gamma" else math.sqrt(p) * scale
        return PerturbationSchedule(1, size, coordinate_scale=scale, regulariser=delta_big)

    def _delta_big(self, domain: Domain, budget: Budget) -> float:
        p, unit = domain.p, domain.lipschitz / (budget.epsilon * domain.radius)
        wanted = 0.0
        if self.regulariser != "least":
            wanted = unit * p * (math.log(p) if self.regulariser == "theorem_4" else 1.0)
            if self.noise == "gaussian":
                wanted = unit * math.sqrt(p * math.log(1 / budget.delta))
        wanted *= self.regulariser_factor
        return max(wanted, self.least * domain.smoothness / budget.epsilon)

    def _left(self, domain: Domain, budget: Budget, delta_big: float) -> float:
        return budget.epsilon - _determinant(domain, delta_big)

    def draw(self, p: int, scale: float, rng: np.random.Generator, spare: float = 0) -> FloatArray:
        """b, shape (p,). With ``spare`` > 0 the last coordinate is the norm of that many coordinates of b."""
        direction = rng.standard_normal(p)
        if spare:
            direction[-1] = math.sqrt(rng.chisquare(spare))
        if self.noise == "gaussian":
            return scale * direction
        # uniform direction, norm with density r^(p-1) exp(-r/scale)
        norm = rng.gamma(p - 1 + spare if spare else p, scale)
        return np.asarray(norm / math.sqrt(float(direction @ direction)) * direction)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As printed, with the minimiser exact up to its certified gap."""
        scale = self.schedule(problem.domain, budget).coordinate_scale
        return self.answer(problem.listed, budget, self.draw(problem.domain.p, scale, rng))

    def answer(self, view: View, budget: Budget, b: FloatArray) -> Solution:
        """Line 7 for a given noise, in the coordinates of the view; ||b||_2 is reported in the diagnostics."""
        return self.answers(view, budget, [b])[0]

    def answers(self, view: View, budget: Budget, noises: Sequence[FloatArray]) -> list[Solution]:
        """`answer` for each noise; schedule and privacy are the same for all."""
        domain = view.domain
        schedule, spent = self.schedule(domain, budget), self.spent(domain, budget)
        thetas = [view.minimise(b / domain.n, schedule.regulariser / domain.n).theta for b in noises]
        return [
            Solution(theta, schedule, spent, *self.seen(domain.p, b)) for theta, b in zip(thetas, noises, strict=True)
        ]

    def seen(self, p: int, b: FloatArray) -> tuple[dict[str, float], Drawn]:
        """What a draw of b tells: its norm as a diagnostic, and its square, of mean 1 in units of noise_scale."""
        square = float(b @ b)
        # the relative variance of ||b||^2, chi-square or the square of a gamma variable
        spread = (4 * p + 6) / (p * (p + 1)) if self.noise == "gamma" else 2 / p
        return {"noise_norm": math.sqrt(square)}, Drawn(square, 1.0, spread)

    def spent(self, domain: Domain, budget: Budget) -> Spent:
        """Certified epsilon at the budget's delta, for smooth losses of generalised linear form.

        With one record more, the density of theta^priv at a point alpha changes by two factors. The determinant grows
        by at most 1 + lambda/Delta. The noise that leads to alpha moves along the record's fixed direction x by at most
        zeta, and log nu(b)/nu(b') <= ||b - b'||/scale for gamma noise; for Gaussian noise it is at most mu |Z| + mu^2/2
        with mu = zeta/scale and Z = <b, x>/(scale ||x||) standard normal. The excess of that over e^epsilon' is at most
        twice the Gaussian mechanism's delta(epsilon') if epsilon' >= mu^2/2. Hence epsilon = ln(1 + lambda/Delta) +
        zeta/scale, or ln(1 + lambda/Delta) + the Gaussian mechanism's epsilon' at delta/2. Sets and regularisers are
        limits of smooth ones (Theorem 1). Where lambda = 0 no Delta is needed: b.theta falls on the sum of the records'
        slopes, which it hides, and theta^priv is a function of that sum.
        """
        schedule, inner = self.schedule(domain, budget), _native(budget)
        hessian = _determinant(domain, schedule.regulariser)
        mu = domain.lipschitz / schedule.coordinate_scale
        if self.noise == "gamma":
            certified = Spent(hessian + mu, 0.0, "density ratio")
        else:
            half = spent(Gaussian(1.0).guarantee(mu), 1, inner.delta / 2).epsilon
            shift = max(half, mu**2 / 2)
            certified = Spent(hessian + shift, inner.delta, "determinant and two-sided Gaussian shift")
        return converted(certified, inner.neighbours, budget.neighbours)


def _determinant(domain: Domain, delta_big: float) -> float:
    """ln(1 + lambda/Delta), what a record more tells by its curvature; linear losses have none, with any Delta."""
    return math.log1p(domain.smoothness / delta_big) if domain.smoothness else 0.0


def _native(budget: Budget) -> Budget:
    """The budget under a relation of the certificate: of a replacement, what two records that fall silent may spend."""
    replaced = budget.neighbours is Neighbours.REPLACE_ONE
    return budget_under(Neighbours.ZERO_OUT if replaced else budget.neighbours, budget)
