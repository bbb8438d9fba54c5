"""Predicted risks against exact laws that are computed here by other ways."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dprepro.algorithms import (
    ExponentialMechanism,
    FullGradient,
    GaussianFrankWolfe,
    Huberised,
    LeastRegulariser,
    NoisyGD,
    NoisySGD,
    ObjectivePerturbation,
    OutputPerturbation,
    RegularisedRelease,
    SparseRegression,
    SufficientStatistics,
)
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import RandomDesign
from dprepro.errors import InputError
from dprepro.practice import prediction, releases
from dprepro.practice.advice import Advice, Choice, expected
from dprepro.practice.ordinary import FAMILIES, AdviceQuestion, noises, of
from dprepro.practice.prediction import predict
from dprepro.practice.simulation import simulated

BUDGET = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)


def asked(loss: str, within: str, n: float, p: float, radius: float = 1.0, budget: Budget = BUDGET) -> AdviceQuestion:
    return AdviceQuestion(n, p, budget, loss, within, radius)


@pytest.mark.parametrize("loss", ["squared", "logistic", "huber", "absolute", "hinge", "half_squared_distance"])
@pytest.mark.parametrize("within", ["l2_ball", "l1_ball", "box", "simplex"])
def test_the_trivial_risk_is_that_of_the_certified_minimiser(loss: str, within: str) -> None:
    found = of(asked(loss, within, 1000, 4)).trivial
    for place, kind in enumerate(FAMILIES):
        problem = RandomDesign(kind=kind, rows=500, loss=loss, constraint_set=within).build({"n": 500.0, "p": 4.0}, 0.0)
        # kinks are rounded within 1e-3
        assert found[place] == pytest.approx(problem.trivial_risk, rel=1e-6, abs=1e-3 if loss in "absolutehinge" else 0)


def test_noise_over_whole_bases_has_the_second_moments_of_its_law_exactly() -> None:
    p, vectors = 6, noises(6, 60)
    assert vectors.T @ vectors / len(vectors) == pytest.approx(np.eye(p), abs=1e-12)
    assert vectors.mean(axis=0) == pytest.approx(np.zeros(p), abs=1e-12)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_release_inside_the_set_loses_half_the_trace_of_hessian_times_covariance(noise: str) -> None:
    """Half the squared distance has the Hessian I: the risk is E ||b||^2/2, by the law of the noise."""
    where = asked("half_squared_distance", "l2_ball", 1e5, 7, radius=3.0)
    algorithm = OutputPerturbation(noise=noise, constants="exact")
    scale = algorithm.schedule(where.domain, where.budget).noise_scale
    square = 7 * 8 * scale**2 if noise == "laplace" else 7 * scale**2  # a gamma norm of shape p, or chi-square
    assert predict(algorithm, where).risks == pytest.approx(np.full(3, square / 2), rel=1e-9)


def test_a_noisy_objective_inside_the_set_loses_what_linear_algebra_says() -> None:
    """theta = (2 G + r I)^-1 (2 c - b/n): its mean risk in closed form, from the records themselves."""
    where = asked("squared", "l2_ball", 1e7, 5, radius=50.0)
    algorithm = ObjectivePerturbation(constants="exact", regulariser=LeastRegulariser())
    schedule = algorithm.schedule(where.domain, where.budget)
    n, scale = where.domain.n, schedule.coordinate_scale
    found = predict(algorithm, where).risks
    for place, kind in enumerate(FAMILIES):
        x, y = where.family(kind).base_records(5)
        gram, cross = x.T @ x / 500, x.T @ y / 500
        inverse = np.linalg.inv(2 * gram + schedule.regulariser / n * np.eye(5))
        shift = inverse @ (2 * cross) - np.linalg.solve(gram, cross)
        exact = shift @ gram @ shift + (scale / n) ** 2 * np.trace(inverse @ gram @ inverse)
        assert found[place] == pytest.approx(exact, rel=1e-5)


def test_averaged_descent_without_a_border_loses_what_its_linear_recursion_says() -> None:
    """theta_t - theta* = sum of powers of I - eta H: mean and covariance of the average, eigenvalue by eigenvalue."""
    where = asked("squared", "l2_ball", 4000, 3, radius=50.0)
    algorithm = NoisyGD(constants="exact")
    schedule = algorithm.schedule(where.domain, where.budget)
    steps, eta, sigma = schedule.steps, schedule.step_size, schedule.noise_scale
    found = predict(algorithm, where).risks
    for place, kind in enumerate(FAMILIES):
        x, y = where.family(kind).base_records(3)
        values, vectors = np.linalg.eigh(2 * x.T @ x / 500)
        apart = -vectors.T @ np.linalg.solve(x.T @ x, x.T @ y)
        powers = (1 - eta * values)[:, None] ** np.arange(steps)
        bias = apart * powers.sum(axis=1) / steps
        spread = (eta * sigma / steps) ** 2 * (np.cumsum(powers, axis=1)[:, : steps - 1] ** 2).sum(axis=1)
        exact = 0.5 * float(values @ (bias**2 + spread))
        # 64 walks of 3 coordinates: a standard error of sqrt(2/192), three of them, and 3% of the blocks
        assert found[place] == pytest.approx(exact, rel=0.03 + 3 * math.sqrt(2 / 192))


def test_samples_inside_a_wide_set_lose_half_a_temperature_for_each_coordinate() -> None:
    where = asked("squared", "box", 1e6, 3, radius=20.0)
    algorithm = ExponentialMechanism()
    temperature = algorithm.schedule(where.domain, where.budget).noise_scale
    # 24 chains, 16 points of each, 3 coordinates: their squares have an error of about 5%
    assert predict(algorithm, where).risks == pytest.approx(np.full(3, 1.5 * temperature), rel=0.2)


@pytest.mark.parametrize(
    ("algorithm", "loss", "within"),
    [
        (RegularisedRelease(noise="gaussian"), "logistic", "l1_ball"),
        (ObjectivePerturbation(constants="exact"), "logistic", "box"),
        (GaussianFrankWolfe(), "huber", "l2_ball"),
        (SufficientStatistics(), "squared", "simplex"),
    ],
)
def test_a_prediction_is_what_literal_runs_lose(algorithm, loss: str, within: str) -> None:
    where = asked(loss, within, 500, 4)
    runs = simulated(algorithm, where, 60, 3)
    error = runs.std(axis=1, ddof=1) / math.sqrt(60)
    # four standard errors of a mean over 60 runs, of three means each: a false alarm in 1 of 1000
    assert np.all(np.abs(predict(algorithm, where).risks - runs.mean(axis=1)) < 4 * error + 0.1 * runs.mean(axis=1))


def test_twice_a_prediction_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same comparison as above fails where a prediction is twice as large."""
    where, algorithm = asked("logistic", "l1_ball", 2000, 4), RegularisedRelease(noise="gaussian")
    runs = simulated(algorithm, where, 60, 3)
    source, predictor = prediction._PREDICTORS[RegularisedRelease]
    doubled = {**prediction._PREDICTORS, RegularisedRelease: (source, lambda *given: 2 * predictor(*given))}
    monkeypatch.setattr(prediction, "_PREDICTORS", doubled)
    error = runs.std(axis=1, ddof=1) / math.sqrt(60)
    assert np.all(np.abs(predict(algorithm, where).risks - runs.mean(axis=1)) > 4 * error + 0.1 * runs.mean(axis=1))


def test_more_budget_is_never_predicted_to_lose_more() -> None:
    for algorithm in (
        ObjectivePerturbation(constants="exact"),
        NoisySGD(gradient=FullGradient(), constants="exact", steps=300),
    ):
        found = [
            expected(algorithm, asked("logistic", "l2_ball", 1e4, 5, budget=replace(BUDGET, epsilon=epsilon)))[0].max()
            for epsilon in (0.1, 0.3, 1.0, 3.0)
        ]
        assert found == sorted(found, reverse=True)


def test_who_has_no_prediction_says_why() -> None:
    with pytest.raises(InputError, match="law of its choice"):
        predict(SparseRegression(), asked("squared", "l1_ball", 1e4, 5))


def test_the_hessian_of_many_coordinates_is_that_of_the_rows_in_disguise() -> None:
    """More coordinates than rows: the same damping, and the same step of Newton's, by dense linear algebra."""
    found = of(asked("logistic", "l2_ball", 40, 90))
    v, shares = np.random.default_rng(1).standard_normal((3, 2, 90)), np.random.default_rng(2).random((5, 40))
    hessian = found.hessian(found.best)
    for kind in range(3):
        damped = np.linalg.solve(np.eye(90) + 2.5 * hessian[kind], v[kind].T).T
        assert found.damped(v, 2.5)[kind] == pytest.approx(damped, abs=1e-9)
        slope = found.loss.derivative(found.best[kind] @ found.features[kind].T, found.labels[kind])
        pull = (shares * slope) @ found.features[kind]
        step = np.linalg.solve(hessian[kind] + 0.1 * np.eye(90), pull.T).T
        assert found.newton(found.best, shares, 0.1)[kind] == pytest.approx(step, abs=1e-6)


def test_the_least_eigenvalue_of_a_large_matrix_is_that_of_the_dense_solver() -> None:
    noise = np.random.default_rng(3).standard_normal((300, 300))
    for matrix in (noise + noise.T, np.diag(np.arange(300.0) - 7), np.zeros((300, 300))):
        span = np.ptp(np.linalg.eigvalsh(matrix))
        assert releases._least_eigenvalue(matrix) == pytest.approx(np.linalg.eigvalsh(matrix)[0], abs=2e-3 * span)


def test_many_records_leave_rounded_losses_no_risk() -> None:
    """At n=1e7 kinks are rounded so little that a search from afar stops half-way: it begins at the minimiser."""
    risks = [
        predict(Huberised(ObjectivePerturbation(constants="exact")), asked("absolute", "l1_ball", n, 20)).risks.max()
        for n in (1e5, 1e7, 1e9)
    ]
    assert risks[1] < risks[0] / 10
    assert risks[2] < risks[1]


def test_a_risk_below_what_the_search_for_the_minimum_resolves_is_told_as_such() -> None:
    found = of(asked("logistic", "box", 1e7, 300))
    slope = found.gradient(found.best)
    gap = max(float(g @ (theta + np.sign(g))) for g, theta in zip(slope[:, 0], found.best[:, 0], strict=True))
    assert found.resolution == pytest.approx(gap, rel=1e-9)
    choice = Choice("output_perturbation", {}, typical=gap / 2)
    assert Advice([choice], {}, 1.0, 2.0, gap).unresolved(choice)
    assert not Advice([choice], {}, 1.0, 2.0, gap / 3).unresolved(choice)
