"""Kifer, Smith and Thakurta (2012), Private Convex ERM and High-dimensional Regression. All risks are means over n.

Objective perturbation draws noise b and minimises J#(theta) + b.theta/n, where J# is the risk plus Delta/(2n)
||theta||^2. theta# minimises J#, theta^priv the perturbed objective, and theta_hat the risk itself.

Lemma 3 holds for every draw of b, as printed: risk <= 2 ||b||^2/(Delta n) + Delta ||theta_hat||^2/(2n). The explicit
bounds here have 1/2 in the place of that 2. J# is Delta/n-strongly convex, so with d = theta^priv - theta#

    J#(theta^priv) - J#(theta#) <= -b.d/n - Delta ||d||^2/(2n) <= ||b||^2/(2 Delta n);

Lemma 24 drops the strong convexity of J# and loses a factor 2 in ||d||, and Corollary 25 drops ||d||^2. In expectation
no tail bound is needed: E ||b||^2 = p sigma^2 for Gaussian noise, p (p+1) scale^2 for the gamma density.
``noise_scale`` is the root of E ||b||^2, and ``radius`` bounds ||theta_hat||.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]


def theorem_4_rate(n: float, p: float, epsilon: float, delta: float, lipschitz: float, radius: float) -> float:
    """Theorem 4's rate: zeta R p ln p/(epsilon n) for delta = 0 (gamma), zeta R sqrt(p ln(1/delta))/(epsilon n)."""
    size = p * math.log(p) if delta == 0 else math.sqrt(p * math.log(1 / delta))
    return lipschitz * radius * size / (epsilon * n)


def theorem_5_rate(
    n: float, p: float, epsilon: float, delta: float, lipschitz: float, smoothness: float, radius: float
) -> float:
    """Theorem 5's rate: (p^2 zeta^2 ln(1/delta)/(lambda n epsilon) + lambda R^2)/(n epsilon)."""
    noise = (p * lipschitz) ** 2 * math.log(1 / delta) / (smoothness * n * epsilon)
    return (noise + smoothness * radius**2) / (n * epsilon)


def lemma_3(n: float, noise_scale: float, regulariser: float, radius: float) -> float:
    """Lemma 3 in expectation, sharpened: E||b||^2/(2 Delta n) + Delta R^2/(2n)."""
    return noise_scale**2 / (2 * regulariser * n) + regulariser * radius**2 / (2 * n)


def theorem_31(n: float, noise_scale: float, regulariser: float, radius: float, eta: float) -> float:
    """Theorem 31 (Theorem 5, Table 1 row 3) in expectation, sharpened: E||b||^2/(2 n (Delta + eta)) + Delta R^2/(2n).

    The mean loss is eta/n-strongly convex on the whole set (Assumption 1), and J# (Delta + eta)/n: the display
    at the top of this file with Delta + eta. (Equations 18 and 24 give 2 in the place of 1/2.)
    """
    return noise_scale**2 / (2 * n * (regulariser + eta)) + regulariser * radius**2 / (2 * n)


# schedules as printed: gamma noise at delta = 0, else Gaussian noise; zeta is `lipschitz`, lambda `smoothness`


def algorithm_1_noise(p: float, epsilon: float, delta: float, lipschitz: float) -> float:
    """Algorithm 1, lines 3 and 5 (section 2.2): the root of E ||b||^2.

    ||b|| has the gamma law of shape p and scale 2 zeta/epsilon, or b the variance zeta^2 (8 ln(2/delta) +
    4 epsilon)/epsilon^2 in each of p coordinates.
    """
    if delta == 0:
        return 2 * lipschitz / epsilon * math.sqrt(p * (p + 1))
    return lipschitz / epsilon * math.sqrt(p * (8 * math.log(2 / delta) + 4 * epsilon))


def algorithm_1_regulariser(epsilon: float, smoothness: float) -> float:
    """Algorithm 1, line 1: the least Delta, 2 lambda/epsilon; Theorem 5 takes it."""
    return 2 * smoothness / epsilon


def theorem_4_regulariser(
    p: float, epsilon: float, delta: float, lipschitz: float, smoothness: float, radius: float
) -> float:
    """Theorem 4 (section 2.2.1): zeta p ln p/(epsilon R), or zeta sqrt(p ln(1/delta))/(epsilon R); at least line 1's.

    Printed with Theta and ||theta_hat||: the factor is 1 here, and R, as the paper advises, a bound on the norm.
    Theorem 29 has the same with zeta = R L.
    """
    size = p * math.log(p) if delta == 0 else math.sqrt(p * math.log(1 / delta))
    return max(lipschitz * size / (epsilon * radius), algorithm_1_regulariser(epsilon, smoothness))


def algorithm_4_scale(n: float, epsilon: float, loss_bound: float) -> float:
    """Algorithm 4, line 1 (appendix F.1): exp(-epsilon q/(2 alpha)), the scale 2 alpha/(epsilon n) of the mean q/n."""
    return 2 * loss_bound / (epsilon * n)


def algorithm_5_scale(sparsity: float, blocks: float, epsilon: float) -> float:
    """Algorithm 5, line 5 (appendix G.1): the votes' noise, 2 s/(k epsilon)."""
    return 2 * sparsity / (blocks * epsilon)


def theorem_7_scale(n: float, epsilon: float, loss_bound: float) -> float:
    """Section 3.2: `algorithm_4_scale` with epsilon/2."""
    return algorithm_4_scale(n, epsilon / 2, loss_bound)


def theorem_9_scale(n: float, epsilon: float, sparsity: float) -> float:
    """Line 2 of Algorithms 3 and 6: `algorithm_5_scale` with epsilon/2 and k = sqrt(n), rounded down."""
    return algorithm_5_scale(sparsity, math.floor(math.sqrt(n)), epsilon / 2)


def theorem_7_regulariser(epsilon: float, sparsity: float, feature_bound: float, feature_norm: float) -> float:
    """Theorems 7 and 9: Delta = Theta(s/epsilon); here 2 lambda/(epsilon/2), line 1 of Algorithm 1 on the support.

    lambda is ||x||_2^2 on s coordinates, at most s by line 4 of Algorithm 6, and less where rows are shorter.
    """
    length = feature_bound * sparsity ** max(0.0, 0.5 - 1 / feature_norm)
    return algorithm_1_regulariser(epsilon / 2, min(sparsity, length**2))


# sparse regression: noise_scale is 2 alpha/(epsilon n), the scale of Algorithm 4's mean scores


def theorem_6_rate(n: float, p: float, epsilon: float, sparsity: float, loss_bound: float) -> float:
    """Theorem 6's rate: alpha s ln p/(epsilon n)."""
    return loss_bound * sparsity * math.log(p) / (epsilon * n)


def theorem_6(noise_scale: float, p: float, sparsity: float) -> float:
    """Theorem 6 with the best constant of one selection among K = (p over s): noise_scale W((K - 1)/e).

    The expected regret of the exponential mechanism is at most that, for any scores, and this much where all K - 1
    others are worse by 1 + W: see `mechanisms.GumbelMin`. It lies below (2 alpha/(epsilon n)) s ln p.
    """
    return noise_scale * _omega(_log_supports(p, sparsity) - 1)


def theorem_34(noise_scale: float, p: float, sparsity: float, level: float) -> float:
    """Theorem 34: at most 2 alpha s ln(p/gamma)/(epsilon n) with probability 1 - gamma; gamma = exp(-level)."""
    return noise_scale * sparsity * (math.log(p) + level)


def half_of_theorem_34(noise_scale: float, p: float, sparsity: float, level: float) -> float:
    """Half of Theorem 34's level, which is too little: a control."""
    return 0.5 * theorem_34(noise_scale, p, sparsity, level)


def theorem_35(
    n: float, p: float, sparsity: float, noise_scale: float, fit_noise: float, regulariser: float, eta: float
) -> float:
    """Theorem 35 in expectation: `theorem_6` for the support, and on it `theorem_44`; eta = n Psi."""
    return theorem_6(noise_scale, p, sparsity) + theorem_44(n, fit_noise, regulariser, eta, sparsity)


def theorem_35_tail(
    n: float, p: float, epsilon: float, delta: float, sparsity: float,
    loss_bound: float, regulariser: float, eta: float, level: float,
) -> float:  # fmt: skip
    """Theorem 35 as printed, zeta = 2 s^(3/2), gamma = exp(-level)."""
    s, over = sparsity, n * epsilon
    noise = 16 * s * 4 * s**3 * (8 * math.log(2 / delta) + 2 * epsilon) * (math.log(2) + level)
    support = 4 * loss_bound * s / over * (math.log(2 * p) + level)
    return noise / (over * epsilon * (regulariser + eta)) + support + regulariser * s / (2 * n)


def theorem_7_rate(n: float, p: float, epsilon: float, delta: float, sparsity: float, eta: float) -> float:
    """Theorem 7's rate, repaired: (s^4 ln(1/delta)/(n epsilon Psi) + s^3 ln p)/(n epsilon)."""
    return (sparsity**4 * math.log(1 / delta) / (epsilon * eta) + sparsity**3 * math.log(p)) / (n * epsilon)


def theorem_7_as_printed(n: float, p: float, epsilon: float, delta: float, sparsity: float, eta: float) -> float:
    """Theorem 7's rate with s ln(1/delta) in its first term."""
    return (sparsity * math.log(1 / delta) / (epsilon * eta) + sparsity**3 * math.log(p)) / (n * epsilon)


def theorem_7_first_term(n: float, epsilon: float, delta: float, sparsity: float, eta: float) -> float:
    """The first term of `theorem_7_rate`, the whole risk where the support is found.

    It is s^4 ln(1/delta)/(n epsilon)^2 at Psi = 1.
    """
    return sparsity**4 * math.log(1 / delta) / (epsilon * eta * n * epsilon)


def pipeline_law(n: float, epsilon: float, delta: float, sparsity: float, eta: float) -> float:
    """The risk on an orthogonal design where the support is found and the ridge is small, E ||b||^2/(2 n eta); derived.

    b has s coordinates, epsilon/2 and zeta = 2 s^(3/2): 8 s^4 (8 ln(2/delta) + 2 epsilon)/(epsilon^2 n eta).
    """
    return algorithm_1_noise(sparsity, epsilon / 2, delta, lemma_39(sparsity)) ** 2 / (2 * n * eta)


def theorem_8(p: float, sparsity: float, blocks: float, epsilon: float) -> float:
    """Theorem 8: sample and aggregate fails with probability at most p exp(-epsilon k/(4 s))."""
    return p * math.exp(-epsilon * blocks / (4 * sparsity))


def votes_missed(p: float, sparsity: float, blocks: float, epsilon: float) -> float:
    """The exact probability that sample and aggregate misses the support.

    All k blocks vote for the s right coordinates, and Lap(2 s/(k epsilon)) is added to every count of votes.
    """
    return _votes(p, sparsity, blocks, epsilon)[0]


def votes_found(p: float, sparsity: float, blocks: float, epsilon: float) -> float:
    """The probability 1 - `votes_missed` that the support is found, as exact where it is small."""
    return _votes(p, sparsity, blocks, epsilon)[1]


def _votes(p: float, sparsity: float, blocks: float, epsilon: float) -> tuple[float, float]:
    """The probabilities that votes miss the right coordinates, and that they find them.

    In units of the noise the right ones lead by k epsilon/(2 s): the integrals over t of the density of the least of
    them times 1 - F(t)^(p - s), and F(t)^(p - s), by Gauss-Legendre between the two kinks and beyond.
    """
    import numpy as np

    lead, s, others = blocks * epsilon / (2 * sparsity), sparsity, p - sparsity
    pieces = np.linspace(min(lead, 0.0) - 60.0, max(lead, 0.0) + 60.0, 2 * math.ceil(abs(lead) / 2) + 121)
    edges = np.unique(np.concatenate([pieces, [0.0, lead]]))
    nodes, weights = np.polynomial.legendre.leggauss(20)
    half = 0.5 * np.diff(edges)
    t = edges[:-1, None] + half[:, None] * (1 + nodes)

    def below(u: FloatArray) -> FloatArray:  # ln P(Lap(1) < u)
        return np.asarray(np.where(u < 0, np.minimum(u, 0.0) - math.log(2), np.log1p(-0.5 * np.exp(-np.abs(u)))))

    density = s * 0.5 * np.exp(-np.abs(t - lead) + (s - 1) * below(lead - t))
    logs = others * below(t)
    missed, found = (float(half @ ((density * some) @ weights)) for some in (-np.expm1(logs), np.exp(logs)))
    return missed, found


def theorem_44(n: float, fit_noise: float, regulariser: float, eta: float, sparsity: float) -> float:
    """Theorem 44 in expectation over b, the support being right: `theorem_31` with ||theta||_2 <= sqrt(s).

    ``fit_noise`` is the root of E ||b||^2 in the s dimensions of the support, eta = n Psi.
    """
    return theorem_31(n, fit_noise, regulariser, math.sqrt(sparsity), eta)


def theorem_44_tail(
    n: float, epsilon: float, delta: float, sparsity: float, regulariser: float, eta: float, level: float
) -> float:
    """Theorem 44 with n Psi in its denominator, gamma = exp(-level)."""
    noise = 64 * sparsity**4 * (8 * math.log(2 / delta) + 2 * epsilon) * level
    return noise / (n * epsilon**2 * (regulariser + eta)) + regulariser * sparsity / (2 * n)


def theorem_9_rate(n: float, epsilon: float, delta: float, sparsity: float, eta: float) -> float:
    """The rate of Theorems 9 and 43: (s^4 ln(1/delta)/(n epsilon Psi) + s^2)/(n epsilon)."""
    return (sparsity**4 * math.log(1 / delta) / (epsilon * eta) + sparsity**2) / (n * epsilon)


def lemma_42(n: float, p: float, sparsity: float, deviation: float, psi: float) -> float:
    """Lemma 42: ||theta_hat - theta*||^2 <= (64 sigma^2/Psi^2) s ln p/n."""
    return 64 * deviation**2 / psi**2 * sparsity * math.log(p) / n


def lemma_39(sparsity: float) -> float:
    """Lemma 39: ||grad l(theta; d)||_2 <= 2 s^(3/2)."""
    return 2 * sparsity * math.sqrt(sparsity)


def largest_gradient(sparsity: float) -> float:
    """||(<x, theta> - y) x||_2 at x = (1, ..., 1), y = s, theta = -x: all bounds attained."""
    return abs(-sparsity - sparsity) * math.sqrt(sparsity)


def rows_broken(n: float, p: float, deviation: float) -> float:
    """The probability that an entry of n p independent N(0, deviation^2) exceeds 1: Definition 2 (1) fails at s = 1."""
    value = math.erfc(1 / (deviation * math.sqrt(2)))
    return -math.expm1(n * p * math.log1p(-value))


def rows_broken_at_small_deviation(n: float, p: float) -> float:
    """`rows_broken` at deviation 1/(2 sqrt(ln(n p)))."""
    return rows_broken(n, p, 1 / (2 * math.sqrt(math.log(n * p))))


def small_probability(p: float) -> float:
    """1/p, the probability of failure that "with high probability" allows."""
    return 1 / p


def records_for_selection(p: float, sparsity: float, epsilon: float) -> float:
    """Table 2, first row: the n from which on the worst expected risk of Algorithm 4's support is at most 1/10.

    On orthogonal designs with |y| <= s, alpha = 2 s^2: each of m missing coordinates costs t (2 alpha/epsilon) of the
    sum, and P(m) is proportional to (s over m) (p - s over m) exp(-t m). The worst t is searched for.
    """
    s = int(sparsity)
    sizes = [_log_binomial(s, m) + _log_binomial(p - s, m) for m in range(s + 1)]

    def loss(t: float) -> float:
        logs = [size - t * m for m, size in enumerate(sizes)]
        weights = [math.exp(log - max(logs)) for log in logs]
        return t * sum(m * weight for m, weight in enumerate(weights)) / sum(weights)

    low, high = 0.1, 2 * math.log(p)
    for _ in range(200):  # one maximum: golden section
        first, second = high - 0.618034 * (high - low), low + 0.618034 * (high - low)
        low, high = (first, high) if loss(first) < loss(second) else (low, second)
    return 10 * 2 * 2 * s**2 / epsilon * loss(low)


def records_for_aggregation(p: float, sparsity: float, epsilon: float) -> float:
    """Table 2, second row: the n = k^2 at which k right blocks and half of epsilon miss the support one time in ten."""
    low, high = 1.0, 100.0 * sparsity * math.log(p) / epsilon
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if votes_missed(p, sparsity, middle, epsilon / 2) > 0.1 else (low, middle)
    return high**2


def one(sparsity: float) -> float:
    """1, the bound of a quantity that is a ratio to its bound already."""
    return 1.0


def _log_supports(p: float, sparsity: float) -> float:
    """ln of p over s; p as large as 1e300."""
    return _log_binomial(p, int(sparsity))


def _log_binomial(n: float, k: int) -> float:
    return math.fsum(math.log(n - i) for i in range(k)) - math.lgamma(k + 1) if k <= n else -math.inf


def _omega(x: float) -> float:
    """The w with w + ln w = x, W(e^x), by Newton's method from above; for x of 0 or more."""
    w = max(x, 0.5)
    for _ in range(60):
        w -= (w + math.log(w) - x) * w / (1 + w)
    return w
