"""Loops of Frank-Wolfe over vertices, on Gram columns and on records.

Scores are twice the half scores (G theta - cross). A scale of 0 stands for no noise; else the noise is Laplace's or
Gumbel's, see `selection`. In a simplex every vertex has the sign +1, in an l1 ball both signs are vertices
(``signed``).
"""

from __future__ import annotations

import math

import numpy as np

from dprepro.reductions.kernels.compiled import FAST, entry, inner, jit
from dprepro.reductions.kernels.selection_kernels import (
    ROWS,
    accepted,
    add_noise_statistic,
    asked,
    enter,
    give_up_at,
    largest,
    least_vertex,
    propose,
    take_leader,
)

LEAST_MASS = 0.01  # differences of table entries are rounded at 1e-16, far below this


@jit(fastmath=FAST)
def update(level, column, keep, add):  # type: ignore[no-untyped-def]
    """level <- keep * level + add * column: all that a step has to do with every coordinate."""
    for j in range(level.shape[0]):
        level[j] = keep * level[j] + add * column[j]


@jit()
def half_scores(level, cross, out):  # type: ignore[no-untyped-def]
    """The first entries of ``out`` become level - cross."""
    for j in range(level.shape[0]):
        out[j] = level[j] - cross[j]


@jit(fastmath=FAST)
def sums(features, slopes, loads, cross, squares):  # type: ignore[no-untyped-def]
    """features^T slopes and the diagonal of features^T diag(loads) features, in one reading; four rows at a time."""
    rows, p = features.shape
    whole = rows - rows % 4
    for k in range(0, whole, 4):
        for j in range(p):
            a, b, c, d = features[k, j], features[k + 1, j], features[k + 2, j], features[k + 3, j]
            cross[j] += slopes[k] * a + slopes[k + 1] * b + slopes[k + 2] * c + slopes[k + 3] * d
            squares[j] += loads[k] * a * a + loads[k + 1] * b * b + loads[k + 2] * c * c + loads[k + 3] * d * d
    for k in range(whole, rows):
        for j in range(p):
            cross[j] += slopes[k] * features[k, j]
            squares[j] += loads[k] * features[k, j] * features[k, j]


@jit(fastmath=FAST)
def pull_back(features, slopes, out):  # type: ignore[no-untyped-def]
    """The first entries of ``out`` become features^T slopes; four rows at a time: it is read each time."""
    rows, p = features.shape
    out[:p] = 0.0
    whole = rows - rows % 4
    for k in range(0, whole, 4):
        a, b, c, d = slopes[k], slopes[k + 1], slopes[k + 2], slopes[k + 3]
        for j in range(p):
            out[j] += a * features[k, j] + b * features[k + 1, j] + c * features[k + 2, j] + d * features[k + 3, j]
    for k in range(whole, rows):
        for j in range(p):
            out[j] += slopes[k] * features[k, j]


@jit()
def fetch(j, features, columns, held):  # type: ignore[no-untyped-def]
    """Feature j of all records, contiguous: copied when it is first needed."""
    if not held[j]:
        for k in range(features.shape[0]):
            columns[j, k] = features[k, j]
        held[j] = True
    return columns[j]


@entry()
def on_columns(  # type: ignore[no-untyped-def]
    gram, known, features, loads, columns, held, limit, factor, ridge, cross, radius, signed, level, theta, start,
    steps, scale, laplace, constant, noise_statistic, rng,
):  # fmt: skip
    """From step number ``start`` on; returns the number of the next step, ``steps`` at the end.

    G = gram + factor^T factor + diag(ridge); gram has shape (p, p) or (0, 0), factor (rows, p). A row of gram that is
    not ``known`` is computed when its vertex is first chosen, as features^T (loads * features_j); the loop stops when
    ``limit`` different ones have been chosen. ``level`` = G theta and ``theta`` come in at the step and are
    overwritten.

    The table of `selection` is renewed as rarely as possible. A step to vertex j with step size mu changes the half
    scores of all coordinates but j by at most mu (radius max_{i != j} |G_ij| + max_i |(G theta)_i|), by which grow
    rises; j is entered afresh. The whole table is only when the points that grow - 1 has wasted have cost as much as
    that does, an entry would exceed one, or the mass is gone. ``noise_statistic`` counts some choices from a new table.
    """
    p = theta.shape[0]
    dense, rows = gram.shape[0] > 0, factor.shape[0]
    noisy = scale > 0.0
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
    leader, leader_sign, leader_weight = -1, 1.0, 0.0
    weight = 1.0  # theta is stored divided by the product of the factors (1 - mu) so far
    chosen, after, renewed = 0, steps, 0  # different vertices, the step at which this ends, and tables
    for t in range(start, steps):
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
                if laplace:
                    leader, leader_sign, total = take_leader(plus, both, blocks)
                    mass = 1.0
                grow, waste = 1.0 + 1e-9, 0.0  # a bound in spite of rounding
            if laplace:
                leader_weight = math.exp(-unit * (leader_sign * (level[leader] - cross[leader]) + top))
            limit_y = give_up_at(laplace, leader_weight, rng)
            y, share = 0.0, 2.0 / 3.0
            while True:
                y, share, j, sign, inside = propose(plus, both, blocks, total, grow, laplace, y, share, limit_y, rng)
                if j < 0:
                    j, sign = leader, leader_sign
                    break
                if accepted(math.exp(-unit * (sign * (level[j] - cross[j]) + top)), inside, grow, laplace, y, share):
                    break
            if not valid:
                renewed += 1
                if asked(renewed):
                    half_scores(level, cross, work)
                    add_noise_statistic(
                        work, signed, radius, scale, laplace, min(y, limit_y), sign * work[j], noise_statistic
                    )
        mu = 1.0 / (steps + 2) if constant else 2.0 / (t + 2)
        weight *= 1.0 - mu
        add = mu * sign * radius
        theta[j] += add / weight
        first = beside[j] < 0.0
        if first:
            beside[j] = 0.0
            chosen += 1
            if dense and not known[j]:
                pull_back(features, loads * fetch(j, features, columns, held), gram[j])
                known[j] = True
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
        if chosen >= limit:
            after = t + 1
            break
        if not noisy:
            continue
        if first:
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
    return after


@jit(fastmath=FAST)
def advance(fitted, origin, column, keep, add, loads, offsets, residual):  # type: ignore[no-untyped-def]
    """fitted <- keep * fitted + add * column, and the residual of it; its squared distance from ``origin``."""
    square = 0.0
    for k in range(fitted.shape[0]):
        fitted[k] = keep * fitted[k] + add * column[k]
        residual[k] = loads[k] * fitted[k] - offsets[k]
        apart = fitted[k] - origin[k]
        square += loads[k] * (apart * apart)
    return square


@entry()
def on_records(  # type: ignore[no-untyped-def]
    features, columns, held, loads, offsets, reach, half, fitted, limit, step_cost, proposal_cost, radius, signed,
    theta, steps, scale, laplace, constant, noise_statistic, rng,
):  # fmt: skip
    """From the first step on, with no Gram column at all; returns the number of the next step, ``steps`` at the end.

    The half score of j is <features_j, residual> with residual = loads * fitted - offsets, fitted = features theta. It
    is computed for the vertices that are proposed only, from columns of the features that are copied when they are
    first needed. Between two points theta it moves by at most ``reach`` times the distance of the fitted values,
    weighted by the loads (Cauchy and Schwarz; reach is the root of the largest G_jj), and grow follows from the
    distance to the point at which the table was entered. The table is renewed when more points have been rejected
    than that costs. ``half`` are the half scores at the start. The loop stops when it has cost as much as reading
    ``limit`` entries of the features; a step costs ``step_cost`` of them for each record, and each vertex that it
    proposes ``proposal_cost``.
    For ``noise_statistic`` see `on_columns`.
    """
    records, p = features.shape
    noisy = scale > 0.0
    unit = 2.0 * radius / scale if noisy else 0.0
    width = -(-p // ROWS)
    plus, both, blocks, scratch = np.zeros(ROWS * width), np.zeros(ROWS * width), np.zeros(width), np.zeros(width)
    residual, origin, exact, renewed = loads * fitted - offsets, fitted.copy(), np.zeros(p), 0
    plus[:p] = half
    fresh, valid = True, False  # whether plus holds half scores of the point, and whether the table may be used
    top, total, grow, read, waste = 0.0, 0.0, 1.0, 0.0, 0.0
    leader, leader_sign, leader_weight = -1, 1.0, 0.0
    weight = 1.0  # theta is stored divided by the product of the factors (1 - mu) so far
    after = steps
    for t in range(1, steps):
        if not valid:
            if not fresh:
                pull_back(features, residual, plus)
                origin[:] = fitted
                read += records * p
            fresh, waste = False, 0.0
        if not noisy:
            j, sign = least_vertex(plus[:p], signed, scratch)
        else:
            if not valid:
                exact[:] = plus[:p]
                top = largest(exact, signed, scratch)
                total = enter(p, signed, unit, top, plus, both, blocks)
                if not math.isfinite(total):  # data that are not numbers: nothing would ever be accepted
                    weight = np.nan
                    break
                if laplace:
                    leader, leader_sign, total = take_leader(plus, both, blocks)
                grow = 1.0 + 1e-9  # a bound in spite of rounding
            if laplace:
                score = inner(fetch(leader, features, columns, held), residual)
                leader_weight = math.exp(-unit * (leader_sign * score + top))
            limit_y = give_up_at(laplace, leader_weight, rng)
            y, share = 0.0, 2.0 / 3.0
            while True:
                y, share, j, sign, inside = propose(plus, both, blocks, total, grow, laplace, y, share, limit_y, rng)
                waste += 1.0
                if j < 0:
                    j, sign = leader, leader_sign
                    break
                score = inner(fetch(j, features, columns, held), residual)
                read += proposal_cost * records
                if accepted(math.exp(-unit * (sign * score + top)), inside, grow, laplace, y, share):
                    break
            waste -= 1.0
            if not valid:
                renewed += 1
                if asked(renewed):
                    add_noise_statistic(
                        exact, signed, radius, scale, laplace, min(y, limit_y), sign * exact[j], noise_statistic
                    )
        mu = 1.0 / (steps + 2) if constant else 2.0 / (t + 2)
        weight *= 1.0 - mu
        add = mu * sign * radius
        theta[j] += add / weight
        column = fetch(j, features, columns, held)
        square = advance(fitted, origin, column, 1.0 - mu, add, loads, offsets, residual)
        read += step_cost * records
        grow = math.exp(min(unit * reach * math.sqrt(square), 300.0)) * (1.0 + 1e-9)
        # points are rejected grow^2 times at most; the wait for them may not be longer than a renewal
        valid = noisy and waste < p / 4.0 and grow * grow < p / 4.0
        if read >= limit:
            after = t + 1
            break
    for j in range(p):
        theta[j] *= weight
    return after
