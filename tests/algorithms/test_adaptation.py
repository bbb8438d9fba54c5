"""Grid search over the norm, and confidence boosting, by Arora et al. (2022)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.small_problems import LOSSES, one_hot

from dprepro.algorithms import ConfidenceBoosting, GridSearch, JohnsonLindenstrauss, NoisyGD
from dprepro.algorithms.grid_search import normalised
from dprepro.algorithms.partition import parted, sizes
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import OneHotFamily
from dprepro.errors import InputError
from dprepro.problems import Domain, L2Ball, LinearLoss, SquaredLoss

BUDGET = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
POINT = {"n": 2.0**24, "p": 40.0, "epsilon": 1.0, "delta": 1e-6, "norm": 1.0}


def test_neighbours_move_a_normalised_score_by_at_most_one():
    rng = np.random.default_rng(0)
    for _ in range(200):
        sensitivities = np.append(0.0, rng.exponential(1.0, 5))
        scores = rng.normal(0, 3, 6)
        other = scores + sensitivities * rng.uniform(-1, 1, 6)
        t = rng.exponential(2.0)
        apart = normalised(scores, sensitivities, t) - normalised(other, sensitivities, t)
        assert np.abs(apart).max() <= 1 + 1e-12


def test_a_score_that_beats_all_others_by_their_sensitivities_is_normalised_to_zero():
    found = normalised(np.array([1.0, 0.2, 0.1]), np.array([0.0, 0.01, 5.0]), 10.0)
    assert found[1] == 0
    assert found[0] == pytest.approx((1.0 - 0.3) / 0.01)


def test_parts_are_disjoint_and_every_partition_is_as_likely():
    problem, rng = one_hot(LOSSES["SquaredLoss"], n=30, p=3, coordinates=2), np.random.default_rng(1)
    whole = problem.one_hot
    found = []
    for _ in range(2000):
        parts = parted(problem, sizes(30, 4), rng)
        assert [part.domain.n for part in parts] == [8, 8, 7, 7]
        total = sum(part.domain.n * part.one_hot.plus for part in parts)
        np.testing.assert_allclose(total, 30 * whole.plus)
        found.append(8 * parts[0].one_hot.plus[0])
    share = float(whole.plus[0])
    deviation = math.sqrt(8 * share * (1 - share) * 22 / 29 / 2000)
    assert abs(np.mean(found) - 8 * share) < 4 * deviation  # 6e-5 of false alarms


def test_the_budget_of_algorithm_4_is_the_dearer_half_and_its_shares_are_needed():
    domain = OneHotFamily(coordinates=1, tail=20).domain(POINT)

    def spent(algorithm):
        certified = algorithm.privacy_loss(domain, BUDGET)
        assert certified is not None
        return certified.epsilon

    assert spent(GridSearch()) <= 0.25 * (1 + 1e-9)  # the choice; 8 runs compose to less
    assert spent(GridSearch(noise_factor=0.1)) > 2
    assert spent(GridSearch(divided=1)) > 1
    assert spent(ConfidenceBoosting()) <= 1
    assert spent(ConfidenceBoosting(noise_factor=0.5)) > 1.9
    assert spent(GridSearch(inner=NoisyGD())) <= 0.5


def test_the_right_radius_is_chosen_and_a_useless_one_is_not():
    family, rng = OneHotFamily(coordinates=36, mass=0.5), np.random.default_rng(2)
    point = {**POINT, "n": 2.0**29, "norm": 6.0}
    problem = family.draw(point, 0.0, rng)
    chosen = {GridSearch().solve(problem, BUDGET, rng).diagnostics["chosen"] for _ in range(20)}
    assert chosen <= {2.0, 3.0}  # radii 4 and 8
    blind = GridSearch(sensitivities="printed")
    assert 0.0 in {blind.solve(problem, BUDGET, rng).diagnostics["chosen"] for _ in range(20)}


def test_what_cannot_be_searched_over_is_refused_with_the_reason():
    squared, linear = (Domain(loss, L2Ball(3), 100) for loss in (SquaredLoss(), LinearLoss()))
    assert "got LinearLoss, which is linear" in GridSearch().refusal(linear, BUDGET)
    assert "predictions are bounded" in GridSearch(inner=JohnsonLindenstrauss()).refusal(squared, BUDGET)
    assert "to part the records" in GridSearch().refusal(Domain(SquaredLoss(), L2Ball(3), 1e12), BUDGET)
    assert "needs n from 7" in ConfidenceBoosting().refusal(Domain(SquaredLoss(), L2Ball(3), 6), BUDGET)
    with pytest.raises(InputError, match="guesses must be at least 1"):
        GridSearch(guesses=0)
    with pytest.raises(InputError, match="failure in"):
        ConfidenceBoosting(failure=1.5)
