"""Diagonal quadratics with an l1 term: certified minima, and the terms that can be added."""

import numpy as np
import pytest

from dprepro.errors import InputError
from dprepro.problems import Box, L1Ball, L2Ball, LqBall, Quadratic, Simplex
from dprepro.problems.constants import Constants

CONSTANTS = Constants(1, 6, 1, 1, 1, 0)


@pytest.mark.parametrize("within", [Box(6, 0.5), L1Ball(6, 0.7), L2Ball(6, 0.7)], ids=str)
@pytest.mark.parametrize("weight", [0.0, 0.2])
@pytest.mark.parametrize("flat", [0, 1, 6])
def test_every_minimum_is_certified_and_excess_risk_is_measured_from_it(within, weight, flat):
    rng = np.random.default_rng(0)
    for scale in (0.01, 0.3, 5.0):
        curvature = np.r_[np.zeros(flat), rng.uniform(0, 1, 6 - flat)]
        problem = Quadratic(within, CONSTANTS, curvature, scale * rng.normal(size=6), weight)
        minimum = problem.minimum
        assert within.contains(minimum.theta)
        assert minimum.gap <= 1e-12
        for _ in range(20):
            other = within.project(rng.normal(size=6))
            assert problem.excess_risk(other) == pytest.approx(problem.risk(other) - minimum.value, abs=1e-12)
            assert problem.excess_risk(other) >= -minimum.gap


def test_added_terms_are_those_that_were_asked_for():
    rng = np.random.default_rng(1)
    problem = Quadratic(L2Ball(6), CONSTANTS, 0.3, rng.normal(size=6), 0.1)
    linear, theta = rng.normal(size=6), 0.1 * rng.normal(size=6)
    changed = problem.perturbed(linear, 0.7)
    assert changed.risk(theta) == pytest.approx(problem.risk(theta) + linear @ theta + 0.35 * theta @ theta)
    assert problem.excess_risk(problem.minimum.theta) == 0


def test_what_is_no_quadratic_of_this_kind_is_refused():
    with pytest.raises(InputError, match="choices of the set"):
        Quadratic(Simplex(6), CONSTANTS, 1.0, np.ones(6))
    with pytest.raises(InputError, match="at least 0"):
        Quadratic(L2Ball(6), CONSTANTS, -1.0, np.ones(6))
    with pytest.raises(InputError, match="spare directions"):
        Quadratic(L2Ball(2), CONSTANTS, 1.0, np.ones(2), spare=5)
    with pytest.raises(InputError, match="first coordinate"):
        Quadratic(LqBall(6), CONSTANTS, 0.0, np.ones(6))
    with pytest.raises(InputError, match="shape"):
        Quadratic(L2Ball(6), CONSTANTS, 1.0, np.ones(5))
