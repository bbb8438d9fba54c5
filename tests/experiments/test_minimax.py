"""The exact optimum end to end, and falsehoods planted in it. Fixed seeds."""

import copy

import pytest
from helpers.shipped import composed

from dprepro import run
from dprepro.analysis.checks import build, judge

pytestmark = pytest.mark.slow

PLANTED = {
    "minimax_linear": [
        ("closed_form", 0.9999), ("closed_form_most", 1.0001), ("two_point", 0.99), ("packing", 0.49),
        ("certified_risk", 0.61), ("certified_risk_most", 0.94), ("exponent_n", -0.95), ("no_algorithm_below", 2.5),
    ],
    "minimax_squared": [
        ("geometric", 0.999), ("geometric_most", 1.001), ("two_point", 0.98), ("certified_risk_most", 1.0),
        ("no_algorithm_below", 5.0),
    ],
    "minimax_cube": [("two_point", 0.97), ("packing", 0.49), ("certified_risk", 0.4), ("no_algorithm_below", 4.0)],
    "minimax_selection": [
        ("sparse_packing", 0.9999), ("dense_packing", 0.9999), ("regret", 1.6), ("exponential_within_two", 1.7),
        ("sparse_half", 0.6),
    ],
}  # fmt: skip


@pytest.fixture(scope="module", params=PLANTED)
def outcome(request, undrawn, tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("results"))
    return request.param, run(request.param, results_dir=folder, workers=1, progress=False)


def test_every_check_comes_out_as_expected(outcome):
    _, result = outcome
    assert result.verdict["verdict"] == "confirmed"
    assert result.verdict["as_expected"]


def test_planted_falsehoods_are_refuted(outcome):
    name, result = outcome
    for check, wrong in PLANTED[name]:
        checks = copy.deepcopy(composed(name).config["checks"])
        checks[check] |= {"expected": wrong}
        verdict = judge(result.frame, {check: build(check, checks[check])})[check].verdict
        assert verdict == "refuted", f"{name}: {check}={wrong} is {verdict}"
