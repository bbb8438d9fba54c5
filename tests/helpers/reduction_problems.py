"""Small problems for the tests of reductions, and two samples of answers to compare.

Seeds are fixed; a p-value below ALARM fails, so a right reduction would fail a test once in 1e4 seeds at most. A
comparison that a wrong reduction must fail is shown to fail for one.
"""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import hypergeom, ks_2samp

from dprepro.budget import Budget, Neighbours
from dprepro.problems import Domain, MomentsView, Problem, Records, RecordsView

ALARM = 1e-4
BUDGET = Budget(1.0, 1e-2, Neighbours.REPLACE_ONE)


def every_other(names, first, second):
    """All combinations; slow are those whose places in the two lists add up to an odd number."""
    rows = [
        pytest.param(one, other, marks=[] if (i + k) % 2 == 0 else pytest.mark.slow)
        for i, one in enumerate(first)
        for k, other in enumerate(second)
    ]
    return pytest.mark.parametrize(names, rows)


def domain_of(loss, constraint_set, n, feature_norm=math.inf):
    """With records of norm 1 and labels of size 1."""
    return Domain(loss, constraint_set, n, feature_norm=feature_norm)


def some_records(p, rows=50, n=3000, feature_norm=math.inf, seed=0):
    """Records that stand for n, some of them more often than others."""
    rng = np.random.default_rng(seed)
    features = rng.uniform(-1, 1, (rows, p))
    features /= np.maximum(1.0, np.linalg.norm(features, feature_norm, axis=1))[:, None]
    labels = np.sign(features[:, 0] * 0.9 - features[:, 1 % p] * 0.5 + 0.05)
    counts = 1.0 + np.arange(rows) % 3
    return Records(features, labels, counts * n / counts.sum())


def problem_of(loss, constraint_set, view="records", n=3000, feature_norm=math.inf, records=None):
    """On some records, given as they are or as their moments."""
    domain = domain_of(loss, constraint_set, n, feature_norm)
    seen = RecordsView(domain, records or some_records(constraint_set.p, n=n, feature_norm=feature_norm))
    if view == "records":
        return Problem(domain, {"records": seen})
    return Problem(domain, {"moments": MomentsView(domain, seen.to_moments().moments)})


def thetas(solver, problem, draws, seed, budget=BUDGET):
    """Answers, shape (draws, p)."""
    rng = np.random.default_rng(seed)
    return np.array([solver.solve(problem, budget, rng).theta for _ in range(draws)])


def risks(solver, problem, draws, seed, budget=BUDGET):
    """Their excess risks, whatever kind of point they are; shape (draws,)."""
    rng = np.random.default_rng(seed)
    return np.array([problem.excess_risk(solver.solve(problem, budget, rng).theta) for _ in range(draws)])


def p_value(one, other):
    """That two samples, shape (draws, q), have one joint law: the least of all comparisons, times their number.

    Of every column, of the products of every two (about pooled medians, in pooled units), and of how often every column
    is beyond the pooled 2% and 98%: Kolmogorov and Smirnov, and in the tails the exact law of a draw without
    replacement. What is equal up to rounding is equal.
    """
    both = np.concatenate([one, other])
    centre, unit = np.median(both, axis=0), both.std(axis=0)
    unit[unit <= 1e-9 * (1 + np.abs(centre))] = np.inf  # of constants nothing but rounding would be compared
    one, other = (np.round((sample - centre) / unit, 9) for sample in (one, other))
    pairs = list(combinations(range(one.shape[1]), 2))
    columns = [np.column_stack([sample, *(sample[:, i] * sample[:, j] for i, j in pairs)]) for sample in (one, other)]
    found = [ks_2samp(*pair, method="asymp").pvalue for pair in zip(*(some.T for some in columns), strict=True)]
    for first, second in zip(one.T, other.T, strict=True):
        pooled = np.concatenate([first, second])
        for sign in (1.0, -1.0):
            end = np.quantile(sign * pooled, 0.98)
            far = [int(np.count_nonzero(sign * some > end)) for some in (first, second)]
            law = hypergeom(pooled.size, sum(far), first.size)
            found.append(min(1.0, 2 * law.cdf(far[0]), 2 * law.sf(far[0] - 1)))
    return min(1.0, len(found) * min(found))


def least_p_value(problem, one, other, coordinates=3):
    """`p_value` of risks and first coordinates of two samples of answers."""
    return p_value(*(
        np.column_stack([[problem.excess_risk(theta) for theta in sample], sample[:, :coordinates]])
        for sample in (one, other)
    ))  # fmt: skip
