"""The mean record, released."""

import math

import numpy as np
import pytest
from helpers.small_problems import at, copies_of_c, unit_ball

from dprepro.algorithms import ReleasedMarginals
from dprepro.algorithms.marginals import mean_record, mean_sensitivity
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.problems import HalfSquaredDistance, LinearLoss, Problem, SquaredLoss

BUDGET = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)


def problem(loss=LinearLoss(), n=10, p=6, seed=0):  # noqa: B008 -- frozen
    rng = np.random.default_rng(seed)
    return at(unit_ball(loss, n, p), rng.choice([-1.0, 1.0], (n, p)) / math.sqrt(p), np.ones(n))


@pytest.mark.parametrize("loss", [LinearLoss(), HalfSquaredDistance()])
def test_the_mean_moves_by_two_over_n_whatever_the_loss(loss):
    domain = unit_ball(loss, 50.0, 4)
    assert mean_sensitivity(domain, Neighbours.REPLACE_ONE) == pytest.approx(2 / 50)
    assert mean_sensitivity(domain, Neighbours.ZERO_OUT) == pytest.approx(1 / 50)


@pytest.mark.parametrize("loss", [LinearLoss(), HalfSquaredDistance()])
def test_records_and_moments_tell_the_same_mean(loss):
    data = problem(loss)
    alone = Problem(data.domain, {"moments": data.moments})
    for one in (data, alone):
        np.testing.assert_allclose(mean_record(one), data.records.mean_record, atol=1e-15)


def test_exact_rounded_and_subsampled_means_are_what_they_say_and_promise_nothing():
    data, rng = problem(), np.random.default_rng(0)
    exact, rounded, half = (
        ReleasedMarginals(release).solve(data, BUDGET, rng) for release in ("exact", "rounded", "subsampled")
    )
    mean = data.records.mean_record
    np.testing.assert_allclose(exact.theta, mean)
    np.testing.assert_allclose(rounded.theta, np.sign(mean) / math.sqrt(6))
    sums = half.theta * 5 * math.sqrt(6)  # five records of +-1 in each coordinate
    np.testing.assert_allclose(sums, np.round(sums))
    assert np.all(np.round(sums) % 2 == 1)
    assert exact.privacy_loss is rounded.privacy_loss is half.privacy_loss is None


def test_the_half_that_is_sampled_is_uniform():
    data, rng = problem(n=4, p=3), np.random.default_rng(1)
    mean = np.mean([ReleasedMarginals("subsampled").solve(data, BUDGET, rng).theta for _ in range(3000)], axis=0)
    assert np.abs(mean - data.records.mean_record).max() < 5 / math.sqrt(3000)


@pytest.mark.parametrize("release", ["laplace", "gaussian"])
def test_noisy_means_spend_the_budget_and_a_tenth_of_the_noise_spends_more(release):
    data, rng = problem(HalfSquaredDistance()), np.random.default_rng(0)
    assert ReleasedMarginals(release).solve(data, BUDGET, rng).privacy_loss.epsilon == pytest.approx(1, rel=1e-5)
    assert ReleasedMarginals(release, noise_factor=0.1).solve(data, BUDGET, rng).privacy_loss.epsilon > 5


@pytest.mark.parametrize(("release", "moment"), [("laplace", 6 * 7), ("gaussian", 6)])
def test_noise_has_the_length_that_its_law_says(release, moment):
    """E ||b||^2 is p (p + 1) s^2 for the l2-Laplace law, whose length is Gamma(p), and p s^2 for the Gaussian."""
    c = np.eye(1, 6)[0]
    inside = at(unit_ball(HalfSquaredDistance(), 1e6, 6), np.array([c, -c]), [5e5, 5e5])
    rng, algorithm = np.random.default_rng(2), ReleasedMarginals(release)
    scale = algorithm.schedule(inside.domain, BUDGET).noise_scale
    squares = [float(np.sum(algorithm.solve(inside, BUDGET, rng).theta ** 2)) / scale**2 for _ in range(2000)]
    assert abs(np.mean(squares) - moment) < 4 * np.std(squares) / math.sqrt(2000)


def test_what_it_cannot_do_is_refused():
    domain = problem().domain
    with pytest.raises(InputError, match="fraction=0"):
        ReleasedMarginals(fraction=0)
    with pytest.raises(InputError, match="noise_factor=0"):
        ReleasedMarginals(noise_factor=0)
    with pytest.raises(InputError, match=r"delta > 0.*; choices: laplace"):
        ReleasedMarginals().admit(domain, Budget(1.0, 0.0, Neighbours.REPLACE_ONE))
    with pytest.raises(InputError, match="epsilon=inf"):
        ReleasedMarginals("laplace").admit(domain, Budget(math.inf, 0.0, Neighbours.REPLACE_ONE))
    with pytest.raises(InputError, match="reads n"):
        ReleasedMarginals().admit(domain, Budget(1.0, 1e-6, Neighbours.ADD_OR_REMOVE_ONE))
    with pytest.raises(InputError, match="reads nothing of the data but the mean record, got SquaredLoss"):
        ReleasedMarginals("exact").solve(copies_of_c(SquaredLoss(), 10, 2), BUDGET, np.random.default_rng(0))
    assert "records" in ReleasedMarginals("subsampled").needs(frozenset({"moments"}))
