"""Exact privacy, limits, smoothing and the GLM lower bounds end to end, and falsehoods planted in them. Fixed seeds."""

import copy

import pytest
from helpers.shipped import composed

from dprepro import run
from dprepro.analysis.checks import build, judge

pytestmark = pytest.mark.slow

PLANTED = {
    "huberization": [
        ("exponent_n", -1.0), ("exponent_n", -0.6), ("exponent_n_exponential", -0.8), ("exponent_smoothing", 0.5),
        ("exponent_smoothing_d2", -0.5), ("crossover", -1.0), ("below_bound", 0.05), ("exponent_n_corrected", 0.1),
    ],
    "huberization_privacy": [("private", 1e-7), ("private_beside_a_zeroed_out_record", 1e-7)],
    "objective_perturbation_privacy": [("private", 0.01), ("private_gamma", 0.9)],
    "kst_limits": [
        ("private", 0.01), ("privacy_loss", 0.8), ("privacy_loss_least", 0.7), ("converges", 0.8),
        ("no_atom_before", 0.9), ("atom_of_the_limit", 1.01),
    ],
    "glm_lower_bound": [
        ("certified_risk", 0.52), ("certified_risk_most", 0.47), ("certified_small_d", 0.58),
        ("certified_small_d_most", 0.53), ("above_level", 1.2), ("lemma_1", 1.5), ("below_bound_theorem_3", 0.5),
        ("within_budget", 0.5), ("signs_of_counts", 0.9), ("signs", 0.5),
    ],
    "glm_lipschitz_lower_bound": [
        ("certified_risk", 0.56), ("certified_risk_most", 0.52), ("above_level", 1.2), ("within_seven", 6.0),
        ("below_bound_theorem_5", 0.5), ("signs_of_counts", 0.85),
    ],
}  # fmt: skip


@pytest.fixture(scope="module", params=PLANTED)
def outcome(request, undrawn, tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("results"))
    return request.param, run(request.param, results_dir=folder, workers=1, progress=False)


def test_the_claim_is_confirmed_and_every_check_comes_out_as_expected(outcome):
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
