"""Functions whose noise is recorded: those in `WRONG` with the name of their fault, those in `RIGHT` keep their claim.

Records are numbers in [0, 1], n is public; the claim is epsilon = 1 at delta = 0, or at `DELTA` for Gaussian noise.
"""

from __future__ import annotations

import math
import random

import numpy as np

DELTA = 1e-6
SIGMA = 4.25  # of a shift of 1, at epsilon = 1 and delta = 1e-6; the least is 4.22


def inside(values):
    return np.clip(values, 0, 1)


OFTEN = 0.02  # a delta that draws can see


def wide(delta):
    """Of a shift of 1, at epsilon = 1; the least is 1.65 at delta = 0.02."""
    return 1.8 * math.sqrt(math.log(1.25 / delta) / math.log(1.25 / OFTEN))


# sensitivity


def sum_of_half_the_range(values, epsilon, rng):
    return inside(values).sum() + rng.laplace(scale=0.5 / epsilon)


def mean_of_one_fewer(values, epsilon):
    return np.mean(inside(values)) + np.random.laplace(0.0, 0.7 / (epsilon * len(values)))


def histogram_by_one(values, epsilon, rng):
    counts, _ = np.histogram(inside(values), bins=4, range=(0, 1))
    return counts + rng.laplace(scale=1 / epsilon, size=4)


def descent_with_half_the_gradient(values, epsilon, delta, rng):
    points, theta = [], 0.0
    sigma = 0.5 * wide(delta) * math.sqrt(3) / (epsilon * len(values))
    for _ in range(3):
        theta = theta - 0.5 * (np.mean(np.clip(theta - values, -0.5, 0.5)) + rng.normal(0, sigma))
        points.append(theta)
    return points


# scale


def scale_times_epsilon(values, epsilon, rng):
    return inside(values).sum() + rng.laplace(scale=epsilon * 0.8)


def variance_for_deviation(values, epsilon, delta, rng):
    return inside(values).sum() + rng.normal(scale=(SIGMA / epsilon) ** 2 / 20)


def gaussian_for_pure(values, epsilon, rng):
    return inside(values).sum() + rng.normal(scale=3 / epsilon)


def gaussian_without_delta(values, epsilon, delta):
    return inside(values).sum() + random.gauss(0, 2 / epsilon)


# composition


def whole_epsilon_for_each(values, epsilon, rng):
    kept = inside(values)
    return {
        "sum": kept.sum() + rng.laplace(scale=1 / epsilon),
        "high": (kept > 0.5).sum() + rng.laplace(scale=1 / epsilon),
    }


# bounds from data


def range_of_the_data(values, epsilon, rng):
    return values.mean() + rng.laplace(scale=np.ptp(values) / (epsilon * len(values)) + 1e-9)


def deviation_of_the_data(values, epsilon, delta, rng):
    return values.sum() + (0.1 + values.std()) * SIGMA / epsilon * rng.standard_normal()


# noise reused


def one_draw_for_two(values, epsilon, rng):
    noise = rng.laplace(scale=2 / epsilon)
    return np.array([inside(values).sum() + noise, (inside(values) ** 2).sum() + noise])


def same_seed_twice(values, epsilon, random_state):
    first = np.random.RandomState(random_state).laplace(scale=2 / epsilon)
    second = np.random.RandomState(random_state).laplace(scale=2 / epsilon)
    return inside(values).sum() + first, (inside(values) > 0.5).sum() + second


# few seeds


def seed_below_a_hundred(values, epsilon):
    return inside(values).sum() + random.Random(random.randrange(100)).gauss(0, 1) * 40 / epsilon


def always_the_same_seed(values, epsilon):
    return inside(values).sum() + np.random.default_rng(7).laplace(scale=1 / epsilon)


WRONG = {
    sum_of_half_the_range: "sensitivity", mean_of_one_fewer: "sensitivity", histogram_by_one: "sensitivity",
    descent_with_half_the_gradient: "sensitivity", scale_times_epsilon: "scale", variance_for_deviation: "scale",
    gaussian_for_pure: "scale", gaussian_without_delta: "scale", whole_epsilon_for_each: "composition",
    range_of_the_data: "bounds from data", deviation_of_the_data: "bounds from data", one_draw_for_two: "noise reused",
    same_seed_twice: "noise reused", seed_below_a_hundred: "few seeds", always_the_same_seed: "few seeds",
}  # fmt: skip


def mean(values, epsilon, rng):
    return inside(values).mean() + rng.laplace(scale=1 / (epsilon * len(values)))


def sum_in_place(values, epsilon):
    total = np.zeros(1)
    total += inside(values).sum()
    total += np.random.laplace(0, 1 / epsilon, 1)
    return total / len(values)


def gaussian(values, epsilon, delta):
    return inside(values).sum() + random.gauss(0, SIGMA / epsilon)


def descent(values, epsilon, delta, rng):
    points, theta = [], 0.0
    sigma = wide(delta) * math.sqrt(3) / (epsilon * len(values))
    for _ in range(3):
        theta = theta - 0.5 * (np.mean(np.clip(theta - values, -0.5, 0.5)) + rng.normal(0, sigma))
        points.append(theta)
    return points


def two_halves(values, epsilon, rng):
    noise = rng.laplace(scale=2 / epsilon, size=2)
    return inside(values).sum() + noise[0], (inside(values) > 0.5).sum() + noise[1]


def one_draw_said_twice(values, epsilon, rng):
    noisy = inside(values).sum() + rng.laplace(scale=1 / epsilon)
    return noisy, 2 * noisy, np.clip(noisy, 0, 1)


def noisy_records(values, epsilon, rng):
    return (inside(values) + rng.laplace(scale=1 / epsilon, size=len(values))).mean()


def subsampled(values, epsilon, rng):
    # at rate 1/2 noise for epsilon = ln(1 + 2(e - 1)) is enough
    kept = inside(values)[rng.random(len(values)) < 0.5]
    return kept.sum() + rng.laplace(scale=1 / math.log1p(math.expm1(epsilon)))


RIGHT = (mean, sum_in_place, gaussian, descent, two_halves, one_draw_said_twice, noisy_records, subsampled)


def delta_of(function):
    """The delta that it claims."""
    if function in (descent, descent_with_half_the_gradient):
        return OFTEN
    return DELTA if "delta" in function.__code__.co_varnames else 0.0


__all__ = ["DELTA", "RIGHT", "WRONG", "delta_of"]
