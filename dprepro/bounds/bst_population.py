"""Bassily, Smith and Thakurta (2014), Appendix F: from empirical to population risk. All risks are means.

The bounds are derived here, with constants. E is over the sample and the algorithm; `Theorem F.2` is a tail.
"""

from __future__ import annotations

import math

from dprepro.bounds.bst import theorem_3_2, theorem_4_3


def theorem_f_1(empirical: float, n: float, lipschitz: float, strong_convexity: float, level: float) -> float:
    """Theorem F.1: sqrt(2 L^2/Delta) sqrt(mean empirical excess) + 4 L^2/(gamma Delta n), gamma = exp(-level)."""
    rest = 4 * lipschitz**2 * math.exp(level) / (strong_convexity * n)
    return math.sqrt(2 * lipschitz**2 / strong_convexity * empirical) + rest


def theorem_f_2(
    n: float, p: float, epsilon: float, lipschitz: float, strong_convexity: float, diameter: float, level: float
) -> float:
    """Theorem F.2.1: population risk >= this with probability at most gamma = exp(-level), for Algorithm 4.

    Theorem F.1 at gamma/2, with the empirical risk below 2/gamma times what Theorem 4.3 bounds (Markov; Appendix D
    has ln(1/gamma) in the place of 1/gamma, at the price of more noise).
    """
    empirical = 2 * math.exp(level) * theorem_4_3(n, p, epsilon, lipschitz, strong_convexity, diameter)
    return theorem_f_1(empirical, n, lipschitz, strong_convexity, level + math.log(2))


def theorem_f_2_too_tight(n: float, level: float) -> float:
    """A falsehood beside it: a quarter of 1/n, half of what a mean record of unit variance misses."""
    return 0.25 / n


def section_1_1_rate(n: float, p: float, epsilon: float, delta: float, lipschitz: float, diameter: float) -> float:
    """Section 1.1 as Theorem F.4 has it, times L C: 1/sqrt n + p^c/(epsilon n), c = 1, and 1/2 for delta > 0."""
    size = p if delta == 0 else math.sqrt(p)
    return lipschitz * diameter * (1 / math.sqrt(n) + size / (epsilon * n))


def section_1_1_rate_as_printed(
    n: float, p: float, epsilon: float, delta: float, lipschitz: float, diameter: float
) -> float:
    """As printed, times L C: min(1/sqrt n, p^c/(epsilon n)), c = 1, and 2 for delta > 0."""
    size = p if delta == 0 else p**2
    return lipschitz * diameter * min(1 / math.sqrt(n), size / (epsilon * n))


def theorem_f_2_rate(
    n: float, p: float, epsilon: float, delta: float, lipschitz: float, strong_convexity: float
) -> float:
    """Theorem F.2's rate at a gamma: L^2 p sqrt(ln n)/(Delta n epsilon), sqrt(p) ln^2(n/delta) for delta > 0."""
    size = p * math.sqrt(math.log(n)) if delta == 0 else math.sqrt(p) * math.log(n / delta) ** 2
    return lipschitz**2 * size / (strong_convexity * n * epsilon)


def theorem_f_3_rate(n: float, p: float, epsilon: float, delta: float, lipschitz: float, diameter: float) -> float:
    """Theorem F.3's rate: L C sqrt(p/(n epsilon)), or L C p^(1/4) ln(1/delta)^(1/4)/sqrt(n epsilon) for delta > 0.

    The latter with the least Gaussian noise; printed are ln^(1/4) n and ln(n/delta) besides, and (L + C) C for L C.
    """
    size = p if delta == 0 else math.sqrt(p * math.log(1 / delta))
    return lipschitz * diameter * math.sqrt(size / (n * epsilon))


def theorem_f_3(
    n: float, p: float, delta: float, noise_scale: float, weight: float, lipschitz: float, radius: float
) -> float:
    """Theorem F.3 for regularised output perturbation: Delta R^2/2 + L E ||b|| + 2 L^2/(n Delta).

    With l' = l + Delta/2 ||.||^2: the population risk of l' exceeds that of the regularised minimiser by nothing in
    expectation but its stability, a record moving it by 2 L/(n Delta); the noise is worth L ||b|| of l, and the
    regulariser at the best point Delta R^2/2. E ||b|| is p scales of the gamma law, at most sqrt(p) deviations.
    """
    length = noise_scale * (p if delta == 0 else math.sqrt(p))
    return weight * radius**2 / 2 + lipschitz * length + 2 * lipschitz**2 / (n * weight)


def theorem_f_4_rate(n: float, lipschitz: float, diameter: float) -> float:
    """Theorem F.4's rate: L C/sqrt n; for approximate privacy ln^2(n/delta) is printed besides."""
    return lipschitz * diameter / math.sqrt(n)


def theorem_f_4(n: float, p: float, epsilon: float, lipschitz: float, diameter: float) -> float:
    """Theorem F.4.1 for Algorithm 2, on losses g(<theta, x>) over a ball: L C/sqrt n + 2 p L C/(n epsilon).

    E of the population risk is at most E of the empirical excess risk plus E sup (population - empirical loss), which
    symmetrisation and contraction bound by 2 L_g E sup <theta, sum of sigma_i x_i>/n <= 2 L_g R X/sqrt n = L C/sqrt n.
    """
    return theorem_f_4_rate(n, lipschitz, diameter) + theorem_3_2(n, p, epsilon, lipschitz, diameter)


def theorem_f_4_gaussian(
    n: float, noise_scale: float, regulariser: float, lipschitz: float, diameter: float, radius: float
) -> float:
    """Theorem F.4.2 for objective perturbation: L C/sqrt n + E ||b||^2/(2 Delta n) + Delta R^2/(2n)."""
    perturbed = noise_scale**2 / (2 * regulariser * n) + regulariser * radius**2 / (2 * n)
    return theorem_f_4_rate(n, lipschitz, diameter) + perturbed


def lemma_f_5(epsilon: float, lipschitz: float, diameter: float) -> float:
    """Lemma F.5.1 with the best constant in its proof: population less empirical risk <= L C tanh(epsilon/2).

    A record's loss varies by at most L C over the set, and its mean differs by at most that times the total variation
    between the answers with and without the record, which is at most (e^epsilon - 1)/(e^epsilon + 1).
    """
    return lipschitz * diameter * math.tanh(epsilon / 2)


def lemma_f_5_rate(epsilon: float, delta: float, lipschitz: float, diameter: float) -> float:
    """Lemma F.5, beside the empirical risk: L C epsilon + L C delta."""
    return lipschitz * diameter * (epsilon + delta)


def lemma_f_5_rate_as_printed(epsilon: float, delta: float, lipschitz: float, diameter: float) -> float:
    """As printed: L C epsilon + C^2 delta."""
    return lipschitz * diameter * epsilon + diameter**2 * delta


def theorem_f_6_rate(n: float, p: float, delta: float, lipschitz: float, diameter: float) -> float:
    """Theorem F.6's rate: L C sqrt(p/n), or L C p^(1/4) ln(n/delta)/sqrt n for delta > 0."""
    size = math.sqrt(p) if delta == 0 else p**0.25 * math.log(n / delta)
    return lipschitz * diameter * size / math.sqrt(n)


def theorem_f_6(n: float, p: float, epsilon: float, lipschitz: float, diameter: float) -> float:
    """Theorem F.6.1 for Algorithm 2, any Lipschitz loss: Lemma F.5 and Theorem 3.2, at epsilon = sqrt(p/n)."""
    return lemma_f_5(epsilon, lipschitz, diameter) + theorem_3_2(n, p, epsilon, lipschitz, diameter)


def theorem_f_6_gaussian(
    n: float, p: float, epsilon: float, delta: float, noise_scale: float, regulariser: float, lipschitz: float,
    diameter: float, radius: float,
) -> float:  # fmt: skip
    """Theorem F.6.2 for objective perturbation: L C (tanh(epsilon/2) + delta) and its empirical risk."""
    perturbed = noise_scale**2 / (2 * regulariser * n) + regulariser * radius**2 / (2 * n)
    return lemma_f_5(epsilon, lipschitz, diameter) + lipschitz * diameter * delta + perturbed
