"""Compiled inner loops of Frank-Wolfe over vertices.

Randomness enters only as a `numpy.random.Generator`, drawn from inside the compiled code, so a result depends on the
cell's stream alone. Noise kinds are integers here: 0 none, 1 Laplace, 2 Gumbel (for minima).

The least noisy score at the cost of a few random numbers. Let s_i be the score of vertex i over the noise scale, and
v_i = exp(-s_i). While a threshold c rises from minus infinity, the least of the independent s_i + noise is the first
event of a point process whose rate at c is the sum of the hazards f/(1 - F) at c - s_i, and an event belongs to i with
probability proportional to i's hazard. With x = exp(c - s_i) the hazard of Gumbel noise is x. That of Laplace noise
is x / (2 - x) for x <= 1 and 1 after that, which is x / max(x, 2 - x), again at most x. So both are thinned from one
process, of rate exp(c) sum_i v_i:

- in y = exp(c) it has a constant rate, so its points are sums of exponentials over sum_i v_i;
- the vertex of a point is drawn with probability v_i / sum v, whatever y is;
- the point is accepted always (Gumbel) or with probability 1 / max(x, 2 - x), x = y v_i (Laplace). The first accepted
  one is the winner. Gumbel noise needs no y at all: this is its softmax law.

Thinning also makes old weights do. A table holds e_i for all i, and v_i <= grow * e_i as long as no score has fallen
by more than ln(grow) since i was entered. A point drawn from the table is accepted with v_i / (grow e_i) besides, v_i
being computed from the present score. A step to vertex j with step size mu changes the half scores of all coordinates
but j by at most mu (radius max_{i != j} |G_ij| + max_i |(G theta)_i|). This makes grow larger, and j is entered afresh;
the whole table is only when the points that grow - 1 has wasted have cost as much as that does, an entry would exceed
one, or the mass is gone. The law is exact whatever grow is, so long as it is a bound: it decides only how often points
are rejected.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

NONE, LAPLACE, GUMBEL = 0, 1, 2
KINDS = {"none": NONE, "laplace": LAPLACE, "gumbel": GUMBEL}
LEAST_MASS = 0.01  # differences of table entries are rounded at 1e-16, far below this
ROWS = 16  # coordinates in a block; a loop over a constant number of them is unrolled
LN2 = math.log(2.0)
FAST = {"nnan", "nsz", "contract", "reassoc"}  # rounding may differ; infinities keep their meaning


@njit(cache=True, inline="always")
def least_of(kind, count, rng):  # type: ignore[no-untyped-def]
    """The least of ``count`` independent unit noises, by inverting its survival function."""
    e = rng.standard_exponential() / count  # -log of the survival function at the answer
    if kind == GUMBEL:
        return math.log(e)
    if e < LN2:
        return math.log(-2.0 * math.expm1(-e))
    return e - LN2


@njit(cache=True, fastmath=FAST)
def update(level, column, keep, add):  # type: ignore[no-untyped-def]
    """level <- keep * level + add * column: all that a step has to do with every coordinate."""
    for j in range(level.shape[0]):
        level[j] = keep * level[j] + add * column[j]


@njit(cache=True)
def half_scores(level, cross, out):  # type: ignore[no-untyped-def]
    """The first entries of ``out`` become level - cross."""
    for j in range(level.shape[0]):
        out[j] = level[j] - cross[j]


@njit(cache=True, fastmath=FAST)
def largest(values, signed, scratch):  # type: ignore[no-untyped-def]
    """The largest of |values| or, unsigned, of -values; ``scratch`` has a place for every `ROWS` of them.

    Row by row, because compilers do not vectorise a maximum along one array.
    """
    width = values.shape[0] // ROWS
    rows = values[: ROWS * width].reshape((ROWS, width))
    for b in range(width):
        most = -1e300
        for k in range(ROWS):
            value = abs(rows[k, b]) if signed else -rows[k, b]
            most = value if value > most else most
        scratch[b] = most
    most = -1e300
    for b in range(width):
        most = max(most, scratch[b])
    for j in range(ROWS * width, values.shape[0]):
        most = max(most, abs(values[j]) if signed else -values[j])
    return most


@njit(cache=True)
def least_vertex(half, signed, scratch):  # type: ignore[no-untyped-def]
    """Index and sign of the first vertex with the least half score."""
    top = largest(half, signed, scratch)
    for j in range(half.shape[0]):
        if half[j] == -top:
            return j, 1.0
        if signed and half[j] == top:
            return j, -1.0
    return 0, 1.0


@njit(cache=True, fastmath=FAST, error_model="numpy", inline="always")
def power(depth):  # type: ignore[no-untyped-def]
    """A bound of exp(-16 depth), 3% above it at a depth of ln(2000) / 16, in arithmetic that is vectorised.

    The third Taylor polynomial is below exp everywhere, and positive from -1.5 on.
    """
    x = 1.0 + depth * (1.0 + depth * (0.5 + depth * (1.0 / 6.0)))
    x *= x
    x *= x
    x *= x
    x *= x
    return 1.0 / x


@njit(cache=True, fastmath=FAST, error_model="numpy")
def enter(p, signed, unit, top, plus, both, blocks):  # type: ignore[no-untyped-def]
    """Fill the table with bounds of exp(-unit * (half score + top)), and return their sum.

    ``plus`` comes in with the half scores of the p coordinates. It is to hold the entries of +e_j, ``both`` those of
    +e_j and -e_j together, ``blocks[b]`` the sum over the coordinates b, b + B, ..., b + (ROWS - 1) B of block b.
    """
    step = unit / 16.0
    for j in range(p, plus.shape[0]):
        plus[j] = 1e20 / step  # padding: enters as zero
    if signed:
        for j in range(plus.shape[0]):
            up = power(step * (top + plus[j]))
            both[j] = up + power(step * (top - plus[j]))
            plus[j] = up
    else:
        for j in range(plus.shape[0]):
            both[j] = power(step * (top + plus[j]))
            plus[j] = both[j]
    rows = both.reshape((ROWS, blocks.shape[0]))
    for b in range(blocks.shape[0]):
        weight = 0.0
        for k in range(ROWS):
            weight += rows[k, b]
        blocks[b] = weight
    total = 0.0
    for b in range(blocks.shape[0]):
        total += blocks[b]
    return total


@njit(cache=True)
def take_leader(plus, both, blocks):  # type: ignore[no-untyped-def]
    """Take one of the heaviest vertices out of the table; its index, sign and the remaining sum."""
    width = blocks.shape[0]
    block = 0
    for b in range(width):
        if blocks[b] > blocks[block]:
            block = b
    leader = block
    for j in range(block, both.shape[0], width):
        if both[j] > both[leader]:
            leader = j
    sign = 1.0 if 2.0 * plus[leader] >= both[leader] else -1.0
    if sign > 0.0:
        both[leader] -= plus[leader]
        plus[leader] = 0.0
    else:
        both[leader] = plus[leader]
    blocks[block] = 0.0
    for j in range(block, both.shape[0], width):
        blocks[block] += both[j]
    total = 0.0
    for b in range(width):
        total += blocks[b]
    return leader, sign, total


@njit(cache=True, inline="always")
def pick(plus, both, blocks, left):  # type: ignore[no-untyped-def]
    """Coordinate and sign at the place ``left`` of the table's sum, and how far inside that entry the place is.

    The coordinate is -1 where rounding left no entry.
    """
    width = blocks.shape[0]
    b = 0
    while b < width and left >= blocks[b]:
        left -= blocks[b]
        b += 1
    j = b
    size = both.shape[0] if b < width else 0
    while j < size and left >= both[j]:
        left -= both[j]
        j += width
    if j >= size:
        return -1, 1.0, 0.0
    if left < plus[j]:
        return j, 1.0, left
    return j, -1.0, left - plus[j]


@njit(cache=True, inline="always")
def noisy_least(  # type: ignore[no-untyped-def]
    level, cross, unit, top, plus, both, blocks, total, grow, kind, leader, leader_sign, rng
):
    """Index and sign of the vertex with the least noisy score; see the top of this file.

    Two refinements for Laplace noise. One heavy vertex, the leader, is not in the table: its noise is drawn at once, as
    exp(noise), and the others race against it; alone it would reject almost all of its points. And as no weight exceeds
    exp(slack), x is at most 1/2 up to y = exp(-slack) / 2, where 2/3 of the points suffice.
    """
    y, limit, rate, share, border = 0.0, 0.0, 0.0, 1.0, 0.0
    if kind == LAPLACE:
        u = rng.random()
        limit = 2.0 * u if u < 0.5 else 0.5 / (1.0 - u)  # exp(noise)
        limit /= math.exp(-unit * (leader_sign * (level[leader] - cross[leader]) + top)) + 1e-300
        rate, share, border = max(total, 1e-300) * grow, 2.0 / 3.0, 0.5 / grow
    while True:
        if kind == LAPLACE:
            y += rng.standard_exponential() / (rate * share)
            crossed = share < 1.0 and y > border
            if crossed:  # start again from there: the process has no memory
                y, share = border, 1.0
            if y >= limit:
                return leader, leader_sign
            if crossed:
                continue
        j, sign, inside = pick(plus, both, blocks, rng.random() * total)
        if j >= 0:
            weight = math.exp(-unit * (sign * (level[j] - cross[j]) + top))
            hurdle = inside * grow
            if kind == LAPLACE:
                x = y * weight
                hurdle *= share * max(x, 2.0 - x)
            if hurdle < weight:
                return j, sign


@njit(cache=True)
def vertex_frank_wolfe(  # type: ignore[no-untyped-def]
    gram, factor, ridge, cross, radius, signed, level, theta, steps, scale, kind, constant_step, rng
):
    """Frank-Wolfe over radius times the signed or unsigned unit vectors.

    G = gram + factor^T factor + diag(ridge); gram has shape (p, p) or (0, 0), factor (rows, p) with rows >= 0.
    ``level`` = G theta and ``theta`` come in at the start and are overwritten, theta with the answer. Scores are
    2 radius (G theta - cross) times the sign.
    """
    p = theta.shape[0]
    dense, rows = gram.shape[0] > 0, factor.shape[0]
    noisy = kind != NONE and scale > 0.0
    unit = 2.0 * radius / scale if noisy else 0.0
    width = -(-p // ROWS)
    plus, both, blocks, scratch = np.zeros(ROWS * width), np.zeros(ROWS * width), np.zeros(width), np.zeros(width)
    work = np.zeros(p)
    beside = np.full(p, -1.0)  # the largest entry of a Gram column off the diagonal, where known
    factor_most = np.zeros(rows)
    for r in range(rows):
        factor_most[r] = largest(factor[r], True, scratch)
    valid = False  # whether the table may be used
    top, total, grow, mass, waste = 0.0, 0.0, 1.0, 0.0, 0.0
    renewal = 1.0 + p / 100.0  # what entering all vertices costs, in points drawn
    most = max(0.0, largest(level, True, scratch))  # a bound of |level|
    leader, leader_sign = -1, 1.0
    weight = 1.0  # theta is stored divided by the product of the factors (1 - mu) so far
    for t in range(1, steps):
        if not valid:
            half_scores(level, cross, plus)
        if not noisy:
            j, sign = least_vertex(plus[:p], signed, scratch)
        else:
            if not valid:
                top = largest(plus[:p], signed, scratch)
                total = enter(p, signed, unit, top, plus, both, blocks)
                if not math.isfinite(total):  # data that are not numbers: nothing would ever be accepted
                    weight = np.nan
                    break
                mass = 0.0  # of the leader
                if kind == LAPLACE:
                    leader, leader_sign, total = take_leader(plus, both, blocks)
                    mass = 1.0
                grow, waste = 1.0 + 1e-9, 0.0  # a bound in spite of rounding
            j, sign = noisy_least(
                level, cross, unit, top, plus, both, blocks, total, grow, kind, leader, leader_sign, rng
            )
        mu = 1.0 / (steps + 2) if constant_step else 2.0 / (t + 2)
        weight *= 1.0 - mu
        add = mu * sign * radius
        theta[j] += add / weight
        keep = 1.0 - mu
        if dense:
            update(level, gram[j], keep, add)
            keep = 1.0
        for r in range(rows):
            update(level, factor[r], keep, add * factor[r, j])
            keep = 1.0
        if keep < 1.0:
            update(level, level, keep, 0.0)
        level[j] += add * ridge[j]
        if not noisy:
            continue
        if beside[j] < 0.0:
            beside[j] = 0.0
            if dense:
                update(work, gram[j], 0.0, 1.0)
                work[j] = 0.0
                beside[j] = largest(work, True, scratch)
            for r in range(rows):
                beside[j] += abs(factor[r, j]) * factor_most[r]
        slack = unit * mu * (most + radius * beside[j])
        grow *= 1.0 + slack * (1.0 + slack)  # at least exp(slack) up to 1
        most = max((1.0 - mu) * most + mu * radius * beside[j], abs(level[j]))
        depth = unit * (level[j] - cross[j])
        waste += grow - 1.0
        valid = slack < 1.0 and waste < renewal and (abs(depth) if signed else -depth) <= unit * top
        if valid:
            up = math.exp(-depth - unit * top) / grow
            down = math.exp(depth - unit * top) / grow if signed else 0.0
            if j == leader:
                mass = up if leader_sign > 0.0 else down
                if leader_sign > 0.0:
                    up = 0.0
                else:
                    down = 0.0
            change = up + down - both[j]
            plus[j] = up
            both[j] += change
            blocks[j % width] += change
            total += change
            valid = total + mass >= LEAST_MASS
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
