import math

import numpy as np
import pytest
from helpers.small_problems import lasso, random_problem

from dprepro.algorithms import DataFree, ExactMinimiser, FrankWolfe, NoisyFrankWolfe
from dprepro.algorithms.noisy_frank_wolfe import score_sensitivity
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.problems import GroupsView, L1Ball, LogisticLoss, Problem, Simplex, SquaredLoss, VertexGroups

REPLACE = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
SILENCE = Budget(1.0, 1e-6, Neighbours.ZERO_OUT)
FREE = Budget(math.inf, 0.0, Neighbours.REPLACE_ONE)
PURE = Budget(1.0, 0.0, Neighbours.REPLACE_ONE)


def small_problem(loss=SquaredLoss(), within=L1Ball(5)):  # noqa: B008 -- both are frozen
    return random_problem(loss, within)


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
    assert solution.privacy_loss is None


def test_printed_schedule_of_the_lasso_is_two_n_epsilon_to_the_two_thirds():
    schedule = NoisyFrankWolfe().schedule(lasso(1e6, 100), REPLACE)
    assert schedule.steps == math.ceil((2 * 1e6) ** (2 / 3))
    # Lap(L_1 ||C||_1 sqrt(8 T ln(1/delta)) / (n epsilon)) with L_1 = 4
    assert schedule.noise_scale == pytest.approx(4 * math.sqrt(8 * schedule.steps * math.log(1e6)) / 1e6)
    assert schedule.step_regret == NoisyFrankWolfe().mechanism(schedule.noise_scale).expected_regret(200)


@pytest.mark.parametrize("neighbours", [Neighbours.REPLACE_ONE, Neighbours.ZERO_OUT])
def test_no_pair_of_neighbours_moves_a_score_by_more_than_the_sensitivity(neighbours):
    """Random search and the extreme pair x = (1, ..., 1), y = -1 against y = 1 at theta = e_1, which attains it."""
    rng = np.random.default_rng(1)
    n, p = 10, 4
    limit = score_sensitivity(lasso(n, p), neighbours)

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
    domain = lasso(1e6, 100)
    gumbel = NoisyFrankWolfe(selection="gumbel").privacy_loss(domain, REPLACE)
    laplace = NoisyFrankWolfe(selection="laplace").privacy_loss(domain, REPLACE)
    assert gumbel.epsilon < 1 < 1.4 < laplace.epsilon
    assert NoisyFrankWolfe(selection="laplace").privacy_loss(domain, SILENCE).epsilon < 1


@pytest.mark.parametrize("selection", ["laplace", "gumbel"])
@pytest.mark.parametrize("budget", [REPLACE, SILENCE, PURE])
def test_exact_constants_spend_the_budget(selection, budget):
    """At delta = 0 too, where the losses of all steps are summed and the printed scale does not exist."""
    algorithm = NoisyFrankWolfe(selection=selection, constants="exact")
    assert 0.99 < algorithm.privacy_loss(lasso(1e5, 100), budget).epsilon <= 1 + 1e-9


def test_literal_solution_stays_in_the_ball_and_reports_its_spending():
    solution = NoisyFrankWolfe().solve(small_problem(), REPLACE, np.random.default_rng(2))
    assert np.abs(solution.theta).sum() <= 1 + 1e-12
    assert solution.privacy_loss is not None
    assert solution.privacy_loss.delta == REPLACE.delta


@pytest.mark.parametrize("budget", [FREE, PURE])
def test_a_budget_without_epsilon_or_delta_is_refused(budget):
    with pytest.raises(InputError, match="finite epsilon and delta > 0"):
        NoisyFrankWolfe().schedule(lasso(1e6, 100), budget)


def test_an_algorithm_refuses_a_problem_that_offers_too_little():
    words = FrankWolfe().needs(frozenset({"groups"}))
    assert words == "FrankWolfe needs a problem with a dense representation; this one has groups"


def test_data_free_answer_is_zero_and_costs_nothing():
    solution = DataFree().solve(small_problem(), REPLACE, np.random.default_rng(0))
    assert not solution.theta.any()
    assert solution.privacy_loss is not None
    assert solution.privacy_loss.epsilon == 0


def test_start_and_minimiser_are_answered_where_only_groups_are_seen():
    domain = lasso(1e9, 10**12)
    groups = VertexGroups(np.array([1e12, 1e12]), np.array([[0.25, -0.25], [-0.25, 0.25]]), np.array([0.1, -0.1]), 1.0)
    problem = Problem(domain, {"groups": GroupsView(domain, groups)})
    rng = np.random.default_rng(0)
    assert problem.excess_risk(ExactMinimiser().solve(problem, FREE, rng).theta) == pytest.approx(0, abs=1e-12)
    assert problem.excess_risk(DataFree().solve(problem, FREE, rng).theta) == pytest.approx(0.04)


@pytest.mark.parametrize("loss", [SquaredLoss(), LogisticLoss()])
@pytest.mark.parametrize("within", [L1Ball(5), Simplex(5)])
def test_every_literal_algorithm_solves_every_smooth_problem_over_a_polytope(loss, within):
    problem = small_problem(loss, within)
    for algorithm, budget in ((FrankWolfe(steps=50), FREE), (NoisyFrankWolfe(), REPLACE), (DataFree(), REPLACE)):
        solution = algorithm.solve(problem, budget, np.random.default_rng(3))
        assert problem.excess_risk(solution.theta) >= -problem.minimum.gap - 1e-12


@pytest.mark.parametrize("loss", [SquaredLoss(), LogisticLoss()])
def test_more_noise_free_steps_bring_the_risk_down_to_the_certified_minimum(loss):
    problem = small_problem(loss)
    risks = [
        problem.excess_risk(FrankWolfe(steps=t).solve(problem, FREE, np.random.default_rng(0)).theta)
        for t in (10, 100, 3000)
    ]
    assert risks[0] > risks[1] > risks[2] >= 0
    assert risks[2] < 1e-4


@pytest.mark.parametrize("constants", ["printed", "exact"])
def test_one_step_of_the_schedule_publishes_the_start_and_spends_nothing(constants):
    algorithm = NoisyFrankWolfe(constants=constants)
    tiny = Budget(0.01, 1e-6, Neighbours.REPLACE_ONE)
    assert algorithm.schedule(lasso(10, 5), tiny).steps == 1
    assert algorithm.privacy_loss(lasso(10, 5), tiny).epsilon == 0
