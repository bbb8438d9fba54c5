"""Algorithm 1 of Kifer, Smith and Thakurta. Seeds are fixed; a p-value below 1e-4 fails."""

import math

import numpy as np
import pytest
from scipy.stats import gamma, kstest, norm

from dprepro.algorithms import ObjectivePerturbation
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import LinearSlope, NiceRegression, OrthogonalRegression, RandomQuadratic
from dprepro.errors import Incompatible, InputError, PremiseError
from dprepro.problems import L1Ball, LeastSquares, Moments
from dprepro.problems.constants import Constants

ADD = Neighbours.ADD_OR_REMOVE_ONE
APPROXIMATE, PURE = Budget(0.7, 1e-6, ADD), Budget(0.7, 0.0, ADD)
POINT = {"n": 1000.0, "p": 8.0, "norm": 1.0}
ALARM = 1e-4


def constants(p=5.0, zeta=2.0, smoothness=3.0):
    return Constants(100, p, 1.5, zeta, 0.0, 0, smoothness=smoothness)


def test_printed_noise_and_delta_are_those_of_the_algorithm():
    gaussian = ObjectivePerturbation().schedule(constants(), APPROXIMATE)
    assert gaussian.coordinate_scale == pytest.approx(2 * math.sqrt(8 * math.log(2e6) + 4 * 0.7) / 0.7)
    assert gaussian.regulariser == pytest.approx(2 * math.sqrt(5 * math.log(1e6)) / (0.7 * 1.5))
    pure = ObjectivePerturbation(noise="gamma").schedule(constants(), PURE)
    assert pure.coordinate_scale == pytest.approx(2 * 2 / 0.7)
    assert pure.regulariser == pytest.approx(2 * 5 * math.log(5) / (0.7 * 1.5))
    assert ObjectivePerturbation(regulariser="least").schedule(constants(), APPROXIMATE).regulariser == 2 * 3 / 0.7


def test_gamma_noise_has_a_gamma_norm_and_a_uniform_direction():
    rng = np.random.default_rng(1)
    algorithm = ObjectivePerturbation(noise="gamma")
    b = np.array([algorithm.draw(4, 2.5, rng) for _ in range(3000)])
    assert kstest(np.linalg.norm(b, axis=1), gamma(4, scale=2.5).cdf).pvalue > ALARM
    # one coordinate of a uniform direction in four dimensions: (1 + u)/2 is Beta(3/2, 3/2)
    unit = b[:, 0] / np.linalg.norm(b, axis=1)
    assert kstest((1 + unit) / 2, "beta", args=(1.5, 1.5)).pvalue > ALARM


def test_gaussian_noise_has_the_printed_standard_deviation():
    rng = np.random.default_rng(2)
    b = np.array([ObjectivePerturbation().draw(4, 2.5, rng) for _ in range(1000)])
    assert kstest(b.ravel(), norm(0, 2.5).cdf).pvalue > ALARM


@pytest.mark.parametrize("within", ["box", "l1_ball", "l2_ball"])
@pytest.mark.parametrize("l1", [0.0, 30.0])
def test_the_answer_minimises_the_printed_objective_over_the_set(within, l1):
    """No point of the set does better, among many random ones and those near the answer."""
    family = RandomQuadratic(within=within, l1=l1)
    problem = family.build(POINT, 0.0)
    algorithm = ObjectivePerturbation(regulariser="least")
    rng = np.random.default_rng(3)
    b = algorithm.draw(8, 20.0, rng)
    theta = algorithm.answer(problem, APPROXIMATE, b).theta
    ridge = algorithm.schedule(problem.constants, APPROXIMATE).regulariser

    def objective(point):
        return problem.risk(point) + ridge / 2000 * point @ point + b @ point / 1000

    assert problem.constraint_set.contains(theta)
    for _ in range(300):
        for other in (rng.normal(size=8), theta + 1e-3 * rng.normal(size=8)):
            assert objective(theta) <= objective(problem.constraint_set.project(other)) + 1e-14


@pytest.mark.parametrize(("noise", "budget"), [("gaussian", APPROXIMATE), ("gamma", PURE)])
@pytest.mark.parametrize("regulariser", ["theorem_4", "least"])
def test_printed_constants_are_within_the_budget_and_half_lambda_over_epsilon_is_certified_for_more(
    noise, budget, regulariser
):
    algorithm = ObjectivePerturbation(noise=noise, regulariser=regulariser)
    assert algorithm.spent(constants(), budget).epsilon <= 0.7 + 1e-12
    short = ObjectivePerturbation(noise=noise, regulariser="least", least=0.5)
    assert short.spent(constants(), budget).epsilon > 0.8


@pytest.mark.parametrize(("noise", "budget"), [("gaussian", APPROXIMATE), ("gamma", PURE)])
def test_exact_constants_spend_the_budget(noise, budget):
    algorithm = ObjectivePerturbation(noise=noise, constants="exact")
    assert 0.69 < algorithm.spent(constants(), budget).epsilon <= 0.7 + 1e-9
    printed = ObjectivePerturbation(noise=noise).schedule(constants(), budget).coordinate_scale
    assert algorithm.schedule(constants(), budget).coordinate_scale < printed


@pytest.mark.parametrize(
    ("algorithm", "budget", "words"),
    [
        (ObjectivePerturbation(), PURE, "delta > 0"),
        (ObjectivePerturbation(noise="gamma"), APPROXIMATE, "delta = 0"),
        (ObjectivePerturbation(), Budget(math.inf, 1e-6, ADD), "finite epsilon"),
        (ObjectivePerturbation(), Budget(1.0, 1e-6, Neighbours.REPLACE_ONE), "add_or_remove_one"),
        (ObjectivePerturbation(constants="exact", regulariser="least", least=0.5), APPROXIMATE, "leaves no epsilon"),
    ],
)
def test_a_budget_that_the_algorithm_cannot_meet_is_refused(algorithm, budget, words):
    with pytest.raises(InputError, match=words):
        algorithm.schedule(constants(), budget)


def test_a_linear_loss_without_a_regulariser_is_refused():
    with pytest.raises(InputError, match="Delta must be positive"):
        ObjectivePerturbation(regulariser="least").schedule(constants(smoothness=0.0), APPROXIMATE)


def test_a_problem_that_takes_no_further_terms_is_refused():
    moments = Moments(n=10, cross=np.ones(2), second_moment=1.0, gram=np.eye(2))
    problem = LeastSquares.from_moments(moments, L1Ball(2))
    with pytest.raises(Incompatible, match="quadratic"):
        ObjectivePerturbation().solve(problem, APPROXIMATE, np.random.default_rng(0))


def test_members_outside_the_premise_are_skipped():
    with pytest.raises(PremiseError, match="bound on a record"):
        LinearSlope(size=2.0).build(POINT, 1000.0)
    with pytest.raises(PremiseError, match="bound on a row"):
        OrthogonalRegression(size=1.0).build(POINT, 1e9)
    with pytest.raises(PremiseError, match=r"below p\^2"):
        NiceRegression().build({"n": 60.0, "p": 8.0}, 1.0)


def test_the_orthogonal_regression_has_the_gradients_and_curvatures_it_promises():
    """Rows of norm sqrt p, labels <x, theta*> and the ball of radius sqrt p: |<x, theta> - y| ||x|| <= 2 p^1.5."""
    p = 6
    point = {"n": 60.0, "p": float(p)}
    promised = OrthogonalRegression().constants(point)
    rng = np.random.default_rng(4)
    target = np.r_[math.sqrt(p), np.zeros(p - 1)]
    for _ in range(200):
        theta = rng.normal(size=p)
        theta *= math.sqrt(p) / np.linalg.norm(theta)
        row = math.sqrt(p) * np.eye(p)[rng.integers(p)]
        assert np.linalg.norm((row @ theta - row @ target) * row) <= promised.lipschitz
        assert row @ row <= promised.smoothness + 1e-12
    problem = NiceRegression(view="quadratic").build(point, 0.0)
    rows = np.repeat(math.sqrt(p) * np.eye(p), 10, axis=0)
    theta = rng.normal(size=p) / 10
    mean = 0.5 * np.mean((rows @ theta - rows @ target) ** 2) - 0.5 * np.mean((rows @ target) ** 2)
    assert problem.risk(theta) == pytest.approx(mean)
