"""Populations of a few kinds of records: their means, and samples that miss them as they should."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dprepro.constructions import AxisPopulation, CoinPopulation, DirectionPopulation
from dprepro.errors import InputError, PremiseError

POINT = {"n": 400.0, "p": 4.0}


@pytest.mark.parametrize("family", [AxisPopulation, DirectionPopulation])
def test_the_mean_record_has_the_strength_that_the_size_says(family):
    for size, strength in ((2.0, 0.1), (6.0, 0.3), (math.inf, 0.5 if family is AxisPopulation else 1.0)):
        mean = family(size=size).build(POINT, 0.0).records.mean_record
        np.testing.assert_allclose(mean, np.full(4, strength / 2), atol=1e-12)
    assert family(size=1.0, reference=2.0).strength(POINT, 1.0) == pytest.approx(0.1)


@pytest.mark.parametrize("family", [AxisPopulation, DirectionPopulation])
def test_a_sample_misses_the_mean_by_1_over_root_n(family):
    rng, draws = np.random.default_rng(0), 500
    away = [family(size=0.1).draw(POINT, 0.0, rng).records.mean_record for _ in range(draws)]
    squares = np.sum((np.array(away) - family(size=0.1).build(POINT, 0.0).records.mean_record) ** 2, axis=1)
    assert abs(squares.mean() - 1 / 400) < 4 * squares.std() / math.sqrt(draws) + 1e-6  # 6e-5 of false alarms


@pytest.mark.parametrize("loss", ["absolute", "hinge", "positive_part", "half_squared_distance"])
def test_the_signal_of_the_coins_decides_the_minimiser(loss):
    family = CoinPopulation(size=4.0, loss=loss)
    theta = family.build(POINT, 0.0).minimum.theta
    assert theta[0] == pytest.approx(0.2 if loss == "half_squared_distance" else theta[0])
    assert theta[0] >= 0
    weak = CoinPopulation(size=1e-3, loss=loss).build(POINT, 0.0)
    assert weak.excess_risk(np.zeros(1)) < 1e-3


def test_a_signal_that_no_records_have_is_outside_the_premise():
    with pytest.raises(PremiseError, match="the strongest"):
        AxisPopulation(size=20.0).build(POINT, 0.0)
    with pytest.raises(InputError, match="reference must be positive"):
        AxisPopulation(reference=0.0)
