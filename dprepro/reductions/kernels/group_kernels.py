"""Loop of Frank-Wolfe over groups of interchangeable vertices."""

from __future__ import annotations

import math

import numpy as np

from dprepro.reductions.kernels.compiled import entry, jit
from dprepro.reductions.kernels.selection_kernels import asked, least_of


@jit(inline="always")
def least_group(half, sizes, scale, laplace, share, squares, rng):  # type: ignore[no-untyped-def]
    """Group that holds the least noisy score. ``half`` are half scores, ``share`` is scratch, both of shape (G,).

    Among K equal candidates the least Laplace noise is drawn by `least_of`; its squares are added to ``squares``. With
    Gumbel noise the winner's law is known, probability proportional to K exp(-score/scale), and one uniform draw
    suffices.
    """
    groups = half.shape[0]
    first = 0
    for g in range(groups):
        if half[g] < half[first]:
            first = g
    if scale == 0.0:
        return first
    if not laplace:
        total = 0.0
        for g in range(groups):
            depth = 2.0 * (half[g] - half[first]) / scale
            share[g] = sizes[g] * math.exp(-depth) if depth < 745.0 else 0.0  # beyond, exp is zero
            total += share[g]
        left = rng.random() * total
        for g in range(groups):
            left -= share[g]
            if left < 0.0:
                return g
        return first  # rounding left nothing over
    chosen = first
    best = np.inf
    for g in range(groups):
        noise = scale * least_of(laplace, sizes[g], rng)
        squares[g] += noise * noise
        value = 2.0 * half[g] + noise
        if value < best:
            best = value
            chosen = g
    return chosen


@jit()
def regret(half, sizes, chosen, scale, noise_statistic):  # type: ignore[no-untyped-def]
    """Add to ``noise_statistic`` a Gumbel choice's regret, its mean and its variance, in units of the scale.

    By the law of the exponential mechanism at this scale, computed here once more.
    """
    least, mass, mean, square = half.min(), 0.0, 0.0, 0.0
    for g in range(half.shape[0]):
        loss = 2.0 * (half[g] - least) / scale
        if loss < 745.0:
            weight = sizes[g] * math.exp(-loss)
            mass += weight
            mean += weight * loss
            square += weight * loss * loss
    mean /= mass
    noise_statistic[0] += 2.0 * (half[chosen] - least) / scale
    noise_statistic[1] += mean
    noise_statistic[2] += square / mass - mean * mean


@entry()
def on_groups(gram, cross, sizes, steps, scale, laplace, constant, weights, squares, noise_statistic, rng):  # type: ignore[no-untyped-def]
    """Frank-Wolfe in group weights: all vertices of a group have one score, 2 (gram w - cross).

    Selecting a group means selecting any of its vertices; ``weights`` comes in at the start and is overwritten. What
    was drawn is added to ``squares`` (Laplace noise, by group) or ``noise_statistic`` (Gumbel noise, of some steps).
    """
    groups = cross.shape[0]
    half = gram @ weights - cross
    share = np.empty(groups)
    # what selecting group h adds to the half scores, less what the old point loses
    change = np.empty((groups, groups))
    for h in range(groups):
        for g in range(groups):
            change[h, g] = gram[h, g] - cross[g]
    for t in range(1, steps):
        chosen = least_group(half, sizes, scale, laplace, share, squares, rng)
        if scale > 0.0 and not laplace and asked(t):
            regret(half, sizes, chosen, scale, noise_statistic)
        mu = 1.0 / (steps + 2) if constant else 2.0 / (t + 2)
        for g in range(groups):
            half[g] += mu * (change[chosen, g] - half[g])
            weights[g] -= mu * weights[g]
        weights[chosen] += mu
