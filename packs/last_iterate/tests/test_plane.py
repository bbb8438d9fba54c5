"""Two dimensions: products of chains against simulation, closed forms and one dimension; counts against beta laws."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from dprepro_last_iterate import bounds, box, disc, pairs, plane, published, transfer
from scipy.stats import beta

from dprepro.errors import PremiseError

SHAPE = {"side_angle": 0.5, "difference_angle": 0.9, "drift_1": 2.0, "drift_2": 1.0}


def test_the_cells_of_both_chains_are_what_a_simulation_on_the_rectangle_hits() -> None:
    s, eta, sigma, steps, draws, rng = 1.0, 0.2, 1.0, 4, 100_000, np.random.default_rng(2)
    sides = np.array([math.cos(0.5), math.sin(0.5)])
    moved = s * np.array([math.cos(0.9), math.sin(0.9)])
    angles, drifts = (0.5, 0.9), (2.0, 1.0)
    ((one, other),) = plane._sides(s, eta, sigma, angles, drifts, [steps], 1e-5, 8)
    for gradient, masses in (
        (moved * drifts, (one.first, other.first)),
        (moved * drifts + moved, (one.second, other.second)),
    ):
        x = np.tile(sides, (draws, 1))
        for _ in range(steps):  # the projection on a rectangle, as it is defined
            x = np.clip(x - eta * (gradient + sigma * rng.standard_normal(x.shape)), 0, sides)
        both = [
            np.where(y == 0, 0, np.where(y == side, 9, 1 + np.floor(8 * y / side)))
            for y, side in zip(x.T, sides, strict=True)
        ]
        seen = np.histogram2d(*both, bins=np.arange(11) - 0.5)[0] / draws
        expected = np.outer(*masses)
        assert expected.sum() == pytest.approx(1)
        error = np.sqrt(np.maximum(expected, 1 / draws) / draws)
        assert (np.abs(seen - expected) <= 6 * error).all()  # 200 comparisons: a false alarm in a million


def test_masses_of_cells_are_differences_of_half_lines() -> None:
    (cells,) = box.chain(0.4, 0.1, 0.2, 1.0, [7], 1e-14, 64)
    law = transfer.half_lines(
        (((1.0, transfer.constant(0.4)),), ((1.0, transfer.constant(0.5)),)), 1.0, 0.2, 1.0, [7], 1e-14
    )
    for masses, upper in ((cells.first, law.first[0, :65]), (cells.second, law.second[0, :65])):
        np.testing.assert_allclose(masses[::-1].cumsum()[::-1][1:], upper, rtol=1e-11)


@pytest.mark.parametrize("difference_angle", [0.3, math.pi / 4])
def test_one_step_far_from_all_walls_is_gaussian_whatever_the_direction(difference_angle: float) -> None:
    s, eta, sigma, delta = 1.0, 0.02, 1.0, 1e-6
    h = (s * math.cos(difference_angle), s * math.sin(difference_angle))
    drifts = tuple(0.35 / (eta * part) for part in h)  # to the middle of the square
    found = plane._rectangle(1, s, eta, sigma, delta, math.pi / 4, difference_angle, *drifts, 2048)
    exact = published.gaussian_epsilon(s / sigma, delta)
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower < 0.03 * exact
    assert found.lower == pytest.approx(exact, rel=1e-3)


def test_a_difference_in_one_coordinate_is_the_law_of_one_dimension() -> None:
    side = 0.5
    law = pairs.linear(0.2, 0.1, 0.2 / math.cos(side), 1.0, [14], 1e-14, thresholds=1025)
    found = plane._rectangle(14, 0.1, 0.2, 1.0, 1e-5, side, 0.0, 2.0, 1.0, 1024)
    assert found.lower <= law.epsilons(1e-5)[0] + 1e-6 <= found.upper + 1e-6
    assert found.lower == pytest.approx(law.epsilons(1e-5)[0], rel=1e-4)


def test_finer_cells_bring_both_limits_together() -> None:
    limits = [plane._rectangle(5, 1.0, 0.2, 1.0, 1e-6, *SHAPE.values(), cells) for cells in (16, 128, 1024)]
    for coarse, fine in itertools.pairwise(limits):
        assert coarse.lower <= fine.lower + 1e-9
        assert fine.upper <= coarse.upper + 1e-9
    assert limits[-1].lower < limits[-1].upper < limits[-1].lower * 1.01
    assert plane.rectangle_loss(5, 1.0, 0.2, 1.0, 1e-6, **SHAPE) == pytest.approx(limits[-1].lower, rel=1e-4)


def test_the_loss_at_every_cell_lies_in_the_range_of_the_coarser_cell() -> None:
    (coarse,), (fine,) = (box.chain(0.5, 0.3, 0.2, 1.0, [5], 1e-30, cells) for cells in (8, 512))
    losses = np.log(fine.first[1:-1] / fine.second[1:-1]).reshape(8, 64)
    assert (coarse.low[1:-1, None] <= losses).all()
    assert (losses <= coarse.high[1:-1, None]).all()


def test_losses_that_the_error_hides_have_no_upper_limit() -> None:
    (rough,) = box.chain(0.5, 0.3, 0.2, 1.0, [5], 1e-3, 8)
    assert np.isinf(rough.high).any()
    assert box.product_limits(rough, rough, 1e-9).upper == math.inf


def test_bounds_of_coordinates_compose_to_no_more_than_the_bound_of_the_box() -> None:
    rng = np.random.default_rng(4)
    for _ in range(300):
        steps, s, side, difference = int(10 ** rng.uniform(0, 4)), 10 ** rng.uniform(-2, 1), *rng.uniform(0, 1.57, 2)
        assert plane.coordinates_bound(steps, s, 0.1, 1.0, side, difference) <= plane.least_bound(
            steps, s, 0.1, 1.0
        ) * (1 + 1e-12)
    # attained where the difference is in the diagonal
    assert plane.coordinates_bound(40, 1.0, 0.1, 1.0, 0.6, 0.6) == pytest.approx(plane.least_bound(40, 1.0, 0.1, 1.0))


def test_a_thin_side_breaks_the_conjecture_of_one_dimension_and_no_published_bound() -> None:
    place = {"sensitivity": 3.0, "step_size": 0.2, "noise": 1.0, "delta": 1e-86}
    pair = {"side_angle": 0.08, "difference_angle": 0.5923, "drift_1": 3.695, "drift_2": 8.402}
    found = plane.rectangle_loss(steps=2, **place, **pair)
    assert found > 1.04 * bounds.four_b(**place)  # which asks for its premise
    assert found > 1.2 * bounds.worst_loss(**place)
    assert found < plane.rectangle_bound(2, *place.values(), 0.08, 0.5923) <= bounds.plateau_bound(2, **place)


def test_the_square_leaks_less_than_the_interval_at_practical_settings() -> None:
    limits, interval = plane.worst_square(0.1, 0.2, 1.0, 1e-5), bounds.worst_loss(0.1, 0.2, 1.0, 1e-5)
    assert limits.lower <= limits.upper < 0.81 * interval
    assert limits.lower > 0.79 * interval


def test_a_rectangle_without_a_side_is_refused() -> None:
    with pytest.raises(PremiseError, match="two sides"):
        plane.rectangle_loss(2, 0.1, 0.2, 1.0, 1e-5, **SHAPE | {"side_angle": 0.0})


def test_the_limits_of_counts_are_those_of_clopper_and_pearson_for_all_events_together() -> None:
    first, second, draws = np.array([900, 40, 0]), np.array([500, 45, 1000]), 1000
    tail = 0.01 / 12
    low, high = beta.ppf(tail, 900, 101), beta.ppf(1 - tail, 501, 500)
    found = disc.Counted(first, second, draws)
    # of the third event, in the other order, all of the second law and none of the first
    other = math.log((beta.ppf(tail, 1000, 1) - 0.1) / beta.ppf(1 - tail, 1, 1000))
    assert found.lower(0.1) == pytest.approx(other)
    assert (
        disc.Counted(first[:2], second[:2], draws).upper(0.1)
        > math.log((0.9 - 0.1) / 0.5)
        > math.log((low - 0.1) / high)
    )
    assert disc.Counted(second, first, draws).lower(0.1) == pytest.approx(other)


def test_half_planes_of_one_step_on_the_disc_have_normal_frequencies_and_points_stay_on_it() -> None:
    rng, draws, v = np.random.default_rng(6), 100_000, 0.05
    x = disc.simulated((0.5, 0.0), v, 1, draws, rng)  # to the centre, ten deviations from the circle
    assert (np.hypot(*x) <= 0.5 + 1e-12).all()
    hits = disc.hits(x).reshape(disc.DIRECTIONS, -1)[:, : disc.CAPS]
    caps = 0.5 * np.cos(np.linspace(math.pi, 0, disc.CAPS + 2)[1:-1])
    expected = 0.5 * np.array([math.erfc(cap / v / math.sqrt(2)) for cap in caps])
    error = np.sqrt(np.maximum(expected * (1 - expected), 1 / draws) / draws)
    assert (np.abs(hits / draws - expected) <= 5.5 * error).all()  # 192 comparisons: a false alarm in 10^5
    edge = disc.simulated((-0.5, 0.0), v, 3, 1000, rng)
    assert np.hypot(*edge) == pytest.approx(0.5)


def test_what_is_counted_on_the_disc_lies_below_the_gaussian_loss_of_one_step() -> None:
    exact = published.gaussian_epsilon(1.0, 1e-2)
    place = (1, 1.0, 0.05, 1.0, 1e-2, 10.0, 0.0, 100_000, 3)
    assert 0.8 * exact < plane.disc_loss(*place) < exact < plane.disc_event_loss(*place)
    assert plane.disc_half_noise(*place) > exact
