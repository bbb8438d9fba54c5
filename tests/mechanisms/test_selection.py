"""Statistical tests use fixed seeds; a p-value below 1e-4 fails, so a correct mechanism fails one seed in 10,000."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import chisquare

from dprepro.errors import InputError
from dprepro.mechanisms import BoundedRange, GumbelMin, LaplaceMin, PureLoss, selection
from dprepro.mechanisms.selection import expected_maximum_of_laplace

ALARM = 1e-4
SCORES = np.array([0.0, 0.3, 0.3, 1.0, 2.5])


def frequencies(mechanism, scores, draws, seed):
    rng = np.random.default_rng(seed)
    return np.bincount([mechanism.select(scores, rng)[0] for _ in range(draws)], minlength=len(scores))


def test_gumbel_selection_has_softmax_probabilities():
    weights = np.exp(-SCORES / 0.7)
    observed = frequencies(GumbelMin(0.7), SCORES, 20_000, seed=1)
    assert chisquare(observed, 20_000 * weights / weights.sum()).pvalue > ALARM


def test_laplace_selection_has_the_probabilities_of_a_quadrature():
    x = np.linspace(-60, 60, 400_001)
    density = np.exp(-np.abs(x - SCORES[:, None]) / 0.7) / 1.4
    above = np.where(
        x > SCORES[:, None],
        0.5 * np.exp(-np.abs(x - SCORES[:, None]) / 0.7),
        1 - 0.5 * np.exp(-np.abs(x - SCORES[:, None]) / 0.7),
    )
    probabilities = np.array(
        [np.trapezoid(density[i] * np.prod(np.delete(above, i, axis=0), axis=0), x) for i in range(len(SCORES))]
    )
    assert probabilities.sum() == pytest.approx(1, abs=1e-6)
    observed = frequencies(LaplaceMin(0.7), SCORES, 20_000, seed=2)
    assert chisquare(observed, 20_000 * probabilities / probabilities.sum()).pvalue > ALARM


@pytest.mark.parametrize("candidates", [2, 7, 40])
def test_no_score_vector_costs_gumbel_selection_more_than_lambert_w(candidates):
    def loss(gaps):
        weights = np.exp(-gaps)
        return -(gaps @ weights) / (1 + weights.sum())

    rng = np.random.default_rng(3)
    worst = max(-minimize(loss, rng.uniform(0, 5, candidates - 1)).fun for _ in range(5))
    bound = GumbelMin(1.0).expected_regret(candidates)
    assert worst == pytest.approx(bound, rel=1e-5)  # never above it, and attained
    gap = 1 + bound
    equal = (candidates - 1) * gap * math.exp(-gap) / (1 + (candidates - 1) * math.exp(-gap))
    assert equal == pytest.approx(bound, rel=1e-12)


@pytest.mark.parametrize(("count", "exact"), [(1, 0.0), (2, 0.75), (3, 1.125)])
def test_expected_maximum_of_few_laplace_draws_is_exact(count, exact):
    assert expected_maximum_of_laplace(count) == pytest.approx(exact, abs=1e-9)


def test_expected_maximum_of_many_laplace_draws_is_ln_half_k_plus_euler_gamma():
    for count in (1e4, 1e8, 2e12):
        assert expected_maximum_of_laplace(count) == pytest.approx(
            math.log(count / 2) + np.euler_gamma, abs=2 / count + 1e-7
        )


def test_regret_of_laplace_selection_stays_below_its_bound_on_random_scores():
    rng = np.random.default_rng(4)
    for _ in range(10):
        scores = rng.exponential(2.0, size=12)
        regret = scores[[LaplaceMin(1.0).select(scores, rng)[0] for _ in range(2_000)]] - scores.min()
        assert regret.mean() < LaplaceMin(1.0).expected_regret(12)


def test_guarantees_charge_both_directions_of_a_score():
    assert LaplaceMin(4.0).guarantee(1.0) == PureLoss(0.5)
    assert GumbelMin(4.0).guarantee(1.0) == BoundedRange(0.5)


def test_laplace_selection_nearly_attains_its_pure_loss():
    """Two candidates, moved by +1 and -1: deep in the tail the log-ratio approaches 2 sensitivity/scale."""

    def loses(gap):  # P(the candidate behind by gap wins), unit Laplace noise: law of a difference of two draws
        return 0.5 * math.exp(-gap) * (1 + gap / 2)

    attained = math.log(loses(30.0 - 1.0) / loses(30.0 + 1.0))
    assert 0.9 * 2.0 < attained <= 2.0


def test_unknown_selection_is_refused_with_the_choices():
    with pytest.raises(InputError, match="gumbel, laplace"):
        selection("cauchy", 1.0)
