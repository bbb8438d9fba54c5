"""Faults that were reported in public, rebuilt in a few lines each, beside what repairs them.

Each takes ``repaired``; an audit should name the fault, and not what repairs it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def one_sided_sensitivity(
    X: FloatArray, epsilon: float, rng: np.random.Generator, low: float = 0.0, high: float = 1.0, repaired: bool = False
) -> float:
    """diffprivlib 105: the sensitivity of a sum of squares is taken of the lower bound only.

    Within 0..1 that is 0, and no noise is added. (In the library the least of several coefficients.)
    """
    bounds = (low, high) if repaired else (low, low)
    return float((X**2).sum() + rng.laplace(scale=max(abs(bound) for bound in bounds) ** 2 / epsilon))


def bounds_from_data(
    X: FloatArray, epsilon: float, rng: np.random.Generator, low: float = 0.0, high: float = 1.0, repaired: bool = False
) -> float:
    """diffprivlib 20: bounds that are not given are read off the data (the library warns of it)."""
    least, most = (low, high) if repaired else (float(X.min()), float(X.max()))
    return float(X.mean() + rng.laplace(scale=(most - least) / (epsilon * len(X))))


def even_length(X: FloatArray, epsilon: float, rng: np.random.Generator, repaired: bool = False) -> float:
    """OpenDP 2950: an odd record is dropped, so that one that comes drops another: a stability of 2, not of 1."""
    kept = X if repaired else X[: len(X) // 2 * 2]
    return float((kept > 0.5).sum() + rng.laplace(scale=1 / epsilon))


def group_changes(X: FloatArray, epsilon: float, rng: np.random.Generator, repaired: bool = False) -> float:
    """OpenDP 2945: a group of at most k rows is said to change by k rows at most; replaced, it changes by 2 k.

    Here a record is a group of three rows with values in -1..1, of which the sum is answered.
    """
    rows = np.repeat(X, 3)
    distance = 6 if repaired else 3
    return float(rows.sum() + rng.laplace(scale=distance / epsilon))


def halved_down(X: FloatArray, epsilon: float, rng: np.random.Generator, repaired: bool = False) -> float:
    """OpenDP 314: d (U - L)/2 of whole numbers is rounded down; here half of 3 is 1, a sensitivity of 1.5."""
    sensitivity = 1.5 if repaired else 3 // 2
    return float(np.round(X * 3).sum() / 2 + rng.laplace(scale=sensitivity / epsilon))


def mean_of_private_n(
    X: FloatArray, epsilon: float, rng: np.random.Generator, high: float = 1.0, repaired: bool = False
) -> tuple[float, ...]:
    """SmartNoise 356: noise of (U - L)/n with the n of the data at hand, which is private."""
    if repaired:  # sum and number, each with half
        return float(X.sum() + rng.laplace(scale=2 * high / epsilon)), float(len(X) + rng.laplace(scale=2 / epsilon))
    return (float(X.mean() + rng.laplace(scale=high / (len(X) * epsilon))),)
