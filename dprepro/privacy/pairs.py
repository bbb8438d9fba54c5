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

Pmf = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Privacy losses, and their probabilities under the first law."""

ATOMS = 2**14
"""Loss distributions of more atoms than this are brought to a lattice of half as many."""

LOST = 1e-9
"""Share of delta that is given to atoms left out, as if their loss were infinite."""


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Epsilon of one Gaussian shift ``mu`` (Balle and Wang 2018).

    delta(x) = Phi(mu/2 - x/mu) - e^x Phi(-mu/2 - x/mu), by logarithms; the root in x by bisection.
    """
    from scipy.special import log_ndtr

    def log_delta(x: float) -> float:
        first, second = float(log_ndtr(mu / 2 - x / mu)), x + float(log_ndtr(-mu / 2 - x / mu))
        return first + math.log(-math.expm1(second - first)) if second < first else -math.inf

    target = math.log(delta)
    return _root(lambda x: log_delta(x) <= target, mu)


@lru_cache(maxsize=4096)
def pure_epsilon(epsilon: float, uses: int, delta: float) -> float:
    """Epsilon of ``uses`` equal pure losses.

    The loss is epsilon (2 J - uses) with J binomial of parameter p = e^epsilon/(1 + e^epsilon) under one data set and
    1 - p under the other, hence delta(x) = P(J >= k) - e^x Q(J >= k) for every x in [loss(k - 1), loss(k)]. All
    probabilities are handled by their logarithms.
    """
    from scipy.special import betainc

    p, q = _response(epsilon)

    def log_tail(k: int, q: float) -> float:
        """ln P(J >= k) for 1 <= k <= uses; betainc where scipy.stats would cost an import of .8 s."""
        tail = float(betainc(k, uses - k + 1, q))
        return math.log(tail) if tail > 0 else -math.inf

    def log_delta(k: int, x: float) -> float:
        above, below = log_tail(k, p), log_tail(k, q)
        return above + math.log1p(-math.exp(min(0.0, x + below - above))) if x + below < above else -math.inf

    target = math.log(delta)
    low, high = uses // 2, uses  # loss(low) spends too much delta, loss(high) none at all
    while high - low > 1:
        middle = (low + high) // 2
        if log_delta(middle + 1, epsilon * (2 * middle - uses)) > target:
            low = middle
        else:
            high = middle
    above, below = log_tail(high, p), log_tail(high, q)
    if above <= target:
        return max(0.0, epsilon * (2 * low - uses))
    solution = above + math.log1p(-math.exp(target - above)) - below  # infinite where Q is below all floats
    return max(0.0, min(solution, epsilon * (2 * high - uses)))


def mixed_epsilon(pure: tuple[tuple[float, int], ...], mu: float, delta: float) -> float:
    """Epsilon of unlike pure losses, each ``(epsilon, uses)``, beside one Gaussian shift ``mu`` (0: none).

    delta(x) is the mean over the losses l of the responses of the Gaussian's delta(x - l). Exact while the losses are
    at most 2^14 different sums; beyond, on a lattice, too large by about a relative 1e-5.
    """
    largest = sum(uses * epsilon for epsilon, uses in pure) + (gaussian_epsilon(mu, delta) if mu else 0.0)
    if delta < 1e-290:  # probabilities below all floats: the pure losses at delta 0, the Gaussian at delta
        return largest
    losses, probabilities = np.zeros(1), np.ones(1)
    for epsilon, uses in pure:
        one = _responses(epsilon, uses, math.log(delta * LOST / len(pure)))
        losses, probabilities = _sum((losses, probabilities), one)

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


def _response(epsilon: float) -> tuple[float, float]:
    """Probabilities of the truth and of the lie."""
    odds = math.exp(-epsilon)
    return 1 / (1 + odds), odds / (1 + odds)


def gaussian_delta(mu: float, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """delta(x) of the shift ``mu`` for every real x, the nothing that is told at mu = 0 included."""
    from scipy.special import log_ndtr

    if mu == 0:
        return -np.expm1(np.minimum(x, 0.0))
    first, second = log_ndtr(mu / 2 - x / mu), x + log_ndtr(-mu / 2 - x / mu)
    return -np.exp(first) * np.expm1(np.minimum(second - first, 0.0))


def _responses(epsilon: float, uses: int, log_lost: float) -> Pmf:
    """Losses of equal randomised responses, without tails of total probability exp(log_lost) (Hoeffding)."""
    from scipy.special import gammaln

    p, _ = _response(epsilon)
    reach = math.sqrt(uses * (math.log(2) - log_lost) / 2)
    first, last = max(0, math.floor(uses * p - reach)), min(uses, math.ceil(uses * p + reach))
    truths = np.arange(first, last + 1, dtype=np.float64)
    orders = gammaln(uses + 1) - gammaln(truths + 1) - gammaln(uses - truths + 1)
    probabilities = np.exp(orders + uses * math.log(p) - epsilon * (uses - truths))
    return epsilon * (2 * truths - uses), probabilities / probabilities.sum()


def _sum(one: Pmf, other: Pmf) -> Pmf:
    """Distribution of the sum of independent losses; sums are of positive terms, so that small tails keep their digits.

    A Fourier transform would lose all tails below 1e-16.
    """
    if len(one[0]) * len(other[0]) <= ATOMS:
        return (one[0][:, None] + other[0]).ravel(), (one[1][:, None] * other[1]).ravel()
    step = float(np.ptp(one[0]) + np.ptp(other[0])) / (ATOMS // 2)
    (first, a), (second, b) = _on_lattice(one, step), _on_lattice(other, step)
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
