"""Linear losses on a disc: how often events happen, with exact binomial limits.

No exact law is known on a disc. The last iterate is drawn under both laws, and hits of a family of events are counted
that is fixed beforehand: half-planes and sectors in eight directions. Clopper-Pearson limits, simultaneous over the
family, both laws and both orders, give two numbers: epsilon is at least ``lower`` with probability `LEVEL`, and no
event of the family has a loss above ``upper`` with the same one. ``upper`` is no bound on epsilon: other events exist.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from dprepro_last_iterate.transfer import FloatArray

LEVEL = 0.99
DIRECTIONS = 8
CAPS, SECTORS = 24, 16
CHUNK = 50_000
"""Points that are moved at once: they stay in the cache."""


@dataclass(frozen=True)
class Counted:
    """Of a family of events: hits under both laws, shape (events,), of so many draws each."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    draws: int

    def _limits(self, hits: NDArray[np.int64]) -> tuple[FloatArray, FloatArray]:
        tail = (1 - LEVEL) / (4 * len(hits))  # two laws, two sides
        misses = self.draws - hits
        low = np.where(hits > 0, betaincinv(np.maximum(hits, 1), misses + 1, tail), 0.0)
        high = np.where(misses > 0, betaincinv(hits + 1, np.maximum(misses, 1), 1 - tail), 1.0)
        return low, high

    def lower(self, delta: float) -> float:
        """epsilon at ``delta`` is at least this."""
        return self._loss(delta, 0)

    def upper(self, delta: float) -> float:
        """No event of the family has ln((P - delta)/Q) above this."""
        return self._loss(delta, 1)

    def _loss(self, delta: float, side: int) -> float:
        both = self._limits(self.first), self._limits(self.second)
        found = 0.0
        for p, q in (both, both[::-1]):
            spare, rare = p[side] - delta, q[1 - side]
            with np.errstate(divide="ignore"):
                losses = np.where(spare > 0, np.log(np.maximum(spare, 1e-300)) - np.log(rare), -math.inf)
            found = max(found, float(losses.max()))
        return found


def simulated(mean: tuple[float, float], noise: float, steps: int, draws: int, rng: np.random.Generator) -> FloatArray:
    """x_T on the disc of diameter 1 about 0, from (1/2, 0), shape (2, draws); ``mean`` is eta times the gradient."""
    parts = []
    for begun in range(0, draws, CHUNK):
        x = np.zeros((2, min(CHUNK, draws - begun)))
        x[0] = 0.5
        for _ in range(steps):
            x += noise * rng.standard_normal(x.shape) - np.array(mean)[:, None]
            x /= np.maximum(2 * np.hypot(x[0], x[1]), 1.0)
        parts.append(x)
    return np.concatenate(parts, axis=1)


def hits(x: FloatArray) -> NDArray[np.int64]:
    """Of half-planes <x, u> >= cos(w)/2, w even over (0, pi), and of sectors <x, u> >= |x| cos w, for all u."""
    caps = 0.5 * np.cos(np.linspace(math.pi, 0, CAPS + 2)[1:-1])
    sectors = np.cos(np.linspace(math.pi, 0, SECTORS + 2)[1:-1])
    radius = np.maximum(np.hypot(x[0], x[1]), 1e-300)
    found = []
    for direction in range(DIRECTIONS):
        angle = 2 * math.pi * direction / DIRECTIONS
        along = math.cos(angle) * x[0] + math.sin(angle) * x[1]
        for values, edges in ((along, caps), (along / radius, sectors)):
            inside, _ = np.histogram(values, bins=np.append(edges, 2.0))
            found.append(inside[::-1].cumsum()[::-1])
    return np.concatenate(found).astype(np.int64)


@lru_cache(maxsize=32)
def counted(
    s: float, eta: float, sigma: float, steps: int, drift: float, angle: float, draws: int, draw: int
) -> Counted:
    """F' = drift s in the direction of the start, G' - F' of length s at ``angle`` to it; ``draw`` is the seed."""
    rng = np.random.default_rng([draw, steps, draws])
    first = (eta * drift * s, 0.0)
    second = (eta * (drift + math.cos(angle)) * s, eta * math.sin(angle) * s)
    laws = [hits(simulated(mean, eta * sigma, steps, draws, rng)) for mean in (first, second)]
    return Counted(laws[0], laws[1], draws)
