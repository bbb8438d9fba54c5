"""Algorithm 3 of Talwar, Thakurta and Zhang."""

import math

import numpy as np
import pytest

from dprepro.algorithms import GaussianFrankWolfe
from dprepro.algorithms.gaussian_frank_wolfe import sensitivity
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import DirectionRegression
from dprepro.errors import InputError, PremiseError

REPLACE = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
POINT = {"n": 1e4, "p": 6.0}


@pytest.mark.parametrize("step_size", ["decaying", "constant"])
@pytest.mark.parametrize("within", ["l1_ball", "l2_ball", "simplex", "lq_ball"])
def test_algorithm_3_follows_the_printed_loop(within, step_size):
    family = DirectionRegression(within=within, listed=True, size=math.inf)
    problem = family.build(POINT, 0.0)
    algorithm = GaussianFrankWolfe(constants="printed", step_size=step_size)
    steps = algorithm.schedule(problem.constants, REPLACE).steps
    sigma = math.sqrt(32 * 4 * steps) * math.log(1e4 / 1e-6) / 1e4
    noise = np.random.default_rng(5)
    theta = problem.constraint_set.start()
    for t in range(1, steps):
        direction = problem.gradient(theta) + noise.normal(0.0, sigma, 6)
        mu = 2 / (t + 2) if step_size == "decaying" else 1 / (steps + 2)
        theta = (1 - mu) * theta + mu * problem.constraint_set.minimise_linear(direction)
    solution = algorithm.solve(problem, REPLACE, np.random.default_rng(5))
    np.testing.assert_allclose(solution.theta, theta, atol=1e-12)
    assert problem.constraint_set.contains(solution.theta)


def test_steps_are_those_of_theorem_b_2():
    constants = DirectionRegression().constants({"n": 1e6, "p": 100.0})
    steps = GaussianFrankWolfe().schedule(constants, REPLACE).steps
    assert steps == math.ceil((8 * 1e6 / (4 * constants.width)) ** (2 / 3))


def test_exact_noise_spends_the_budget_and_printed_noise_with_the_first_power_of_l2_exceeds_it_where_l2_is_large():
    lasso = DirectionRegression(within="l1_ball", features="sup")
    constants = lasso.constants({"n": 1e8, "p": 1e9})
    assert constants.euclidean_lipschitz == pytest.approx(4 * math.sqrt(1e9))
    assert 0.99 < GaussianFrankWolfe().spent(constants, REPLACE).epsilon <= 1 + 1e-9
    assert GaussianFrankWolfe(constants="printed").spent(constants, REPLACE).epsilon > 20
    assert GaussianFrankWolfe(constants="squared").spent(constants, REPLACE).epsilon < 0.1


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_no_pair_of_neighbours_moves_the_gradient_by_more_than_the_sensitivity(neighbours):
    constants = DirectionRegression().constants(POINT)
    limit = sensitivity(constants, neighbours) * POINT["n"]
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


def test_constants_without_a_width_and_pure_budgets_are_refused():
    from dataclasses import replace

    constants = DirectionRegression().constants(POINT)
    with pytest.raises(InputError, match="Gaussian width"):
        GaussianFrankWolfe().schedule(replace(constants, width=0.0), REPLACE)
    with pytest.raises(InputError, match="delta > 0"):
        GaussianFrankWolfe().schedule(constants, Budget(1.0, 0.0, Neighbours.REPLACE_ONE))


def test_members_outside_the_premise_are_skipped():
    with pytest.raises(PremiseError, match="bound on a record"):
        DirectionRegression().build(POINT, 10.0)
    with pytest.raises(PremiseError, match="features=sup"):
        DirectionRegression(features="sup").constants(POINT)
    with pytest.raises(PremiseError, match="too many to list"):
        DirectionRegression(within="lq_ball").build({"n": 1e4, "p": 1e4}, 1e-6)
