from __future__ import annotations

import math

import numpy as np
import pytest

from dprepro.errors import Incompatible, InputError
from dprepro.problems import ConstraintSet, L1Ball, L2Ball, Simplex

SETS = [L1Ball(7, 1.5), L2Ball(7, 0.7), Simplex(7, 2.0), L1Ball(1, 1.0), L2Ball(1, 2.0), Simplex(1, 0.5)]
POLYTOPES = [each for each in SETS if each.vertices]


def members(constraint_set: ConstraintSet, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random points of the set, drawn without its projection: mixtures of vertices, or a scaled Gaussian."""
    if constraint_set.vertices:
        corners = np.array([constraint_set.vertex(index) for index in range(constraint_set.vertices)])
        return rng.dirichlet(np.full(len(corners), 0.3), size=count) @ corners
    raw = rng.normal(size=(count, constraint_set.p))
    return constraint_set.radius * raw / np.linalg.norm(raw, axis=1)[:, None] * rng.uniform(size=(count, 1))


@pytest.mark.parametrize("constraint_set", SETS, ids=repr)
@pytest.mark.parametrize("scale", [0.01, 1.0, 1e6])
def test_projection_satisfies_the_variational_inequality(constraint_set, scale):
    rng = np.random.default_rng(1)
    inside = members(constraint_set, 500, rng)
    for _ in range(20):
        point = scale * rng.normal(size=constraint_set.p)
        nearest = constraint_set.project(point)
        assert constraint_set.contains(nearest, 1e-9)
        # <point - nearest, s - nearest> <= 0 for every s characterises the Euclidean projection
        assert ((inside - nearest) @ (point - nearest)).max() <= 1e-9 * max(1.0, scale)


@pytest.mark.parametrize("constraint_set", SETS, ids=repr)
def test_projection_leaves_members_where_they_are(constraint_set):
    for theta in members(constraint_set, 20, np.random.default_rng(2)):
        np.testing.assert_allclose(constraint_set.project(theta), theta, atol=1e-14)


@pytest.mark.parametrize("constraint_set", POLYTOPES, ids=repr)
def test_linear_oracle_scores_and_vertices_agree(constraint_set):
    rng = np.random.default_rng(3)
    corners = np.array([constraint_set.vertex(index) for index in range(constraint_set.vertices)])
    for _ in range(20):
        direction = rng.normal(size=constraint_set.p)
        np.testing.assert_allclose(constraint_set.scores(direction), corners @ direction, rtol=1e-15)
        best = constraint_set.minimise_linear(direction)
        assert any(np.array_equal(best, corner) for corner in corners)
        assert best @ direction == (corners @ direction).min()


def test_l1_vertices_are_the_positive_ones_then_the_negative_ones():
    corners = np.array([L1Ball(3, 2.0).vertex(index) for index in range(6)])
    np.testing.assert_array_equal(corners, 2.0 * np.vstack([np.eye(3), -np.eye(3)]))


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_l2_linear_oracle_is_the_opposite_direction_at_the_radius(scale):
    direction = np.array([3.0, -4.0])
    np.testing.assert_allclose(L2Ball(2, 5.0).minimise_linear(scale * direction), [-3.0, 4.0], rtol=1e-14)
    assert L2Ball(2).contains(L2Ball(2).minimise_linear([0.0, 0.0]))


@pytest.mark.parametrize("constraint_set", SETS, ids=repr)
@pytest.mark.parametrize("order", [1, 2, math.inf])
def test_diameter_and_norm_bound_hold_on_members_and_are_attained(constraint_set, order):
    inside = members(constraint_set, 200, np.random.default_rng(4))
    spread = np.linalg.norm(inside[:, None] - inside[None], ord=order, axis=2)
    assert spread.max() <= constraint_set.diameter(order) * (1 + 1e-12) + 1e-15
    assert np.linalg.norm(inside, ord=order, axis=1).max() <= constraint_set.norm_bound(order) * (1 + 1e-12)
    if constraint_set.vertices:
        extreme = np.array([constraint_set.vertex(index) for index in range(constraint_set.vertices)])
    else:
        flat = np.full(constraint_set.p, constraint_set.radius / math.sqrt(constraint_set.p))
        peak = np.eye(constraint_set.p)[0] * constraint_set.radius
        extreme = np.array([flat, -flat, peak, -peak])
    attained = np.linalg.norm(extreme[:, None] - extreme[None], ord=order, axis=2).max()
    assert attained == pytest.approx(constraint_set.diameter(order), rel=1e-12)
    bound = np.linalg.norm(extreme, ord=order, axis=1).max()
    assert bound == pytest.approx(constraint_set.norm_bound(order), rel=1e-12)


@pytest.mark.parametrize("constraint_set", SETS, ids=repr)
def test_start_is_in_the_set(constraint_set):
    assert constraint_set.contains(constraint_set.start(), 1e-12)


@pytest.mark.parametrize("kind", [L1Ball, L2Ball, Simplex])
@pytest.mark.parametrize("p", [1, 2, 10, 1000])
def test_gaussian_width_agrees_with_monte_carlo(kind, p):
    b = np.random.default_rng(p).normal(size=(4000, p))
    # the supremum of |<b, w>| from its definition: over both signs of the linear oracle
    supremum = np.linalg.norm(b, axis=1) if kind is L2Ball else np.abs(b).max(axis=1)
    for row, value in zip(b[:20], supremum[:20], strict=True):
        constraint_set = kind(p)
        oracle = max(abs(row @ constraint_set.minimise_linear(sign * row)) for sign in (1, -1))
        assert value == pytest.approx(oracle, rel=1e-12)
    error = supremum.std() / math.sqrt(len(b))
    assert abs(3.0 * supremum.mean() - kind(p, 3.0).gaussian_width()) <= 4 * 3.0 * error


def test_gaussian_width_is_exact_where_a_closed_form_exists():
    assert L1Ball(1).gaussian_width() == pytest.approx(math.sqrt(2 / math.pi), rel=1e-13)
    assert L1Ball(2).gaussian_width() == pytest.approx(2 / math.sqrt(math.pi), rel=1e-13)
    assert L2Ball(2).gaussian_width() == pytest.approx(math.sqrt(math.pi / 2), rel=1e-14)


def test_gaussian_widths_reach_p_of_1e12_without_arrays():
    assert L2Ball(10**12).gaussian_width() == pytest.approx(1e6 * (1 - 0.25e-12), rel=1e-15)
    # the two branches of the l2 width meet
    assert L2Ball(1001).gaussian_width() == pytest.approx(
        L2Ball(1000).gaussian_width() * math.sqrt(1001 / 1000) * (1 + 0.25 / 1000 / 1001), rel=1e-9
    )
    # the largest of 2p normals: extreme value theory, with an error of order 1/(ln p)^2
    from scipy.special import ndtri

    quantile = -ndtri(1 / (2e12))
    assert L1Ball(10**12).gaussian_width() == pytest.approx(quantile + np.euler_gamma / quantile, rel=2e-3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: L1Ball(0), "p must be a positive whole number, got p=0"),
        (lambda: L2Ball(2.5), "p must be a positive whole number, got p=2.5"),
        (lambda: Simplex(3, -1.0), "radius must be finite and positive, got radius=-1.0"),
        (lambda: L1Ball(3, math.nan), "radius must be finite and positive, got radius=nan"),
        (lambda: L1Ball(3).diameter(3), "order must be 1, 2 or inf, got order=3"),
        (lambda: L1Ball(3).vertex(6), r"vertex must be in \[0, 6\), got 6"),
        (lambda: L1Ball(3).project(np.zeros(4)), r"a point of this set has shape \(3,\), got \(4,\)"),
    ],
)
def test_bad_input_is_refused_in_one_line(make, message):
    with pytest.raises(InputError, match=message) as refused:
        make()
    assert "\n" not in str(refused.value)


def test_an_l2_ball_has_no_vertices_to_offer():
    with pytest.raises(Incompatible, match="no vertices"):
        L2Ball(3).scores(np.zeros(3))
    with pytest.raises(Incompatible, match="no vertices"):
        L2Ball(3).vertex(0)


def test_a_dimension_written_as_a_float_is_a_whole_number():
    assert L1Ball(1e12).vertices == 2 * 10**12
    assert L1Ball(1e3) == L1Ball(1000)
