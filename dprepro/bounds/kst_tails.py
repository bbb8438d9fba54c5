"""Tails and inequalities that Appendices C to E of Kifer, Smith and Thakurta (2012) quote, and what is drawn from them.

Probabilities are exact: ||X||^2 of a standard normal X is chi-square with p degrees of freedom, and the norm of the
gamma density a gamma variable of shape p. `gamma` is the probability with which a bound may fail.
"""

from __future__ import annotations

import math

from scipy import special


def level(gamma: float) -> float:
    """gamma: the probability with which a bound may fail."""
    return gamma


def confidence(gamma: float) -> float:
    """1 - gamma: that with which it must hold."""
    return 1 - gamma


def lemma_17_tail(deviations: float) -> float:
    """Pr(|Z| > t) for a standard normal Z and t > 1."""
    return float(special.erfc(deviations / math.sqrt(2)))


def lemma_17(deviations: float) -> float:
    """Lemma 17: exp(-t^2/2)."""
    return math.exp(-(deviations**2) / 2)


def lemma_27_tail(p: float, gamma: float) -> float:
    """Pr(X >= p log(p/gamma)) for a gamma variable of shape p and scale 1; Lemma 27 says at most gamma."""
    return float(special.gammaincc(p, p * math.log(p / gamma)))


def lemma_27_tail_without_p(p: float, gamma: float) -> float:
    """A falsehood near it: Pr(X >= p log(1/gamma))."""
    return float(special.gammaincc(p, p * math.log(1 / gamma)))


def lemma_28_tail(p: float, phi: float) -> float:
    """Pr(||X|| >= sqrt(phi p)) for X ~ N(0, I_p)."""
    return float(special.gammaincc(p / 2, phi * p / 2))


def lemma_28(p: float, phi: float) -> float:
    """Lemma 28: exp(-p (phi - 1 - log phi)/2), phi >= 1."""
    return math.exp(-p * (phi - 1 - math.log(phi)) / 2)


def noise_norm_tail(p: float, gamma: float) -> float:
    """Pr(||X||^2 > 2 p (1 + log(1/gamma))), at most gamma: what the line after Lemma 28 should say.

    Theorems 26, 30 and 31 hold with it on any data. Proof for p >= 2 by Lemma 28 at phi = 2 (1 + t), t = log(1/gamma):
    (p/2)(1 + 2t - log 2 - log(1 + t)) >= t, as 1 + t >= log 2 + log(1 + t). For p = 1 by Lemma 17.
    """
    return float(special.gammaincc(p / 2, p * (1 + math.log(1 / gamma))))


def theorem_30_as_printed(p: float, gamma: float) -> float:
    """Pr(||X||^2 > 2 p log(1/gamma)): Theorem 30 (a) fails on a quadratic. Its distance is ||b||/(Delta + eta)."""
    return float(special.gammaincc(p / 2, p * math.log(1 / gamma)))


def theorem_26_as_printed(p: float, gamma: float) -> float:
    """Pr(||X||^2 > 32 p log(1/gamma)): Theorem 26.2 fails on a quadratic loss of curvature Delta, minimised at 0.

    Its risk is ||b||^2/(8 n Delta) and the bound 4 p s^2 log(1/gamma)/(n Delta), s being the deviation of b.
    """
    return float(special.gammaincc(p / 2, 16 * p * math.log(1 / gamma)))


def theorem_26_missed(p: float, gamma: float) -> float:
    """`theorem_26_as_printed` with 1 + log(1/gamma): Pr(||X||^2 > 32 p (1 + log(1/gamma)))."""
    return float(special.gammaincc(p / 2, 16 * p * (1 + math.log(1 / gamma))))


def theorem_31_as_printed(p: float, gamma: float) -> float:
    """Pr(||X||^2 <= 1e4 p log(1/gamma)): Theorem 31 holds there. It leaves the constant open, and none will do."""
    return float(special.gammainc(p / 2, 5e3 * p * -math.log(gamma)))


def claim_22_as_printed(distance: float) -> float:
    """Claim 22 at Delta = 1: ||theta - theta_hat||/2."""
    return distance / 2


def claim_22(distance: float) -> float:
    """`claim_22_as_printed` with the square that it lacks."""
    return distance**2 / 2


def parabola(distance: float) -> float:
    """1-strongly convex with minimum 0 at 0: x^2/2, which attains the claim."""
    return distance**2 / 2


def catenary(distance: float) -> float:
    """Another one, cosh x - 1."""
    return math.cosh(distance) - 1


def tip(distance: float) -> float:
    """Another one, |x| + x^2/2; also the parabola (1 + x)^2/2 - 1/2 on x >= 0, whose minimiser is at the set's edge."""
    return distance + distance**2 / 2
