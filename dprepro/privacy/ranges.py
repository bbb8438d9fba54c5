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
    low, high = math.expm1(places[last]), math.expm1(places[last + 1])
    return max(0.0, math.log1p(low + share * (high - low)))


def range_delta(eta: float, uses: int, epsilon: float) -> float:
    """delta(epsilon) of the same, from above: delta is convex in e^epsilon, so between two places a chord bounds it."""
    places, deltas = _deltas(eta, uses)
    return float(np.interp(math.expm1(epsilon), np.expm1(places), deltas))


@lru_cache(maxsize=256)
def _deltas(eta: float, uses: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Places from -uses eta to uses eta, CELLS to every eta, and delta there.

    All is told by the excesses Y = e^x - 1, Z = e^t - 1 and g = e^eta - 1, of which none drowns in the 1 where eta is
    small. On a chord delta_{k-1} is a + s Y. With the chords (a, s) on which x - t lies and (b, r) on which x - t + eta
    does, the expression above is (c_0 + c_1 Z + c_2 Z^2)/(g (1 + Z)) between two neighbouring t. Its maximum is at an
    end or where (1 + Z)^2 = 1 + (c_0 - c_1)/c_2, so no t is missed.
    """
    reach = uses * CELLS
    x = np.arange(-reach - CELLS, reach + CELLS + 1, dtype=np.float64) * (eta / CELLS)
    y, g = np.expm1(x), math.expm1(eta)
    widths = np.exp(x[:-1]) * math.expm1(eta / CELLS)
    deltas = np.maximum(0.0, -y)
    ends = np.expm1(np.arange(CELLS + 1) * (eta / CELLS))
    inner = np.arange(CELLS, x.size - CELLS)
    grown = y[inner] + g + y[inner] * g
    for _ in range(uses):
        slopes = np.diff(deltas) / widths
        starts = deltas[:-1] - slopes * y[:-1]
        best = np.zeros(inner.size)
        for cell in range(CELLS):
            low, high = inner - cell - 1, inner - cell - 1 + CELLS  # the chords of x - t and of x - t + eta
            still = starts[low] + slopes[low] * y[inner]  # at t = 0
            first = g * still
            second = g * (starts[low] - slopes[low]) - still + starts[high] + slopes[high] * grown
            third = slopes[low] - slopes[high] - starts[low] + starts[high]
            with np.errstate(divide="ignore", invalid="ignore"):
                turn = np.expm1(0.5 * np.log1p((first - second) / third))
            for z in (ends[cell], np.clip(np.nan_to_num(turn), ends[cell], ends[cell + 1]), ends[cell + 1]):
                best = np.maximum(best, (first + (second + third * z) * z) / (g * (1 + z)))
        deltas = np.concatenate([-y[:CELLS], np.minimum(best, 1.0), np.zeros(CELLS)])
    return np.asarray(x), np.asarray(deltas)
