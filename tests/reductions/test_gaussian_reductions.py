"""Equality in distribution of the Gaussian reductions and the literal algorithms.

Seeds are fixed; a p-value below 1e-4 fails. Each test that a wrong reduction must fail is shown to fail for one.
"""

import dataclasses

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import ks_2samp, kstest, norm

from dprepro.algorithms import GaussianFrankWolfe, ObjectivePerturbation
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import DirectionRegression, LinearSlope, OrthogonalRegression
from dprepro.errors import Incompatible
from dprepro.problems import L2Ball, LeastSquares, Quadratic, VertexGroups
from dprepro.reductions import GaussianGroups, GaussianSubspace, InvariantNoise, choose, gaussian_kernels

ALARM = 1e-4
REPLACE = Budget(1.0, 1e-2, Neighbours.REPLACE_ONE)
ADD = Budget(1.0, 1e-2, Neighbours.ADD_OR_REMOVE_ONE)
PURE = Budget(1.0, 0.0, Neighbours.ADD_OR_REMOVE_ONE)


def risks(solver, problem, budget, draws, seed):
    rng = np.random.default_rng(seed)
    return np.array([problem.excess_risk(solver.solve(problem, budget, rng).theta) for _ in range(draws)])


def test_the_compiled_quantile_is_that_of_the_normal_law():
    q = np.r_[10.0 ** -np.arange(1.0, 300, 7), np.linspace(0.001, 0.999, 99), 1 - 1e-12]
    np.testing.assert_allclose([gaussian_kernels.quantile(one) for one in q], ndtri(q), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_least_and_largest_of_normals_have_their_joint_law(count):
    rng = np.random.default_rng(1)
    pairs = np.array([gaussian_kernels.least_and_largest(float(count), rng) for _ in range(3000)])
    normals = rng.normal(size=(3000, count))
    for take in (lambda least, largest: least, lambda least, largest: largest, lambda least, largest: largest - least):
        drawn = take(normals.min(axis=1), normals.max(axis=1))
        if np.ptp(drawn) > 0:
            assert ks_2samp(take(pairs[:, 0], pairs[:, 1]), drawn).pvalue > ALARM


def test_the_largest_of_a_million_million_normals_has_its_law():
    rng = np.random.default_rng(2)
    largest = [gaussian_kernels.least_and_largest(1e12, rng)[1] for _ in range(2000)]
    assert kstest(largest, lambda x: np.exp(1e12 * norm.logcdf(x))).pvalue > ALARM


@pytest.mark.parametrize("within", ["l1_ball", "simplex"])
def test_gaussian_groups_have_the_literal_law(within):
    point = {"n": 3000.0, "p": 5.0}
    family = DirectionRegression(within=within, size=0.7)
    algorithm = GaussianFrankWolfe()
    scale = algorithm.schedule(family.constants(point), REPLACE).noise_scale
    literal = dataclasses.replace(family, listed=True).build(point, scale)
    grouped = family.build(point, scale)
    sample = risks(algorithm, literal, REPLACE, 600, seed=3)
    assert ks_2samp(sample, risks(GaussianGroups(algorithm), grouped, REPLACE, 600, seed=4)).pvalue > ALARM
    # Four times as many rivals at the same scores are noticed by the same test.
    wrong = dataclasses.replace(grouped.groups, sizes=np.where(grouped.groups.sizes == 1, 1.0, 16.0))
    planted = LeastSquares.from_groups(wrong, 3000, dataclasses.replace(grouped.constraint_set, p=17))
    planted = planted.with_constants(grouped.constants)
    assert ks_2samp(sample, risks(GaussianGroups(algorithm), planted, REPLACE, 600, seed=5)).pvalue < ALARM


def test_the_gaussian_subspace_has_the_literal_law():
    point = {"n": 3000.0, "p": 5.0}
    family = DirectionRegression(size=0.85)
    algorithm = GaussianFrankWolfe()
    scale = algorithm.schedule(family.constants(point), REPLACE).noise_scale
    literal = dataclasses.replace(family, listed=True).build(point, scale)
    plane = family.build(point, scale)
    sample = risks(algorithm, literal, REPLACE, 600, seed=6)
    assert ks_2samp(sample, risks(GaussianSubspace(algorithm), plane, REPLACE, 600, seed=7)).pvalue > ALARM
    wrong = Quadratic(L2Ball(2), plane.constants, plane.curvature, plane.linear, spare=8)
    assert ks_2samp(sample, risks(GaussianSubspace(algorithm), wrong, REPLACE, 600, seed=8)).pvalue < ALARM


@pytest.mark.parametrize(("noise", "budget"), [("gaussian", ADD), ("gamma", PURE)])
@pytest.mark.parametrize("family", [LinearSlope(size=0.7), OrthogonalRegression(size=0.7)])
def test_invariant_noise_has_the_literal_law(noise, budget, family):
    point = {"n": 1e8, "p": 5.0, "norm": 1.0}
    algorithm = ObjectivePerturbation(noise=noise)
    scale = algorithm.schedule(family.constants(point), budget).noise_scale
    literal = dataclasses.replace(family, view="quadratic").build(point, scale)
    plane = family.build(point, scale)
    sample = risks(algorithm, literal, budget, 2000, seed=9)
    assert ks_2samp(sample, risks(InvariantNoise(algorithm), plane, budget, 2000, seed=10)).pvalue > ALARM
    wrong = Quadratic(L2Ball(2, plane.constraint_set.radius), plane.constants, plane.curvature, plane.linear, spare=10)
    assert ks_2samp(sample, risks(InvariantNoise(algorithm), wrong, budget, 2000, seed=11)).pvalue < ALARM


def test_reductions_are_chosen_by_what_the_problem_offers_and_refuse_what_they_cannot_do():
    gaussian = GaussianFrankWolfe()
    assert choose("automatic", gaussian, frozenset({"groups"}), "here") == "gaussian_groups"
    assert choose("automatic", gaussian, frozenset({"subspace"}), "here") == "gaussian_subspace"
    assert choose("automatic", gaussian, frozenset({"quadratic"}), "here") == "literal"
    assert choose("automatic", ObjectivePerturbation(), frozenset({"subspace"}), "here") == "invariant_noise"
    point = {"n": 3000.0, "p": 5.0}
    family = DirectionRegression(within="l1_ball")
    grouped = family.build(point, 1e-3)
    groups = grouped.groups
    order = np.array([0, 2, 1, 3])
    shuffled = VertexGroups(groups.sizes[order], groups.gram[np.ix_(order, order)], groups.cross[order], 1.0)
    problem = LeastSquares.from_groups(shuffled, 3000, grouped.constraint_set)
    with pytest.raises(Incompatible, match="negative vertices"):
        GaussianGroups(gaussian).solve(problem, REPLACE, np.random.default_rng(0))
    plane = DirectionRegression().build(point, 1e-3)
    curved = Quadratic(L2Ball(2), plane.constants, 1.0, plane.linear, spare=4)
    with pytest.raises(Incompatible, match="without data"):
        GaussianSubspace(gaussian).solve(curved, REPLACE, np.random.default_rng(0))
