"""Bounds in expectation on the population risk of both algorithms, derived here, and what controls put in their place.

Each record's loss is convex and L-Lipschitz, records are independent, K lies within D of w_0, sigma_i = c L eta_i/mu.
For a point u that does not depend on phase i, v = P(w_{i-1}) and F the population risk:

* ERM: E F(wbar_i) - F(u) <= |u - v|^2/(eta_i T_i) + eta_i L^2. The first term is what a minimum of the regularised
  mean leaves; the second is stability: a replaced record moves wbar_i by L eta_i at most, and so F by L^2 eta_i.
* SGD: E F(wbar_i) - F(u) <= |u - v|^2/(2 eta_i T_i) + eta_i L^2/2, the regret of a pass over fresh records.

Take u = w* for i = 1 and u = wbar_{i-1} after it: |wbar_{i-1} - P(w_{i-1})| is the noise at most, of mean square
d sigma_{i-1}^2. The answer P(w_k) is within the last noise of wbar_k, of mean length sqrt(d) sigma_k at most. In all,
with h = 1 for ERM and 1/2 for SGD,

    h D^2/(eta_1 T_1) + h sum_{i >= 2} d sigma_{i-1}^2/(eta_i T_i) + h L^2 sum_i eta_i + L sqrt(d) sigma_k.

For n = 2^k it is h (8/(a n) + 8 c^2 a d/(mu^2 n) + a/3) L D and a term of order a sqrt(d)/(mu n^2), as eta = a D/L; the
best a makes it L D (3.266/sqrt n + 16 sqrt d/(mu n)) for ERM, L D (1.633/sqrt n + 16 sqrt d/(mu n)) for SGD, at most,
but for that term. These two terms are equal at n = 24 d/mu^2, and 96 d/mu^2.
"""

from __future__ import annotations

import math
from functools import lru_cache

from dprepro.budget import Budget, Neighbours
from dprepro.mechanisms import GaussianShift
from dprepro.privacy import noise_for


@lru_cache(maxsize=4096)
def gaussian_parameter(epsilon: float, delta: float) -> float:
    """mu: the largest Gaussian shift, in deviations, that keeps to (epsilon, delta)."""
    budget = Budget(epsilon, delta, Neighbours.REPLACE_ONE)
    return 1 / noise_for(lambda scale: GaussianShift(1 / scale), 1, budget)


def erm(n: float, p: float, epsilon: float, delta: float, lipschitz: float, radius: float) -> float:
    """Phased ERM: the sum of the module's text."""
    return lipschitz * radius * erm_sum(n, p, gaussian_parameter(epsilon, delta))


def sgd(n: float, p: float, epsilon: float, delta: float, lipschitz: float, radius: float) -> float:
    """Phased SGD: the sum of the module's text."""
    return lipschitz * radius * sgd_sum(n, p, gaussian_parameter(epsilon, delta))


def erm_one_phase(n: float, p: float, epsilon: float, delta: float, lipschitz: float, radius: float) -> float:
    """A single phase of T = floor(n/2) records at its best step: 2 L D sqrt((1 + sqrt(d)/mu)/T), of exponent -1/2."""
    mu = gaussian_parameter(epsilon, delta)
    return 2 * lipschitz * radius * math.sqrt((1 + math.sqrt(p) / mu) / (n // 2))


def sgd_one_phase(n: float, p: float, epsilon: float, delta: float, lipschitz: float, radius: float) -> float:
    """The same of a single pass: L D sqrt((1 + 4 sqrt(d)/mu)/T)."""
    mu = gaussian_parameter(epsilon, delta)
    return lipschitz * radius * math.sqrt((1 + 4 * math.sqrt(p) / mu) / (n // 2))


def erm_sum(n: float, p: float, mu: float) -> float:
    """Of L = D = 1, at a = sqrt((8/n)/(1/3 + 8 d/(mu^2 n) + 4 sqrt(d)/(mu n^2)))."""
    a = math.sqrt((8 / n) / (1 / 3 + 8 * p / (mu**2 * n) + 4 * math.sqrt(p) / (mu * n**2)))
    return _sum(n, p, mu, a, 1.0, 1.0)


def sgd_sum(n: float, p: float, mu: float) -> float:
    """Of L = D = 1, at a = sqrt((4/n)/(1/6 + 16 d/(mu^2 n) + 8 sqrt(d)/(mu n^2)))."""
    a = math.sqrt((4 / n) / (1 / 6 + 16 * p / (mu**2 * n) + 8 * math.sqrt(p) / (mu * n**2)))
    return _sum(n, p, mu, a, 0.5, 2.0)


def _sum(n: float, p: float, mu: float, a: float, half: float, moved: float) -> float:
    """h (1/(eta_1 T_1) + sum_{i >= 2} d sigma_{i-1}^2/(eta_i T_i) + sum_i eta_i) + sqrt(d) sigma_k, as defined."""
    phases = range(1, int(n).bit_length())
    step: list[float] = [a * 4.0**-i for i in phases]
    noise: list[float] = [moved * eta / mu for eta in step]
    sizes = [int(n) >> i for i in phases]
    carried = math.fsum(
        p * before**2 / (eta * size) for before, eta, size in zip(noise[:-1], step[1:], sizes[1:], strict=True)
    )
    return half * (1 / (step[0] * sizes[0]) + carried + math.fsum(step)) + math.sqrt(p) * noise[-1]


def erm_at_crossing(p: float, mu: float) -> float:
    """Phased ERM's bound at n = 24 d/mu^2 over sqrt 2 times either term: the root of the sum of their squares."""
    n = 24 * p / mu**2
    return erm_sum(n, p, mu) / (math.sqrt(2) * 16 * math.sqrt(p) / (mu * n))


def sgd_at_crossing(p: float, mu: float) -> float:
    """The same of phased SGD at n = 96 d/mu^2."""
    n = 96 * p / mu**2
    return sgd_sum(n, p, mu) / (math.sqrt(2) * 16 * math.sqrt(p) / (mu * n))


def sgd_at_the_wrong_crossing(p: float, mu: float) -> float:
    """Control: phased SGD at the crossing of ERM."""
    n = 24 * p / mu**2
    return sgd_sum(n, p, mu) / (math.sqrt(2) * 16 * math.sqrt(p) / (mu * n))


def stages(size_ratio: float, step_ratio: float) -> float:
    """The constant of sqrt(d)/(mu n) where T_i falls as r^i and eta_i as q^i: 2/((1 - r) sqrt(q (r - q))), q < r < 1.

    T_i = n (1 - r) r^(i-1), so that the first term is 1/(a q n (1 - r)) and the carried noise adds up to
    a d/(mu^2 n (1 - r) (r - q)); the best a gives twice the root of their product, for ERM; for SGD h c = 1 as well.
    """
    if not step_ratio < size_ratio < 1:
        raise ValueError("the sum diverges")
    return 2 / ((1 - size_ratio) * math.sqrt(step_ratio * (size_ratio - step_ratio)))
