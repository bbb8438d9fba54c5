"""Objective perturbation for many draws together: the literal answers, each with its certificate."""

import numpy as np
import pytest
from helpers.reduction_problems import domain_of, problem_of, some_records

from dprepro.algorithms import ObjectivePerturbation
from dprepro.budget import Budget, Neighbours
from dprepro.errors import Incompatible
from dprepro.problems import Box, HingeLoss, HuberLoss, L2Ball, LogisticLoss, Median, SquaredLoss
from dprepro.reductions import BatchedPerturbation, choose, perturbation_reductions

RECORDS = frozenset({"records"})
BUDGETS = {
    "gaussian": Budget(1.0, 1e-5, Neighbours.ADD_OR_REMOVE_ONE),
    "gamma": Budget(1.0, 0.0, Neighbours.ZERO_OUT),
}


def streams(count, seed=0):
    return [np.random.default_rng([seed, k]) for k in range(count)]


def instance(loss, radius=1.0, n=3000):
    return problem_of(loss, L2Ball(4, radius), n=n, feature_norm=2, records=some_records(4, 60, n, 2))


@pytest.mark.parametrize("noise", BUDGETS)
@pytest.mark.parametrize(
    ("loss", "radius", "n"),
    # inside the ball, at its sphere, and with noise that outweighs the data
    [(LogisticLoss(), 8.0, 30_000), (LogisticLoss(), 0.3, 3000), (LogisticLoss(), 2.0, 60), (HuberLoss(), 1.0, 3000)],
)
def test_every_draw_has_its_literal_minimiser(loss, radius, n, noise):
    algorithm, problem, budget = ObjectivePerturbation(noise=noise), instance(loss, radius, n), BUDGETS[noise]
    together = BatchedPerturbation(algorithm).solve_many(problem, budget, streams(12))
    minima = BatchedPerturbation(algorithm).minima(problem, budget, streams(12))
    ridge = algorithm.schedule(problem.domain, budget).regulariser / problem.domain.n
    for solution, minimum, rng in zip(together, minima, streams(12), strict=True):
        literal = algorithm.solve(problem, budget, rng)
        # by strong convexity two points with these gaps are this near to one another
        apart = 2 * np.sqrt(
            2 * perturbation_reductions.GAP_TARGET * problem.domain.lipschitz * problem.domain.diameter / ridge
        )
        assert np.linalg.norm(solution.theta - literal.theta) <= apart
        assert solution.schedule == literal.schedule
        assert solution.privacy_loss == literal.privacy_loss
        assert solution.diagnostics == pytest.approx(literal.diagnostics)
        assert minimum.gap <= perturbation_reductions.GAP_TARGET * problem.domain.lipschitz * problem.domain.diameter
        np.testing.assert_array_equal(minimum.theta, solution.theta)


@pytest.mark.parametrize("target", [1e-1, 1e-3, 1e-12])
def test_the_gap_bounds_what_the_minimum_is_lower_by(target, monkeypatch):
    monkeypatch.setattr(perturbation_reductions, "GAP_TARGET", target)  # a loose one leaves crude points
    view, ridge = instance(LogisticLoss()).records, 0.01
    linear = 0.3 * np.random.default_rng(1).standard_normal((20, 4))
    thetas, gaps = perturbation_reductions.minimise_together(view, linear, ridge)
    for b, theta, gap in zip(linear, thetas, gaps, strict=True):
        exact = view.minimise(b, ridge)
        value = view.value(theta) + b @ theta + 0.5 * ridge * theta @ theta
        assert value - exact.value <= gap + 1e-15
        assert value - exact.value >= -exact.gap - 1e-15
    assert gaps.max() <= target * view.domain.lipschitz * view.domain.diameter


def test_draws_that_do_not_settle_are_minimised_singly(monkeypatch):
    problem, budget = instance(LogisticLoss(), 0.3), BUDGETS["gaussian"]
    reduction = BatchedPerturbation(ObjectivePerturbation())
    expected = [one.theta for one in reduction.solve_many(problem, budget, streams(4))]
    monkeypatch.setattr(perturbation_reductions, "STEPS", 1)
    single = reduction.solve_many(problem, budget, streams(4))
    np.testing.assert_allclose([one.theta for one in single], expected, atol=1e-6)


def test_one_draw_has_the_answer_that_it_has_in_a_batch():
    problem, budget = instance(LogisticLoss()), BUDGETS["gaussian"]
    reduction = BatchedPerturbation(ObjectivePerturbation())
    batch = reduction.solve_many(problem, budget, streams(30))
    for solution, rng in zip(batch, streams(30), strict=True):
        np.testing.assert_allclose(reduction.solve(problem, budget, rng).theta, solution.theta, atol=1e-6)


def test_it_serves_smooth_margins_that_are_not_quadratic_over_an_l2_ball():
    algorithm, ball = ObjectivePerturbation(), L2Ball(3)
    domain = domain_of(LogisticLoss(), ball, 100, 2)
    assert choose("automatic", algorithm, domain, RECORDS, "here") == "batched_perturbation"
    for other, match in (
        (domain_of(SquaredLoss(), ball, 100, 2), "not SquaredLoss"),
        (domain_of(HingeLoss(), ball, 100, 2), "not HingeLoss"),
        (domain_of(Median(), ball, 100, 2), "not Median"),
        (domain_of(LogisticLoss(), Box(3), 100, 2), "needs an l2 ball and no l1 term, got a box"),
    ):
        assert choose("automatic", algorithm, other, RECORDS, "here") == "literal"
        with pytest.raises(Incompatible, match=match):
            choose("batched_perturbation", algorithm, other, RECORDS, "here")
