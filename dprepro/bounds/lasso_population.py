"""Talwar, Thakurta and Zhang (2015), section 1: where the privacy risk falls below the generalisation error."""

from __future__ import annotations

import math


def generalisation_error(n: float, p: float) -> float:
    """Population less training loss of the best vertex of the l1 ball on pure noise: 2 E max_j |c_j|.

    x_ij and y_i are independent fair signs, c_j the mean of x_ij y_i. A vertex +-e_j has the training loss
    2 -+ 2 c_j and the population loss 2. The c_j are independent, and normal with variance 1/n up to O(1/n).
    """
    return 2 * largest_half_normal(p) / math.sqrt(n)


def free_logarithm(p: float) -> float:
    """2 W((2p - 1)/e)^2/(E max of p half-normals)^2, which tends to ln p: what stands for it at finite p.

    The privacy risk of Theorem 2.5 is proportional to the regret W((2p - 1)/e) of a step, not yet ln p, and to
    (n epsilon)^(-2/3); the generalisation error to E max and n^(-1/2). They are equal where n is proportional to the
    cube of this.
    """
    from scipy.special import lambertw

    regret = float(lambertw((2 * p - 1) / math.e).real)
    return 2 * (regret / largest_half_normal(p)) ** 2


def largest_half_normal(p: float) -> float:
    """E of the largest of p absolute values of standard normals, by quadrature: about sqrt(2 ln(2p))."""
    from scipy.integrate import quad
    from scipy.special import log_ndtr

    def exceeded(x: float) -> float:
        tail = 2 * math.exp(float(log_ndtr(-x)))
        return 1.0 if tail >= 1 else -math.expm1(p * math.log1p(-tail))

    middle = math.sqrt(2 * math.log(2 * p))
    return float(quad(exceeded, 0, middle)[0] + quad(exceeded, middle, middle + 10)[0])
