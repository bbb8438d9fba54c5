"""The baselines of tables: the private mean, and least squares from noisy moments."""

import math

import numpy as np
import pytest

from dprepro.algorithms import ConstantPrediction, SufficientStatistics
from dprepro.algorithms.sufficient_statistics import statistics_sensitivity
from dprepro.budget import Budget, Neighbours
from dprepro.problems import (
    AbsoluteLoss,
    Domain,
    HingeLoss,
    HuberLoss,
    L2Ball,
    LogisticLoss,
    Problem,
    Records,
    RecordsView,
    SquaredLoss,
)

BUDGET = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)


def table(loss, labels, p=3):
    rng = np.random.default_rng(3)
    features = np.column_stack([np.ones(len(labels)), rng.uniform(-1, 1, (len(labels), p - 1))])
    domain = Domain(loss, L2Ball(p, 2.0), float(len(labels)), math.sqrt(p), 2)
    return Problem(domain, {"records": RecordsView(domain, Records(features, labels))})


def test_without_noise_to_speak_of_it_is_the_mean_the_log_odds_and_the_majority():
    labels = np.repeat([1.0, -1.0], [700, 300])
    generous = Budget(1e6, 0.0, Neighbours.REPLACE_ONE)
    for loss, best in ((SquaredLoss(), 0.4), (LogisticLoss(), math.log(7 / 3)), (HingeLoss(), 1.0)):
        theta = ConstantPrediction().solve(table(loss, labels), generous, np.random.default_rng(0)).theta
        np.testing.assert_allclose(theta, [best, 0, 0], atol=1e-3)


@pytest.mark.parametrize("loss", [SquaredLoss(), AbsoluteLoss(), HuberLoss()], ids=lambda loss: type(loss).__name__)
def test_of_numbers_it_is_the_mean_whatever_their_loss_and_no_majority(loss):
    labels, generous = np.linspace(-0.9, 0.1, 500), Budget(1e6, 0.0, Neighbours.REPLACE_ONE)
    theta = ConstantPrediction().solve(table(loss, labels), generous, np.random.default_rng(0)).theta
    np.testing.assert_allclose(theta, [-0.4, 0, 0], atol=1e-3)


def test_the_mean_s_noise_has_the_scale_of_its_sensitivity():
    """4000 draws: the mean |error| within 4.5 standard errors (false alarm below 1e-5)."""
    problem = table(SquaredLoss(), np.zeros(1000))
    rng = np.random.default_rng(1)
    draws = np.array([ConstantPrediction().solve(problem, BUDGET, rng).theta[0] for _ in range(4000)])
    assert abs(np.abs(draws).mean() / (2 / 1000) - 1) < 4.5 / math.sqrt(4000)


@pytest.mark.parametrize("neighbours", [Neighbours.REPLACE_ONE, Neighbours.ZERO_OUT])
@pytest.mark.parametrize("label", [0.3, 1.0, 5.0])
def test_no_pair_of_records_moves_the_statistics_by_more_than_the_sensitivity_and_some_pair_does(neighbours, label):
    domain = Domain(SquaredLoss(), L2Ball(2), 1.0, 1.5, 2, label_bound=label)
    limit = statistics_sensitivity(domain, neighbours)

    def statistics(angle, y):
        x = 1.5 * np.array([math.cos(angle), math.sin(angle)])
        return np.concatenate([np.outer(x, x).ravel(), y * x])

    silent = neighbours is Neighbours.ZERO_OUT
    others = (
        [np.zeros(6)] if silent else [statistics(a, y) for a in np.linspace(0, math.pi, 721) for y in (label, -label)]
    )
    largest = max(float(np.linalg.norm(statistics(0.0, label) - other)) for other in others)
    assert largest <= limit * (1 + 1e-12)
    assert largest == pytest.approx(limit, rel=1e-4)


def test_noisy_moments_find_the_minimum_as_noise_falls_and_answers_stay_in_the_set():
    rng = np.random.default_rng(0)
    problem = table(SquaredLoss(), np.clip(rng.normal(0, 0.4, 4000), -1, 1))
    risks = []
    for epsilon in (0.1, 1.0, 10.0, 1e6):
        given = Budget(epsilon, 1e-6, Neighbours.REPLACE_ONE)
        answers = [SufficientStatistics().solve(problem, given, rng).theta for _ in range(20)]
        assert all(problem.constraint_set.contains(theta) for theta in answers)
        risks.append(np.mean([problem.excess_risk(theta) for theta in answers]))
    assert risks[0] > risks[1] > risks[2] > risks[3]
    assert risks[3] < 1e-9
