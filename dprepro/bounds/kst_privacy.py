"""Exact losses of privacy of the mechanisms of Kifer, Smith and Thakurta (2012), on chosen neighbours.

The unit of slopes is zeta and that of curvature lambda. Values of delta are lower ones: over the places named.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dprepro.bounds.kst import votes_found, votes_missed

Vector = NDArray[np.float64]
CHANCES = (votes_missed, votes_found)


def objective_delta(epsilon: float, delta: float, hessian_rank: float, centre: float, least: float) -> float:
    """delta(epsilon) of objective perturbation at Delta = least lambda/epsilon: no record, against one of that rank.

    The record's loss is lambda/2 ||theta - c||^2 within zeta/lambda of c, in as many coordinates as its rank, and b is
    `centre` standard deviations long at c = (|c|, 0, ...). With alpha = c + u, u = (v, w), the answer alpha needs
    Delta alpha of -b without the record, and Delta alpha + lambda u with it, and the densities have the quotient
    (1 + lambda/Delta)^rank exp((||Delta alpha||^2 - ||Delta alpha + lambda u||^2)/(2 sigma^2)). What exceeds e^epsilon
    is integrated over the ball by Gauss-Legendre, in v and in ||w||.
    """
    rank, ridge = round(hessian_rank), least / epsilon
    sigma = math.sqrt(8 * math.log(2 / delta) + 4 * epsilon) / epsilon
    nodes, weights = _legendre(48)
    v = nodes[:, None]
    at, moved = centre * sigma + ridge * v, centre * sigma + (ridge + 1) * v
    if rank == 1:
        w, measure = np.zeros((1, 1)), weights[:, None]
    else:  # ||w|| in [0, sqrt(1 - v^2)], a sphere of rank - 2 dimensions
        across, height = np.sqrt(1 - v**2), (nodes[None, :] + 1) / 2
        w = across * height
        area = 2 * math.pi ** ((rank - 1) / 2) / math.gamma((rank - 1) / 2)
        measure = weights[:, None] * (weights[None, :] / 2) * across * area * w ** (rank - 2)
    logs = -rank / 2 * math.log(2 * math.pi * sigma**2)
    without = logs + rank * math.log(ridge) - (at**2 + (ridge * w) ** 2) / (2 * sigma**2)
    beside = logs + rank * math.log(ridge + 1) - (moved**2 + ((ridge + 1) * w) ** 2) / (2 * sigma**2)
    return float((measure * np.maximum(np.exp(beside) - np.exp(epsilon + without), 0)).sum())


def objective_loss(epsilon: float, hessian_rank: float, least: float) -> float:
    """The largest loss with gamma noise, rank ln(1 + lambda/Delta) + epsilon/2, Delta = least lambda/epsilon.

    It is that of the records of `objective_delta` at the end of the ball, as b grows: b moves along itself by zeta.
    """
    return hessian_rank * math.log1p(epsilon / least) + epsilon / 2


def support_loss(epsilon: float, supports: float, gap: float, lowest: float) -> float:
    """The loss of Algorithm 4 at one support: a record adds alpha to its score, and lowest alpha to all others.

    The others' scores are `gap` in units of 2 alpha/epsilon above it. Where losses are not negative `lowest` is 0.
    """

    def chosen(lead: float) -> float:  # ln P
        return -float(np.logaddexp(0.0, math.log(supports - 1) - lead))

    return chosen(gap) - chosen(gap - (1 - lowest) * epsilon / 2)


def top_loss(epsilon: float, p: float, sparsity: float, lead: float) -> float:
    """The loss at a set of s elements whose scores, all `lead` sensitivities above the others, fall as those rise.

    Theorem 37's noise is 2 s/epsilon in units of the sensitivity; the lead is 2 less with the other data set.
    """
    missed, found = ([chance(p, sparsity, value, epsilon) for value in (lead, lead - 2)] for chance in CHANCES)
    return max(math.log(found[0]) - math.log(found[1]), math.log(missed[1]) - math.log(missed[0]))


def turned_by_root_of_n(epsilon: float, blocks: float) -> float:
    """delta(epsilon) of the support of Algorithm 6 at p = 2, s = 1, which it chooses with epsilon/2 and Laplace noise.

    k = sqrt(n) is `blocks` with one record more than k^2 - 1, and k - 1 without it: blocks of k records in the place of
    k + 1. All records are alike, x = (c, 1), c < 1, and y such that k y < Lambda < (k + 1) y: smaller blocks fit zero
    and name the first coordinate, larger ones the second, whichever block a record is in.
    """
    lead, other = blocks * epsilon / 4, (blocks - 1) * epsilon / 4
    wrong, right = (0.5 + lead / 4) * math.exp(-lead), 1 - (0.5 + other / 4) * math.exp(-other)
    return max(0.0, right - math.exp(epsilon) * wrong)


# limits


def limit_delta(epsilon: float, shift: float, threshold: float) -> float:
    """delta(epsilon) of the sign of b + shift - threshold against that of b - threshold, b ~ N(0, 1).

    The limit of arctan(i (b + shift - threshold)), i to infinity.
    """
    return float(special.ndtr(shift - threshold) - math.exp(epsilon) * special.ndtr(-threshold))


def sequence_delta(epsilon: float, shift: float) -> float:
    """delta(epsilon) of every member of that sequence, which determines b + shift: that of the Gaussian mechanism."""
    low, high = shift / 2 - epsilon / shift, -shift / 2 - epsilon / shift
    return float(special.ndtr(low) - math.exp(epsilon) * special.ndtr(high))


@lru_cache(maxsize=4)
def _legendre(points: int) -> tuple[Vector, Vector]:
    nodes, weights = np.polynomial.legendre.leggauss(points)
    return nodes, weights
