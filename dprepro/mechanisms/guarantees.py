"""What one use of a mechanism costs, in the form in which it composes best."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PureLoss:
    """Pure ``epsilon``-differential privacy of one use: log-ratios of probabilities stay in [-epsilon, epsilon]."""

    epsilon: float


@dataclass(frozen=True)
class BoundedRange:
    """Log-ratios of probabilities stay in an interval of length ``eta`` (Durfee and Rogers 2019).

    The exponential mechanism has this; it is stronger than ``eta``-differential privacy and implies
    eta^2/8-zCDP (Cesar and Rogers 2021).
    """

    eta: float


@dataclass(frozen=True)
class GaussianShift:
    """Telling N(0, 1) from N(mu, 1) is the worst case: mu = l2 sensitivity / noise standard deviation."""

    mu: float


@dataclass(frozen=True)
class SampledGaussianShift:
    """A Gaussian mechanism of shift ``mu`` on one record drawn uniformly from ``population`` records."""

    mu: float
    population: float


Guarantee = PureLoss | BoundedRange | GaussianShift | SampledGaussianShift
