"""diffprivlib: means, histograms, quantiles, regressions, with bounds that are told."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def mean(X: FloatArray, epsilon: float, random_state: int, low: float = 0.0, high: float = 1.0) -> float:
    """``tools.mean``; its relation is replacement."""
    from diffprivlib.tools import mean

    return float(mean(X, epsilon=epsilon, bounds=(low, high), random_state=random_state))


def mean_without_bounds(X: FloatArray, epsilon: float, random_state: int) -> float:
    """``tools.mean`` without bounds: they are read off the data, of which the library warns (its issue 20)."""
    from diffprivlib.tools import mean

    return float(mean(X, epsilon=epsilon, random_state=random_state))


def var(X: FloatArray, epsilon: float, random_state: int, low: float = 0.0, high: float = 1.0) -> float:
    """``tools.var``."""
    from diffprivlib.tools import var

    return float(var(X, epsilon=epsilon, bounds=(low, high), random_state=random_state))


def histogram(X: FloatArray, epsilon: float, random_state: int, low: float = 0.0, high: float = 1.0) -> FloatArray:
    """``tools.histogram`` of four bins; its relation is that a record comes or goes."""
    from diffprivlib.tools import histogram

    found = histogram(X, epsilon=epsilon, bins=4, range=(low, high), random_state=random_state)[0]
    return np.asarray(found, dtype=np.float64)


def quantile(X: FloatArray, epsilon: float, random_state: int, low: float = 0.0, high: float = 1.0) -> float:
    """``tools.quantile``, the median."""
    from diffprivlib.tools import quantile

    return float(quantile(X, 0.5, epsilon=epsilon, bounds=(low, high), random_state=random_state))


def linear(
    X: FloatArray, y: FloatArray, epsilon: float, random_state: int,
    low: float = -1.0, high: float = 1.0, label_low: float = -1.0, label_high: float = 1.0,
) -> Any:  # fmt: skip
    """``models.LinearRegression`` without an intercept, by the functional mechanism."""
    from diffprivlib.models import LinearRegression

    return LinearRegression(
        epsilon=epsilon, bounds_X=(low, high), bounds_y=(label_low, label_high), fit_intercept=False,
        random_state=random_state,
    ).fit(X, y)  # fmt: skip


def logistic(X: FloatArray, y: FloatArray, epsilon: float, random_state: int, norm: float = 1.0) -> Any:
    """``models.LogisticRegression`` without an intercept, by objective perturbation."""
    from diffprivlib.models import LogisticRegression

    return LogisticRegression(
        epsilon=epsilon, data_norm=norm, fit_intercept=False, random_state=random_state, max_iter=30
    ).fit(X, y)
