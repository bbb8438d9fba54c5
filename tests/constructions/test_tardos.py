"""The padded Tardos code, its tracer, and the LASSO databases that carry it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dprepro.bounds import lasso
from dprepro.constructions import TardosLasso, tardos
from dprepro.constructions.hadamard import dividing_order, orthogonal_columns, paley_order
from dprepro.constructions.tardos import (
    PaddedCode,
    agreement_chance,
    column_law,
    draw_code,
    longest_code,
    lowest_angle,
    mixed_share,
    required_length,
    score_slope,
)
from dprepro.constructions.tardos_lasso import certified_level, databases
from dprepro.errors import InputError, PremiseError
from dprepro.problems import L1Ball

SMALL = TardosLasso(users=3, false_accusation=0.5)
"""p = 308: small enough for an explicit block."""


def point(family, epsilon=1.0):
    return family.resolve({"n": 1, "p": 1, "epsilon": epsilon, "delta": 1e-9, "norm": 1})


def code_of(biases):
    """A code of which only the biases matter."""
    size = len(biases)
    return PaddedCode(np.ones((2, size)), np.asarray(biases, float), np.arange(size), np.ones(size))


@pytest.mark.parametrize("least", [1, 5, 13, 29, 100, 241.5])
def test_columns_of_paley_are_orthogonal_signs(least):
    order = paley_order(least)
    block = orthogonal_columns(order, order)
    assert order >= least
    assert set(np.unique(block)) == {-1.0, 1.0}
    np.testing.assert_array_equal(block.T @ block, order * np.eye(order))


def test_the_order_that_divides_a_number_is_the_least_of_paleys_that_does():
    assert dividing_order(1000, 16, 1000) == 20
    assert dividing_order(1000, 21, 1000) == 200
    assert dividing_order(1000, 21, 199) is None
    assert dividing_order(1001, 4, 1001) is None


def test_the_implicit_ridge_block_is_the_explicit_one():
    problem = SMALL.challenge(point(SMALL), 0.0, np.random.default_rng(3)).problem
    implicit, explicit = problem.moments, problem.records
    assert explicit.records.features.shape == (3 + SMALL.block, SMALL.columns)
    rng = np.random.default_rng(0)
    for theta in rng.laplace(size=(5, SMALL.columns)):
        theta = theta / np.abs(theta).sum()
        assert implicit.value(theta) == pytest.approx(explicit.value(theta), rel=1e-12)
        np.testing.assert_allclose(implicit.gradient(theta), explicit.gradient(theta), atol=1e-13)
    assert implicit.minimum.value == pytest.approx(explicit.minimum.value, rel=1e-9)


def test_an_orthogonal_block_that_is_too_large_to_write_out_stays_implicit():
    assert TardosLasso().representations(point(TardosLasso())) == {"moments"}
    assert SMALL.representations(point(SMALL)) == {"moments", "records"}


@pytest.mark.parametrize("users", [2, 5, 9])
def test_without_any_row_the_promised_share_of_columns_is_consensus(users):
    columns = TardosLasso(users=users).columns
    for seed in range(3):
        code = draw_code(users, columns, 0.1, np.random.default_rng(seed))
        for row in range(users + 1):
            rest = np.delete(code.rows, row, axis=0)
            alike = np.all(rest == rest[0], axis=0)
            assert alike.sum() >= 0.9 * columns
            np.testing.assert_array_equal(code.consensus(row), np.where(alike, rest[0], 0))


def test_a_code_with_too_few_consensus_columns_is_outside_the_premise(monkeypatch):
    monkeypatch.setattr(tardos, "longest_code", lambda users, columns, tau: columns)
    with pytest.raises(PremiseError, match=r"Theorem 3\.2"):
        draw_code(3, 300, 0.1, np.random.default_rng(0))


@pytest.mark.parametrize("users", [2, 3, 10])
def test_share_of_mixed_columns_agrees_with_drawn_ones(users):
    rng, draws = np.random.default_rng(0), 40_000
    low = lowest_angle(users)
    bias = np.sin(rng.uniform(low, 0.5 * math.pi - low, draws)) ** 2
    sums = (rng.random((users, draws)) < bias).sum(axis=0)
    share = mixed_share(users)
    found = np.mean((sums > 0) & (sums < users))
    assert abs(found - share) < 4 * math.sqrt(share * (1 - share) / draws)


def test_hiding_and_unhiding_the_code_are_inverse():
    code = draw_code(3, 500, 0.1, np.random.default_rng(5))
    np.testing.assert_array_equal(code.answer(code.rows[2]), code.entries(2))


@pytest.mark.parametrize("false_accusation", [0.2, 0.05, 0.01])
def test_no_answer_has_an_innocent_accused_more_often_than_promised(false_accusation):
    """The exact tail by enumeration of all 2^10 code words, for answers that are right, wrong, mixed and sparse."""
    biases = np.sin(np.linspace(0.06, 1.5, 10)) ** 2
    code = code_of(biases)
    words = np.array(list(itertools.product([-1.0, 1.0], repeat=10)))
    weights = np.where(words > 0, biases, 1 - biases).prod(axis=1)
    majority = np.where(biases > 0.5, 1.0, -1.0)
    rng = np.random.default_rng(0)
    for answer in (majority, -majority, np.zeros(10), *rng.choice([-1.0, 0.0, 1.0], (30, 10))):
        above = code.scores(words, answer) > code.threshold(answer, false_accusation)
        assert weights[above].sum() <= false_accusation


def test_the_normal_threshold_is_broken_by_small_biases():
    """sqrt(2 d ln(1/fa)) would follow from Hoeffding's inequality at b = 1/2 only: 20 columns of bias 1/400."""
    size, bias, false_accusation = 20, 1 / 400, 0.01
    code, answer = code_of(np.full(size, bias)), np.ones(size)
    normal = math.sqrt(2 * size * math.log(1 / false_accusation))
    one_hit = code.scores(np.where(np.arange(size) == 0, 1.0, -1.0)[None, :], answer)[0]
    assert one_hit > normal
    assert 1 - (1 - bias) ** size > 4 * false_accusation
    assert code.threshold(answer, false_accusation) > one_hit


def test_scores_of_innocents_have_mean_zero_and_the_answers_variance():
    rng = np.random.default_rng(2)
    code = draw_code(4, 1000, 0.1, rng)
    answer = np.where(code.biases > 0.5, 1.0, -1.0)
    scores = code.scores(code.fresh(4000, rng), answer)
    size = len(answer)
    assert abs(scores.mean()) < 4 * math.sqrt(size / 4000)
    assert scores.var() == pytest.approx(size, rel=0.15)


def test_users_of_an_agreeing_answer_share_the_score_of_the_fingerprinting_lemma():
    """Mean of sum_i Z_i over codes is d (g(1-t) - g(t))/(pi - 4 r_0) for the majority of three users."""
    rng, users, length, codes = np.random.default_rng(1), 3, 400, 300
    low = lowest_angle(users)
    totals = []
    for _ in range(codes):
        biases = np.sin(rng.uniform(low, 0.5 * math.pi - low, length)) ** 2
        words = np.where(rng.random((users, length)) < biases, 1.0, -1.0)
        totals.append(code_of(biases).scores(words, np.sign(words.sum(axis=0))).sum())
    t = math.sin(low) ** 2
    majority = 1 - 2 * (3 * t**2 - 2 * t**3)  # g(1 - t) = -g(t)
    expected = length * 2 * majority / (math.pi - 4 * low)
    assert abs(np.mean(totals) - expected) < 4 * np.std(totals) / math.sqrt(codes)
    assert expected > 2 / math.pi * length


def test_certified_level_is_attained_and_nothing_that_agrees_less_is_below_it():
    challenge = SMALL.challenge(point(SMALL), 0.0, np.random.default_rng(4))
    problem, consensus, p = challenge.problem, challenge.consensus, SMALL.columns
    few = math.ceil(SMALL.agreement * p) - 1
    assert challenge.certificates["level_gap"] <= 1e-12
    rng, ball, lowest = np.random.default_rng(0), L1Ball(p), math.inf
    for trial in range(6):  # projected gradient from random points, other columns agreeing each time
        against = np.zeros(p, dtype=bool)
        against[rng.permutation(np.flatnonzero(consensus))[few:]] = True
        theta = ball.project(rng.normal(size=p) / p)
        for _ in range(4000 if trial < 2 else 200):
            theta = theta - 0.2 * problem.gradient(theta)
            theta[against] = np.where(consensus[against] * theta[against] > 0, 0.0, theta[against])
            theta = ball.project(theta)
        assert np.sum((consensus != 0) & (np.sign(theta) == consensus)) <= few
        assert problem.dense.value(theta) >= challenge.level * (1 - 1e-12)
        lowest = min(lowest, problem.dense.value(theta))
    assert lowest == pytest.approx(challenge.level, rel=1e-6)


def test_it_does_not_matter_which_columns_agree():
    code = draw_code(4, 400, 0.1, np.random.default_rng(6))
    levels = []
    for rows in (code.rows, code.rows[:, ::-1]):
        rest = np.ascontiguousarray(rows[1:])
        total = rest.sum(axis=0)
        consensus = np.where(np.abs(total) == 4, np.sign(total), 0.0)
        levels.append(certified_level(databases(rest, 700), rest, 700, consensus, 0.6)[0])
    assert levels[0] == pytest.approx(levels[1], rel=1e-12)


@pytest.mark.parametrize("kappa", [0.02, 0.4, 2.0])
def test_both_sharp_inequalities_hold_on_every_instance(kappa):
    """kappa = .02 < tau: there the l1 ball binds, and the minimum is found by the active set."""
    family = TardosLasso(users=3, kappa=kappa, false_accusation=0.5)
    rows = draw_code(3, family.columns, 0.1, np.random.default_rng(7)).rows[1:]
    total = rows.sum(axis=0)
    consensus = np.where(np.abs(total) == 3, np.sign(total), 0.0)
    block = math.ceil(kappa * 3 * family.columns)  # implicit: it need not be an order of Paley here
    view = databases(np.ascontiguousarray(rows), block)
    level, gap, _ = certified_level(view, rows, block, consensus, 0.6)
    n, exact = 3 + block, block / (3 * family.columns)
    assert view.minimum.gap <= 1e-9
    assert gap <= 1e-9
    assert view.minimum.value <= lasso.sharp_equation_3(3, exact, 0.1) / n
    assert level >= lasso.sharp_lemma_3_3(3, exact, 0.1, 0.6) / n


def found(challenge, theta):
    return {finding.quantity: finding for finding in challenge.attack(theta, np.random.default_rng(0))}


def test_the_exact_minimiser_is_caught_and_zero_is_not():
    family = TardosLasso(users=3)
    challenge = family.challenge(point(family), 0.0, np.random.default_rng(8))
    exact, zero = found(challenge, challenge.problem.minimum.theta), found(challenge, np.zeros(family.columns))
    assert (exact["caught"].value, exact["agrees"].value) == (1, 1)
    assert (zero["caught"].value, zero["accused"].value, zero["agreement"].value) == (0, 0, 0)
    assert exact["traced"].bound == pytest.approx(math.e * 0.01, rel=1e-6)
    assert exact["caught"].bound == pytest.approx(3 * math.e * 0.01, rel=1e-6)


@pytest.mark.parametrize("kind", ["least", "exact"])
def test_an_answer_that_just_agrees_has_its_share_of_the_score(kind):
    """Mean of sum_i Z_i is (2 a' - 1) of the full agreement's, a' = a/(1 - tau), whatever is said on mixed columns."""
    family, rng, totals = TardosLasso(users=3, length=2), np.random.default_rng(10), []
    for _ in range(60):
        challenge = family.challenge(point(family), 0.0, rng)
        code, theta = challenge.code, challenge.problem.minimum.theta
        answer = code.answer(challenge._least_agreeing(rng) if kind == "least" else theta)
        agreeing = np.mean((challenge.consensus != 0) & (np.sign(theta) == challenge.consensus))
        words = np.array([code.entries(row) for row in range(4) if row != challenge.left_out])
        share = 2 * family.agreement / agreeing - 1 if kind == "least" else 1.0
        totals.append(
            code.scores(words, answer).sum() / (2 * len(code.biases) / (math.pi - 4 * lowest_angle(3))) - share
        )
    # g(t) is not quite -1 at the cutoff: 3 t^2 for the exact minimiser, 3 t mixed columns for the other
    slack = 0.005 if kind == "exact" else 0.02
    assert abs(np.mean(totals)) < 4 * np.std(totals) / math.sqrt(60) + slack


@pytest.mark.parametrize("users", [2, 3, 10])
def test_the_law_of_a_columns_ones_agrees_with_drawn_ones(users):
    rng, draws = np.random.default_rng(1), 40_000
    low = lowest_angle(users)
    bias = np.sin(rng.uniform(low, 0.5 * math.pi - low, draws)) ** 2
    ones = np.bincount((rng.random((users, draws)) < bias).sum(axis=0), minlength=users + 1)
    law = column_law(users)
    assert law.sum() == pytest.approx(1)
    assert np.abs(ones / draws - law).max() < 5 * math.sqrt(law.max() / draws)


@pytest.mark.parametrize("mixed", ["against", "with", "silent"])
def test_whoever_agrees_has_at_least_the_score_that_the_chance_rests_on(mixed):
    """Answers that agree with just a p columns, always, with three ways to treat mixed ones: P(A) = 1."""
    family, rng, scores = TardosLasso(users=3, length=2), np.random.default_rng(11), []
    for _ in range(80):
        challenge = family.challenge(point(family), 0.0, rng)
        signs = challenge._least_agreeing(rng)
        signs[challenge.consensus == 0] *= {"against": 1, "with": -1, "silent": 0}[mixed]
        assert challenge._agreement(signs) >= family.agreement
        words = np.array([challenge.code.entries(row) for row in range(4) if row != challenge.left_out])
        scores.append(challenge.code.scores(words, challenge.code.answer(signs)).mean())
    slope = score_slope(3, family.columns, family.tau, family.agreement)
    assert slope < np.mean(scores) + 3 * np.std(scores) / math.sqrt(80)
    assert np.mean(scores) < 1.6 * slope


def test_a_private_answer_seldom_agrees_if_the_code_is_long_and_may_if_it_is_short():
    short, long = (TardosLasso(users=4, length=length) for length in (1, 9))
    fixed = {"users": 4, "tau": 0.1, "agreement": 0.6}
    assert agreement_chance(columns=short.columns, epsilon=0.1, delta=1e-12, **fixed) == 1
    chance = agreement_chance(columns=long.columns, epsilon=0.1, delta=1e-12, **fixed)
    assert 0.05 < chance < 0.12
    # the inequality that it solves
    d, slope = longest_code(4, long.columns, 0.1), score_slope(4, long.columns, 0.1, 0.6)
    assert slope * chance == pytest.approx(math.exp(0.1) * math.sqrt(math.exp(0.1) * chance * d), rel=0.01)
    assert agreement_chance(columns=long.columns, epsilon=0.5, delta=1e-12, **fixed) > chance
    assert agreement_chance(columns=long.columns, epsilon=0.1, delta=1e-3, **fixed) > 2 * chance
    assert agreement_chance(columns=long.columns, epsilon=math.inf, delta=0.0, **fixed) == 1


def test_what_binds_private_algorithms_is_the_level_less_what_agreement_may_save():
    family = TardosLasso(users=3, length=9)
    challenge = family.challenge(point(family, 0.1), 0.0, np.random.default_rng(12))
    shown = found(challenge, np.zeros(family.columns))
    chance = agreement_chance(3, family.columns, 0.1, 0.6, 0.1, 1e-9)
    assert shown["certified_risk"].value == pytest.approx((1 - chance) * shown["certified_level"].value)
    assert shown["disagreeing"].value == pytest.approx(challenge.level, rel=1e-9)
    assert challenge._agreement(challenge.rival) < 0.6


def test_n_and_p_follow_from_the_users_and_the_code_is_long_enough():
    family = TardosLasso(users=5)
    settled = point(family)
    challenge = family.challenge(settled, 0.0, np.random.default_rng(9))
    assert settled["n"] == 5 + family.block == challenge.problem.domain.n
    assert challenge.certificates["code_length"] > required_length(5, 0.01)
    assert family.block >= max(0.4 * 5 * family.columns, family.columns)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"tau": 0.2}, "Lemma 3.3"),
        ({"agreement": 0.85}, "Lemma 3.3"),
        ({"agreement": 0.5}, "random signs"),
        ({"users": 1}, "users=1"),
        ({"users": 2.5}, "users=2.5"),
        ({"kappa": 0.0}, "kappa"),
        ({"false_accusation": 1.0}, "false_accusation"),
        ({"length": 0.5}, "length"),
    ],
)
def test_a_choice_that_breaks_a_premise_is_refused_with_the_premise(changes, word):
    with pytest.raises(InputError, match=word):
        TardosLasso(**changes)
