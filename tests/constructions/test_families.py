import math

import numpy as np
import pytest

from dprepro.constructions import CentredNeedle, FlatOptimum, RandomDesign, TunedNeedle
from dprepro.constructions.needles import hardest_gap
from dprepro.errors import InputError, PremiseError
from dprepro.problems import GroupPoint

POINT = {"n": 1e6, "p": 50.0}


@pytest.mark.parametrize("family", [TunedNeedle, CentredNeedle])
@pytest.mark.parametrize("scale", [1e-4, 1e-2])
def test_records_of_a_needle_respect_the_bounds_of_the_domain(family, scale):
    moments = family(view="moments").build(POINT, scale).moments
    assert np.abs(moments.cross).max() <= 1  # all records are (m, 1), and cross = m
    np.testing.assert_allclose(moments.gram, np.outer(moments.cross, moments.cross))


def test_minimiser_of_the_tuned_needle_is_its_first_vertex_with_rivals_at_the_hardest_gap():
    problem = TunedNeedle(view="moments").build(POINT, 0.01)
    np.testing.assert_allclose(problem.minimum.theta, np.eye(50)[0], atol=1e-12)
    gradient = problem.gradient(problem.minimum.theta)
    assert gradient[1] - gradient[0] == pytest.approx(hardest_gap(0.01, 100))


def test_minimiser_of_the_centred_needle_is_its_first_vertex():
    problem = CentredNeedle(view="moments").build(POINT, 0.01)
    np.testing.assert_allclose(problem.minimum.theta, np.eye(50)[0], atol=1e-12)


@pytest.mark.parametrize("family", [TunedNeedle, CentredNeedle])
def test_groups_and_coordinates_of_a_needle_have_the_same_risk(family):
    grouped, listed = family().build(POINT, 0.01), family(view="moments").build(POINT, 0.01)
    weights = np.array([0.5, 0.2, 0.1, 0.15])
    theta = np.zeros(50)
    theta[0], theta[1:3], theta[3] = 0.5 - 0.1, 0.1, -0.15
    assert grouped.excess_risk(GroupPoint(weights)) == pytest.approx(listed.excess_risk(theta), rel=1e-9)
    assert grouped.trivial_risk == pytest.approx(listed.trivial_risk)


@pytest.mark.parametrize(("family", "scale", "word"), [(TunedNeedle, 0.4, "kappa"), (CentredNeedle, 1.0, "a=")])
def test_a_needle_outside_its_premise_is_skipped_with_the_premise(family, scale, word):
    with pytest.raises(PremiseError, match=word):
        family().build(POINT, scale)


def test_a_needle_needs_a_rival():
    with pytest.raises(PremiseError, match="p=1"):
        TunedNeedle().build({"n": 1e6, "p": 1.0}, 0.01)


def test_p_of_a_trillion_costs_nothing():
    problem = TunedNeedle().build({"n": 1e9, "p": 1e12}, 1e-4)
    assert problem.groups.sizes.sum() == 2e12
    assert problem.minimum.gap <= 1e-9


def test_no_sparse_point_beats_one_over_t_on_the_flat_optimum():
    """Over theta with t equal coordinates and any sum the best risk is (1 - share)/t, less the optimum's."""
    p, share = 400, 0.5
    problem = FlatOptimum(share=share).build({"n": 2000.0, "p": float(p)}, 0.0)
    for t in (5, 20, 80):
        best = math.inf
        for total in np.linspace(0.8, 1.0, 201):
            theta = np.zeros(p)
            theta[:t] = total / t
            best = min(best, problem.excess_risk(theta))
        assert best == pytest.approx((1 - share) * (1 / t - 1 / p), rel=0.25)


def test_flat_optimum_needs_enough_orthogonal_records():
    with pytest.raises(PremiseError, match="orthogonal"):
        FlatOptimum().build({"n": 100.0, "p": 80.0}, 0.0)


@pytest.mark.parametrize("kind", ["iid", "correlated", "planted", "noise"])
def test_ordinary_designs_are_the_same_at_every_n_and_certified(kind):
    design = RandomDesign(kind=kind, rows=100)
    small, large = (design.build({"n": n, "p": 20.0}, 0.0) for n in (100.0, 1e6))
    np.testing.assert_array_equal(small.moments.cross, large.moments.cross)
    assert large.constants.n == 1e6
    assert large.minimum.gap <= 1e-9
    assert np.diag(large.moments.gram).max() <= 1 + 1e-12


def test_a_design_that_cannot_be_repeated_up_to_n_is_skipped():
    with pytest.raises(PremiseError, match="multiple"):
        RandomDesign(rows=100).build({"n": 150.0, "p": 5.0}, 0.0)


def test_a_design_without_rows_is_refused():
    with pytest.raises(InputError, match="rows=1"):
        RandomDesign(rows=1)
