"""Losses of one record: what each says of itself, held against its values on a grid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numba
import numpy as np
import pytest
from helpers.small_problems import losses

from dprepro.problems.losses import (
    AbsoluteLoss,
    DistanceLoss,
    HalfSquaredDistance,
    HingeLoss,
    HuberLoss,
    LinearLoss,
    LogisticLoss,
    Loss,
    MarginLoss,
    Median,
    SquaredLoss,
)

LOSSES = [*losses().values()]
LABELS = np.array([-1.0, -0.4, 0.0, 0.3, 1.0])
named = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)


def grid(loss: Loss) -> tuple[np.ndarray, np.ndarray]:
    """Arguments within 3, distances not negative, by labels within 1; shapes (1, S) and (labels, 1)."""
    return np.linspace(0.0 if isinstance(loss, DistanceLoss) else -3.0, 3.0, 241)[None, :], LABELS[:, None]


@named
def test_every_derivative_is_a_subgradient_of_a_convex_loss(loss: Loss) -> None:
    s, y = grid(loss)
    value, slope = loss.value(s, y), loss.derivative(s, y)
    assert value.shape == slope.shape == (LABELS.size, s.size) or isinstance(loss, DistanceLoss)
    value, slope = np.broadcast_arrays(value, slope, np.zeros((LABELS.size, s.size)))[:2]
    # tangents[y, at, s] <= value[y, s]
    tangents = value[:, :, None] + slope[:, :, None] * (s[0][None, None, :] - s[0][None, :, None])
    assert (tangents <= value[:, None, :] + 1e-12).all()


@named
def test_the_derivative_agrees_with_finite_differences_away_from_kinks(loss: Loss) -> None:
    s, y = grid(loss)
    s = s[:, 1:]
    step = 1e-6
    differences = (loss.value(s + step, y) - loss.value(s - step, y)) / (2 * step)
    left, right = loss.derivative(s - step, y), loss.derivative(s + step, y)
    smooth = np.abs(right - left) < 1e-4
    assert smooth.mean() > 0.95
    np.testing.assert_allclose(np.where(smooth, loss.derivative(s, y) - differences, 0.0), 0.0, atol=step)


@named
def test_the_compiled_slope_is_the_derivative(loss: Loss) -> None:
    s, y = grid(loss)
    compiled = numba.njit(type(loss).slope)
    expected = np.broadcast_to(loss.derivative(s, y), (LABELS.size, s.size))
    found = [[compiled(float(a), float(b)) for a in s[0]] for b in LABELS]
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=0)
    plain = [[type(loss).slope(float(a), float(b)) for a in s[0][::20]] for b in LABELS]
    np.testing.assert_allclose(plain, expected[:, ::20], rtol=1e-14, atol=0)


@named
def test_smoothness_bounds_the_slope_of_the_derivative_and_is_attained(loss: Loss) -> None:
    s, y = grid(loss)
    slope = np.broadcast_to(loss.derivative(s, y), (LABELS.size, s.size))
    steepest = float((np.diff(slope, axis=1) / np.diff(s[0])).max())
    if math.isfinite(loss.smoothness):
        assert steepest <= loss.smoothness * (1 + 1e-9)
        assert steepest >= 0.999 * loss.smoothness
    else:
        assert steepest > 10  # a jump


@named
@pytest.mark.parametrize("reach", [0.3, 2.0])
@pytest.mark.parametrize("label_bound", [0.5, 1.0])
def test_slope_bound_is_the_largest_slope_on_the_domain(loss: Loss, reach: float, label_bound: float) -> None:
    s = np.linspace(0.0 if isinstance(loss, DistanceLoss) else -reach, reach, 101)[None, :]
    y = np.linspace(-label_bound, label_bound, 101)[:, None]
    assert np.abs(loss.derivative(s, y)).max() == pytest.approx(loss.slope_bound(reach, label_bound), rel=1e-12)


@named
def test_tangents_a_hair_aside_lie_below_the_loss_and_enclose_its_subgradients(loss: Loss) -> None:
    if isinstance(loss, DistanceLoss):
        return
    s, y = grid(loss)
    (low, low_slack), (high, high_slack) = loss.beside(s, y, -1), loss.beside(s, y, 1)
    assert (low <= loss.derivative(s, y) + 1e-15).all()
    assert (high >= loss.derivative(s, y) - 1e-15).all()
    assert low_slack.min() >= 0
    assert max(low_slack.max(), high_slack.max()) <= 1e-8
    away = (s + 0.1, s - 0.1)
    for slope, slack in ((low, low_slack), (high, high_slack)):
        for other in away:
            assert (loss.value(s, y) - slack + slope * (other - s) <= loss.value(other, y) + 1e-9).all()


@named
def test_affine_pieces_have_the_loss_as_their_maximum(loss: Loss) -> None:
    s = np.linspace(-3, 3, 61)
    pieces = loss.affine(LABELS)
    kinked = isinstance(loss, MarginLoss) and loss.smoothness == math.inf
    slopes = np.unique(loss.derivative(s[None, :], LABELS[1:2, None]))
    assert (pieces is not None) == (kinked and slopes.size <= 3)  # that at a kink is one of its own
    if pieces is not None:
        highest = np.max([slope[:, None] * s + offset[:, None] for slope, offset in zip(*pieces, strict=True)], axis=0)
        np.testing.assert_allclose(highest, loss.value(s[None, :], LABELS[:, None]), atol=1e-15)


@named
def test_a_quadratic_loss_is_its_coefficients(loss: Loss) -> None:
    s, y = grid(loss)
    bends = np.diff(np.broadcast_to(loss.value(s, y), (LABELS.size, s.size)), 2, axis=1)
    tip = isinstance(loss, DistanceLoss) and bool(loss.derivative(1e-9, 1.0) > 1e-3)
    assert (loss.quadratic is not None) == (bool(np.ptp(bends) < 1e-12) and not tip)
    if loss.quadratic is not None and not isinstance(loss, LinearLoss):
        a, b, c = loss.quadratic
        np.testing.assert_allclose(a * s**2 - b * s * y + c * y**2, loss.value(s, y) + 0 * y, atol=1e-14)
        assert loss.smoothness == 2 * a


@named
def test_the_second_derivative_is_that_of_the_derivative(loss: Loss) -> None:
    if not (math.isfinite(loss.smoothness) and isinstance(loss, MarginLoss)):
        return
    s, y = grid(loss)
    bend = loss.second_derivative(s + 1e-3, y)
    differences = (loss.derivative(s + 2e-3, y) - loss.derivative(s, y)) / 2e-3
    kinked = isinstance(loss, HuberLoss) & (np.abs(np.abs(s + 1e-3 - y) - 1) < 2e-3)
    np.testing.assert_allclose(np.where(kinked, 0.0, bend - differences), 0.0, atol=1e-6)


@pytest.mark.parametrize("loss", [loss for loss in LOSSES if isinstance(loss, DistanceLoss)], ids=repr)
def test_distances_are_their_norms_and_strongly_convex_as_they_say(loss: DistanceLoss) -> None:
    r = np.linspace(0, 3, 31)
    assert loss.norms is not None
    tip, bend = loss.norms
    np.testing.assert_allclose(tip * r + 0.5 * bend * r**2, loss.value(r, 1.0), atol=1e-15)
    assert loss.strong_convexity == (bend or None)


def test_what_does_not_exist_is_none_or_infinite() -> None:
    assert LinearLoss().smoothness == 0
    for kinked in (AbsoluteLoss(), HingeLoss(), Median()):
        assert kinked.smoothness == math.inf
        assert kinked.strong_convexity is None
        assert kinked.quadratic is None
    assert LogisticLoss().slope_bound(math.inf, 0.7) == 0.7
    assert SquaredLoss().slope_bound(math.inf, 1.0) == math.inf


def test_half_the_squared_distance_is_2_lipschitz_on_the_unit_ball_and_not_1_lipschitz_as_printed() -> None:
    assert HalfSquaredDistance().slope_bound(2.0, 1.0) == 2.0


def test_hinge_is_linear_where_no_margin_exceeds_one() -> None:
    z = np.linspace(-1, 1, 41)[None, :]
    np.testing.assert_array_equal(HingeLoss().value(z, LABELS[:, None]), 1 - LABELS[:, None] * z)


@dataclass(frozen=True)
class _Quartic(SquaredLoss):
    """phi = (z - y)^4: a loss of one's own, made from another."""

    smoothness: ClassVar[float] = math.inf

    @staticmethod
    def phi(z: Any, y: Any) -> Any:
        return (z - y) ** 4

    def derivative(self, s: Any, y: Any) -> Any:
        return 4 * (np.asarray(s) - y) ** 3


@dataclass(frozen=True)
class _Rounded(Median):
    """phi = r^3/3, with a kernel."""

    @staticmethod
    def phi(r: Any, y: Any) -> Any:
        return r**3 / 3

    @staticmethod
    def slope(r: Any, y: Any) -> Any:
        return r**2


def test_a_loss_that_is_made_from_another_never_has_the_others_kernel_coefficients_or_pieces() -> None:
    assert _Quartic.slope is None
    assert _Quartic().quadratic is None
    assert _Quartic().slope_bound(1.0, 1.0) == 32
    assert float(_Quartic().value(2.0, 1.0)) == 1.0
    assert _Rounded.slope(2.0, 1.0) == 4.0
    assert _Rounded().norms is None

    class Louder(HingeLoss):
        def value(self, s: Any, y: Any) -> Any:
            return 2 * super().value(s, y)

    assert Louder.slope is None
    assert Louder().affine(LABELS) is None
    with pytest.raises(AssertionError, match="overrides derivative"):
        Louder().derivative(0.0, 1.0)
    assert SquaredLoss.slope(1.0, 0.0) == 2.0
