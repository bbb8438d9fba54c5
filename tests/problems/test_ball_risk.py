"""Losses, sets and risks over an l2 ball. Random searches with fixed seeds; inequalities are exact up to rounding."""

import math

import numpy as np
import pytest

from dprepro.constructions import HingeCorner, OnePlace, OneWayMarginals, SpreadPlaces
from dprepro.errors import Incompatible, InputError, PremiseError
from dprepro.problems import RECORD_LOSSES, BallRisk, L2Ball, LocalBall, record_loss

PROBLEMS = {
    "linear": (OneWayMarginals(bias=0.5), {"n": 100.0, "p": 5.0}),
    "half_squared": (OneWayMarginals(loss="half_squared_distance", bias=0.5), {"n": 100.0, "p": 5.0}),
    "median": (OnePlace(), {"n": 10.0, "p": 5.0}),
    "sharp": (OnePlace(loss="sharp_distance"), {"n": 10.0, "p": 5.0}),
    "spread_median": (SpreadPlaces(), {"n": 160.0, "p": 5.0}),
    "spread_sharp": (SpreadPlaces(loss="sharp_distance"), {"n": 160.0, "p": 5.0}),
    "hinge": (HingeCorner(), {"n": 320.0, "p": 5.0}),
}


def in_ball(rng, p, count):
    points = rng.normal(size=(count, p))
    return points / np.linalg.norm(points, axis=1, keepdims=True) * rng.random((count, 1)) ** (1 / p)


@pytest.mark.parametrize("name", RECORD_LOSSES)
def test_every_gradient_is_a_subgradient_of_a_strongly_convex_lipschitz_loss(name):
    """l(b) >= l(a) + <g(a), b - a> + Delta/2 ||b - a||^2 and ||g(a)|| <= L, for random a, b and records."""
    loss, rng = record_loss(name), np.random.default_rng(1)
    records, labels = in_ball(rng, 3, 400) * 1.5, rng.choice([-1.0, 1.0], 400)
    for a, b in zip(in_ball(rng, 3, 50), in_ball(rng, 3, 50), strict=True):
        gradients = loss.gradients(a, records, labels)
        below = loss.values(a, records, labels) + gradients @ (b - a) + loss.strong_convexity / 2 * np.sum((b - a) ** 2)
        assert (loss.values(b, records, labels) >= below - 1e-12).all()
        assert np.linalg.norm(gradients, axis=1).max() <= loss.lipschitz(1.0, 1.5) + 1e-12


def test_half_the_squared_distance_is_2_lipschitz_on_the_unit_ball_and_not_1_lipschitz_as_printed():
    loss, c = record_loss("half_squared_distance"), np.array([1.0, 0.0])
    assert np.linalg.norm(loss.gradients(-c, c[None], np.ones(1))) == pytest.approx(2.0)
    assert loss.lipschitz(1.0, 1.0) == 2.0


@pytest.mark.parametrize("name", PROBLEMS)
def test_no_point_of_the_ball_lies_below_the_certified_minimum(name):
    construction, point = PROBLEMS[name]
    problem = construction.build(point, 0.0)
    assert problem.minimum.gap <= 1e-9
    rng = np.random.default_rng(2)
    at = problem.minimum.theta
    far = in_ball(rng, 5, 500)
    near = [problem.constraint_set.project(at + 1e-3 * step) for step in in_ball(rng, 5, 500)]
    assert min(problem.excess_risk(theta) for theta in [*far, *near]) >= -1e-12
    assert problem.excess_risk(at) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_risk_is_the_mean_over_all_copies_and_matches_its_construction(name):
    construction, point = PROBLEMS[name]
    problem = construction.build(point, 0.0)
    theta = in_ball(np.random.default_rng(3), 5, 1)[0]
    copies = problem.counts.astype(int)
    every = np.repeat(problem.distinct, copies, axis=0), np.repeat(problem.labels, copies)
    assert copies.sum() == point["n"]
    assert problem.risk(theta) == pytest.approx(problem.loss.values(theta, *every).mean())
    np.testing.assert_allclose(problem.gradient(theta), problem.loss.gradients(theta, *every).mean(axis=0), atol=1e-14)
    assert problem.constants == construction.constants(point)
    assert problem.capabilities == construction.capabilities(point)


def test_the_risks_of_both_sharp_corners_rise_in_every_direction():
    for name in ("spread_median", "hinge"):
        construction, point = PROBLEMS[name]
        problem = construction.build(point, 0.0)
        for j in range(5):
            for sign in (-1, 1):
                assert problem.excess_risk(problem.minimum.theta + sign * 1e-3 * np.eye(5)[j]) > 1e-5


@pytest.mark.parametrize("seed", range(4))
def test_projection_and_linear_minimum_over_a_local_ball_obey_their_inequalities(seed):
    rng = np.random.default_rng(seed)
    centre = in_ball(rng, 4, 1)[0] * (0.2 if seed % 2 else 1.0)
    ball = LocalBall(4, 1.0, centre, [0.1, 0.5, 0.9, 1.7][seed])
    inside = [theta for theta in in_ball(rng, 4, 4000) if ball.contains(theta)]
    inside += [ball.project(centre + 0.1 * step) for step in in_ball(rng, 4, 50)]
    for point in rng.normal(size=(50, 4)) * 2:
        near, least = ball.project(point), ball.minimise_linear(point)
        assert ball.contains(near)
        assert ball.contains(least, 1e-6)
        assert max(float((point - near) @ (s - near)) for s in inside) <= 1e-9
        assert min(float(point @ (s - least)) for s in inside) >= -1e-5
    assert max(np.linalg.norm(a - b) for a in inside[:200] for b in inside[:200]) <= ball.diameter() + 1e-9
    np.testing.assert_allclose(ball.start(), centre)


def test_what_is_outside_a_premise_or_a_bound_is_refused():
    with pytest.raises(PremiseError, match="no multiple of 8"):
        HingeCorner().build({"n": 100.0, "p": 5.0}, 0.0)
    with pytest.raises(PremiseError, match="no multiple of 4"):
        SpreadPlaces().build({"n": 100.0, "p": 7.0}, 0.0)
    with pytest.raises(InputError, match="the longest has 2"):
        BallRisk("linear", L2Ball(2), [[2.0, 0.0]], [1.0])
    with pytest.raises(InputError, match="duality gap must be at most"):
        BallRisk("median", L2Ball(2), [[0.5, 0.0], [-0.5, 0.0]], [3.0, 1.0], minimiser=[0.0, 0.0]).minimum  # noqa: B018
    with pytest.raises(InputError, match="must be given"):
        BallRisk("hinge", L2Ball(2), [[0.5, 0.0]], [1.0]).minimum  # noqa: B018
    with pytest.raises(InputError, match="centre must lie in the ball"):
        LocalBall(2, 1.0, np.array([2.0, 0.0]), 0.5)
    with pytest.raises(Incompatible, match="no vertices"):
        LocalBall(2, 1.0, np.zeros(2), 0.5).scores(np.zeros(2))
    for wrong in (lambda: OneWayMarginals(bias=0.0), lambda: OnePlace(place=2.0), lambda: SpreadPlaces(spread=1.0)):
        with pytest.raises(InputError, match="must be in"):
            wrong()
    with pytest.raises(InputError, match="unknown loss"):
        record_loss("hings")


def test_hinge_on_the_unit_ball_with_short_records_is_linear():
    loss, rng = record_loss("hinge"), np.random.default_rng(5)
    records, labels = in_ball(rng, 3, 100), rng.choice([-1.0, 1.0], 100)
    for theta in in_ball(rng, 3, 20):
        np.testing.assert_allclose(loss.values(theta, records, labels), 1 - labels * (records @ theta))
    assert math.isclose(HingeCorner().constants({"n": 16, "p": 2}).lipschitz, math.sqrt(13) / 2)
