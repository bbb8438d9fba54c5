import math

import numpy as np
import pytest

from dprepro.algorithms import DataFree, FrankWolfe, NoisyFrankWolfe
from dprepro.algorithms.noisy_frank_wolfe import score_sensitivity
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import FlatOptimum, RandomDesign, TunedNeedle
from dprepro.errors import Incompatible, InputError
from dprepro.problems import L1Ball, LeastSquares

REPLACE = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
ADD = Budget(1.0, 1e-6, Neighbours.ADD_OR_REMOVE_ONE)
FREE = Budget(math.inf, 0.0, Neighbours.REPLACE_ONE)


def small_problem(n=40, p=5, seed=0):
    rng = np.random.default_rng(seed)
    features, labels = rng.uniform(-1, 1, (n, p)), rng.uniform(-1, 1, n)
    return LeastSquares.from_records(features, labels, L1Ball(p))


def test_algorithm_1_follows_the_printed_loop():
    problem = small_problem()
    theta = np.zeros(5)
    for t in range(1, 4):
        gradient = problem.gradient(theta)
        j = int(np.argmax(np.abs(gradient)))
        vertex = np.zeros(5)
        vertex[j] = -np.sign(gradient[j])
        theta = (1 - 2 / (t + 2)) * theta + 2 / (t + 2) * vertex
    solution = FrankWolfe(steps=4).solve(problem, FREE, np.random.default_rng(0))
    np.testing.assert_allclose(solution.theta, theta)
    assert solution.spent is None


def test_printed_schedule_of_the_lasso_is_two_n_epsilon_to_the_two_thirds():
    constants = TunedNeedle().constants({"n": 1e6, "p": 100})
    schedule = NoisyFrankWolfe().schedule(constants, REPLACE)
    assert schedule.steps == math.ceil((2 * 1e6) ** (2 / 3))
    # Lap(L_1 ||C||_1 sqrt(8 T ln(1/delta)) / (n epsilon)) with L_1 = 4
    assert schedule.noise_scale == pytest.approx(4 * math.sqrt(8 * schedule.steps * math.log(1e6)) / 1e6)


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_no_pair_of_neighbours_moves_a_score_by_more_than_the_sensitivity(neighbours):
    """Random search and the extreme pair x = (1, ..., 1), y = -1 against y = 1 at theta = e_1, which attains it."""
    rng = np.random.default_rng(1)
    n, p = 10, 4
    constants = small_problem(n, p).constants
    limit = score_sensitivity(constants, neighbours)

    def record_gradient(x, y, theta):
        return 2 * (x @ theta - y) * x

    largest = 0.0
    for _ in range(500):
        theta = L1Ball(p).project(rng.normal(size=p))
        old = record_gradient(rng.choice([-1.0, 1.0], p), rng.choice([-1.0, 1.0]), theta)
        new = record_gradient(rng.choice([-1.0, 1.0], p), rng.choice([-1.0, 1.0]), theta)
        change = old - new if neighbours is Neighbours.REPLACE_ONE else old
        largest = max(largest, np.abs(change).max() / n)
    theta = np.eye(p)[0]
    x = np.ones(p)
    extreme = record_gradient(x, -1.0, theta)
    other = record_gradient(np.r_[1.0, -np.ones(p - 1)], -1.0, theta)
    attained = np.abs(extreme - other if neighbours is Neighbours.REPLACE_ONE else extreme).max() / n
    assert largest <= limit + 1e-12
    assert attained == pytest.approx(limit)


def test_gumbel_selection_at_the_printed_scale_is_within_budget_and_laplace_is_certified_for_more():
    constants = TunedNeedle().constants({"n": 1e6, "p": 100})
    gumbel = NoisyFrankWolfe(selection="gumbel").spent(constants, REPLACE)
    laplace = NoisyFrankWolfe(selection="laplace").spent(constants, REPLACE)
    assert gumbel.epsilon < 1 < 1.4 < laplace.epsilon
    assert NoisyFrankWolfe(selection="laplace").spent(constants, ADD).epsilon < 1


@pytest.mark.parametrize("selection", ["laplace", "gumbel"])
def test_exact_constants_spend_the_budget(selection):
    algorithm = NoisyFrankWolfe(selection=selection, constants="exact")
    constants = TunedNeedle().constants({"n": 1e5, "p": 100})
    assert 0.99 < algorithm.spent(constants, REPLACE).epsilon <= 1 + 1e-9


def test_literal_solution_stays_in_the_ball_and_reports_its_spending():
    problem = small_problem()
    solution = NoisyFrankWolfe().solve(problem, REPLACE, np.random.default_rng(2))
    assert np.abs(solution.theta).sum() <= 1 + 1e-12
    assert solution.spent is not None
    assert solution.spent.delta == REPLACE.delta


@pytest.mark.parametrize("budget", [FREE, Budget(1.0, 0.0, Neighbours.REPLACE_ONE)])
def test_a_budget_without_epsilon_or_delta_is_refused(budget):
    with pytest.raises(InputError, match="finite epsilon and delta > 0"):
        NoisyFrankWolfe().schedule(TunedNeedle().constants({"n": 1e6, "p": 100}), budget)


def test_an_algorithm_refuses_a_problem_that_offers_too_little():
    with pytest.raises(Incompatible, match="records or moments; the needle offers only groups"):
        FrankWolfe().check(frozenset({"groups"}), "the needle")


def test_data_free_answer_is_zero_and_costs_nothing():
    solution = DataFree().solve(small_problem(), REPLACE, np.random.default_rng(0))
    assert not solution.theta.any()
    assert solution.spent is not None
    assert solution.spent.epsilon == 0


@pytest.mark.parametrize("build", [lambda: FlatOptimum(), lambda: RandomDesign(kind="planted", rows=200)])
def test_every_literal_algorithm_solves_every_moment_problem(build):
    problem = build().build({"n": 400.0, "p": 16.0}, 0.1)
    for algorithm, budget in ((FrankWolfe(steps=50), FREE), (NoisyFrankWolfe(), REPLACE), (DataFree(), REPLACE)):
        solution = algorithm.solve(problem, budget, np.random.default_rng(3))
        assert problem.excess_risk(solution.theta) >= -problem.minimum.gap - 1e-12


def test_more_noise_free_steps_bring_the_risk_down_to_the_certified_minimum():
    problem = small_problem()
    risks = [
        problem.excess_risk(FrankWolfe(steps=t).solve(problem, FREE, np.random.default_rng(0)).theta)
        for t in (10, 100, 3000)
    ]
    assert risks[0] > risks[1] > risks[2] >= 0
    assert risks[2] < 1e-4


@pytest.mark.parametrize("constants", ["printed", "exact"])
def test_one_step_of_the_schedule_publishes_the_start_and_spends_nothing(constants):
    algorithm = NoisyFrankWolfe(constants=constants)
    public = TunedNeedle().constants({"n": 10, "p": 5})
    tiny = Budget(0.01, 1e-6, Neighbours.REPLACE_ONE)
    assert algorithm.schedule(public, tiny).steps == 1
    assert algorithm.spent(public, tiny).epsilon == 0
