"""Limits of private algorithms in one dimension."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from dprepro.algorithms import ObjectivePerturbation
from dprepro.analysis.checks import build, judge
from dprepro.budget import Neighbours
from dprepro.config.compose import compose
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
    assert found[math.inf]["limit_atom"].value == pytest.approx(math.erf(1 / math.sqrt(2)), abs=1e-7)
    assert found[1e4]["mass_near_zero"].value <= 1.1 * found[1e4]["mass_near_zero"].bound
    assert found[math.inf]["limit_mass_near_zero"].value > 1e6 * found[math.inf]["limit_mass_near_zero"].bound
    assert found[1e4]["exact_delta"].value == pytest.approx(found[math.inf]["exact_delta"].value, rel=0.05)
    assert all(rows["exact_delta"].value <= 1e-6 for rows in found.values())


@pytest.mark.parametrize("index", [10.0, math.inf])
def test_mass_near_zero_is_the_share_of_noise_whose_minimiser_lies_there(index):
    """Minimisers of the objective itself at 400 quantiles of b; the share errs by at most one quantile per side."""
    law, b = Law(1.0, 2.0, 1.0, index), norm.ppf((np.arange(400) + 0.5) / 400)
    u, kernel, _ = _kernel(201)

    def objective(theta, b):
        around = abs(theta) if math.isinf(index) else np.trapezoid(np.abs(theta - u / index) * kernel, u)
        return law.weight * around + law.ridge / 2 * theta**2 + b * theta

    found = [
        minimize_scalar(objective, args=(v,), bounds=(-3, 3), method="bounded", options={"xatol": 1e-7}).x for v in b
    ]
    for radius in (0.1, 0.02, 0.002):
        share = float(np.mean(np.abs(found) <= radius))
        assert law.near_zero(radius)[0] == pytest.approx(share, abs=2 / 400)


@pytest.mark.parametrize(
    ("check", "index", "false_index"), [("no_atom_before", 1e3, math.inf), ("atom_of_the_limit", math.inf, 1e3)]
)
def test_a_false_law_near_zero_refutes_the_checks(monkeypatch, check, index, false_index):
    """Planted: approximations that keep the kink of |theta|, and a limit that has lost it."""
    checks = compose(["+experiment=kst_limits"]).config["checks"]
    sweep = Design({"epsilon": [1.0], "delta": [1e-6], "index": [index]})

    def found():
        rows = [row for cell in study().cells(sweep) for row in study().measure(cell, np.random.default_rng(0))]
        columns = {"series": "limits", "role": "claim", "replicate": 0, "status": "ok", "deterministic": True}
        axes = {"n": 1.0, "p": 1.0, "epsilon": 1.0, "delta": 1e-6, "norm": 1.0, "index": index}
        rows = [columns | axes | {"quantity": r.quantity, "value": r.value, "bound": r.bound} for r in rows]
        return judge(pd.DataFrame(rows), {check: build(check, {**checks[check], "series": ["limits"]})})[check].verdict

    assert found() == "confirmed"
    honest = Law._regulariser
    monkeypatch.setattr(Law, "_regulariser", lambda law, alpha: honest(replace(law, index=false_index), alpha))
    assert found() == "refuted"


def test_a_sweep_without_an_index_is_refused():
    with pytest.raises(InputError, match="index"):
        study().cells(Design({"epsilon": [1.0], "delta": [1e-6]}))
