"""Kifer, Smith and Thakurta: schedules are those that the paper prints."""

import math

import pytest

from dprepro import bounds
from dprepro.problems import Domain, HalfSquaredDistance, L2Ball, LinearLoss
from dprepro.statements.conditions import unmet
from dprepro.statements.kst import STATEMENTS

BY_ITEM = {one.item: one for one in STATEMENTS}
SAMPLE = {
    "n": 1e6, "p": 50.0, "epsilon": 0.5, "delta": 1e-6, "norm": 1.5, "lipschitz": 1.0, "smoothness": 0.5, "radius": 1.5,
    "noise_scale": 3.0, "fit_noise": 2.0, "regulariser": 2.0, "eta": 2e5, "sparsity": 4.0, "loss_bound": 2.0,
    "blocks": 30.0, "level": 2.0, "gamma": 0.1, "deviation": 0.1, "psi": 0.2, "deviations": 2.0, "phi": 3.0,
    "distance": 0.5, "index": 10.0, "ridge": 1.0, "draw": 1.0, "feature_bound": 1.0, "feature_norm": math.inf,
}  # fmt: skip


def value(name, **numbers):
    return bounds.evaluate(name, {**SAMPLE, **numbers})


def schedule(item, **numbers):
    return {column: value(name, **numbers) for column, name in BY_ITEM[item].holds.schedule.items()}


def test_objective_perturbation_has_the_printed_noise_and_regulariser():
    """Constants by hand: zeta = R = 1 and no curvature, then Table 1's zeta = 2 p^(3/2), R = sqrt p, lambda = p."""
    unit = {"lipschitz": 1, "radius": 1, "smoothness": 0, "epsilon": 1}
    gaussian = schedule("Theorem 4", **unit, p=1e4)
    assert gaussian == pytest.approx(
        {"noise_scale": 1e2 * math.sqrt(8 * math.log(2e6) + 4), "regulariser": 1e2 * math.sqrt(math.log(1e6))}
    )
    gamma = schedule("Theorem 4", **{**unit, "epsilon": 0.1}, p=100, delta=0)
    assert gamma == pytest.approx({"noise_scale": 20 * math.sqrt(10100), "regulariser": 1000 * math.log(100)})
    table = {"p": 1e4, "epsilon": 1, "lipschitz": 2e6, "radius": 100, "smoothness": 1e4}
    assert schedule("Table 1", **table) == pytest.approx(
        {"noise_scale": 2e8 * math.sqrt(8 * math.log(2e6) + 4), "regulariser": 2e6 * math.sqrt(math.log(1e6))}
    )
    assert schedule("Theorem 5", **table)["regulariser"] == 2e4
    steep = {**table, "smoothness": 1e8}  # line 1 of Algorithm 1 decides
    assert schedule("Theorem 4", **steep)["regulariser"] == 2e8


def test_sparse_regression_has_the_printed_scales():
    """Designs of signs: alpha = 2 s^2 and lambda = s; rows of norm 1 have lambda = 1."""
    signs = {"n": 63504, "epsilon": 1, "sparsity": 2, "loss_bound": 8}
    assert schedule("Theorem 7", **signs) == pytest.approx({"noise_scale": 32 / 63504, "regulariser": 8})
    assert schedule("Theorem 9", **signs) == pytest.approx({"noise_scale": 8 / 252, "regulariser": 8})
    assert schedule("Theorem 9", **signs, feature_norm=1)["regulariser"] == pytest.approx(4)
    assert schedule("Theorem 6", n=1e9, epsilon=0.1) == pytest.approx({"noise_scale": 4e-8})
    assert schedule("Theorem 8", epsilon=0.3, sparsity=5, blocks=500) == pytest.approx({"noise_scale": 1 / 15})


@pytest.mark.parametrize(
    ("change", "lacks"),
    [
        ({}, ""),
        ({"relation": "replace_one"}, "relation is add_or_remove_one or zero_out, and here it is replace_one"),
        ({"epsilon": 20.0}, "delta*exp(epsilon) <= 1"),
        ({"smoothness": 40.0}, "2*smoothness*radius <= lipschitz*sqrt(p)"),
        ({"delta": 0.0, "p": 1.0}, "p >= 2"),
        ({"loss": HalfSquaredDistance()}, "hessian_rank <= 1, and hessian_rank is 50"),
    ],
)
def test_theorem_4_asks_for_what_its_proofs_need(change, lacks):
    numbers = {**SAMPLE, **change}
    domain = Domain(numbers.pop("loss", LinearLoss()), L2Ball(50), 1e6)
    for constant in {"lipschitz", "smoothness", "radius"} - change.keys():
        numbers[constant] = getattr(domain, constant)
    facts = {"algorithm": "ObjectivePerturbation", "relation": numbers.get("relation", "zero_out")}
    premise = dict.fromkeys(BY_ITEM["Theorem 4"].holds.premise, "Theorem 4")
    premise = {text: item for text, item in premise.items() if not text.startswith("algorithm.")}
    found = unmet(premise, lambda name: numbers.get(name, getattr(domain, name, None)), facts)
    assert found.startswith(f"Theorem 4 asks for {lacks}") if lacks else found == ""
