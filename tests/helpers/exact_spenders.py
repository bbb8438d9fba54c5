"""Functions of one record in [0, 1] that spend just epsilon, at delta = 0 or `DELTA`: an audit must not say more."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dprepro.budget import Budget, Neighbours
from dprepro.mechanisms import Gaussian
from dprepro.privacy import noise_for

DELTA = 0.05
GRID = np.linspace(0, 1, 5)


@lru_cache
def sigma(epsilon):
    """The least scale that is certified for a shift of 1."""
    return noise_for(
        lambda scale: Gaussian(scale).guarantee(1.0), 1, Budget(epsilon, DELTA, Neighbours.REPLACE_ONE)
    )  # fmt: skip


def chances(value, factor):
    weights = np.exp(-factor * np.abs(GRID - value))
    return weights / weights.sum()


@lru_cache
def coldness(epsilon):
    """Of the exponential mechanism, at which its largest loss is epsilon."""
    low, high = 0.0, 10 * epsilon
    for _ in range(60):
        middle = (low + high) / 2
        loss = np.abs(np.log(chances(1.0, middle) / chances(0.0, middle))).max()
        low, high = (middle, high) if loss <= epsilon else (low, middle)
    return low


def gaussian(values, epsilon, rng):
    return values.sum() + rng.normal(scale=sigma(epsilon))


def laplace(values, epsilon, rng):
    return values.sum() + rng.laplace(scale=1 / epsilon)


def response(values, epsilon, rng):
    return float((rng.random() < 1 / (1 + math.exp(-epsilon))) == (values[0] > 0.5))


def exponential(values, epsilon, rng):
    return rng.choice(GRID, p=chances(np.clip(values[0], 0, 1), coldness(epsilon)))


EXACT = {gaussian: DELTA, laplace: 0.0, response: 0.0, exponential: 0.0}
"""Each with the delta that it claims."""
