"""Gaussian widths: means of norms of normal vectors, at any dimension."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np


@lru_cache(maxsize=1024)
def mean_largest_absolute_normal(p: int) -> float:
    """E max_j |b_j| over p independent standard normals: the integral of 1 - (1 - erfc(t/sqrt 2))^p over t > 0."""
    from scipy.special import erfc

    nodes, weights = np.polynomial.legendre.leggauss(16)
    width = 0.1  # the integrand falls from 1 to 0 within about 1/sqrt(2 ln p), and is below 1e-300 at t = 40
    t = (np.arange(0.0, 400.0)[:, None] + 0.5 * (nodes + 1.0)) * width
    with np.errstate(divide="ignore", under="ignore"):
        tail = -np.expm1(p * np.log1p(-erfc(t / math.sqrt(2.0))))
    return float(0.5 * width * (tail @ weights).sum())


def mean_normal_norm(p: int) -> float:
    """E ||b||_2 = sqrt 2 Gamma((p+1)/2) / Gamma(p/2); the series beyond p = 1000, where gamma functions lose digits."""
    if p <= 1000:
        return math.sqrt(2.0) * math.exp(math.lgamma(0.5 * (p + 1)) - math.lgamma(0.5 * p))
    return math.sqrt(p) * (1 - 1 / (4 * p) + 1 / (32 * p**2) + 5 / (128 * p**3) - 21 / (2048 * p**4))


@lru_cache(maxsize=1024)
def mean_normal_power_norm(p: int, order: float) -> float:
    """E ||b||_order, b ~ N(0, I_p), for 1 < order < inf: E S^r with S = sum |b_j|^order and r = 1/order.

    E S^r = r / Gamma(1 - r) times the integral over t > 0 of (1 - phi(t)^p) t^(-r-1), phi(t) = E exp(-t |b_1|^order).
    Substituted t = exp(x) it is a smooth integral over the line, by the trapezoidal rule; no array of size p.
    """
    r = 1 / order
    nodes, weights = np.polynomial.legendre.leggauss(400)
    b = 20.0 * (0.5 * (nodes + 1)) ** 3  # cubed: exp(-t b^order) falls fast near zero where t is large
    mass = 20.0 * 0.5 * weights * 3 * (0.5 * (nodes + 1)) ** 2 * math.sqrt(2 / math.pi) * np.exp(-0.5 * b**2)
    centre = -math.log(p) - math.log(float(mass @ b**order))  # p times the mean of t |b|^order is 1 there
    x = np.arange(centre - 45 / (1 - r), centre + 45 / r, 0.05)
    deficit = -np.expm1(-np.exp(x)[:, None] * (b**order)[None, :]) @ mass  # 1 - phi
    integrand = -np.expm1(p * np.log1p(-np.minimum(deficit, 1 - 1e-16))) * np.exp(-r * x)
    return float(r / math.gamma(1 - r) * 0.05 * integrand.sum())
