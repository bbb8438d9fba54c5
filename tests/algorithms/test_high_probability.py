"""Appendix D's repetition, and the two releases for strongly convex losses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dprepro.algorithms import (
    DataFree,
    ExactMinimiser,
    ExponentialMechanism,
    HighProbability,
    OutputPerturbation,
    RegularisedRelease,
    StronglyConvexPerturbation,
)
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import AxisPopulation, OnePlace, OneWayMarginals
from dprepro.errors import InputError
from dprepro.problems import Domain, HalfSquaredDistance, L2Ball, LinearLoss

PURE, APPROXIMATE = Budget(1.0, 0.0, Neighbours.REPLACE_ONE), Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
POINT = {"n": 1000.0, "p": 3.0, "epsilon": 1.0, "delta": 0.0, "norm": 1.0}


def test_runs_and_choice_spend_epsilon_each_as_printed_and_half_of_it_each_when_halved():
    domain = Domain(LinearLoss(), L2Ball(3), 1000)
    for shares, spent in (("printed", 2.0), ("halved", 1.0)):
        certified = HighProbability(shares=shares).privacy_loss(domain, PURE)
        assert certified is not None
        assert certified.epsilon == pytest.approx(spent)


def test_k_is_log2_of_2_over_rho_rounded_up():
    domain = Domain(LinearLoss(), L2Ball(3), 1000)
    for failure, runs in ((0.5, 2), (0.05, 6), (1e-3, 11)):
        schedule = HighProbability(failure=failure).schedule(domain, PURE)
        assert schedule.runs == runs
        assert schedule.run_epsilon == pytest.approx(0.5 / runs)
    with pytest.raises(InputError, match="failure must be in"):
        HighProbability(failure=0.0)


def test_the_choice_has_softmax_probabilities():
    """Two runs, one blind and one exact: the worse is chosen with the logistic chance of their gap of 1/2."""
    problem = OnePlace().build({**POINT, "n": 16.0}, 0.0)
    algorithm, rng = HighProbability(inner=ExactMinimiser(), runs=2, blind=0.5), np.random.default_rng(0)
    scale = algorithm.schedule(problem.domain, PURE).selection_scale
    assert scale == pytest.approx(2 * 1 * 2 / (16 * 0.5))
    found = [algorithm.solve(problem, PURE, rng).diagnostics for _ in range(1600)]
    worse = sum(one["selection_regret"] > 0 for one in found)
    mixed = worse + sum(one["selection_lag"] > 0 for one in found)
    chance = 1 / (1 + math.exp(0.5 / scale))
    assert abs(worse / mixed - chance) < 4 * math.sqrt(chance * (1 - chance) / mixed)  # 6e-5 of false alarms


def test_a_choice_among_blind_runs_has_nothing_to_lose():
    solution = HighProbability(inner=DataFree(), runs=3).solve(
        OnePlace().build(POINT, 0.0), PURE, np.random.default_rng(0)
    )
    assert solution.diagnostics == {"selection_regret": 0.0, "selection_lag": 0.0}


@pytest.mark.parametrize(
    ("noise", "release", "given"), [("gamma", "laplace", PURE), ("gaussian", "gaussian", APPROXIMATE)]
)
def test_on_half_the_squared_distance_it_is_output_perturbation(noise, release, given):
    """The answer is the mean record less b/n: as Algorithm 3's, with the noise of equation (14) over n."""
    problem = OneWayMarginals(loss="half_squared_distance", bias=0.2).build(POINT, 0.0)
    algorithm = StronglyConvexPerturbation(noise=noise)
    scale = algorithm.schedule(problem.domain, given).noise_scale / problem.domain.n
    other = OutputPerturbation(noise=release).schedule(problem.domain, given).noise_scale
    assert scale == pytest.approx(other * (1.0 if noise == "gamma" else math.sqrt(2)))
    risks = [problem.excess_risk(algorithm.solve(problem, given, np.random.default_rng(k)).theta) for k in range(300)]
    square = 12 if noise == "gamma" else 3  # p (p + 1), or p
    expected = square * scale**2 / 2
    assert abs(np.mean(risks) - expected) < 4 * np.std(risks) / math.sqrt(300)  # 6e-5 of false alarms


def test_equation_14_needs_a_hessian_that_all_records_share():
    domain = Domain(LinearLoss(), L2Ball(3), 1000)
    assert "strongly convex" in StronglyConvexPerturbation().refusal(domain, PURE)
    silent = Budget(1.0, 0.0, Neighbours.ZERO_OUT)
    assert "choices for neighbours: replace_one" in StronglyConvexPerturbation().refusal(
        Domain(HalfSquaredDistance(), L2Ball(3), 1000), silent
    )


def test_the_weight_of_a_regularised_release_is_the_best_of_its_bound():
    domain = Domain(LinearLoss(), L2Ball(5), 1e4)
    for noise, given in (("laplace", PURE), ("gaussian", APPROXIMATE)):

        def bound(factor, noise=noise, given=given):
            schedule = RegularisedRelease(noise=noise, weight_factor=factor).schedule(domain, given)
            length = schedule.noise_scale * (5 if noise == "laplace" else math.sqrt(5))
            return schedule.weight / 2 + length

        assert bound(1.0) < min(bound(0.9), bound(1.1))
        certified = RegularisedRelease(noise=noise).privacy_loss(domain, given)
        assert certified is not None
        assert certified.epsilon == pytest.approx(1.0, rel=1e-5)


def test_answers_are_judged_by_the_population_and_found_from_the_sample():
    family = AxisPopulation(size=2.0)
    problem = family.draw(POINT, 0.0, np.random.default_rng(0))
    assert problem.population is not None
    centre = problem.population.minimum.theta
    np.testing.assert_allclose(centre, np.full(3, 1 / math.sqrt(3)))
    own = problem.dense.minimum.theta
    assert problem.excess_risk(own) > 0
    assert problem.dense.excess(own) == pytest.approx(0.0, abs=1e-12)
    theta = ExponentialMechanism().solve(problem, PURE, np.random.default_rng(1)).theta
    assert problem.excess_risk(theta) == pytest.approx(problem.population.excess(theta))
