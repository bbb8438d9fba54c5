"""Compiled loop of noisy projected gradient descent on a quadratic with diagonal or tridiagonal Hessian."""

from __future__ import annotations

import math

import numpy as np

from dprepro.reductions.kernels.compiled import entry


@entry()
def noisy_descent(diagonal, off, linear, idle, steps, eta, sigma, radius, rng):  # type: ignore[no-untyped-def]
    """Average of w_1 = 0, ..., w_T over the touched coordinates, w_{t+1} = P(w_t - eta (H w_t - linear + sigma xi)).

    H has the diagonal ``diagonal`` and, where ``off`` is not empty, the entries ``off`` beside it. ``idle`` further
    coordinates have no gradient: the loop keeps only their norm. It also returns the sum of the squares of the noise.
    """
    size = diagonal.size
    w, total, last = np.zeros(size), np.zeros(size), 0.0
    r, drawn = 0.0, 0.0
    for _ in range(1, steps):
        square = 0.0
        last = 0.0  # w_{j-1} before the step
        for j in range(size):
            old = w[j]
            slope = diagonal[j] * old - linear[j]
            if off.size:
                if j > 0:
                    slope += off[j - 1] * last
                if j < size - 1:
                    slope += off[j] * w[j + 1]
            last = old
            push = sigma * rng.standard_normal() if sigma > 0 else 0.0
            new = old - eta * (slope + push)
            drawn += push * push
            w[j] = new
            square += new * new
        if idle > 0 and sigma > 0:
            push = sigma * rng.standard_normal()
            across = sigma**2 * 2 * rng.standard_gamma((idle - 1) / 2) if idle > 1 else 0.0
            r2 = (r + eta * push) ** 2 + eta**2 * across
            drawn += push * push + across
            r = math.sqrt(r2)
            square += r2
        if square > radius * radius:
            scale = radius / math.sqrt(square)
            r *= scale
            for j in range(size):
                w[j] *= scale
        for j in range(size):
            total[j] += w[j]
    return total / steps, drawn


@entry()
def noisy_descent_with_tail(diagonal, linear, tail, curvature, steps, eta, sigma, radius, rng):  # type: ignore[no-untyped-def]
    """As `noisy_descent`, beside ``tail`` coordinates of equal curvature without linear term.

    Of the tail's iterate u and the sum s of its iterates the loop keeps |u|^2, <u, s> and |s|^2. Returns the average
    of the touched coordinates, the mean square of a tail coordinate's average, and the sum of the noise's squares.
    """
    size = diagonal.size
    w, total = np.zeros(size), np.zeros(size)
    uu, us, ss, drawn = 0.0, 0.0, 0.0, 0.0
    shrink = 1 - eta * curvature
    for _ in range(1, steps):
        square = 0.0
        for j in range(size):
            push = sigma * rng.standard_normal() if sigma > 0 else 0.0
            w[j] -= eta * (diagonal[j] * w[j] - linear[j] + push)
            drawn += push * push
            square += w[j] * w[j]
        # Noise along u, along the part of s that is orthogonal to u, and its length in all other directions.
        length = math.sqrt(uu)
        along = us / length if length > 0 else 0.0
        across = math.sqrt(max(0.0, ss - along * along))
        first, second, rest = 0.0, 0.0, 0.0
        if sigma > 0:
            first = sigma * rng.standard_normal()
            second = sigma * rng.standard_normal() if tail > 1 else 0.0
            rest = sigma**2 * 2 * rng.standard_gamma((tail - 2) / 2) if tail > 2 else 0.0
        drawn += first * first + second * second + rest
        a = shrink * length + eta * first
        uu = a * a + eta**2 * (second * second + rest)
        us = a * along + eta * second * across
        square += uu
        if square > radius * radius:
            scale = radius / math.sqrt(square)
            for j in range(size):
                w[j] *= scale
            uu *= scale * scale
            us *= scale
        ss += 2 * us + uu
        us += uu
        for j in range(size):
            total[j] += w[j]
    return total / steps, ss / steps**2 / max(1, tail), drawn
