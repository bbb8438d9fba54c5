"""Talwar, Thakurta and Zhang (2015), Nearly-Optimal Private LASSO. All risks are means over n.

Derivation used by the explicit bounds. Let h_t be the excess risk of theta_t and mu_t = 2/(t+2). Definition 2.1 gives
h_{t+1} <= (1 - mu_t) h_t + mu_t r_t + mu_t^2 Gamma/2, r_t being the regret of step t's choice for the linear score.
Multiplied by (t+1)(t+2) and summed over t = 1..T-1 it telescopes:

    T (T+1) h_T <= 2 h_1 + 2 Gamma (T-1) + 2 sum_t (t+1) r_t.

No logarithm of n appears: the printed log(n |S|) of Theorem 2.5 comes from a union bound over the steps, which the
expectation does not need. The bounds below therefore imply the printed ones.
"""

from __future__ import annotations

import math


def theorem_2_2_rate(curvature: float, steps: float) -> float:
    """Theorem 2.2's shape: Gamma / T."""
    return curvature / steps


def theorem_2_2(curvature: float, steps: float, initial_risk: float) -> float:
    """Theorem 2.2 with its constant, for mu_t = 2/(t+2) and t from 1: 2 h_1/(T(T+1)) + 2 Gamma (T-1)/(T(T+1)).

    At most 2 h_1/(T(T+1)) + 2 Gamma/(T+2). The first term is there because the loop starts at t = 1, where mu_1 = 2/3
    keeps a third of the first point; the statement's O(Gamma/T) alone fails for a linear loss, whose Gamma is 0.
    """
    return (2 * initial_risk + 2 * curvature * (steps - 1)) / (steps * (steps + 1))


def theorem_2_5_rate(
    n: float, epsilon: float, delta: float, curvature: float, lipschitz: float, radius: float, vertices: float
) -> float:
    """Theorem 2.5's shape without log n: Gamma^(1/3) (L_1 ||C||_1)^(2/3) ln|S| sqrt(ln(1/delta)) (n epsilon)^(-2/3)."""
    scale: float = curvature ** (1 / 3) * (lipschitz * radius) ** (2 / 3)
    private: float = (n * epsilon) ** (-2 / 3)
    return scale * math.log(vertices) * math.sqrt(math.log(1 / delta)) * private


def theorem_2_5(curvature: float, steps: float, initial_risk: float, step_regret: float) -> float:
    """Theorem 2.5 with its constants, at T and noise as run: E risk <= Theorem 2.2's bound + E[regret of a step].

    ``step_regret`` bounds E[r_t] given the past: lambda E[max of |S| unit Laplace draws], or lambda W((|S|-1)/e) for
    Gumbel noise. Its weight sum_t 2 (t+1) / (T (T+1)) is at most one.
    """
    return theorem_2_2(curvature, steps, initial_risk) + step_regret * (1 - 2 / (steps * (steps + 1)))


def corollary_2_7_rate(n: float, p: float, epsilon: float, delta: float) -> float:
    """Corollary 2.7's shape as printed, log(n p/delta) / (n epsilon)^(2/3).

    The sum of logarithms where Theorem 2.5 has their product: not implied by it.
    """
    private: float = (n * epsilon) ** (-2 / 3)
    return (math.log(n) + math.log(p) + math.log(1 / delta)) * private


def theorem_2_6_rate(
    n: float, epsilon: float, delta: float, curvature: float, euclidean_lipschitz: float, width: float
) -> float:
    """Theorem 2.6's shape: Gamma^(1/3) (L_2 G_C)^(2/3) sqrt(ln(1/delta)) (n epsilon)^(-2/3).

    The printed log^2(n/delta) is what the printed noise costs; the exact noise needs the root of one logarithm.
    """
    scale: float = curvature ** (1 / 3) * (euclidean_lipschitz * width) ** (2 / 3)
    private: float = (n * epsilon) ** (-2 / 3)
    return scale * math.sqrt(math.log(1 / delta)) * private


def theorem_2_6(curvature: float, steps: float, initial_risk: float, noise_scale: float, width: float) -> float:
    """Theorem 2.6 = B.2 with its constants, at T and sigma as run, for mu_t = 2/(t+2).

    A step's regret for the linear score is at most <b, s* - s~>, s* being the minimiser without noise, which does not
    depend on b: its mean is at most sigma G_C. The rest is the derivation at the top of this file.
    """
    return theorem_2_5(curvature, steps, initial_risk, noise_scale * width)


def theorem_2_5_over_algorithm_gap(
    n: float, p: float, epsilon: float, delta: float, curvature: float, lipschitz: float, radius: float, vertices: float
) -> float:
    """Theorem 2.5's shape divided by ln(2p)^(2/3): what Algorithm 3's risk on the LASSO exceeds by p^(1/3).

    Theorem 2.6 has (L_2 G_C)^(2/3) = (4 sqrt p)^(2/3) ln(2p)^(1/3) there, up to constants, and Theorem 2.5 ln(2p).
    """
    rate = theorem_2_5_rate(n, epsilon, delta, curvature, lipschitz, radius, vertices)
    logarithm: float = math.log(2 * p) ** (2 / 3)
    return rate / logarithm
