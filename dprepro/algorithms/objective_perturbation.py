"""Algorithm 1 of Kifer, Smith and Thakurta (2012): generalised objective perturbation.

Require: data, epsilon and delta, a convex regulariser r, a convex set F, a convex loss with gradients of norm at most
zeta and eigenvalues of its Hessian at most lambda.

    1: Set Delta >= 2 lambda/epsilon.
    2: if epsilon-differential privacy is required then
    3:     sample b from the gamma density nu_1(b), proportional to exp(-epsilon ||b||/(2 zeta))
    4: else if (epsilon, delta)-differential privacy is required then
    5:     sample b from nu_2 = N(0, zeta^2 (8 ln(2/delta) + 4 epsilon)/epsilon^2 I)
    6: end if
    7: return theta^priv = argmin over F of L(theta) + r(theta)/n + Delta/(2n) ||theta||^2 + b.theta/n.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import LATER, Algorithm, Schedule, Solution
from dprepro.algorithms.premises import Assumption, Settings, check_positive
from dprepro.budget import Budget, Neighbours
from dprepro.mechanisms import NoiseMoments
from dprepro.privacy import PrivacyLoss, budget_under, converted
from dprepro.privacy.perturbed_minimisers import perturbed_epsilon, perturbed_mu
from dprepro.problems import Domain, Problem, View
from dprepro.problems.problem_data import FloatArray
from dprepro.support.named import NamedRule


@dataclass(frozen=True)
class Regulariser(NamedRule, ABC):
    """How large a Delta line 1 sets beyond what privacy needs."""

    @abstractmethod
    def wanted(self, unit: float, p: int, delta: float) -> float:
        """For delta = 0 or more; ``unit`` is zeta/(epsilon R), R the set's l2 norm bound in place of ||theta_hat||."""


@dataclass(frozen=True)
class Theorem4Regulariser(Regulariser):
    """zeta p ln p/(epsilon R) for gamma noise, zeta sqrt(p ln(1/delta))/(epsilon R) for Gaussian noise."""

    name = "theorem_4"

    def wanted(self, unit: float, p: int, delta: float) -> float:
        return unit * math.sqrt(p * math.log(1 / delta)) if delta else unit * p * math.log(p)


@dataclass(frozen=True)
class BalancedRegulariser(Theorem4Regulariser):
    """zeta p/(epsilon R) for gamma noise, which balances the two terms of Lemma 3; Theorem 4's for Gaussian noise."""

    name = "balanced"

    def wanted(self, unit: float, p: int, delta: float) -> float:
        return super().wanted(unit, p, delta) if delta else unit * p


@dataclass(frozen=True)
class LeastRegulariser(Regulariser):
    """No more than privacy needs."""

    name = "least"

    def wanted(self, unit: float, p: int, delta: float) -> float:
        return 0.0


class Density(ABC):
    """A law of b that depends on its norm alone; ``scale`` is that of the coordinates, see `PerturbationSchedule`.

    Attributes:
        pure: whether it serves delta = 0, or delta > 0.
        conversion: how `ObjectivePerturbation.privacy_loss` finds what a run costs.
    """

    pure: ClassVar[bool]
    conversion: ClassVar[str]

    @abstractmethod
    def printed_scale(self, zeta: float, budget: Budget) -> float:
        """As printed, for gradients of norm at most zeta."""

    @abstractmethod
    def exact_scale(self, zeta: float, curvature: float, budget: Budget) -> float:
        """The least that costs no more than this budget; ``curvature`` is lambda/Delta, less than e^epsilon - 1."""

    @abstractmethod
    def cost(self, mu: float, curvature: float, delta: float) -> float:
        """Epsilon at delta, zeta being mu scales."""

    @abstractmethod
    def root_mean_square(self, p: int, scale: float) -> float:
        """Of ||b||_2."""

    @abstractmethod
    def sample(self, p: int, scale: float, rng: np.random.Generator, spare: float = 0) -> FloatArray:
        """b, shape (p,). With ``spare`` > 0 the last coordinate is the norm of that many coordinates of b."""

    @abstractmethod
    def relative_variance(self, p: int) -> float:
        """Of ||b||_2^2."""

    def moments(self, p: int, b: FloatArray) -> NoiseMoments:
        """Of one draw in p dimensions: its square, of mean 1 in units of the schedule's ``noise_scale``."""
        return NoiseMoments(float(b @ b), 1.0, self.relative_variance(p))


class GammaDensity(Density):
    """nu_1 of line 3: a uniform direction times a norm with the gamma law of shape p and this scale."""

    pure = True
    conversion = "density ratio"

    def printed_scale(self, zeta: float, budget: Budget) -> float:
        return 2 * zeta / budget.epsilon

    def exact_scale(self, zeta: float, curvature: float, budget: Budget) -> float:
        return zeta / (budget.epsilon - math.log1p(curvature))

    def cost(self, mu: float, curvature: float, delta: float) -> float:
        return math.log1p(curvature) + mu

    def root_mean_square(self, p: int, scale: float) -> float:
        return math.sqrt(p * (p + 1)) * scale

    def sample(self, p: int, scale: float, rng: np.random.Generator, spare: float = 0) -> FloatArray:
        direction = _normals(p, rng, spare)
        norm = rng.gamma(p - 1 + spare if spare else p, scale)
        return np.asarray(norm / math.sqrt(float(direction @ direction)) * direction)

    def relative_variance(self, p: int) -> float:
        return (4 * p + 6) / (p * (p + 1))


class GaussianDensity(Density):
    """nu_2 of line 5: independent normal coordinates with this standard deviation."""

    pure = False
    conversion = "worst monotone map of a Gaussian"

    def printed_scale(self, zeta: float, budget: Budget) -> float:
        return zeta * math.sqrt(8 * math.log(2 / budget.delta) + 4 * budget.epsilon) / budget.epsilon

    def exact_scale(self, zeta: float, curvature: float, budget: Budget) -> float:
        return zeta / perturbed_mu(curvature, budget.epsilon, budget.delta)

    def cost(self, mu: float, curvature: float, delta: float) -> float:
        return perturbed_epsilon(mu, curvature, delta)

    def root_mean_square(self, p: int, scale: float) -> float:
        return math.sqrt(p) * scale

    def sample(self, p: int, scale: float, rng: np.random.Generator, spare: float = 0) -> FloatArray:
        return scale * _normals(p, rng, spare)

    def relative_variance(self, p: int) -> float:
        return 2 / p


def _normals(p: int, rng: np.random.Generator, spare: float) -> FloatArray:
    normals = rng.standard_normal(p)
    if spare:
        normals[-1] = math.sqrt(rng.chisquare(spare))
    return normals


DENSITIES: dict[str, Density] = {"gamma": GammaDensity(), "gaussian": GaussianDensity()}


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
    """Algorithm 1, see the module's text; n cancels.

    Attributes:
        noise: which density b has: ``gamma``, nu_1, for delta = 0; or ``gaussian``, nu_2.
        constants: ``printed``, or ``exact``: the smallest noise that is certified at this Delta.
        regulariser: the Delta of line 1: ``theorem_4``, ``balanced`` or ``least``; see the classes of `Regulariser`.
        least: Delta is at least this many lambda/epsilon: 2 in line 1; Theorem 4 assumes 1/2, which is not private.
        noise_factor: multiplies the noise; 1 is the paper's (others are negative controls).
        regulariser_factor: multiplies the Delta of ``regulariser``, not the least that privacy needs; 1 in the paper.

    For losses whose Hessian has rank one (generalised linear models), where a record comes or goes, or is zeroed out.
    Under replacement it runs with the budget that two such steps leave, and `privacy_loss` names the conversion.
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.MARGIN, Assumption.SMOOTH)
    by_setting: ClassVar[Settings] = {"noise": {"gaussian": (Assumption.DELTA,), "gamma": (Assumption.PURE,)}}
    relations: ClassVar[tuple[Neighbours, ...]] = tuple(Neighbours)
    bound: ClassVar[str] = "kst.lemma_3"
    proved_rate: ClassVar[str] = "kst.theorem_4_rate"
    measures: ClassVar[tuple[str, ...]] = ("noise_norm",)
    version: ClassVar[int] = 2  # since exact Gaussian constants are those of the worst monotone map

    noise: Literal["gamma", "gaussian"] = "gaussian"
    constants: Literal["printed", "exact"] = "printed"
    regulariser: Regulariser = Theorem4Regulariser()
    least: float = 2.0
    noise_factor: float = 1.0
    regulariser_factor: float = field(default=1.0, metadata=LATER)

    def __post_init__(self) -> None:
        check_positive(self, "noise_factor", "regulariser_factor")

    @property
    def density(self) -> Density:
        """The law of b."""
        return DENSITIES[self.noise]

    def premise(self, domain: Domain, budget: Budget) -> str:
        """A Delta that leaves some epsilon."""
        delta_big = self._delta_big(domain, _native(budget))
        if self.constants == "exact" and _native(budget).epsilon <= math.log1p(_curvature(domain, delta_big)):
            return f"leaves no epsilon for the noise, the Hessian alone spends it at Delta={delta_big:g}"
        return ""

    def schedule(self, domain: Domain, budget: Budget) -> PerturbationSchedule:
        """Delta of line 1, and the scale of b of lines 2 to 6."""
        self.admit(domain, budget)
        inner, zeta = _native(budget), domain.lipschitz
        delta_big = self._delta_big(domain, inner)
        if self.constants == "exact":
            scale = self.density.exact_scale(zeta, _curvature(domain, delta_big), inner)
        else:
            scale = self.density.printed_scale(zeta, inner)
        scale *= self.noise_factor
        size = self.density.root_mean_square(domain.p, scale)
        return PerturbationSchedule(1, size, coordinate_scale=scale, regulariser=delta_big)

    def _delta_big(self, domain: Domain, budget: Budget) -> float:
        unit = domain.lipschitz / (budget.epsilon * domain.radius)
        wanted = self.regulariser_factor * self.regulariser.wanted(unit, domain.p, budget.delta)
        return max(wanted, self.least * domain.smoothness / budget.epsilon)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As printed, with the minimiser exact up to its certified gap."""
        schedule = self.schedule(problem.domain, budget)  # line 1
        b = self.density.sample(problem.domain.p, schedule.coordinate_scale, rng)  # lines 2 to 6
        return self.answer(problem.dense, budget, b)  # line 7

    def answer(self, view: View, budget: Budget, b: FloatArray) -> Solution:
        """Line 7 for a given noise, in the coordinates of the view; ||b||_2 is reported in the diagnostics."""
        return self.answers(view, budget, [b])[0]

    def answers(self, view: View, budget: Budget, noises: Sequence[FloatArray]) -> list[Solution]:
        """`answer` for each noise; schedule and privacy are the same for all."""
        n, delta_big = view.domain.n, self.schedule(view.domain, budget).regulariser
        return self.solutions(view.domain, budget, noises, [view.minimise(b / n, delta_big / n).theta for b in noises])

    def solutions(
        self, domain: Domain, budget: Budget, noises: Sequence[FloatArray], thetas: Sequence[object]
    ) -> list[Solution]:
        """What is reported of the minimisers for some noises."""
        schedule, privacy_loss = self.schedule(domain, budget), self.privacy_loss(domain, budget)
        found = [self.density.moments(domain.p, b) for b in noises]
        return [
            Solution(theta, schedule, privacy_loss, {"noise_norm": noise.norm}, noise)
            for theta, noise in zip(thetas, found, strict=True)
        ]

    def privacy_loss(self, domain: Domain, budget: Budget) -> PrivacyLoss:
        """Certified epsilon at the budget's delta, for smooth losses of generalised linear form.

        With one record more, the density of theta^priv at a point alpha changes by two factors. The determinant grows
        by at most 1 + lambda/Delta. The noise that leads to alpha moves along the record's fixed direction x by at most
        zeta, and log nu(b)/nu(b') <= ||b - b'||/scale for gamma noise: epsilon = ln(1 + lambda/Delta) + zeta/scale.
        With Gaussian noise the two do not act at once, as `dprepro.privacy.perturbed_minimisers` derives. Sets and
        regularisers are limits of smooth ones (Theorem 1). Where lambda = 0 no Delta is needed: b.theta falls on the
        sum of the records' slopes, which it hides, and theta^priv is a function of that sum.
        """
        schedule, inner = self.schedule(domain, budget), _native(budget)
        mu, curvature = domain.lipschitz / schedule.coordinate_scale, _curvature(domain, schedule.regulariser)
        certified = PrivacyLoss(self.density.cost(mu, curvature, inner.delta), inner.delta, self.density.conversion)
        return converted(certified, inner.neighbours, budget.neighbours)


def _curvature(domain: Domain, delta_big: float) -> float:
    """lambda/Delta; linear losses have none, with any Delta."""
    return domain.smoothness / delta_big if domain.smoothness else 0.0


def _native(budget: Budget) -> Budget:
    """The budget under a relation of the certificate: of a replacement, what two zeroed-out records may spend."""
    replaced = budget.neighbours is Neighbours.REPLACE_ONE
    return budget_under(Neighbours.ZERO_OUT if replaced else budget.neighbours, budget)
