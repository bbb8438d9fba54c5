r"""Approximate minima: how a budget is split, and what both stages lose.

A solver stops where the gradient of the mean objective is at most gamma: within n gamma/Lambda of the minimiser, on
either data set, so two answers differ by 2 n gamma/Lambda besides. Given the exact minimiser, the answer is Gaussian;
with l the loss of the first stage, delta(epsilon) is E delta_G(epsilon - l; mu_2), which rises with l and with mu_2.

**A replaced record**, of the first stage: the minimiser's Jacobians have a quotient of at most 1 + beta/Lambda, since
the record that goes only lowers it. b moves within the plane of the two records by at most 2 L, in a direction that
depends on the answer: the loss is at most ln(1 + beta/Lambda) + mu R + mu^2/2, R the length of a standard normal vector
in the plane, P(R > t) = exp(-t^2/2). With mu = epsilon_3/(1 + sqrt(2 ln 1/delta)) and mu <= 2 it exceeds epsilon_3 +
ln(1 + beta/Lambda) with probability at most delta.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import erfcx

from dprepro.errors import PremiseError
from dprepro.privacy.worst_pairs import gaussian_delta
from dprepro_objective_perturbation import pairs
from dprepro_objective_perturbation.accounts import FloatArray

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(400)
REACH = 14.0
"""Of normal numbers and lengths: beyond there is less than 1e-42."""


@dataclass(frozen=True)
class Split:
    """A budget in three parts, as a public implementation has it.

    Attributes:
        epsilon, delta: of both stages.
        out_share: of epsilon and of delta that the output noise gets.
        noise_share: of what is left of epsilon that b gets; the rest is for the Hessian, less than 1.

    Raises:
        PremiseError: the Hessian's part is 1 or more.
    """

    epsilon: float
    delta: float
    out_share: float = 0.01
    noise_share: float = 0.9

    def __post_init__(self) -> None:
        if not self.epsilon_first - self.epsilon_noise < 1:
            raise PremiseError(f"the Hessian's part of epsilon={self.epsilon:g} must be less than 1")

    @property
    def epsilon_first(self) -> float:
        return self.epsilon * (1 - self.out_share)

    @property
    def epsilon_noise(self) -> float:
        return self.noise_share * self.epsilon_first

    @property
    def delta_first(self) -> float:
        return self.delta * (1 - self.out_share)

    @property
    def curvature(self) -> float:
        """beta/Lambda: Lambda = 2 beta/(epsilon_1 - epsilon_3)."""
        return (self.epsilon_first - self.epsilon_noise) / 2

    @property
    def mu_first(self) -> float:
        """2 L/(n sigma_1)."""
        return self.epsilon_noise / (1 + math.sqrt(2 * math.log(1 / self.delta_first)))

    @property
    def mu_output(self) -> float:
        """n gamma/(Lambda sigma_2), by which the implementation sets sigma_2: half of what two minima may tell."""
        return self.epsilon * self.out_share / (1 + math.sqrt(2 * math.log(1 / (self.delta * self.out_share))))


def first_stage(mu: float, curvature: float, epsilon: float) -> float:
    """E (1 - e^(epsilon - ln(1 + r) - mu R - mu^2/2))_+, in closed form."""
    left = epsilon - math.log1p(curvature) - mu**2 / 2

    def mills(z: float) -> float:
        return math.sqrt(math.pi / 2) * float(erfcx(z / math.sqrt(2)))

    if left > 0:
        low = left / mu
        return math.exp(-(low**2) / 2) * mu * mills(low + mu)
    return 1 - math.exp(left) * (1 - mu * mills(mu))


def both_stages(mu: float, curvature: float, mu_output: float, epsilon: float) -> float:
    """E delta_G(epsilon - ln(1 + r) - mu R - mu^2/2; mu_2), a record being replaced."""
    low = max(0.0, (epsilon - math.log1p(curvature) - mu**2 / 2) / mu)
    total = 0.0
    for start, end in ((0.0, low), (low, low + 1), (low + 1, low + REACH)):  # where the first stage alone begins
        half = (end - start) / 2
        length = start + half * (_NODES + 1)
        lost = gaussian_delta(mu_output, epsilon - math.log1p(curvature) - mu * length - mu**2 / 2)
        total += float(half * _WEIGHTS @ (length * np.exp(-(length**2) / 2) * lost))
    return total


def reached(mu: float, curvature: float, epsilon: float, mu_output: float) -> float:
    """The account where a record comes or goes: E delta_G(epsilon - l; mu_2) of the losses that bound both."""
    comes = _mean(lambda u: math.log1p(curvature) + np.maximum(mu * u + mu**2 / 2, 0.0), epsilon, mu_output)
    return max(comes, _mean(lambda u: mu * np.abs(u) + mu**2 / 2, epsilon, mu_output))


def _mean(loss: Callable[[FloatArray], FloatArray], epsilon: float, mu_output: float) -> float:
    """E delta_G(epsilon - loss(u); mu_2) over a standard normal u."""
    u = np.linspace(-REACH, REACH, 6_001)
    lost = gaussian_delta(mu_output, epsilon - loss(u))
    return float((np.exp(-(u**2) / 2) / math.sqrt(2 * math.pi) * lost).sum() * (u[1] - u[0]))


def seen_twice(mu: float, curvature: float, epsilon: float, mu_output: float) -> float:
    """The same mean with the losses of the worst pairs themselves."""
    found = []
    for pair, comes in ((pairs.bending(mu, curvature, epsilon), True), (pairs.one_record(mu, curvature, 0.0), False)):
        ends = np.union1d(np.linspace(-REACH, REACH, 6_001), pair.u)
        u, width = (ends[1:] + ends[:-1]) / 2, np.diff(ends)  # on each, the map is linear
        _, loss = pair.losses(u)
        # u has the density phi(u) without the record, and phi(v) v' = phi(u) e^-loss with it
        density = np.exp(-(u**2) / 2 - (loss if comes else 0.0)) / math.sqrt(2 * math.pi)
        lost = gaussian_delta(mu_output, epsilon + (loss if comes else -loss))
        found.append(float(width @ (density * lost)))
    return max(found)
