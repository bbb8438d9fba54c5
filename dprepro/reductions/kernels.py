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
#: Coordinates b, b + B, ..., b + (BLOCK - 1) B form block b of B. So laid out, the minima of all blocks are found by
#: passes along memory, without a reduction across the lanes of a vector register.
BLOCK = 32
PASS = 16  # rows in one unrolled loop
LN2 = math.log(2.0)
NEGLIGIBLE = -45.0  # a hazard of exp(-45) is below the rounding of a sum near one


@njit(cache=True, inline="always")
def draw(kind, rng):  # type: ignore[no-untyped-def]
    """One unit noise."""
    e = rng.standard_exponential()
    if kind == GUMBEL:
        return math.log(e)
    return e if rng.random() < 0.5 else -e


@njit(cache=True, inline="always")
def hazard(kind, c):  # type: ignore[no-untyped-def]
    """An upper bound of -log P(noise >= c), the rate at which independent candidates fall below c.

    Exact for Gumbel noise. For Laplace noise below zero F = exp(c)/2 <= 1/2, and -log(1 - F) is at most
    F + F^2/2 + 0.5453 F^3 there (the remainder over F^3 grows to 0.5452 at F = 1/2), which spares a logarithm. A bound
    serves: candidates are then reached a little too often, and lose by the value that they draw.
    """
    if kind == GUMBEL:
        return math.exp(c)
    if c >= 0.0:
        return LN2 + c
    below = 0.5 * math.exp(c)
    return below * (1.0 + below * (0.5 + 0.5453 * below))


@njit(cache=True, inline="always")
def draw_below(kind, rate, rng):  # type: ignore[no-untyped-def]
    """One unit noise, given that its distribution function is at most 1 - exp(-rate)."""
    u = -math.expm1(-rate) * (1.0 - rng.random())
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


def padded(p: int) -> int:
    """Length of the arrays ``level`` and ``offset`` for p coordinates: whole rows of blocks."""
    return -(-p // BLOCK) * BLOCK


@njit(cache=True, fastmath={"nnan", "nsz", "contract", "reassoc"})
def advance(level, column, offset, keep, add, signed, least, second):  # type: ignore[no-untyped-def]
    """One coefficient update, then the least and the second least score of every block of coordinates.

    level <- keep * level + add * column over the p entries of ``column``; ``level`` and ``offset`` are padded. A
    coordinate's half score is level - offset; in a signed set it is the lesser of that and its negative. ``least[b]``
    and ``second[b]`` become the two least of block b, in half units.
    """
    for j in range(column.shape[0]):
        level[j] = keep * level[j] + add * column[j]
    blocks = least.shape[0]
    levels, offsets = level.reshape((BLOCK, blocks)), offset.reshape((BLOCK, blocks))
    # Passes of PASS rows: short enough for the compiler to unroll and to vectorise over b.
    for row in range(0, BLOCK, PASS):
        for b in range(blocks):
            low, next_low = 1e300, 1e300
            for k in range(PASS):
                score = levels[row + k, b] - offsets[row + k, b]
                if signed:
                    score = -abs(score)
                higher = score if score > low else low
                low = score if score < low else low
                next_low = higher if higher < next_low else next_low
            if row > 0:
                higher = low if low > least[b] else least[b]
                low = low if low < least[b] else least[b]
                next_low = next_low if next_low < second[b] else second[b]
                next_low = higher if higher < next_low else next_low
            least[b] = low
            second[b] = next_low


@njit(cache=True, inline="always")
def leader_of(level, offset, blocks, b, signed):  # type: ignore[no-untyped-def]
    """Coordinate of block b whose score is least, the first of several."""
    leader = b
    lowest = 1e301
    for k in range(BLOCK):
        j = b + k * blocks
        score = level[j] - offset[j]
        if signed:
            score = -abs(score)
        if score < lowest:
            lowest, leader = score, j
    return leader


@njit(cache=True, inline="always")
def leading_sign(level, offset, j, signed):  # type: ignore[no-untyped-def]
    """The sign with which coordinate j has the lesser score."""
    return -1.0 if signed and level[j] - offset[j] > 0.0 else 1.0


@njit(cache=True)
def lazy_minimum(level, offset, least, second, p, signed, scale, kind, rng):  # type: ignore[no-untyped-def]
    """Index and sign of the least noisy score among p coordinates, without drawing the noises that cannot win.

    The candidate of least score gets a full draw. Then the others are passed block by block. A candidate whose score is
    at least m wins only if its noise lies below c = (best so far - m) / scale, and the distance to the next such
    candidate is geometric, drawn as an exponential against the sum of hazards (memoryless, so it carries over from
    block to block). A candidate that is reached gets its noise from the law below that level and competes. Every
    candidate is thus compared with the same probability as if all noises had been drawn. For the leader of a block m is
    its own score, for the rest the block's second least: a lone good candidate does not spoil the bound of its
    neighbours. Padding is passed like a candidate, and dropped when it is reached.
    """
    blocks = least.shape[0]
    top = 0
    for b in range(1, blocks):
        if least[b] < least[top]:
            top = b
    winner = leader_of(level, offset, blocks, top, signed)
    winner_sign = leading_sign(level, offset, winner, signed)
    if kind == NONE or scale == 0.0:
        return winner, winner_sign

    unit = 2.0 / scale  # half scores to units of the noise
    sides = 2 if signed else 1
    count = sides * BLOCK
    best = unit * least[top] + draw(kind, rng)
    budget = rng.standard_exponential()
    for b in range(blocks):
        if best - unit * least[b] < NEGLIGIBLE:
            continue  # nobody in this block can win
        leader = -1  # found when it matters
        if b != top:
            rate = hazard(kind, best - unit * least[b])
            if rate <= budget:
                budget -= rate
            else:
                budget = rng.standard_exponential()
                value = unit * least[b] + draw_below(kind, rate, rng)
                if value < best:
                    leader = leader_of(level, offset, blocks, b, signed)
                    if leader < p:
                        best, winner, winner_sign = value, leader, leading_sign(level, offset, leader, signed)
        bound = unit * second[b]
        rate = hazard(kind, best - bound)
        i = 0
        while True:
            ahead = rate * (count - i)
            if ahead <= budget:
                budget -= ahead
                break
            i = min(i + int(budget / rate), count - 1)
            j = b + (i // sides) * blocks
            sign = 1.0
            if sides == 2 and i % 2 == 1:
                sign = -1.0
            i += 1
            budget = rng.standard_exponential()
            if leader < 0:
                leader = leader_of(level, offset, blocks, b, signed)
            if j >= p or (j == leader and sign == leading_sign(level, offset, leader, signed)):
                continue  # padding, or the leader, which has had its turn
            value = unit * sign * (level[j] - offset[j]) + draw_below(kind, rate, rng)
            if value < best:
                best, winner, winner_sign = value, j, sign
                rate = hazard(kind, best - bound)
    return winner, winner_sign


@njit(cache=True)
def vertex_frank_wolfe(  # type: ignore[no-untyped-def]
    gram, factor, ridge, cross, radius, signed, start, theta, steps, scale, kind, constant_step, rng
):
    """Frank-Wolfe over radius times the signed or unsigned unit vectors.

    G = gram + factor^T factor + diag(ridge); gram has shape (p, p) or (0, 0), factor (rows, p) with rows >= 0.
    ``start`` = G theta and ``theta`` come in at the start and ``theta`` is overwritten with the answer. Scores are
    2 radius (G theta - cross) times the sign.
    """
    p = theta.shape[0]
    dense, rows = gram.shape[0] > 0, factor.shape[0]
    size = -(-p // BLOCK) * BLOCK
    level, offset = np.zeros(size), np.zeros(size)
    if not signed:
        offset[p:] = -1e300  # the padding scores worst; on a signed set a half score of 0 does
    level[:p], offset[:p] = start, cross
    least, second = np.empty(size // BLOCK), np.empty(size // BLOCK)
    column = np.zeros(p)
    advance(level, column, offset, 1.0, 0.0, signed, least, second)
    weight = 1.0  # theta is stored divided by the product of the factors (1 - mu) so far
    for t in range(1, steps):
        j, sign = lazy_minimum(level, offset, least, second, p, signed, scale / radius, kind, rng)
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
            advance(level, column, offset, 1.0 - mu, add, signed, least, second)
        elif dense:
            advance(level, gram[j], offset, 1.0 - mu, add, signed, least, second)
        else:
            advance(level, column, offset, 1.0 - mu, 0.0, signed, least, second)
    for j in range(p):
        theta[j] *= weight


@njit(cache=True, inline="always")
def least_group(half, sizes, scale, kind, share, rng):  # type: ignore[no-untyped-def]
    """Group that holds the least noisy score. ``half`` are half scores, ``share`` is scratch, both of shape (G,).

    Among K equal candidates the least Laplace noise is drawn by `least_of`. With Gumbel noise the winner's law is
    known, probability proportional to K exp(-score/scale), and one uniform draw suffices.
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
def grouped_frank_wolfe(  # type: ignore[no-untyped-def]
    gram, cross, sizes, steps, scale, kind, constant_step, weights, rng
):
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
