"""The prior of the fingerprinting data, and what any answer and any private answer can make of it, exactly.

One coordinate: entries +-1 of mean t, t from the arcsine law on [-1, 1]. Every expectation here is over the atoms of n
records, of which only the number of +1 matters, and over t by the quadrature t = `biases`((i - 1/2)/N), which is the
one of Gauss and Chebyshev: exact for polynomials of degree below 2N, and those of n records have degree n + 1.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dprepro.problems.problem_data import FloatArray

MOST_SEARCHED = 16
"""Records up to which the best private answer is searched for, and epsilon."""


def biases(levels: FloatArray) -> FloatArray:
    """The prior's quantiles: t with P(bias <= t) = level."""
    return np.asarray(np.sin(math.pi * (levels - 0.5)))


@lru_cache(maxsize=64)
def identity(rows: int) -> float:
    """The fingerprinting lemma: sum_i E f(x) (x_i - t) = E f(x) t for every f on the records of one coordinate.

    Returns 1 + the largest violation of any |f| <= 1, over the largest right-hand side of any. Both are sums over atoms
    of |coefficient of f|: the best f has its sign. As f may depend on further arguments as it likes, coordinates of any
    p-dimensional answer obey it too.
    """
    ones, t, weights = _atoms(rows)
    scores = (2 * ones[:, None] - rows) - rows * t
    violation = np.abs(((scores - t) * weights).sum(axis=1)).sum()
    return 1 + float(violation / np.abs((t * weights).sum(axis=1)).sum())


@lru_cache(maxsize=64)
def best_private_correlation(rows: int, epsilon: float, delta: float) -> float:
    """The largest E f(x) t of an (epsilon, delta)-private answer f in [-1, 1], by a linear programme.

    The answer is +-1 with a chance that depends on the number of +1 among the records: averaging over their order and
    rounding f to +-1 at random keep privacy and mean.
    """
    from scipy.optimize import linprog

    _, t, weights = _atoms(rows)
    gain, grown = (t * weights).sum(axis=1), math.exp(epsilon)
    here, there = np.eye(rows + 1)[:-1], np.eye(rows + 1)[1:]
    more, less = np.vstack([here - grown * there, there - grown * here]), np.full(2 * rows, delta)
    limits = np.concatenate([less, less + grown - 1])  # of the answer +1, then of -1, whose chance is 1 less that
    found = linprog(-2 * gain, np.vstack([more, -more]), limits, bounds=(0, 1), method="highs")
    return float(gain @ (2 * np.asarray(found.x) - 1))


def _atoms(rows: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Numbers of +1, nodes t, and weights of both together, shape (rows + 1, nodes)."""
    from scipy.special import gammaln

    t = biases((np.arange(rows + 2) + 0.5) / (rows + 2))
    ones = np.arange(rows + 1.0)
    choices = gammaln(rows + 1) - gammaln(ones + 1) - gammaln(rows - ones + 1)
    heads, tails = np.log1p(t) - math.log(2), np.log1p(-t) - math.log(2)
    logarithms = choices[:, None] + ones[:, None] * heads + (rows - ones)[:, None] * tails
    return ones, t, np.exp(logarithms) / t.size
