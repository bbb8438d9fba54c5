"""Kifer, Smith and Thakurta (2012), Private Convex ERM and High-dimensional Regression. All risks are means over n.

Lemma 3 holds for every draw of b, as printed: risk <= 2 ||b||^2/(Delta n) + Delta ||theta_hat||^2/(2n). The explicit
bounds here have 1/2 in the place of that 2. J# is Delta/n-strongly convex with minimiser theta#, and theta^priv
minimises J# + b.theta/n, so with d = theta^priv - theta#

    J#(theta^priv) - J#(theta#) <= -b.d/n - Delta ||d||^2/(2n) <= ||b||^2/(2 Delta n);

Lemma 24 drops the strong convexity of J# and loses a factor 2 in ||d||, and Corollary 25 drops ||d||^2. In expectation
no tail bound is needed: E ||b||^2 = p sigma^2 for Gaussian noise, p (p+1) scale^2 for the gamma density.
``noise_scale`` is the root of E ||b||^2, and ``radius`` bounds ||theta_hat||.
"""

from __future__ import annotations

import math


def theorem_4_rate(n: float, p: float, epsilon: float, delta: float, lipschitz: float, radius: float) -> float:
    """Theorem 4's shapes: zeta R p ln p/(epsilon n) for delta = 0 (gamma), zeta R sqrt(p ln(1/delta))/(epsilon n)."""
    size = p * math.log(p) if delta == 0 else math.sqrt(p * math.log(1 / delta))
    return lipschitz * radius * size / (epsilon * n)


def lemma_3(n: float, noise_scale: float, regulariser: float, radius: float) -> float:
    """Lemma 3 in expectation, sharpened: E||b||^2/(2 Delta n) + Delta R^2/(2n)."""
    return noise_scale**2 / (2 * regulariser * n) + regulariser * radius**2 / (2 * n)


def theorem_31(n: float, noise_scale: float, regulariser: float, radius: float, strong_convexity: float) -> float:
    """Theorem 31 (Theorem 5, Table 1 row 3) in expectation, sharpened: E||b||^2/(2 n (Delta + eta)) + Delta R^2/(2n).

    The loss is eta/n-strongly convex, ``strong_convexity`` = eta, on the whole set, and J# (Delta + eta)/n: the display
    at the top of this file with Delta + eta. (Equations 18 and 24 give 2 in the place of 1/2.)
    """
    return noise_scale**2 / (2 * n * (regulariser + strong_convexity)) + regulariser * radius**2 / (2 * n)
