"""The linear programme of the best private mechanism, solved in floating point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dprepro.minimax.reduced import Reduced

if TYPE_CHECKING:
    from dprepro.minimax.reduced import IntArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solved:
    """A nearly optimal pair of solutions; nothing rests on it until it is certified.

    Attributes:
        value: of the programme.
        table: x, the probability of each variable, shape (V,).
        prior: pi >= 0, the weight of each data set, shape (D,).
        prices: lambda >= 0 of each pair, shape (P,).
        deltas: mu >= 0 of each row of pairs, shape (Q,); empty under pure privacy.
    """

    value: float
    table: FloatArray
    prior: FloatArray
    prices: FloatArray
    deltas: FloatArray


def solve(game: Reduced, epsilon: float, delta: float) -> Solved:
    """min t over tables x: sum_a x(D, a) = 1, sum_a x(D, a) risk(D, a) <= t, and privacy.

    Pure: x_o <= e^epsilon x_o' for every pair. Otherwise x_o - e^epsilon x_o' <= y_oo', y >= 0, and the y of two
    neighbours add up to delta or less, which says sum_a (M(D, a) - e^epsilon M(D', a))_+ <= delta.

    Raises:
        ArithmeticError: the solver finds no optimum.
    """
    from scipy import optimize
    from scipy.sparse import coo_matrix

    linprog: Any = optimize.linprog
    sets, answers = game.variable.shape
    size, pairs = game.variables, len(game.pairs)
    slack = pairs if delta > 0 else 0
    t = size + slack
    place = np.repeat(np.arange(sets), answers)
    risk = game.risk.ravel() / game.denominator
    each = np.arange(pairs)
    entries = [
        (risk, place, game.variable.ravel()),
        (np.full(sets, -1.0), np.arange(sets), np.full(sets, t)),
        (np.ones(pairs), sets + each, game.pairs[:, 0]),
        (np.full(pairs, -math.exp(epsilon)), sets + each, game.pairs[:, 1]),
    ]
    limits = [np.zeros(sets + pairs)]
    height = sets + pairs
    if slack:
        entries.append((np.full(pairs, -1.0), sets + each, size + each))
        entries.append(
            (np.ones(game.rows.size), height + np.repeat(np.arange(len(game.rows)), answers), size + game.rows.ravel())
        )
        limits.append(np.full(len(game.rows), delta))
        height += len(game.rows)
    values, rows, columns = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    matrix = coo_matrix((values, (rows, columns)), shape=(height, t + 1)).tocsr()
    sums = coo_matrix((np.ones(place.size), (place, game.variable.ravel())), shape=(sets, t + 1)).tocsr()
    cost = np.zeros(t + 1)
    cost[t] = 1.0
    found = linprog(
        cost, A_ub=matrix, b_ub=np.concatenate(limits), A_eq=sums, b_eq=np.ones(sets), bounds=(0, None),
        method="highs-ipm", options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    if found.status != 0:
        raise ArithmeticError(f"the linear programme was not solved: {found.message}")
    dual = np.maximum(0.0, -found.ineqlin.marginals)
    return Solved(float(found.fun), found.x[:size], dual[:sets], dual[sets : sets + pairs], dual[sets + pairs :])


def mirrored(pairs: IntArray) -> bool:
    """Whether with every pair the opposite one is there: neighbours are."""
    seen = {tuple(pair) for pair in pairs.tolist()}
    return all((second, first) in seen for first, second in seen)
