"""The attacks on 1-way marginals end to end, with falsehoods planted in them. Their seeds are fixed."""

import copy

import pytest
from helpers.shipped import composed

from dprepro import run
from dprepro.analysis.checks import build, judge

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["marginals_packing", "marginals_fingerprinting"])
def outcome(request, undrawn, tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("results"))
    return request.param, run(request.param, results_dir=folder, workers=1, progress=False)


FALSE = {
    "marginals_packing": [
        ("decoded", 0.1), ("decoded_printed", 0.4), ("decoded_laplace", 0.02), ("response_meets_line", 1.15),
        ("error_above_level", 2.0), ("certified_error", 0.16), ("certified_error_most", 0.2), ("certified_risk", 0.043),
        ("certified_risk_most", 0.083), ("certified_squares", 0.012), ("certified_squares_most", 0.021),
        ("halfway", 1.01), ("halfway_most", 0.99), ("within_budget", 0.9),
    ],
    "marginals_fingerprinting": [
        ("traced", 0.25), ("strangers", 0.5), ("exact_traced", 7.5), ("risk_above_level", 1.25),
        ("squares_above_level", 1.1), ("correlation_below", 0.1), ("searched_below", 0.2), ("identity", 0.99),
        ("certified_risk", 0.065), ("certified_risk_most", 0.058), ("certified_likely", 0.015),
        ("certified_squares", 0.0026), ("certified_squares_most", 0.0023), ("certified_squares_likely", 0.001),
    ],
}  # fmt: skip


def test_the_claims_are_confirmed_and_every_check_comes_out_as_expected(outcome):
    _, result = outcome
    assert result.verdict["verdict"] == "confirmed"
    assert result.verdict["as_expected"]


def test_planted_falsehoods_are_refuted(outcome):
    name, result = outcome
    checks = copy.deepcopy(composed(name).config["checks"])
    for check, wrong in FALSE[name]:
        planted = build(check, checks[check] | {"expected": wrong})
        assert judge(result.frame, {check: planted})[check].verdict == "refuted", check


def test_no_constant_is_printed_under_a_lower_bound(outcome):
    _, result = outcome
    assert all(check["constant"] is None for check in result.verdict["checks"].values())


def test_a_mechanism_of_the_users_choice_is_attacked_from_the_command_line(tmp_path):
    overrides = {"attack": {"algorithm": {"_target_": "dprepro.algorithms.ExactMinimiser"}}}
    result = run(
        "marginals_packing", results_dir=str(tmp_path), workers=1, progress=False, study={"trials": 20}, **overrides
    )
    assert result.verdict["checks"]["decoded"]["verdict"] == "refuted"
