"""Branches that no other run takes, each against a law that is known or all cases counted.

Seeds are fixed; of every random comparison the chance of a false alarm is 1e-4.
"""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
from helpers.small_problems import at, one_hot, random_problem
from scipy.stats import chisquare, kstest

from dprepro.algorithms import (
    ConfidenceBoosting,
    EfficientSampler,
    ExponentialSupport,
    GridSearch,
    NoisyGD,
    RegularisedOutputPerturbation,
    SampleAndAggregate,
    SparseRegression,
)
from dprepro.algorithms.boosting import largest_loss
from dprepro.algorithms.efficient_sampler import extension
from dprepro.algorithms.samplers.grid_walk import WalkLaw
from dprepro.budget import Budget, Neighbours
from dprepro.problems import (
    Box,
    Domain,
    HalfSquaredDistance,
    HalfSquaredLoss,
    L2Ball,
    LinearLoss,
    Problem,
    SquaredLoss,
    SupportPoint,
)
from dprepro.problems.views.supports_view import SupportsView

ALARM = 1e-4
BUDGET = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
PURE = Budget(1.0, 0.0, Neighbours.REPLACE_ONE)


def columns(n: int = 40, p: int = 4) -> Problem:
    """Random records of the unit box, whose first columns say most of the labels."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (n, p))
    domain = Domain(HalfSquaredLoss(), Box(p), n, feature_norm=math.inf)
    return at(domain, x, np.ones(n), np.clip(x @ (0.9 ** np.arange(p) * np.array([1, -0.6, 0.2, 0.0])), -1, 1))


# Supports by a chain of swaps


def test_a_chain_of_swaps_draws_supports_as_the_exponential_mechanism_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """25 swaps among six supports, 700 chains, against exp(-q/scale); every support is scored once."""
    score, known = SupportsView.value, {}

    def remembered(self: SupportsView, point: SupportPoint) -> float:
        key = tuple(sorted(point.chosen))
        if key not in known:
            known[key] = score(self, point)
        return known[key]

    monkeypatch.setattr(SupportsView, "value", remembered)
    problem, swapped = columns(), ExponentialSupport(2, sampler="swaps", swaps=25)
    listed = dataclasses.replace(swapped, sampler="listed")
    budget, rng = Budget(3.0, 0.0, Neighbours.REPLACE_ONE), np.random.default_rng(1)
    scores = listed.scores(problem) / listed.schedule(problem.domain, budget).noise_scale
    law = np.exp(scores.min() - scores)
    assert 0.02 < law.min() / law.sum() < law.max() / law.sum() < 0.5
    drawn = [tuple(swapped.support(problem, budget, rng)) for _ in range(700)]
    counts = [drawn.count(combination) for combination in itertools.combinations(range(4), 2)]
    assert sum(counts) == 700
    assert chisquare(counts, 700 * law / law.sum()).pvalue > ALARM
    assert "in the limit of many swaps" in swapped.privacy_loss(problem.domain, budget).conversion
    assert swapped.privacy_loss(problem.domain, budget).epsilon == listed.privacy_loss(problem.domain, budget).epsilon


def test_of_all_coordinates_a_chain_has_nothing_to_swap_and_many_supports_are_not_listed() -> None:
    algorithm = ExponentialSupport(4, sampler="swaps")
    np.testing.assert_array_equal(algorithm.support(columns(), PURE, np.random.default_rng(0)), range(4))
    wide = dataclasses.replace(columns().domain, constraint_set=Box(1000))
    assert "many swaps" in ExponentialSupport(3).privacy_loss(wide, PURE).conversion
    assert "many swaps" not in ExponentialSupport(1).privacy_loss(wide, PURE).conversion


# Rows and labels of sparse regression


@pytest.mark.parametrize("rows", ["restricted", "printed"])
def test_rows_are_divided_by_the_norm_that_line_4_names(rows: str) -> None:
    """Row by row: the two largest entries in absolute value have a norm of at most sqrt 2 afterwards."""
    x = np.array([[0.5, -0.2, 0.1], [2.0, -2.0, 1.0], [0.0, 3.0, -3.0], [0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    factors = SparseRegression(sparsity=2, rows=rows).row_factors(x)[:, 0]  # type: ignore[arg-type]
    tested = [0.29**0.5, 8**0.5, 18**0.5, 0.0, 2**0.5]
    whole = [0.3**0.5, 3.0, 18**0.5, 0.0, 2**0.5]
    by = tested if rows == "restricted" else whole
    expected = [1.0 if one < 2**0.5 else 2**0.5 / other for one, other in zip(tested, by, strict=True)]
    np.testing.assert_allclose(factors, expected, rtol=1e-12)


def test_labels_beyond_s_are_cut_off_and_the_fit_sees_them_so() -> None:
    """Bounds of 3 on labels and 2 on features: lines 3 and 4 both act, on data for which all is counted by hand."""
    domain = Domain(HalfSquaredLoss(), Box(3), 4, 2.0, feature_norm=math.inf, label_bound=3.0)
    x = np.array([[2.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, -2.0], [0.5, 0.5, 0.5]])
    problem = at(domain, x, [1, 1, 1, 1], np.array([3.0, -3.0, 1.5, 0.2]))
    algorithm = SparseRegression(SampleAndAggregate(blocks=2), sparsity=2)
    assert not algorithm.keeps(domain)
    part = algorithm.part(problem, np.array([1, 2]))
    np.testing.assert_allclose(part.records.records.targets, [2.0, -2.0, 1.5, 0.2])
    np.testing.assert_allclose(part.records.records.features, [[1, 0], [0, 0], [1, -1], [0.5, 0.5]])
    assert (part.domain.label_bound, part.domain.feature_length) == (2.0, pytest.approx(2**0.5))
    alone = ExponentialSupport(2).privacy_loss(domain, Budget(0.5, 0.0, BUDGET.neighbours))
    certified = dataclasses.replace(algorithm, selection=ExponentialSupport(2)).privacy_loss(domain, BUDGET)
    assert certified is not None
    assert certified.epsilon > alone.epsilon


def test_votes_of_blocks_as_printed_promise_nothing_so_the_regression_does_not() -> None:
    algorithm = SparseRegression(SampleAndAggregate(blocks=2, partition="as_printed"), sparsity=2)
    assert algorithm.privacy_loss(columns().domain, BUDGET) is None


# Boosted runs inside grid search


@pytest.mark.parametrize("inner", [NoisyGD(), RegularisedOutputPerturbation()])
def test_no_loss_of_a_boosted_answer_exceeds_that_of_a_run_on_a_chunk_with_a_chance_for_each_run(inner) -> None:
    problem = one_hot(SquaredLoss(), n=200, p=3, mass=1.0, coordinates=3)
    boosted = ConfidenceBoosting(inner, chunks=3)
    chunk = dataclasses.replace(problem.domain, n=50, proper=False)
    found = largest_loss(boosted, problem.domain, BUDGET, 0.03, 77)
    assert found == largest_loss(inner, chunk, BUDGET, 0.01, 77)
    search = GridSearch(boosted, guesses=2)
    assert not search.refusal(problem.domain, BUDGET)
    solution = search.solve(problem, BUDGET, np.random.default_rng(0))
    assert np.isfinite(solution.theta).all()
    assert solution.privacy_loss is not None
    assert solution.privacy_loss.epsilon <= 1.5


# The grid walk


def test_a_walk_that_is_never_lazy_is_as_far_from_its_limit_as_all_pairs_of_cells_say() -> None:
    """Powers of the transition matrix, three by three cells; between two peaks with e^-100 amid them no walk mixes."""
    logs = np.random.default_rng(2).normal(0, 0.5, (3, 3))
    for lazy in (True, False):
        law = WalkLaw(logs, lazy)
        for steps in (1, 2, 7):
            power = np.linalg.matrix_power(law.transitions, steps)
            apart = np.abs(power / law.stationary - 1).max()
            assert law.farthest(steps) == pytest.approx(apart, rel=1e-9)
    assert WalkLaw(np.array([0.0, -100.0, 0.0])).mixing(0.5) == math.inf
    assert WalkLaw(np.array([0.0, -10.0, 0.0])).mixing(0.5) > math.exp(10)


def test_where_no_attempt_lies_in_the_set_the_sampler_answers_uniformly_from_the_unit_ball(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In p dimensions the norm to the power p is uniform, and so is the direction."""
    problem = random_problem(LinearLoss(), L2Ball(2), n=3)
    algorithm, rng = EfficientSampler(cells=8), np.random.default_rng(3)
    attempts = algorithm.schedule(problem.domain, PURE).attempts
    monkeypatch.setattr(EfficientSampler, "_cube_sample", lambda *_: np.full(2, 5.0))
    found = [algorithm.solve(problem, PURE, rng) for _ in range(1000)]
    assert {one.diagnostics["attempts"] for one in found} == {attempts + 1}
    theta = np.array([one.theta for one in found])
    assert kstest((theta**2).sum(axis=1), "uniform").pvalue > ALARM
    assert kstest((np.arctan2(*theta.T) / math.pi + 1) / 2, "uniform").pvalue > ALARM


def test_the_extension_beyond_the_set_is_the_least_over_all_points_of_a_fine_grid() -> None:
    """f_bar(theta) = min over u of f(u) + eta ||theta - u||, over 30 000 points of the disc."""
    problem = random_problem(HalfSquaredDistance(), L2Ball(2), n=4)
    schedule = EfficientSampler(cells=8).schedule(problem.domain, PURE)
    side = np.linspace(-1, 1, 201)
    points = np.array([(a, b) for a in side for b in side if a * a + b * b <= 1])
    values = np.array([problem.records.value(point) for point in points]) / schedule.noise_scale
    for theta in (np.array([1.2, 0.3]), np.array([-0.9, 0.9])):
        least = (values + schedule.slope * np.linalg.norm(points - theta, axis=1)).min()
        found = extension(problem, schedule, theta)
        assert found <= least + 1e-9
        assert found == pytest.approx(least, abs=2e-2 * schedule.slope)
