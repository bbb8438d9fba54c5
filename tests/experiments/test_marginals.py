"""The attacks on 1-way marginals end to end, with falsehoods planted in them. Their seeds are fixed."""

import copy

import pytest

from dprepro import run
from dprepro.analysis.checks import build, judge
from dprepro.config.compose import compose

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["marginals_packing", "marginals_fingerprinting"])
def outcome(request, tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("results"))
    return request.param, run(request.param, results_dir=folder, workers=1, progress=False)


FALSE = {
    "marginals_packing": [
        ("decoded", 0.1), ("decoded_printed", 0.4), ("decoded_laplace", 0.02), ("attack_has_power", 1.2),
        ("error_above_level", 5.0), ("exponent_p", 0.8), ("exponent_n", -0.8), ("exponent_epsilon", -0.8),
        ("within_budget", 0.9),
    ],
    "marginals_fingerprinting": [
        ("traced", 0.25), ("strangers", 0.5), ("exact_traced", 7.5), ("risk_above_level", 2.5),
        ("correlation_below", 0.1), ("exponent_p", 0.6), ("exponent_n", -0.9), ("exponent_epsilon", -0.8),
    ],
}  # fmt: skip


def test_the_claims_are_confirmed_and_every_check_comes_out_as_expected(outcome):
    _, result = outcome
    assert result.verdict["verdict"] == "confirmed"
    assert result.verdict["as_expected"]


def test_planted_falsehoods_are_refuted(outcome):
    name, result = outcome
    checks = copy.deepcopy(compose([f"+experiment={name}"]).config["checks"])
    for check, wrong in FALSE[name]:
        planted = build(check, checks[check] | {"expected": wrong})
        assert judge(result.frame, {check: planted})[check].verdict == "refuted", check


def test_the_errors_are_those_of_the_noise_and_hundreds_of_times_the_printed_level(outcome):
    """l2-Laplace noise has length 2 p/(n epsilon), the lemma's proof has p/(320 n epsilon)."""
    name, result = outcome
    check = result.verdict["checks"]["exponent_n"]
    if name == "marginals_packing":
        assert check["constant_low"] < 2 < check["constant_high"]
        assert 320 * check["constant_low"] > 600
    else:  # 2 * 4.2247, the Gaussian's least noise at (1, 1e-6) for a sensitivity of 2/n
        assert check["constant_low"] < 8.4494 < check["constant_high"]


def test_a_mechanism_of_the_users_choice_is_attacked_from_the_command_line(tmp_path):
    overrides = {"attack": {"algorithm": {"_target_": "dprepro.algorithms.ExactMinimiser"}}}
    result = run(
        "marginals_packing", results_dir=str(tmp_path), workers=1, progress=False, study={"trials": 20}, **overrides
    )
    assert result.verdict["checks"]["decoded"]["verdict"] == "refuted"
