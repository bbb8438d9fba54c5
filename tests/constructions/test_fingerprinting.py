"""Lemma 5.1.2's data: the fingerprinting lemma as an equality, strangers, and the levels that follow."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from dprepro.bounds import bst
from dprepro.constructions import Fingerprinting
from dprepro.constructions.fingerprinting import draw_records
from dprepro.errors import InputError, PremiseError

POINT = {"n": 12.0, "p": 40.0, "epsilon": 1.0, "delta": 1e-6, "norm": 1.0}


def challenge(rng, point=None, **fields):
    family = Fingerprinting(**fields)
    return family.challenge(family.settle(POINT | (point or {})), 0.0, rng)


def theta_of(kind, q, rng):
    p = q.size
    return {
        "mean": q,
        "minimiser": q / np.linalg.norm(q),
        "rounded": np.sign(q) / math.sqrt(p),
        "noisy": q + 0.3 * rng.standard_normal(p),
        "cube": np.clip(2 * p * q**3, -1, 1),
        "against": -q,
    }[kind]


@pytest.mark.parametrize("kind", ["mean", "minimiser", "rounded", "noisy", "cube", "against"])
def test_scores_of_all_members_add_up_to_the_accuracy_for_any_answer(kind):
    """sum_i E <theta, x_i - mu> = E <theta, mu>; five standard errors, a false alarm in a million."""
    rng, differences, sizes = np.random.default_rng(3), [], []
    for _ in range(4000):
        one = challenge(rng)
        records = one.problem.distinct
        theta = theta_of(kind, one.problem.mean_record, rng)
        differences.append(float(((records - one.mean) @ theta).sum() - theta @ one.mean))
        sizes.append(float(theta @ one.mean))
    error = np.std(differences) / math.sqrt(len(differences))
    assert abs(np.mean(differences)) < 5 * error
    assert abs(np.mean(sizes)) > 20 * error  # so the equality says something


@pytest.mark.parametrize("centred", [False, True])
def test_strangers_are_accused_in_five_percent_whatever_the_answer_knows(centred):
    rng = np.random.default_rng(4)
    accused = [challenge_accuses(rng, centred) for _ in range(4000)]
    assert binomtest(int(sum(accused)), len(accused), 0.05).pvalue > 1e-3  # false alarms: 1 in 1000


def challenge_accuses(rng, centred):
    one = challenge(rng, centred=centred)
    found = {finding.quantity: finding for finding in one.attack(one.problem.mean_record, rng)}
    assert found["accused"].bound == pytest.approx(0.05)
    return found["accused"].value


def test_members_of_a_few_are_traced_and_zero_traces_nobody():
    rng = np.random.default_rng(5)
    hits = []
    for _ in range(100):
        one = challenge(rng, {"p": 1024.0}, ratio=0.125)
        assert one.problem.counts.sum() == 4
        first, zero = one.attack(one.problem.mean_record, rng)[0], one.attack(np.zeros(1024), rng)[0]
        hits.append(first.value)
        assert zero.value == 0
    assert np.mean(hits) == 1


def test_records_have_the_means_of_their_population_and_these_the_arcsine_law():
    rng = np.random.default_rng(6)
    mean = np.array([-0.5, 0.0, 0.4, 0.5])
    records = draw_records(mean, 20000, rng)
    assert set(np.unique(records)) == {-0.5, 0.5}
    assert np.abs(records.mean(axis=0) - mean).max() < 5 * 0.5 / math.sqrt(20000)
    population = np.concatenate([challenge(rng).mean for _ in range(500)]) * math.sqrt(40)
    for power, moment in ((1, 0), (2, 1 / 2), (4, 3 / 8)):
        values = population**power
        assert abs(values.mean() - moment) < 5 * values.std() / math.sqrt(values.size)


def test_the_line_of_tracing_is_met_by_randomised_response_on_membership():
    """Answer "member" truthfully with chance e^epsilon/(1 + e^epsilon): both halves of the line, at its corner."""
    truth = math.exp(0.7) / (1 + math.exp(0.7))
    assert bst.tracing_line(1 - truth, 0.7, 0.0) == pytest.approx(truth)
    assert bst.tracing_line(0.05, 1.0, 1e-6) == pytest.approx(0.05 * math.e + 1e-6)
    assert bst.tracing_line(0.05, math.inf, 0.0) == 1


@pytest.mark.parametrize("n", [2000.0, 2001.0])
def test_the_level_of_theorem_5_3_is_below_what_output_zero_loses_by_a_factor_two(n):
    """At share 1/sqrt 8 the level is sqrt(p)/(8 n epsilon), and zero loses the length of the sum over n."""
    point, share = {"n": n, "p": 1024.0, "epsilon": 0.1, "delta": 0.0}, 1 / math.sqrt(8)
    level = bst.theorem_5_3_level(**point, share=share)
    assert level == pytest.approx(32 / (8 * n * 0.1), rel=0.05)
    rng = np.random.default_rng(7)
    problems = [challenge(rng, point, share=share).problem for _ in range(20)]
    losses = [problem.excess_risk(np.zeros(1024)) for problem in problems]
    assert np.mean(losses) / level == pytest.approx(2, rel=0.1)
    assert bst.theorem_5_3_level(**point, share=0.6) < level > bst.theorem_5_3_level(**point, share=0.2)


@pytest.mark.parametrize("n", [2000.0, 2001.0])
def test_the_level_of_theorem_5_5_is_below_what_output_zero_loses_by_a_factor_two(n):
    point = {"n": n, "p": 1024.0, "epsilon": 0.1, "delta": 0.0}
    level = bst.theorem_5_5_level(**point, share=0.5)
    assert level == pytest.approx(1024 / (32 * (n * 0.1) ** 2), rel=0.06)
    rng = np.random.default_rng(8)
    problems = [challenge(rng, point, share=0.5, loss="half_squared_distance").problem for _ in range(20)]
    assert np.mean([one.excess_risk(np.zeros(1024)) for one in problems]) / level == pytest.approx(2, rel=0.1)
    assert bst.theorem_5_5_level(**point | {"delta": 1e-4}, share=0.5) < level


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="ratio=-1"):
        Fingerprinting(ratio=-1)
    with pytest.raises(InputError, match="strangers=0"):
        Fingerprinting(strangers=0)
    with pytest.raises(PremiseError, match="below 1"):
        challenge(np.random.default_rng(0), {"epsilon": 100.0}, share=0.35)
