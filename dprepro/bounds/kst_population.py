"""Kifer, Smith and Thakurta (2012), appendix D.2: the population risk of objective perturbation. Risks are means."""

from __future__ import annotations

import math

from dprepro.bounds.kst import lemma_3


def theorem_29_as_printed(n: float, p: float, epsilon: float, delta: float, lipschitz: float, radius: float) -> float:
    """Theorem 29's rate: R L sqrt(p ln(1/delta)) ||theta||/(epsilon n), with R L = zeta."""
    return lipschitz * radius * math.sqrt(p * math.log(1 / delta)) / (epsilon * n)


def theorem_29_rate(n: float, p: float, epsilon: float, delta: float, lipschitz: float, radius: float) -> float:
    """The rate with the term of the sample: R L ||theta|| (sqrt(p ln(1/delta))/(epsilon n) + 1/sqrt n)."""
    return theorem_29_as_printed(n, p, epsilon, delta, lipschitz, radius) + lipschitz * radius / math.sqrt(n)


def theorem_29(n: float, noise_scale: float, regulariser: float, lipschitz: float, radius: float) -> float:
    """Theorem 29 with the term of the sample, the lesser of two: Lemma 3 + min(2 zeta^2/Delta, 2 zeta R/sqrt n).

    The perturbed objective is Delta/n-strongly convex, so replacing a record moves its minimiser by at most
    (2 zeta/n)/(Delta/n), and a fresh record's loss by zeta times that: in expectation the population risk exceeds the
    empirical one by at most 2 zeta^2/Delta. By symmetrisation and contraction E sup (population - empirical loss) over
    a ball of radius R is at most 2 zeta R/sqrt n. The rest is Lemma 3 against the population's own minimiser.
    """
    sample = min(2 * lipschitz**2 / regulariser, 2 * lipschitz * radius / math.sqrt(n))
    return lemma_3(n, noise_scale, regulariser, radius) + sample
