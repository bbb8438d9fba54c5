"""Constraint sets: projection, linear minimisation, support, boundary, norms, widths, each against its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtri

from dprepro.errors import Incompatible, InputError
from dprepro.problems import Box, ConstraintSet, L1Ball, L2Ball, LocalBall, LqBall, Simplex, SpikedBall

ROUND = [L2Ball(7, 0.7), L2Ball(1, 2.0), Box(25, 0.4), LqBall(6, 0.7, 1.5), LqBall(6, 2.0, 3.0), LqBall(5, 1.0, 1.1)]
POLYTOPES = [Box(5, 0.4), L1Ball(7, 1.5), Simplex(7, 2.0), L1Ball(1, 1.0), Simplex(1, 0.5)]
SPIKED = [SpikedBall(5, 1.0, 0.4), SpikedBall(3, 8.0, 0.1), SpikedBall(4, 1.5, 1.5), SpikedBall(1, 2.0, 0.5)]


def local(reach: float, length: float) -> LocalBall:
    centre = np.random.default_rng(7).normal(size=4)
    return LocalBall(4, 1.0, length * centre / np.linalg.norm(centre), reach)


LOCAL = [local(0.1, 0.2), local(0.5, 1.0), local(0.9, 0.2), local(1.7, 1.0), local(1.0, 0.0)]
SETS = [*ROUND, *POLYTOPES, *SPIKED, *LOCAL]


def members(within: ConstraintSet, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random points of the set, drawn without its projection: mixtures of its extreme points, or what is accepted."""
    raw = rng.normal(size=(count, within.p))
    on_sphere = raw / np.linalg.norm(raw, axis=1)[:, None]
    if within.vertices:
        corners = np.array([within.vertex(index) for index in range(within.vertices)])
        return rng.dirichlet(np.full(len(corners), 0.3), size=count) @ corners
    if isinstance(within, SpikedBall):
        tips = np.zeros((count, within.p))
        tips[:, 0] = within.radius * rng.choice([-1.0, 1.0], count)
        share = rng.choice([0.0, 1.0, 0.5, 0.9], (count, 1))
        return share * tips + (1 - share) * within.ball * on_sphere
    if isinstance(within, LocalBall):
        near = within.centre + within.reach * on_sphere * rng.uniform(size=(count, 1))
        return near[np.linalg.norm(near, axis=1) <= within.radius]
    order = within.q if isinstance(within, LqBall) else math.inf if isinstance(within, Box) else 2
    size = np.linalg.norm(raw, ord=order, axis=1)[:, None]
    return within.radius * raw / size * rng.choice([1.0, 0.5, 0.1], (count, 1))


@pytest.mark.parametrize("within", SETS, ids=repr)
@pytest.mark.parametrize("scale", [0.01, 1.0, 1e6])
def test_projection_satisfies_the_variational_inequality(within: ConstraintSet, scale: float) -> None:
    """<point - nearest, s - nearest> <= 0 for every s of the set characterises the Euclidean projection."""
    rng = np.random.default_rng(1)
    inside = members(within, 500, rng)
    for _ in range(20):
        point = scale * rng.normal(size=within.p)
        nearest = within.project(point)
        assert within.contains(nearest, 1e-9)
        assert ((inside - nearest) @ (point - nearest)).max() <= 1e-9 * max(1.0, scale)
        # the support function settles it for all points at once
        assert within.support(point - nearest) <= (point - nearest) @ nearest + 1e-9 * max(1.0, scale)


@pytest.mark.parametrize("within", SETS, ids=repr)
def test_projection_leaves_members_where_they_are(within: ConstraintSet) -> None:
    for theta in members(within, 20, np.random.default_rng(2)):
        np.testing.assert_allclose(within.project(theta), theta, atol=1e-12)
        assert within.contains(theta)


@pytest.mark.parametrize("within", [one for one in SETS if one.projection is not None], ids=repr)
@pytest.mark.parametrize("scale", [0.1, 1.0, 1e8, 1e17])
def test_the_projection_that_is_compiled_is_the_same_one(within: ConstraintSet, scale: float) -> None:
    rng = np.random.default_rng(3)
    compiled = type(within).projection
    assert compiled is not None
    for point in (*scale * rng.normal(size=(20, within.p)), scale * np.ones(within.p)):
        theta = point.copy()
        compiled(theta, within.radius)
        np.testing.assert_allclose(theta, within.project(point), atol=1e-15 * max(1.0, scale), rtol=1e-12)


@pytest.mark.parametrize("within", SETS, ids=repr)
def test_linear_minimisation_attains_the_support_function(within: ConstraintSet) -> None:
    rng = np.random.default_rng(4)
    inside = members(within, 500, rng)
    for direction in (*rng.normal(size=(20, within.p)), np.zeros(within.p), np.eye(within.p)[0]):
        best = within.minimise_linear(direction)
        assert within.contains(best, 1e-9)
        assert (inside @ direction).min() >= direction @ best - 1e-12
        assert within.support(-direction) == pytest.approx(-(direction @ best), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("within", SETS, ids=repr)
def test_the_way_to_the_boundary_ends_on_it(within: ConstraintSet) -> None:
    rng = np.random.default_rng(5)
    for theta in members(within, 20, rng):
        direction = within.tangent(rng.normal(size=within.p))
        size = np.linalg.norm(direction)
        if size < 1e-9:  # a single point has no directions
            continue
        far = within.to_boundary(theta, direction / size)
        assert 0 <= far <= within.diameter(2) * (1 + 1e-6)
        assert within.contains(theta + 0.999 * far * direction / size, 1e-9)
        assert not within.contains(theta + (1.001 * far + 1e-6) * direction / size, 1e-9)


def test_a_simplex_has_directions_of_sum_zero_only() -> None:
    direction = Simplex(5).tangent(np.arange(5.0))
    assert direction.sum() == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_array_equal(L1Ball(5).tangent(direction), direction)


@pytest.mark.parametrize("within", POLYTOPES, ids=repr)
def test_linear_oracle_scores_and_vertices_agree(within: ConstraintSet) -> None:
    rng = np.random.default_rng(3)
    corners = np.array([within.vertex(index) for index in range(within.vertices or 0)])
    for _ in range(20):
        direction = rng.normal(size=within.p)
        np.testing.assert_allclose(within.scores(direction), corners @ direction, rtol=1e-14, atol=1e-15)
        best = within.minimise_linear(direction)
        assert any(np.array_equal(best, corner) for corner in corners)
        assert best @ direction == pytest.approx((corners @ direction).min(), rel=1e-14)


def test_l1_vertices_are_the_positive_ones_then_the_negative_ones() -> None:
    corners = np.array([L1Ball(3, 2.0).vertex(index) for index in range(6)])
    np.testing.assert_array_equal(corners, 2.0 * np.vstack([np.eye(3), -np.eye(3)]))


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_the_oracle_of_round_balls_bears_any_scale(scale: float) -> None:
    direction = np.array([3.0, -4.0])
    np.testing.assert_allclose(L2Ball(2, 5.0).minimise_linear(scale * direction), [-3.0, 4.0], rtol=1e-14)
    np.testing.assert_allclose(LqBall(2, 5.0, 2.0).minimise_linear(scale * direction), [-3.0, 4.0], rtol=1e-14)
    assert L2Ball(2, 5.0).support(scale * direction) == pytest.approx(25.0 * scale, rel=1e-14)


@pytest.mark.parametrize("within", [*ROUND, *POLYTOPES, *SPIKED], ids=repr)
@pytest.mark.parametrize("order", [1, 2, math.inf])
def test_diameter_and_norm_bound_hold_on_members_and_are_attained(within: ConstraintSet, order: float) -> None:
    rng = np.random.default_rng(4)
    p, signs = within.p, rng.choice([-1.0, 1.0], (30, within.p))
    extreme = [within.minimise_linear(direction) for direction in (*np.eye(p), *-np.eye(p), *signs, *-signs)]
    points = np.concatenate([members(within, 200, rng), extreme])
    spread = np.linalg.norm(points[:, None] - points[None], ord=order, axis=2).max()
    assert spread == pytest.approx(within.diameter(order), rel=1e-12, abs=1e-15)
    assert np.linalg.norm(points, ord=order, axis=1).max() == pytest.approx(within.norm_bound(order), rel=1e-12)


@pytest.mark.parametrize("within", LOCAL, ids=repr)
@pytest.mark.parametrize("order", [1, 2, math.inf])
def test_diameter_and_norm_bound_of_a_local_ball_are_upper_bounds(within: LocalBall, order: float) -> None:
    inside = members(within, 200, np.random.default_rng(4))
    spread = np.linalg.norm(inside[:, None] - inside[None], ord=order, axis=2)
    assert spread.max() <= within.diameter(order) * (1 + 1e-12)
    assert np.linalg.norm(inside, ord=order, axis=1).max() <= within.norm_bound(order) * (1 + 1e-12)


@pytest.mark.parametrize("within", SETS, ids=repr)
def test_start_is_in_the_set(within: ConstraintSet) -> None:
    assert within.contains(within.start(), 1e-12)


def test_a_local_ball_starts_at_its_centre() -> None:
    np.testing.assert_array_equal(LOCAL[1].start(), LOCAL[1].centre)


WIDE = [
    *(kind(p, 3.0) for kind in (L1Ball, L2Ball, Simplex, Box) for p in (1, 2, 10, 300)),
    *(LqBall(p, 2.0, q) for p, q in ((1, 1.5), (5, 1.5), (300, 1.2), (100, 3.0), (50, 2.0))),
    *(SpikedBall(p, 2.0, ball) for p in (1, 2, 3, 10, 100) for ball in (0.1, 0.6, 1.7, 2.0)),
]


@pytest.mark.parametrize("within", WIDE, ids=repr)
def test_gaussian_width_agrees_with_monte_carlo(within: ConstraintSet) -> None:
    """Of its definition, the mean of sup |<b, w>|; within 4 standard errors."""
    normals = np.random.default_rng(within.p).normal(size=(4000, within.p))
    supremum = np.array([max(within.support(b), within.support(-b)) for b in normals])
    error = supremum.std() / math.sqrt(len(normals))
    assert abs(supremum.mean() - within.gaussian_width()) <= 4 * error


def test_gaussian_width_is_exact_where_a_closed_form_exists() -> None:
    assert L1Ball(1).gaussian_width() == pytest.approx(math.sqrt(2 / math.pi), rel=1e-13)
    assert L1Ball(2).gaussian_width() == pytest.approx(2 / math.sqrt(math.pi), rel=1e-13)
    assert L2Ball(2).gaussian_width() == pytest.approx(math.sqrt(math.pi / 2), rel=1e-14)
    assert SpikedBall(40, 1.0, 1.0).gaussian_width() == pytest.approx(L2Ball(40).gaussian_width(), rel=1e-13)
    # in the plane: the mean of a Rayleigh length, times that of max(|cos|, 1/2) over the circle
    mean = quad(lambda angle: max(abs(math.cos(angle)), 0.5), 0, math.pi / 2, points=[math.pi / 3])[0] * 2 / math.pi
    assert SpikedBall(2, 1.0, 0.5).gaussian_width() == pytest.approx(math.sqrt(math.pi / 2) * mean, rel=1e-12)


def test_gaussian_widths_reach_p_of_1e12_without_arrays() -> None:
    assert L2Ball(10**12).gaussian_width() == pytest.approx(1e6 * (1 - 0.25e-12), rel=1e-15)
    # the two branches of the l2 width meet
    assert L2Ball(1001).gaussian_width() == pytest.approx(
        L2Ball(1000).gaussian_width() * math.sqrt(1001 / 1000) * (1 + 0.25 / 1000 / 1001), rel=1e-9
    )
    # the largest of 2p normals: extreme value theory, with an error of order 1/(ln p)^2
    quantile = -ndtri(1 / (2e12))
    assert L1Ball(10**12).gaussian_width() == pytest.approx(quantile + np.euler_gamma / quantile, rel=2e-3)
    assert SpikedBall(10**12, 1.0, 0.5).gaussian_width() == pytest.approx(0.5e6, rel=1e-9)


def test_the_width_at_q_2_is_that_of_the_l2_ball_at_every_p() -> None:
    for p in (1, 2, 10, 1000, 10**6, 10**12):
        assert LqBall(p, 1.0, 2.0).gaussian_width() == pytest.approx(L2Ball(p).gaussian_width(), rel=1e-7)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: L1Ball(0), "p must be a positive whole number, got p=0"),
        (lambda: L2Ball(2.5), "p must be a positive whole number, got p=2.5"),
        (lambda: Simplex(3, -1.0), "radius must be finite and positive, got radius=-1.0"),
        (lambda: L1Ball(3, math.nan), "radius must be finite and positive, got radius=nan"),
        (lambda: LqBall(3, 1.0, 1.0), "q must be above 1 and finite"),
        (lambda: LqBall(3, 1.0, math.inf), "q must be above 1 and finite"),
        (lambda: SpikedBall(3, 1.0, 2.0), r"ball must be in \(0, radius\], got ball=2"),
        (lambda: LocalBall(2, 1.0, np.array([2.0, 0.0]), 0.5), "the centre must lie in the ball"),
        (lambda: LocalBall(2, 1.0, np.zeros(2), -0.5), "reach must be finite and positive, got reach=-0.5"),
        (lambda: LocalBall(2, 1.0, np.zeros(3), 0.5), r"a point of this set has shape \(2,\), got \(3,\)"),
        (lambda: L1Ball(3).vertex(6), r"vertex must be in \[0, 6\), got 6"),
        (lambda: L1Ball(3).project(np.zeros(4)), r"a point of this set has shape \(3,\), got \(4,\)"),
        *(
            (lambda candidate=one: candidate.diameter(3), "order must be 1, 2 or inf, got order=3")
            for one in SETS
            if one.p > 1
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(make, message) -> None:
    with pytest.raises(InputError, match=message) as refused:
        make()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("within", [one for one in SETS if not one.vertices], ids=repr)
def test_what_is_no_polytope_with_a_list_has_no_vertices_to_offer(within: ConstraintSet) -> None:
    assert within.vertices is None
    with pytest.raises(Incompatible, match="no list of vertices"):
        within.scores(np.zeros(within.p))
    with pytest.raises(Incompatible, match="no list of vertices"):
        within.vertex(0)


def test_the_width_of_a_local_ball_is_not_known() -> None:
    with pytest.raises(Incompatible, match="not known"):
        LOCAL[0].gaussian_width()


def test_a_dimension_written_as_a_float_is_a_whole_number() -> None:
    assert L1Ball(1e12).vertices == 2 * 10**12
    assert L1Ball(1e3) == L1Ball(1000)
