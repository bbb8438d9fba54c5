"""Slips of print in Bassily, Smith and Thakurta (2014), each computed from the printed formula and from what holds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.errata_laws import gaussian_delta, least_estimation_risk, replaced_record, spent_on_replacement
from scipy import optimize, stats

from dprepro.algorithms import NoisySGD
from dprepro.budget import Budget, Neighbours
from dprepro.problems import Domain, L2Ball, LinearLoss


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_arithmetic_of_theorem_2_1_exceeds_epsilon_though_the_theorem_holds(epsilon: float) -> None:
    """n^2 steps of epsilon/(n sqrt(log 1/delta)) each, composed by Lemma 2.3: sqrt(2) epsilon and more."""
    n, delta = 100, 1e-6
    step, steps = epsilon / (n * math.sqrt(math.log(1 / delta))), n**2
    composed = math.sqrt(2 * steps * math.log(1 / delta)) * step + steps * step * math.expm1(step)
    assert composed > 1.41 * epsilon
    spent = NoisySGD().privacy_loss(Domain(LinearLoss(), L2Ball(4), n), Budget(epsilon, delta, Neighbours.REPLACE_ONE))
    assert spent is not None
    assert spent.epsilon < epsilon


def test_zeta_of_algorithm_4_is_not_below_1() -> None:
    assert 3 * math.log(2) > 1


def test_the_gamma_tail_of_lemma_4_2_fails_for_zeta_below_1() -> None:
    """Pr(||b|| > zeta p) <= e^(-zeta) for a gamma law of shape p: an equality at p = 1."""

    def excess(zeta: float, p: int) -> float:
        return float(stats.gamma.sf(zeta * p, p)) / math.exp(-zeta)

    assert excess(0.5, 1) == pytest.approx(1)
    assert excess(0.5, 2) > 1.2
    assert excess(0.9, 20) > 1.5
    sizes = [1, 2, 3, 10, 100, 1000]
    assert all(excess(3 * math.log(n), p) <= 1 + 1e-12 for n in (2, 3, 10, 1e6) for p in sizes)


def huberised(z: float, h: float) -> float:
    """Appendix A's f-hat."""
    return max(z, 0.0) if abs(z) > h else z**2 / (4 * h) + z / 2 + h / 4


@pytest.mark.parametrize("h", [0.5, 0.01])
def test_the_huberised_hinge_is_once_and_not_twice_differentiable(h: float) -> None:
    step = 1e-3 * h
    for end, slope in ((-h, 0.0), (h, 1.0)):
        inside, outside = (end + step, end - step) if end < 0 else (end - step, end + step)
        assert huberised(inside, h) == pytest.approx(huberised(outside, h), abs=3 * step)
        assert (huberised(end, h) - huberised(inside, h)) / (end - inside) == pytest.approx(slope, abs=1e-3)
        # Three points on one side of the end give the second derivative there, exactly, for a parabola and a line.
        into = [huberised(end + k * (inside - end), h) for k in range(1, 4)]
        out = [huberised(end + k * (outside - end), h) for k in range(1, 4)]
        assert (into[0] - 2 * into[1] + into[2]) / step**2 == pytest.approx(1 / (2 * h), rel=1e-3)
        assert (out[0] - 2 * out[1] + out[2]) / step**2 == pytest.approx(0, abs=1e-3 / h)


def risk(theta: float, *kinds: tuple[float, float, float]) -> float:
    """Mean hinge (y - x theta)^+ over kinds (share, x, y)."""
    return sum(share * max(y - x * theta, 0.0) for share, x, y in kinds)


def test_the_first_data_set_of_appendix_a_does_not_have_its_minimiser_at_1() -> None:
    printed = ((1 / 3, -1.0, 1.0), (2 / 3, 1.0, -1.0))
    meant = ((1 / 3, 1.0, 1.0), (2 / 3, -1.0, -1.0))
    corners = (-2.0, -1.0, 1.0, 2.0)  # a piecewise linear function has its minimum at one of them
    assert min(corners, key=lambda theta: risk(theta, *printed)) == -1
    assert risk(1.0, *printed) == pytest.approx(2 / 3)
    assert min(corners, key=lambda theta: risk(theta, *meant)) == 1


@pytest.mark.parametrize("h", [0.9, 0.1])
def test_the_smoothed_minimiser_is_at_1_minus_a_third_of_h_with_curvature_n_over_2h(h: float) -> None:
    def smoothed(theta: float) -> float:
        return huberised(1 - theta, h) / 3 + 2 * huberised(theta - 1, h) / 3

    found = optimize.minimize_scalar(smoothed, bounds=(-2, 2), method="bounded", options={"xatol": 1e-10}).x
    assert found == pytest.approx(1 - h / 3, abs=1e-6)
    step = h / 10
    curvature = (smoothed(found + step) - 2 * smoothed(found) + smoothed(found - step)) / step**2
    assert curvature == pytest.approx(1 / (2 * h), rel=1e-6)  # of the mean; n times it for the sum
    assert all(abs(curvature * h / printed - 1) > 0.4 for printed in (1 / 3, 1 / 6))


def test_the_radius_in_the_proof_of_theorem_b_2_lacks_the_root_of_p() -> None:
    """sigma_0^2 = 4 L^2 log(1/delta)/(Delta epsilon n)^2 at (epsilon/2, delta/2)."""
    p, epsilon, delta, n = 49, 0.3, 1e-6, 1e4
    sigma = 2 * math.sqrt(math.log(2 / delta)) / (epsilon / 2 * n)
    printed = 4 * math.sqrt(math.log(2 / delta)) / (epsilon * n)
    assert sigma * math.sqrt(p) == pytest.approx(math.sqrt(p) * printed)
    norms = np.linalg.norm(np.random.default_rng(0).normal(0, sigma, (200, p)), axis=1)
    assert norms.min() > 4 * printed  # a typical noise, 7 times the printed radius at zeta = 1


@pytest.mark.parametrize(("regulariser", "private"), [(8, False), (2, True)])
def test_equation_9_needs_four_times_the_printed_regulariser_beside_a_zeroed_out_record(
    regulariser: int, private: bool
) -> None:
    """theta^2/(8 epsilon h) against theta^2/(2 epsilon h), n = 1: the record (1, y) against (0, 0), which says nothing.

    theta = alpha inside [-2, 2] needs b = -(2 alpha/(regulariser epsilon h) - f-hat'(y - alpha)), of slope 1/(2h) where
    the hinge is smoothed; the ends of [-2, 2] have atoms. Computed exactly at delta = 1e-6; pairs of data sets can
    disprove privacy only.
    """
    epsilon, delta, h = 0.5, 1e-6, 0.05
    ridge, scale = 2 / (regulariser * epsilon * h), math.sqrt(8 * math.log(1 / delta)) / epsilon
    alpha = np.linspace(-2, 2, 400_001)

    def excess(p: tuple[np.ndarray, float, float], q: tuple[np.ndarray, float, float]) -> float:
        inside = np.trapezoid(np.maximum(p[0] - math.exp(epsilon) * q[0], 0), alpha)
        return float(inside + sum(max(p[i] - math.exp(epsilon) * q[i], 0) for i in (1, 2)))

    def law(slope: np.ndarray, curve: np.ndarray) -> tuple[np.ndarray, float, float]:
        noise = ridge * alpha + slope  # -b
        ends = float(stats.norm.cdf(noise[0], scale=scale)), float(stats.norm.sf(noise[-1], scale=scale))
        density = stats.norm.pdf(noise, scale=scale) * (ridge + curve)
        assert np.trapezoid(density, alpha) + sum(ends) == pytest.approx(1, abs=1e-4)
        return density, *ends

    silent = law(np.zeros_like(alpha), np.zeros_like(alpha))
    spent = []
    for y in (-1.0, -0.5, 0.0, 0.5, 1.0):
        z = y - alpha
        speaks = law(-np.clip(z / (2 * h) + 0.5, 0, 1), (np.abs(z) < h) / (2 * h))
        spent += [excess(speaks, silent), excess(silent, speaks)]
    assert (max(spent) <= delta) == private
    assert math.exp(1.25) < 1 + 2 * 1.25  # the Hessian's factor beside the printed one, until there
    assert math.exp(1.26) > 1 + 2 * 1.26
    if not private:
        assert max(spent) > 1000 * delta


def spent_by_sigma_0(epsilon: float, delta: float) -> float:
    """The exact delta(epsilon) of one step of output perturbation with the printed sigma_0.

    The minimiser moves by up to 2 L/(Delta n), epsilon/sqrt(log(1/delta)) times sigma_0 (attained by linear losses with
    a ridge, in opposite directions).
    """
    return gaussian_delta(epsilon / math.sqrt(math.log(1 / delta)), epsilon)


@pytest.mark.parametrize(("delta", "within", "beyond"), [(1e-6, 0.1, 0.2), (1e-3, 1.0, 1.2)])
def test_sigma_0_of_appendix_b_is_short_from_some_epsilon_on(delta: float, within: float, beyond: float) -> None:
    assert spent_by_sigma_0(within, delta) < delta < spent_by_sigma_0(beyond, delta)
    assert all(spent_by_sigma_0(epsilon, 1e-9) > 1e-9 for epsilon in (0.01, 0.1, 1.0))
    # it spends 1.15 times its epsilon at (1, 1e-6), and 8 log(1.25/delta) is enough
    shift = 1 / math.sqrt(math.log(1e6))
    assert gaussian_delta(shift, 1.15) < 1e-6 < gaussian_delta(shift, 1.14)
    assert gaussian_delta(2 / math.sqrt(8 * math.log(1.25 / 1e-6)), 1.0) < 1e-6


@pytest.mark.parametrize(
    ("epsilon", "delta", "times"), [(1.0, 1e-6, 2.2), (0.4, 1e-6, 1), (0.05, 1e-9, 1), (4, 1e-3, 1)]
)
def test_gaussian_localisation_can_violate_its_guarantee_by_what_it_publishes(
    epsilon: float, delta: float, times: float
) -> None:
    """Halves at (epsilon/2, delta/2): the printed first one, and a second one that spends all of its own.

    The hardest law of that budget says which data set it had with probability delta/2, and else answers with log-odds
    +-epsilon/2. theta^priv tells theta_0 and that answer, which may stand in its last digits: any solver may be used.
    """
    half, rest = epsilon / 2, delta / 2
    shift = half / math.sqrt(math.log(1 / rest))
    right = math.exp(half) / (1 + math.exp(half))
    tails = right * gaussian_delta(shift, epsilon - half) + (1 - right) * gaussian_delta(shift, epsilon + half)
    assert rest + (1 - rest) * tails > times * delta


@pytest.mark.parametrize(
    ("epsilon", "delta", "times"), [(0.2, 1e-6, 1), (1.0, 1e-6, 2.9), (0.1, 1e-9, 50), (0.05, 1e-9, 1)]
)
def test_the_gaussian_noise_of_appendix_e_is_short_under_replacement(
    epsilon: float, delta: float, times: float
) -> None:
    """Variance 8 L^2 log(1/delta)/epsilon^2, with Delta = 2 beta/epsilon: gradients of two records differ by up to 2 L.

    The same noise serves a record added or removed (huberization_privacy, private_beside_a_zeroed_out_record).
    """
    scale, ridge = math.sqrt(8 * math.log(1 / delta)) / epsilon, 2 / epsilon
    centres = np.array([-4.5, -4.0, -3.75, -3.5]) * scale / ridge

    def spent(deviation: float) -> float:
        return max(
            spent_on_replacement(
                replaced_record(
                    centre, line, ridge, lambda b: stats.norm.pdf(b, scale=deviation), 14 * deviation / ridge
                ),
                epsilon,
            )
            for centre in centres * deviation / scale
            for line in (-1, 1)
        )

    assert spent(scale) > 0.99 * times * delta
    # What holds instead: Algorithm 1 of Kifer, Smith and Thakurta for gradients that differ by 2 L.
    assert spent(2 * math.sqrt(8 * math.log(2 / delta) + 4 * epsilon) / epsilon) < delta


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_gamma_noise_of_appendix_e_costs_more_than_epsilon_under_replacement(epsilon: float) -> None:
    """Density exp(-epsilon |b|/(2 L)), Delta = 2 beta/epsilon, L = beta = 1, n = 1: epsilon + ln(1 + epsilon/2).

    Just inside the parabola's left end its slope is -L and its curvature beta, where the other record's slope is L.
    """
    ridge, centre = 2 / epsilon, 4.0
    alpha = centre - 1 + np.geomspace(1e-9, 1, 1000)
    slope = alpha - centre

    def loss(rate: float) -> float:
        parabola = -rate * np.abs(ridge * alpha + slope) + math.log(ridge + 1)
        line = -rate * np.abs(ridge * alpha + 1) + math.log(ridge)
        return float(np.abs(parabola - line).max())

    assert loss(epsilon / 2) == pytest.approx(epsilon + math.log(1 + epsilon / 2), rel=1e-6)
    assert loss(epsilon / 4) < epsilon  # twice the noise


def test_the_ridge_that_theorem_e_2_asks_of_one_record_is_one_of_n_records() -> None:
    """A beta-smooth loss has Delta <= beta, so Delta >= beta/(2 epsilon) needs epsilon >= 1/2; the sum has n Delta."""
    for epsilon in (0.5, 1.0, 4.0):
        for n, enough in ((1, False), (3, False), (4, True), (1000, True)):
            assert (n / (2 * epsilon) >= 2 / epsilon) == enough  # against 2 beta/epsilon


@pytest.mark.parametrize("epsilon", [1.0, 0.1])
def test_no_algorithm_has_the_population_risk_of_section_1_1(epsilon: float) -> None:
    """min(1/sqrt n, p/(epsilon n)) at p = L = C = 1, on [-1/2, 1/2]: half the level on [-1, 1]."""
    over = [least_estimation_risk(n) / 2 / min(1 / math.sqrt(n), 1 / (epsilon * n)) for n in (10**6, 10**8)]
    assert over[1] / over[0] == pytest.approx(10, rel=0.01)
    assert over[1] > 100
    assert least_estimation_risk(10**4) / 2 * 100 > 0.169
    # What Appendix F has: the larger of the two, with sqrt(p) for approximate privacy.
    assert least_estimation_risk(10**8) / 2 < max(1e-4, 1 / (epsilon * 1e8))


def test_with_the_best_smoothing_huberisation_loses_root_n_and_not_n() -> None:
    """On every data set of Appendix A, at h = 1/sqrt n: n h/4 + 1/(2 epsilon h) + 4 E|b| in the sum.

    f <= f-hat <= f + h/4. What theta^priv minimises gives L-hat(theta^priv) - L-hat(theta*) <= theta*^2/(8 epsilon h) +
    b (theta* - theta^priv), and |theta| <= 2.
    """
    epsilon, delta = 0.5, 1e-6
    assert max(huberised(z, 0.1) - max(z, 0) for z in np.linspace(-1, 1, 2001)) == pytest.approx(0.1 / 4)

    def most(n: float) -> float:
        h = 1 / math.sqrt(n)
        noise = math.sqrt(2 / math.pi) * math.sqrt(8 * math.log(1 / delta)) / epsilon
        return n * h / 4 + 4 / (8 * epsilon * h) + 4 * noise

    assert most(1e8) < 2 * math.sqrt(1e8)
    assert most(1e12) / most(1e8) == pytest.approx(100, rel=0.02)


def test_the_choice_of_appendix_d_loses_the_least_of_the_candidates_and_not_the_largest() -> None:
    """Two candidates of risk 0 and R: the mechanism takes the second with probability 1/(1 + e^(epsilon R/(2 L C)))."""
    epsilon, risk, failure = 1.0, 100.0, 1e-6
    second = 1 / (1 + math.exp(epsilon * risk / 2))
    assert second < failure
    assert risk - 2 / epsilon * math.log(2 / failure) > 0  # the printed max - O(L C log(k/rho)/epsilon) is positive


def test_the_regularised_loss_of_appendix_f_is_l_plus_delta_c_lipschitz() -> None:
    """L theta + Delta theta^2/2 on [0, C]."""
    lipschitz, diameter, convexity = 1.0, 2.0, 3.0
    theta = np.linspace(0, diameter, 2001)
    slope = np.max(np.diff(lipschitz * theta + convexity * theta**2 / 2) / np.diff(theta))
    assert slope > lipschitz + diameter + 3
    assert slope < lipschitz + convexity * diameter
    # Both sides of L + Delta C scale like a loss over a length; L + C does not: in cm C is 100 times as large.


def test_lemma_f_5_has_a_length_squared_in_the_place_of_a_loss() -> None:
    """n = 1, records d = +-1, loss L max(0, d theta) on [-1/2, 1/2]; publish -d/2 with probability delta, else 0.

    (0, delta)-private, and no empirical risk. The population risk is delta L/4; C^2 delta = delta has no L.
    """
    delta, theta = 0.01, {1: -0.5, -1: 0.5}
    for lipschitz in (1.0, 1e6):

        def loss(point: float, record: int, scale: float = lipschitz) -> float:
            return scale * max(0.0, record * point)

        empirical = [delta * loss(theta[d], d) + (1 - delta) * loss(0, d) for d in (1, -1)]
        population = [delta * (loss(theta[d], 1) + loss(theta[d], -1)) / 2 for d in (1, -1)]
        assert empirical == [0, 0]
        assert population == pytest.approx([delta * lipschitz / 4] * 2)
        assert population[0] <= lipschitz * delta  # L C delta
    assert population[0] > 1e5 * delta  # C^2 delta


def test_a_regulariser_for_p_smooth_losses_costs_a_linear_loss_a_part_of_p_over_epsilon() -> None:
    """L = C = 1, beta = p, Delta = p/(2 epsilon), slope Delta/4 on [-1/2, 1/2]: by quadrature over the noise, p = 1."""
    epsilon = 0.5
    for p in (1e4, 1e6, 1e8):
        ridge = p / (2 * epsilon)
        slope = ridge / 4
        for deviation in (0.0, ridge / 10, ridge, 10 * ridge):
            b = deviation * stats.norm.ppf((np.arange(4000) + 0.5) / 4000)
            risk = slope * (0.5 - float(np.clip((slope - b) / ridge, -0.5, 0.5).mean()))
            assert risk >= p / (32 * epsilon) * (1 - 1e-9)
    cell = [math.sqrt(p) * math.log(1e6) / epsilon for p in (1e4, 1e6, 1e8)]
    assert [p / (32 * epsilon) / one for p, one in zip((1e4, 1e6, 1e8), cell, strict=True)] == pytest.approx(
        [0.226, 2.26, 22.6], rel=0.01
    )


def test_huberised_hinges_in_many_dimensions_lose_less_than_section_1_1_says() -> None:
    """The best width against sqrt(p n)/epsilon, both over n: the share falls as sqrt(epsilon/p)."""
    epsilon, delta, n = 0.5, 1e-6, 1e12
    over = []
    for p in (1e4, 1e6, 1e8):
        h = math.sqrt(2 / (n * epsilon))
        noise = 2 * math.sqrt(p * (8 * math.log(2 / delta) + 4 * epsilon)) / epsilon
        over.append((n * h / 4 + 1 / (2 * epsilon * h) + noise) / (math.sqrt(p * n) / epsilon))
    assert over[0] < 0.02
    assert over[2] < 1e-3


def test_objective_perturbation_needs_hessians_of_rank_one() -> None:
    """A quadratic record in p = 3 against none, n = 1, within the ball where it is 1-Lipschitz; beta = 1, by shells."""

    def spent(epsilon: float, ridge: float, deviation: float) -> float:
        radius = np.linspace(0, 1, 200_001)
        middle, width = (radius[1:] + radius[:-1]) / 2, radius[1]
        p, q = (
            4 * math.pi * middle**2 * (curve / (deviation * math.sqrt(2 * math.pi))) ** 3
            * np.exp(-((curve * middle / deviation) ** 2) / 2)
            for curve in (ridge + 1, ridge)
        )  # fmt: skip
        return float(np.maximum(0, p - math.exp(epsilon) * q).sum() * width)

    noise = math.sqrt(8 * math.log(2e6) + 4)
    assert spent(1, 2, noise) / 1e-6 == pytest.approx(984, rel=0.01)
    assert spent(1, 2, 2 * noise) / 1e-6 == pytest.approx(130, rel=0.02)
    assert math.log((1 + 1 / 2) ** 3) > 1  # gamma noise at theta = 0, where the slopes agree


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_at_one_column_or_record_a_private_answer_is_exact_too_often(epsilon: float) -> None:
    """n = 1: randomised response. p = 1: geometric noise on the number of ones, cut off at 0 and n = 6."""
    assert math.exp(epsilon) / (1 + math.exp(epsilon)) > 1 / 2
    a, n = math.exp(-1.2), 6
    law = np.array([[(1 - a) / (1 + a) * a ** abs(i - j) for j in range(n + 1)] for i in range(n + 1)])
    for i in range(n + 1):
        law[i, 0], law[i, n] = a**i / (1 + a), a ** (n - i) / (1 + a)
    assert law.sum(axis=1) == pytest.approx(np.ones(n + 1))
    assert np.abs(np.log(law[1:] / law[:-1])).max() <= 1.2 + 1e-12
    assert law.diagonal().min() == pytest.approx(math.tanh(0.6))
    assert math.tanh(0.6) > 1 / 2


def test_localisation_loses_something_at_one_record_where_log_n_is_0() -> None:
    """C_0 is theta* + b: half the squared distance loses E b^2/2 = (4 L/epsilon)^2, far from the set's ends."""
    assert 3 * math.log(1) == 0
    scale, wide = 4.0, 1e3
    b = scale * stats.laplace.ppf((np.arange(100_000) + 0.5) / 100_000)
    assert float((np.clip(b, -wide, wide) ** 2).mean() / 2) == pytest.approx(scale**2, rel=0.01)


def test_the_regulariser_of_theorem_e_1_needs_a_set_that_contains_0() -> None:
    """On [shift - 1/2, shift + 1/2] a slope below Delta shift leaves the answer at the near end: its whole length."""
    epsilon, delta = 1.0, 1e-6
    ridge = math.sqrt(math.log(1 / delta)) / epsilon
    b = math.sqrt(8) * ridge * stats.norm.ppf((np.arange(4000) + 0.5) / 4000)
    for shift in (1e3, 1e5):
        slope = ridge * shift / 2
        theta = np.clip((slope - b) / ridge, shift - 0.5, shift + 0.5)
        assert slope * float((shift + 0.5 - theta).mean()) > shift / 3 * ridge  # the bound is a constant times ridge


def test_the_printed_steps_of_the_sampler_grow_as_epsilon_falls() -> None:
    """Lemma 6.5's order over Theorem 3.4's at n = 1e4, p = 10, C = 2."""
    n, p, wide = 1e4, 10, 2.0

    def over(epsilon: float) -> float:
        slope, near = max(n * epsilon / 6, p), epsilon / 3
        walk = (slope * wide / near) ** 2 * p**3 * max(p * math.log(slope * wide * p / near), slope * wide)
        steps = walk * max(p * math.log(wide), n * epsilon / 6, math.log(1 / near))
        return steps / (wide**2 * p**3 * n**3 * max(p * math.log(wide * p * n), epsilon * wide * n))

    assert over(1) < 10
    assert over(1e-6) > 1e5 * over(1)


def test_the_choice_of_appendix_d_costs_more_than_a_small_risk() -> None:
    """k = 8 runs that lose r = 100 F with chance 1/100, epsilon r/(2 L C) tiny: the choice is a draw among them."""
    runs, failure = 8, 2 / 2**8
    rng = np.random.default_rng(5)
    bad = (rng.random((200_000, runs)) < 0.01).sum(axis=1)
    assert float((bad / runs).mean()) > failure + 4 * 0.1 / math.sqrt(200_000)
