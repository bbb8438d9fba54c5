"""The exact optimum of a game, between two certified limits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from dprepro.minimax.certificate import Lower, Upper, lower_limit, upper_limit
from dprepro.minimax.games import Game
from dprepro.minimax.programme import solve
from dprepro.minimax.reduced import Reduced, reduced


@dataclass(frozen=True, eq=False)
class Optimum:
    """What is certified.

    Attributes:
        game: without its symmetry.
        upper: a private mechanism; ``lower``: a dual solution.
        value: of the programme, in floating point.
    """

    game: Reduced
    upper: Upper
    lower: Lower
    value: float


@lru_cache(maxsize=8)
def optimum(game: Game, n: int, p: int, epsilon: float, delta: float) -> Optimum:
    """Solved and certified, under replacement of one of n records.

    Raises:
        PremiseError: too many data sets to list. ArithmeticError: no solution, or none that can be certified.
    """
    small = reduced(game.table(n, p))
    solved = solve(small, epsilon, delta)
    upper = upper_limit(small, solved, epsilon, delta)
    if upper is None:
        raise ArithmeticError("the table that was found is not private, and cannot be mended")
    return Optimum(small, upper, lower_limit(small, solved, epsilon, delta, game.cost()), solved.value)
