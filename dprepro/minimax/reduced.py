"""A game without its symmetry: one data set and one probability for each orbit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]


class Symmetry(NamedTuple):
    """A map of states, (g s)_j = sign_j s_(place_j), and of answers, a to image[a], that keeps risks and neighbours."""

    place: IntArray
    sign: IntArray
    image: IntArray


@dataclass(frozen=True, eq=False)
class GameStates:
    """All data sets of a game.

    Attributes:
        states: all data sets as integer vectors, shape (S, k).
        moves: neighbours are states that differ by one of them, shape (M, k); -m is a move with m.
        symmetries: a group of them.
        risk: excess risk of every answer in every state times ``denominator``, shape (S, A), whole numbers.
        denominator: of all risks.
    """

    states: IntArray
    moves: IntArray
    symmetries: Sequence[Symmetry]
    risk: IntArray
    denominator: int


@dataclass(frozen=True, eq=False)
class Reduced:
    """The same after averaging over the symmetries, which costs nothing.

    If M is private with worst risk t, then so is g -> M(g D, g a) for every symmetry, and so is their mean, which is
    constant on orbits of pairs (D, a): one probability each. What holds for one data set of an orbit holds for all.

    Attributes:
        states: one data set of each orbit, shape (D, k).
        variable: the number of the orbit of (data set, answer), shape (D, A).
        risk: as in `GameStates`, shape (D, A).
        owner, multiplicity: of each variable: its data set, and how many answers there have it, shape (V,).
        pairs: variables (o, o') with o private against o': x_o <= e^epsilon x_o' + ..., each once, shape (P, 2).
        rows: for each pair of neighbours the numbers of its pairs, answer by answer, each row once, shape (Q, A).
    """

    states: IntArray
    variable: IntArray
    risk: IntArray
    denominator: int
    owner: IntArray
    multiplicity: IntArray
    pairs: IntArray
    rows: IntArray

    @property
    def answers(self) -> int:
        """How many."""
        return int(self.variable.shape[1])

    @property
    def variables(self) -> int:
        """How many probabilities."""
        return len(self.owner)


def reduced(table: GameStates) -> Reduced:
    """Without symmetry. Orbits are told by their least member, states and answers being numbered."""
    answers, known_states = int(table.risk.shape[1]), len(table.states)
    # a state's number is found by a random linear code, which must be different for all of them
    mixer = np.asarray(np.random.default_rng(0).integers(2**63, size=table.states.shape[1], dtype=np.uint64))
    mixed = _coded(table.states, mixer)
    order = np.argsort(mixed)
    ranked = mixed[order]
    if (ranked[1:] == ranked[:-1]).any():
        raise ValueError("two states have one code")

    def numbers(states: IntArray) -> IntArray:
        """Of states that are in the table; any number for others."""
        place = np.searchsorted(ranked, _coded(states, mixer))
        return np.asarray(order[np.minimum(place, known_states - 1)])

    def least(states: IntArray) -> IntArray:
        """The number of the orbit of every pair of these states and the answers, shape (len(states), answers)."""
        best = np.full((len(states), answers), np.iinfo(np.int64).max)
        for place, sign, image in table.symmetries:
            moved = numbers(states[:, place] * sign)
            best = np.minimum(best, moved[:, None] * answers + image[None, :])
        return best

    smallest = np.arange(known_states)
    for place, sign, _ in table.symmetries:
        smallest = np.minimum(smallest, numbers(table.states[:, place] * sign))
    chosen = np.flatnonzero(smallest == np.arange(known_states))
    states, risk = table.states[chosen], table.risk[chosen]
    keys = least(states)
    known, variable = np.unique(keys, return_inverse=True)
    variable = variable.reshape(keys.shape)
    owner = np.zeros(len(known), dtype=np.int64)
    owner[variable] = np.arange(len(states))[:, None]
    multiplicity = np.bincount(variable.ravel(), minlength=len(known))

    beside = (states[:, None, :] + table.moves[None, :, :]).reshape(-1, states.shape[1])
    first = np.repeat(np.arange(len(states)), len(table.moves))
    found = numbers(beside)
    inside = (table.states[found] == beside).all(axis=1)
    first = first[inside]
    distinct, back = np.unique(found[inside], return_inverse=True)
    other = np.searchsorted(known, least(table.states[distinct]))[back]  # shape (neighbours, answers)
    pair_codes = variable[first] * len(known) + other
    unique, index = np.unique(pair_codes, return_inverse=True)
    pairs = np.stack([unique // len(known), unique % len(known)], axis=1)
    rows = np.unique(index.reshape(pair_codes.shape), axis=0)
    return Reduced(states, variable, risk, table.denominator, owner, multiplicity, pairs, rows)


def _coded(states: IntArray, mixer: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """sum_j s_j r_j modulo 2^64."""
    return np.asarray(states.astype(np.uint64) @ mixer)


def counts(total: int, kinds: int) -> IntArray:
    """All ways to have ``total`` records of so many kinds, shape (number, kinds)."""
    if kinds == 1:
        return np.array([[total]], dtype=np.int64)
    found = []
    for first in range(total + 1):
        rest = counts(total - first, kinds - 1)
        found.append(np.hstack([np.full((len(rest), 1), first), rest]))
    return np.concatenate(found)


def replacements(kinds: int) -> IntArray:
    """All moves of one record from one kind to another, shape (kinds (kinds - 1), kinds)."""
    unit = np.eye(kinds, dtype=np.int64)
    return np.array([unit[i] - unit[j] for i in range(kinds) for j in range(kinds) if i != j])
