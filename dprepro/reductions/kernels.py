"""Compiled inner loops of the reductions.

Randomness enters only as a `numpy.random.Generator`, drawn from inside the compiled code, so a result depends on the
cell's stream alone. Noise kinds are integers here: 0 none, 1 Laplace, 2 Gumbel (for minima).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

NONE, LAPLACE, GUMBEL = 0, 1, 2
KINDS = {"none": NONE, "laplace": LAPLACE, "gumbel": GUMBEL}
BLOCK = 16
LN2 = math.log(2.0)


@njit(cache=True, inline="always")
def draw(kind, rng):  # type: ignore[no-untyped-def]
    """One unit noise."""
    e = rng.standard_exponential()
    if kind == GUMBEL:
        return math.log(e)
    return e if rng.random() < 0.5 else -e


@njit(cache=True, inline="always")
def hazard(kind, c):  # type: ignore[no-untyped-def]
    """-log P(noise >= c): the rate at which independent candidates fall below c."""
    if kind == GUMBEL:
        return math.exp(c)
    if c >= 0.0:
        return LN2 + c
    half = 0.5 * math.exp(c)
    return half if half < 1e-9 else -math.log1p(-half)


@njit(cache=True, inline="always")
def draw_below(kind, rate, rng):  # type: ignore[no-untyped-def]
    """One unit noise, given that it lies below the level whose hazard is ``rate``."""
    u = -math.expm1(-rate) * (1.0 - rng.random())  # uniform on (0, F(c)]
    if kind == GUMBEL:
        return math.log(-math.log1p(-u))
    return math.log(2.0 * u) if u < 0.5 else -math.log(2.0 * (1.0 - u))


@njit(cache=True, inline="always")
def least_of(kind, count, rng):  # type: ignore[no-untyped-def]
    """The least of ``count`` independent unit noises, by inverting its survival function."""
    e = rng.standard_exponential() / count  # -log of the survival function at the answer
    if kind == GUMBEL:
        return math.log(e)
    if e < LN2:
        return math.log(-2.0 * math.expm1(-e))
    return e - LN2


@njit(cache=True, fastmath={"nnan", "nsz", "ninf", "contract", "reassoc"})
def advance(level, column, offset, keep, add, signed, least):  # type: ignore[no-untyped-def]
    """One coefficient update, fused with the least score of every block of coordinates.

    level <- keep * level + add * column; a coordinate's half score is level - offset, and a signed set has its negative
    too. ``least[b]`` becomes the least score of block b, in half units.
    """
    p = level.shape[0]
    for b in range(least.shape[0]):
        low = b * BLOCK
        high = min(p, low + BLOCK)
        bound = 1e300  # not infinity: the fast arithmetic of this function assumes that there is none
        if signed:
            largest = 0.0
            for j in range(low, high):
                level[j] = keep * level[j] + add * column[j]
                largest = max(largest, abs(level[j] - offset[j]))
            bound = -largest
        else:
            for j in range(low, high):
                level[j] = keep * level[j] + add * column[j]
                bound = min(bound, level[j] - offset[j])
        least[b] = bound


@njit(cache=True)
def lazy_minimum(level, offset, least, signed, scale, kind, rng):  # type: ignore[no-untyped-def]
    """Index and sign of the least noisy score, exactly, without drawing the noises that cannot win.

    The candidate of least score gets a full draw. Then the others are passed in order: one of block b wins only if its
    noise lies below c = (best so far - least score of the block) / scale, and the distance to the next such candidate
    is geometric, drawn as an exponential against the sum of hazards (memoryless, so it carries over from block to
    block). A candidate that is reached gets its noise from the law below c and competes. Every candidate is thus
    compared with the same probability as if all noises had been drawn.
    """
    p = level.shape[0]
    top = 0
    for b in range(least.shape[0]):
        if least[b] < least[top]:
            top = b
    first = top * BLOCK
    for j in range(top * BLOCK, min(p, (top + 1) * BLOCK)):
        if signed:
            if abs(level[j] - offset[j]) > abs(level[first] - offset[first]):
                first = j
        elif level[j] - offset[j] < level[first] - offset[first]:
            first = j
    first_sign = 1.0
    if signed and level[first] - offset[first] > 0.0:
        first_sign = -1.0
    if kind == NONE or scale == 0.0:
        return first, first_sign

    unit = 2.0 / scale  # half scores to units of the noise
    sides = 2 if signed else 1
    best = unit * first_sign * (level[first] - offset[first]) + draw(kind, rng)
    winner, winner_sign = first, first_sign
    budget = rng.standard_exponential()
    for b in range(least.shape[0]):
        low = b * BLOCK
        count = sides * (min(p, low + BLOCK) - low)
        bound = unit * least[b]
        rate = hazard(kind, best - bound)
        i = 0
        while True:
            ahead = rate * (count - i)
            if ahead <= budget:
                budget -= ahead
                break
            i = min(i + int(budget / rate), count - 1)
            j = low + i // sides
            sign = 1.0
            if sides == 2 and i % 2 == 1:
                sign = -1.0
            i += 1
            budget = rng.standard_exponential()
            if j == first and sign == first_sign:
                continue  # its noise is drawn already
            value = unit * sign * (level[j] - offset[j]) + draw_below(kind, rate, rng)
            if value < best:
                best, winner, winner_sign = value, j, sign
                rate = hazard(kind, best - bound)
    return winner, winner_sign


@njit(cache=True)
def vertex_frank_wolfe(  # type: ignore[no-untyped-def]
    gram, factor, ridge, cross, radius, signed, level, theta, steps, scale, kind, constant_step, rng
):
    """Frank-Wolfe over radius times the signed or unsigned unit vectors.

    G = gram + factor^T factor + diag(ridge); gram has shape (p, p) or (0, 0), factor (rows, p) with rows >= 0.
    ``level`` = G theta and ``theta`` come in at the start and ``theta`` is overwritten with the answer. Scores are
    2 radius (level - cross) times the sign.
    """
    p = cross.shape[0]
    dense, rows = gram.shape[0] > 0, factor.shape[0]
    least = np.empty((p + BLOCK - 1) // BLOCK)
    column = np.zeros(p)
    advance(level, column, cross, 1.0, 0.0, signed, least)
    weight = 1.0  # theta is stored divided by the product of the factors (1 - mu) so far
    for t in range(1, steps):
        j, sign = lazy_minimum(level, cross, least, signed, scale / radius, kind, rng)
        mu = 1.0 / (steps + 2) if constant_step else 2.0 / (t + 2)
        weight *= 1.0 - mu
        add = mu * sign * radius
        theta[j] += add / weight
        # The diagonal moves one coordinate only; it must be in before that coordinate's block is scanned.
        level[j] += add * ridge[j] / (1.0 - mu)
        if rows > 0:
            column[:] = 0.0
            if dense:
                column[:] = gram[j]
            for r in range(rows):
                for k in range(p):
                    column[k] += factor[r, j] * factor[r, k]
            advance(level, column, cross, 1.0 - mu, add, signed, least)
        elif dense:
            advance(level, gram[j], cross, 1.0 - mu, add, signed, least)
        else:
            advance(level, column, cross, 1.0 - mu, 0.0, signed, least)
    for j in range(p):
        theta[j] *= weight


@njit(cache=True, inline="always")
def least_group(half, sizes, scale, kind, share, rng):  # type: ignore[no-untyped-def]
    """Group that holds the least noisy score. ``half`` are half scores, ``share`` is scratch, both of shape (G,).

    Among K equal candidates the least Laplace noise is drawn by `least_of`. With Gumbel noise the winner's law is known,
    probability proportional to K exp(-score/scale), and one uniform draw suffices.
    """
    groups = half.shape[0]
    first = -1
    for g in range(groups):
        if sizes[g] > 0.0 and (first < 0 or half[g] < half[first]):
            first = g
    if kind == NONE:
        return first
    if kind == GUMBEL:
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
        if sizes[g] > 0.0:
            value = 2.0 * half[g] + scale * least_of(kind, sizes[g], rng)
            if value < best:
                best = value
                chosen = g
    return chosen


@njit(cache=True)
def grouped_frank_wolfe(gram, cross, sizes, steps, scale, kind, constant_step, weights, rng):  # type: ignore[no-untyped-def]
    """Frank-Wolfe in group weights: all vertices of a group have one score, 2 (gram w - cross).

    Selecting a group means selecting any of its vertices; ``weights`` comes in at the start and is overwritten.
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
        chosen = least_group(half, sizes, scale, kind, share, rng)
        mu = 1.0 / (steps + 2) if constant_step else 2.0 / (t + 2)
        for g in range(groups):
            half[g] += mu * (change[chosen, g] - half[g])
            weights[g] -= mu * weights[g]
        weights[chosen] += mu
