"""The lq ball and the box: projection, linear minimisation, constants. Monte Carlo within 4.5 standard errors, 1e-5."""

import numpy as np
import pytest

from dprepro.errors import Incompatible, InputError
from dprepro.problems import Box, L2Ball, LqBall

SETS = [LqBall(6, 0.7, 1.5), LqBall(6, 2.0, 3.0), LqBall(5, 1.0, 1.1), Box(6, 0.4)]


@pytest.mark.parametrize("within", SETS, ids=str)
def test_the_projection_makes_an_obtuse_angle_with_every_point_of_the_set(within):
    rng = np.random.default_rng(0)
    for scale in (0.1, 3.0, 100.0):
        point = scale * rng.normal(size=within.p)
        nearest = within.project(point)
        assert within.contains(nearest)
        # the support function settles it for all points at once
        farthest = within.minimise_linear(nearest - point)
        assert (point - nearest) @ (farthest - nearest) <= 1e-9 * scale


@pytest.mark.parametrize("within", SETS, ids=str)
def test_linear_minimisation_attains_the_dual_norm(within):
    rng = np.random.default_rng(1)
    direction = rng.normal(size=within.p)
    order = within.dual if isinstance(within, LqBall) else 1
    best = within.minimise_linear(direction)
    assert within.contains(best)
    assert direction @ best == pytest.approx(-within.radius * np.linalg.norm(direction, order))


@pytest.mark.parametrize(("p", "q"), [(1, 1.5), (5, 1.5), (300, 1.2), (100, 3.0), (50, 2.0)])
def test_the_gaussian_width_is_the_mean_dual_norm(p, q):
    ball = LqBall(p, 2.0, q)
    norms = 2 * np.linalg.norm(np.random.default_rng(2).normal(size=(20000, p)), ball.dual, axis=1)
    assert abs(norms.mean() - ball.gaussian_width()) < 4.5 * norms.std() / np.sqrt(20000)


def test_the_width_at_q_2_is_that_of_the_l2_ball_at_every_p():
    for p in (1, 2, 10, 1000, 10**6, 10**12):
        assert LqBall(p, 1.0, 2.0).gaussian_width() == pytest.approx(L2Ball(p).gaussian_width(), rel=1e-7)


@pytest.mark.parametrize("within", SETS, ids=str)
def test_norm_bounds_hold_and_are_attained(within):
    rng = np.random.default_rng(3)
    for order in (1, 2, np.inf):
        points = [within.project(10 * rng.normal(size=within.p)) for _ in range(5)]
        points += [within.project(100 * np.eye(within.p)[0]), within.project(100 * np.ones(within.p))]
        largest = max(np.linalg.norm(point, order) for point in points)
        assert largest == pytest.approx(within.norm_bound(order), rel=1e-6)
        assert within.diameter(order) == 2 * within.norm_bound(order)


def test_orders_at_the_ends_and_vertices_are_refused():
    for q in (1.0, 0.5, np.inf):
        with pytest.raises(InputError, match="above 1 and finite"):
            LqBall(3, 1.0, q)
    for within in SETS[::3]:
        with pytest.raises(Incompatible):
            within.vertex(0)
