"""One-hot populations and data sets: the same risk as that of the records that they stand for, and the sampling law."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import small_problems
from scipy.stats import chisquare

from dprepro.errors import DpreproError, InputError
from dprepro.problems import (
    AbsoluteLoss,
    Domain,
    HalfSquaredLoss,
    L1Ball,
    L2Ball,
    LinearLoss,
    LogisticLoss,
    MarginLoss,
    Median,
    OneHotView,
    RecordsView,
    SquaredLoss,
)
from dprepro.problems.views.one_hot_view import sampled

LOSSES = [loss for loss in small_problems.losses().values() if isinstance(loss, MarginLoss)]
P, LABEL = 5, np.array([0.9, 0.5, 0.7, 0.0])
SHARE, BIAS = np.array([0.3, 0.2, 0.1, 0.15]), np.array([0.4, -0.8, 0.1, 0.0])
losses = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)


def population(loss: MarginLoss, n: float = 4000, radius: float = 6.0) -> OneHotView:
    """Four touched coordinates of five, one without a label; the features have length 0.8."""
    domain = Domain(loss, L2Ball(P, radius), n, 0.8)
    return OneHotView(domain, LABEL, SHARE * (1 + BIAS) / 2, SHARE * (1 - BIAS) / 2)


def sample(loss: MarginLoss, n: float = 4000, radius: float = 6.0, seed: int = 0) -> OneHotView:
    return sampled(population(loss, n, radius), np.random.default_rng(seed))


@losses
def test_counts_have_the_risk_and_the_gradient_of_the_records_that_they_stand_for(loss: MarginLoss) -> None:
    view = sample(loss)
    listed = RecordsView(view.domain, view.to_records())
    assert (listed.records.copies == np.round(listed.records.copies)).all()
    assert listed.records.n == 4000
    rng = np.random.default_rng(1)
    first = rng.normal(size=P)
    for theta in rng.normal(size=(5, P)):
        rise = view.value(theta) - view.value(first)
        assert rise == pytest.approx(listed.value(theta) - listed.value(first), abs=1e-14)
        np.testing.assert_allclose(view.gradient(theta), listed.gradient(theta), atol=1e-14)
        np.testing.assert_allclose(view.gradient(theta[:4]), listed.gradient(theta)[:4], atol=1e-14)
        assert view.value(theta[:4]) == view.value(theta)


@losses
@pytest.mark.parametrize(
    ("radius", "ridge", "pulled"),
    [(0.3, 0.0, False), (0.3, 1e-3, True), (0.3, 2.0, False), (6.0, 0.0, True), (6.0, 1e-3, False), (6.0, 2.0, True)],
)
def test_its_minimum_is_that_of_the_records(loss: MarginLoss, radius: float, ridge: float, pulled: bool) -> None:
    view = sample(loss, 400, radius, seed=3)
    listed = RecordsView(view.domain, view.to_records())
    linear = 0.1 * np.random.default_rng(2).normal(size=P) if pulled else np.zeros(P)
    found, other = view.minimise(linear, ridge), listed.minimise(linear, ridge)
    theta = np.asarray(found.theta)
    assert np.linalg.norm(theta) <= radius * (1 + 1e-9)
    assert found.gap <= 1e-8 * radius
    rest = listed.value(np.zeros(P)) - view.value(np.zeros(P))  # the records of x = 0
    assert found.value + rest == pytest.approx(other.value, abs=found.gap + other.gap + 1e-13)
    without = view.minimise(0.0, ridge)
    assert np.asarray(without.theta).shape == (4,)


@losses
def test_the_population_minimum_is_below_all_points_around_it(loss: MarginLoss) -> None:
    view = population(loss, radius=2.0)
    minimum, rng = view.minimum, np.random.default_rng(2)
    assert minimum.gap < 1e-9
    for scale in (1e-3, 1e-1, 1.0):
        for _ in range(50):
            theta = view.domain.constraint_set.project(np.r_[minimum.theta, 0.0] + scale * rng.normal(size=P))
            assert view.excess(theta) >= -1e-12
            assert view.excess(theta) == pytest.approx(view.value(theta) - minimum.value, abs=1e-13)


@pytest.mark.parametrize(
    ("loss", "place"),
    [
        (SquaredLoss(), BIAS * LABEL / 0.8),
        (AbsoluteLoss(), np.sign(BIAS) * LABEL / 0.8),
        (LogisticLoss(), np.log((1 + BIAS) / (1 - BIAS)) / np.maximum(LABEL, 1e-9) / 0.8 * (LABEL > 0)),
    ],
    ids=["squared", "absolute", "logistic"],
)
def test_the_population_minimiser_is_the_closed_form_and_is_certified_if_known(loss, place: np.ndarray) -> None:
    view = population(loss)
    np.testing.assert_allclose(view.minimum.theta, place, atol=1e-10)
    known = OneHotView(view.domain, view.label, view.plus, view.minus, known=place)
    assert known.minimum.theta is place
    assert known.minimum.gap <= 1e-9
    assert known.minimum.value == pytest.approx(view.minimum.value, abs=1e-14)
    on_sphere = Domain(loss, L2Ball(P, float(np.linalg.norm(place))), 4000, 0.8)
    assert OneHotView(on_sphere, view.label, view.plus, view.minus, known=place).minimum.gap <= 1e-9
    for wrong in (1.01 * place, 10 * place):
        with pytest.raises(InputError, match="must lie in the set with a gap of at most"):
            _ = OneHotView(view.domain, view.label, view.plus, view.minus, known=wrong).minimum


def test_excess_of_a_quadratic_risk_keeps_its_digits() -> None:
    view = population(SquaredLoss())
    step = np.array([3e-9, -4e-9, 0.0, 0.0])
    assert view.excess(np.asarray(view.minimum.theta) + step) == pytest.approx(
        0.64 * float(SHARE @ step**2), rel=1e-6, abs=0
    )


@pytest.mark.parametrize("loss", [SquaredLoss(), HalfSquaredLoss(), LinearLoss()], ids=repr)
def test_a_quadratic_risk_has_its_hessian_linear_term_and_moments(loss: MarginLoss) -> None:
    view = sample(loss)
    theta = np.random.default_rng(4).normal(size=P)
    np.testing.assert_allclose(view.gradient(theta)[:4], view.hessian * theta[:4] - view.linear, atol=1e-14)
    moments = view.to_moments()
    np.testing.assert_allclose(moments.gradient(theta), view.gradient(theta), atol=1e-14)
    assert moments.value(theta) == pytest.approx(view.value(theta))
    with pytest.raises(InputError, match="LogisticLoss is not quadratic"):
        _ = sample(LogisticLoss()).hessian


def test_embedded_records_have_the_embedded_features() -> None:
    view = sample(SquaredLoss())
    columns = np.random.default_rng(5).normal(size=(3, 4))
    columns /= np.linalg.norm(columns, axis=0)
    listed = RecordsView(Domain(SquaredLoss(), L2Ball(3, 6.0), 4000, 0.8), view.embedded(columns))
    for theta in np.random.default_rng(6).normal(size=(5, 3)):
        lifted = columns.T @ theta
        rise = view.value(lifted) - view.value(np.zeros(4))
        assert listed.value(theta) - listed.value(np.zeros(3)) == pytest.approx(rise, abs=1e-14)
        np.testing.assert_allclose(listed.gradient(theta), columns @ view.gradient(lifted), atol=1e-14)


def test_a_sample_has_multinomial_counts_and_binomial_labels() -> None:
    rng, whole = np.random.default_rng(5), population(SquaredLoss(), n=50)
    draws = [sampled(whole, rng) for _ in range(2000)]
    counts = np.round(50 * np.sum([draw.share for draw in draws], axis=0))
    total = 50 * 2000
    assert chisquare([*counts, total - counts.sum()], total * np.append(SHARE, 0.25)).pvalue > 1e-4
    positive = 50 * np.sum([draw.plus for draw in draws], axis=0)
    error = np.sqrt(counts * (1 - BIAS**2) / 4)
    assert (np.abs(positive - counts * (1 + BIAS) / 2) < 4.5 * error).all()  # false alarm: 3e-5
    # one draw's counts vary as binomials do, and depend on each other
    spread = np.cov([50 * draw.share for draw in draws], rowvar=False)
    expected = 50 * (np.diag(SHARE) - np.outer(SHARE, SHARE))
    np.testing.assert_allclose(spread, expected, atol=6 * 50 * 0.25 / np.sqrt(2000))


def test_a_balanced_tail_appears_as_often_as_expected_and_the_rest_at_random() -> None:
    domain, tail = Domain(SquaredLoss(), L2Ball(20), 1e6), np.full(10, 0.025)
    label = np.r_[np.ones(2), np.zeros(10)]
    whole = OneHotView(domain, label, np.r_[0.2, 0.1, tail], np.r_[0.05, 0.15, tail], tail=10)
    one = sampled(whole, np.random.default_rng(6))
    np.testing.assert_allclose(one.share[2:], 0.05, rtol=1e-15)
    assert one.tail == 10
    assert one.share.sum() == pytest.approx(1.0, abs=1e-12)
    assert not np.array_equal(one.share[:2], whole.share[:2])
    assert one.share[:2].sum() == pytest.approx(0.5, abs=1e-12)


def test_a_sample_of_a_huge_n_costs_nothing() -> None:
    one = sampled(population(LogisticLoss(), n=1e15), np.random.default_rng(7))
    assert one.domain.n == 1e15
    np.testing.assert_allclose(one.share, SHARE, rtol=1e-6)


HELD = Domain(SquaredLoss(), L2Ball(3), 10)
ONE = np.ones(1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: OneHotView(HELD, 50 * ONE, ONE / 2, ONE / 2), r"labels must lie in \[0, 1\], got one of 50"),
        (lambda: OneHotView(HELD, -ONE, ONE / 2, ONE / 2), r"labels must lie in \[0, 1\]"),
        (lambda: OneHotView(HELD, np.nan * ONE, ONE / 2, ONE / 2), r"labels must lie in \[0, 1\]"),
        (lambda: OneHotView(HELD, ONE, ONE, ONE / 2), "weights must be at least 0 and sum to at most 1, got 1.5"),
        (lambda: OneHotView(HELD, ONE, -ONE / 2, ONE / 2), "weights must be at least 0"),
        (lambda: OneHotView(HELD, ONE, np.nan * ONE, ONE / 2), "weights must be at least 0"),
        (lambda: OneHotView(HELD, ONE, ONE / 2, np.ones(2) / 4), "must share a length of at most p=3, got 1"),
        (lambda: OneHotView(HELD, np.ones(4), np.ones(4) / 9, np.ones(4) / 9), "at most p=3, got 4"),
        (lambda: OneHotView(HELD, ONE, ONE / 2, ONE / 2, tail=1), "the tail must have label 0"),
        (lambda: OneHotView(Domain(Median(), L2Ball(3), 10), ONE, ONE / 2, ONE / 2), "need a loss of <x, theta>"),
        (lambda: OneHotView(Domain(SquaredLoss(), L1Ball(3), 10), ONE, ONE / 2, ONE / 2), "over an l2 ball"),
        (
            lambda: OneHotView(HELD, ONE, ONE / 2, ONE / 2).value(np.zeros(2)),
            r"shape \(1,\) or \(3,\), got shape \(2,\)",
        ),
    ],
)
def test_what_breaks_its_bounds_is_refused(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_a_minimiser_that_misses_its_certificate_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    view = population(SquaredLoss())
    monkeypatch.setattr(OneHotView, "_minimiser", lambda self, pull, ridge, radius: (np.full(pull.size, 0.1), 0.0))
    with pytest.raises(DpreproError, match="must lie in the set with a gap of at most"):
        _ = view.minimum
