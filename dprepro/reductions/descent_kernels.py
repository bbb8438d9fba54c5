"""Compiled loops of noisy gradient descent. Randomness enters only as a `numpy.random.Generator`."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

LINEAR, HALF_SQUARED, MEDIAN, SHARP, HINGE, POSITIVE_PART = 0, 1, 2, 3, 4, 5


@njit(cache=True, inline="always")
def step_of(first, harmonic, root, t):  # type: ignore[no-untyped-def]
    """first / t, first / sqrt t or first, for step number t."""
    if harmonic:
        return first / t
    return first / math.sqrt(t) if root else first


@njit(cache=True)
def axis_descent(loss, centre, along, aside, p, radius, steps, noise, first, harmonic, root, rng):  # type: ignore[no-untyped-def]
    """Full-gradient descent in (<theta, u>, ||theta - <theta, u> u||) for a risk symmetric about the axis u.

    ``centre`` is <m, u>: the mean record, or the place of the only record. Returns the last pair.
    """
    free = 0.5 * (p - 2)
    for t in range(1, steps):
        eta = step_of(first, harmonic, root, t)
        x = along - centre
        if loss == LINEAR:
            slope_along, factor = -centre, 0.0
        else:
            size = math.sqrt(x * x + aside * aside)
            factor = 1.0 if loss == HALF_SQUARED else (1.0 / size if size > 0.0 else 0.0)
            if loss == SHARP:
                factor += 1.0
            slope_along = factor * x
        spread = eta * noise
        along = along - eta * slope_along + spread * rng.standard_normal()
        if p > 1:
            # of the p - 1 coordinates of the noise across the axis one is along the iterate, the others are not
            moved = aside - eta * factor * aside + spread * rng.standard_normal()
            across = 2.0 * rng.standard_gamma(free) if p > 2 else 0.0
            aside = math.sqrt(moved * moved + spread * spread * across)
        size = math.sqrt(along * along + aside * aside)
        if size > radius:
            along *= radius / size
            aside *= radius / size
    return along, aside


@njit(cache=True, inline="always")
def add_gradient(loss, record, label, theta, weight, gradient):  # type: ignore[no-untyped-def]
    """gradient += weight * a subgradient of one record's loss at theta."""
    p = theta.shape[0]
    if loss == LINEAR:
        for j in range(p):
            gradient[j] -= weight * record[j]
    elif loss == HINGE:
        margin = 0.0
        for j in range(p):
            margin += theta[j] * record[j]
        if label * margin < 1.0:
            for j in range(p):
                gradient[j] -= weight * label * record[j]
    elif loss == POSITIVE_PART:
        margin = 0.0
        for j in range(p):
            margin += theta[j] * record[j]
        if margin < label:
            for j in range(p):
                gradient[j] -= weight * record[j]
    else:
        size = 0.0
        for j in range(p):
            size += (theta[j] - record[j]) ** 2
        factor = 1.0
        if loss != HALF_SQUARED:
            factor = 1.0 / math.sqrt(size) if size > 0.0 else 0.0
            if loss == SHARP:
                factor += 1.0
        for j in range(p):
            gradient[j] += weight * factor * (theta[j] - record[j])


@njit(cache=True)
def descent(loss, records, labels, last, sampled, radius, theta, steps, noise, first, harmonic, root, rng):  # type: ignore[no-untyped-def]
    """Algorithm 1 line by line on distinct records with cumulative counts ``last``; theta is changed in place."""
    p = theta.shape[0]
    kinds = last.shape[0]
    n = last[kinds - 1]
    gradient = np.empty(p)
    for t in range(1, steps):
        gradient[:] = 0.0
        if sampled:
            drawn = np.searchsorted(last, float(int(rng.random() * n)), side="right")
            add_gradient(loss, records[drawn], labels[drawn], theta, 1.0, gradient)
        else:
            before = 0.0
            for k in range(kinds):
                add_gradient(loss, records[k], labels[k], theta, (last[k] - before) / n, gradient)
                before = last[k]
        eta = step_of(first, harmonic, root, t)
        size = 0.0
        for j in range(p):
            theta[j] -= eta * (gradient[j] + noise * rng.standard_normal())
            size += theta[j] * theta[j]
        if size > radius * radius:
            shrink = radius / math.sqrt(size)
            for j in range(p):
                theta[j] *= shrink
