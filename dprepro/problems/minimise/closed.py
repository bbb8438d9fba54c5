"""Minimisers that are closed forms up to one number: the multiplier of the set."""

from __future__ import annotations

import numpy as np

from dprepro.problems.moments import Moments
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.sets import L1Ball, Simplex


def secular(quadratic: Moments, radius: float) -> FloatArray:
    """argmin of the quadratic over ||theta||_2 <= radius: (G + level I) theta = cross, level >= 0 by Newton's method.

    Newton on 1/||theta(level)|| - 1/radius, which is concave and increasing, converges from below without safeguards
    (More and Sorensen).
    """
    eigenvalues, cross, basis = quadratic.spectrum()
    # what is zero up to rounding gets no say: its cross would be divided by an eigenvalue of rounding error
    largest = float(eigenvalues.max(initial=0.0))
    flat = eigenvalues <= 4 * np.finfo(float).eps * eigenvalues.size * largest
    size = max(float(np.linalg.norm(cross)), (largest * quadratic.constant) ** 0.5)  # ||X^T|| ||y|| / n
    noise = 1e-14 * cross.size**0.5 * size
    live = ~(flat & (np.abs(cross) <= noise))
    values, target = eigenvalues[live], cross[live]

    coordinates = np.zeros(eigenvalues.size)
    if target.size:
        level = max(0.0, float(np.max(np.abs(target) / radius - values)))
        for _ in range(100):
            shifted = values + level
            theta = target / shifted
            norm = float(np.linalg.norm(theta))
            if norm <= radius * (1 + 1e-15):
                break
            slope = float(np.sum(theta**2 / shifted))
            advance = (norm / radius - 1.0) * norm**2 / slope
            if level + advance == level:
                break
            level += advance
        coordinates[live] = target / (values + level)
    solution = coordinates if basis is None else basis @ coordinates
    norm = float(np.linalg.norm(solution))
    return solution * (radius / norm) if norm > radius else solution


def diagonal_over_polytope(diagonal: FloatArray, cross: FloatArray, constraint_set: L1Ball | Simplex) -> FloatArray:
    """Soft thresholding theta_j = (cross_j - level)_+ / diagonal_j at the level where the weights fill the radius.

    The l1 ball treats |cross| so, with the signs put back, and a level of at least 0. Heights are measured from the
    highest, which keeps their digits where a small curvature stands beside a large pull.
    """
    signed = isinstance(constraint_set, L1Ball)
    radius = constraint_set.radius
    height = np.abs(cross) if signed else cross
    top = float(height.max())
    height = height - top
    curved, flat = np.flatnonzero(diagonal > 0), np.flatnonzero(diagonal <= 0)
    lowest = -top if signed else -np.inf
    linear = int(flat[np.argmax(height[flat])]) if flat.size else -1
    # a coordinate without curvature takes all weight that is left at its own height
    level = floor = max(lowest, float(height[linear])) if linear >= 0 else lowest
    if curved.size:
        order = curved[np.argsort(-height[curved], kind="stable")]
        inverse = 1.0 / diagonal[order]
        levels = (np.cumsum(height[order] * inverse) - radius) / np.cumsum(inverse)
        kept = int(np.flatnonzero(height[order] > levels)[-1])
        level = max(floor, float(levels[kept]))
    theta = np.zeros(cross.size)
    theta[curved] = np.maximum(height[curved] - level, 0.0) / diagonal[curved]
    total = float(theta.sum())
    if linear >= 0 and level == height[linear] and level > lowest:
        theta[linear] = max(0.0, radius - total)
    elif level > lowest or total > radius:
        theta *= radius / total
    return np.copysign(theta, cross) if signed else theta
