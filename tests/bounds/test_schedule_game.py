"""What a number of steps of private Frank-Wolfe costs at least, and which number is best."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.linalg import hadamard

from dprepro.bounds import lasso, schedule_corners, schedule_game

RNG = np.random.default_rng(7)


def weights(steps: int) -> np.ndarray:
    """w_t by the recursion of the algorithm itself."""
    found = np.zeros(steps - 1)
    for t in range(1, steps):
        found *= 1 - 2 / (t + 2)
        found[t - 1] = 2 / (t + 2)
    return found


@pytest.mark.parametrize("steps", [2, 3, 10, 200])
def test_the_squared_weights_of_the_choices_sum_to_what_is_stated(steps: int) -> None:
    assert float((weights(steps) ** 2).sum()) == pytest.approx(schedule_game.squares(steps))
    assert weights(steps).max() == pytest.approx(2 / (steps + 1))


@pytest.mark.parametrize("steps", [2, 3, 5, 8, 12, 30])
def test_no_choice_of_vertices_costs_less_on_a_block_than_is_stated(steps: int) -> None:
    """A block of 32 rows and 20 heads among 24 coordinates, written out; choices at random, and ones that cancel."""
    rows, heads, p, n = 32, 20, 24, 32 * 40
    copies = math.floor((steps + 1) / (steps + 13) * n / rows)
    features = np.zeros((n, p))
    features[: copies * rows, :heads] = np.tile(hadamard(rows)[:, :heads], (copies, 1))
    features[copies * rows :, :heads] = 0.5
    best = np.repeat([1 / heads, 0.0], [heads, p - heads])
    labels = np.where(np.arange(n) < copies * rows, features @ best, 1.0)
    assert np.abs(labels).max() <= 1
    parts, least = weights(steps), float(((features @ best - labels) ** 2).mean())
    stated = copies * rows / n * max(0.0, schedule_game.squares(steps) - 1 / heads)
    for greed in np.repeat([0.0, 0.5, 0.9, 1.0], 40):
        theta = np.zeros(p)
        for part in parts[::-1]:  # the heaviest first: where it brings theta closest to the minimiser
            every = np.concatenate([theta + part * np.eye(p), theta - part * np.eye(p)])
            near = int(np.argmin(((every - best) ** 2).sum(axis=1)))
            theta = every[near if RNG.random() < greed else RNG.integers(2 * p)]
        assert float(((features @ theta - labels) ** 2).mean()) - least >= stated - 1e-12


@pytest.mark.parametrize(("p", "scale", "steps"), [(2, 0.3, 6), (50, 0.05, 12)])
def test_the_needle_costs_what_its_law_says_and_no_less_than_is_stated(p: int, scale: float, steps: int) -> None:
    """The algorithm as printed on the record (a e_1, 1), 4,000 runs; off by 4 standard errors once in 16,000."""
    value = lasso._lambert((2 * p - 2) / math.e)
    gap = scale * (1 + value)
    entry = min(0.5, gap / (1 + math.sqrt(1 + 2 * gap)))
    runs, first = 4000, np.zeros(4000)
    for t in range(1, steps):
        scores = np.zeros((runs, 2 * p))
        scores[:, 0] = -2 * entry * (1 - entry * first)
        scores[:, p] = -scores[:, 0]
        chosen = np.argmin(scores - scale * RNG.gumbel(size=scores.shape), axis=1)
        moved = np.where(chosen == 0, 1.0, np.where(chosen == p, -1.0, 0.0))
        first += 2 / (t + 2) * (moved - first)
    risks = (1 - entry * first) ** 2 - (1 - entry) ** 2
    exact = schedule_corners.needle_exact(p, scale, steps)
    assert abs(risks.mean() - exact) < 4 * risks.std() / math.sqrt(runs)
    assert schedule_game.needle(p, scale) <= exact


@pytest.mark.parametrize("x", [5000.0, 5100.0, 1e5, 1e12])
@pytest.mark.parametrize("logarithm", [0.01, 14.0, 600.0])
def test_the_best_number_of_steps_is_between_the_ends_that_are_stated(x: float, logarithm: float) -> None:
    for p, n in ((x / 5, 4 * x), (x / 5, 1e9 * x), (1e3 * x, 4 * x)):
        value = lasso._lambert((2 * p - 1) / math.e)
        epsilon = x**1.5 * value * math.sqrt(logarithm) / (math.sqrt(8) * n)
        point = (n, p, epsilon, math.exp(-logarithm))
        assert schedule_game.balanced(*point) == pytest.approx(x)
        assert schedule_game.stated_fewest(*point) < schedule_game.fewest(*point)
        assert schedule_game.largest(*point) < schedule_game.stated_largest(*point)
        cost = schedule_game.least_cost(*point)
        below = [2, 3, 5, 10, 13, 20, 50, *np.geomspace(100, x / 50, 8)]
        assert all(schedule_game.known(*point, steps) > cost for steps in below if steps <= x / 50)
        assert all(schedule_game.known(*point, factor * x) > cost for factor in (2.5, 3, 10, 1e3, 1e6))


def test_rounding_the_balanced_number_up_costs_nothing() -> None:
    for n in np.geomspace(1e5, 1e9, 41):
        x = schedule_game.balanced(n, 1e4, 1.0, 1e-6)
        assert schedule_game.least_cost(n, 1e4, 1.0, 1e-6) <= 48 / x + 2 / x**2


def test_no_choice_of_best_numbers_has_a_slope_beyond_the_widest() -> None:
    point = {"p": 1e15, "epsilon": 1.0, "delta": 1e-6}
    sizes = 1e8 * 10.0 ** np.arange(7)
    low, high = (
        np.log([function(n=float(n), **point) for n in sizes])
        for function in (schedule_game.fewest, schedule_game.largest)
    )
    widest = schedule_game.widest_slope(n=1e8, decades=6, **point)
    ends = itertools.product([False, True], repeat=len(sizes))
    slopes = [np.polyfit(np.log(sizes), np.where(at_the_top, high, low), 1)[0] for at_the_top in ends]
    assert np.abs(np.array(slopes) - 2 / 3).max() == pytest.approx(widest)
