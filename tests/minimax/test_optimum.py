"""The exact optimum of small games: against closed forms, plain programmes over ordered data sets, and falsehoods."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from dprepro.bounds import minimax as levels
from dprepro.errors import InputError, PremiseError
from dprepro.minimax import Cube, Game, Linear, Selection, Sparse, Squared, optimum, private
from dprepro.minimax.certificate import UNIT, dual_risk, worst_risk
from dprepro.minimax.enclosure import exponential
from dprepro.minimax.reduced import reduced

TINY: list[tuple[Game, int, int]] = [
    (Linear(), 3, 1), (Squared(4), 3, 1), (Cube(), 2, 2), (Selection(), 2, 3), (Sparse(), 3, 3)
]  # fmt: skip


def plain_value(game: Game, n: int, p: int, epsilon: float, delta: float) -> float:
    """The programme over all ordered data sets and answers, with neither counts nor symmetry."""
    table = game.table(n, p)
    kinds = table.states.shape[1]
    known = {
        tuple(state): row for state, row in zip(table.states.tolist(), table.risk / table.denominator, strict=True)
    }
    data = list(itertools.product(range(kinds), repeat=n))
    risk = np.array([known[tuple(np.bincount(one, minlength=kinds))] for one in data])
    size, answers = risk.shape
    pairs = [(i, j) for i in range(size) for j in range(size)
             if sum(a != b for a, b in zip(data[i], data[j], strict=True)) == 1]  # fmt: skip
    slack = len(pairs) * answers if delta else 0
    width = size * answers + slack + 1
    rows, limits = [], []
    for i in range(size):
        row = np.zeros(width)
        row[i * answers : (i + 1) * answers], row[-1] = risk[i], -1
        rows.append(row)
        limits.append(0.0)
    for k, (i, j) in enumerate(pairs):
        total = np.zeros(width)
        for a in range(answers):
            row = np.zeros(width)
            row[i * answers + a], row[j * answers + a] = 1, -math.exp(epsilon)
            if delta:
                row[size * answers + k * answers + a] = -1
                total[size * answers + k * answers + a] = 1
            rows.append(row)
            limits.append(0.0)
        if delta:
            rows.append(total)
            limits.append(delta)
    sums = np.zeros((size, width))
    for i in range(size):
        sums[i, i * answers : (i + 1) * answers] = 1
    cost = np.zeros(width)
    cost[-1] = 1
    found = linprog(cost, np.array(rows), np.array(limits), sums, np.ones(size), bounds=(0, None), method="highs")
    return float(found.fun)


@pytest.mark.parametrize("epsilon", [0.0, 1e-3, 0.1, 0.5, 1.0, 2.5, 7.0])
def test_a_rational_lies_on_either_side_of_the_exponential(epsilon: float) -> None:
    low, high = exponential(epsilon)
    with localcontext() as context:
        context.prec = 60
        true = Fraction(Decimal(epsilon).exp())
    assert low - Fraction(1, 10**50) <= true <= high + Fraction(1, 10**50)
    assert high - low <= Fraction(1, 2**85) * max(low, 1)


@pytest.mark.parametrize("delta", [0.0, 0.02])
@pytest.mark.parametrize(("game", "n", "p"), TINY, ids=lambda name: str(name))
def test_counts_and_symmetry_lose_nothing(game: Game, n: int, p: int, delta: float) -> None:
    if delta and n ** (2 * p) > 60 and not isinstance(game, Linear):
        pytest.skip("too many pairs of ordered data sets")
    assert optimum(game, n, p, 0.6, delta).value == pytest.approx(plain_value(game, n, p, 0.6, delta), abs=1e-7)


@pytest.mark.parametrize("delta", [0.0, 1e-3, 0.05])
@pytest.mark.parametrize(("n", "epsilon"), [(1, 0.5), (2, 1.0), (7, 0.3), (12, 0.3), (20, 1.5)])
def test_the_optimum_of_linear_losses_has_its_closed_form(n: int, epsilon: float, delta: float) -> None:
    found = optimum(Linear(), n, 1, epsilon, delta)
    known = levels.linear_optimum(n, epsilon, delta)
    assert float(found.lower.risk) == pytest.approx(known, abs=1e-9)
    assert float(found.upper.risk) == pytest.approx(known, abs=1e-9)
    assert found.lower.risk <= found.upper.risk


@pytest.mark.parametrize(("game", "n", "p"), [*TINY, (Cube(), 3, 3), (Selection(), 2, 4), (Sparse(), 6, 4)])
@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_both_limits_are_certified_and_close(game: Game, n: int, p: int, delta: float) -> None:
    found = optimum(game, n, p, 0.5, delta)
    assert private(found.game, found.upper.table, 0.5, delta)
    assert found.upper.risk == worst_risk(found.game, found.upper.table)
    gap = found.upper.risk - found.lower.risk - game.cost()
    assert 0 <= gap < Fraction(1, 10**9)


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_a_table_that_breaks_privacy_is_rejected(delta: float) -> None:
    found = optimum(Sparse(), 4, 3, 0.5, delta)
    assert not private(found.game, found.upper.table, 0.4999, delta)
    violating = optimum(Sparse(), 4, 3, 0.5005, delta)
    assert not private(violating.game, violating.upper.table, 0.5, delta)


def test_a_table_that_is_no_mechanism_is_rejected() -> None:
    found = optimum(Cube(), 2, 2, 0.5, 0.0)
    table = found.upper.table.copy()
    table[0] += 1
    assert not private(found.game, table, 5.0, 0.0)
    first, second = (found.game.variable[0, k] for k in (0, 3))
    table = found.upper.table.copy()
    table[first], table[second] = table[first] + 2 * UNIT, table[second] - 2 * UNIT
    assert not private(found.game, table, 50.0, 0.0)


def test_no_weights_and_prices_prove_more_than_the_optimum() -> None:
    found = optimum(Sparse(), 4, 3, 0.5, 0.0)
    rng = np.random.default_rng(5)
    for _ in range(50):
        prior, prices = (np.array([int(v) for v in rng.integers(0, 1000, size)], dtype=object)
                         for size in (len(found.game.states), len(found.game.pairs)))  # fmt: skip
        assert dual_risk(found.game, prior + 1, prices, np.zeros(0, dtype=object), 0.5, 0.0) <= found.upper.risk
    with pytest.raises(ValueError, match="at least 0"):
        dual_risk(found.game, found.lower.prior, -found.lower.prices - 1, found.lower.deltas, 0.5, 0.0)


def test_a_price_above_its_row_is_refused() -> None:
    found = optimum(Sparse(), 4, 3, 0.5, 0.01)
    with pytest.raises(ValueError, match="exceeds the mu"):
        dual_risk(found.game, found.lower.prior, found.lower.prices + UNIT, found.lower.deltas, 0.5, 0.01)


def test_a_finer_grid_gains_no_more_than_it_may() -> None:
    coarse, fine = (optimum(Squared(half), 5, 1, 0.7, 0.0) for half in (5, 40))
    assert coarse.upper.risk - Squared(5).cost() <= fine.upper.risk <= coarse.upper.risk + Fraction(1, 10**9)
    geometric = levels.squared_geometric(5, 0.7)
    assert float(fine.lower.risk) <= geometric <= float(fine.upper.risk) + 1e-12


def test_two_candidates_are_a_linear_loss_of_half_the_size() -> None:
    for game in (Selection(), Sparse()):
        found = optimum(game, 6, 2, 0.5, 1e-3)
        assert float(found.lower.risk) == pytest.approx(levels.linear_optimum(6, 0.5, 1e-3) / 2, abs=1e-9)


def test_a_record_that_says_nothing_makes_an_odd_number_harder() -> None:
    corners, every = (optimum(game, 5, 2, 2.2, 0.0) for game in (Sparse(), Selection()))
    assert every.lower.risk > corners.upper.risk * Fraction(11, 10)


def test_the_sum_of_the_records_is_not_all_that_helps() -> None:
    every, sums = (optimum(game, 2, 2, 0.5, 0.0) for game in (Cube(), Cube(sums=True)))
    assert sums.lower.risk > every.upper.risk * Fraction(21, 20)


def test_randomised_response_is_the_best_choice_where_the_data_say_little() -> None:
    found = optimum(Selection(), 4, 3, 0.1, 0.0)
    assert levels.selection_packing(4, 3, 0.1, 0.0) == pytest.approx(float(found.lower.risk), abs=1e-9)


def test_symmetries_keep_risks() -> None:
    for game, n, p in [*TINY, (Cube(sums=True), 3, 2)]:
        table = game.table(n, p)
        number = {tuple(state): k for k, state in enumerate(table.states.tolist())}
        for place, sign, image in table.symmetries:
            moved = [number[tuple(row)] for row in (table.states[:, place] * sign).tolist()]
            assert (table.risk[moved][:, image] == table.risk).all()
        small = reduced(table)
        assert {tuple(pair) for pair in small.pairs.tolist()} == {tuple(pair[::-1]) for pair in small.pairs.tolist()}


def test_the_project_has_the_same_risks() -> None:
    for game, n, p in TINY:
        table = game.table(n, p)
        for state, risks in zip(table.states, table.risk / table.denominator, strict=True):
            problem = game.problem(n, p, state)
            least = game.unit(p) * problem.excess_risk(problem.minimum.theta)
            assert least == pytest.approx(0.0, abs=1e-9)
            assert risks.min() >= 0
    problem = Cube().problem(2, 2, np.array([2, 0, 0, 0]))
    assert 2 * problem.excess_risk(-np.ones(2) / math.sqrt(2)) == pytest.approx(4.0)


def test_what_cannot_be_listed_is_told() -> None:
    with pytest.raises(PremiseError, match="more than"):
        Cube().table(12, 4)
    with pytest.raises(InputError, match="one-dimensional"):
        Linear().table(4, 2)
    with pytest.raises(InputError, match="at least 2 candidates"):
        Selection().table(4, 1)
