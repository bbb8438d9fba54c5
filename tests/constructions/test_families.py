import math

import numpy as np
import pytest

from dprepro.constructions import (
    CentredNeedle,
    DirectionRegression,
    FlatOptimum,
    HingeCorner,
    LinearSlope,
    LipschitzSignedLabels,
    NiceRegression,
    OneHotFamily,
    OrthogonalRegression,
    RandomDesign,
    RandomQuadratic,
    SpreadPlaces,
    TunedNeedle,
)
from dprepro.constructions.needles import hardest_gap
from dprepro.errors import InputError, PremiseError
from dprepro.problems import GroupPoint

POINT = {"n": 1e6, "p": 50.0}


@pytest.mark.parametrize("family", [TunedNeedle, CentredNeedle])
@pytest.mark.parametrize("scale", [1e-4, 1e-2])
def test_records_of_a_needle_respect_the_bounds_of_the_domain(family, scale):
    problem = family().build(POINT, scale)
    m = problem.records.records.features[0]
    assert np.abs(m).max() <= 1
    np.testing.assert_allclose(problem.moments.moments.matrix(), np.outer(m, m))


def test_minimiser_of_the_tuned_needle_is_its_first_vertex_with_rivals_at_the_hardest_gap():
    problem = TunedNeedle().build(POINT, 0.01)
    np.testing.assert_allclose(problem.minimum.theta, np.eye(50)[0], atol=1e-12)
    gradient = problem.gradient(problem.minimum.theta)
    assert gradient[1] - gradient[0] == pytest.approx(hardest_gap(0.01, 100))


def test_minimiser_of_the_centred_needle_is_its_first_vertex():
    problem = CentredNeedle().build(POINT, 0.01)
    np.testing.assert_allclose(problem.minimum.theta, np.eye(50)[0], atol=1e-12)


@pytest.mark.parametrize("family", [TunedNeedle, CentredNeedle])
def test_groups_and_coordinates_of_a_needle_have_the_same_risk(family):
    problem = family().build(POINT, 0.01)
    weights = np.array([0.5, 0.2, 0.1, 0.15])
    theta = np.zeros(50)
    theta[0], theta[1:3], theta[3] = 0.5 - 0.1, 0.1, -0.15
    assert problem.excess_risk(GroupPoint(weights)) == pytest.approx(problem.excess_risk(theta), rel=1e-9)
    assert problem.groups.trivial_risk == pytest.approx(problem.moments.trivial_risk)


@pytest.mark.parametrize(("family", "scale", "word"), [(TunedNeedle, 0.4, "kappa"), (CentredNeedle, 1.0, "a=")])
def test_a_needle_outside_its_premise_is_skipped_with_the_premise(family, scale, word):
    with pytest.raises(PremiseError, match=word):
        family().build(POINT, scale)


def test_a_needle_needs_a_rival():
    with pytest.raises(PremiseError, match="p=1"):
        TunedNeedle().build({"n": 1e6, "p": 1.0}, 0.01)


def test_p_of_a_trillion_costs_nothing():
    problem = TunedNeedle().build({"n": 1e9, "p": 1e12}, 1e-4)
    assert problem.groups.groups.sizes.sum() == 2e12
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
    np.testing.assert_array_equal(small.moments.moments.cross, large.moments.moments.cross)
    np.testing.assert_array_equal(small.records.records.features, large.records.records.features)
    assert large.domain.n == large.records.records.n == 1e6
    assert large.minimum.gap <= 1e-9


def test_a_design_that_cannot_be_repeated_up_to_n_is_skipped():
    with pytest.raises(PremiseError, match="multiple"):
        RandomDesign(rows=100).build({"n": 150.0, "p": 5.0}, 0.0)


def test_a_design_without_rows_is_refused():
    with pytest.raises(InputError, match="rows=1"):
        RandomDesign(rows=1)


@pytest.mark.parametrize(
    ("family", "constants"),
    [
        (TunedNeedle(), {"l1_lipschitz": 4, "curvature": 8, "vertices": 100, "l1_radius": 1}),
        (RandomDesign(), {"l1_lipschitz": 4, "lipschitz": 4 * math.sqrt(50), "curvature": 8}),
        (DirectionRegression(), {"lipschitz": 4, "curvature": 8, "diameter": 2}),
        (DirectionRegression(within="simplex"), {"lipschitz": 4, "curvature": 4}),  # 2 diam^2, diam = sqrt 2
        (DirectionRegression(within="simplex", features="sup"), {"l1_lipschitz": 4, "curvature": 8}),
        (LinearSlope(), {"lipschitz": 1, "smoothness": 0, "curvature": 0, "radius": 2}),
        (OrthogonalRegression(), {"lipschitz": 2 * 50**1.5, "smoothness": 50, "radius": math.sqrt(50)}),
        (NiceRegression(), {"eta": 1e6, "strong_convexity": None, "lipschitz": 2 * 50**1.5}),
        (RandomQuadratic(), {"lipschitz": 3, "smoothness": 1, "radius": 2 * math.sqrt(50)}),
        (HingeCorner(), {"lipschitz": math.sqrt(13) / 2, "smoothness": math.inf}),
        (OneHotFamily(), {"self_bounding_lipschitz": 2 * math.sqrt(2) + 8, "smoothness": 2, "proper": False}),
        (OneHotFamily(loss="absolute"), {"self_bounding_lipschitz": 1, "label_bound": 2, "proper": False}),
        (LipschitzSignedLabels(feature_bound=3), {"lipschitz": 3, "label_bound": 6, "proper": False}),
    ],
)
def test_constants_are_those_of_the_papers(family, constants):
    domain = family.domain(POINT | {"norm": 2.0})
    assert {name: getattr(domain, name) for name in constants} == {
        name: value if value is None else pytest.approx(value) for name, value in constants.items()
    }


def test_tips_of_a_spiked_ball_are_the_minimisers_of_its_slope():
    problem = LinearSlope(ball=0.7).build(POINT | {"norm": 2.0}, 100.0)
    np.testing.assert_allclose(problem.minimum.theta, 2 * np.eye(50)[0])
    assert problem.excess_risk(1.4 * np.eye(50)[0]) == pytest.approx(0.6e-4)
    assert "plane" in LinearSlope().representations(POINT | {"norm": 2.0})
    assert "plane" not in LinearSlope(ball=0.7).representations(POINT | {"norm": 2.0})
    with pytest.raises(InputError, match="ball must be in"):
        LinearSlope(ball=0)


@pytest.mark.parametrize(("family", "parts"), [(SpreadPlaces(), 4), (HingeCorner(), 8)])
@pytest.mark.parametrize("more", [0, 1, 61])
def test_records_left_over_do_not_move_the_minimiser(family, parts, more):
    problem = family.build({"n": parts * 49 * 30.0 + more, "p": 50.0}, 0.0)
    np.testing.assert_allclose(problem.minimum.theta, {4: 1 / 2, 8: 2 / 3}[parts] * np.eye(50)[0])
    assert problem.minimum.gap <= 1e-9
    with pytest.raises(PremiseError, match="is below"):
        family.build({"n": parts * 49 - 1.0, "p": 50.0}, 0.0)


def test_records_of_the_flat_optimum_are_listed_where_an_orthogonal_block_fits_n():
    family = FlatOptimum()
    assert family.representations({"n": 2000.0, "p": 16.0}) == {"moments", "records"}  # 20 divides 1000
    assert family.representations({"n": 2002.0, "p": 16.0}) == {"moments"}  # 1001 is odd
    assert family.representations({"n": 262144.0, "p": 65536.0}) == {"moments"}  # 2^17 is no order of Paley's
