"""Bounded ranges composed: against the closed form of one use, a search over two, and selections counted one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dprepro.mechanisms import BoundedRange
from dprepro.privacy import compose
from dprepro.privacy.ranges import range_delta, range_epsilon

ETAS = (0.1, 0.5, 2.0)


def once(eta: float, x: float) -> float:
    """delta(x) of one use: the best of the two-answer laws, from whatever stationarity says."""
    if x <= -eta:
        return -math.expm1(x)
    return max(0.0, math.exp(eta / 2) - math.exp(x / 2)) ** 2 / math.expm1(eta) if x < eta else 0.0


@pytest.mark.parametrize("eta", ETAS)
def test_one_use_is_the_closed_form(eta: float) -> None:
    for share in (-0.5, 0.0, 0.25, 0.5, 0.8):
        exact = once(eta, share * eta)
        assert exact <= range_delta(eta, 1, share * eta) * (1 + 1e-10)
        assert range_delta(eta, 1, share * eta) == pytest.approx(exact, rel=2e-3)
        if share > 0:
            assert range_epsilon(eta, 1, exact) == pytest.approx(share * eta, rel=1e-3)


@pytest.mark.parametrize("eta", ETAS)
def test_two_uses_are_the_best_first_of_a_fine_search(eta: float) -> None:
    """Whatever t the first use has, the second is at its best for what is left."""
    ts = np.linspace(0, eta, 2001)
    chances = (math.exp(eta) - np.exp(ts)) / math.expm1(eta)
    for share in (0.0, 0.5, 1.2):
        x = share * eta
        found = max(p * once(eta, x - t) + (1 - p) * once(eta, x - t + eta) for p, t in zip(chances, ts, strict=True))
        assert found <= range_delta(eta, 2, x) * (1 + 1e-10)
        assert range_delta(eta, 2, x) == pytest.approx(found, rel=2e-3)


@pytest.mark.parametrize(("eta", "uses"), [(0.5, 1), (0.5, 2), (1.0, 2), (0.7, 3)])
def test_selections_that_are_counted_one_by_one_spend_no_more(eta: float, uses: int) -> None:
    """Exponential mechanisms over three candidates, with scores that later uses choose by earlier answers."""
    rng, seen = np.random.default_rng(5), 0.0
    for _ in range(30):
        first, second = np.zeros(1), np.zeros(1)
        laws = {}
        for k in range(uses):
            for past in itertools.product(range(3), repeat=k):
                scores, moved = rng.uniform(0, 2, 3), rng.permutation([0.0, rng.uniform(0, eta), eta])
                weights = np.exp([scores, scores + moved])
                laws[past] = weights / weights.sum(axis=1, keepdims=True)
        runs = list(itertools.product(range(3), repeat=uses))
        first, second = (
            np.array([math.prod(laws[run[:k]][side][run[k]] for k in range(uses)) for run in runs]) for side in (0, 1)
        )
        for x in (0.0, 0.3 * eta, eta):
            for one, other in ((first, second), (second, first)):
                delta = float(np.maximum(one - math.exp(x) * other, 0).sum())
                assert delta <= range_delta(eta, uses, x) + 1e-12
                seen = max(seen, delta / range_delta(eta, uses, 0.0))
    assert seen > 0.5


@pytest.mark.parametrize("uses", [1, 2, 8, 16])
def test_a_few_uses_are_dearer_by_renyi_curves_and_by_pure_losses(uses: int) -> None:
    eta = 1.5 / math.sqrt(uses)
    for delta in (0.1, 1e-6):
        found = compose([(BoundedRange(eta), uses)], delta)
        assert found.conversion == "optimal composition of bounded ranges"
        assert 0.3 < found.epsilon <= uses * eta


def test_what_the_recursion_does_not_reach_is_left_to_the_other_accounts() -> None:
    for eta, uses, delta in ((0.01, 17, 0.1), (30.0, 2, 0.1), (1.0, 2, 1e-12)):
        assert range_epsilon(eta, uses, delta) == math.inf
        assert math.isfinite(compose([(BoundedRange(eta), uses)], delta).epsilon)
    assert range_epsilon(0.01, 1, 0.5) == 0.0
