"""Gaussian Frank-Wolfe on groups and in a plane, and objective perturbation in a plane."""

import dataclasses
import math

import numpy as np
import pytest
from helpers.reduction_problems import ALARM, every_other, risks
from scipy.special import ndtri
from scipy.stats import ks_2samp, kstest, norm

from dprepro.algorithms import ConstantStep, DecayingStep, GaussianFrankWolfe, ObjectivePerturbation
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import DirectionRegression, LinearSlope, OrthogonalRegression
from dprepro.errors import DpreproError
from dprepro.problems import GroupsView, L2Ball, MomentsView, Problem, VertexGroups
from dprepro.reductions import GaussianGroups, GaussianSubspace, InvariantNoise
from dprepro.reductions.gaussian_reductions import signed_pairs
from dprepro.reductions.kernels import gaussian_kernels

REPLACE = Budget(1.0, 1e-2, Neighbours.REPLACE_ONE)
ADD = Budget(1.0, 1e-2, Neighbours.ADD_OR_REMOVE_ONE)
PURE = Budget(1.0, 0.0, Neighbours.ADD_OR_REMOVE_ONE)
CURVED = OrthogonalRegression(size=math.inf)


def instance(family, view, algorithm=None, budget=REPLACE, point=None):
    """Of the family, tuned to the algorithm's noise, seen in one view only."""
    point = point or {"n": 3000.0, "p": 5.0, "norm": 1.0}
    domain = family.domain(point)
    built = family.build(point, (algorithm or GaussianFrankWolfe()).schedule(domain, budget).noise_scale)
    return Problem(domain, {view: built.see(view)})


def wider(problem, spare, p):
    """The plane with more directions that have no data."""
    domain = dataclasses.replace(problem.domain, constraint_set=L2Ball(p, problem.constraint_set.radius))
    moments = dataclasses.replace(problem.plane.moments, spare=spare)
    return Problem(domain, {"plane": MomentsView(domain, moments)})


class AsBefore(GaussianFrankWolfe):
    """With the schedule of the narrower problem, so that nothing but the directions differs."""

    def schedule(self, domain, budget):
        return GaussianFrankWolfe().schedule(dataclasses.replace(domain, constraint_set=L2Ball(5)), budget)


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
    family, algorithm = DirectionRegression(within=within, size=0.7), GaussianFrankWolfe()
    grouped = instance(family, "groups")
    sample = risks(algorithm, instance(family, "moments"), 400, 3, REPLACE)
    assert ks_2samp(sample, risks(GaussianGroups(algorithm), grouped, 400, 4, REPLACE)).pvalue > ALARM
    # Four times as many rivals at the same scores are noticed by the same test.
    groups = grouped.groups.groups
    domain = dataclasses.replace(
        grouped.domain, constraint_set=dataclasses.replace(grouped.constraint_set, p=17), feature_bound=1.0
    )
    wrong = GroupsView(domain, dataclasses.replace(groups, sizes=np.where(groups.sizes == 1, 1.0, 16.0)))
    planted = risks(GaussianGroups(algorithm), Problem(domain, {"groups": wrong}), 400, 5, REPLACE)
    assert ks_2samp(sample, planted).pvalue < ALARM


def test_groups_of_an_l1_ball_may_stand_in_any_order_and_hold_both_signs_where_scores_are_zero():
    inner = np.array([-0.4, 0.0, 0.4, 0.1, -0.1])
    groups = VertexGroups(np.array([1.0, 8, 1, 3, 3]), np.outer(inner, inner), inner, 1.0)
    sizes, opposite = signed_pairs(groups)
    np.testing.assert_array_equal(opposite, [2, 1, 0, 4, 3])
    np.testing.assert_array_equal(sizes, [1, 4, 0, 3, 0])
    lonely = VertexGroups(np.array([1.0, 9]), np.outer(inner[:2], inner[:2]), inner[:2], 1.0)
    with pytest.raises(DpreproError, match="negative vertices"):
        signed_pairs(lonely)


def test_shuffled_groups_have_the_law_of_ordered_ones():
    grouped, algorithm = instance(DirectionRegression(within="l1_ball", size=0.7), "groups"), GaussianFrankWolfe()
    groups, order = grouped.groups.groups, np.array([3, 0, 1, 2])
    shuffled = VertexGroups(groups.sizes[order], groups.gram[np.ix_(order, order)], groups.cross[order], 1.0)
    other = Problem(grouped.domain, {"groups": GroupsView(grouped.domain, shuffled)})
    samples = (risks(GaussianGroups(algorithm), one, 1500, 6 + k, REPLACE) for k, one in enumerate((grouped, other)))
    assert ks_2samp(*samples).pvalue > ALARM


@every_other(
    ("step_size", "at"),
    [DecayingStep(), ConstantStep()],
    [
        (DirectionRegression(size=0.85), None),
        (LinearSlope(size=1.0), None),
        # curved in all directions, so that theta's part outside the data matters
        (CURVED, {"n": 3000.0, "p": 5.0}),
    ],
)
def test_the_gaussian_subspace_has_the_literal_law(step_size, at):
    algorithm, (family, point) = GaussianFrankWolfe(step_size=step_size), at
    plane = instance(family, "plane", point=point)
    # as powerful as the comparison below that notices more directions
    sample = risks(algorithm, instance(family, "moments", point=point), 400, 6, REPLACE)
    assert ks_2samp(sample, risks(GaussianSubspace(algorithm), plane, 1200, 7, REPLACE)).pvalue > ALARM


def test_a_gaussian_subspace_with_more_directions_would_be_noticed():
    plane = instance(DirectionRegression(size=0.85), "plane")
    sample = risks(GaussianSubspace(GaussianFrankWolfe()), plane, 600, 7, REPLACE)
    assert ks_2samp(sample, risks(GaussianSubspace(AsBefore()), wider(plane, 8, 9), 600, 8, REPLACE)).pvalue < ALARM


def test_a_gaussian_subspace_that_forgets_the_curvature_outside_the_data_would_be_noticed():
    algorithm, plane = GaussianFrankWolfe(), instance(CURVED, "plane", point={"n": 3000.0, "p": 5.0})
    moments = plane.plane.moments
    flat = dataclasses.replace(moments, ridge=np.array([moments.ridges[0], 0.0]))
    other = Problem(plane.domain, {"plane": MomentsView(plane.domain, flat)})
    rng = np.random.default_rng(9)
    planted = [plane.excess_risk(GaussianSubspace(algorithm).solve(other, REPLACE, rng).theta) for _ in range(3000)]
    assert ks_2samp(risks(GaussianSubspace(algorithm), plane, 3000, 7, REPLACE), planted).pvalue < ALARM


@every_other(
    ("drawn", "family"),
    [("gaussian", ADD), ("gamma", PURE)],
    [LinearSlope(size=0.7), OrthogonalRegression(size=0.7)],
)
def test_invariant_noise_has_the_literal_law(drawn, family):
    noise, budget = drawn
    point = {"n": 1e8, "p": 5.0, "norm": 1.0}
    algorithm = ObjectivePerturbation(noise=noise)
    plane = instance(family, "plane", algorithm, budget, point)
    sample = risks(algorithm, instance(family, "moments", algorithm, budget, point), 1000, 9, budget)
    assert ks_2samp(sample, risks(InvariantNoise(algorithm), plane, 1000, 10, budget)).pvalue > ALARM
    planted = risks(InvariantNoise(algorithm), wider(plane, 10, 11), 1000, 11, budget)
    assert ks_2samp(sample, planted).pvalue < ALARM
