"""Bassily, Smith and Thakurta (2014): Theorem F.1 and Lemma F.5 on fair coins +-1 and theta in [-1, 1], exactly."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dprepro.bounds.bst_population import theorem_f_1

THETAS = np.linspace(-1, 1, 401)


def _coins(n: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The sums that n fair coins may have, and their probabilities."""
    from scipy.special import gammaln

    k = np.arange(n + 1)
    return 2 * k - n, np.exp(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) - n * math.log(2))


def failure_of_theorem_f_1(n: float, level: float) -> float:
    """The chance that some theta breaks Theorem F.1, gamma = exp(-level), for half the squared distance."""
    return _broken(n, level, 1.0)


def failure_of_the_inverse(n: float, level: float) -> float:
    """`failure_of_theorem_f_1` with gamma in the place of 1/gamma: a falsehood."""
    return _broken(n, level, math.exp(-2 * level))


def _broken(n: float, level: float, factor: float) -> float:
    sums, chances = _coins(n)
    away = np.abs(THETAS - sums[:, None] / n)
    # the root of 2 L^2/Delta times half the squared distance from the mean record is twice that distance
    allowed = 2 * away + factor * theorem_f_1(0.0, n, 2.0, 1.0, level)
    return float(chances @ (allowed < THETAS**2 / 2).any(axis=1))


def gamma(level: float) -> float:
    """exp(-level)."""
    return math.exp(-level)


def exponential_gap(n: float, epsilon: float) -> float:
    """Population less empirical risk of Algorithm 2 on linear losses -x theta, L = 1, C = 2: E (S/n) E theta.

    The density is proportional to exp(a theta), a = epsilon S/4, whose mean is coth(a) - 1/a.
    """
    sums, chances = _coins(n)
    a = epsilon * np.abs(sums) / 4
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(a > 1e-4, 1 / np.tanh(a) - 1 / a, a / 3)
    return float(chances @ (np.abs(sums) / n * mean))


def minimiser_gap(n: float, epsilon: float) -> float:
    """`exponential_gap`, for the minimiser, whatever epsilon is claimed: E |S|/n."""
    sums, chances = _coins(n)
    return float(chances @ np.abs(sums)) / n


def rare_minimiser_gap(n: float, delta: float, lipschitz: float) -> float:
    """L times that, where the minimiser is published with chance delta and zero else: (0, delta)-private."""
    return delta * lipschitz * minimiser_gap(n, 0.0)


def lemma_f_5(epsilon: float) -> float:
    """L C epsilon, the print's with constant 1."""
    return 2 * epsilon


def lemma_f_5_delta_as_printed(delta: float) -> float:
    """C^2 delta."""
    return 4 * delta


def lemma_f_5_delta(delta: float, lipschitz: float) -> float:
    """L C delta."""
    return 2 * lipschitz * delta
