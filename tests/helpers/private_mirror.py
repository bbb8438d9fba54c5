# mypy: ignore-errors
"""Private mirror descent of nobody's package: what a researcher has in one file."""

import math
from dataclasses import dataclass

import numpy as np

from dprepro.algorithms import Algorithm, Schedule, Solution
from dprepro.algorithms.base import gradient_sensitivity
from dprepro.mechanisms import Gaussian


@dataclass(frozen=True)
class MirrorDescent(Algorithm):
    """Mirror descent with Gaussian noise; the mirror map is the squared norm, over p as the data are spread."""

    steps: int = 5

    def schedule(self, domain, budget):
        noise = math.sqrt(8 * self.steps * math.log(1 / budget.delta)) / budget.epsilon
        return Schedule(self.steps, gradient_sensitivity(domain, budget.neighbours) * noise)

    def parts(self, domain, budget):
        sensitivity = gradient_sensitivity(domain, budget.neighbours)
        return ((Gaussian(self.schedule(domain, budget).noise_scale).guarantee(sensitivity), self.steps),)

    def solve(self, problem, budget, rng):
        schedule, theta = self.schedule(problem.domain, budget), problem.constraint_set.start()
        for _ in range(schedule.steps):
            noisy = problem.gradient(theta) + schedule.noise_scale * rng.standard_normal(theta.size)
            theta = problem.constraint_set.project(theta - 0.4 * theta.size * noisy)
        return Solution(theta, schedule, self.privacy_loss(problem.domain, budget))


def records(n, p, rng):
    """Rows of length 1 and labels of one direction with noise."""
    features = rng.standard_normal((n, p))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    return features, np.clip(features[:, 0] / 2 + 0.1 * rng.standard_normal(n), -1, 1)


def release(X, y, epsilon, delta, rng):  # noqa: N803
    """Least squares with noise on X^T y."""
    n, p = X.shape
    noise = rng.standard_normal(p) * 2 * math.sqrt(2 * math.log(1.25 / delta)) / (n * epsilon)
    return np.linalg.solve(X.T @ X / n, X.T @ y / n + noise)
