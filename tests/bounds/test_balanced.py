"""Private Frank-Wolfe with T balanced against the logarithms: its bound, its steps, and what it loses exactly."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from dprepro.algorithms import NoisyFrankWolfe
from dprepro.bounds import balanced, balanced_corners, lasso
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import TunedNeedle

BUDGETS = np.geomspace(1e-3, 1e9, 61)


def test_on_the_unit_lasso_the_constant_is_24() -> None:
    n, p, delta = 1e8, 1000.0, 1e-6
    logarithms = math.log(2 * p) ** (2 / 3) * math.log(1 / delta) ** (1 / 3)
    assert balanced.risk(n, 1.0, delta, 8.0, 4.0, 1.0, 2 * p, 0.0) == pytest.approx(24 * logarithms * n ** (-2 / 3))


@pytest.mark.parametrize("vertices", [2.0, 3.0, 2000.0, 1e12])
@pytest.mark.parametrize("delta", [0.2, 1e-6, 1e-200])
def test_rounding_up_costs_nothing_at_any_number_of_steps(vertices: float, delta: float) -> None:
    for n in BUDGETS:
        for bend in (1e-9, 1e-3, 2.0, 1e3):
            numbers = (float(n), 1.0, delta, bend, vertices)
            assert balanced_corners.as_run(*numbers) <= balanced_corners.allowed(*numbers) * (1 + 1e-12)
            assert balanced_corners.linear(*numbers) <= balanced_corners.allowed(*numbers) * (1 + 1e-12)


def test_what_stays_of_the_first_point_is_needed() -> None:
    # T = 1: the answer is the first point, and a linear loss may have any Gamma
    assert balanced_corners.linear(1.0, 1.0, 0.1, 1e-15, 100.0) == pytest.approx(2.0)
    assert balanced_corners.allowed(1.0, 1.0, 0.1, 1e-15, 100.0) == pytest.approx(2.0, rel=1e-3)


def test_no_other_number_of_steps_has_a_smaller_bound_by_more_than_rounding() -> None:
    n, delta, vertices = 1e8, 1e-6, 2000.0
    aimed = balanced.steps(n, 1.0, delta, 8.0, 4.0, 1.0, vertices)
    noise = 4 * math.log(vertices) * math.sqrt(8 * math.log(1 / delta)) / n

    def bound(total: float) -> float:
        return 16 / total + noise * math.sqrt(total)

    assert bound(aimed) == pytest.approx(balanced.risk(n, 1.0, delta, 8.0, 4.0, 1.0, vertices, 0.0))
    assert min(bound(aimed * factor) for factor in (0.5, 0.9, 1.1, 2.0)) > bound(aimed)


def test_the_schedule_that_is_run_is_the_one_that_is_stated() -> None:
    n, p, delta = 1e7, 1000.0, 1e-9
    domain = TunedNeedle().domain({"n": n, "p": p})
    factor = (2 / (math.log(2 * p) ** 2 * math.log(1 / delta))) ** (1 / 3)
    schedule = NoisyFrankWolfe(steps_factor=factor).schedule(domain, Budget(0.5, delta, Neighbours.REPLACE_ONE))
    stated = balanced.steps(n, 0.5, delta, domain.curvature, domain.l1_lipschitz, domain.l1_radius, 2 * p)
    assert schedule.steps == math.ceil(stated)


def test_the_law_of_the_needle_has_the_power_1_3_of_the_logarithm_of_delta_and_the_printed_schedule_1_2() -> None:
    def power(law: Callable[[float, float, float, float], float]) -> float:
        return math.log(law(1e12, 1e3, 1.0, 1e-128) / law(1e12, 1e3, 1.0, 1e-16)) / math.log(8)

    assert power(balanced.needle_law) == pytest.approx(1 / 3, abs=1e-3)
    assert power(lasso.needle_law) == pytest.approx(1 / 2, abs=1e-3)


def test_a_walk_of_single_choices_finds_the_exact_loss_on_equal_records() -> None:
    """20,000 walks: a mean within 4.9 standard errors, which chance misses once in a million."""
    delta, vertices, gap, level, first, aimed = 1e-3, 10.0, 2.0, -0.2, 0.25, 11.4
    total, bits = math.ceil(aimed), math.log(1 / delta)
    budget = aimed**1.5 * 4 * math.log(vertices) * math.sqrt(bits) / (math.sqrt(2) * 8)
    scale = 4 * math.sqrt(8 * total * bits) / budget
    apart = min(1.0, level + gap * scale) - level
    rng, share = np.random.default_rng(5), np.full(20_000, first)
    for t in range(1, total):
        slope = 2 * (level + apart * share - 1.0) * apart  # the score of the one vertex less that of the others
        scores = slope + scale * -rng.gumbel(size=share.size)
        others = scale * (-rng.gumbel(size=share.size) - math.log(vertices - 1))
        share += 2 / (t + 2) * ((scores < others) - share)
    risks = (1 - level - apart * share) ** 2 - (1 - level - apart) ** 2
    start = (1 - level - apart * first) ** 2 - (1 - level - apart) ** 2
    bound = balanced.risk(budget, 1.0, delta, 8.0, 4.0, 1.0, vertices, start)
    exact = balanced_corners.squared(aimed, delta, vertices, gap, level, 1.0, first)
    assert abs(risks.mean() / bound - exact) <= 4.9 * risks.std() / math.sqrt(share.size) / bound


@pytest.mark.parametrize("delta", [0.2, 0.1, 1e-3, 1e-6, 1e-30])
def test_the_choices_are_private_for_every_epsilon_up_to_2(delta: float) -> None:
    """By the conversion of the proof, at its own order."""
    bits = math.log(1 / delta)
    for epsilon in np.linspace(0.01, 2, 40):
        rho = epsilon**2 / (4 * bits)
        order = (epsilon + rho) / (2 * rho)
        log_delta = (order - 1) * (order * rho - epsilon) - math.log(order - 1) + order * math.log1p(-1 / order)
        assert log_delta <= math.log(delta)
