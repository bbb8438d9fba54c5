"""Bassily, Smith and Thakurta (2014), end of sections 5.1 and 5.2: how their lower bounds depend on L, C and Delta.

``steep`` is alpha and ``wide`` beta: the ball of radius beta, -alpha <theta, d> on d in {-1, 1}^p/sqrt(p), and alpha/(2
beta) ||theta - d||^2 on beta times such d. ``draw`` seeds 21 records and an answer in the ball.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def one() -> float:
    """1: the other side of an equality, whose left one is 1 + how far both sides are apart."""
    return 1.0


def _instance(p: float, draw: float, wide: float) -> tuple[Vector, Vector]:
    """The mean record of {-1, 1}^p/sqrt(p), and an answer in the ball of radius beta."""
    rng, size = np.random.default_rng(int(draw)), int(p)
    answer = rng.standard_normal(size)
    mean = rng.choice([-1.0, 1.0], (21, size)).mean(axis=0) / math.sqrt(size)
    return mean, wide * rng.random() * answer / np.linalg.norm(answer)


def _linear(mean: Vector, theta: Vector, steep: float, wide: float) -> float:
    return steep * float(wide * np.linalg.norm(mean) - mean @ theta)


def _square(mean: Vector, theta: Vector, steep: float, wide: float) -> float:
    return steep / (2 * wide) * float(((theta - wide * mean) ** 2).sum())


def linear_losses(p: float, draw: float, steep: float, wide: float) -> float:
    """1 + |excess/(alpha beta times that of theta/beta at alpha = beta = 1) - 1|."""
    mean, theta = _instance(p, draw, wide)
    return 1 + abs(_linear(mean, theta, steep, wide) / (steep * wide * _linear(mean, theta / wide, 1, 1)) - 1)


def linear_losses_without_diameter(p: float, draw: float, steep: float, wide: float) -> float:
    """A falsehood: the factor is alpha alone."""
    mean, theta = _instance(p, draw, wide)
    return 1 + abs(_linear(mean, theta, steep, wide) / (steep * _linear(mean, theta / wide, 1, 1)) - 1)


def squares(p: float, draw: float, steep: float, wide: float) -> float:
    """`linear_losses`, for half squared distances: alpha beta is alpha^2/Delta, Delta = alpha/beta."""
    mean, theta = _instance(p, draw, wide)
    factor = steep**2 / (steep / wide)
    return 1 + abs(_square(mean, theta, steep, wide) / (factor * _square(mean, theta / wide, 1, 1)) - 1)


def squares_without_curvature(p: float, draw: float, steep: float, wide: float) -> float:
    """A falsehood: the factor is alpha^2."""
    mean, theta = _instance(p, draw, wide)
    return 1 + abs(_square(mean, theta, steep, wide) / (steep**2 * _square(mean, theta / wide, 1, 1)) - 1)


def level_of_squares(steep: float, wide: float, share: float) -> float:
    """.011 L^2/Delta, what is lost of the mean risk at p = epsilon n, where Delta C/L = ``share``."""
    return 0.011 * steep * wide / share


def most(steep: float, wide: float) -> float:
    """L C, which no answer can exceed."""
    return steep * wide
