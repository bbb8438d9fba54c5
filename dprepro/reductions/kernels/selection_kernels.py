"""The least noisy score among many, at the cost of a few random numbers.

Let s_i be the score of vertex i over the noise scale, and v_i = exp(-s_i). While a threshold c rises from minus
infinity, the least of the independent s_i + noise is the first event of a point process whose rate at c is the sum of
the hazards f/(1 - F) at c - s_i, and an event belongs to i with probability proportional to i's hazard. With x = exp(c
- s_i) the hazard of Gumbel noise is x. That of Laplace noise is x / (2 - x) for x <= 1 and 1 after that, which is x /
max(x, 2 - x), again at most x. So both are thinned from one process, of rate exp(c) sum_i v_i:

- in y = exp(c) it has a constant rate, so its points are sums of exponentials over sum_i v_i;
- the vertex of a point is drawn with probability v_i / sum v, whatever y is;
- the point is accepted always (Gumbel) or with probability 1 / max(x, 2 - x), x = y v_i (Laplace). The first accepted
  one is the winner. Gumbel noise needs no y at all: this is its softmax law.

Thinning also makes old weights do. A table holds e_i for all i, and v_i <= grow * e_i for a bound `grow` of how far
scores may have fallen since. A point drawn from the table is accepted with v_i / (grow e_i) besides, v_i being computed
from the present score, so that exact scores are needed only of the vertices that are proposed. The law is exact
whatever grow is, so long as it is a bound: it decides only how often points are rejected.
"""

from __future__ import annotations

import math

import numpy as np

from dprepro.reductions.kernels.compiled import FAST, jit

ROWS = 16  # coordinates in a block; a loop over a constant number of them is unrolled
LN2 = math.log(2.0)


@jit(inline="always")
def least_of(laplace, count, rng):  # type: ignore[no-untyped-def]
    """The least of ``count`` independent unit noises, by inverting its survival function."""
    e = rng.standard_exponential() / count  # -log of the survival function at the answer
    if not laplace:
        return math.log(e)
    if e < LN2:
        return math.log(-2.0 * math.expm1(-e))
    return e - LN2


@jit(inline="always")
def asked(t):  # type: ignore[no-untyped-def]
    """Whether the choice at step t is held against its law: the first ones, and one of 32 after them."""
    return t <= 256 or t % 32 == 0


@jit(fastmath=FAST)
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


@jit()
def add_noise_statistic(half, signed, radius, scale, laplace, y, chosen, noise_statistic):  # type: ignore[no-untyped-def]
    """Add to ``noise_statistic`` what a choice among vertices says of its noise, the mean of that, and its variance.

    ``half`` are the half scores, ``chosen`` is that of the vertex that was selected. For Gumbel noise it is the regret,
    in units of the scale, with the moments of the exponential mechanism at this scale. For Laplace noise it is the
    cumulative hazard of the least noisy score, a unit exponential: ``y`` is exp(that score/scale) in units of the least
    score's.
    """
    top = largest(half, signed, np.empty(half.shape[0] // ROWS + 1))
    unit = 2.0 * radius / scale
    mass, mean, square, hazard = 0.0, 0.0, 0.0, 0.0
    for j in range(half.shape[0]):
        for k in range(2 if signed else 1):
            loss = unit * (top + (half[j] if k == 0 else -half[j]))
            weight = math.exp(-loss)
            mass += weight
            mean += weight * loss
            square += weight * loss * loss
            if laplace:
                x = y * weight
                hazard += -math.log1p(-0.5 * x) if x <= 1.0 else math.log(2.0 * x)
    if laplace:
        noise_statistic[0] += hazard
        noise_statistic[1] += 1.0
        noise_statistic[2] += 1.0
    else:
        mean /= mass
        noise_statistic[0] += unit * (chosen + top)
        noise_statistic[1] += mean
        noise_statistic[2] += square / mass - mean * mean


@jit()
def least_vertex(half, signed, scratch):  # type: ignore[no-untyped-def]
    """Index and sign of the first vertex with the least half score."""
    top = largest(half, signed, scratch)
    for j in range(half.shape[0]):
        if half[j] == -top:
            return j, 1.0
        if signed and half[j] == top:
            return j, -1.0
    return 0, 1.0


@jit(fastmath=FAST, error_model="numpy", inline="always")
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


@jit(fastmath=FAST, error_model="numpy")
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


@jit()
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


@jit(inline="always")
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


@jit(inline="always")
def give_up_at(laplace, leader_weight, rng):  # type: ignore[no-untyped-def]
    """The place y at which the leader wins, its noise being drawn; infinite for Gumbel noise, which has no leader."""
    if not laplace:
        return math.inf
    u = rng.random()
    limit = 2.0 * u if u < 0.5 else 0.5 / (1.0 - u)  # exp(noise)
    return limit / (leader_weight + 1e-300)


@jit(inline="always")
def propose(plus, both, blocks, total, grow, laplace, y, share, limit, rng):  # type: ignore[no-untyped-def]
    """The next point of the process: y, the share of points that suffices there, the vertex, the place in its entry.

    The vertex is a coordinate and a sign; the coordinate is -1 where the leader's noise came first.

    Two refinements for Laplace noise. One heavy vertex, the leader, is not in the table: its noise is drawn at once, as
    exp(noise), and the others race against it; alone it would reject almost all of its points. And as no weight exceeds
    grow, x is at most 1/2 up to y = 1 / (2 grow), where 2/3 of the points suffice.
    """
    rate, border = max(total, 1e-300) * grow, 0.5 / grow
    while True:
        if laplace:
            y += rng.standard_exponential() / (rate * share)
            crossed = share < 1.0 and y > border
            if crossed:  # start again from there: the process has no memory
                y, share = border, 1.0
            if y >= limit:
                return y, share, -1, 1.0, 0.0
            if crossed:
                continue
        j, sign, inside = pick(plus, both, blocks, rng.random() * total)
        if j >= 0:
            return y, share, j, sign, inside


@jit(inline="always")
def accepted(weight, inside, grow, laplace, y, share):  # type: ignore[no-untyped-def]
    """Whether a proposed point stands, given the vertex's present weight."""
    hurdle = inside * grow
    if laplace:
        x = y * weight
        hurdle *= share * max(x, 2.0 - x)
    return hurdle < weight
