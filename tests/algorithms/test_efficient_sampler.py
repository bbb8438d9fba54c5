"""The grid walk of Algorithms 5 to 7, step by step against its exact law, and the extension that it walks on."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy.stats import chi2

from dprepro.algorithms import EfficientSampler
from dprepro.algorithms.efficient_sampler import extension, grid_of, log_weight_of
from dprepro.algorithms.samplers.grid_walk import Grid, WalkLaw, walk
from dprepro.bounds import evaluate
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.laws.sampling_law import SamplerLaw
from dprepro.problems import Domain, L2Ball, LinearLoss, Median, Problem, Records, RecordsView

BUDGET = Budget(1.0, 0.0, Neighbours.REPLACE_ONE)
#: Of a chi-square test: exceeded by the law itself once in a hundred thousand tests.
RARE = 1e-5


def data(n=4, p=1, heavy=3, loss=None):
    domain = Domain(loss or LinearLoss(), L2Ball(p), n)
    c = np.full(p, 1 / math.sqrt(p))
    records = Records(np.array([c, -c]), counts=np.array([heavy, n - heavy], dtype=float))
    return Problem(domain, {"records": RecordsView(domain, records)})


def too_far(counts, chances):
    """Whether Pearson's statistic says that the counts are not of these chances."""
    expected = chances * counts.sum()
    return ((counts - expected) ** 2 / expected).sum() > chi2.isf(RARE, len(counts) - 1)


@pytest.mark.parametrize(("p", "cells", "lazy"), [(1, 7, True), (1, 7, False), (2, 4, True)])
def test_the_walk_ends_where_its_law_says(p, cells, lazy):
    rng = np.random.default_rng(1)
    logs = rng.normal(0, 1, (cells,) * p)
    grid, steps, draws = Grid(p, cells, 1.0), 9, 4000

    def log_weight(theta):
        cell = tuple(np.round((theta + 1) / grid.edge - 0.5).astype(int))
        return float(logs[cell])

    ends = np.zeros(grid.size)
    for _ in range(draws):
        ends[grid.number(walk(log_weight, grid, steps, lazy, rng))] += 1
    law = WalkLaw(logs, lazy).after(grid.number(grid.middle), steps)
    seen = law > 1e-12  # a walk that never stays has not been everywhere
    assert not ends[~seen].any()
    assert not too_far(ends[seen], law[seen])
    assert too_far(ends[seen], np.roll(law[seen], 1))


def test_the_law_by_the_spectrum_is_the_power_of_the_transition_matrix():
    law = WalkLaw(np.random.default_rng(0).normal(0, 2, (5, 5)))
    power = np.linalg.matrix_power(law.transitions, 37)
    np.testing.assert_allclose([law.after(start, 37) for start in range(25)], power, atol=1e-12)
    assert law.farthest(37) == pytest.approx(np.abs(power / law.stationary - 1).max())
    mixed = law.mixing(1e-3)
    assert law.farthest(mixed) <= 1e-3 < law.farthest(mixed - 1)


def test_a_flat_line_mixes_with_its_second_eigenvalue():
    cells = 60
    values, _ = WalkLaw(np.zeros(cells))._spectrum
    assert values[-1] == pytest.approx(math.cos(math.pi / (2 * cells)) ** 2)


@pytest.mark.parametrize("loss", [LinearLoss(), Median()])
def test_the_extension_is_the_least_over_the_set(loss):
    problem = data(p=2, loss=loss)
    schedule = EfficientSampler(cells=5).schedule(problem.domain, BUDGET)
    angles, radii = np.meshgrid(np.linspace(0, 2 * math.pi, 721), np.linspace(0, 1, 101))
    inside = np.stack([(radii * np.cos(angles)).ravel(), (radii * np.sin(angles)).ravel()], axis=1)
    values = np.array([problem.dense.value(u) for u in inside]) / schedule.noise_scale
    for theta in (np.array([0.9, 0.8]), np.array([-1.0, 0.3]), np.array([0.2, -1.0])):
        least = float((values + schedule.slope * np.linalg.norm(theta - inside, axis=1)).min())
        found = extension(problem, schedule, theta)
        assert least - 1e-4 <= found <= least + 1e-7


def test_literal_draws_have_the_law_that_privacy_is_computed_from():
    """A coarse grid on a disc: cells of draws in the set, against the law's shares of the cells in it."""
    problem = data(p=2)
    literal = EfficientSampler(walk="steps", cells=4, steps_per_square=1.0)
    law = SamplerLaw(literal, problem.domain, BUDGET)
    grid, rng = grid_of(problem.domain, law.schedule), np.random.default_rng(3)
    found = np.zeros(grid.size)
    for _ in range(600):
        theta = literal.solve(problem, BUDGET, rng).theta
        found[grid.number(tuple(((theta + 1) / grid.edge).astype(int)))] += 1
    mass = law.density(law.walked(problem)) * law.shares
    assert mass.sum() == pytest.approx(1)
    assert not too_far(found, mass)


def test_draws_by_the_law_are_those_of_the_steps():
    problem = data()
    assert EfficientSampler().solve(problem, BUDGET, np.random.default_rng(0)).diagnostics["attempts"] == 1
    law = SamplerLaw(EfficientSampler(), problem.domain, BUDGET)
    draws = [EfficientSampler().solve(problem, BUDGET, np.random.default_rng(k)).theta[0] for k in range(400)]
    below = law.below(problem, np.array([-0.5, 0.0, 0.5]))
    counts = np.histogram(draws, [-1, -0.5, 0, 0.5, 1])[0]
    assert not too_far(counts, np.diff([0, *below, 1]))


def test_the_printed_numbers_follow_from_algorithms_5_to_7():
    """Said once more, in `bst_lemmas`, for the unit ball with L = 1."""
    domain = Domain(LinearLoss(), L2Ball(2), 100)
    plan = EfficientSampler()._plan(domain, BUDGET)
    total = evaluate("bst_lemmas.sampler_steps", {"n": 100, "p": 2, "epsilon": 1})
    assert plan.attempts * plan.printed_steps == pytest.approx(total, rel=1e-2)  # cells are rounded
    assert plan.slope == pytest.approx(100 / 12)
    assert plan.gauge == pytest.approx(3 * math.exp(1 / 6) * (100 / 6 + 2))
    assert 2 / plan.cells <= plan.precision / (2 * (plan.slope + plan.gauge) * math.sqrt(2))


def test_weights_fall_outside_the_set_and_are_those_of_the_loss_inside():
    problem = data(p=2)
    schedule = EfficientSampler(cells=5).schedule(problem.domain, BUDGET)
    log_weight = log_weight_of(problem, schedule)
    theta = np.array([0.3, -0.2])
    assert log_weight(theta) == pytest.approx(-problem.dense.value(theta) / schedule.noise_scale)
    assert log_weight(np.array([0.9, 0.9])) < log_weight(np.array([0.7, 0.7])) - schedule.gauge / 4


def test_only_the_printed_walk_on_the_printed_grid_is_certified():
    domain = Domain(LinearLoss(), L2Ball(1), 4)
    certified = EfficientSampler().privacy_loss(domain, BUDGET)
    assert certified is not None
    assert certified.epsilon == pytest.approx(1.0)
    for change in ({"lazy": False}, {"cells": 30}, {"steps_per_square": 2.0}, {"gauge_factor": 0.5}):
        assert dataclasses.replace(EfficientSampler(), **change).privacy_loss(domain, BUDGET) is None


def test_walks_that_cannot_be_run_are_refused_with_their_size():
    with pytest.raises(InputError, match=r"takes .* steps on .*\^3 cells and can take"):
        EfficientSampler().schedule(Domain(LinearLoss(), L2Ball(3), 100), BUDGET)
    with pytest.raises(InputError, match="holds the unit ball, got an l2 ball"):
        EfficientSampler().schedule(Domain(LinearLoss(), L2Ball(1, 0.5), 4), BUDGET)
    with pytest.raises(InputError, match="cells and steps_per_square must be at least 0"):
        EfficientSampler(cells=-1)
