"""Limits of private algorithms in one dimension."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from dprepro.algorithms import ObjectivePerturbation
from dprepro.budget import Neighbours
from dprepro.errors import InputError
from dprepro.studies import Design, LimitStudy
from dprepro.studies.limits import Law, _kernel
from dprepro.studies.one_dimension import PrivacySeries

ADD = Neighbours.ADD_OR_REMOVE_ONE


def study(**fields):
    algorithm = ObjectivePerturbation(regulariser="least", **fields)
    return LimitStudy({"one": PrivacySeries("claim", algorithm)}, neighbours=ADD)


@pytest.mark.parametrize("index", [1.0, 100.0, math.inf])
@pytest.mark.parametrize("middle", [None, 0.0, 0.3, 4.0])
def test_density_and_atom_sum_to_one(index, middle):
    law = Law(10.0, 2.0, 10.0, index)
    alpha = law.grid(middle or 0.0)
    density, atom = law.parts(alpha, middle)
    assert float(np.trapezoid(density, alpha)) + atom == pytest.approx(1, abs=2e-3)
    assert (atom > 0.6) == math.isinf(index)


def test_the_smooth_regulariser_is_the_convolution_and_its_minimiser_nears_soft_thresholding():
    """phi^i by minimising |theta| * kernel itself, for draws of b, against the gap that the study reports."""
    law, rng = Law(1.0, 2.0, 1.0, 10.0), np.random.default_rng(0)
    u, kernel, _ = _kernel(2001)
    for b in rng.normal(size=20):

        def objective(theta, b=b):
            smooth = np.trapezoid(np.abs(theta - u / law.index) * kernel, u)
            return law.weight * smooth + law.ridge / 2 * theta**2 + b * theta

        found = minimize_scalar(objective, bounds=(-3, 3), method="bounded", options={"xatol": 1e-9}).x
        limit = -math.copysign(max(abs(b) - law.weight, 0.0), b) / law.ridge
        assert abs(found - limit) <= law.largest_gap() * (1 + 1e-3) + 1e-6
        assert law.largest_gap() <= 1 / law.index


def test_the_limit_has_an_atom_and_is_as_private_as_what_it_is_the_limit_of():
    one, found = study(constants="exact"), {}
    for cell in one.cells(Design({"epsilon": [1.0], "delta": [1e-6], "index": [1e2, 1e4, math.inf]})):
        found[cell.axes["index"]] = {row.quantity: row for row in one.measure(cell, np.random.default_rng(0))}
    assert found[math.inf]["limit_atom"].value == pytest.approx(math.erf(1 / math.sqrt(2)), abs=1e-9)
    assert found[1e4]["atom"].value < 1e-6
    assert found[1e4]["exact_delta"].value == pytest.approx(found[math.inf]["exact_delta"].value, rel=0.05)
    assert all(rows["exact_delta"].value <= 1e-6 for rows in found.values())


def test_a_sweep_without_an_index_is_refused():
    with pytest.raises(InputError, match="index"):
        study().cells(Design({"epsilon": [1.0], "delta": [1e-6]}))
