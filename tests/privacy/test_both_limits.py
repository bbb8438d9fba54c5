"""Accounts and audits held from both sides.

An account that certifies too little is unsound, one that certifies too much is of no use; an audit that alarms too
often is wrong, one that never does says nothing. Every number here is computed a second time by other means.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import gammaln, logsumexp
from scipy.stats import beta, laplace, norm

from dprepro.budget import Budget, Neighbours
from dprepro.mechanisms import BoundedRange, Gaussian, GaussianShift, Laplace, PureLoss, SampledGaussianShift
from dprepro.privacy import PrivacyLoss, compose, noise_for
from dprepro.privacy.accounting import SHARES
from dprepro.privacy.audit import audit, lower_limit
from dprepro.privacy.conversions import budget_under, converted
from dprepro.privacy.losses import limit_of_losses
from dprepro.privacy.worst_pairs import gaussian_epsilon

DELTA = 1e-6
REPLACE, ZERO_OUT = Neighbours.REPLACE_ONE, Neighbours.ZERO_OUT


def tight(curve: np.ndarray, orders: np.ndarray) -> float:
    """The least epsilon of a Renyi curve at DELTA (Canonne, Kamath and Steinke 2020, Proposition 12)."""
    conversion = (math.log(1 / DELTA) + (orders - 1) * np.log1p(-1 / orders) - np.log(orders)) / (orders - 1)
    return float((curve + conversion).min())


# Accounts


@pytest.mark.parametrize(
    ("single", "uses", "eta"), [(0.05, 10, 0.02), (0.09, 30, 0.05), (0.3, 3, 0.05), (5e-4, 10, 0.03)]
)
def test_pure_losses_beside_ranges_have_the_renyi_curve_of_randomised_responses_however_small_they_are(
    single: float, uses: int, eta: float
) -> None:
    """Of the curve epsilon^2 alpha/2 alone a loss of .05 costs a tenth more."""
    orders = 1 + np.geomspace(1e-2, 1e5, 20_001)
    truth = -math.log1p(math.exp(-single))
    one = np.logaddexp(truth + (orders - 1) * single, truth - orders * single) / (orders - 1)
    ranges = 100 * eta**2 / 8 * orders
    found = compose([(PureLoss(single), uses), (BoundedRange(eta), 100)], DELTA).epsilon
    assert found == pytest.approx(tight(uses * one + ranges, orders), rel=2e-4)


def sampled_curve(order: int, mu: float, population: int) -> float:
    """Of a Gaussian on a sample of one (Wang, Balle and Kasiviswanathan 2019, Theorem 9, at a Gaussian's curve)."""
    share = math.log(1 / population)

    def chosen(j: int) -> float:
        return float(gammaln(order + 1) - gammaln(j + 1) - gammaln(order - j + 1))

    second = min(math.log(4 * math.expm1(mu**2)), math.log(2) + mu**2)
    terms = [0.0, 2 * share + chosen(2) + second]
    terms += [math.log(2) + j * share + chosen(j) + (j - 1) * j * mu**2 / 2 for j in range(3, order + 1)]
    return float(logsumexp(terms)) / (order - 1)


@pytest.mark.parametrize(
    ("mu", "population", "uses", "eta", "others"),
    [(0.5, 100, 100, 0.02, 100), (0.5, 20, 50, 0.05, 20), (1.0, 50, 30, 0.1, 10)],
)
def test_sampled_gaussians_beside_ranges_cost_what_their_theorem_says_and_hardly_less(
    mu: float, population: int, uses: int, eta: float, others: int
) -> None:
    """The accountant's curve is a little below the theorem's; that it is not below the truth other tests say."""
    orders = np.array([*range(2, 65), 80, 100, 128, 180, 256])
    curve = np.array([uses * sampled_curve(int(order), mu, population) for order in orders])
    most = tight(curve + others * eta**2 / 8 * orders, orders.astype(float))
    parts = [(SampledGaussianShift(mu, population), uses), (BoundedRange(eta), others)]
    assert 0.85 * most < compose(parts, DELTA).epsilon <= most * (1 + 1e-9)


def test_a_split_of_delta_spends_all_of_it() -> None:
    sampled, gaussian = (SampledGaussianShift(0.1, 1000), 1000), (GaussianShift(1.0), 1)
    split = [gaussian_epsilon(1.0, (1 - share) * DELTA) + compose([sampled], share * DELTA).epsilon for share in SHARES]
    assert compose([gaussian, sampled], DELTA).epsilon == pytest.approx(min(split), rel=1e-9)


@pytest.mark.parametrize("native", [ZERO_OUT, Neighbours.ADD_OR_REMOVE_ONE])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-6), (2.0, 1e-3), (8.0, 1e-5)])
def test_two_steps_cost_what_group_privacy_of_two_says_and_are_asked_for_in_turn(
    native: Neighbours, epsilon: float, delta: float
) -> None:
    found = converted(PrivacyLoss(epsilon, delta, ""), native, REPLACE)
    assert (found.epsilon, found.delta) == (2 * epsilon, pytest.approx(delta + math.exp(epsilon) * delta))
    back = budget_under(native, Budget(found.epsilon, found.delta, REPLACE))
    assert (back.epsilon, back.delta) == (epsilon, pytest.approx(delta, rel=1e-12))


# The limit of an audit


@pytest.mark.parametrize("level", [0.9, 0.99])
@pytest.mark.parametrize("delta", [0.0, 0.01, 0.2])
@pytest.mark.parametrize(("likely", "rare"), [(400, 0), (400, 400), (250, 90), (3, 0), (0, 0), (0, 400), (1, 399)])
def test_the_limit_is_that_of_clopper_and_pearson_with_four_chances_to_fail(
    likely: int, rare: int, delta: float, level: float
) -> None:
    """Two probabilities in two directions, a quarter of 1 - level each, by scipy's quantiles."""
    draws, tail = 400, (1 - level) / 4
    low = float(beta.ppf(tail, likely, draws - likely + 1)) if likely else 0.0
    high = float(beta.ppf(1 - tail, rare + 1, draws - rare)) if rare < draws else 1.0
    expected = math.log((low - delta) / high) if low > delta else -math.inf
    found = lower_limit(np.array([likely]), np.array([rare]), draws, delta, level)[0]
    assert found == pytest.approx(expected, rel=1e-9)


def pair(kind: str, epsilon: float, delta: float, draws: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Answers on two data sets of an algorithm that spends epsilon exactly; shape (draws, q)."""
    if kind in ("response", "rare"):  # one of two answers
        return [(rng.random((draws, 1)) < chance).astype(float) for chance in best_event(kind, epsilon, delta)]
    scale = noise_for(lambda candidate: NOISE[kind](candidate).guarantee(1.0), 1, Budget(epsilon, delta, REPLACE))
    if kind == "seventh":  # of eight coordinates one tells, in a unit of its own
        seventh = np.arange(8) == 6
        return [
            (rng.normal(0, scale, (draws, 8)) + place * seventh) * np.where(seventh, 1e-3, 1.0) for place in (0.0, 1.0)
        ]
    drawn = rng.laplace if kind == "laplace" else rng.normal
    return [drawn(centre, scale, (draws, 1)) for centre in (0.0, 1.0)]


NOISE = {"laplace": Laplace, "gaussian": Gaussian, "seventh": Gaussian}


def best_event(kind: str, epsilon: float, delta: float) -> tuple[float, float]:
    """The chances on both data sets of the event that tells most, to be known in advance."""
    if kind == "response":  # a bit, told with a chance of e^epsilon/(1 + e^epsilon)
        return 1 / (1 + math.exp(-epsilon)), 1 / (1 + math.exp(epsilon))
    if kind == "rare":
        return 0.02 * math.exp(epsilon), 0.02
    scale = noise_for(lambda candidate: NOISE[kind](candidate).guarantee(1.0), 1, Budget(epsilon, delta, REPLACE))
    cdf = laplace.cdf if kind == "laplace" else norm.cdf
    ends = np.linspace(-3, 1, 400)
    chances = np.array([cdf(ends / scale), cdf((ends - 1) / scale)])
    best = int(np.argmax(np.log(np.maximum(chances[0] - 0.01 - delta, 1e-9) / (chances[1] + 0.01))))
    return float(chances[0][best]), float(chances[1][best])


POWER = {
    "response": (0.0, 1.0),
    "rare": (0.0, 1.5),
    "laplace": (0.0, 1.0),
    "gaussian": (0.1, 1.3),
    "seventh": (0.1, 1.3),
}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", POWER)
def test_an_audit_finds_nearly_what_the_best_event_tells_and_no_more_than_is_spent(kind: str, turned: bool) -> None:
    """In both directions. Ten limits: two above the truth with .5% at most.

    Of the best event, at its own chances, the limit of as many draws is what can be found; nine tenths of it are.
    """
    (delta, epsilon), draws, found = POWER[kind], 8000, []
    for seed in range(10):
        first, second = pair(kind, epsilon, delta, draws, np.random.default_rng([seed, 5]))
        found.append(audit(*((second, first) if turned else (first, second)), delta).epsilon)
    counts = [np.array([round(draws / 2 * chance)]) for chance in best_event(kind, epsilon, delta)]
    assert np.sum(np.array(found) > epsilon) <= 1
    assert np.median(found) > 0.9 * lower_limit(*counts, draws // 2, delta)[0]


def test_an_audit_tells_two_widths_of_noise_apart_by_a_histogram() -> None:
    """N(0, 4) beside N(0, 1): of 24 cells the two outer ones, with a chance of 1/12 in the mean of both, tell most."""
    end = float(brentq(lambda x: norm.sf(x) + norm.sf(x / 2) - 1 / 12, 0, 9))
    counts = [np.array([round(4000 * chance)]) for chance in (2 * norm.sf(end / 2), 2 * norm.sf(end))]
    rng = np.random.default_rng(0)
    # a limit has a deviation of .27 and a median of 2.68, that of 25 runs one of .07; 2.50 is 2.7 of these below
    found = [audit(*(rng.normal(0, wide, (8000, 1)) for wide in (1.0, 2.0)), 0.0).epsilon for _ in range(25)]
    assert np.median(found) > 0.9 * lower_limit(*counts, 4000, 0.0)[0]


def test_halves_of_an_audit_are_kept_apart_and_a_choice_that_fits_its_draws_finds_nothing() -> None:
    """Equal laws of 40 answers that hardly repeat: on the draws that choose, the best of all events looks like much.

    An audit alarms with probability 1% at most, in 100 runs five or more times with probability .4%.
    """
    rng = np.random.default_rng(3)
    alarms = sum(audit(rng.random((60, 30)), rng.random((60, 30)), 0.0, level=0.99).epsilon > 0 for _ in range(100))
    assert alarms <= 4


# The limit by losses


def refuted(some: np.ndarray, delta: float, level: float) -> bool:
    """The bets one by one, each sized by the numbers before it alone (Waudby-Smith and Ramdas 2024)."""
    goal, capital = math.log(1 / (1 - level)), 0.0
    total, squares, count = 0.5, 0.25, 1
    for one in some:
        bet = min(math.sqrt(2 * goal / (squares / count * len(some))), 0.75 / delta)
        capital += math.log1p(bet * (one - delta))
        if capital >= goal:
            return True
        total, count = total + one, count + 1
        squares += (one - total / count) ** 2
    return False


@pytest.mark.parametrize(
    ("shift", "delta", "level"), [(1.0, 0.1, 0.99), (1.0, 0.01, 0.9), (2.5, 0.05, 0.99), (3.0, 0.7, 0.9)]
)
def test_the_limit_by_losses_is_that_of_bets_one_by_one(shift: float, delta: float, level: float) -> None:
    for seed in range(4):
        losses = np.random.default_rng(seed).normal(shift**2 / 2, shift, 300)
        found = 0.0
        while refuted(-np.expm1(np.minimum(found - losses, 0.0)), delta, level):
            found += 0.01
        assert limit_of_losses(losses, delta, level) == pytest.approx(max(0.0, found - 0.01), abs=1e-9)


def test_the_limit_by_losses_fails_no_more_often_than_its_level_says_and_not_never() -> None:
    """A shift with delta = .1 at epsilon. Of 300 limits at level .9 30 fail at most, 51 with a chance of 1e-4."""
    shift = 1.0
    epsilon = gaussian_epsilon(shift, 0.1)
    rng, above, found = np.random.default_rng(0), 0, []
    for _ in range(300):
        found.append(limit_of_losses(rng.normal(shift**2 / 2, shift, 200), 0.1, 0.9))
        above += found[-1] > epsilon
    assert 3 < above < 51
    assert np.median(found) > 0.6 * epsilon
