"""What one use of a mechanism costs, in the forms in which it composes.

A new kind of guarantee is one class here: the accounts of `privacy` ask its methods and know no class.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from dprepro.errors import InputError


class Guarantee(ABC):
    """Cost of one use of a mechanism. One of ``pure_loss`` and ``shift`` is finite, unless nothing is kept private.

    Attributes:
        words: its name in the answers of the accounts.
        attained: whether the pair of laws behind ``pure_loss`` or ``shift`` has this guarantee itself; then no account
            is better than that pair's. Otherwise the Renyi curve of ``event`` may be.
        whole_orders: whether that curve is known at whole orders only.
    """

    words: ClassVar[str]
    attained: ClassVar[bool] = True
    whole_orders: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not (self.pure_loss >= 0 and self.shift >= 0):
            raise InputError(f"the loss of a {self.words} must be at least 0, got {self}")

    @property
    def pure_loss(self) -> float:
        """Epsilon of the randomised response that is at least as bad, infinity where none is."""
        return math.inf

    @property
    def shift(self) -> float:
        """The mu for which telling N(0, 1) from N(mu, 1) is at least as easy, infinity where there is none."""
        return math.inf

    @property
    def log_range(self) -> float:
        """The length of an interval in which log-ratios stay, where that is more than is known from ``pure_loss``."""
        return math.inf

    @property
    def rho(self) -> float:
        """Of rho-zCDP, where a Renyi curve is rho times the order and no more is known of it; else infinity."""
        return math.inf

    @property
    def loss(self) -> float:
        """The parameter that is inversely proportional to the noise."""
        return min(self.pure_loss, self.shift)

    @abstractmethod
    def scaled(self, noise: float) -> Self:
        """The same mechanism's guarantee with ``noise`` times the noise."""

    @abstractmethod
    def event(self) -> Any:
        """One use, as a `dp_accounting` event that its Renyi accountant knows; the import takes half a second."""


@dataclass(frozen=True)
class PureLoss(Guarantee):
    """Pure ``epsilon``-differential privacy of one use: log-ratios of probabilities stay in [-epsilon, epsilon]."""

    epsilon: float

    words: ClassVar[str] = "pure loss"

    @property
    def pure_loss(self) -> float:
        return self.epsilon

    def scaled(self, noise: float) -> PureLoss:
        return PureLoss(self.epsilon / noise)

    def event(self) -> Any:
        """Randomised response; below .001, where its divergence drowns in rounding, epsilon^2/2-zCDP."""
        import dp_accounting.dp_event as events

        if self.epsilon < 1e-3:
            return events.ZCDpEvent(self.epsilon**2 / 2)
        return events.RandomizedResponseDpEvent(2 * math.exp(-self.epsilon) / (1 + math.exp(-self.epsilon)), 2)


@dataclass(frozen=True)
class BoundedRange(Guarantee):
    """Log-ratios of probabilities stay in an interval of length ``eta`` (Durfee and Rogers 2019).

    The exponential mechanism has this; it is stronger than ``eta``-differential privacy and implies
    eta^2/8-zCDP (Cesar and Rogers 2021).
    """

    eta: float

    words: ClassVar[str] = "bounded range"
    attained: ClassVar[bool] = False

    @property
    def pure_loss(self) -> float:
        return self.eta

    @property
    def log_range(self) -> float:
        return self.eta

    @property
    def rho(self) -> float:
        return self.eta**2 / 8

    def scaled(self, noise: float) -> BoundedRange:
        return BoundedRange(self.eta / noise)

    def event(self) -> Any:
        """eta^2/8-zCDP."""
        import dp_accounting.dp_event as events

        return events.ZCDpEvent(self.rho)


@dataclass(frozen=True)
class GaussianShift(Guarantee):
    """Telling N(0, 1) from N(mu, 1) is the worst case: mu = l2 sensitivity / noise standard deviation."""

    mu: float

    words: ClassVar[str] = "Gaussian"

    @property
    def shift(self) -> float:
        return self.mu

    def scaled(self, noise: float) -> GaussianShift:
        return GaussianShift(self.mu / noise)

    def event(self) -> Any:
        """Gaussian noise of 1/mu times the sensitivity."""
        import dp_accounting.dp_event as events

        return events.GaussianDpEvent(1 / self.mu)


@dataclass(frozen=True)
class SampledGaussianShift(Guarantee):
    """A Gaussian mechanism on one record drawn uniformly from ``population`` records, a public number.

    ``mu`` is the largest shift between **any** two records of the domain, also where the record that differs falls
    silent: it hides among the others, and may be as far from them as they allow. With N(L), N(0) and another record at
    N(-L), one use of 20 records and L = 1 spends 4.1 at delta = 1e-6, where 1 in the place of 2 certified 2.1.
    """

    mu: float
    population: float

    words: ClassVar[str] = "sampled Gaussian"
    attained: ClassVar[bool] = False
    whole_orders: ClassVar[bool] = True

    @property
    def shift(self) -> float:
        """As if the record were not drawn but known."""
        return self.mu

    def scaled(self, noise: float) -> SampledGaussianShift:
        return SampledGaussianShift(self.mu / noise, self.population)

    def event(self) -> Any:
        """A sample of one record without replacement (with one record, the same as with replacement).

        Wang, Balle and Kasiviswanathan 2019. Below mu = 1e-6 the accountant takes the logarithm of a rounded zero.
        """
        import dp_accounting.dp_event as events

        gaussian = events.GaussianDpEvent(1 / max(self.mu, 1e-6))
        return events.SampledWithoutReplacementDpEvent(int(self.population), 1, gaussian)
