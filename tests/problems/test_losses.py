from __future__ import annotations

import numpy as np
import pytest

from dprepro.errors import InputError
from dprepro.problems import L1Ball, L2Ball, SquaredLoss

LOSS = SquaredLoss()


def curvature_ratio(features: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """Definition 2.1 at a, b: (2 / mu^2) (L(c) - L(a) - <c - a, grad L(a)>) with c = a + mu (b - a); free of mu, y."""
    mu, y = 0.3, 0.5
    c = a + mu * (b - a)
    risk = [float(LOSS.value(features @ point, y).mean()) for point in (a, c)]
    gradient = features.T @ LOSS.derivative(features @ a, y) / len(features)
    return 2 / mu**2 * (risk[1] - risk[0] - float((c - a) @ gradient))


def test_derivative_agrees_with_finite_differences():
    z, y = np.linspace(-2, 2, 9), np.linspace(1, -1, 9)
    step = 1e-6
    slope = (LOSS.value(z + step, y) - LOSS.value(z - step, y)) / (2 * step)
    np.testing.assert_allclose(LOSS.derivative(z, y), slope, atol=1e-8)


def test_smoothness_is_the_slope_of_the_derivative():
    assert float(LOSS.derivative(1.0, 0.3) - LOSS.derivative(0.0, 0.3)) == pytest.approx(LOSS.smoothness)


def test_curvature_of_the_unit_lasso_is_eight_and_attained():
    assert LOSS.curvature() == 8.0
    row, a = np.ones((1, 2)), np.array([1.0, 0.0])
    assert curvature_ratio(row, a, -a) == pytest.approx(8.0)


@pytest.mark.parametrize("kind", [L1Ball, L2Ball])
def test_constants_are_never_exceeded_on_random_data(kind):
    rng = np.random.default_rng(5)
    radius, feature_bound, label_bound = 1.7, 0.6, 0.9
    ball = kind(3, radius)
    for _ in range(300):
        features = rng.uniform(-1, 1, (4, 3)) if rng.uniform() < 0.5 else rng.choice([-1.0, 1.0], (4, 3))
        order = np.inf if kind is L1Ball else 2
        features *= feature_bound / np.linalg.norm(features, ord=order, axis=1)[:, None]
        a, b = (ball.minimise_linear(rng.normal(size=3)) for _ in range(2))
        assert curvature_ratio(features, a, b) <= LOSS.curvature(radius, feature_bound) * (1 + 1e-9)
        gradients = LOSS.derivative(features @ a, label_bound)[:, None] * features
        largest = np.linalg.norm(gradients, ord=order, axis=1).max()
        assert largest <= LOSS.l1_lipschitz(radius, feature_bound, label_bound) * (1 + 1e-12)


def test_lipschitz_constant_of_the_unit_lasso_is_four_and_attained():
    assert LOSS.l1_lipschitz() == 4.0
    assert abs(float(LOSS.derivative(1.0, -1.0))) == 4.0


@pytest.mark.parametrize("bound", [-1.0, np.nan, np.inf])
def test_bounds_must_be_finite_and_not_negative(bound):
    with pytest.raises(InputError, match="radius must be finite and at least 0"):
        LOSS.curvature(radius=bound)
