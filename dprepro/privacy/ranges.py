"""Exact composition of bounded ranges: the exponential mechanism, used again and again.

Of a use whose log-ratios stay in some [t - eta, t], two answers are the worst case (Dong, Durfee and Rogers 2020): the
ratio is e^t with probability p_t and e^(t - eta) otherwise, where p_t e^-t + (1 - p_t) e^(eta - t) = 1 makes
p_t = (e^eta - e^t)/(e^eta - 1). Whoever composes adaptively chooses t anew after every answer, hence

    delta_k(x) = max over t in [0, eta] of p_t delta_{k-1}(x - t) + (1 - p_t) delta_{k-1}(x - t + eta),

delta_0(x) = (1 - e^x)_+, and for one use delta_1(x) = (e^(eta/2) - e^(x/2))^2/(e^eta - 1).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

CELLS = 40
"""Of [0, eta], between which delta is bounded by its chord."""

MOST_USES, MOST_LOSS, LEAST_DELTA = 16, 50.0, 1e-9
"""More uses are left to Renyi curves, since the recursion costs uses^2; outside of the others doubles are too short."""


def range_epsilon(eta: float, uses: int, delta: float) -> float:
    """Epsilon at ``delta`` > 0 of ``uses`` adaptive uses of one bounded range, from above, to about a relative 1e-3.

    Infinite where the recursion is not run: see `MOST_USES`.
    """
    if uses > MOST_USES or uses * eta > MOST_LOSS or delta < LEAST_DELTA:
        return math.inf
    places, deltas = _deltas(eta, uses)
    if deltas[0] <= delta:
        return 0.0
    last = int(np.flatnonzero(deltas > delta)[-1])
    share = (deltas[last] - delta) / (deltas[last] - deltas[last + 1])
    low, high = math.exp(places[last]), math.exp(places[last + 1])
    return max(0.0, math.log(low + share * (high - low)))


def range_delta(eta: float, uses: int, epsilon: float) -> float:
    """delta(epsilon) of the same, from above: delta is convex in e^epsilon, so between two places a chord bounds it."""
    places, deltas = _deltas(eta, uses)
    return float(np.interp(math.exp(epsilon), np.exp(places), deltas))


@lru_cache(maxsize=256)
def _deltas(eta: float, uses: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Places from -uses eta to uses eta, CELLS to every eta, and delta there.

    On the chords delta_{k-1} is a - b y between two places, y = e^x, so that with z = e^t the expression above is
    c_0 + c_1 z + c_2/z between two neighbouring t: its maximum is known, and so no t is missed.
    """
    reach = uses * CELLS
    x = np.arange(-reach - CELLS, reach + CELLS + 1, dtype=np.float64) * (eta / CELLS)
    y, grown = np.exp(x), math.exp(eta)
    deltas = np.maximum(0.0, 1 - y)
    t = np.exp(np.arange(CELLS + 1) * (eta / CELLS))
    inner = np.arange(CELLS, x.size - CELLS)
    for _ in range(uses):
        slopes = np.diff(deltas) / np.diff(y)
        starts = deltas[:-1] - slopes * y[:-1]
        best = np.zeros(inner.size)
        for cell in range(CELLS):
            low, high = inner - cell - 1, inner - cell - 1 + CELLS  # the chords on which x - t and x - t + eta lie
            linear = starts[high] - starts[low]
            inverse = y[inner] * grown * (slopes[low] - slopes[high])
            constant = grown * starts[low] - starts[high] - slopes[low] * y[inner] + slopes[high] * y[inner] * grown
            with np.errstate(divide="ignore", invalid="ignore"):
                top = np.sqrt(inverse / linear)
            z = np.clip(np.nan_to_num(top, nan=1.0), t[cell], t[cell + 1])
            best = np.maximum(best, (constant + linear * z + inverse / z) / (grown - 1))
        deltas = np.concatenate([1 - y[:CELLS], np.minimum(best, 1.0), np.zeros(CELLS)])
    return np.asarray(x), np.asarray(deltas)
