"""Algorithm 3 of Talwar, Thakurta and Zhang."""

import math

import numpy as np
import pytest
from helpers.small_problems import lasso, random_problem, sets, unit_ball

from dprepro.algorithms import ConstantStep, DecayingStep, GaussianFrankWolfe
from dprepro.algorithms.base import gradient_sensitivity
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.problems import AbsoluteLoss, SquaredLoss

REPLACE = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)


@pytest.mark.parametrize("step_size", [DecayingStep(), ConstantStep()], ids=lambda rule: rule.name)
@pytest.mark.parametrize("within", sets(6))
def test_algorithm_3_follows_the_printed_loop(within, step_size):
    problem = random_problem(SquaredLoss(), sets(6)[within], n=200)
    algorithm, domain = GaussianFrankWolfe(constants="printed", step_size=step_size), problem.domain
    steps = algorithm.schedule(domain, REPLACE).steps
    sigma = math.sqrt(32 * domain.lipschitz * steps) * math.log(200 / 1e-6) / 200
    noise = np.random.default_rng(5)
    theta = problem.constraint_set.start()
    for t in range(1, steps):
        direction = problem.gradient(theta) + noise.normal(0.0, sigma, 6)
        mu = 2 / (t + 2) if step_size == DecayingStep() else 1 / (steps + 2)
        theta = (1 - mu) * theta + mu * problem.constraint_set.minimise_linear(direction)
    solution = algorithm.solve(problem, REPLACE, np.random.default_rng(5))
    np.testing.assert_allclose(solution.theta, theta, atol=1e-12)
    assert problem.constraint_set.contains(solution.theta)


def test_steps_are_those_of_theorem_b_2_and_a_step_loses_sigma_times_the_width():
    domain = unit_ball(SquaredLoss(), 1e6, 100)
    schedule = GaussianFrankWolfe().schedule(domain, REPLACE)
    assert schedule.steps == math.ceil((8 * 1e6 / (4 * domain.width)) ** (2 / 3))
    assert schedule.step_regret == schedule.noise_scale * domain.width


def test_exact_noise_spends_the_budget_and_printed_noise_with_the_first_power_of_l2_exceeds_it_where_l2_is_large():
    domain = lasso(1e8, 10**9)
    assert domain.lipschitz == pytest.approx(4 * math.sqrt(1e9))
    assert 0.99 < GaussianFrankWolfe().privacy_loss(domain, REPLACE).epsilon <= 1 + 1e-9
    assert GaussianFrankWolfe(constants="printed").privacy_loss(domain, REPLACE).epsilon > 20
    assert GaussianFrankWolfe(constants="squared").privacy_loss(domain, REPLACE).epsilon < 0.1


@pytest.mark.parametrize("neighbours", [Neighbours.REPLACE_ONE, Neighbours.ZERO_OUT])
def test_no_pair_of_neighbours_moves_the_gradient_by_more_than_the_sensitivity(neighbours):
    domain = unit_ball(SquaredLoss(), 1e4, 6)
    limit = gradient_sensitivity(domain, neighbours) * domain.n
    rng = np.random.default_rng(6)

    def gradient(theta):
        x = rng.normal(size=6)
        x /= np.linalg.norm(x)
        return 2 * (x @ theta - rng.choice([-1.0, 1.0])) * x

    for _ in range(500):
        theta = rng.normal(size=6)
        theta /= np.linalg.norm(theta)
        change = gradient(theta) - (gradient(theta) if neighbours is Neighbours.REPLACE_ONE else 0)
        assert np.linalg.norm(change) <= limit
    x, theta = np.eye(6)[0], np.eye(6)[0]  # x.theta - y = 2 against -2 turned round: the extreme pair
    extreme = 2 * (x @ theta + 1) * x - (2 * (x @ -theta - 1) * x if neighbours is Neighbours.REPLACE_ONE else 0)
    assert np.linalg.norm(extreme) == pytest.approx(limit)


def test_losses_without_curvature_and_pure_budgets_are_refused():
    with pytest.raises(InputError, match="got AbsoluteLoss, whose gradients jump"):
        GaussianFrankWolfe().schedule(unit_ball(AbsoluteLoss(), 1e4, 6), REPLACE)
    with pytest.raises(InputError, match="delta > 0"):
        GaussianFrankWolfe().schedule(unit_ball(SquaredLoss(), 1e4, 6), Budget(1.0, 0.0, Neighbours.REPLACE_ONE))
