"""Supports, and answers on them, of Kifer, Smith and Thakurta (2012): exact numbers on chosen data."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dprepro.bounds.kst import lemma_39, theorem_7_regulariser, votes_missed

FloatArray = NDArray[np.float64]


def support_missed(p: float, sparsity: float, level: float) -> float:
    """P(the chosen support loses Theorem 34's bound or more) where all supports but one lose just that."""
    s = int(sparsity)
    others = math.fsum(math.log(p - i) for i in range(s)) - math.lgamma(s + 1) if p >= s else -math.inf
    weight = math.expm1(others) * math.exp(-s * (math.log(p) + level)) if others < 700 else 0.0
    return weight / (1 + weight)


def probability(level: float) -> float:
    """gamma = exp(-level)."""
    return math.exp(-level)


def score_change(curvature: float, centre: float, feature: float, label: float) -> float:
    """|q(D') - q(D)| on [-1, 1]: records of curvature h with their minimum at c, and (y - x theta)^2/2 more."""

    def least(h: float, pull: float, constant: float) -> float:  # min of h/2 t^2 - pull t + constant
        best = min(max(pull / h, -1.0), 1.0) if h > 0 else math.copysign(1.0, pull)
        return h / 2 * best**2 - pull * best + constant

    before = curvature, curvature * centre, curvature * centre**2 / 2
    after = before[0] + feature**2, before[1] + feature * label, before[2] + label**2 / 2
    return abs(least(*after) - least(*before)) - 1e-14 * after[2]


def largest_loss(feature: float, label: float) -> float:
    """alpha = max over |theta| <= 1 of (y - x theta)^2/2."""
    return (abs(label) + abs(feature)) ** 2 / 2


def few_signals_missed(p: float, sparsity: float, blocks: float, epsilon: float, signals: float) -> float:
    """P(Algorithm 5's answer is not the support) where all k blocks find one of `signals` elements.

    The answer always has s elements: where the support has fewer it never is the support.
    """
    return votes_missed(p, sparsity, blocks, epsilon) if signals >= sparsity else 1.0


def rotating_votes_missed(n: float, sparsity: float, epsilon: float, signals: float) -> float:
    """At least so often Algorithm 6 misses a signal where blocks name others beside them, in turn.

    Every block names all m signals, and all but one of J = s - m + 1 further coordinates, each of which has the share
    1 - 1/J of the votes then. s of these s + 1 are returned, or fewer of them, and a signal is missed where the least
    of all is one. In units of the noise, 4 s/(k epsilon) with k = sqrt n, signals lead by k epsilon/(4 s J). The
    integral is that of the density of the least signal against the chance that all others exceed it.
    """
    others = sparsity - signals + 1
    lead = math.floor(math.sqrt(n)) * epsilon / (4 * sparsity * others)
    pieces = np.linspace(-40.0, min(lead, 40.0) + 5.0, 121)
    edges = np.unique(np.concatenate([pieces, [0.0, lead] if lead < 40 else [0.0]]))
    nodes, weights = np.polynomial.legendre.leggauss(12)
    half = 0.5 * np.diff(edges)
    t = edges[:-1, None] + half[:, None] * (1 + nodes)

    def above(u: FloatArray) -> FloatArray:  # P(Lap(1) > u)
        return np.where(u > 0, 0.5 * np.exp(-np.abs(u)), 1 - 0.5 * np.exp(-np.abs(u)))

    density = signals * 0.5 * np.exp(-np.abs(t - lead)) * above(t - lead) ** (signals - 1)
    return float(half @ ((density * above(t) ** others) @ weights))


def rotating_votes_missed_at_table_2(p: float, sparsity: float, epsilon: float, signals: float) -> float:
    """`rotating_votes_missed` at k = sqrt n = 100 s ln p/epsilon."""
    return rotating_votes_missed((100 * sparsity * math.log(p) / epsilon) ** 2, sparsity, epsilon, signals)


def theorem_9_missed(n: float, p: float, sparsity: float, epsilon: float) -> float:
    """What Theorems 9 and 43 allow: p exp(-epsilon sqrt(n)/(8 s))."""
    return p * math.exp(-epsilon * math.sqrt(n) / (8 * sparsity))


def orthogonal_votes_missed(n: float, p: float, sparsity: float, epsilon: float) -> float:
    """P(support missed) where sqrt(n) blocks all find s elements, and half of epsilon is spent on the votes."""
    return votes_missed(p, sparsity, math.floor(math.sqrt(n)), epsilon / 2)


def aggregation_missed(p: float, sparsity: float, epsilon: float) -> float:
    """`orthogonal_votes_missed` where k = sqrt n is 100 s ln p/epsilon.

    Then n is 1e4 times Table 2's s^2 log^2 p, over epsilon^2.
    """
    return votes_missed(p, sparsity, 100 * sparsity * math.log(p) / epsilon, epsilon / 2)


def theorem_6_with_2(noise_scale: float, p: float, sparsity: float) -> float:
    """Theorem 6 with the constant 2: noise_scale s ln p, of which 2 alpha/(epsilon n) is the scale."""
    return noise_scale * sparsity * math.log(p)


def fitted_risk(n: float, epsilon: float, level: float, sparsity: float, psi: float, signal: float) -> float:
    """The expected risk of the second half of Algorithms 3 and 6 on an orthogonal design, the support being right.

    Columns have the squared norm n Psi, and theta* the entries `signal`; without noise of the labels it is the exact
    minimiser; delta = exp(-level). theta^priv is (n Psi signal - b)/(n Psi + Delta), clipped to [-1, 1], in each of s
    coordinates, b of deviation 2 s^(3/2) sqrt(8 ln(2/delta) + 2 epsilon)/(epsilon/2), and the risk Psi/2 times the
    squared distance.
    """
    eta, ridge = n * psi, theorem_7_regulariser(epsilon, sparsity, math.sqrt(sparsity), 2.0)
    noise = lemma_39(sparsity) * math.sqrt(8 * (math.log(2) + level) + 2 * epsilon) * 2 / epsilon
    mean, scale = eta * signal / (eta + ridge), noise / (eta + ridge)
    low, high = (-1 - mean) / scale, (1 - mean) / scale
    shift = mean - signal

    def moment(z: float) -> tuple[float, float, float]:
        density, below = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi), float(special.ndtr(z))
        return below, -density, below - z * density

    inside = [b - a for a, b in zip(moment(low), moment(high), strict=True)]
    squared = shift**2 * inside[0] + 2 * shift * scale * inside[1] + scale**2 * inside[2]
    squared += float(special.ndtr(low)) * (1 + signal) ** 2 + float(special.ndtr(-high)) * (1 - signal) ** 2
    return psi / 2 * sparsity * squared


def fitted_bound(n: float, epsilon: float, level: float, sparsity: float, psi: float) -> float:
    """Theorem 44 in expectation (`kst.theorem_44`) at that noise and Delta."""
    eta, ridge = n * psi, theorem_7_regulariser(epsilon, sparsity, math.sqrt(sparsity), 2.0)
    noise = sparsity * (lemma_39(sparsity) * 2 / epsilon) ** 2 * (8 * (math.log(2) + level) + 2 * epsilon)
    return noise / (2 * n * (ridge + eta)) + ridge * sparsity / (2 * n)


def theorem_7_as_printed(n: float, p: float, epsilon: float, level: float, sparsity: float, psi: float) -> float:
    """Theorem 7's rate as printed, delta = exp(-level)."""
    return (sparsity * level / (n * epsilon * psi) + sparsity**3 * math.log(p)) / (n * epsilon)


def theorem_7(n: float, p: float, epsilon: float, level: float, sparsity: float, psi: float) -> float:
    """`theorem_7_as_printed` with s^4."""
    return (sparsity**4 * level / (n * epsilon * psi) + sparsity**3 * math.log(p)) / (n * epsilon)


def theorem_9(n: float, epsilon: float, level: float, sparsity: float, psi: float) -> float:
    """The rate of Theorems 9 and 43, delta = exp(-level)."""
    return (sparsity**4 * level / (n * epsilon * psi) + sparsity**2) / (n * epsilon)


def theorem_44_missed_as_printed(n: float, epsilon: float, rest: float, sparsity: float, psi: float) -> float:
    """P(risk > Theorem 44 as printed), theta* = 0, gamma = 1 - rest: chi-square with s degrees of freedom.

    The risk is eta sigma^2 chi/(2 n (Delta + eta)^2), sigma^2 = 16 s^3 (8 ln(2/delta) + 2 epsilon)/epsilon^2, and the
    bound 4 s sigma^2 ln(1/gamma)/(n (Delta + Psi)); the box does not clip where n is large.
    """
    eta, ridge = n * psi, theorem_7_regulariser(epsilon, sparsity, math.sqrt(sparsity), 2.0)
    most = 4 * sparsity * -math.log1p(-rest) / (ridge + psi) * 2 * (ridge + eta) ** 2 / eta
    return float(special.gammainc(sparsity / 2, most / 2))


def theorem_44_holds_with(n: float, p: float, epsilon: float, rest: float, sparsity: float) -> float:
    """With what probability it has to hold: 1 - gamma - p exp(-epsilon sqrt(n)/(8 s)), gamma = 1 - rest."""
    return rest - p * math.exp(-epsilon * math.sqrt(n) / (8 * sparsity))


def theorem_44_missed(epsilon: float, level: float, sparsity: float, share: float) -> float:
    """P(risk > Theorem 44 with n Psi and 1 + ln(1/gamma)) there, eta = share (Delta + eta), gamma = exp(-level)."""
    return float(special.gammaincc(sparsity / 2, 4 * sparsity * (1 + level) / share))


def theorem_44_without_one_missed(rest: float, sparsity: float) -> float:
    """P(risk > Theorem 44 with n Psi and ln(1/gamma)), Delta = 0, gamma = 1 - rest."""
    return float(special.gammaincc(sparsity / 2, 4 * sparsity * -math.log1p(-rest)))


def theorem_35_missed(level: float, sparsity: float) -> float:
    """P(the second half of Theorem 35's bound is exceeded), gamma = exp(-level): b has s coordinates.

    ||b||^2/(2 n (Delta + eta)) over 16 s zeta^2 (...) log(2/gamma)/(n epsilon^2 (Delta + eta)), b of 4 zeta^2 (...).
    """
    return float(special.gammaincc(sparsity / 2, 4 * sparsity * (math.log(2) + level)))


def half_probability(level: float) -> float:
    """gamma/2, what Theorem 35 leaves to each half."""
    return math.exp(-level) / 2


def two_columns_error(correlation: float, first: float, second: float) -> float:
    """||theta_hat - theta*||^2 in units of (Lambda/n)^2, two columns of norm sqrt(n), theta* large in the first alone.

    first, second: the correlations of the columns with the noise, in units of Lambda/n, at most 1/2 in size. With the
    errors e: G e = g - (1, z), z the sign of e_2, or e_2 = 0 and |z| <= 1.
    """
    e1 = first - 1
    left = second - correlation * e1  # z where e_2 = 0
    if abs(left) <= 1:
        return e1**2
    z = math.copysign(1.0, left)
    over = 1 - correlation**2
    value, two = (e1 - correlation * (second - z)) / over, (second - z - correlation * e1) / over
    return value**2 + two**2


def two_columns_allowed(correlation: float) -> float:
    """Lemma 42 in those units: 4/Psi^2 at s = 1, Psi = 1 - |correlation|, which (1, -+1) of the cone attains."""
    return 4 / (1 - abs(correlation)) ** 2


def records_for_signals(p: float, deviation: float, psi: float, sparsity: float, signal: float) -> float:
    """Lemma 41's least n: (16 sigma/(Psi Phi))^4 s^2 log^2 p."""
    return (16 * deviation / (psi * signal)) ** 4 * sparsity**2 * math.log(p) ** 2


def two_columns_off(
    correlation: float, first: float, second: float, deviation: float, p: float, signal: float
) -> float:
    """The largest error of one coordinate on such a block, s = 1, of as many records as Lemma 41 needs in all, n^(1/2).

    Lambda/n is 4 sigma sqrt(log p) over the root of the block's size, n^(1/4).
    """
    psi = 1 - abs(correlation)
    size = math.sqrt(records_for_signals(p, deviation, psi, 1.0, signal))
    return math.sqrt(two_columns_error(correlation, first, second)) * 4 * deviation * math.sqrt(math.log(p) / size)


def half_signal(signal: float) -> float:
    """Phi/2: what errs by less leaves the order of signals and others as it is."""
    return signal / 2
