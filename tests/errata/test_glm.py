"""Slips of print in Arora et al. (2022), each computed from the printed formula and from what holds.

Several follow from units. With x -> c x and w -> w/c predictions do not change, so neither may risks; k keeps its
value, the noise on w falls by c, and lambda ||w||^2 keeps its value if lambda grows by c^2. With y -> c y and w -> c w
squared losses grow by c^2.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.errata_laws import gaussian_delta
from scipy import stats

from dprepro import bounds


def test_algorithm_1_without_the_gradient_sign_does_not_descend() -> None:
    """(w - 1)^2 from 0: L(w_t) itself, a positive number, drives w away from 1; the gradient brings it there."""
    printed, meant = 0.0, 0.0
    for _ in range(8):
        printed -= 0.1 * (printed - 1) ** 2
        meant -= 0.1 * 2 * (meant - 1)
    assert (printed - 1) ** 2 > 2  # from 1
    assert (meant - 1) ** 2 < 0.03


def test_the_step_of_theorem_2_needs_the_root_of_k_or_its_bound_depends_on_d() -> None:
    n, epsilon, delta, sketch = 1e9, 1e-2, 1e-6, 1e4
    smoothness, radius, label_bound = 2.0, 1.0, 1.0
    lipschitz = 2 * math.sqrt(smoothness) * label_bound + 2 * smoothness * radius
    noise = math.sqrt(8 * lipschitz**2 * n * math.log(1 / delta)) / (n * epsilon)

    def bound(dimension: float) -> float:
        largest = max(math.sqrt(smoothness) * label_bound, noise * math.sqrt(dimension))
        step_size = min(radius / (math.sqrt(n) * largest), 1 / (4 * smoothness))
        return bounds.evaluate(
            "glm.theorem_2",
            {
                "steps": n, "noise_scale": noise, "step_size": step_size,
                "smoothness": smoothness, "radius": radius, "label_level": label_bound, "sketch": sketch,
                "sketched_smoothness": smoothness,
            },
        )  # fmt: skip

    assert bound(sketch) < 0.2
    assert bound(1e14) / bound(1e12) == pytest.approx(10, rel=0.1)  # sqrt(d)
    assert bound(1e14) > 1000 * bound(sketch)


def test_k_of_theorem_2_has_a_factor_x_too_many() -> None:
    smoothness, label_bound, n_epsilon = 2.0, 1.5, 1e6
    root = math.sqrt(smoothness)

    def printed(features: float, radius: float) -> float:
        return (radius * root * features * n_epsilon / (label_bound * features + root * radius * features**2)) ** (
            2 / 3
        )

    def meant(features: float, radius: float) -> float:
        return (radius * root * features * n_epsilon / (label_bound + root * radius * features)) ** (2 / 3)

    assert printed(4.0, 0.25) == pytest.approx(printed(1.0, 1.0) / 4 ** (2 / 3))
    assert meant(4.0, 0.25) == pytest.approx(meant(1.0, 1.0))

    # The proof sketch's two terms, (sqrt(H) X Y + H X^2 B) B sqrt(k)/(n epsilon) + H B^2 X^2/k, are least near it.
    def terms(k: np.ndarray, features: float, radius: float) -> np.ndarray:
        gradient = root * features * label_bound + smoothness * features**2 * radius
        return gradient * radius * np.sqrt(k) / n_epsilon + smoothness * (radius * features) ** 2 / k

    grid = np.geomspace(1, 1e6, 100_001)
    for features, radius in ((1.0, 1.0), (4.0, 0.25), (10.0, 3.0)):
        best = grid[np.argmin(terms(grid, features, radius))]
        assert best == pytest.approx(2 ** (2 / 3) * meant(features, radius), rel=1e-3)


@pytest.mark.parametrize("k", [10, 1000])
def test_the_ball_of_radius_b_does_not_hold_the_projected_minimiser(k: int) -> None:
    """||Phi w*||^2 is ||w*||^2 chi^2_k/k for a Gaussian map."""
    assert 0.4 < float(stats.chi2.sf(k, k)) < 0.5
    assert float(stats.chi2.sf(4 * k, k)) < 1e-4
    # The printed G of radius B serves radius 2B all the same: Lemma 2 is loose by 2. A non-negative H-smooth phi with
    # phi(0) <= Y^2 has |phi'(0)| <= sqrt(2 H) Y, and its slope grows by at most H.
    for label_bound, radius in ((1.0, 0.1), (1.0, 10.0)):
        smoothness = 2.0
        printed = 2 * math.sqrt(smoothness) * label_bound + 2 * smoothness * radius
        assert math.sqrt(2 * smoothness) * label_bound + smoothness * 2 * radius <= printed


def test_theorem_3_adds_quantities_that_scale_differently() -> None:
    """sigma must fall as 1/c and lambda grow as c^2, whatever Y."""
    smoothness, n_epsilon = 2.0, 1e6

    def printed(c: float, label_bound: float) -> tuple[float, float]:
        features, radius = c, 1 / c
        top = (label_bound + smoothness * radius * features**2) * math.sqrt(smoothness) * features
        weight = (top / (radius * n_epsilon)) ** (2 / 3)
        sigma = math.sqrt(label_bound**2 + (smoothness * radius * features**2) ** 2) / (weight * n_epsilon)
        return weight, sigma

    def meant(c: float, label_bound: float) -> tuple[float, float]:
        features, radius = c, 1 / c
        gradient = math.sqrt(smoothness) * features * label_bound + smoothness * radius * features**2
        weight = (gradient * math.sqrt(smoothness) * features / (radius * n_epsilon)) ** (2 / 3)
        return weight, gradient / (weight * n_epsilon)

    for label_bound in (0.01, 1.0, 100.0):
        weight, sigma = (
            after / before for before, after in zip(meant(1, label_bound), meant(10, label_bound), strict=True)
        )
        assert (weight, sigma) == (pytest.approx(100), pytest.approx(0.1))
    weight, sigma = (after / before for before, after in zip(printed(1, 100.0), printed(10, 100.0), strict=True))
    assert weight < 40
    assert not 0.09 < sigma < 0.11


@pytest.mark.parametrize("hidden_constant", [1.0, 16.0, 1e4])
def test_theorem_3_is_not_private_for_long_features_whatever_its_constant(hidden_constant: float) -> None:
    """sigma^2 = K (Y^2 + H^2 B^2 X^4) ln(1/delta)/(lambda n epsilon)^2 with the printed lambda; squared loss, H = 2.

    One record (X e_1, Y) becomes (X e_1, -Y) among n - 1 zeroed-out ones: the minimiser, of size X Y/n over X^2/n +
    lambda/2, turns around. Y is far above H B X^2, and the minimiser inside the ball.
    """
    epsilon, delta, n, label_bound = 1.0, 1e-6, 1e15, 1.0
    log = math.log(1 / delta)

    def shift(features: float) -> float:
        radius = 1e-4 / features**2
        top = label_bound + 2 * radius * features**2
        weight = (top * math.sqrt(2) * features / (radius * n * epsilon)) ** (2 / 3) * log ** (1 / 3)
        sigma = math.sqrt(hidden_constant * (label_bound**2 + (2 * radius * features**2) ** 2) * log) / (
            weight * n * epsilon
        )
        minimiser = features * label_bound / n / (features**2 / n + weight / 2)
        assert minimiser < radius
        return 2 * minimiser / sigma

    features = 10 * math.sqrt(hidden_constant)
    assert gaussian_delta(shift(features), epsilon) > 0.99
    assert shift(4 * features) == pytest.approx(4 * shift(features), rel=0.01)


def test_theorem_3_loses_more_than_its_rate_for_short_features() -> None:
    """x = X e_1 with probability q and else 0, y = x.w*, no sampling error: what the ridge alone costs, for X << 1.

    (X w - X B)^2 q + lambda w^2/2 has its minimum at B 2 q X^2/(2 q X^2 + lambda), inside the ball.
    """
    radius, label_bound = 1.0, 1.0

    def over_rate(features: float) -> float:
        n_epsilon = label_bound / (2 * radius * features**2)
        top = (label_bound + 2 * radius * features**2) * math.sqrt(2) * features
        weight = (top / (radius * n_epsilon)) ** (2 / 3)
        share = min(1.0, weight / (2 * features**2))
        risk = share * (features * radius * weight / (2 * share * features**2 + weight)) ** 2
        scale = math.sqrt(2) * radius * features
        return risk / ((scale ** (4 / 3) * label_bound ** (2 / 3) + scale**2) / n_epsilon ** (2 / 3))

    assert over_rate(1e-6) / over_rate(1e-3) == pytest.approx(100, rel=0.05)
    assert over_rate(1e-6) > 500


@pytest.mark.parametrize(
    ("epsilon", "delta", "private"),
    [(0.3, 1e-5, True), (1 / 3, 1e-5, False), (1.0, 1e-5, False), (0.2, 1e-6, False), (0.1, 1e-9, False)],
)
def test_theorem_5_is_short_from_a_third_of_epsilon_on(epsilon: float, delta: float, private: bool) -> None:
    """Linear losses of slope +-G in opposite directions move the minimiser by 2 G X/(lambda n)."""
    shift = epsilon / math.sqrt(math.log(1 / delta))  # over the printed sigma, which has 4; with 8 it is enough
    assert (gaussian_delta(shift, epsilon) <= delta) == private
    assert gaussian_delta(shift * math.sqrt(4 / 8), epsilon) < delta


def test_table_1_needs_the_exponent_four_thirds() -> None:
    def cell(power: float, scale: float, label_bound: float) -> float:
        return scale**power * label_bound ** (2 / 3)

    for power, growth in ((2 / 3, 2 ** (4 / 3)), (4 / 3, 2**2)):  # a squared loss grows by c^2 = 4
        assert cell(power, 2.0, 2.0) / cell(power, 1.0, 1.0) == pytest.approx(growth)
    # At d = (sqrt(H) B X n epsilon/Y)^(2/3), where the regimes meet, the low-dimensional cell has the same value.
    scale, label_bound, n_epsilon = 0.1, 2.0, 1e6
    low = scale * label_bound * math.sqrt((scale * n_epsilon / label_bound) ** (2 / 3)) / n_epsilon
    assert low == pytest.approx(cell(4 / 3, scale, label_bound) / n_epsilon ** (2 / 3))
    assert low < 0.3 * cell(2 / 3, scale, label_bound) / n_epsilon ** (2 / 3)
    # Where sqrt(H) B X > 1 the printed cell, an upper bound, is below Theorem 4's lower bound by any factor.
    assert cell(4 / 3, 1e6, 1e7) > 9999 * cell(2 / 3, 1e6, 1e7)
    # The lower cell for sqrt(H) B X > Y is above the risk of answer 0, at most Y^2, by any factor.
    numbers = {"n": 1e6, "p": 1e9, "epsilon": 0.1, "smoothness": 1.0, "radius": 1e-3, "label_level": 1e-9}
    lower = bounds.evaluate("glm_corners.table_1_lower_printed", numbers)
    assert lower > 1e6 * bounds.evaluate("glm_corners.zero_risk", numbers)


def test_delta_in_the_proof_of_theorem_4_lacks_n() -> None:
    """Labels of one direction when its sign is turned, counted."""
    n, share, directions, b = 1200, 0.5, 3, 0.2
    copies = round(share * n / directions)
    plus = round(copies * (1 + b) / 2)
    labels = np.repeat([1, -1], [plus, copies - plus])
    assert np.sum(labels != np.sort(-labels)[::-1]) == round(share * b * n / directions) == 40
    assert share * b / directions < 0.04


def test_b_in_the_proof_of_theorem_4_is_a_share_only_below_the_root_of_d() -> None:
    n_epsilon, d, label_bound = 1e6, 25, 1.0

    def b(scale: float) -> float:  # scale = B X
        share = min(1.0, d**1.5 * label_bound / (scale * n_epsilon))
        assert share < 1
        return (scale / (label_bound * math.sqrt(share * n_epsilon))) ** (2 / 3)

    for scale in (0.5, 4.9, 5.1, 50.0):
        assert b(scale) == pytest.approx(scale / (label_bound * math.sqrt(d)))
        assert (b(scale) <= 1) == (scale <= 5)


def test_lemma_1_fails_with_gamma_read_as_delta() -> None:
    """At delta = 0 the hypothesis Delta <= log(1/(2 delta))/epsilon would be no restriction.

    Publishing tau with log-odds epsilon (Delta/2 - i), i being how many of the Delta entries were replaced, is
    epsilon-private, and errs by 2 q |tau - tau'| on both ends together.
    """
    epsilon, differing = 0.1, 100
    odds = epsilon * (differing / 2 - np.arange(differing + 1))
    for sign in (1, -1):
        log_probability = -np.log1p(np.exp(-sign * odds))
        assert np.abs(np.diff(log_probability)).max() <= epsilon
    assert (1 - math.exp(-epsilon)) / 16 > 0  # the other hypothesis, at delta = 0
    error = 2 / (1 + math.exp(odds[0]))
    assert error < 0.02 < 1 / 4


def test_the_scores_of_algorithm_4_have_sensitivity_two_delta_over_n() -> None:
    """A mean over n/2 losses in [0, Delta(B)], one of them replaced."""
    n, largest = 1000, 7.0
    losses = np.random.default_rng(0).uniform(0, largest, n // 2)
    losses[0] = 0
    replaced = losses.copy()
    replaced[0] = largest
    assert replaced.mean() - losses.mean() == pytest.approx(2 * largest / n)


def test_the_transition_of_the_introduction_holds_for_small_norms_only() -> None:
    """Where the private terms of Theorems 1 and 2 cross, for H = X = Y = 1."""

    def crossing(radius: float, n_epsilon: float = 1e12) -> float:
        projected = (radius ** (4 / 3) + radius**2) / n_epsilon ** (2 / 3)
        return float((projected * n_epsilon / ((2 + 2 * radius) * radius)) ** 2)

    def power(radius: float) -> float:
        return math.log(crossing(2 * radius) / crossing(radius)) / math.log(2)

    assert power(1e-4) == pytest.approx(2 / 3, abs=0.05)
    assert power(1e6) == pytest.approx(0, abs=0.05)


def test_a_map_to_one_dimension_tells_more_than_theorem_2_allows() -> None:
    """k = 1, n = T = 2: the mean gradient at 0 moves by 2 X Y |Phi e_1|, a standard normal number's size."""
    for epsilon, delta, times in ((5.0, 1e-6, 13), (0.1, 1e-15, 35_000)):
        shift = epsilon / math.sqrt(8 * math.log(1 / delta))
        z = np.linspace(0.0, 12.0, 4001)[1:]
        told = np.array([gaussian_delta(shift * one, epsilon) for one in z])
        exceeded = 2 * np.trapezoid(told * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi), z) / delta
        assert exceeded == pytest.approx(times, rel=0.005)
        share = bounds.evaluate(
            "glm_corners.theorem_2_privacy_printed",
            {"epsilon": epsilon, "delta": delta, "ratio": 1e-9, "granted": 100.0},
        )
        assert share == pytest.approx(exceeded, rel=0.01)
        assert gaussian_delta(shift, epsilon) < delta  # of a feature that keeps its length


def test_in_one_dimension_no_lambda_gives_what_is_said_after_theorem_3() -> None:
    """Squared loss, X = Y = 1, B = 1/sqrt 2, delta = 1e-6 epsilon: the least over lambda of the larger of two costs."""
    least = []
    for signal in (1e6, 1e9, 1e12):
        n = signal**2 * 1e4
        numbers = {"n": n, "epsilon": signal / n, "delta": 1e-6 * signal / n, "scale": 1.0}
        least.append(bounds.evaluate("glm_corners.low_dimension_least", numbers))
    assert least[0] > 1
    assert np.diff(np.log10(least)) == pytest.approx([1, 1], abs=0.1)  # (n epsilon)^(1/3)
    # the ridge: (w - B)^2 q with w = B 2q/(2q + lambda) at q = lambda/2; the noise: sigma^2 at q = 1
    radius, weight = 1 / math.sqrt(2), 1e-4
    w = radius * weight / (weight + weight)
    assert weight / 2 * (w - radius) ** 2 == pytest.approx(weight * radius**2 / 8)


def test_zero_has_less_risk_than_theorem_4_where_there_are_few_records() -> None:
    """One record, epsilon = 1: the minimiser of (x w - y)^2 has norm B = |y|/|x|, and 0 loses y^2 <= X^2 B^2."""
    for norm in (1e-3, 1e-6):
        numbers = {"n": 1.0, "p": 4.0, "epsilon": 1.0, "smoothness": 2.0, "radius": norm, "label_level": 1.0}
        printed = bounds.evaluate("glm.theorem_4_printed", numbers)
        assert printed / norm**2 == pytest.approx((2 / norm) ** (2 / 3))
        assert bounds.evaluate("glm.theorem_4_rate", numbers) == pytest.approx(2 * norm**2)
    # any data: 0 loses mean <x_i, w*>^2 by the normal equations
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    minimiser = np.linalg.lstsq(x, y, rcond=None)[0]
    excess = np.mean(y**2) - np.mean((x @ minimiser - y) ** 2)
    assert excess == pytest.approx(np.mean((x @ minimiser) ** 2))


def test_theorem_4_holds_above_the_root_of_d_by_two_hessians() -> None:
    """D = 1/epsilon features are X or 0, all labels but those of N others 0; these have length s = Y/B, N s^2 = D X^2.

    The minimiser is B, or B/2; at half of the labels' length, so that B is the larger norm.
    """
    for n_epsilon, d, ratio in ((1e6, 1, 10.0), (1e6, 25, 10.0), (1e9, 25, 1e3)):
        n, epsilon = n_epsilon * 1e3, 1e-3
        assert ratio >= math.sqrt(d)
        others = ratio**2 / epsilon  # N = D (B X/Y)^2
        assert others + 1 / epsilon <= n
        curvature = 1 / epsilon / n  # of either Hessian, X = 1
        missed = bounds.evaluate("glm.two_point_error", {"epsilon": epsilon, "delta": 1e-9, "flips": 1 / epsilon})
        level = missed * curvature * (ratio / 4) ** 2  # an answer is B/4 away from one of the two minimisers
        numbers = {"n": n, "p": d, "epsilon": epsilon, "smoothness": 2.0, "radius": ratio, "label_level": 1.0}
        assert bounds.evaluate("glm.theorem_4_printed", numbers) < 100 * level


def test_zero_has_less_risk_than_corollary_4_where_epsilon_is_below_one_over_n() -> None:
    numbers = {"n": 10.0, "p": 9.0, "epsilon": 1e-9, "norm": 2.0, "lipschitz": 3.0, "order": 2.0}
    assert bounds.evaluate("glm.corollary_4_printed", numbers) == pytest.approx(6 * 1e4)
    assert bounds.evaluate("glm.corollary_4_rate", numbers) == 6


def test_the_choice_of_theorem_7_loses_more_than_its_middle_term() -> None:
    """Algorithm 4 itself on two answers of risks (1 -+ s) Y^2/2, drawn: which one the other half of the records takes.

    1000 draws: a chance of .3 or more is below .15 in none of 1e20.
    """
    n, y, epsilon, failure, gap = 1e8, 1e4, 1.0, 0.05, 0.5
    s = gap / math.sqrt(n / 2)
    rng = np.random.default_rng(0)
    hits = rng.binomial(int(n / 2), (1 - s) / 2, size=1000)  # records on which the better answer errs
    losses = y**2 * np.stack([hits, n / 2 - hits]) / (n / 2)
    assert np.mean(losses[1] < losses[0] - 160 / epsilon * 2 * y**2 / n) > 0.15
    numbers = {"n": n, "epsilon": epsilon, "failure": failure, "label_level": y, "gap": gap}
    assert bounds.evaluate("glm_corners.theorem_7_choice", numbers | {"squared": 1.0}) > 10
    assert bounds.evaluate("glm_corners.theorem_7_choice", numbers | {"squared": 2.0}) < 1
