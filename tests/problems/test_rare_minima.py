"""Branches of minimisers and representations that no other test takes, each against all cases or another solver."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize

from dprepro.errors import Incompatible
from dprepro.problems import (
    AbsoluteLoss,
    Box,
    Domain,
    HalfSquaredLoss,
    HingeLoss,
    L1Ball,
    L2Ball,
    LogisticLoss,
    Moments,
    MomentsView,
    OneHotView,
    Problem,
    Records,
    RecordsView,
    Simplex,
    SquaredLoss,
    SupportPoint,
    SupportsView,
)
from dprepro.problems.minimise import active_set
from dprepro.problems.minimise.active_set import ActiveSet
from dprepro.problems.minimise.closed import diagonal_over_polytope, secular
from dprepro.problems.minimise.conic import minimise_over_cones
from dprepro.problems.minimise.quadratic import minimise_quadratic


def test_a_quadratic_without_a_pull_or_with_one_along_no_curvature_has_its_closed_form() -> None:
    curved = Moments(np.zeros(3), 0.0, ridge=np.array([1.0, 2.0, 0.0]))
    np.testing.assert_array_equal(secular(curved, 1.0), np.zeros(3))
    flat = Moments(np.array([0.0, 0.0, 0.3]), 0.0, ridge=np.array([1.0, 2.0, 0.0]))
    np.testing.assert_allclose(secular(flat, 2.0), [0, 0, 2.0], atol=1e-12)


@pytest.mark.parametrize("within", [L1Ball(3, 0.7), Simplex(3, 0.7)], ids=lambda candidate: type(candidate).__name__)
def test_without_any_curvature_the_minimum_over_a_polytope_is_the_best_of_its_corners(within) -> None:
    for cross in (np.array([0.3, -0.5, 0.1]), np.array([-0.2, -0.1, -0.4]), np.zeros(3)):
        theta = diagonal_over_polytope(np.zeros(3), cross, within)
        signs = (1.0, -1.0) if isinstance(within, L1Ball) else (1.0,)
        corners = [sign * 0.7 * one for one in np.eye(3) for sign in signs]
        assert within.contains(theta)
        assert float(-2 * cross @ theta) == pytest.approx(min(float(-2 * cross @ corner) for corner in corners))


@pytest.mark.parametrize("within", [L1Ball(3, 0.9), Simplex(3, 0.9)], ids=lambda candidate: type(candidate).__name__)
@pytest.mark.parametrize("flat", [0, 1, 2, 3])
def test_some_curvature_is_minimised_over_a_polytope_as_by_a_fine_grid(within, flat: int) -> None:
    rng = np.random.default_rng(flat)
    side = np.linspace(-0.9, 0.9, 37)
    points = np.array(list(itertools.product(side, side, side)))
    if isinstance(within, Simplex):
        pairs = np.array([(a, b) for a in np.linspace(0, 0.9, 91) for b in np.linspace(0, 0.9, 91) if a + b <= 0.9])
        points = np.column_stack([pairs, 0.9 - pairs.sum(axis=1)])
    else:
        points = points[np.abs(points).sum(axis=1) <= 0.9 + 1e-12]
    for _ in range(6):
        diagonal, cross = np.where(np.arange(3) < flat, 0.0, rng.uniform(0.1, 2, 3)), rng.normal(0, 0.6, 3)
        theta = diagonal_over_polytope(diagonal, cross, within)

        def value(x: np.ndarray, diagonal=diagonal, cross=cross) -> np.ndarray:
            return x**2 @ diagonal - 2 * x @ cross

        assert within.contains(theta, 1e-9)
        assert -0.1 <= value(theta) - value(points).min() <= 1e-9


def correlated(p: int, rows: int, seed: int, noise: float) -> Moments:
    """Columns that hardly differ: atoms come and go, and Cholesky factors lose their digits."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, 1)) + noise * rng.standard_normal((rows, p))
    y = x @ rng.standard_normal(p) * 0.3 + rng.standard_normal(rows)
    return Moments(x.T @ y / rows, float(y @ y) / rows, factor=x / math.sqrt(rows))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("noise", [1.0, 1e-2, 1e-5])
def test_an_active_set_of_nearly_equal_columns_is_as_good_as_a_conic_programme(noise: float, seed: int) -> None:
    """Whether atoms are added one by one or in batches; the risk is judged, where columns are alike theta is not."""
    quadratic, ball = correlated(30, 60, seed, noise), L1Ball(30, 0.5)
    exact = quadratic.value(minimise_over_cones(ball, quadratic.matrix(), -2.0 * quadratic.cross))
    for one_by_one in (False, True):
        theta = ActiveSet(quadratic, ball, one_by_one).run()
        assert ball.contains(theta, 1e-9)
        assert quadratic.value(theta) <= exact + 1e-7 * quadratic.scale


def test_an_active_set_gives_up_deep_inside_a_wide_ball_where_the_spectrum_knows_the_minimum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(active_set, "MANY", 5)
    rng = np.random.default_rng(5)
    x = rng.standard_normal((80, 20))
    y = x @ (0.1 * rng.standard_normal(20))
    quadratic, wide = Moments(x.T @ y / 80, float(y @ y) / 80, factor=x / math.sqrt(80)), L1Ball(20, 1e4)
    left = ActiveSet(quadratic, wide, leaves=True).run()
    stayed = ActiveSet(quadratic, wide).run()
    assert quadratic.value(stayed) <= quadratic.value(left) + 1e-12
    theta, gap = minimise_quadratic(quadratic, wide)
    np.testing.assert_allclose(theta, np.linalg.lstsq(x, y, rcond=None)[0], atol=1e-8)
    assert gap <= 1e-8 * quadratic.scale * 1e4


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("radius", [0.05, 0.4, 20.0])
@pytest.mark.parametrize("weight", [0.01, 0.3])
def test_an_l1_term_over_a_ball_that_binds_or_does_not_agrees_with_slsqp(
    weight: float, radius: float, seed: int
) -> None:
    """Both signs split: theta = a - b, a and b at least 0, of sum at most the radius."""
    rng = np.random.default_rng(seed)
    x, p = rng.standard_normal((40, 5)), 5
    y = x @ np.array([1.0, -0.5, 0.2, 0.0, 0.0]) + 0.1 * rng.standard_normal(40)
    quadratic = Moments(x.T @ y / 40, float(y @ y) / 40, factor=x / math.sqrt(40))
    theta, gap = minimise_quadratic(quadratic, L1Ball(p, radius), weight)

    def risk(both: np.ndarray) -> float:
        return quadratic.value(both[:p] - both[p:]) + weight * float(both.sum())

    def slope(both: np.ndarray) -> np.ndarray:
        one = quadratic.gradient(both[:p] - both[p:])
        return np.concatenate([one + weight, weight - one])

    limit = {"type": "ineq", "fun": lambda both: radius - both.sum(), "jac": lambda both: -np.ones(2 * p)}
    solved = minimize(
        risk, np.full(2 * p, radius / (4 * p)), jac=slope, bounds=[(0, None)] * (2 * p), constraints=[limit],
        method="SLSQP", options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    value = quadratic.value(theta) + weight * float(np.abs(theta).sum())
    assert value == pytest.approx(solved.fun, abs=1e-8)
    assert gap <= 1e-8 * quadratic.scale
    assert np.abs(theta).sum() <= radius * (1 + 1e-9)


# Views


def test_what_a_coordinate_saves_is_the_fall_of_the_risk_when_it_alone_is_let_free() -> None:
    """Of a diagonal quadratic and of one-hot counts over a box, coordinate by coordinate on a fine grid."""
    rng, side = np.random.default_rng(0), np.linspace(-0.5, 0.5, 4001)
    domain = Domain(HalfSquaredLoss(), Box(4, 0.5), 10, 2.0, feature_norm=math.inf, label_bound=2.0)
    moments = MomentsView(domain, Moments(rng.normal(0, 0.3, 4), 0.7, ridge=np.array([0.5, 0.2, 0.9, 0.4])))
    counted = OneHotView(domain, np.array([1.0, 0.4, 1.0, 0.2]), np.array([0.2, 0.1, 0.1, 0.2]), np.full(4, 0.1))
    for listed in (moments, counted):
        gains = SupportsView(listed).gains
        for j, one in enumerate(np.eye(4)):
            values = [listed.value(place * one) for place in side]
            assert gains[j] == pytest.approx(listed.value(np.zeros(4)) - min(values), abs=1e-6)
    ball = Domain(HalfSquaredLoss(), L2Ball(4), 10, 2.0, feature_norm=math.inf, label_bound=2.0)
    with pytest.raises(Incompatible, match="depends on the others"):
        _ = SupportsView(MomentsView(ball, moments.moments)).gains


@pytest.mark.parametrize("within", [Box(4, 0.3), L2Ball(4, 0.4)], ids=lambda candidate: type(candidate).__name__)
def test_a_support_has_the_risk_of_the_best_point_on_it_in_every_view(within) -> None:
    """Against the records' own minimum on the chosen columns; a support of nothing is zero."""
    label, plus, minus = (
        np.array([1.0, 0.5, 1.0, 0.2]),
        np.array([0.25, 0.1, 0.1, 0.1]),
        np.array([0.05, 0.1, 0.2, 0.1]),
    )
    domain = Domain(SquaredLoss(), within, 20, label_bound=1.0)
    counted = OneHotView(domain, label, plus, minus)
    records = counted.to_records()
    for listed in (counted, RecordsView(domain, records), MomentsView(domain, counted.to_moments())):
        view = SupportsView(listed)
        for size in (1, 3):
            for chosen in itertools.combinations(range(4), size):
                part = Records(records.features[:, chosen], records.targets, records.copies)
                section = domain.section(size)
                best = RecordsView(section, part).minimise()
                point = SupportPoint(np.array(chosen))
                assert view.value(point) == pytest.approx(best.value, abs=1e-9)
                assert view.excess(point) == pytest.approx(best.value - listed.minimum.value, abs=1e-9)
        assert view.trivial_risk == pytest.approx(listed.trivial_risk)
        np.testing.assert_array_equal(view.start, listed.start)


@pytest.mark.parametrize(
    "loss", [SquaredLoss(), AbsoluteLoss(), HingeLoss(), LogisticLoss()], ids=lambda candidate: type(candidate).__name__
)
def test_no_point_of_the_set_loses_more_than_the_domain_says(loss) -> None:
    """Over corners of sets and data that pull away from them; of the absolute loss all of it is lost."""
    most = 0.0
    for within in (L2Ball(2, 1.3), L1Ball(2, 0.7), Box(2, 0.5), Simplex(2)):
        domain = Domain(loss, within, 1, 0.9)
        limit = domain.largest_risk
        for angle in np.linspace(0, 2 * math.pi, 5):
            x = 0.9 * np.array([[math.cos(angle), math.sin(angle)]])
            for y in (1.0, -1.0, 0.2):
                problem = Problem(domain, {"records": RecordsView(domain, Records(x, np.array([y])))})
                for direction in np.random.default_rng(0).standard_normal((3, 2)):
                    risk = problem.excess_risk(within.minimise_linear(direction))
                    assert risk <= limit * (1 + 1e-9)
                    most = max(most, risk / limit)
    assert most > (0.95 if isinstance(loss, AbsoluteLoss) else 0.2)
