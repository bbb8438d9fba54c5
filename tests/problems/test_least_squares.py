from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from dprepro.errors import Incompatible, InputError
from dprepro.problems import (
    GroupPoint,
    L1Ball,
    L2Ball,
    LeastSquares,
    Minimum,
    Moments,
    Simplex,
    VertexGroups,
)


def data(n: int = 40, p: int = 6, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, (n, p)), rng.uniform(-1, 1, n)


def vertex_groups(features: np.ndarray, labels: np.ndarray, constraint_set: L1Ball | Simplex) -> VertexGroups:
    """Every vertex a group of its own: always true."""
    corners = np.array([constraint_set.vertex(index) for index in range(constraint_set.vertices)])
    images = features @ corners.T
    n = len(labels)
    second_moment = float(labels @ labels) / n
    return VertexGroups(np.ones(len(corners)), images.T @ images / n, images.T @ labels / n, second_moment)


def needle(p: float, kappa: float = 0.01) -> LeastSquares:
    """All rows m = (1/2, 1/2 - kappa, ..., 1/2 - kappa), y = 1: four groups of vertices, one state m.theta."""
    m = np.array([0.5, 0.5 - kappa])
    atoms = np.concatenate([m, -m])
    groups = VertexGroups(np.array([1.0, p - 1, 1.0, p - 1]), np.outer(atoms, atoms), atoms, 1.0)
    return LeastSquares.from_groups(groups, 1e12, L1Ball(p))


@pytest.mark.parametrize("constraint_set", [L1Ball(6), Simplex(6), L1Ball(6, 0.4)], ids=repr)
def test_the_three_views_agree_on_risk_gradient_and_minimum(constraint_set):
    features, labels = data()
    by_records = LeastSquares.from_records(features, labels, constraint_set)
    by_moments = LeastSquares.from_moments(by_records.moments, constraint_set)
    by_groups = LeastSquares.from_groups(vertex_groups(features, labels, constraint_set), 40, constraint_set)
    corners = np.array([constraint_set.vertex(index) for index in range(constraint_set.vertices)])
    rng = np.random.default_rng(1)
    for weights in rng.dirichlet(np.ones(len(corners)), size=20):
        theta, point = weights @ corners, GroupPoint(weights)
        assert by_moments.risk(theta) == pytest.approx(by_records.risk(theta), rel=1e-12)
        assert by_groups.risk(point) == pytest.approx(by_records.risk(theta), rel=1e-12)
        gradient = by_records.gradient(theta)
        np.testing.assert_allclose(by_moments.gradient(theta), gradient, atol=1e-14)
        np.testing.assert_allclose(by_groups.gradient(point), constraint_set.scores(gradient), atol=1e-14)
        excess = by_records.excess_risk(theta)
        assert by_moments.excess_risk(theta) == pytest.approx(excess, abs=1e-12)
        assert by_groups.excess_risk(point) == pytest.approx(excess, abs=1e-12)
        assert excess == pytest.approx(by_records.risk(theta) - by_records.minimum.value, abs=1e-14)
    for other in (by_moments, by_groups):
        assert other.minimum.value == pytest.approx(by_records.minimum.value, abs=1e-12)
        assert other.trivial_risk == pytest.approx(by_records.trivial_risk, abs=1e-12)


def test_gradient_agrees_with_finite_differences():
    features, labels = data()
    problem = LeastSquares.from_records(features, labels, L1Ball(6))
    theta, step = np.linspace(-0.1, 0.2, 6), 1e-6
    slopes = [(problem.risk(theta + step * e) - problem.risk(theta - step * e)) / (2 * step) for e in np.eye(6)]
    np.testing.assert_allclose(problem.gradient(theta), slopes, atol=1e-9)


def test_minimum_is_computed_once():
    features, labels = data()
    problem = LeastSquares.from_records(features, labels, L1Ball(6))
    assert problem.minimum is problem.minimum
    assert problem.excess_risk(problem.minimum.theta) == 0.0


def test_excess_risk_keeps_its_digits_far_below_the_risk():
    ridge, cross = np.array([1.0, 1.0]), np.array([0.3, 0.2])
    problem = LeastSquares.from_moments(Moments(1e12, cross, 1.0, ridge=ridge), L1Ball(2))
    step = np.array([3e-9, -4e-9])  # excess 25e-18, below the rounding of a risk near 1
    assert problem.excess_risk(cross + step) == pytest.approx(25e-18, rel=1e-6)


@pytest.mark.parametrize("p", [10, 10**6, 10**12])
def test_the_tuned_needle_has_its_minimum_at_the_best_vertex_whatever_p(p):
    problem = needle(p)
    np.testing.assert_allclose(problem.minimum.theta.weights, [1, 0, 0, 0], atol=1e-12)
    assert problem.minimum.value == pytest.approx(0.25)
    assert problem.minimum.gap <= 1e-12
    assert problem.trivial_risk == pytest.approx(0.75)
    assert problem.constants.vertices == 2 * p


def test_a_known_minimum_is_certified_before_it_is_believed():
    problem = needle(100)
    groups, ball = problem.groups, L1Ball(100)
    best = Minimum(GroupPoint(np.array([1.0, 0, 0, 0])), 0.25, 0.0)
    assert LeastSquares.from_groups(groups, 10, ball, minimum=best).minimum.value == pytest.approx(0.25)
    wrong = Minimum(GroupPoint(np.array([0, 1.0, 0, 0])), 0.25, 0.0)
    with pytest.raises(InputError, match="known minimum's duality gap must be at most 1e-09, got gap="):
        LeastSquares.from_groups(groups, 10, ball, minimum=wrong)


def test_an_interior_minimum_of_groups_leaves_weight_on_zero():
    groups = VertexGroups(np.array([1.0, 1.0]), np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([0.3, -0.3]), 1.0)
    minimum = LeastSquares.from_groups(groups, 5, L1Ball(1)).minimum
    assert minimum.theta.weights[0] - minimum.theta.weights[1] == pytest.approx(0.3)
    assert minimum.value == pytest.approx(1 - 0.09)


def test_a_simplex_of_groups_starts_at_the_barycentre():
    features, labels = data(p=3)
    full = LeastSquares.from_records(features, labels, Simplex(3))
    merged = features[:, [0, 1, 1]]
    images = merged[:, :2]
    groups = VertexGroups(
        np.array([1.0, 2.0]), images.T @ images / 40, images.T @ labels / 40, float(labels @ labels) / 40
    )
    problem = LeastSquares.from_groups(groups, 40, Simplex(3))
    full = LeastSquares.from_records(merged, labels, Simplex(3))
    np.testing.assert_allclose(problem.start.weights, [1 / 3, 2 / 3])
    assert problem.trivial_risk == pytest.approx(full.trivial_risk, abs=1e-12)


def test_constants_follow_from_the_bounds_and_not_from_the_data():
    features, labels = data()
    constants = LeastSquares.from_records(features / 2, labels / 2, L1Ball(6)).constants
    assert (constants.n, constants.p, constants.radius, constants.vertices) == (40, 6, 1.0, 12)
    assert (constants.lipschitz, constants.curvature) == (4.0, 8.0)


def test_records_offer_moments_only_where_their_gram_matrix_fits():
    features, labels = data()
    small = LeastSquares.from_records(features, labels, L1Ball(6))
    assert small.capabilities == {"records", "moments"}
    np.testing.assert_allclose(small.moments.gram, features.T @ features / 40)
    large = LeastSquares.from_records(np.zeros((2, 5001)), np.zeros(2), L1Ball(5001))
    assert large.capabilities == {"records"}
    with pytest.raises(Incompatible, match="offers no moments: records are turned into moments up to p=5000"):
        _ = large.moments


def test_a_missing_capability_is_refused_with_the_reason():
    problem = needle(10)
    problem.require("groups")
    for capability in ("records", "moments", "population"):
        with pytest.raises(Incompatible, match=f"LeastSquares offers no {capability}.*it has: groups"):
            problem.require(capability)
    with pytest.raises(Incompatible, match="offers no moments"):
        problem.risk(np.zeros(10))
    with pytest.raises(InputError, match="unknown capability 'record'; choices: axis, groups, moments"):
        problem.require("record")
    with pytest.raises(Incompatible, match="offers no groups"):
        LeastSquares.from_moments(Moments(1, np.zeros(2), 1.0), L1Ball(2)).risk(GroupPoint(np.array([0.5])))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x, y: LeastSquares.from_records(2 * x, y, L1Ball(6)), r"must have \|\|x\|\|_inf <= 1.0, record"),
        (lambda x, y: LeastSquares.from_records(x, 2 * y, L1Ball(6)), r"must have \|y\| <= 1.0, record"),
        (lambda x, y: LeastSquares.from_records(x, y, L2Ball(6)), r"must have \|\|x\|\|_2 <= 1.0, record"),
        (lambda x, y: LeastSquares.from_records(x * np.nan, y, L1Ball(6)), "features must be finite, got 240"),
        (lambda x, y: LeastSquares.from_records(x, y[:-1], L1Ball(6)), "features has 40 rows and labels has 39"),
        (lambda x, y: LeastSquares.from_records(x, y, L1Ball(7)), "records have n=40, p=6; needed are n=40, p=7"),
        (lambda x, y: LeastSquares.from_records(x[0], y, L1Ball(6)), "features must have 2 dimensions"),
        (lambda x, y: LeastSquares.from_records(x, y, L1Ball(6)).risk(np.zeros(5)), r"theta must have shape \(6,\)"),
        (lambda x, y: LeastSquares(L1Ball(6), 40), "least squares needs data"),
        (lambda x, y: Moments(40, x[0], -1.0), "second_moment must be finite and at least 0, got -1.0"),
        (lambda x, y: Moments(40, x[0], 1.0, x[:6]), "gram must be symmetric"),
        (lambda x, y: Moments(40, x[0], 1.0, ridge=-1.0), "ridge must be finite and at least 0"),
        (lambda x, y: Moments(0, x[0], 1.0), "n must be finite and at least 1, got n=0"),
        (lambda x, y: GroupPoint(np.array([0.7, 0.7])), "weights must be at least 0 and sum to at most 1"),
        (lambda x, y: VertexGroups(np.ones(2), -np.eye(2), np.zeros(2), 1.0), "gram must be positive semidefinite"),
        (lambda x, y: VertexGroups(np.array([1, 0.5]), np.eye(2), np.zeros(2), 1.0), "sizes must be whole numbers"),
        (
            lambda x, y: LeastSquares.from_groups(VertexGroups(np.ones(2), np.eye(2), np.zeros(2), 1.0), 5, L1Ball(6)),
            "groups must cover the set's 12 vertices, their sizes sum to 2",
        ),
        (
            lambda x, y: LeastSquares.from_groups(VertexGroups(np.ones(2), np.eye(2), np.zeros(2), 1.0), 5, L2Ball(2)),
            "groups need a polytope; choices: L1Ball, Simplex, got L2Ball",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(make, message):
    with pytest.raises(InputError, match=message) as refused:
        make(*data())
    assert "\n" not in str(refused.value)


def test_importing_problems_does_not_import_scipy():
    code = "import sys, dprepro.problems; sys.exit(any(name.split('.')[0] == 'scipy' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
