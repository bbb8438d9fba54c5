"""Composition of Gaussians on one record drawn from n: by loss distributions, where Renyi curves give away too much.

Let a step answer N(g_i, s^2) for a uniform record i. On neighbours its laws are (1 - 1/n) M + A/n and
(1 - 1/n) M + B/n, A and B normal and M a mixture of normals, every two of them no further apart than mu standard
deviations. For x >= 0 and e^y = 1 + n (e^x - 1) the advanced joint convexity of Balle, Barthe and Gaboardi (2018) gives

    delta(x) <= delta_mu(y)/n,   and for x < 0, by exchanging the two,   delta(x) = 1 - e^x + e^x delta(-x),

delta_mu that of one shift mu. In e^x this is convex, the slope at one rising by (1 - 1/n)(2 Phi(mu/2) - 1), so that
it belongs to a pair of laws, which dominates each step whatever the answers before it were; its product with itself
dominates all steps together (Zhu, Dong and Wang 2022). Half of it only, x >= 0, would not do.

The pair is brought to a lattice on which its chords lie above it ("connect the dots", as in `pairs`), and composed by a
Fourier transform.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dprepro.privacy.worst_pairs import gaussian_delta, gaussian_epsilon

CELLS, COARSE = 2**17, 2000
"""Of the lattice on which the sum of the losses lies, and of a first look at one of them."""

LOST = 1e-4
"""Share of delta for losses that are not followed: too large in one step, or in their sum."""

ROUNDING = 1e-14
"""Of the transform, per use: its tenfold."""

LEAST_DELTA, MOST_LOSS = 1e-9, 100.0
"""Nothing is computed where a delta is smaller, or a sum of losses larger: probabilities are differences there."""


def sampled_epsilon(mu: float, population: float, uses: int, delta: float) -> float:
    """Epsilon at ``delta`` > 0 of ``uses`` steps, from above; infinite where it is not computed."""
    spare = delta * (1 - 2 * LOST) - ROUNDING * uses
    if delta < LEAST_DELTA or spare < 0.98 * delta:
        return math.inf
    share = 1 / population
    if uses * share * float(gaussian_delta(mu, np.zeros(1))[0]) <= delta:
        return 0.0  # what the laws of all steps differ by at most
    apart = gaussian_epsilon(mu, min(0.5, delta * LOST / (uses * share)))
    if apart == 0:
        return 0.0  # the laws of all steps together are nearer than delta
    largest = float(np.logaddexp(np.log1p(-share) if share < 1 else -math.inf, apart + math.log(share)))
    if largest > MOST_LOSS:
        return math.inf
    losses, weights = _losses(mu, share, largest, largest / COARSE)
    mean = float(weights @ losses)
    far = uses * mean + 10 * math.sqrt(uses * float(weights @ (losses - mean) ** 2))
    width = 1.1 * max(largest, min(uses * largest, far))
    while width <= MOST_LOSS:
        step = 2 * width / CELLS
        losses, weights = _losses(mu, share, largest, step)
        if _tail(losses, weights, uses, width) <= delta * LOST:
            return _epsilon(weights, uses, step, spare)
        width *= 1.5
    return math.inf


def _losses(mu: float, share: float, largest: float, step: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Losses from -largest to largest on the lattice, and their probabilities; what is missing is infinite.

    Between neighbouring places delta is a chord in e^x, whose slope is minus the other law's mass above: the mass of a
    place is the rise of the slope there.
    """
    count = math.ceil(largest / step)
    losses = step * np.arange(-count, count + 1, dtype=np.float64)
    above = share * gaussian_delta(mu, np.log1p(np.expm1(losses[count:]) / share))
    ratios = np.exp(losses)
    below = ratios[:count] * above[:0:-1]  # delta less (1 - e^x)_+, x < 0
    slopes = np.diff(np.concatenate([below, above])) / (ratios[:-1] * math.expm1(step)) - (losses[:-1] < 0)
    first = (below[0] - ratios[0]) / ratios[0]  # from e^x = 0, where delta is 1
    masses = np.diff(np.concatenate([[first], slopes, [0.0]]))
    return losses, np.maximum(masses, 0.0) * ratios


def _tail(losses: NDArray[np.float64], weights: NDArray[np.float64], uses: int, width: float) -> float:
    """Bound on the probability that the sum of so many losses exceeds ``width`` (Chernoff)."""
    orders = np.geomspace(0.5, 400.0, 30) / width
    moments = [float(weights @ np.exp(np.minimum(order * losses, 600.0))) for order in orders]
    return min(math.exp(min(0.0, uses * math.log(m) - order * width)) for m, order in zip(moments, orders, strict=True))


def _epsilon(weights: NDArray[np.float64], uses: int, step: float, delta: float) -> float:
    """Where the sum of so many losses spends delta; a sum below the lattice comes back as one above 0."""
    vector = np.zeros(CELLS)
    vector[: len(weights)] = weights
    moved = len(weights) // 2 * uses % CELLS  # to where a sum of 0 is the first
    turn = np.exp(2j * np.pi / CELLS * (np.arange(CELLS // 2 + 1) * moved % CELLS))
    total = np.fft.irfft(np.fft.rfft(vector) ** uses * turn, CELLS)[: CELLS // 2]
    excess = np.expm1(step * np.arange(total.size))
    first, second = (np.cumsum(masses[::-1])[::-1] for masses in (total, total / (1 + excess)))
    deltas = first - (1 + excess) * second
    if deltas[0] <= delta:
        return 0.0
    last = int(np.flatnonzero(deltas > delta)[-1])
    share = (deltas[last] - delta) / (deltas[last] - deltas[last + 1])
    return math.log1p(excess[last] + share * (excess[last + 1] - excess[last]))
