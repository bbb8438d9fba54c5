"""Arora, Bassily, Guzman, Menart and Ullah (2022): steps, noise, step sizes and weights as printed, and as repaired.

In public numbers alone: ``smoothness`` is H X^2, ``radius`` is B, ``label_level`` is ||Y||, ``feature_length`` X.
``self_bounding_lipschitz`` is G X: 2 Y sqrt(H) X + 2 H B X^2, or X times the slope of a loss that has one.
In Theorem 5 G X is ``lipschitz``.
"""

from __future__ import annotations

import math


def theorem_1_steps(n: float) -> float:
    """Theorem 1, and 2: T = n."""
    return n


def theorem_1_noise(n: float, epsilon: float, delta: float, self_bounding_lipschitz: float) -> float:
    """Theorem 1: sigma^2 = 8 G^2 T ln(1/delta)/(n epsilon)^2, T = n."""
    return self_bounding_lipschitz * math.sqrt(8 * n * math.log(1 / delta)) / (n * epsilon)


def theorem_1_step_size(
    n: float, p: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float,
    self_bounding_lipschitz: float,
) -> float:  # fmt: skip
    """Theorem 1: eta = min(B/(sqrt(T) max(sqrt(H) Y, sigma sqrt(d))), 1/(4 H)). So prints Theorem 2, d for its k."""
    noise = theorem_1_noise(n, epsilon, delta, self_bounding_lipschitz) * math.sqrt(p)
    return min(radius / (math.sqrt(n) * max(math.sqrt(smoothness) * label_level, noise)), 1 / (4 * smoothness))


def corollary_1_step_size(n: float, smoothness: float, radius: float, label_level: float) -> float:
    """Theorem 1's eta at epsilon = infinity."""
    return min(radius / (math.sqrt(n * smoothness) * label_level), 1 / (4 * smoothness))


def theorem_2_sketch_printed(
    n: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float, feature_length: float
) -> float:
    """Theorem 2: k = (B sqrt(H) X ln(2n/delta) n epsilon/(Y X + sqrt(H) B X^2))^(2/3), the O(.) left out."""
    scale = math.sqrt(smoothness) * radius
    ratio = scale * math.log(2 * n / delta) * n * epsilon / ((label_level + scale) * feature_length)
    return float(ratio ** (2 / 3))


def theorem_2_sketch(n: float, epsilon: float, smoothness: float, radius: float, label_level: float) -> float:
    """k that makes the proof's terms H B^2 X^2/k and G B sqrt(k)/(n epsilon) alike, without logarithms, times 1/4.

    (sqrt(H) B X n epsilon/(Y + sqrt(H) B X))^(2/3)/4, rounded up: Theorem 2 has O(.), and 1/4 is near the best.
    """
    scale = math.sqrt(smoothness) * radius
    sketch: float = math.ceil((scale * n * epsilon / (label_level + scale)) ** (2 / 3) / 4)
    return sketch


def theorem_2_noise(
    n: float, p: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float,
    self_bounding_lipschitz: float,
) -> float:  # fmt: skip
    """Theorem 2's sigma, Theorem 1's over the ball of radius 2B (Algorithm 2) for features that are clipped.

    The proof's event, that a Gaussian map keeps norms, is made certain: Phi x has at most X (1 + sqrt(2 ln(10^6 p)/k)).
    """
    k = theorem_2_sketch(n, epsilon, smoothness, radius, label_level)
    _, g = _projected(p, k, smoothness, radius, label_level, self_bounding_lipschitz)
    return theorem_1_noise(n, epsilon, delta, g)


def theorem_2_step_size(
    n: float, p: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float,
    self_bounding_lipschitz: float,
) -> float:  # fmt: skip
    """Theorem 2's eta with sqrt(k) for sqrt(d), and the ball of radius 2B."""
    k = theorem_2_sketch(n, epsilon, smoothness, radius, label_level)
    steeper, g = _projected(p, k, smoothness, radius, label_level, self_bounding_lipschitz)
    return theorem_1_step_size(n, k, epsilon, delta, steeper, 2 * radius, label_level, g)


def _projected(
    p: float, k: float, smoothness: float, radius: float, label_level: float, self_bounding_lipschitz: float
) -> tuple[float, float]:
    """H X^2 and G X after the projection; a loss whose G is not Lemma 2's has a slope, whatever the ball."""
    longer = 1 + math.sqrt(2 * math.log(1e6 * p) / k)
    steeper = smoothness * longer**2
    lemma_2 = 2 * label_level * math.sqrt(smoothness) + 2 * smoothness * radius
    if not math.isclose(lemma_2, self_bounding_lipschitz, rel_tol=1e-9):
        return steeper, self_bounding_lipschitz * longer
    return steeper, 2 * label_level * math.sqrt(steeper) + 2 * steeper * 2 * radius


def theorem_3_weight_printed(
    n: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float
) -> float:
    """Theorem 3: lambda = ((Y + H B X^2) sqrt(H) X/(B n epsilon))^(2/3) ln(1/delta)^(1/3)."""
    return theorem_3_weight(n, epsilon, delta, smoothness, radius, label_level + smoothness * radius)


def theorem_3_noise_printed(
    n: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float
) -> float:
    """Theorem 3: sigma^2 = (Y^2 + H^2 B^2 X^4) ln(1/delta)/(lambda n epsilon)^2, the O(.) left out."""
    weight = theorem_3_weight_printed(n, epsilon, delta, smoothness, radius, label_level)
    return math.hypot(label_level, smoothness * radius) * math.sqrt(math.log(1 / delta)) / (weight * n * epsilon)


def theorem_3_weight(
    n: float, epsilon: float, delta: float, smoothness: float, radius: float, self_bounding_lipschitz: float
) -> float:
    """lambda of Theorem 3 with G = 2 (sqrt(H) X Y + H B X^2) for the printed Y + H B X^2."""
    power: float = (math.sqrt(smoothness) * self_bounding_lipschitz / (radius * n * epsilon)) ** (2 / 3)
    return float(power * math.log(1 / delta) ** (1 / 3))


def theorem_3_noise(
    n: float, epsilon: float, delta: float, smoothness: float, radius: float, self_bounding_lipschitz: float
) -> float:
    """sigma^2 = 8 G^2 ln(1/delta)/(lambda n epsilon)^2: the minimiser moves by 2 G/(lambda n)."""
    weight = theorem_3_weight(n, epsilon, delta, smoothness, radius, self_bounding_lipschitz)
    return self_bounding_lipschitz * math.sqrt(8 * math.log(1 / delta)) / (weight * n * epsilon)


def theorem_5_weight(n: float, epsilon: float, delta: float, radius: float, lipschitz: float) -> float:
    """Theorem 5: lambda = G X ln(1/delta)^(1/4)/(B sqrt(n epsilon))."""
    return float(lipschitz * math.log(1 / delta) ** 0.25 / (radius * math.sqrt(n * epsilon)))


def theorem_5_noise(n: float, epsilon: float, delta: float, radius: float, lipschitz: float) -> float:
    """Theorem 5: sigma^2 = 4 G^2 X^2 ln(1/delta)/(lambda n epsilon)^2."""
    weight = theorem_5_weight(n, epsilon, delta, radius, lipschitz)
    return 2 * lipschitz * math.sqrt(math.log(1 / delta)) / (weight * n * epsilon)
