"""Bassily, Smith and Thakurta (2014), Private Empirical Risk Minimization.

The paper's risk is a sum over n records; all risks here are means, so every power of n is one lower. L is the Lipschitz
constant of one record's loss, C the l2 diameter of the set, Delta the strong convexity of one record's loss.

Units of the noise. The paper adds N(0, sigma^2 I) to a sum gradient; ``noise_scale`` is that of the mean gradient,
s = sigma/n. With G^2 = L^2 + p s^2 the steps C / (G sqrt t) and 1 / (Delta t) of the mean are the printed ones of the
sum. The explicit bounds are Theorems 2 and 1 of Shamir and Zhang (2013), which the proof of Theorem 2.4 cites without
their constants; both bound the last iterate of T, whatever the first one is.
"""

from __future__ import annotations

import math


def theorem_2_4_1_rate(n: float, p: float, epsilon: float, delta: float, lipschitz: float, diameter: float) -> float:
    """Theorem 2.4.1's shape: L C ln^(3/2)(n/delta) sqrt(p ln(1/delta)) / (n epsilon)."""
    logarithms: float = math.log(n / delta) ** 1.5 * math.sqrt(math.log(1 / delta))
    return lipschitz * diameter * logarithms * math.sqrt(p) / (n * epsilon)


def theorem_2_4_1_scale(n: float, p: float, epsilon: float, delta: float, lipschitz: float, diameter: float) -> float:
    """The same without ln(n/delta), the ln T of the last iterate: L C sqrt(p ln(n/delta) ln(1/delta)) / (n epsilon)."""
    logarithms = math.sqrt(math.log(n / delta) * math.log(1 / delta))
    return lipschitz * diameter * logarithms * math.sqrt(p) / (n * epsilon)


def theorem_2_4_1(p: float, lipschitz: float, diameter: float, steps: float, noise_scale: float) -> float:
    """Theorem 2.4.1 with its constant, at T and noise as run: E risk <= 2 C G (2 + ln T) / sqrt T.

    Theorem 2 of Shamir and Zhang: steps a/sqrt t give (C^2/a + a G^2)(2 + ln T)/sqrt T; here a = C/G.
    """
    second_moment = lipschitz**2 + p * noise_scale**2
    return 2 * diameter * math.sqrt(second_moment) * (2 + math.log(steps)) / math.sqrt(steps)


def linear_law(p: float, lipschitz: float, diameter: float, noise_scale: float, steps: float) -> float:
    """The risk at which Algorithm 1 settles on a linear loss over a ball: (p + 1) eta s^2 / 4, eta = C / (G sqrt T).

    Derived here, not in the paper, and a limit, not a bound. Near the end the step eta hardly changes and theta
    diffuses with drift eta m and variance eta^2 s^2 a step, reflected at the sphere: its law is exp(kappa <theta, m>)
    with kappa = 2/(eta s^2), whose risk tends to (p + 1)/(2 kappa), whatever m is. For G^2 = p s^2, C = 2 and the
    printed s = L c sqrt(T)/(n epsilon), c^2 = 32 ln(n/delta) ln(1/delta), it is (p + 1) L c / (2 sqrt(p) n epsilon),
    free of T.
    """
    step = diameter / math.sqrt((lipschitz**2 + p * noise_scale**2) * steps)
    return (p + 1) * step * noise_scale**2 / 4


def theorem_2_4_2_rate(
    n: float, p: float, epsilon: float, delta: float, lipschitz: float, strong_convexity: float
) -> float:
    """Theorem 2.4.2's shape: L^2 ln^2(n/delta) p ln(1/delta) / (n^2 Delta epsilon^2)."""
    logarithms: float = math.log(n / delta) ** 2 * math.log(1 / delta)
    return lipschitz**2 * logarithms * p / (n**2 * strong_convexity * epsilon**2)


def theorem_2_4_2_scale(
    n: float, p: float, epsilon: float, delta: float, lipschitz: float, strong_convexity: float
) -> float:
    """The same without the ln T of the last iterate: L^2 ln(n/delta) p ln(1/delta) / (n^2 Delta epsilon^2)."""
    logarithms = math.log(n / delta) * math.log(1 / delta)
    return lipschitz**2 * logarithms * p / (n**2 * strong_convexity * epsilon**2)


def theorem_2_4_2(p: float, lipschitz: float, strong_convexity: float, steps: float, noise_scale: float) -> float:
    """Theorem 2.4.2 with its constant: E risk <= 17 G^2 (1 + ln T) / (Delta T) (Shamir and Zhang, Theorem 1)."""
    second_moment = lipschitz**2 + p * noise_scale**2
    return 17 * second_moment * (1 + math.log(steps)) / (strong_convexity * steps)


def theorem_3_2_rate(n: float, p: float, epsilon: float, lipschitz: float, diameter: float) -> float:
    """Theorem 3.2's shape with p + 1 for p: (p + 1) L C / (n epsilon), the exact limit for linear losses on a ball."""
    return (p + 1) * lipschitz * diameter / (n * epsilon)


def theorem_3_2_tail(n: float, p: float, epsilon: float, lipschitz: float, diameter: float, level: float) -> float:
    """The proof's tail: risk >= 8 L C ((p + 1) ln 3 + level) / (n epsilon) with probability at most exp(-level)."""
    return 8 * lipschitz * diameter * ((p + 1) * math.log(3) + level) / (n * epsilon)


def theorem_3_2_tail_too_tight(
    n: float, p: float, epsilon: float, lipschitz: float, diameter: float, level: float
) -> float:
    """A falsehood near it: the same probability at L C ((p + 1)/2 + level) / (n epsilon), half the mean risk."""
    return lipschitz * diameter * ((p + 1) / 2 + level) / (n * epsilon)


def theorem_3_2(n: float, p: float, epsilon: float, lipschitz: float, diameter: float) -> float:
    """Theorem 3.2 with its constant: 8 L C ((p + 1) ln 3 + 1) / (n epsilon), the integral of the tail over levels."""
    return theorem_3_2_tail(n, p, epsilon, lipschitz, diameter, 1.0)


def theorem_4_3_rate(n: float, p: float, epsilon: float, lipschitz: float, strong_convexity: float) -> float:
    """Theorem 4.3's shape: p^2 L^2 ln n / (n^2 Delta epsilon^2)."""
    return p**2 * lipschitz**2 * math.log(n) / (n**2 * strong_convexity * epsilon**2)


def theorem_4_3(
    n: float, p: float, epsilon: float, lipschitz: float, strong_convexity: float, diameter: float
) -> float:
    """Theorem 4.3 with its constants, from Lemma 4.2 and Theorem 3.2.

    C_0 has radius 3 ln(n) 4 L p / (Delta epsilon n) (Algorithm 3 at epsilon/2), misses the minimiser with probability
    at most n^-3 (worth L C), and Algorithm 2 at epsilon/2 loses 8 L C_0 ((p + 1) ln 3 + 1) / (n epsilon/2) on it.
    """
    local = min(diameter, 2 * 3 * math.log(n) * 4 * lipschitz * p / (strong_convexity * epsilon * n))
    return theorem_3_2(n, p, epsilon / 2, lipschitz, local) + lipschitz * diameter / n**3
