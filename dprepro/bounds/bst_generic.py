"""Bassily, Smith and Thakurta (2014): what is built around other algorithms, and smooth losses. All risks are means."""

from __future__ import annotations

import math

from dprepro.bounds.bst import theorem_2_4_1, theorem_3_2


def theorem_3_4(p: float, epsilon: float, noise_scale: float) -> float:
    """Theorem 3.4: E risk <= p e^(epsilon/3)/(n kappa) at a density within epsilon/3 of exp(-kappa sum l).

    noise_scale is 1/(n kappa); `theorem_3_2` tells why p/(n kappa).
    """
    return p * noise_scale * math.exp(epsilon / 3)


def local_diameter(n: float, p: float, epsilon: float, lipschitz: float, strong_convexity: float) -> float:
    """Of C_0 by Algorithm 3 at epsilon/2 with zeta = 3 ln n: 6 ln(n) 4 L p/(Delta epsilon n)."""
    return 6 * math.log(n) * 4 * lipschitz * p / (strong_convexity * epsilon * n)


def lemma_4_2_data_free(
    n: float, p: float, epsilon: float, lipschitz: float, strong_convexity: float, diameter: float
) -> float:
    """Lemma 4.2 for an inner algorithm that answers with the centre of C_0, F = L C_0/2.

    C_0 misses the minimiser with probability at most n^-3, worth L C. (For p = 1 the proof's tail of a gamma law of
    shape p and its mean holds with equality, for larger p it is smaller.)
    """
    local = min(diameter, local_diameter(n, p, epsilon, lipschitz, strong_convexity))
    return lipschitz * local / 2 + lipschitz * diameter / n**3


def lemma_4_2_noisy_sgd(
    n: float,
    p: float,
    epsilon: float,
    lipschitz: float,
    strong_convexity: float,
    diameter: float,
    steps: float,
    noise_scale: float,
) -> float:
    """Lemma 4.2 for Algorithm 1 on C_0, F by Theorem 2.4.1 at the steps and the noise as run."""
    local = min(diameter, local_diameter(n, p, epsilon, lipschitz, strong_convexity))
    return theorem_2_4_1(p, lipschitz, local, steps, noise_scale) + lipschitz * diameter / n**3


def theorem_b_2_rate(
    n: float, p: float, epsilon: float, delta: float, lipschitz: float, strong_convexity: float
) -> float:
    """Theorem B.2's rate for Algorithm 2 inside: p^1.5 L^2 sqrt(ln(1/delta) ln n)/(n^2 Delta epsilon^2)."""
    logarithms = math.sqrt(math.log(1 / delta) * math.log(n))
    return p * math.sqrt(p) * lipschitz**2 * logarithms / (n**2 * strong_convexity * epsilon**2)


def theorem_b_2(n: float, p: float, noise_scale: float, lipschitz: float, diameter: float) -> float:
    """Theorem B.2 with its constants, for Algorithm 2 on C_0, whose temperature 1/(n kappa) is noise_scale.

    Algorithm 2 loses at most p/(n kappa). C_0 has zeta = sqrt(3 ln n) times sigma_0 sqrt(p) as radius and misses the
    minimiser where ||b|| is longer: with the probability that a chi-square law of p degrees exceeds 3 p ln n.
    """
    from scipy.special import gammaincc

    missed = float(gammaincc(p / 2, 1.5 * p * math.log(n)))
    return p * noise_scale + lipschitz * diameter * missed


def appendix_d(
    n: float,
    p: float,
    lipschitz: float,
    diameter: float,
    runs: float,
    run_epsilon: float,
    selection_scale: float,
    blind: float,
    initial_risk: float,
    level: float,
) -> float:
    """Appendix D: risk >= 2 F(epsilon/k) + (ln(2k) + level) temperatures with probability at most exp(-level).

    For Algorithm 2 inside, a share ``blind`` of the runs losing initial_risk. All k runs exceed 2 F with chance 2^-k,
    which is to be at most exp(-level)/2; the exponential mechanism over k candidates misses the least by more than
    ln(k) + t temperatures with chance at most e^-t.
    """
    expected = (1 - blind) * theorem_3_2(n, p, run_epsilon, lipschitz, diameter) + blind * initial_risk
    return 2 * expected + (math.log(2 * runs) + level) * selection_scale


def theorem_e_1_rate(n: float, p: float, epsilon: float, delta: float, lipschitz: float, diameter: float) -> float:
    """Theorem E.1's rate: L C p/(n epsilon) for delta = 0, L C sqrt(p ln(1/delta))/(n epsilon) else."""
    size = p if delta == 0 else math.sqrt(p * math.log(1 / delta))
    return lipschitz * diameter * size / (n * epsilon)


def theorem_e_2_rate(
    n: float, p: float, epsilon: float, delta: float, lipschitz: float, strong_convexity: float
) -> float:
    """Theorem E.2's rate: L^2 p^2/(n^2 Delta epsilon^2) for delta = 0, p ln(1/delta) in the place of p^2 else."""
    size = p**2 if delta == 0 else p * math.log(1 / delta)
    return lipschitz**2 * size / (n**2 * strong_convexity * epsilon**2)


def theorem_e_2(n: float, p: float, delta: float, noise_scale: float, strong_convexity: float) -> float:
    """Theorem E.2 with its constant: E risk <= E ||b||^2/(2 n^2 Delta).

    theta^priv minimises L + b.theta/n, and L is Delta-strongly convex: with d = theta^priv - theta*, Delta ||d||^2/2 <=
    L(theta^priv) - L(theta*) <= -b.d/n - Delta ||d||^2/2, and the right side is at most ||b||^2/(2 n^2 Delta). For
    gamma noise E ||b||^2 = p (p + 1) scale^2, for Gaussian noise p scale^2. Half the squared distance attains it.
    """
    square = p * (p + 1) if delta == 0 else p
    return square * noise_scale**2 / (2 * n**2 * strong_convexity)
