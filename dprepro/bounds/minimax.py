"""Small problems whose exact optimum is known (`dprepro.minimax`): closed forms, and the theorems' levels there.

All risks are means over n, worst over data sets, under replacement of one of n public records. `linear`: -x theta,
x = +-1 and theta in [-1, 1]. `squared`: (theta - x)^2/2 there. `cube`: -<x, theta> on {-1, 1}^p, so p times the risk
for records and answers in {-1, 1}^p / sqrt p, in the unit ball. `selection`: the best of p candidates, by scores of 0
and 1. `sparse`: the same where a record gives a score of 1 to one of them.

In every level m records hold a secret and n - m say nothing about it; it is the largest over m.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprepro.bounds import bst_lower, glm

Vector = NDArray[np.float64]

CODES = {1: ((2, 1),), 2: ((2, 2), (4, 1)), 3: ((2, 3), (4, 2), (8, 1)), 4: ((2, 4), (8, 2), (16, 1))}
"""Numbers of words in {-1, 1}^p and the coordinates in which any two of them differ at least."""


def linear_optimum(n: float, epsilon: float, delta: float) -> float:
    """The least worst risk of `linear`, exactly, derived here.

    Let s be the sum of the records, w_s the chance of the wrong sign at |s| = s, and by symmetry the right one at -s.
    The risk is 2 s w_s/n, s having the parity of n. Replacing a record moves s by 2, so w_s >= e^-epsilon (w_(s-2) -
    delta); w_0 = 1/2, and w_1 >= (1 - delta)/(1 + e^epsilon) as -1 is beside 1. Equality in all of these is a private
    mechanism, the best one at every s at once: the sign of s plus two-sided geometric noise where delta = 0. There
    the risk is (s/n) e^(-epsilon s/2) for even n, and that over cosh(epsilon/2) for odd n.
    """
    wrong, s = (0.5, 0) if n % 2 == 0 else ((1 - delta) / (1 + math.exp(epsilon)), 1)
    worst = 0.0
    while s <= n and wrong > 0:
        worst = max(worst, 2 * s / n * wrong)
        wrong, s = max(0.0, math.exp(-epsilon) * (wrong - delta)), s + 2
    return worst


def linear_limit(n: float, epsilon: float) -> float:
    """Where `linear_optimum` tends to as epsilon falls and n epsilon grows, for delta = 0: 2/(e n epsilon).

    (s/n) e^(-epsilon s/2) is largest at s = 2/epsilon.
    """
    return 2 / (math.e * n * epsilon)


def linear_two_point(n: float, epsilon: float, delta: float) -> float:
    """Lemma 1 of Arora et al.: m records are all 1 or all -1, the others cancel.

    The risks are (m/n)|theta - 1| and (m/n)|theta + 1|, of which the mean is at least (m/n) `glm.lemma_1`.
    """
    return _best(n, lambda m: m / n * glm.lemma_1(epsilon, delta, m))


def squared_two_point(n: float, epsilon: float, delta: float) -> float:
    """`linear_two_point`, for squares.

    The mean records are m/n and -m/n, half of `glm.two_point_square` times (m/n)^2.
    """
    return _best(n, lambda m: (m / n) ** 2 / 2 * glm.two_point_square(epsilon, delta, m))


def squared_limit(n: float, epsilon: float) -> float:
    """Where the optimum of `squared` tends to as n grows, for delta = 0: 1/(n sinh(epsilon/2))^2.

    Half the mean square of 2 Z/n, Z being two-sided geometric noise on the number of ones, of variance
    2 a/(1 - a)^2 = 1/(2 sinh^2(epsilon/2)), a = e^-epsilon.
    """
    return 1 / (n * math.sinh(epsilon / 2)) ** 2


def squared_geometric(n: float, epsilon: float) -> float:
    """The least worst risk on `squared` of an answer made from the number of ones plus geometric noise; delta = 0.

    The noisy number is cut off at 0 and n; given it, the mean of the answers is at least as good as they are, so an
    answer theta_i goes with each number i, with theta_(n-i) = -theta_i. The worst risk is a maximum of convex
    quadratics of these. An upper limit whatever the solver does; that nothing private is better is for the programme
    to say (Gupte and Sundararajan 2010 prove it where the answers are numbers of ones).
    """
    return _geometric(int(n), epsilon)


@lru_cache(maxsize=256)
def _geometric(size: int, epsilon: float) -> float:
    from scipy import optimize

    minimize: Any = optimize.minimize
    a = math.exp(-epsilon)
    k, i = np.meshgrid(np.arange(size + 1), np.arange(size + 1), indexing="ij")
    law = (1 - a) / (1 + a) * a ** np.abs(k - i)
    law[:, 0], law[:, size] = a ** k[:, 0] / (1 + a), a ** (size - k[:, 0]) / (1 + a)
    mean, half = 2 * np.arange(size + 1) / size - 1, (size + 1) // 2
    rows = np.arange(half, size + 1)

    def answers(free: Vector) -> Vector:
        middle = np.zeros(size + 1 - 2 * half)
        return np.concatenate([-free[::-1], middle, free])

    def risks(free: Vector) -> Vector:
        return np.asarray((law * (answers(free)[None, :] - mean[:, None]) ** 2).sum(axis=1)[rows] / 2)

    def slopes(free: Vector) -> Vector:
        full = law * (answers(free)[None, :] - mean[:, None])
        upper, lower = full[:, size + 1 - half :], full[:, :half][:, ::-1]
        return np.asarray((upper - lower)[rows])

    start = np.append(mean[size + 1 - half :], risks(mean[size + 1 - half :]).max())
    found = minimize(
        lambda x: x[-1], start, jac=lambda x: np.append(np.zeros(half), 1.0), method="SLSQP",
        constraints={"type": "ineq", "fun": lambda x: x[-1] - risks(x[:-1]),
                     "jac": lambda x: np.hstack([-slopes(x[:-1]), np.ones((len(rows), 1))])},
        options={"maxiter": 500, "ftol": 1e-15},
    )  # fmt: skip
    return float(min(risks(found.x[:-1]).max(), start[-1]))


def cube_rate(n: float, p: float, epsilon: float) -> float:
    """Theorem 5.2's rate on `cube`: p min(1, p/(n epsilon)); on `linear` and `squared` p is 1."""
    return p * bst_lower.theorem_5_2_rate(n, p, epsilon)


def cube_two_point(n: float, p: float, epsilon: float, delta: float) -> float:
    """`linear_two_point` in every coordinate at once: m records equal a corner, of which each sign is a secret."""
    return p * linear_two_point(n, epsilon, delta)


def cube_packing(n: float, p: float, epsilon: float, delta: float) -> float:
    """Theorem 5.2's argument: m records equal one of K words, any two of which differ in d coordinates or more.

    <theta, w> + <theta, w'> <= 2 (p - d), so an answer that is nearer to another word w' has a risk of m d/n or more on
    w; and the word is decoded with a chance of at most `bst_lower.packing_line`.
    """
    return _best(n, lambda m: max(m / n * d * _missed(words, m, epsilon, delta) for words, d in CODES[int(p)]))


def squared_packing(n: float, epsilon: float, delta: float) -> float:
    """Theorem 5.4's argument with two words: not decoded is an error of m/n or more."""
    return _best(n, lambda m: (m / n) ** 2 / 2 * _missed(2, m, epsilon, delta))


def cube_fingerprinting(n: float, p: float, epsilon: float, delta: float) -> float:
    """p times Theorem 5.3's level, with ||s||_1/sqrt p, the largest <theta, s> on the cube."""
    return p * _best(n, lambda m: bst_lower.theorem_5_3_level(mean_sum(m), p, m, epsilon, delta) / n)


def squared_fingerprinting(n: float, epsilon: float, delta: float) -> float:
    """Theorem 5.5's level in one dimension; E s^2 = m (m + 1)/2."""
    return _best(n, lambda m: bst_lower.theorem_5_5_level(m * (m + 1) / 2, n, 1, m, epsilon, delta) / n)


def selection_packing(n: float, p: float, epsilon: float, delta: float) -> float:
    """The packing argument with p candidates: m records name one of them, the others cancel in pairs."""
    return _best(n, lambda m: m / n * _missed(p, m, epsilon, delta))


def sparse_packing(n: float, p: float, epsilon: float, delta: float) -> float:
    """`selection_packing` where the others are equally many votes for each candidate."""
    sizes = [m for m in range(1, int(n) + 1) if (n - m) % p == 0]
    return max((m / n * _missed(p, m, epsilon, delta) for m in sizes), default=0.0)


def selection_regret(n: float, p: float, epsilon: float) -> float:
    """Upper limit: the exponential mechanism with exp(epsilon/2 score), at most 2 W((p - 1)/e)/(n epsilon).

    p - 1 rivals at a distance g in the score lose g (p - 1)/(p - 1 + e^(epsilon g/2)), largest at epsilon g/2 = 1 + W.
    """
    from scipy.special import lambertw

    return float(2 / (n * epsilon) * lambertw((p - 1) / math.e).real)


def mean_sum(m: float) -> float:
    """E|s| of m signs with a common bias from the arcsine law: P(k of them are 1) = C(2k, k) C(2m - 2k, m - k)/4^m."""
    size, centre = int(m), [1.0]
    for k in range(1, size + 1):
        centre.append(centre[-1] * (2 * k - 1) / (2 * k))
    return math.fsum(abs(2 * k - size) * centre[k] * centre[size - k] for k in range(size + 1))


def _missed(words: float, copies: float, epsilon: float, delta: float) -> float:
    return 1 - bst_lower.packing_line(words, copies, epsilon, delta)


def _best(n: float, level: Callable[[float], float]) -> float:
    """The largest level over m = n, n - 2, ...: the others cancel in pairs. Never negative."""
    return max(0.0, *(level(float(m)) for m in range(int(n), 0, -2)))
