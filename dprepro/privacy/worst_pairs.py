"""Exact composition of the two worst pairs of laws: randomised responses, and a shifted Gaussian.

A pure loss of epsilon is at worst randomised response, which answers a bit truthfully with probability
e^epsilon/(1 + e^epsilon); composed adaptively, T such mechanisms are at worst T randomised responses (Kairouz, Oh and
Viswanath 2015). Gaussian releases of shifts mu_t are one of shift sqrt(sum mu_t^2) (Dong, Roth and Su 2022). What such
pairs dominate, their product dominates when composed adaptively (Zhu, Dong and Wang 2022). All functions return the
smallest epsilon >= 0 with delta(epsilon) <= delta, from above, for delta > 0 however small.

The loss distributions of `dp_accounting` give the same where they work (the tests hold both together). They move tails
of 1e-15 to infinity (19 in place of 2.46 for 3e5 uses at delta = 1e-11), take 13 s for a Gaussian at mu = 10, and in
version 0.6 count a repeated `RandomizedResponseDpEvent` once, which is too little.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

Pmf = tuple[FloatArray, FloatArray]
"""Privacy losses, and their probabilities under the first law."""

ATOMS = 2**14
"""Loss distributions of more atoms than this are brought to a lattice of half as many."""

LOST = 1e-9
"""Share of delta that is given to atoms left out, as if their loss were infinite."""

LEAST_DELTA = 1e-290
"""Of a smaller one probabilities are below all floats."""

SHORT, FAR = 0.5, 100.0
"""Shifts up to which two Mills ratios are too near for a difference, and places from which on a series has them."""

_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_GAUSS = 0.5 * (_PLACES + 1), 0.5 * _WEIGHTS
"""Places and weights of a quadrature on [0, 1]."""


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Epsilon of one Gaussian shift ``mu`` (Balle and Wang 2018), by bisection in `log_gaussian_delta`."""
    if mu == 0:
        return 0.0
    target = math.log(delta)
    return _root(lambda x: float(log_gaussian_delta(mu, np.array([x]))[0]) <= target, mu)


@lru_cache(maxsize=4096)
def pure_epsilon(epsilon: float, uses: int, delta: float) -> float:
    """Epsilon of ``uses`` equal pure losses.

    The loss is l_j = epsilon (2 j - uses) with j binomial of parameter e^epsilon/(1 + e^epsilon) under one data set and
    1 less that under the other. With P_k, Q_k the chances of j >= k, the event j >= k alone says that epsilon is
    ln((P_k - delta)/Q_k) at least, and the best k attains it. P_k - Q_k is the sum of p_j (1 - e^-l_j), all of one
    sign for l_k > 0, so that nothing cancels however small epsilon is.
    """
    if delta < LEAST_DELTA:
        return uses * epsilon
    losses, logs = _binomial(epsilon, uses, math.log(delta * LOST))
    descending, kept = losses[losses > 0][::-1], logs[losses > 0][::-1] - math.log(delta)  # in units of delta
    lost = LOST if losses.size <= uses else 0.0  # what was left out, as if its loss were infinite
    both = np.cumsum(np.exp(kept)) + lost
    apart = np.cumsum(-np.exp(kept) * np.expm1(-descending)) + lost
    log_other = np.logaddexp.accumulate(kept - descending) if kept.size else kept
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        small = (apart - 1) * np.exp(-log_other)
        found = np.where(small < 1, np.log1p(np.maximum(small, -1.0)), np.log(np.maximum(both - 1, 0.0)) - log_other)
    # a sum that rounds to delta says nothing; no loss is larger than all together
    return float(np.clip(np.nan_to_num(found, nan=0.0).max(initial=0.0), 0.0, uses * epsilon))


def mixed_epsilon(pure: tuple[tuple[float, int], ...], mu: float, delta: float) -> float:
    """Epsilon of unlike pure losses, each ``(epsilon, uses)``, beside one Gaussian shift ``mu`` (0: none).

    delta(x) is the mean over the losses l of the responses of the Gaussian's delta(x - l). Exact while the losses are
    at most 2^14 different sums; beyond, on a lattice, too large by about a relative 1e-5.
    """
    largest = sum(uses * epsilon for epsilon, uses in pure) + (gaussian_epsilon(mu, delta) if mu else 0.0)
    if delta < LEAST_DELTA:  # probabilities below all floats: the pure losses at delta 0, the Gaussian at delta
        return largest
    losses, probabilities = np.zeros(1), np.ones(1)
    for epsilon, uses in pure:
        response = _responses(epsilon, uses, math.log(delta * LOST / len(pure)))
        losses, probabilities = _sum((losses, probabilities), response)

    def delta_at(x: float) -> float:
        return float(probabilities @ gaussian_delta(mu, x - losses))

    return _root(lambda x: delta_at(x) <= delta * (1 - LOST), largest)


def _root(private: Callable[[float], bool], start: float) -> float:
    """Least x >= 0 from which on ``private`` holds, from above, to a relative 1e-10."""
    if private(0.0):
        return 0.0
    low, high = 0.0, start
    while not private(high):
        low, high = high, 2 * high
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if private(middle) else (middle, high)
    return high


def gaussian_delta(mu: float, x: FloatArray) -> FloatArray:
    """delta(x) of the shift ``mu`` for every real x, the nothing that is told at mu = 0 included.

    For x < 0 it is 1 - e^x + e^x delta(-x).
    """
    if mu == 0:
        return -np.expm1(np.minimum(x, 0.0))
    return -np.expm1(np.minimum(x, 0.0)) + np.exp(np.minimum(x, 0.0) + log_gaussian_delta(mu, np.abs(x)))


def log_gaussian_delta(mu: float, x: FloatArray) -> FloatArray:
    """ln delta(x) of the shift ``mu`` > 0 for x >= 0, to about 1e-12, however small mu or delta is.

    delta(x) = Phi(-a) - e^x Phi(-b) with a = x/mu - mu/2 and b = a + mu. As e^x phi(b) = phi(a), with the Mills ratio
    m(t) = Phi(-t)/phi(t) it is phi(a) (m(a) - m(b)), and that difference is the integral of -m'(t) = 1 - t m(t).
    """
    from scipy.special import erfcx, log_ndtr

    a = x / mu - mu / 2
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        density = -0.5 * np.square(a) - 0.5 * math.log(2 * math.pi)
        if mu <= SHORT:
            nodes, weights = _GAUSS
            t = a[:, None] + mu * nodes
            return np.asarray(density + np.log(_mills_slope(t) @ weights) + math.log(mu))
        log_second = math.log(math.pi / 2) / 2 + np.log(erfcx((a + mu) / math.sqrt(2))) + density
        log_first = np.where(a < 0, log_ndtr(-a), 0.0)
        apart = math.sqrt(math.pi / 2) * (erfcx(np.maximum(a, 0.0) / math.sqrt(2)) - erfcx((a + mu) / math.sqrt(2)))
        inside = log_first + np.log(-np.expm1(np.minimum(log_second - log_first, 0.0)))
        return np.where(a < 0, inside, density + np.log(np.maximum(apart, 0.0)))


def _mills_slope(t: FloatArray) -> FloatArray:
    """1 - t m(t), from its asymptotic series where that is exact and the difference is not."""
    from scipy.special import erfcx

    near = 1 - math.sqrt(math.pi / 2) * t * erfcx(np.minimum(t, FAR) / math.sqrt(2))
    u = np.maximum(t, FAR) ** -2.0
    return np.where(t < FAR, near, u * (1 - 3 * u * (1 - 5 * u * (1 - 7 * u))))


def _responses(epsilon: float, uses: int, log_lost: float) -> Pmf:
    """Losses of equal randomised responses, without tails of total probability exp(log_lost)."""
    losses, logs = _binomial(epsilon, uses, log_lost)
    return losses, np.exp(logs)


def _binomial(epsilon: float, uses: int, log_lost: float) -> tuple[FloatArray, FloatArray]:
    """Losses of equal randomised responses, ascending, and the logarithms of their probabilities.

    Tails of total probability exp(log_lost) at most are left out (Hoeffding). Probabilities are followed from the
    likeliest on by their ratios (uses - j) e^epsilon/(j + 1): the gammas of large numbers have no digits left.
    """
    odds = math.exp(-epsilon)
    p = 1 / (1 + odds)
    reach = math.sqrt(uses * (math.log(2) - log_lost) / 2)
    first, last = max(0, math.floor(uses * p - reach)), min(uses, math.ceil(uses * p + reach))
    truths = np.arange(first, last + 1, dtype=np.float64)
    steps = np.log((uses - truths[:-1]) / (truths[:-1] + 1)) + epsilon
    top = int(np.argmax(steps < 0)) if (steps < 0).any() else steps.size  # of the likeliest
    below, above = np.cumsum(steps[:top][::-1])[::-1], np.cumsum(steps[top:])
    logs = np.concatenate([-below, [0.0], above])
    return epsilon * (2 * truths - uses), logs - math.log(math.fsum(np.exp(logs)))


def _sum(pmf: Pmf, other: Pmf) -> Pmf:
    """Distribution of the sum of independent losses; sums are of positive terms, so that small tails keep their digits.

    A Fourier transform would lose all tails below 1e-16.
    """
    if len(pmf[0]) * len(other[0]) <= ATOMS:
        return (pmf[0][:, None] + other[0]).ravel(), (pmf[1][:, None] * other[1]).ravel()
    step = float(np.ptp(pmf[0]) + np.ptp(other[0])) / (ATOMS // 2)
    (first, a), (second, b) = _on_lattice(pmf, step), _on_lattice(other, step)
    probabilities = np.convolve(a, b)
    return step * np.arange(first + second, first + second + len(probabilities), dtype=np.float64), probabilities


def _on_lattice(pmf: Pmf, step: float) -> tuple[int, NDArray[np.float64]]:
    """Index of the least loss in units of ``step``, and the probabilities from there on.

    An atom at l between lattice points a < b becomes two with the same probability under both laws, w_a + w_b = w and
    w_a e^-a + w_b e^-b = w e^-l: telling a from b can only help, so delta(x) does not fall anywhere, and its error is
    of second order in ``step`` (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022, "connect the dots").
    """
    losses, weights = pmf
    index = np.floor(losses / step).astype(np.int64)
    upper = weights * np.expm1(-np.clip(losses - index * step, 0.0, step)) / math.expm1(-step)
    first = int(index.min())
    lattice = np.zeros(int(index.max()) - first + 2)
    np.add.at(lattice, index - first, np.maximum(weights - upper, 0.0))
    np.add.at(lattice, index - first + 1, upper)
    return first, lattice
