"""Hit-and-run with slice steps, for any log-density on a convex set, and a diagnostic of its walks."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dprepro.problems import ConstraintSet
from dprepro.problems.problem_data import FloatArray


def hit_and_run(
    log_density: Callable[[FloatArray], float],
    constraint_set: ConstraintSet,
    steps: int,
    chains: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, float]:
    """The last point of a hit-and-run walk, and the split R-hat of the log-density over several walks.

    A step draws a uniform direction (within a flat set: of its affine hull), finds the chord of the set through the
    point, and moves on it by one slice step with shrinkage, which leaves the target invariant (Neal 2003). Walks start
    at uniform draws from the segment between the set's start and a random boundary point. R-hat near 1 says that the
    walks agree; it is a diagnostic, not a proof: the sampler is private only in the limit.
    """
    answer = constraint_set.start()
    traces = np.empty((chains, steps - steps // 2))
    smallest = 1e-14 * constraint_set.diameter(2)
    for chain in range(chains):
        edge = constraint_set.minimise_linear(rng.standard_normal(constraint_set.p))
        theta = constraint_set.start() + rng.random() * (edge - constraint_set.start())
        height = log_density(theta)
        for step in range(steps):
            direction = constraint_set.tangent(rng.standard_normal(constraint_set.p))
            direction /= float(np.linalg.norm(direction))
            low = -constraint_set.to_boundary(theta, -direction)
            high = constraint_set.to_boundary(theta, direction)
            level = height - rng.standard_exponential()
            while high - low > smallest:
                offset = low + rng.random() * (high - low)
                moved = theta + offset * direction
                reached = log_density(moved)
                if reached >= level:
                    theta, height = moved, reached
                    break
                low, high = (offset, high) if offset < 0 else (low, offset)
            if step >= steps // 2:
                traces[chain, step - steps // 2] = height
        if chain == 0:
            answer = theta
    return answer, split_r_hat(traces)


def split_r_hat(traces: FloatArray) -> float:
    """Gelman and Rubin's ratio over half chains (chains, steps): near 1 where they agree."""
    half = traces.shape[1] // 2
    parts = np.concatenate([traces[:, :half], traces[:, half : 2 * half]])
    within = float(np.mean(np.var(parts, axis=1, ddof=1)))
    between = float(np.var(np.mean(parts, axis=1), ddof=1))
    return math.sqrt((half - 1) / half + between / within) if within > 0 else 1.0
