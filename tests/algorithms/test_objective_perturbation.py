"""Algorithm 1 of Kifer, Smith and Thakurta. Seeds are fixed; a p-value below 1e-4 fails."""

import math

import numpy as np
import pytest
from helpers.small_problems import LOSSES, random_problem, sets, unit_ball
from scipy.stats import gamma, kstest, norm

from dprepro.algorithms import BalancedRegulariser, LeastRegulariser, ObjectivePerturbation, Theorem4Regulariser
from dprepro.budget import Budget, Neighbours
from dprepro.errors import Incompatible, InputError
from dprepro.problems import (
    Box,
    Domain,
    GroupsView,
    HalfSquaredDistance,
    HalfSquaredLoss,
    HingeLoss,
    HuberLoss,
    L1Ball,
    L2Ball,
    LinearLoss,
    LogisticLoss,
    LqBall,
    Moments,
    MomentsView,
    Problem,
    SquaredLoss,
    VertexGroups,
)

ADD, SILENCE, REPLACE = Neighbours.ADD_OR_REMOVE_ONE, Neighbours.ZERO_OUT, Neighbours.REPLACE_ONE
APPROXIMATE, PURE = Budget(0.7, 1e-6, ADD), Budget(0.7, 0.0, ADD)
ALARM = 1e-4
DOMAIN = unit_ball(HalfSquaredLoss(), 100, 5, radius=1.5)  # zeta = 1 + 1.5, lambda = 1


def quadratic(within, l1=0.0, p=8, n=1000.0, seed=0):
    """Half squared losses of orthogonal rows s_j e_j with labels y_j, some rows of length zero, and an l1 term."""
    rng = np.random.default_rng([seed, p])
    lengths = rng.uniform(0, 1, p) * (rng.uniform(0, 1, p) > 0.2)
    labels = rng.uniform(-1, 1, p)
    domain = Domain(HalfSquaredLoss(), within, n, feature_norm=1, l1_weight=l1)
    moments = Moments(0.5 * lengths * labels / p, 0.5 * float(np.mean(labels**2)), ridge=0.5 * lengths**2 / p)
    return Problem(domain, {"moments": MomentsView(domain, moments)})


def test_printed_noise_and_delta_are_those_of_the_algorithm():
    gaussian = ObjectivePerturbation().schedule(DOMAIN, APPROXIMATE)
    assert gaussian.coordinate_scale == pytest.approx(2.5 * math.sqrt(8 * math.log(2e6) + 4 * 0.7) / 0.7)
    assert gaussian.noise_scale == pytest.approx(math.sqrt(5) * gaussian.coordinate_scale)
    assert gaussian.regulariser == pytest.approx(2.5 * math.sqrt(5 * math.log(1e6)) / (0.7 * 1.5))
    pure = ObjectivePerturbation(noise="gamma").schedule(DOMAIN, PURE)
    assert pure.coordinate_scale == pytest.approx(2 * 2.5 / 0.7)
    assert pure.noise_scale == pytest.approx(math.sqrt(5 * 6) * pure.coordinate_scale)
    assert pure.regulariser == pytest.approx(2.5 * 5 * math.log(5) / (0.7 * 1.5))
    assert ObjectivePerturbation(regulariser=LeastRegulariser()).schedule(DOMAIN, APPROXIMATE).regulariser == 2 / 0.7
    balanced = ObjectivePerturbation(noise="gamma", regulariser=BalancedRegulariser()).schedule(DOMAIN, PURE)
    assert balanced.regulariser == pytest.approx(2.5 * 5 / (0.7 * 1.5))


def test_gamma_noise_has_a_gamma_norm_and_a_uniform_direction():
    rng = np.random.default_rng(1)
    algorithm = ObjectivePerturbation(noise="gamma")
    b = np.array([algorithm.density.sample(4, 2.5, rng) for _ in range(3000)])
    assert kstest(np.linalg.norm(b, axis=1), gamma(4, scale=2.5).cdf).pvalue > ALARM
    # one coordinate of a uniform direction in four dimensions: (1 + u)/2 is Beta(3/2, 3/2)
    unit = b[:, 0] / np.linalg.norm(b, axis=1)
    assert kstest((1 + unit) / 2, "beta", args=(1.5, 1.5)).pvalue > ALARM


def test_gaussian_noise_has_the_printed_standard_deviation():
    rng = np.random.default_rng(2)
    b = np.array([ObjectivePerturbation().density.sample(4, 2.5, rng) for _ in range(1000)])
    assert kstest(b.ravel(), norm(0, 2.5).cdf).pvalue > ALARM


def assert_minimises(problem, theta, b, ridge, rng):
    """No point of the set does better, among many random ones and those near the answer."""
    n, p = problem.domain.n, problem.domain.p

    def objective(point):
        return problem.dense.value(point) + ridge / (2 * n) * point @ point + b @ point / n

    assert problem.constraint_set.contains(theta)
    for _ in range(30 if isinstance(problem.constraint_set, LqBall) else 300):  # its projection is slow
        for other in (rng.normal(size=p), theta + 1e-3 * rng.normal(size=p)):
            assert objective(theta) <= objective(problem.constraint_set.project(other)) + 1e-13


@pytest.mark.parametrize("within", [Box(8), L1Ball(8), L2Ball(8)])
@pytest.mark.parametrize("l1", [0.0, 30.0])
def test_the_answer_minimises_the_printed_objective_over_the_set_with_a_regulariser(within, l1):
    problem = quadratic(within, l1)
    algorithm, rng = ObjectivePerturbation(regulariser=LeastRegulariser()), np.random.default_rng(3)
    b = algorithm.density.sample(8, 20.0, rng)
    theta = algorithm.answer(problem.dense, APPROXIMATE, b).theta
    assert_minimises(problem, theta, b, algorithm.schedule(problem.domain, APPROXIMATE).regulariser, rng)


@pytest.mark.parametrize("within", sets(4))
@pytest.mark.parametrize("loss", ["SquaredLoss", "LogisticLoss", "HuberLoss", "LinearLoss"])
def test_the_answer_minimises_the_printed_objective_on_records_of_any_smooth_loss(loss, within):
    problem = random_problem(LOSSES[loss], sets(4)[within])
    algorithm, rng = ObjectivePerturbation(), np.random.default_rng(4)
    b = algorithm.density.sample(4, 2.0, rng)
    solution = algorithm.answer(problem.dense, APPROXIMATE, b)
    assert solution.diagnostics["noise_norm"] == pytest.approx(np.linalg.norm(b))
    assert_minimises(problem, solution.theta, b, solution.schedule.regulariser, rng)


@pytest.mark.parametrize(("noise", "budget"), [("gaussian", APPROXIMATE), ("gamma", PURE)])
@pytest.mark.parametrize("regulariser", [Theorem4Regulariser(), LeastRegulariser()], ids=lambda rule: rule.name)
def test_printed_constants_are_within_the_budget_and_half_lambda_over_epsilon_is_certified_for_more(
    noise, budget, regulariser
):
    algorithm = ObjectivePerturbation(noise=noise, regulariser=regulariser)
    assert algorithm.privacy_loss(DOMAIN, budget).epsilon <= 0.7 + 1e-12
    short = ObjectivePerturbation(noise=noise, regulariser=LeastRegulariser(), least=0.5)
    assert short.privacy_loss(DOMAIN, budget).epsilon > 0.8


@pytest.mark.parametrize(("noise", "budget"), [("gaussian", APPROXIMATE), ("gamma", PURE)])
def test_exact_constants_spend_the_budget(noise, budget):
    algorithm = ObjectivePerturbation(noise=noise, constants="exact")
    assert 0.69 < algorithm.privacy_loss(DOMAIN, budget).epsilon <= 0.7 + 1e-9
    printed = ObjectivePerturbation(noise=noise).schedule(DOMAIN, budget).coordinate_scale
    assert algorithm.schedule(DOMAIN, budget).coordinate_scale < printed


@pytest.mark.parametrize("delta", [1e-6, 0.0])
def test_a_silent_record_is_one_that_is_gone_and_a_replacement_is_two_of_them(delta):
    """Half the epsilon is left for each, and the answer says so."""
    algorithm = ObjectivePerturbation(noise="gaussian" if delta else "gamma", constants="exact")
    added, silenced, replaced = (Budget(0.7, delta, one) for one in (ADD, SILENCE, REPLACE))
    assert algorithm.schedule(DOMAIN, silenced) == algorithm.schedule(DOMAIN, added)
    half = Budget(0.35, delta / (1 + math.exp(0.35)), SILENCE)
    assert algorithm.schedule(DOMAIN, replaced) == algorithm.schedule(DOMAIN, half)
    privacy_loss = algorithm.privacy_loss(DOMAIN, replaced)
    assert 0.69 < privacy_loss.epsilon <= 0.7 + 1e-9
    assert privacy_loss.delta <= delta * (1 + 1e-9)
    assert "two zero-outs" in privacy_loss.conversion
    assert "zero-outs" not in algorithm.privacy_loss(DOMAIN, silenced).conversion


def test_n_is_not_read():
    """The objective times n: equal sums of losses give equal laws, whatever the number of silent records."""
    algorithm, few, many = ObjectivePerturbation(), DOMAIN, unit_ball(HalfSquaredLoss(), 1e6, 5, radius=1.5)
    assert algorithm.schedule(few, APPROXIMATE) == algorithm.schedule(many, APPROXIMATE)


@pytest.mark.parametrize(
    ("algorithm", "budget", "words"),
    [
        (ObjectivePerturbation(), PURE, "delta > 0"),
        (ObjectivePerturbation(noise="gamma"), APPROXIMATE, "delta = 0"),
        (ObjectivePerturbation(), Budget(math.inf, 1e-6, ADD), "finite epsilon"),
        (
            ObjectivePerturbation(constants="exact", regulariser=LeastRegulariser(), least=0.5),
            APPROXIMATE,
            "leaves no epsilon",
        ),
    ],
)
def test_a_budget_that_the_algorithm_cannot_meet_is_refused(algorithm, budget, words):
    with pytest.raises(InputError, match=words):
        algorithm.schedule(DOMAIN, budget)


def test_losses_of_another_kind_are_refused():
    for loss, words in (
        (HalfSquaredDistance(), "needs a loss of <x, theta>, got HalfSquaredDistance"),
        (HingeLoss(), "got HingeLoss, whose gradients jump"),
    ):
        with pytest.raises(InputError, match=words):
            ObjectivePerturbation().schedule(unit_ball(loss, 100, 5), APPROXIMATE)
    for loss in (SquaredLoss(), LogisticLoss(), HuberLoss(), LinearLoss()):
        ObjectivePerturbation().admit(unit_ball(loss, 100, 5), APPROXIMATE)


@pytest.mark.parametrize("budget", [APPROXIMATE, PURE, Budget(0.7, 1e-6, REPLACE)])
def test_a_linear_loss_needs_no_regulariser_since_the_answer_is_a_function_of_the_noisy_sum(budget):
    algorithm = ObjectivePerturbation(noise="gaussian" if budget.delta else "gamma", regulariser=LeastRegulariser())
    problem = random_problem(LinearLoss(), L2Ball(5), 100)
    schedule = algorithm.schedule(problem.domain, budget)
    assert schedule.regulariser == 0
    # the whole certificate is that of the noisy sum: zeta over the scale, of pure noise
    assert algorithm.privacy_loss(problem.domain, budget).epsilon <= (0.35 if budget is PURE else 0.7) * (1 + 1e-12)
    theta = algorithm.solve(problem, budget, np.random.default_rng(3)).theta
    b = algorithm.density.sample(5, schedule.coordinate_scale, np.random.default_rng(3))
    total = 100 * problem.gradient(np.zeros(5)) + b
    np.testing.assert_allclose(theta, -total / np.linalg.norm(total), atol=1e-9)


def test_a_problem_that_lists_no_coordinates_is_refused():
    domain = Domain(SquaredLoss(), L1Ball(2), 10, feature_norm=math.inf)
    groups = GroupsView(domain, VertexGroups(np.full(2, 2.0), np.array([[1.0, -1.0], [-1.0, 1.0]]), np.zeros(2), 1.0))
    assert "dense representation" in ObjectivePerturbation().needs(frozenset({"groups"}))
    with pytest.raises(Incompatible, match="no dense representation"):
        ObjectivePerturbation().solve(Problem(domain, {"groups": groups}), APPROXIMATE, np.random.default_rng(0))
