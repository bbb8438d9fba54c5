"""Lemma 5.1.1's data: what decodes, what cannot, and the paper's own numbers."""

import math

import numpy as np
import pytest

from dprepro.bounds import bst_lower
from dprepro.constructions import Packing
from dprepro.errors import InputError, PremiseError
from dprepro.problems.codes import double_circulant_code

POINT = {"n": 1000.0, "p": 16.0, "epsilon": 0.1, "delta": 0.0, "norm": 1.0}


def challenge(seed=0, point=None, **fields):
    return Packing(**fields).challenge(POINT | (point or {}), 0.0, np.random.default_rng(seed))


def findings(one, theta):
    return {finding.quantity: finding for finding in one.attack(theta, np.random.default_rng(0))}


def test_n_star_records_are_copies_and_the_others_cancel():
    one = challenge()
    assert one.certificates["copies"] == 8  # p/(20 epsilon)
    np.testing.assert_allclose(1000 * one.target, 8 * one.code.words[one.secret])
    assert one.problem.records.records.n == 1000
    odd = challenge(point={"n": 1001.0})
    rest = 1001 * odd.target - 8 * odd.code.words[odd.secret]
    assert np.linalg.norm(rest) == pytest.approx(1)  # the paper's alpha = c/n
    assert challenge(point={"n": 5.0}).certificates["copies"] == 5
    assert challenge(share=math.inf).certificates["copies"] == 1000


@pytest.mark.parametrize("loss", ["linear", "half_squared_distance"])
@pytest.mark.parametrize("n", [60, 61])
def test_an_answer_better_than_the_level_always_decodes_and_the_level_is_sharp(loss, n):
    """Answers from the secret word to another one: they decode up to the half, where the risk has reached the level."""
    one = challenge(loss=loss, share=0.3, point={"n": float(n)})
    words, secret = one.code.words, one.code.words[one.secret]
    distances = np.where(np.arange(one.code.size) == one.secret, np.inf, np.sum((words - secret) ** 2, axis=1))
    nearest, centre = words[int(distances.argmin())], one.target
    risks = []
    for share in np.linspace(0, 1, 401):
        between = (1 - share) * secret + share * nearest
        theta = (
            between / np.linalg.norm(between)
            if loss == "linear"
            else one.weight * between + centre - (one.weight * secret)
        )
        found = findings(one, theta)
        if found["accurate"].value:
            assert found["decoded"].value
        if not found["decoded"].value:
            risks.append(one.problem.excess_risk(theta))
    assert min(risks) >= one.level * (1 - 1e-9)
    if n == 60:  # an even rest: no slack
        assert min(risks) == pytest.approx(one.level, rel=0.02)


def test_the_least_error_that_fails_to_decode_is_the_radius():
    one = challenge(loss="half_squared_distance")
    assert one.radius == pytest.approx(8 / 1000 * math.sqrt(one.code.share))
    assert one.radius > 8 / 1000 / 16  # the paper's 1/16 n*/n
    assert findings(one, one.target)["error"].value == 0
    assert findings(one, np.zeros(16))["error"].value == pytest.approx(8 / 1000)


@pytest.mark.parametrize("loss", ["linear", "half_squared_distance"])
@pytest.mark.parametrize("p", [8.0, 12.0, 16.0, 20.0])
def test_the_answer_half_way_to_the_nearest_word_has_exactly_the_level(loss, p):
    one = challenge(loss=loss, share=0.3, point={"p": p})
    found = findings(one, np.zeros(int(p)))["halfway"]
    assert found.value == pytest.approx(found.bound, rel=1e-12)


@pytest.mark.parametrize(("loss", "size"), [("linear", 1 - math.sqrt(1 - 5 / 16)), ("half_squared_distance", 5 / 32)])
def test_what_is_certified_is_the_level_where_no_private_answer_decodes_more_often_than_not(loss, size):
    found = findings(challenge(loss=loss, share=0.3), np.zeros(16))
    assert found["certified_error"].value == pytest.approx(48 / 1000 * math.sqrt(5 / 16))
    assert found["certified_error"].bound == 16 / (0.1 * 1000)
    power = 1 if loss == "linear" else 2
    assert found["certified_risk"].value == pytest.approx((48 / 1000) ** power * size)
    assert found["certified_risk"].bound == pytest.approx(0.16**power)
    too_many = findings(challenge(loss=loss, share=0.36), np.zeros(16))  # e^5.7 > 255
    assert too_many["certified_error"].value == too_many["certified_risk"].value == 0


def test_the_minimiser_decodes_in_every_instance_and_zero_decodes_to_a_guess():
    hits = [findings(one := challenge(seed), one.problem.minimum.theta)["decoded"].value for seed in range(50)]
    assert all(hits)
    zeros = [findings(challenge(seed), np.zeros(16))["decoded"].value for seed in range(2000)]
    assert sum(zeros) < 2000 / 256 + 4.5 * math.sqrt(2000 / 256)


def test_the_line_is_that_of_group_privacy_and_below_the_papers():
    size = double_circulant_code(16).size
    line = challenge().line
    assert line == pytest.approx(math.exp(0.8) / (size - 1 + math.exp(0.8)))
    for copies in (1, 8, 30, 55):
        assert bst_lower.packing_line(size, copies, 0.1, 0.0) < math.exp(0.1 * copies) / size
    assert bst_lower.packing_line(size, 8, 0.1, 1e-3) > line
    assert bst_lower.packing_line(size, 1e9, 1.0, 0.0) == 1


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_no_family_of_four_laws_beats_the_line(delta):
    """The largest mean success under P_i(S) <= e^a P_j(S) + delta_a for single answers, as a linear programme."""
    from scipy.optimize import linprog

    size, epsilon, copies = 4, 0.3, 3
    grown, rest = math.exp(epsilon * copies), bst_lower.group_delta(copies, epsilon, delta)
    rows, limits = [], []
    for i in range(size):
        for j in range(size):
            for answer in range(size):
                if i != j:
                    row = np.zeros((size, size))
                    row[i, answer], row[j, answer] = 1, -grown
                    rows.append(row.ravel())
                    limits.append(rest)
    best = linprog(
        -np.eye(size).ravel() / size, np.array(rows), limits, np.kron(np.eye(size), np.ones(size)), np.ones(size)
    )
    assert -best.fun == pytest.approx(bst_lower.packing_line(size, copies, epsilon, delta), rel=1e-6)


def test_what_cannot_be_is_refused_and_what_is_outside_the_premise_skipped():
    with pytest.raises(InputError, match="p=15"):
        Packing().representations(POINT | {"p": 15.0})
    with pytest.raises(InputError, match="share=0"):
        Packing(share=0)
    with pytest.raises(PremiseError, match="below 1 at epsilon=10"):
        challenge(point={"epsilon": 10.0})
