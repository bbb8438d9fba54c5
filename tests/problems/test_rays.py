"""Where rays leave the sets."""

from __future__ import annotations

import numpy as np
import pytest

from dprepro.problems import Box, ConstraintSet, L1Ball, L2Ball, LocalBall, LqBall, Simplex, SpikedBall

SETS = [
    L1Ball(5, 1.3), Box(5, 0.4), L2Ball(5), LqBall(5, q=1.5), LqBall(5, q=4.0), Simplex(5, 2.0),
    SpikedBall(5, ball=0.5), LocalBall(5, 1.0, 0.9 * np.eye(5)[0], 0.3), L1Ball(1), Box(1),
]  # fmt: skip


@pytest.mark.parametrize("within", SETS, ids=lambda candidate: f"{candidate.title} p={candidate.p}")
def test_a_ray_ends_on_the_boundary(within: ConstraintSet) -> None:
    """Its end lies in the set, a little farther does not; from inside and from the boundary itself."""
    rng = np.random.default_rng(0)
    for size in (0.01, 0.1, 1.0):
        for _ in range(40):
            theta = within.project(within.start() + size * rng.normal(size=within.p))
            direction = within.tangent(rng.normal(size=within.p))
            direction /= np.linalg.norm(direction)
            far = within.to_boundary(theta, direction)
            assert far >= 0
            assert within.contains(theta + far * direction, 1e-10)
            assert not within.contains(theta + (far + 1e-7) * direction, 1e-10)
