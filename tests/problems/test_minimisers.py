"""Minimisers of quadratics over every set, from records and from moments, each with its duality gap."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from dprepro.errors import DpreproError
from dprepro.problems import (
    Box,
    ConstraintSet,
    Domain,
    L1Ball,
    L2Ball,
    LocalBall,
    LqBall,
    Moments,
    MomentsView,
    Records,
    Simplex,
    SpikedBall,
    SquaredLoss,
)
from dprepro.problems.minimise import duality_gap, minimise_quadratic

DESIGNS = ["noise", "planted", "ar1", "equicorrelated", "factor", "duplicates", "signs", "constant"]


def design(name: str, n: int, p: int, seed: int = 0) -> Records:
    """Features within [-1, 1] and labels within [-1, 1]."""
    rng = np.random.default_rng(seed)
    labels = rng.uniform(-1, 1, n)
    features = rng.uniform(-1, 1, (n, p))
    if name == "planted":
        labels = features[:, : min(p, 10)].sum(axis=1) + 0.1 * rng.normal(size=n)
    elif name == "ar1":
        features = rng.normal(size=(n, p))
        for column in range(1, p):
            features[:, column] = 0.99 * features[:, column - 1] + math.sqrt(1 - 0.99**2) * features[:, column]
        labels = features[:, :: max(1, p // 10)] @ rng.normal(size=len(range(0, p, max(1, p // 10))))
    elif name == "equicorrelated":
        features = math.sqrt(0.9) * rng.normal(size=(n, 1)) + math.sqrt(0.1) * rng.normal(size=(n, p))
    elif name == "factor":
        features = rng.normal(size=(n, 5)) @ rng.normal(size=(5, p)) + 0.01 * rng.normal(size=(n, p))
        labels = features[:, : min(p, 10)] @ rng.normal(size=min(p, 10))
    elif name == "duplicates":
        features[:, p // 2 :] = features[:, : p - p // 2]
    elif name == "signs":
        features, labels = np.sign(features), np.sign(labels)
    elif name == "constant":
        features = np.ones((n, p))
    return Records(features / np.abs(features).max(), labels / np.abs(labels).max())


def moments_of(records: Records) -> Moments:
    x, y, n = records.features, records.targets, records.n
    return Moments(x.T @ y / n, float(y @ y) / n, x.T @ x / n)


def quadratic_of(records: Records) -> Moments:
    """The same as rows, of which only the columns that are chosen are touched."""
    root = np.sqrt(records.weights)
    labels, rows = root * records.targets, root[:, None] * records.features
    return Moments(labels @ rows, float(labels @ labels), factor=rows)


def risk(records: Records, theta: np.ndarray) -> float:
    return float(np.mean((records.features @ theta - records.targets) ** 2))


def sets(p: int) -> list[L1Ball | L2Ball | Simplex]:
    return [kind(p, radius) for kind in (L1Ball, Simplex, L2Ball) for radius in (0.2, 1.0, 30.0)]


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize(("n", "p"), [(60, 20), (20, 60), (1, 5), (30, 1), (1, 1)])
def test_minimum_is_certified_from_records_and_from_moments_alike(name, n, p):
    records = design(name, n, p)
    for constraint_set in sets(p):
        theta, gap = minimise_quadratic(quadratic_of(records), constraint_set)
        assert constraint_set.contains(theta, 1e-9)
        gradient = 2 * records.features.T @ (records.features @ theta - records.targets) / n
        assert duality_gap(gradient, theta, constraint_set) == pytest.approx(gap, abs=1e-12)
        assert gap <= 1e-11
        other, other_gap = minimise_quadratic(moments_of(records), constraint_set)
        assert constraint_set.contains(other, 1e-9)
        assert risk(records, other) == pytest.approx(risk(records, theta), abs=gap + other_gap + 1e-12)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in ("ar1", "factor") else pytest.mark.slow) for name in DESIGNS]
)
def test_minimum_is_certified_at_p_of_ten_thousand(name):
    records = design(name, 1000, 10_000)
    theta, gap = minimise_quadratic(quadratic_of(records), L1Ball(10_000))
    assert gap <= 1e-12
    assert np.abs(theta).sum() <= 1 + 1e-12


@pytest.mark.parametrize("name", ["noise", "equicorrelated", "factor"])
@pytest.mark.parametrize("radius", [0.3, 1.0, 5.0])
def test_minimum_agrees_with_an_independent_solver(name, radius):
    p = 6
    records = design(name, 40, p, seed=3)
    moments = moments_of(records)
    split = np.hstack([np.eye(p), -np.eye(p)])  # theta = positive part - negative part
    solved = minimize(
        lambda u: risk(records, split @ u),
        np.full(2 * p, radius / (4 * p)),
        jac=lambda u: split.T @ (2 * (moments.times(split @ u) - moments.cross)),
        bounds=[(0, None)] * (2 * p),
        constraints={"type": "ineq", "fun": lambda u: radius - u.sum(), "jac": lambda u: -np.ones(2 * p)},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    theta, gap = minimise_quadratic(quadratic_of(records), L1Ball(p, radius))
    assert risk(records, theta) <= solved.fun + gap + 1e-12
    assert risk(records, theta) == pytest.approx(solved.fun, abs=1e-7)


@pytest.mark.parametrize("constraint_set", [L1Ball(8, 0.7), L2Ball(8, 0.3), Simplex(8, 0.7)], ids=repr)
def test_minimum_agrees_with_projected_gradient(constraint_set):
    records = design("noise", 50, 8, seed=4)
    quadratic = quadratic_of(records)
    theta = constraint_set.start()
    for _ in range(3000):
        theta = constraint_set.project(theta - 0.3 * quadratic.gradient(theta))
    best, _ = minimise_quadratic(quadratic, constraint_set)
    np.testing.assert_allclose(best, theta, atol=1e-9)


@pytest.mark.parametrize("constraint_set", [L1Ball(8, 0.7), L2Ball(8, 0.3), Simplex(8, 0.7)], ids=repr)
def test_duality_gap_bounds_the_suboptimality_of_any_point(constraint_set):
    rng = np.random.default_rng(6)
    records = design("signs", 50, 8, seed=6)
    quadratic = quadratic_of(records)
    best, gap = minimise_quadratic(quadratic, constraint_set)
    for _ in range(200):
        theta = constraint_set.project(rng.normal(size=8))
        excess = risk(records, theta) - risk(records, best)
        assert -gap - 1e-14 <= excess <= duality_gap(quadratic.gradient(theta), theta, constraint_set) + 1e-14


@pytest.mark.parametrize(("n", "p"), [(400, 50), (50, 400), (200, 300)])
def test_an_interior_minimum_solves_the_normal_equations(n, p):
    records = design("planted", n, p)
    theta, gap = minimise_quadratic(quadratic_of(records), L1Ball(p, 50.0))
    assert gap <= 1e-10
    assert np.abs(theta).sum() < 50
    exact = np.linalg.lstsq(records.features, records.targets)[0]
    assert risk(records, theta) == pytest.approx(risk(records, exact), abs=1e-11)


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("kind", [L1Ball, Simplex, L2Ball])
@pytest.mark.parametrize("radius", [0.1, 1.0, 100.0])
def test_closed_forms_of_a_diagonal_agree_with_the_general_methods(kind, radius, flat):
    rng = np.random.default_rng(7)
    p = 12
    ridge = rng.uniform(0.1, 1, p)
    if flat:
        ridge[[2, 5]] = 0.0
    cross = np.where(ridge > 0, rng.normal(size=p), 0.0)
    diagonal = Moments(cross, 1.0, ridge=ridge)
    dense = Moments(cross, 1.0, gram=np.diag(ridge))
    theta, gap = minimise_quadratic(diagonal, kind(p, radius))
    other, _ = minimise_quadratic(dense, kind(p, radius))
    assert gap <= 1e-12
    if flat and kind is not L2Ball:  # any weight may lie on the flat coordinates
        theta[[2, 5]] = other[[2, 5]] = 0.0
    np.testing.assert_allclose(theta, other, atol=1e-9 * radius)


@pytest.mark.parametrize("kind", [L1Ball, Simplex, L2Ball])
@pytest.mark.parametrize("radius", [0.1, 1.0, 100.0])
def test_closed_forms_of_a_diagonal_certify_linear_coordinates_too(kind, radius):
    rng = np.random.default_rng(11)
    ridge, cross = np.array([0.0, 0.3, 1.0, 0.0, 0.5]), rng.normal(size=5)
    theta, gap = minimise_quadratic(Moments(cross, 1.0, ridge=ridge), kind(5, radius))
    assert kind(5, radius).contains(theta, 1e-9)
    assert gap <= 1e-11


def test_an_orthogonal_design_is_minimised_at_a_million_coordinates():
    rng = np.random.default_rng(8)
    moments = Moments(rng.normal(size=10**6) / 1e3, 1.0, ridge=0.5)
    for constraint_set in (L1Ball(10**6), L2Ball(10**6), Simplex(10**6)):
        theta, gap = minimise_quadratic(moments, constraint_set)
        assert gap <= 1e-12
        assert constraint_set.contains(theta, 1e-9)


@pytest.mark.parametrize("constraint_set", [L1Ball(300), Simplex(300), L2Ball(300)], ids=repr)
def test_a_few_rows_beside_an_orthogonal_design_agree_with_their_gram_matrix(constraint_set):
    rng = np.random.default_rng(9)
    factor = rng.choice([-1.0, 1.0], (5, 300)) / math.sqrt(5)
    cross = factor.T @ np.ones(5) / math.sqrt(5)
    implicit = Moments(cross, 1.0, ridge=3.0, factor=factor)
    explicit = Moments(cross, 1.0, gram=factor.T @ factor + 3.0 * np.eye(300))
    theta, gap = minimise_quadratic(implicit, constraint_set)
    other, _ = minimise_quadratic(explicit, constraint_set)
    assert gap <= 1e-11
    np.testing.assert_allclose(theta, other, atol=1e-9)


@pytest.mark.parametrize("constraint_set", [L1Ball(4), Simplex(4), L2Ball(4)], ids=repr)
def test_labels_or_features_of_zero_are_no_trouble(constraint_set):
    rng = np.random.default_rng(10)
    for features, labels in (
        (rng.uniform(-1, 1, (9, 4)), np.zeros(9)),
        (np.zeros((9, 4)), rng.uniform(-1, 1, 9)),
        (np.zeros((9, 4)), np.zeros(9)),
    ):
        theta, gap = minimise_quadratic(quadratic_of(Records(features, labels)), constraint_set)
        assert gap <= 1e-12
        assert constraint_set.contains(theta, 1e-12)


def test_a_missed_certificate_is_an_error_that_names_the_gap() -> None:
    crooked = Moments(np.array([1.0, 0.9, 0.1]), 1.0, np.array([[1.0, 3, 0], [3, 1.0, 0], [0, 0, -1.0]]))
    for within in (L2Ball(3), L1Ball(3), Box(3)):
        with pytest.raises(DpreproError, match=r"a gap of at most .*, got gap=|not positive") as missed:
            MomentsView(Domain(SquaredLoss(), within, 10, 2.0), crooked).minimise()
        assert "\n" not in str(missed.value)


def conic_sets(p: int) -> list[ConstraintSet]:
    """Sets without a method of their own, some of which cut the minimiser off."""
    centre = 0.6 * np.eye(1, p)[0]
    return [
        Box(p, 0.1), Box(p, 30.0), LqBall(p, 0.3, 1.5), LqBall(p, 0.3, 4.0), LqBall(p, 30.0, 1.2),
        SpikedBall(p, 1.0, 0.2), SpikedBall(p, 9.0, 3.0), LocalBall(p, 1.0, centre, 0.5),
        LocalBall(p, 1.0, -centre, 0.1),
    ]  # fmt: skip


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize(("n", "p"), [(60, 10), (10, 20), (30, 1)])
def test_minimum_over_a_conic_set_is_certified_from_records_and_from_moments_alike(name: str, n: int, p: int) -> None:
    records = design(name, n, p)
    for constraint_set in conic_sets(p):
        theta, gap = minimise_quadratic(quadratic_of(records), constraint_set)
        assert constraint_set.contains(theta, 1e-9)
        assert gap <= 1e-10 * Domain(SquaredLoss(), constraint_set, n, feature_norm=math.inf).swing
        other, other_gap = minimise_quadratic(moments_of(records), constraint_set)
        assert risk(records, other) == pytest.approx(risk(records, theta), abs=gap + other_gap + 1e-12)


@pytest.mark.parametrize("constraint_set", conic_sets(5), ids=repr)
def test_minimum_over_a_conic_set_agrees_with_projected_gradient(constraint_set: ConstraintSet) -> None:
    quadratic = quadratic_of(design("noise", 50, 5, seed=4))
    theta = constraint_set.start()
    for _ in range(100):
        theta = constraint_set.project(theta - 0.5 * quadratic.gradient(theta))
    best, _ = minimise_quadratic(quadratic, constraint_set)
    np.testing.assert_allclose(best, theta, atol=1e-7)


@pytest.mark.parametrize("within", [Box(6, 0.5), L1Ball(6, 0.7), L2Ball(6, 0.7), LqBall(6, 0.7, 1.5)], ids=str)
@pytest.mark.parametrize("weight", [0.0, 0.2, 50.0])
@pytest.mark.parametrize("flat", [0, 1, 6])
def test_a_diagonal_beside_an_l1_term_is_certified_and_below_all_points(within, weight: float, flat: int) -> None:
    rng = np.random.default_rng(0)
    for scale in (0.01, 0.3, 5.0):
        ridge = np.r_[np.zeros(flat), rng.uniform(0, 1, 6 - flat)]
        if isinstance(within, LqBall):
            ridge[:] = ridge[-1]
        moments = Moments(scale * rng.normal(size=6), 1.0, ridge=ridge)
        theta, gap = minimise_quadratic(moments, within, weight)
        assert within.contains(theta)
        assert gap <= 1e-11
        least = moments.value(theta) + weight * np.abs(theta).sum()
        for other in (*(within.project(rng.normal(size=6)) for _ in range(20)), np.zeros(6)):
            assert moments.value(other) + weight * np.abs(other).sum() >= least - gap - 1e-14


@pytest.mark.parametrize("q", [1.2, 3.0])
def test_one_direction_of_data_in_an_lq_ball_is_minimised_at_any_p(q: float) -> None:
    for a, expected in ((0.3, 1.0), (2.0, 0.5)):
        ridge, cross = np.zeros(4096), np.zeros(4096)
        ridge[0], cross[0] = a**2, a
        theta, gap = minimise_quadratic(Moments(cross, 1.0, ridge=ridge), LqBall(4096, 1.0, q))
        assert theta[0] == pytest.approx(min(1 / a, expected))
        assert gap <= 1e-15


@pytest.mark.parametrize("kind", [L1Ball, Simplex, L2Ball, Box])
@pytest.mark.parametrize("radius", [0.3, 30.0])
def test_a_linear_term_outside_of_the_range_of_the_matrix_is_no_trouble(kind, radius: float) -> None:
    rng = np.random.default_rng(12)
    for rank in (1, 3):
        rows = rng.normal(size=(rank, 6))
        moments = Moments(rng.normal(size=6), 1.0, gram=rows.T @ rows)
        theta, gap = minimise_quadratic(moments, kind(6, radius))
        assert kind(6, radius).contains(theta)
        assert gap <= 1e-9


def test_an_l1_term_beside_a_matrix_or_over_another_set_is_refused() -> None:
    with pytest.raises(DpreproError, match="an l1 term beside a quadratic that is not diagonal"):
        minimise_quadratic(Moments(np.ones(2), gram=np.eye(2)), L2Ball(2), 0.1)
    with pytest.raises(DpreproError, match="no certificate is known for an l1 term over a simplex"):
        minimise_quadratic(Moments(np.ones(2), ridge=1.0), Simplex(2), 0.1)
