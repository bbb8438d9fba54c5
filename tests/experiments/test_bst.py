"""An experiment on Bassily, Smith and Thakurta end to end, and falsehoods planted in it. Its seeds are fixed."""

import copy

import pytest
from helpers.shipped import composed

from dprepro import run
from dprepro.analysis.checks import build, judge

pytestmark = pytest.mark.slow  # a minute; test_planted.py tries the same checks on synthetic rows


@pytest.fixture(scope="module")
def outcome(undrawn, tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("results"))
    return run("erm_strongly_convex", results_dir=folder, workers=1, progress=False)


def rejudged(outcome, name, **changes):
    checks = copy.deepcopy(composed("erm_strongly_convex").config["checks"])
    checks[name] |= changes
    return judge(outcome.frame, {name: build(name, checks[name])})[name]


def test_theorem_2_4_2_is_confirmed_and_every_check_comes_out_as_expected(outcome):
    assert outcome.verdict["verdict"] == "confirmed"
    assert outcome.verdict["as_expected"]


def test_the_measured_constant_is_that_of_the_exact_law(outcome):
    """16 p L^2 ln(n/delta) ln(1/delta)/(n epsilon)^2: the interval of the fitted constant holds 16."""
    check = outcome.verdict["checks"]["exponent_p"]
    assert check["constant_low"] < 16 < check["constant_high"]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("exponent_n", 0.5), ("exponent_n", -0.5), ("exponent_p", 0.5), ("exponent_p", 1.5), ("exponent_epsilon", -1.0),
        ("exponent_delta", 0.5), ("exact_exponent_delta", 0.5), ("exact_exponent_delta", 2.0),
        ("below_bound", 1e-4), ("within_budget", 0.5),
    ],
)  # fmt: skip
def test_a_planted_falsehood_is_refuted(outcome, name, wrong):
    assert rejudged(outcome, name, expected=wrong).verdict == "refuted"
