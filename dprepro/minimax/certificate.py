"""Exact checks in whole numbers: a table is a private mechanism with that risk; nothing private has less than that.

Floating-point numbers are read as the rationals that they are. e^epsilon is replaced by a rational below it where a
mechanism has to be private, and by one above it where all private mechanisms are to be bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprepro.minimax.enclosure import exponential
from dprepro.minimax.programme import FloatArray, Solved
from dprepro.minimax.reduced import IntArray, Reduced

Whole = NDArray[Any]
"""Python's whole numbers, of any size."""

UNIT = 27720 * 2**48
"""Probabilities and prices are rounded to multiples of 1/UNIT; it can be parted into up to 12 equal wholes."""


@dataclass(frozen=True)
class Upper:
    """A private mechanism, in whole numbers over `UNIT`; all data sets of an orbit have the same.

    Attributes:
        table: of each variable.
        risk: the worst risk over data sets, exactly.
        mixed: how much of the uniform answer was mixed in until privacy held exactly.
    """

    table: Whole
    risk: Fraction
    mixed: Fraction


@dataclass(frozen=True)
class Lower:
    """No private mechanism has a smaller worst risk than ``risk``: a dual solution, in whole numbers over `UNIT`."""

    prior: Whole
    prices: Whole
    deltas: Whole
    risk: Fraction


def private(game: Reduced, table: Whole, epsilon: float, delta: float) -> bool:
    """Whether these whole numbers over `UNIT` are a mechanism that keeps to the budget, for certain.

    Every data set's probabilities must be at least 0 and add up to 1 exactly, and all neighbours must be told apart by
    no more than (epsilon, delta), with a rational below e^epsilon.
    """
    if (table < 0).any() or (table[game.variable].sum(axis=1) != UNIT).any():
        return False
    low, share = exponential(epsilon)[0], Fraction(delta)
    excess = table[game.pairs[:, 0]] * low.denominator - table[game.pairs[:, 1]] * low.numerator
    if delta == 0:
        return bool((excess <= 0).all())
    excess[excess < 0] = 0
    scaled_excess = excess[game.rows].sum(axis=1) * share.denominator
    return bool((scaled_excess <= share.numerator * UNIT * low.denominator).all())


def worst_risk(game: Reduced, table: Whole) -> Fraction:
    """The largest risk over data sets of a table of whole numbers over `UNIT`."""
    risks = (table[game.variable] * game.risk.astype(object)).sum(axis=1)
    return Fraction(int(max(risks)), UNIT * game.denominator)


def whole_table(game: Reduced, table: FloatArray, mixed: Fraction = Fraction(0)) -> Whole:
    """The nearest table that adds up, with that share of the uniform answer in it.

    What all answers of an orbit have together is rounded down to a multiple of all multiplicities, and what is missing
    to 1 goes to the largest probability of each data set, which so can take it.
    """
    keep, uniform = 1 - mixed, UNIT // game.answers
    counted = game.multiplicity.astype(object)
    step = _common(game) // counted
    found = whole(np.maximum(table, 0.0))
    found = found * UNIT // found[game.variable].sum(axis=1)[game.owner]
    found = found * keep.numerator // keep.denominator + uniform * mixed.numerator // mixed.denominator
    found = found // step * step
    missing = UNIT - found[game.variable].sum(axis=1)
    largest = game.variable[np.arange(len(missing)), np.argmax(found[game.variable].astype(float), axis=1)]
    found[largest] += missing // counted[largest]
    return np.asarray(found)


def upper_limit(game: Reduced, solved: Solved, epsilon: float, delta: float) -> Upper | None:
    """The solver's table, mended until it is private for certain; None where that cannot be.

    A share of the uniform answer, which tells nothing, makes room of share (e^epsilon - 1)/answers in each constraint.
    """
    for exponent in range(-1, 9):
        mixed = Fraction(0) if exponent < 0 else Fraction(1, 10 ** (13 - exponent))
        table = whole_table(game, solved.table, mixed)
        if private(game, table, epsilon, delta):
            return Upper(table, worst_risk(game, table), mixed)
    return None


def lower_limit(game: Reduced, solved: Solved, epsilon: float, delta: float, lost: Fraction = Fraction(0)) -> Lower:
    """What the solver's dual solution proves, whatever its errors.

    For every private table x, weights pi of data sets that add up to 1, and prices lambda >= 0 of the pairs,

        worst risk >= sum_D pi_D sum_a x(D, a) risk(D, a)
                   >= sum_o x_o (m_o pi_D risk_o + sum_o' lambda_oo' - e^epsilon sum_o' lambda_o'o) - delta sum_q mu_q,

    m_o being the number of answers of D in the orbit o, if every lambda_oo' is at most the mu of all rows that have the
    pair. D's probabilities add up to 1, so the sum over its orbits is at least the least bracket over m_o. A larger
    number in the place of e^epsilon keeps this true. `lost` is subtracted: what a grid of answers may cost.
    """
    prior, prices, deltas = whole(solved.prior), whole(solved.prices), whole(solved.deltas)
    if delta > 0:
        room = _count(game.rows, deltas, len(game.pairs))
        prices = np.minimum(prices, room)
    else:
        deltas = np.zeros(0, dtype=object)
    risk = dual_risk(game, prior, prices, deltas, epsilon, delta) - lost
    return Lower(prior, prices, deltas, risk)


def dual_risk(game: Reduced, prior: Whole, prices: Whole, deltas: Whole, epsilon: float, delta: float) -> Fraction:
    """The lower limit that these weights and prices prove (see `lower_limit`), exactly.

    Raises:
        ValueError: a negative number, weights that are all 0, or a price above the mu of its rows.
    """
    for name, values in (("prior", prior), ("prices", prices), ("deltas", deltas)):
        if len(values) and min(values) < 0:
            raise ValueError(f"{name} must be at least 0")
    if sum(prior) == 0:
        raise ValueError("the weights of the data sets are all 0")
    if delta > 0 and (prices > _count(game.rows, deltas, len(game.pairs))).any():
        raise ValueError("a price exceeds the mu of its rows")
    high, share, size = exponential(epsilon)[1], Fraction(delta), game.variables
    out, into = (np.zeros(size, dtype=object) for _ in range(2))
    np.add.at(out, game.pairs[:, 0], prices)
    np.add.at(into, game.pairs[:, 1], prices)
    common = _common(game)
    risk = np.zeros(size, dtype=object)
    risk[game.variable.ravel()] = game.risk.ravel().astype(object)
    per = common // game.multiplicity.astype(object)
    least = prior[game.owner] * risk * high.denominator * common
    least = least + (out * high.denominator - into * high.numerator) * game.denominator * per
    best: dict[int, Any] = {}
    for owner, value in zip(game.owner.tolist(), least.tolist(), strict=True):
        best[owner] = min(best.get(owner, value), value)
    total = Fraction(sum(best.values()), high.denominator * common * game.denominator)
    return (total - share * int(sum(deltas))) / int(sum(prior))


def whole(values: FloatArray) -> Whole:
    """Rounded to multiples of 1/UNIT."""
    return np.array([round(Fraction(value) * UNIT) for value in values.tolist()], dtype=object)


def _common(game: Reduced) -> int:
    """The least common multiple of all multiplicities."""
    return lcm(*set(game.multiplicity.tolist()))


def _count(rows: IntArray, deltas: Whole, pairs: int) -> Whole:
    """For each pair, the sum of the mu of all places in rows that have it."""
    found = np.zeros(pairs, dtype=object)
    if rows.size and len(deltas):
        np.add.at(found, rows.ravel(), np.repeat(deltas, rows.shape[1]))
    return found
