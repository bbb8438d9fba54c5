"""Loops of noisy projected gradient descent, w_{t+1} = P(w_t - eta_t (g_t + noise xi_t)) with eta_t = first / t^decay.

The answer is w_T or, where asked for, the average of w_1, ..., w_T. Losses and projections come as compiled functions.
Every loop returns the sum of the squares of the noise that it has added to gradients.
"""

from __future__ import annotations

import math

import numpy as np
from numba import boolean, float64, int64, types

from dprepro.reductions.kernels.compiled import FAST, GIVEN, PROJECTION, RANDOM, SLOPE, TABLE, VECTOR, entry, jit

TRIPLE = types.Tuple((float64, float64, float64))  # type: ignore[no-untyped-call]
PLAN = (int64, float64, float64, float64, boolean)  # steps, first, decay, noise, average


@jit(inline="always")
def step_size(first, decay, t):  # type: ignore[no-untyped-def]
    """first / t^decay, for step number t."""
    if decay == 0.0:
        return first
    return first / math.sqrt(t) if decay == 0.5 else first / t**decay


# Rows come as a table and a number: a slice of an array is counted, which costs more than a short row's arithmetic.


@jit(fastmath=FAST)
def inner(table, k, a):  # type: ignore[no-untyped-def]
    """<row k, a>."""
    total = 0.0
    for j in range(a.shape[0]):
        total += table[k, j] * a[j]
    return total


@jit(fastmath=FAST)
def distance(table, k, a):  # type: ignore[no-untyped-def]
    """||row k - a||_2."""
    total = 0.0
    for j in range(a.shape[0]):
        apart = a[j] - table[k, j]
        total += apart * apart
    return math.sqrt(total)


@jit(fastmath=FAST)
def add(total, factor, a):  # type: ignore[no-untyped-def]
    """total += factor * a."""
    for j in range(total.shape[0]):
        total[j] += factor * a[j]


@jit(fastmath=FAST)
def add_row(total, factor, table, k):  # type: ignore[no-untyped-def]
    """total += factor * row k."""
    for j in range(total.shape[0]):
        total[j] += factor * table[k, j]


@jit(inline="always")
def move(theta, gradient, eta, noise, project, radius, rng):  # type: ignore[no-untyped-def]
    """One step, in place; returns the square of its noise."""
    square = 0.0
    if noise > 0.0:
        for j in range(theta.shape[0]):
            push = noise * rng.standard_normal()
            theta[j] -= eta * (gradient[j] + push)
            square += push * push
    else:
        for j in range(theta.shape[0]):
            theta[j] -= eta * gradient[j]
    project(theta, radius)
    return square


@jit(inline="always")
def add_gradient(gradient, weight, slope, apart, records, labels, k, theta):  # type: ignore[no-untyped-def]
    """gradient += weight * a subgradient of record k's loss, of <x, theta> or, where ``apart``, of ||theta - x||."""
    if apart:
        s = distance(records, k, theta)
        pull = weight * slope(s, labels[k]) / s if s > 0.0 else 0.0
        if pull != 0.0:
            add(gradient, pull, theta)
            add_row(gradient, -pull, records, k)
    else:
        pull = weight * slope(inner(records, k, theta), labels[k])
        if pull != 0.0:
            add_row(gradient, pull, records, k)


@entry(SLOPE, boolean, TABLE, GIVEN, GIVEN, GIVEN, PROJECTION, float64, VECTOR, *PLAN, RANDOM, returns=float64)
def on_records(  # type: ignore[no-untyped-def]
    slope, apart, records, labels, weights, last, project, radius, theta, steps, first, decay, noise, average, rng
):
    """Descent on distinct records, theta being the start and the answer.

    With cumulative counts ``last``, shape (K,), every step draws one record; with none it takes the mean gradient.
    """
    sampled, square = last.shape[0] > 0, 0.0
    gradient = np.empty(theta.shape[0])
    total = theta.copy()
    for t in range(1, steps):
        gradient[:] = 0.0
        if sampled:
            drawn = np.searchsorted(last, float(int(rng.random() * last[-1])), side="right")
            add_gradient(gradient, 1.0, slope, apart, records, labels, drawn, theta)
        else:
            for k in range(labels.shape[0]):
                add_gradient(gradient, weights[k], slope, apart, records, labels, k, theta)
        square += move(theta, gradient, step_size(first, decay, t), noise, project, radius, rng)
        if average:
            add(total, 1.0, theta)
    if average:
        theta[:] = total / steps
    return square


@entry(TABLE, TABLE, GIVEN, GIVEN, PROJECTION, float64, VECTOR, *PLAN, RANDOM, returns=float64)
def on_moments(  # type: ignore[no-untyped-def]
    gram, factor, ridge, cross, project, radius, theta, steps, first, decay, noise, average, rng
):
    """Descent on theta^T G theta - 2 cross.theta, G = gram + factor^T factor + diag(ridge); gram may have no rows."""
    gradient, square = np.empty(theta.shape[0]), 0.0
    total = theta.copy()
    for t in range(1, steps):
        for j in range(theta.shape[0]):
            gradient[j] = 2.0 * (ridge[j] * theta[j] - cross[j])
        for j in range(gram.shape[0]):
            gradient[j] += 2.0 * inner(gram, j, theta)
        for r in range(factor.shape[0]):
            add_row(gradient, 2.0 * inner(factor, r, theta), factor, r)
        square += move(theta, gradient, step_size(first, decay, t), noise, project, radius, rng)
        if average:
            add(total, 1.0, theta)
    if average:
        theta[:] = total / steps
    return square


@entry(SLOPE, boolean, GIVEN, GIVEN, GIVEN, int64, float64, *PLAN[:-1], RANDOM, returns=TRIPLE)
def about_axis(  # type: ignore[no-untyped-def]
    slope, apart, places, labels, weights, p, radius, steps, first, decay, noise, rng
):
    """Descent with the mean gradient in (<theta, u>, ||theta - <theta, u> u||), for data on the axis u, in an l2 ball.

    Where ``apart``, the loss is one of the distance, and there is one place. Returns the last pair too.
    """
    free, along, aside, square = 0.5 * (p - 2), 0.0, 0.0, 0.0
    for t in range(1, steps):
        slope_along, factor = 0.0, 0.0
        if apart:
            s = math.hypot(along - places[0], aside)
            factor = slope(s, labels[0]) / s if s > 0.0 else 0.0
            slope_along = factor * (along - places[0])
        else:
            for k in range(places.shape[0]):
                slope_along += weights[k] * slope(places[k] * along, labels[k]) * places[k]
        eta = step_size(first, decay, t)
        push = noise * rng.standard_normal()
        along = along - eta * (slope_along + push)
        square += push * push
        if p > 1:
            # of the p - 1 coordinates of the noise across the axis one is along the iterate, the others are not
            push = noise * rng.standard_normal()
            moved = aside - eta * (factor * aside + push)
            across = noise * noise * 2.0 * rng.standard_gamma(free) if p > 2 else 0.0
            aside = math.sqrt(moved * moved + eta * eta * across)
            square += push * push + across
        size = along * along + aside * aside  # hypot would be a fifth of the step's time
        if size > radius * radius:
            shrink = radius / math.sqrt(size)
            along *= shrink
            aside *= shrink
    return along, aside, square
