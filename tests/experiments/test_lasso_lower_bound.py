"""The LASSO lower bound end to end, falsehoods planted in it, and attacks on named algorithms."""

from __future__ import annotations

import copy

import pytest
from helpers.shipped import composed

from dprepro import run
from dprepro.analysis.checks import build, judge
from dprepro.config.checked_experiment import build_experiment
from dprepro.config.compose import compose
from dprepro.errors import InputError
from dprepro.session import run_experiment

CAUGHT = {"rule": "proportion", "role": "claim", "quantity": "caught"}


def overridden(*overrides):
    """As the command does it."""
    return run_experiment(build_experiment(compose(["+experiment=lasso_tardos", *overrides])), progress=False)


@pytest.fixture(scope="module")
def results(undrawn, tmp_path_factory):
    return str(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def tardos(results):
    return run("lasso_tardos", results_dir=results, workers=1, progress=False)


def test_every_inequality_of_section_3_holds_at_the_printed_constants(results):
    outcome = run("lasso_tardos_constants", results_dir=results, workers=1, progress=False)
    assert outcome.verdict["verdict"] == "confirmed"
    assert outcome.verdict["as_expected"], str(outcome)


@pytest.mark.parametrize("tau", [0.00195, 0.003])
def test_a_larger_tau_breaks_the_printed_chain(results, tau):
    outcome = run("lasso_tardos_constants", results_dir=results, workers=1, progress=False, sweep={"tau": [tau]})
    assert outcome.verdict["checks"]["lemma_3_3"]["verdict"] == "refuted"


@pytest.mark.slow
def test_every_check_of_lasso_tardos_comes_out_as_expected(tardos):
    assert tardos.failed == 0
    assert tardos.verdict["verdict"] == "confirmed"
    assert tardos.verdict["as_expected"], str(tardos)


@pytest.mark.slow
@pytest.mark.parametrize(
    "falsehood",
    [
        {"series": "exact_minimiser", "side": "at_most", "expected": 0.5},
        {"series": "private", "side": "at_least", "expected": 1},
        {"series": "very_large_epsilon", "side": "at_most", "expected": 0.5},
    ],
)
def test_a_falsehood_about_tracing_is_refuted(tardos, falsehood):
    assert judge(tardos.frame, {"false": build("false", CAUGHT | falsehood)})["false"].verdict == "refuted"


@pytest.mark.slow
def test_risk_below_the_certified_level_comes_with_agreement_in_every_cell(tardos):
    """Lemma 3.3 cell by cell: no mean risk lies below the level unless all answers agree with a p columns."""
    frame = tardos.frame.set_index(["series", "epsilon", "replicate"])
    level = frame[frame["quantity"] == "certified_level"]
    agrees = frame.loc[frame["quantity"] == "agrees", "value"]
    below = level["value"] > level["bound"]
    assert below.any()
    assert (agrees[below[below].index] > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "verdict"),
    [("exact_minimiser", "refuted"), ("data_free", "confirmed"), ("noisy_frank_wolfe_laplace", "confirmed")],
)
def test_any_algorithm_can_be_attacked_by_name(tardos, results, algorithm, verdict):
    outcome = overridden(f"attack.algorithm={algorithm}", f"results_dir={results}", "workers=1")
    assert outcome.verdict["checks"]["attacked_not_caught"]["verdict"] == verdict


@pytest.fixture(scope="module")
def family(results):
    return run("lasso_tardos_family", results_dir=results, workers=1, progress=False)


@pytest.mark.slow
def test_every_check_of_the_family_comes_out_as_expected(family):
    assert family.verdict["verdict"] == "confirmed"
    assert family.verdict["as_expected"], str(family)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "wrong"),
    [
        ("certified_risk", 0.05), ("certified_risk_most", 0.04), ("disagreeing", 1.01), ("disagreeing_most", 0.99),
        ("lemma_3_3", 0.9), ("private_above_level", 0.1),
    ],
)  # fmt: skip
def test_a_falsehood_about_the_levels_is_refuted(family, check, wrong):
    checks = copy.deepcopy(composed("lasso_tardos_family").config["checks"])
    planted = build(check, checks[check] | {"expected": wrong})
    assert judge(family.frame, {check: planted})[check].verdict == "refuted"


@pytest.mark.parametrize(
    ("choice", "word"),
    [("private.construction.tau=0.3", r"Lemma 3\.3"), ("private.construction.agreement=0.9", r"Lemma 3\.3")],
)
def test_a_parameter_that_breaks_the_premise_is_refused_before_anything_is_measured(results, choice, word):
    with pytest.raises(InputError, match=word):
        overridden(f"+study.series.{choice}", f"results_dir={results}")
