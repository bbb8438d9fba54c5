"""Section 5 of Bassily, Smith and Thakurta (2014): what binds every private algorithm, by packing and by fingerprints.

Risks are means over the n records, as in `bst`.
"""

from __future__ import annotations

import math


def group_delta(copies: float, epsilon: float, delta: float) -> float:
    """delta (e^(epsilon m) - 1)/(e^epsilon - 1): delta of (epsilon, delta)-privacy for m replaced records."""
    return delta * copies if epsilon == 0 else delta * math.expm1(epsilon * copies) / math.expm1(epsilon)


def packing_line(words: float, copies: float, epsilon: float, delta: float) -> float:
    """Largest chance of telling one of K data sets that differ in m records: e^a/(K - 1 + e^a), a = epsilon m.

    Group privacy says P_i(i) <= e^a P_j(i) + delta_a for all j. The mean over i and j != i of both sides, with
    sum over i != j of P_j(i) at most 1 - P_j(j), is s <= e^a (1 - s)/(K - 1) + delta_a for the mean success s. With
    delta = 0 it is attained by K-ary randomised response on the K data sets. The proof of Lemma 5.1 (Appendix C.1) uses
    the weaker s <= e^a/K. For delta > 0: (e^a + (K - 1) delta_a)/(K - 1 + e^a).
    """
    a = epsilon * copies
    if a > 700:
        return 1.0
    others = words - 1
    return min(1.0, (math.exp(a) + others * group_delta(copies, epsilon, delta)) / (others + math.exp(a)))


def tracing_line(level: float, epsilon: float, delta: float) -> float:
    """Largest chance of accusing a member where a stranger is accused with chance ``level``: e^epsilon level + delta.

    Put a stranger in the member's place: the answer's law changes by (epsilon, delta), and the member has become the
    stranger. The test's error of the second kind gives the other half, 1 - e^-epsilon (1 - delta - level).
    """
    if epsilon > 700:
        return 1.0
    return min(1.0, math.exp(epsilon) * level + delta, 1 - math.exp(-epsilon) * (1 - delta - level))


def fingerprinting_line(p: float, copies: float, epsilon: float, delta: float) -> float:
    """Largest E <theta, mu> of an (epsilon, delta)-private theta in the unit ball: m (sinh(epsilon)/sqrt p + 4 delta).

    m records have entries +-1/sqrt p of mean mu_j, sqrt(p) mu_j from the arcsine law on [-1, 1]. Integration by parts
    against its density gives sum_i E <theta, x_i - mu> = E <theta, mu> for every theta: a fingerprinting lemma that is
    an equality. Let S be one of these scores and S' the same with a stranger in x_i's place, of mean zero and variance
    at most 1/p given theta, |S'| <= 2. Privacy gives E S+ <= e^epsilon E S'+ + 2 delta and E S- >= e^-epsilon
    (E S'- - 2 delta), hence E S <= sinh(epsilon) E |S'| + 4 delta. Summed over the m records that is the bound.
    """
    return 1.0 if epsilon > 700 else min(1.0, copies * (math.sinh(epsilon) / math.sqrt(p) + 4 * delta))


def theorem_5_3_level(length: float, p: float, copies: float, epsilon: float, delta: float) -> float:
    """Theorem 5.3, in the sum: no (epsilon, delta)-private theta in the unit ball loses less than that in the mean.

    m = ``copies`` such records and others that cancel have a sum s of mean norm ``length``. The loss is
    E ||s|| - E <theta, s>, and the lemma of `fingerprinting_line` turns E <theta, s> into (m + 1) E <theta, mu>. For
    m = share sqrt(p)/epsilon and small epsilon that is share (1/sqrt 2 - share) sqrt(p)/epsilon, at best
    sqrt(p)/(8 epsilon) with share = 1/sqrt 8. Negative where it says nothing: it may be averaged over ``length``.
    """
    return length - (copies + 1) * fingerprinting_line(p, copies, epsilon, delta)


def theorem_5_5_level(square: float, n: float, p: float, copies: float, epsilon: float, delta: float) -> float:
    """Theorem 5.5, in the sum over n: the same for n ||theta - q||^2/2, q = s/n, ``square`` being E ||s||^2.

    The lemma for theta of length up to 1: E <theta, q> <= B u + 4 delta m (m + 1)/n, u^2 = E ||theta||^2, with
    B = m (m + 1) sinh(epsilon)/(n sqrt p). So E ||theta - q||^2 >= E ||q||^2 - 2 E <theta, q> + u^2 >= E ||q||^2 -
    B^2 - 8 delta m (m + 1)/n. For small epsilon half of that is share^2 (1/2 - share^2)/2 of p/(n epsilon)^2, at best
    p/(32 (n epsilon)^2) with share = 1/2.
    """
    if epsilon > 100:
        return 0.0
    pairs = copies * (copies + 1)
    pull = pairs * math.sinh(epsilon) / math.sqrt(p)
    return (square - pull**2 - 8 * delta * pairs * n) / (2 * n)


def fingerprinting_chance(p: float, copies: float, epsilon: float, delta: float, part: float) -> float:
    """Largest chance that a private theta in the unit ball loses less than ``part`` ||s|| on -<theta, s>.

    If it has chance P, E <theta, s> >= (2 - part) E ||s|| 1_P - E ||s||, and E ||s|| 1_P >= P E ||s|| - E| ||s|| -
    E ||s|| |/2. By the lemma of `fingerprinting_line` E <theta, s> <= G = (m + 1) times that line, so P <=
    (1 + G/E ||s||)/(2 - part) + E| ||s|| - E ||s|| |/(2 E ||s||). With r^2 = E ||s||^2 = m (m + 1)/2, the relative
    variance of ||s||^2 is at most 2/p: E ||s|| >= r (1 - 1/p), as sqrt x >= 1 + (x - 1)/2 - (x - 1)^2/2, and
    E (||s|| - r)^2 <= 2 r^2/p.
    """
    if p == 1:
        return 1.0
    length = math.sqrt(copies * (copies + 1) / 2) * (1 - 1 / p)
    gain = (copies + 1) * fingerprinting_line(p, copies, epsilon, delta) / length
    return min(1.0, (1 + gain) / (2 - part) + 1 / (math.sqrt(2 * p) * (1 - 1 / p)))


def lemma_5_1_1_rate(n: float, p: float, epsilon: float) -> float:
    """Lemma 5.1.1's rate, of the l2 error of the marginals: min(1, p/(epsilon n)). Printed with 1/320 and 1/16."""
    return min(1.0, p / (epsilon * n))


def theorem_5_2_rate(n: float, p: float, epsilon: float) -> float:
    """Theorem 5.2's rate, mean risk of linear losses: that of Lemma 5.1.1."""
    return lemma_5_1_1_rate(n, p, epsilon)


def theorem_5_4_rate(n: float, p: float, epsilon: float) -> float:
    """Theorem 5.4's rate, mean risk of half the squared distance: min(1, (p/(epsilon n))^2)."""
    return lemma_5_1_1_rate(n, p, epsilon) ** 2


def lemma_5_1_2_rate(n: float, p: float, epsilon: float) -> float:
    """Lemma 5.1.2's rate, of the l2 error of the marginals: min(1, sqrt(p)/(epsilon n))."""
    return min(1.0, math.sqrt(p) / (epsilon * n))


def theorem_5_3_rate(n: float, p: float, epsilon: float) -> float:
    """Theorem 5.3's rate, mean risk of linear losses: that of Lemma 5.1.2."""
    return lemma_5_1_2_rate(n, p, epsilon)


def theorem_5_5_rate(n: float, p: float, epsilon: float) -> float:
    """Theorem 5.5's rate, mean risk of half the squared distance: min(1, p/(epsilon n)^2)."""
    return lemma_5_1_2_rate(n, p, epsilon) ** 2
