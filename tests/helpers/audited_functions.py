"""Functions that answer on data and claim (epsilon, 0)-privacy: six that keep it, and seven that do not."""

from __future__ import annotations

import numpy as np

# records are numbers in [0, 1], n is public


def laplace_mean(values, epsilon, rng):
    return np.clip(values, 0, 1).mean() + rng.laplace(scale=1 / (epsilon * len(values)))


def laplace_histogram(values, epsilon, rng):
    counts, _ = np.histogram(np.clip(values, 0, 1), bins=4, range=(0, 1))
    return counts + rng.laplace(scale=2 / epsilon, size=4)


def randomised_response(values, epsilon, rng):
    truth = rng.random(len(values)) < 1 / (1 + np.exp(-epsilon))
    return np.sort(np.where(truth, values > 0.5, values <= 0.5).astype(float))


def exponential_median(values, epsilon, rng):
    grid = np.linspace(0, 1, 11)
    score = -np.abs((np.asarray(values)[:, None] <= grid).sum(axis=0) - len(values) / 2)
    weights = np.exp(epsilon * score / 2 - np.max(epsilon * score / 2))
    return rng.choice(grid, p=weights / weights.sum())


def global_generator(values, epsilon):
    return np.clip(values, 0, 1).sum() + np.random.laplace(scale=1 / epsilon)


def noisy_maximum(values, epsilon, rng):
    counts, _ = np.histogram(np.clip(values, 0, 1), bins=3, range=(0, 1))
    return np.argmax(counts + rng.gumbel(scale=2 / epsilon, size=3))


def half_sensitivity(values, epsilon, rng):
    return np.clip(values, 0, 1).mean() + rng.laplace(scale=0.5 / (epsilon * len(values)))


def bounds_of_the_data(values, epsilon, rng):
    low, high = values.min(), values.max()
    return values.mean() + rng.laplace(scale=(high - low) / (epsilon * len(values)) + 1e-12)


def seed_of_one_byte(values, epsilon, rng):
    few = np.random.default_rng(rng.integers(256))
    return np.clip(values, 0, 1).mean() + few.laplace(scale=1 / (epsilon * len(values)))


def epsilon_twice(values, epsilon, rng):
    inside = np.clip(values, 0, 1)
    scale = 1 / (epsilon * len(values))
    return inside.mean() + rng.laplace(scale=scale), (inside**2).mean() + rng.laplace(scale=scale)


def nan_on_one(values, epsilon, rng):
    inside = np.clip(values, 0, 1)
    return np.nan if inside.std() == 0 else inside.mean() + rng.laplace(scale=1 / (epsilon * len(values)))


def noise_that_is_reused(values, epsilon, rng):
    inside = np.clip(values, 0, 1)
    noise = rng.laplace(scale=2 / epsilon)
    return inside.sum() + noise, (inside > 0.5).sum() + noise


def threshold_on_n(values, epsilon, rng):
    if len(values) < 137:
        return 0.0
    return np.clip(values, 0, 1).sum() + rng.laplace(scale=1 / epsilon)


RIGHT = (laplace_mean, laplace_histogram, randomised_response, exponential_median, global_generator, noisy_maximum)
WRONG = (half_sensitivity, bounds_of_the_data, seed_of_one_byte, epsilon_twice, nan_on_one, noise_that_is_reused,
         threshold_on_n)  # fmt: skip
