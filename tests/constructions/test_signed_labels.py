"""Theorem 4's and Theorem 6's data, and the two-point level under them. Seeds are fixed."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from dprepro.algorithms import DataFree, ExactMinimiser, NoisyGD, RegularisedOutputPerturbation, SignedCounts
from dprepro.bounds import glm
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import LipschitzSignedLabels, SignedLabels
from dprepro.errors import InputError, PremiseError

POINT = {"n": 2e6, "p": 4096.0, "epsilon": 5e-4, "delta": 1e-9, "norm": 1.0}
SMALL = {"n": 600.0, "p": 5.0, "epsilon": 0.2, "delta": 1e-9, "norm": 0.5}


def budget(point, factor=1.0):
    return Budget(factor * point["epsilon"], point["delta"], Neighbours.REPLACE_ONE)


def records(view):
    """The data set record by record: (coordinate or -1, label)."""
    listed, n = [], view.domain.n
    for j, label in enumerate(view.label):
        plus, minus = (n * weights[j] for weights in (view.plus, view.minus))
        assert (plus, minus) == (pytest.approx(round(plus)), pytest.approx(round(minus)))
        listed += [(j, float(label))] * round(plus) + [(j, -float(label))] * round(minus)
    return listed + [(-1, 0.0)] * (int(n) - len(listed))


@pytest.mark.parametrize("epsilon", [1.0, 0.34, 0.05, 1e-3])
@pytest.mark.parametrize("norm", [0.1, 0.7, 3.0])
@pytest.mark.parametrize("p", [1, 3, 40, 1e5])
def test_whole_numbers_fit_wherever_the_premise_holds(epsilon, norm, p):
    point = {"n": 3e6, "p": p, "epsilon": epsilon, "delta": 1e-9, "norm": norm}
    if norm > math.sqrt(p):
        with pytest.raises(PremiseError, match="b exceeds 1"):
            SignedLabels().plan(point)
        return
    plan = SignedLabels().plan(point)
    d, m, flips = plan.coordinates, plan.copies, plan.flips
    assert flips == math.floor(1 / epsilon)
    assert d <= p
    assert d * m <= point["n"]
    assert flips <= m
    assert (m - flips) % 2 == 0
    # as large a norm as two records and one coordinate more or less allow
    assert norm * (1 - 2 / m - 1.5 / d) * 0.99 <= math.sqrt(d) * plan.size <= norm * (1 + 1e-9)


def test_one_sign_is_told_by_exactly_d_records_and_features_are_orthogonal():
    family = SignedLabels()
    plan = family.plan(SMALL)
    sigma = np.ones(plan.coordinates)
    flipped = sigma.copy()
    flipped[1] = -1
    first, second = (Counter(records(family.data(SMALL, plan, s))) for s in (sigma, flipped))
    assert sum((first - second).values()) == plan.flips == 5
    # Delta = p b n/d' with p the share of records in use; the printed p b/d' is n times too small
    share = plan.coordinates * plan.copies / SMALL["n"]
    assert share * plan.flips / plan.copies * SMALL["n"] / plan.coordinates == pytest.approx(plan.flips)
    features = np.eye(plan.coordinates)[sorted({j for j, _ in first if j >= 0})]
    assert np.array_equal(features @ features.T, np.eye(plan.coordinates))


def test_the_risk_is_the_mean_over_the_listed_records():
    family = SignedLabels(feature_bound=2.0, label_bound=3.0)
    challenge = family.challenge(SMALL, 0.0, np.random.default_rng(1))
    x = np.array([np.eye(1, 5, j)[0] * 2.0 if j >= 0 else np.zeros(5) for j, _ in records(challenge.problem.one_hot)])
    y = np.array([label for _, label in records(challenge.problem.one_hot)])
    least = np.linalg.lstsq(x, y, rcond=None)[0]
    w = np.random.default_rng(2).normal(size=5)
    excess = np.mean((x @ w - y) ** 2) - np.mean((x @ least - y) ** 2)
    assert challenge.problem.excess_risk(w) == pytest.approx(excess)
    assert challenge.problem.minimum.theta == pytest.approx(least[: challenge.plan.coordinates])
    assert least[: challenge.plan.coordinates] == pytest.approx(challenge.sigma * challenge.plan.size)


def test_points_outside_the_premise_are_named():
    family = SignedLabels()
    for change, words in (
        ({"epsilon": 1e-7}, r"must be in \[1/n, 1\]"),
        ({"epsilon": 1.1}, r"must be in \[1/n, 1\]"),
        ({"delta": 1e-3}, "must be at most"),
        ({"n": 3e3, "p": 1.0, "norm": 0.1}, "records are too few"),
        ({"p": 1.0, "norm": 2.0}, "at most sqrt"),
    ):
        with pytest.raises(PremiseError, match=words):
            family.plan(POINT | change)
    with pytest.raises(PremiseError, match="are more than n"):
        LipschitzSignedLabels(flips=10**7).plan(POINT)
    with pytest.raises(InputError, match="label_bound must be positive"):
        SignedLabels(label_bound=0.0)
    with pytest.raises(InputError, match="flips"):
        SignedLabels(flips=-1)


def test_the_level_is_what_the_best_use_of_the_extreme_pair_gives():
    """(epsilon', delta'): reveal with probability delta', else randomised response, answered by posterior means."""
    epsilon, delta, flips = 0.1, 1e-3, 12
    shift, leak = flips * epsilon, glm.group_delta(epsilon, delta, flips)
    q = 1 / (1 + math.exp(shift))
    reported = (1 - leak) * np.array([1 - q, q])  # probability of the two answers at +, mirrored at -
    posterior = reported / reported.sum()
    square = sum(reported[k] * 4 * posterior[0] * posterior[1] for k in (0, 1))
    assert glm.two_point_square(epsilon, delta, flips) == pytest.approx(square)
    assert glm.lemma_1(epsilon, delta, flips) == pytest.approx(2 * reported[1])
    # one record after the other: delta_1 = delta, delta_k+1 = delta_k + e^(k epsilon) delta
    total = sum(math.exp(k * epsilon) * delta for k in range(flips))
    assert leak == pytest.approx(total)
    assert glm.two_point_square(1e-3, 0, 1000) == pytest.approx(0.7864, abs=1e-4)
    assert glm.two_point_square(5e-4, 1e-5, 2000) == pytest.approx(0.7594, abs=1e-4)
    assert glm.lemma_1(1e-3, 0, 1000) == pytest.approx(0.5379, abs=1e-4)


@pytest.mark.parametrize("family", [SignedLabels(feature_bound=2.0, label_bound=3.0), LipschitzSignedLabels()])
def test_the_level_is_what_an_answer_right_as_often_as_allowed_loses_on_the_instance(family):
    """w_j = +-a (1 - 2q) for squares, +-a for absolute values, right but for the least chance of a miss, delta = 0."""
    point = SMALL | {"delta": 0.0}
    one = family.challenge(point, 0.0, np.random.default_rng(5))
    q, size = one.missed, one.plan.size
    length = size if isinstance(family, LipschitzSignedLabels) else size * (1 - 2 * q)
    right, wrong = (one.problem.excess_risk(sign * length * one.sigma) for sign in (1, -1))
    assert one.level == pytest.approx((1 - q) * right + q * wrong, rel=1e-9)
    found = {finding.quantity: finding for finding in one.attack(np.zeros(5), np.random.default_rng(0))}
    assert found["certified_risk"].value == found["risk_over_zero"].bound * one.problem.trivial_risk == one.level


def test_a_population_is_sampled_and_judged_by_itself():
    family, rng = LipschitzSignedLabels(), np.random.default_rng(6)
    one = family.challenge(POINT, 0.0, rng)
    sample, population = one.problem.one_hot, one.problem.population
    count, mean = POINT["n"] * (sample.plus + sample.minus), 2000
    assert abs(count.mean() - mean) < 5 * math.sqrt(mean / count.size)
    assert 0.8 * mean < count.var() < 1.2 * mean  # binomial, where a data set would have D everywhere
    assert (np.sign(sample.plus - sample.minus) == one.sigma).all()
    np.testing.assert_allclose(population.share, mean / POINT["n"])
    w = rng.normal(size=one.plan.coordinates) * one.plan.size
    risk = np.sum(mean / POINT["n"] * np.abs(w - one.sigma * one.plan.size))
    assert one.problem.excess_risk(w) == pytest.approx(risk)


def test_the_chance_of_a_miss_is_averaged_over_how_many_records_tell_a_sign():
    """Few records: by drawing them; many: as if there were D. A random number hides the sign a little better."""
    point = {"n": 50.0, "p": 3.0, "epsilon": 0.2, "delta": 1e-3, "norm": 1.0}
    one = LipschitzSignedLabels(flips=5).challenge(point, 0.0, np.random.default_rng(0))
    drawn = np.random.default_rng(1).binomial(50, 0.1, 20000)
    errors = np.array([glm.two_point_error(0.2, 1e-3, float(k)) for k in range(51)])[drawn]
    assert abs(one.missed - errors.mean()) < 4 * errors.std() / math.sqrt(20000)
    assert one.missed > glm.two_point_error(0.2, 1e-3, 5.0)
    many = LipschitzSignedLabels().challenge(POINT, 0.0, np.random.default_rng(0))
    assert many.missed == pytest.approx(glm.two_point_error(5e-4, 1e-9, 2000.0), rel=1e-3)


def test_no_exponential_mechanism_over_counts_beats_the_level():
    """Random utilities of sensitivity 1 on counts -D..D in steps of 2: at best the two ends are D epsilon apart."""
    rng, epsilon, flips = np.random.default_rng(3), 0.1, 10
    for _ in range(300):
        steps = rng.choice([-1.0, 1.0], (flips, 6)) * rng.random((flips, 6)) ** 0.2
        utility = np.concatenate([np.zeros((1, 6)), np.cumsum(steps, axis=0)])[[0, -1]]
        law = np.exp(epsilon / 2 * utility)
        minus, plus = law / law.sum(axis=1, keepdims=True)
        square = 0.5 * np.sum((plus + minus) * 4 * plus * minus / (plus + minus) ** 2)
        assert square >= glm.two_point_square(epsilon, 0.0, flips) - 1e-12
        assert np.minimum(plus, minus).sum() >= glm.lemma_1(epsilon, 0.0, flips) - 1e-12


def attacked(family, algorithm, point, draws, factor=1.0, seed=4):
    rng, found = np.random.default_rng(seed), []
    for _ in range(draws):
        challenge = family.challenge(point, 0.0, rng)
        theta = algorithm.solve(challenge.problem, budget(point, factor), rng).theta
        found.append({one.quantity: one.value for one in challenge.attack(theta, rng)})
    return {name: np.array([one[name] for one in found]) for name in found[0]}


@pytest.mark.parametrize("family", [SignedLabels(), LipschitzSignedLabels()])
def test_the_attack_finds_every_sign_of_the_minimiser_and_none_of_zero(family):
    caught = attacked(family, ExactMinimiser(), POINT, 20)
    assert caught["signs_recovered"].min() == 1.0
    assert caught["risk_over_zero"].max() < 1e-9
    zero = attacked(family, DataFree(), POINT, 200)
    assert zero["risk_over_zero"] == pytest.approx(1.0)
    assert abs(zero["sign_recovered"].mean() - 0.5) < 4 * 0.5 / math.sqrt(200)


@pytest.mark.parametrize("setting", ["squared", "lipschitz"])
def test_signed_counts_guess_as_often_as_laplace_noise_lets_them(setting):
    """P(right) = 1 - e^(-D epsilon/2)/2; coordinates are independent, so all of them count (4 standard errors)."""
    family = SignedLabels() if setting == "squared" else LipschitzSignedLabels()
    found = attacked(family, SignedCounts(setting), POINT, 100)
    expected = 1 - math.exp(-0.5) / 2
    signs = 100 * family.plan(POINT).coordinates
    assert abs(found["signs_recovered"].mean() - expected) < 4 * math.sqrt(expected * (1 - expected) / signs)
    one = family.challenge(POINT, 0.0, np.random.default_rng(0))
    assert 1.0 < found["risk_over_zero"].mean() * one.problem.trivial_risk / one.level < 1.2
    if setting == "lipschitz":
        assert found["risk_over_zero"].mean() == pytest.approx(2 * (1 - expected), rel=0.02)


def test_signed_counts_spend_their_epsilon():
    problem = SignedLabels().challenge(POINT, 0.0, np.random.default_rng(0)).problem
    privacy_loss = SignedCounts().solve(problem, budget(POINT), np.random.default_rng(0)).privacy_loss
    assert privacy_loss is not None
    assert POINT["epsilon"] * 0.999 < privacy_loss.epsilon <= POINT["epsilon"]
    assert SignedCounts().size(problem.domain, budget(POINT)) == pytest.approx(0.1, rel=1e-3)
    with pytest.raises(InputError, match="flips"):
        SignedCounts(flips=-2)


def test_too_little_noise_crosses_both_lines():
    point = POINT | {"n": 4e5}
    algorithm = RegularisedOutputPerturbation(setting="lipschitz")
    found = attacked(LipschitzSignedLabels(), algorithm, point, 40, factor=100)
    line = 1 - glm.two_point_error(point["epsilon"], point["delta"], 2000)
    assert found["signs_recovered"].mean() > line + 0.1
    assert found["risk_over_zero"].mean() < glm.lemma_1(point["epsilon"], point["delta"], 2000) - 0.1
    private = attacked(LipschitzSignedLabels(), algorithm, point, 40)
    assert private["risk_over_zero"].mean() > 1.0


def test_noisy_descent_refuses_a_loss_without_smoothness():
    problem = LipschitzSignedLabels().challenge(POINT, 0.0, np.random.default_rng(0)).problem
    with pytest.raises(InputError, match="smooth loss"):
        NoisyGD().schedule(problem.domain, budget(POINT))


def test_the_rates_have_the_levels_slopes():
    """A hundredfold n at the theorem's three regimes, with radius and smoothness as the problem states them."""
    for change, power in (({"p": 1e7}, -2 / 3), ({"p": 64.0}, -1.0)):
        values, levels = [], []
        for n in (1e7, 1e9):
            point = POINT | change | {"n": n}
            family = SignedLabels()
            domain = family.domain(point)
            values.append(glm.theorem_4_rate(n, point["p"], 5e-4, domain.smoothness, domain.radius, domain.label_level))
            plan = family.plan(point)
            levels.append(plan.coordinates * plan.copies / n * plan.size**2)
        assert math.log(values[1] / values[0]) / math.log(100) == pytest.approx(power, abs=1e-9)
        assert math.log(levels[1] / levels[0]) / math.log(100) == pytest.approx(power, abs=0.01)
    assert glm.theorem_6_rate(1e6, 1e9, 1e-2, 2.0, 3.0) == pytest.approx(6 / 100)
    assert glm.theorem_6_rate(1e6, 25.0, 1e-2, 2.0, 3.0) == pytest.approx(6 * 5 / 1e4)
    assert replace(SignedLabels(), flips=7).plan(POINT).flips == 7


@pytest.mark.parametrize("order", [1.5, 2.0, 4.0, math.inf])
def test_over_lp_balls_the_minimiser_has_the_norm_and_zero_the_rate(order):
    """At D epsilon = 1; the signs' coordinates are exactly n epsilon = 1000."""
    family = LipschitzSignedLabels(order=order)
    challenge = family.challenge({**POINT, "norm": 2.0}, 0.0, np.random.default_rng(0))
    assert challenge.problem.population is not None
    theta = np.asarray(challenge.problem.population.minimum.theta)
    assert np.linalg.norm(theta, order) == pytest.approx(2.0)
    rate = glm.corollary_4_rate(POINT["n"], POINT["p"], POINT["epsilon"], 2.0, 1.0, order)
    assert challenge.problem.trivial_risk == pytest.approx(rate)
    assert challenge.level == pytest.approx(0.538 * rate, rel=1e-3)
