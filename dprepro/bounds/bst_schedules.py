"""Bassily, Smith and Thakurta (2014): steps, noise, step sizes and regularisers as printed, in their places.

Taken from the paper's text, not from the algorithms here. Its gradients and losses are sums over n; the numbers are
those of means, as in `bst`: the noise of a gradient is sigma/n, a temperature 1/(n kappa) of exp(-kappa sum of losses),
a first step n eta(1). What perturbs an objective stays in the unit of the sum, and so does its regulariser.
"""

from __future__ import annotations

import math

from dprepro.bounds.bst import least_deviation
from dprepro.bounds.bst_generic import local_diameter


def algorithm_1_steps(n: float) -> float:
    """Algorithm 1, lines 3 and 6: T = n^2 iterates."""
    return n**2


def algorithm_1_noise(n: float, epsilon: float, delta: float, lipschitz: float) -> float:
    """Algorithm 1, line 1: sigma^2 = 32 L^2 n^2 ln(n/delta) ln(1/delta)/epsilon^2; this is sigma/n."""
    return lipschitz * math.sqrt(32 * math.log(n / delta) * math.log(1 / delta)) / epsilon


def theorem_2_4_1_step(n: float, p: float, epsilon: float, delta: float, lipschitz: float, diameter: float) -> float:
    """Theorem 2.4.1: eta(t) = C/sqrt(t (n^2 L^2 + p sigma^2)); this is n eta(1)."""
    return _lipschitz_step(p, lipschitz, diameter, algorithm_1_noise(n, epsilon, delta, lipschitz))


def theorem_2_4_2_step(strong_convexity: float) -> float:
    """Theorem 2.4.2: eta(t) = 1/(Delta n t); this is n eta(1)."""
    return 1 / strong_convexity


def note_2_steps(n: float, p: float, epsilon: float, delta: float, lipschitz: float) -> float:
    """Note (2) with as few full gradients as leave p s^2 = 8 L^2: T = 8 L^2/(p s_1^2), s_1 the noise for one step.

    Not printed: Note (2) has n^2 steps. Strong composition lets sigma^2 be in proportion to T, so that n^2 steps of
    sigma/n are T steps of s = (sigma/n) sqrt(T)/n = s_1 sqrt T, and the noise sets the step size from p s^2 = 8 L^2 on.
    """
    fewest = math.ceil(8 * lipschitz**2 / (p * _one_step(n, epsilon, delta, lipschitz) ** 2))
    return float(max(2, min(fewest, n**2)))


def note_2_noise(n: float, p: float, epsilon: float, delta: float, lipschitz: float) -> float:
    """Noise of the mean gradient that goes with `note_2_steps`."""
    return _one_step(n, epsilon, delta, lipschitz) * math.sqrt(note_2_steps(n, p, epsilon, delta, lipschitz))


def note_2_step(n: float, p: float, epsilon: float, delta: float, lipschitz: float, diameter: float) -> float:
    """Theorem 2.4.1's first step at `note_2_noise`."""
    return _lipschitz_step(p, lipschitz, diameter, note_2_noise(n, p, epsilon, delta, lipschitz))


def note_2_noise_of_1000(n: float, epsilon: float, delta: float, lipschitz: float) -> float:
    """The same noise for 1000 full gradients, of which Theorem 2.4.2's risk on a quadratic is free."""
    return _one_step(n, epsilon, delta, lipschitz) * math.sqrt(1000)


def algorithm_2_temperature(n: float, epsilon: float, lipschitz: float, diameter: float) -> float:
    """Algorithm 2, line 2: kappa = epsilon/(2 L C)."""
    return 2 * lipschitz * diameter / (n * epsilon)


def algorithm_7_temperature(n: float, epsilon: float, lipschitz: float, diameter: float) -> float:
    """Algorithm 7, line 2: kappa = epsilon/(6 L C)."""
    return 6 * lipschitz * diameter / (n * epsilon)


def algorithm_3_noise(n: float, epsilon: float, lipschitz: float, strong_convexity: float) -> float:
    """Algorithm 3, line 3: b of density exp(-n Delta epsilon ||b||/(2 L)), ||b|| a gamma law of this scale."""
    return 2 * lipschitz / (n * strong_convexity * epsilon)


def algorithm_4_temperature(
    n: float, p: float, epsilon: float, lipschitz: float, strong_convexity: float, diameter: float
) -> float:
    """Algorithm 4, line 2, Algorithm 2 inside: that at epsilon/2 on C_0, of radius 3 ln(n) 4 L p/(Delta epsilon n)."""
    local = min(diameter, local_diameter(n, p, epsilon, lipschitz, strong_convexity))
    return algorithm_2_temperature(n, epsilon / 2, lipschitz, local)


def appendix_b_noise(n: float, epsilon: float, delta: float, lipschitz: float, strong_convexity: float) -> float:
    """Appendix B, first paragraph: sigma_0^2 = 4 L^2 ln(1/delta)/(Delta epsilon n)^2."""
    return algorithm_3_noise(n, epsilon, lipschitz, strong_convexity) * math.sqrt(math.log(1 / delta))


def equation_9_noise(epsilon: float, delta: float) -> float:
    """Equation (9): b has variance 8 ln(1/delta)/epsilon^2, for |x| <= 1."""
    return appendix_e_scale(epsilon, delta, 1.0)


def equation_9_regulariser(epsilon: float, smoothing: float) -> float:
    """Equation (9): theta^2/(8 epsilon h) = Delta theta^2/2."""
    return 1 / (4 * epsilon * smoothing)


def equation_9_regulariser_repaired(epsilon: float, smoothing: float) -> float:
    """Delta = 2 beta/epsilon for the curvature beta = 1/(2 h): theta^2/(2 epsilon h)."""
    return 1 / (epsilon * smoothing)


def appendix_e_scale(epsilon: float, delta: float, lipschitz: float) -> float:
    """Appendix E, before (14): kernel exp(-epsilon ||b||/(2 L)), or variance 8 L^2 ln(1/delta)/epsilon^2, of b."""
    return lipschitz * (2.0 if delta == 0 else math.sqrt(8 * math.log(1 / delta))) / epsilon


def appendix_e_length(p: float, epsilon: float, delta: float, lipschitz: float) -> float:
    """The root of E ||b||^2 that goes with it: p (p + 1) squares of a gamma law's scale, p of a normal's."""
    return math.sqrt(p * (p + 1) if delta == 0 else p) * appendix_e_scale(epsilon, delta, lipschitz)


def theorem_f_3_weight(n: float, p: float, epsilon: float, delta: float, lipschitz: float, radius: float) -> float:
    """Appendix F, after (17), where Delta is to be optimised: the best of Delta R^2/2 + L E ||b||, R = max ||theta||.

    Algorithm 3 shifts by 2 L/(n Delta) and so has E ||b|| = 2 L p/(n Delta epsilon), or at most sqrt(p) times 2 L/(n
    Delta) times the least deviation: Delta = (2 L/R) sqrt(p/(n epsilon)) for pure privacy.
    """
    length = p / epsilon if delta == 0 else math.sqrt(p) * least_deviation(epsilon, delta)
    return 2 * lipschitz / radius * math.sqrt(length / n)


def _one_step(n: float, epsilon: float, delta: float, lipschitz: float) -> float:
    return algorithm_1_noise(n, epsilon, delta, lipschitz) / n


def _lipschitz_step(p: float, lipschitz: float, diameter: float, noise: float) -> float:
    return diameter / math.sqrt(lipschitz**2 + p * noise**2)
