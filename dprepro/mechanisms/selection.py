"""Private selection of a small score: add noise to every score, publish only the index of the least sum.

Both mechanisms draw one noise per candidate. With Gumbel noise the published index has probability proportional to
exp(-score/scale): it is the exponential mechanism. ``minimum_of`` draws the least noisy value among ``count``
candidates that share one score in O(1), by inverting the survival function of a minimum of independent draws.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dprepro.errors import unknown
from dprepro.mechanisms.additive import Laplace
from dprepro.mechanisms.guarantees import BoundedRange, Guarantee, PureLoss
from dprepro.mechanisms.noise_moments import NoiseMoments, least_gumbel, raw_moments
from dprepro.mechanisms.published import published
from dprepro.mechanisms.subsets import NoisyTop


@dataclass(frozen=True)
class PrivateSelection(ABC):
    """Noisy minimum with noise of the given ``scale`` (same unit as the scores)."""

    scale: float

    @abstractmethod
    def noise(self, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """``size`` independent draws of the noise."""

    @abstractmethod
    def guarantee(self, sensitivity: float) -> Guarantee:
        """Privacy of one selection when neighbouring data move each score by at most ``sensitivity``."""

    @abstractmethod
    def expected_regret(self, candidates: float) -> float:
        """Bound, over all score vectors of this length, on E[score of the selected - least score]."""

    def select(self, scores: NDArray[np.float64], rng: np.random.Generator) -> tuple[int, NoiseMoments]:
        """Index of the least noisy score, and the moments of all noise; ``scores`` has shape (candidates,)."""
        noise = self.noise(len(scores), rng)
        return published(self, scores, int(np.argmin(scores + noise))), self.moments(noise)

    @abstractmethod
    def log_chance(self, value: NDArray[np.float64], output: int) -> float:
        """ln of the probability that ``output`` is the index, with these scores."""

    @abstractmethod
    def moments(self, noise: NDArray[np.float64]) -> NoiseMoments:
        """Of such draws, any shape."""


@dataclass(frozen=True)
class LaplaceMin(PrivateSelection):
    """Report noisy min with Laplace noise, as Algorithm 2 of Talwar, Thakurta and Zhang prints it."""

    def noise(self, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """``size`` draws of Lap(scale)."""
        return rng.laplace(0.0, self.scale, size=size)

    def moments(self, noise: NDArray[np.float64]) -> NoiseMoments:
        return Laplace(self.scale).moments(noise)

    def log_chance(self, value: NDArray[np.float64], output: int) -> float:
        return NoisyTop(self.scale).log_chance(-value, np.array([output]))

    def guarantee(self, sensitivity: float) -> PureLoss:
        """2 sensitivity / scale: scores may move both up and down, so the factor 2 is needed."""
        return PureLoss(2 * sensitivity / self.scale)

    def expected_regret(self, candidates: float) -> float:
        """scale * E[max of that many unit Laplace draws].

        The selected s obeys score_s + Z_s <= score_* + Z_*, so its regret is at most Z_* - Z_s <= Z_* + max(-Z), and
        Z_* has mean zero.
        """
        return self.scale * expected_maximum_of_laplace(candidates)


@dataclass(frozen=True)
class GumbelMin(PrivateSelection):
    """The exponential mechanism: minimum of scores plus (negated) Gumbel noise of the given scale."""

    def noise(self, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """``size`` draws of the Gumbel law for minima, scale * log(E) with E exponential."""
        return self.scale * np.log(rng.standard_exponential(size=size))

    def moments(self, noise: NDArray[np.float64]) -> NoiseMoments:
        return NoiseMoments.of(noise, *raw_moments(least_gumbel, 1.0))

    def log_chance(self, value: NDArray[np.float64], output: int) -> float:
        apart = (value[output] - value) / self.scale
        return -float(apart.max()) - math.log(float(np.exp(apart - apart.max()).sum()))

    def guarantee(self, sensitivity: float) -> BoundedRange:
        """Bounded range 2 sensitivity / scale."""
        return BoundedRange(2 * sensitivity / self.scale)

    def expected_regret(self, candidates: float) -> float:
        """scale * W((K - 1)/e), W the Lambert function.

        E[regret] = sum_i g_i exp(-g_i) / sum_i exp(-g_i) over gaps g_i (in units of scale, one of them zero). Setting
        the derivative to zero gives the same finite gap 1 + R for every other candidate, R being the regret itself;
        then R exp(R) = (K - 1)/e. It is attained, so the constant cannot be improved for one step.
        """
        from scipy.special import lambertw

        return self.scale * float(lambertw((candidates - 1) / math.e).real)


SELECTIONS: dict[str, type[PrivateSelection]] = {"laplace": LaplaceMin, "gumbel": GumbelMin}


def selection(name: str, scale: float) -> PrivateSelection:
    """The selection of that name at that scale; raises InputError for an unknown name."""
    if name not in SELECTIONS:
        raise unknown("selection", name, SELECTIONS)
    return SELECTIONS[name](scale)


def expected_maximum_of_laplace(count: float) -> float:
    """E of the largest of ``count`` unit Laplace draws, by quadrature; relative error below 1e-8.

    With F the distribution function, E = integral over x > 0 of 1 - F(x)^K, less that over x < 0 of F(x)^K; the
    second part is 2^-K / K. In the first, u = exp(-x) turns 1 - (1 - u/2)^K over u into a smooth integrand on (0, 1].
    """
    from scipy.integrate import quad

    k = float(count)

    def integrand(x: float) -> float:
        return -float(math.expm1(k * math.log1p(-0.5 * math.exp(-x))))

    middle = math.log(k) if k > 1 else 0.0  # 1 - F^K falls from 1 to 0 around x = ln(K/2)
    parts = [
        quad(integrand, low, high, epsabs=1e-12, epsrel=1e-10)[0]
        for low, high in ((0.0, middle), (middle, middle + 45.0))
    ]
    below: float = 2.0**-k / k
    return float(sum(parts)) - below
