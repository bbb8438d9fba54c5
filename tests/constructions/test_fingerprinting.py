"""Lemma 5.1.2's data: the fingerprinting lemma as an equality, strangers, and the levels that follow."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest

from dprepro.bounds import bst_lower
from dprepro.constructions import Fingerprinting, arcsine
from dprepro.constructions.arcsine import best_private_correlation, identity
from dprepro.constructions.fingerprinting import draw_records
from dprepro.errors import InputError, PremiseError

POINT = {"n": 12.0, "p": 40.0, "epsilon": 1.0, "delta": 1e-6, "norm": 1.0}


def challenge(rng, point=None, **fields):
    family = Fingerprinting(**fields)
    return family.challenge(family.resolve(POINT | (point or {})), 0.0, rng)


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
    for _ in range(1500):
        one = challenge(rng)
        records = one.problem.records.records.features
        theta = theta_of(kind, one.problem.records.mean_record, rng)
        differences.append(float(((records - one.mean) @ theta).sum() - theta @ one.mean))
        sizes.append(float(theta @ one.mean))
    error = np.std(differences) / math.sqrt(len(differences))
    assert abs(np.mean(differences)) < 5 * error
    assert abs(np.mean(sizes)) > 20 * error  # so the equality says something


@pytest.mark.parametrize("centred", [False, True])
def test_strangers_are_accused_in_five_percent_whatever_the_answer_knows(centred):
    rng = np.random.default_rng(4)
    accused = [challenge_accuses(rng, centred) for _ in range(2000)]
    assert binomtest(int(sum(accused)), len(accused), 0.05).pvalue > 1e-3  # false alarms: 1 in 1000


def challenge_accuses(rng, centred):
    one = challenge(rng, centred=centred)
    found = {finding.quantity: finding for finding in one.attack(one.problem.records.mean_record, rng)}
    assert found["accused"].bound == pytest.approx(0.05)
    return found["accused"].value


def test_members_of_a_few_are_traced_and_zero_traces_nobody():
    rng = np.random.default_rng(5)
    hits = []
    for _ in range(100):
        one = challenge(rng, {"p": 1024.0}, ratio=0.125)
        assert one.problem.records.records.n == 4
        first, zero = one.attack(one.problem.records.mean_record, rng)[0], one.attack(np.zeros(1024), rng)[0]
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
    assert bst_lower.tracing_line(1 - truth, 0.7, 0.0) == pytest.approx(truth)
    assert bst_lower.tracing_line(0.05, 1.0, 1e-6) == pytest.approx(0.05 * math.e + 1e-6)
    assert bst_lower.tracing_line(0.05, math.inf, 0.0) == 1


def found_at_zero(rng, point, **fields):
    one = challenge(rng, point, **fields)
    p = int(one.mean.size)
    return {finding.quantity: finding for finding in one.attack(np.zeros(p), rng)}


@pytest.mark.parametrize("n", [2000.0, 2001.0])
@pytest.mark.parametrize(
    ("loss", "share", "constant", "room"),
    [
        ("linear", 1 / math.sqrt(8), 1 / 8, 2.0), ("linear", 0.1, 0.1 * (math.sqrt(0.5) - 0.1), 1.16),
        ("half_squared_distance", 0.5, 1 / 32, 2.0), ("half_squared_distance", 0.1, 0.1**2 * 0.49 / 2, 1.02),
    ],
)  # fmt: skip
def test_output_zero_loses_what_theory_says_above_the_certified_level(n, loss, share, constant, room):
    """share (1/sqrt 2 - share), share^2 (1/2 - share^2)/2; terms of 1/n* and one record less where n - n* is odd."""
    point, rng = {"n": n, "p": 1024.0, "epsilon": 0.1, "delta": 0.0}, np.random.default_rng(7)
    all_found = [found_at_zero(rng, point, share=share, loss=loss) for _ in range(40)]
    level, rate = (np.mean([getattr(one["certified_risk"], name) for one in all_found]) for name in ("value", "bound"))
    assert rate == pytest.approx((32 / (0.1 * n)) ** (1 if loss == "linear" else 2))
    assert level / rate == pytest.approx(constant, rel=0.09)
    assert np.mean([one["risk"].value for one in all_found]) / level == pytest.approx(room, rel=0.08)
    assert all(one["risk"].bound == one["certified_risk"].value for one in all_found)


def test_delta_lowers_what_is_certified():
    for loss in ("linear", "half_squared_distance"):
        levels = [
            found_at_zero(np.random.default_rng(1), {"n": 2000.0, "p": 256.0, "delta": d}, share=0.3, loss=loss)[
                "certified_risk"
            ].value
            for d in (0.0, 1e-5, 1e-3)
        ]
        assert levels[0] > levels[1] > levels[2]


@pytest.mark.parametrize("loss", ["linear", "half_squared_distance"])
def test_an_answer_is_accurate_from_the_risk_that_is_certified_to_be_likely(loss):
    """Along the line from zero to the minimiser; `part` of the linear risk, or an angle that loses as much."""
    rng = np.random.default_rng(9)
    one = challenge(rng, {"n": 1e5, "p": 4096.0, "epsilon": 0.1, "delta": 0.0}, share=0.1, loss=loss)
    best = np.asarray(one.problem.minimum.theta)
    for share in np.linspace(0, 1, 101):
        found = {finding.quantity: finding for finding in one.attack(share * best, rng)}
        assert found["accurate"].bound < 2 / 3
        assert found["accurate"].value == float(found["risk"].value < found["certified_likely"].value)
        if found["accurate"].value:
            assert best @ best * share >= 0.8 * np.linalg.norm(best) * np.linalg.norm(share * best)
    small = challenge(rng, {"n": 1e5, "p": 64.0, "epsilon": 0.1, "delta": 0.0}, share=0.1, loss=loss)
    found = {finding.quantity: finding for finding in small.attack(np.zeros(64), rng)}
    assert found["accurate"].bound > 2 / 3
    assert found["certified_likely"].value == 0


def test_the_chance_of_accuracy_is_below_its_line_for_an_answer_made_to_gain_by_it():
    """Right with chance 1/2 and opposite else has no correlation at all, and is accurate half of the time."""
    assert bst_lower.fingerprinting_chance(1e8, 1, 1e-9, 0.0, 1e-9) == pytest.approx(0.5, abs=1e-3)


def moment(power):
    """E t^power of the arcsine law."""
    return Fraction(math.comb(power, power // 2), 2**power) if power % 2 == 0 else Fraction(0)


def expected(polynomial):
    return sum((coefficient * moment(power) for power, coefficient in enumerate(polynomial)), Fraction(0))


def times(first, second):
    product = [Fraction(0)] * (len(first) + len(second) - 1)
    for (i, a), (j, b) in itertools.product(enumerate(first), enumerate(second)):
        product[i + j] += a * b
    return product


@pytest.mark.parametrize("rows", range(1, 8))
def test_the_lemma_holds_at_every_atom_in_exact_arithmetic_and_so_for_every_answer(rows):
    """P(x | t) (sum_i x_i - rows t) and P(x | t) t have one mean for each number of +1: polynomials in t."""
    half, t = Fraction(1, 2), [Fraction(0), Fraction(1)]
    for ones in range(rows + 1):
        law = [Fraction(1)]
        for _ in range(ones):
            law = times(law, [half, half])
        for _ in range(rows - ones):
            law = times(law, [half, -half])
        score = [Fraction(2 * ones - rows), Fraction(-rows)]
        assert expected(times(law, score)) == expected(times(law, t))


@pytest.mark.parametrize("rows", [1, 2, 7, 100, 1000])
def test_the_quadrature_finds_no_answer_that_violates_the_lemma(rows):
    assert identity(rows) == pytest.approx(1, abs=1e-10)


def test_another_prior_violates_it_and_the_quadrature_says_so(monkeypatch):
    monkeypatch.setattr(arcsine, "biases", lambda levels: 2 * levels - 1)
    assert identity.__wrapped__(5) > 1.5


def test_the_best_private_answer_to_one_coordinate_is_randomised_response_for_one_record():
    """E t x tanh(epsilon/2) = tanh(epsilon/2)/2; without privacy the majority."""
    assert best_private_correlation(1, 0.7, 0.0) == pytest.approx(math.tanh(0.35) / 2)
    assert best_private_correlation(3, 16.0, 0.0) == pytest.approx(9 / 16, rel=1e-5)
    for rows, epsilon, delta in [(2, 0.1, 0.0), (4, 0.5, 1e-3), (8, 0.05, 1e-6)]:
        best = best_private_correlation(rows, epsilon, delta)
        assert best < bst_lower.fingerprinting_line(1, rows, epsilon, delta)
        assert best >= best_private_correlation(rows, 0.9 * epsilon, delta)


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="ratio=-1"):
        Fingerprinting(ratio=-1)
    with pytest.raises(InputError, match="strangers=0"):
        Fingerprinting(strangers=0)
    with pytest.raises(InputError, match="part=1"):
        Fingerprinting(part=1)
    with pytest.raises(PremiseError, match="even number"):
        challenge(np.random.default_rng(0), {"n": 2.0, "p": 100.0}, share=0.1)
    with pytest.raises(PremiseError, match="below 1"):
        challenge(np.random.default_rng(0), {"epsilon": 100.0}, share=0.35)
