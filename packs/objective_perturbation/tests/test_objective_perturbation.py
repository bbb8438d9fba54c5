"""Every account by code written apart: quadrature, dynamic programmes, minimisers; and the numbers of the brief."""

from __future__ import annotations

import math

import numpy as np
import pytest
from dprepro_objective_perturbation import accounts, bounds, minima, pairs
from dprepro_objective_perturbation.algorithm import ApproximateMinima, descended
from dprepro_objective_perturbation.statements import ATTACKS, STATEMENTS
from scipy.optimize import minimize
from scipy.special import ndtr

from dprepro.budget import Budget, Neighbours
from dprepro.errors import PremiseError
from dprepro.privacy.perturbed_minimisers import addition_delta, perturbed_delta, removal_delta, shift_delta
from dprepro.problems import Domain, HuberLoss, L2Ball, LogisticLoss

SETTINGS = [(0.2, 0.5, 1.0), (0.5, 0.5, 1.0), (0.1, 0.3, 0.5), (1.0, 1.0, 3.0), (0.3, 1.5, 1.0)]


@pytest.mark.parametrize(("mu", "curvature", "epsilon"), [*SETTINGS, (0.5, 0.1, 1.0)])
def test_the_account_of_addition_is_the_integral_of_the_best_places(
    mu: float, curvature: float, epsilon: float
) -> None:
    """Places by trial, and not by the condition that the account solves."""
    shares, tried = np.linspace(0.03, 1, 1500), np.linspace(0, 1, 1500)
    g = mu * shares[:, None]
    v = np.minimum(epsilon / g - g / 2, 40.0) * tried
    density = np.exp(-(v**2) / 2) * (1 - np.exp(epsilon - v * g - g**2 / 2) / (1 + curvature))
    largest = density.max(axis=1) * (1 + curvature) / curvature / math.sqrt(2 * math.pi)
    step = mu * (shares[1] - shares[0])
    exact = float((largest.sum() - largest[-1] / 2) * step)
    assert addition_delta(mu, curvature, epsilon) == pytest.approx(exact, rel=1e-3)


def test_accounts_are_those_by_which_the_core_calibrates() -> None:
    """One text of the integrals: the pack's profile is the core's where losses bend, to the bit."""
    for mu, curvature, epsilon in SETTINGS:
        assert accounts.profile(mu, curvature, epsilon) == perturbed_delta(mu, curvature, epsilon)
        assert accounts.plain_addition(mu, 0.0, epsilon) == addition_delta(mu, 0.0, epsilon)
    left = math.log1p(0.5) / 2  # below ln(1 + r)
    assert accounts.plain_addition(0.2, 0.5, left) == pytest.approx(addition_delta(0.2, 0.5, left), rel=1e-14)


def programme(mu: float, curvature: float, epsilon: float, step: float) -> float:
    """The best map that in each step of v keeps u - v or lowers it at its full rate: a dynamic programme from -9 to 9.

    Both choices are maps that are allowed, so the value is a lower end of what addition loses; u - v has any sign.
    """
    s = curvature / (1 + curvature)
    levels = np.arange(mu, -mu - 1e-12, -s * step)
    best = np.zeros(levels.size)
    for v in np.arange(9, -9, -step):
        here = ndtr(v) - ndtr(v - step)

        def gain(low: np.ndarray, high: np.ndarray, here: float = here) -> np.ndarray:
            mass = np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))
            return np.maximum(here - math.exp(epsilon) * mass, 0.0)

        low = v - step + levels
        stay = gain(low, low + step) + best
        fall = np.full(levels.size, -1.0)
        fall[:-1] = gain(low, low + step / (1 + curvature))[:-1] + best[1:]
        best = np.maximum(stay, fall)
    return float(best[0])


@pytest.mark.parametrize(("mu", "curvature", "epsilon"), [*SETTINGS[:2], SETTINGS[3], (2.5, 0.5, 0.6), (1.5, 1, 0.75)])
def test_no_map_of_a_dynamic_programme_loses_more_than_the_account(mu: float, curvature: float, epsilon: float) -> None:
    found = programme(mu, curvature, epsilon, 0.01)
    account = addition_delta(mu, curvature, epsilon)
    assert found <= account * (1 + 1e-9)
    if accounts.addition_is_attained(mu, curvature, epsilon):
        assert found >= 0.97 * account


@pytest.mark.parametrize(("mu", "curvature", "epsilon"), SETTINGS)
def test_pairs_are_maps_of_records_and_come_near_to_the_accounts(mu: float, curvature: float, epsilon: float) -> None:
    bent = pairs.bending(mu, curvature, epsilon)
    assert bent.fits(mu, curvature)
    assert not bent.fits(0.9 * mu, curvature)
    assert not bent.fits(mu, 0.9 * curvature)
    share = bent.addition(epsilon) / addition_delta(mu, curvature, epsilon)
    assert share <= 1 + 1e-9
    if accounts.addition_is_attained(mu, curvature, epsilon):
        assert share > 0.9999
    if accounts.removal_is_attained(mu, curvature, epsilon):
        at_once = pairs.largest_removal(mu, curvature, epsilon)
        assert at_once == pytest.approx(removal_delta(mu, epsilon), rel=1e-9)


@pytest.mark.parametrize("shift", [0.0, 1.5, -4.0])
def test_the_delta_of_a_map_is_that_of_a_fine_sum(shift: float) -> None:
    mu, curvature, epsilon = 0.8, 0.7, 0.6
    found = pairs.one_record(mu, curvature, shift)
    u = np.linspace(-12, 12, 2_000_001)
    v = u + np.clip(curvature * (u - shift), -mu, mu)
    slope = np.where(np.abs(u - shift) < mu / curvature, 1 + curvature, 1.0)
    first, second = np.exp(-(u**2) / 2), np.exp(-(v**2) / 2) * slope
    scale = (u[1] - u[0]) / math.sqrt(2 * math.pi)
    goes = np.maximum(first - math.exp(epsilon) * second, 0).sum() * scale
    comes = np.maximum(second - math.exp(epsilon) * first, 0).sum() * scale
    assert found.removal(epsilon) == pytest.approx(goes, rel=1e-4)
    assert found.addition(epsilon) == pytest.approx(comes, rel=1e-4, abs=1e-12)


def test_losses_of_minimisers_in_two_dimensions_are_within_those_of_the_derivation() -> None:
    """Real minimisers of logistic-like losses beside other records, b drawn on either side."""
    rng, slope, ridge, sigma = np.random.default_rng(0), 0.4, 0.5, 1.0
    others = rng.standard_normal((3, 2))
    x = np.array([0.6, 0.8])
    curvature, mu = 0.3 / ridge, slope / sigma  # f' = slope tanh(0.3 t/slope)

    def terms(theta: np.ndarray, record: bool) -> tuple[np.ndarray, np.ndarray]:
        """Gradient without b, and the Hessian."""
        t = others @ theta
        gradient = others.T @ np.tanh(t) + ridge * theta
        hessian = others.T @ (others / np.cosh(t)[:, None] ** 2) + ridge * np.eye(2)
        if record:
            own = 0.3 * (x @ theta - 0.5) / slope
            gradient, hessian = (
                gradient + slope * math.tanh(own) * x,
                hessian + 0.3 / math.cosh(own) ** 2 * np.outer(x, x),
            )
        return gradient, hessian

    def value(theta: np.ndarray, b: np.ndarray, record: bool) -> float:
        smooth = np.logaddexp(0, 2 * (others @ theta)).sum() - (others @ theta).sum() + ridge / 2 * theta @ theta
        own = slope**2 / 0.3 * np.logaddexp(0, 2 * (y := 0.3 * (x @ theta - 0.5) / slope)) - slope**2 / 0.3 * y
        return float(smooth + b @ theta + (own if record else 0.0))

    for record in (True, False):
        for _ in range(25):
            b = sigma * rng.standard_normal(2)
            theta = minimize(value, np.zeros(2), (b, record), tol=1e-10).x
            (own, bent), (other, unbent) = terms(theta, record), terms(theta, not record)
            determinants = math.log(np.linalg.det(bent) / np.linalg.det(unbent))
            loss = determinants + (other @ other - own @ own) / (2 * sigma**2)
            u = abs(float(b @ x)) / sigma
            most = mu * u + mu**2 / 2
            assert loss <= most + (math.log1p(curvature) if record else 0.0) + 1e-5


def test_the_accounts_stand_in_their_order() -> None:
    for mu, curvature, epsilon in SETTINGS:
        exact, plain = (one(mu, curvature, epsilon) for one in (accounts.profile, accounts.plain_profile))
        assert exact <= plain <= accounts.two_sided(mu, curvature, epsilon)
        assert addition_delta(mu, 1e-9, epsilon) == pytest.approx(shift_delta(mu, epsilon), rel=1e-5)
    assert accounts.two_sided(0.2, 0.5, 1.0) <= accounts.redberg(0.2, 0.5, 1.0)
    with pytest.raises(PremiseError, match="beta < lambda"):
        accounts.redberg(0.2, 1.0, 1.0)


def test_the_plain_account_takes_over_where_the_other_is_more_and_delta_falls_with_epsilon() -> None:
    for mu, curvature in ((0.4, 1.0), (2.0, 0.3), (5.0, 4.0)):
        curve = [accounts.profile(mu, curvature, epsilon) for epsilon in np.linspace(0, 15, 301)]
        assert np.diff(curve).max() <= 1e-12
        assert 0 <= curve[-1] <= curve[0] <= 1


def test_removal_is_attained_from_the_edge_on_and_not_before() -> None:
    mu, epsilon = 0.5, 1.0
    edge = mu**2 / (epsilon - mu**2 / 2)
    for share, attained in ((1.001, True), (0.95, False)):
        assert accounts.removal_is_attained(mu, share * edge, epsilon) is attained
        ratio = pairs.largest_removal(mu, share * edge, epsilon) / removal_delta(mu, epsilon)
        assert (ratio > 1 - 1e-9) is attained


def test_accounts_go_on_below_what_curvature_alone_may_cost() -> None:
    mu, curvature = 0.4, 1.0
    u = np.linspace(-12, 12, 400_001)
    density = np.exp(-(u**2) / 2) / math.sqrt(2 * math.pi) * (u[1] - u[0])
    for epsilon in (0.05, 0.3, 0.6):
        comes = math.log1p(curvature) + np.maximum(mu * u + mu**2 / 2, 0)
        goes = mu * np.abs(u) + mu**2 / 2
        expected = [(density * np.maximum(1 - np.exp(epsilon - one), 0)).sum() for one in (comes, goes)]
        assert accounts.plain_addition(mu, curvature, epsilon) == pytest.approx(expected[0], rel=1e-6)
        assert removal_delta(mu, epsilon) == pytest.approx(expected[1], rel=1e-6)
    assert removal_delta(mu, mu**2 / 2 - 1e-9) == pytest.approx(removal_delta(mu, mu**2 / 2), rel=1e-6)


@pytest.mark.parametrize(
    ("account", "noise"),
    [
        (accounts.plain_profile, 6.855), (accounts.two_sided, 7.097), (accounts.redberg, 13.21),
        (accounts.profile, 5.714), (pairs.largest, 5.714),
    ],
)  # fmt: skip
def test_the_least_noise_of_every_account_at_r_one_half(account: accounts.Account, noise: float) -> None:
    found = accounts.noise(account, 0.5, 1.0, 1e-6)
    assert found == pytest.approx(noise, abs=6e-3)
    assert account(1 / found, 0.5, 1.0) <= 1e-6 < account(1 / (found * (1 - 1e-7)), 0.5, 1.0)
    assert accounts.printed_noise(1.0, 1e-6) == pytest.approx(10.96, abs=3e-3)


def test_a_huber_loss_loses_what_a_prototype_found() -> None:
    assert bounds.addition_bent_at_once(0.2, 0.5, 1.0) == pytest.approx(5.8e-6, rel=0.02)
    assert accounts.plain_addition(0.2, 0.5, 1.0) == pytest.approx(1.13e-4, rel=5e-3)


def test_maps_of_the_search_are_records() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        place = rng.random(2 + 2 * bounds.PIECES)
        assert pairs.knotted(place, 0.3, 0.8).fits(0.3, 0.8)


def test_renyi_divergences_of_a_shift_are_those_of_a_gaussian() -> None:
    """A loss that bends far away is linear where the probability is."""
    assert pairs.renyi(4, 0.5, 0.5, 40.0, True) == pytest.approx(4 * 0.25 / 2, rel=1e-6)
    for order in (1.5, 4, 32):
        assert pairs.renyi(order, 0.5, 0.5, 0.0, True) <= accounts.renyi_addition(order, 0.5, 0.5) * (1 + 1e-9)
        assert pairs.renyi(order, 0.5, 0.5, 0.0, False) <= accounts.renyi_removal(order, 0.5) * (1 + 1e-9)
        u = np.linspace(-40, 40, 400_001)
        loss = math.log(1.5) + np.maximum(0.5 * u + 0.125, 0)
        moment = np.exp((order - 1) * loss - u**2 / 2).sum() * (u[1] - u[0]) / math.sqrt(2 * math.pi)
        assert accounts.renyi_addition(order, 0.5, 0.5) == pytest.approx(math.log(moment) / (order - 1), rel=1e-9)


@pytest.mark.parametrize(("mu", "curvature", "epsilon"), [(0.3, 0.1, 1.0), (1.0, 0.4, 0.5), (0.5, 0.2, 0.1)])
def test_the_first_stage_is_the_mean_over_lengths_in_the_plane(mu: float, curvature: float, epsilon: float) -> None:
    length = np.linspace(0, 40, 800_001)
    density = length * np.exp(-(length**2) / 2) * (length[1] - length[0])
    loss = math.log1p(curvature) + mu * length + mu**2 / 2
    expected = (density * np.maximum(1 - np.exp(epsilon - loss), 0)).sum()
    assert minima.first_stage(mu, curvature, epsilon) == pytest.approx(expected, rel=1e-5)
    assert minima.both_stages(mu, curvature, 1e-3, epsilon) == pytest.approx(expected, rel=1e-3)
    assert minima.both_stages(mu, curvature, 0.3, epsilon) > expected


def test_both_stages_without_an_output_are_the_plain_account() -> None:
    for mu, curvature, epsilon in SETTINGS[:2]:
        plain = accounts.plain_profile(mu, curvature, epsilon)
        assert minima.reached(mu, curvature, epsilon, 1e-3) == pytest.approx(plain, rel=2e-2)
        assert minima.seen_twice(mu, curvature, epsilon, 1e-3) == pytest.approx(
            pairs.largest(mu, curvature, epsilon), rel=2e-2
        )


def test_two_minima_differ_by_twice_the_error_of_one() -> None:
    """Linear losses: the solver may stop anywhere within n gamma/Lambda of the minimum."""
    split = minima.Split(0.1, 1e-6, 0.9, 0.9)
    claimed = bounds.whole_printed(0.1, 1e-6, 0.9, 0.9) * 1e-6

    def lost(error: float) -> float:  # n gamma/L; the noises are n sigma_1/L and Lambda sigma_2/L
        deviation = math.hypot(2 / split.mu_first, error / split.mu_output)
        return shift_delta((2 + 2 * error) / deviation, 0.1)

    worst = (2 * split.mu_output / split.mu_first) ** 2
    assert lost(worst) == pytest.approx(claimed, rel=1e-9)
    assert max(lost(0.9 * worst), lost(1.1 * worst)) < claimed
    assert claimed == pytest.approx(1.887e-6, rel=1e-3)


def test_the_solver_stops_where_the_gradient_is_gamma_and_says_where_it_cannot() -> None:
    curved = np.array([10.0, 0.1])
    theta, norm = descended(lambda at: curved * (at - 1), np.zeros(2), 10.0, 0.1, 1e-6)
    assert norm <= 1e-6
    np.testing.assert_allclose(theta, 1.0, atol=1e-5)


def test_approximate_minima_have_the_printed_schedule_and_spend_no_more_than_their_budget() -> None:
    domain = Domain(LogisticLoss(), L2Ball(3, 10.0), 1000, proper=False)
    budget = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
    printed = ApproximateMinima(constants="printed").schedule(domain, budget)
    first, noise = 0.99, 0.891
    ridge = 2 * domain.smoothness / (first - noise)
    assert printed.regulariser == pytest.approx(ridge)
    root = 1 + math.sqrt(2 * math.log(1 / 0.99e-6))
    assert printed.noise_scale == pytest.approx(2 * domain.lipschitz / 1000 * root / noise)
    root = 1 + math.sqrt(2 * math.log(1 / 1e-8))
    assert printed.output_noise == pytest.approx(1000 * printed.gamma / ridge * root / 0.01)
    repaired = ApproximateMinima().schedule(domain, budget)
    assert repaired.output_noise == 2 * printed.output_noise
    assert ApproximateMinima().privacy_loss(domain, budget).epsilon < 1
    much = ApproximateMinima(constants="printed", out_share=0.9)
    assert much.privacy_loss(domain, Budget(0.1, 1e-6, Neighbours.REPLACE_ONE)).epsilon > 0.1
    assert "must be less than 1" in ApproximateMinima(noise_share=0.5).refusal(
        domain, Budget(5.0, 1e-6, Neighbours.REPLACE_ONE)
    )
    assert "Huber" not in ApproximateMinima().refusal(Domain(HuberLoss(), L2Ball(1, 1.0), 2), budget)


def test_every_statement_is_attacked() -> None:
    assert {one.item for one in STATEMENTS} == set(ATTACKS)
