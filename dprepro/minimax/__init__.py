"""The exact optimum of small problems: every private mechanism is a table, the best one a linear programme."""

from dprepro.minimax.candidates import Selection, Sparse
from dprepro.minimax.certificate import Lower, Upper, lower_limit, private, upper_limit
from dprepro.minimax.games import Cube, Game, Linear, Squared
from dprepro.minimax.optimum import Optimum, optimum

__all__ = [
    "Cube",
    "Game",
    "Linear",
    "Lower",
    "Optimum",
    "Selection",
    "Sparse",
    "Squared",
    "Upper",
    "lower_limit",
    "optimum",
    "private",
    "upper_limit",
]
