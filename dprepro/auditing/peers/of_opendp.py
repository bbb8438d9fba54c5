"""OpenDP: measurements whose scale is the least that its own maps certify for epsilon."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def laplace_mean(X: FloatArray, epsilon: float, low: float = 0.0, high: float = 1.0) -> float:
    """The mean of a public number of values in bounds, with Laplace noise; a replacement has distance 2."""
    return float(_mean("laplace", len(X), epsilon, low, high)(X.tolist()))


def gaussian_mean(X: FloatArray, epsilon: float, delta: float, low: float = 0.0, high: float = 1.0) -> float:
    """`laplace_mean` with Gaussian noise, zCDP and a fixed delta."""
    return float(_mean("gaussian", len(X), epsilon, low, high, delta)(X.tolist()))


def laplace_count(X: FloatArray, epsilon: float) -> float:
    """The number of records, which may come or go, with integer Laplace noise."""
    return float(_count(epsilon)(X.tolist()))


def quantile(X: FloatArray, epsilon: float, low: float = 0.0, high: float = 1.0) -> float:
    """The median among eleven candidates; a record comes or goes."""
    return float(_median(epsilon, low, high)(X.tolist()))


def theil_sen(
    X: FloatArray, y: FloatArray, epsilon: float, low: float = -1.0, high: float = 1.0,
    label_low: float = -1.0, label_high: float = 1.0,
) -> FloatArray:  # fmt: skip
    """Theil-Sen regression of ``extras.sklearn``: slope and intercept, of 25 answers; a record comes or goes."""
    rows = np.column_stack([np.ravel(X), y])
    return np.asarray(_theil_sen(epsilon, low, high, label_low, label_high)(rows), dtype=np.float64)


def _features() -> Any:
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")
    return dp


@lru_cache(maxsize=64)
def _mean(noise: str, n: int, epsilon: float, low: float, high: float, delta: float = 0.0) -> Any:
    dp = _features()
    space = dp.vector_domain(dp.atom_domain(bounds=(float(low), float(high))), size=n), dp.symmetric_distance()

    def at(scale: float) -> Any:
        if noise == "laplace":
            return space >> dp.t.then_mean() >> dp.m.then_laplace(scale)
        found = space >> dp.t.then_mean() >> dp.m.then_gaussian(scale)
        return dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(found), delta)

    return dp.binary_search_chain(at, d_in=2, d_out=epsilon if noise == "laplace" else (epsilon, delta), T=float)


@lru_cache(maxsize=64)
def _count(epsilon: float) -> Any:
    dp = _features()
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    return dp.binary_search_chain(
        lambda scale: space >> dp.t.then_count() >> dp.m.then_laplace(scale), d_in=1, d_out=epsilon, T=float
    )


@lru_cache(maxsize=64)
def _median(epsilon: float, low: float, high: float) -> Any:
    dp = _features()
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    places = [float(place) for place in np.linspace(low, high, 11)]
    return dp.binary_search_chain(
        lambda scale: dp.m.make_private_quantile(*space, dp.max_divergence(), places, 0.5, scale),
        d_in=1, d_out=epsilon, T=float,
    )  # fmt: skip


@lru_cache(maxsize=64)
def _theil_sen(epsilon: float, low: float, high: float, label_low: float, label_high: float) -> Any:
    dp = _features()
    from opendp.extras.sklearn.linear_model._make_private_theil_sen import make_private_theil_sen

    return dp.binary_search_chain(
        lambda scale: make_private_theil_sen(
            dp.max_divergence(), (low, high), (label_low, label_high), scale, candidates_count=5
        ),
        d_in=1, d_out=epsilon, T=float,
    )  # fmt: skip
