"""The two sides of lemmas that `bst_lemmas` compares, against runs, enumeration, the accountant and draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dprepro.algorithms.samplers.grid_walk import WalkLaw
from dprepro.bounds import evaluate
from dprepro.bounds.bst_lemmas import lemma_6_2_steps
from dprepro.bounds.lasso_population import largest_half_normal
from dprepro.mechanisms import PureLoss
from dprepro.privacy import privacy_loss


def test_the_last_iterate_is_that_of_the_descent_that_it_is_the_closed_form_of():
    """Subgradient descent run on max_i <h_i, x>, with steps 1/sqrt t, and on the strongly convex one with 1/t."""
    steps = 30
    j = np.arange(1.0, steps + 1)
    for strongly, scale, function in ((False, 8, "last_iterate"), (True, 2, "last_iterate_strongly_convex")):
        h = np.tril(np.tile(1 / (scale * (steps + 1 - j)), (steps + 1, 1)), -1)
        h[np.arange(steps), np.arange(steps)] = -1.0 if strongly else -np.sqrt(j / steps) / 2
        x = np.zeros(steps)
        for t in range(1, steps + 1):
            heights = h @ x
            assert heights[t - 1] == pytest.approx(heights.max())  # h_t is a subgradient there
            x = x - (h[t - 1] + x) / t if strongly else x - h[t - 1] / math.sqrt(t)
        assert strongly or np.linalg.norm(x) <= 0.5
        value = (h @ x).max() + (x @ x / 2 if strongly else 0.0)
        mean = h.mean(axis=0)
        slack = mean @ mean / 2 if strongly else np.linalg.norm(mean) / 2
        assert evaluate(f"bst_lemmas.{function}", {"steps": steps}) == pytest.approx(value + slack)


def test_composition_of_randomised_responses_agrees_with_the_accountant():
    for uses, epsilon in ((1, 0.5), (20, 0.3), (500, 0.05)):
        found = evaluate("bst_lemmas.composed_epsilon", {"uses": uses, "epsilon": epsilon, "delta": 1e-5})
        assert found == pytest.approx(privacy_loss(PureLoss(epsilon), uses, 1e-5).epsilon, rel=1e-6)


def test_the_profile_of_a_line_is_that_of_all_sets():
    """By enumeration of the sets of a small walk."""
    law = WalkLaw(np.random.default_rng(2).normal(0, 1, 8))
    weight, flows = law.stationary, law.stationary[:, None] * law.transitions
    sets = [np.array([bit == "1" for bit in f"{number:08b}"]) for number in range(1, 255)]
    known = sorted((weight[one].sum(), flows[np.ix_(one, ~one)].sum() / weight[one].sum()) for one in sets)
    known = [one for one in known if one[0] <= 0.5]
    least, top = 4 * weight.min(), 4 / 0.1
    total, best = 0.0, math.inf
    for (size, ratio), (following, _) in zip(known, [*known[1:], (top, 0.0)], strict=True):
        best = min(best, ratio)
        total += 4 * math.log(max(following, least) / max(size, least)) / best**2
    found = lemma_6_2_steps(weight, np.diag(flows, 1), 0.1)
    assert found == pytest.approx(1 + total)


def test_gaps_of_lemma_f_5_and_failures_of_theorem_f_1_agree_with_draws():
    rng, n, epsilon = np.random.default_rng(5), 5, 3.0
    sums = 2 * rng.binomial(n, 0.5, 40000) - n
    a = epsilon * sums / 4
    u = rng.random(sums.size)
    theta = np.where(a == 0, 2 * u - 1, np.log(np.exp(-a) + u * (np.exp(a) - np.exp(-a))) / np.where(a == 0, 1, a))
    draws = sums / n * theta  # the population risk is zero
    expected = evaluate("bst_generalisation.exponential_gap", {"n": n, "epsilon": epsilon})
    assert abs(draws.mean() - expected) < 4 * draws.std() / 200  # 6e-5 of false alarms
    assert evaluate("bst_generalisation.failure_of_theorem_f_1", {"n": 4, "level": 1.0}) == 0


def test_the_largest_of_half_normals_is_their_expected_maximum():
    draws = np.abs(np.random.default_rng(6).standard_normal((4000, 50))).max(axis=1)
    assert abs(draws.mean() - largest_half_normal(50)) < 4 * draws.std() / math.sqrt(4000)  # 6e-5 of false alarms
    assert largest_half_normal(1) == pytest.approx(math.sqrt(2 / math.pi))


def test_the_repaired_theorem_29_adds_the_lesser_term_of_the_sample():
    numbers = {"noise_scale": 2.0, "regulariser": 4.0, "lipschitz": 1.0, "radius": 1.0}
    for n, term in ((4.0, 0.5), (1e4, 0.02)):
        lemma = evaluate("kst.lemma_3", {"n": n, **numbers})
        assert evaluate("kst_population.theorem_29", {"n": n, **numbers}) == pytest.approx(lemma + term)
