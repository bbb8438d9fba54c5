"""What T steps of private Frank-Wolfe cost on blocks and needles, beside what `schedule_game` says at least."""

from __future__ import annotations

import math

import numpy as np

from dprepro.bounds import lasso
from dprepro.bounds.lasso_lemmas import Vector
from dprepro.bounds.schedule_game import squares


def needle_exact(p: float, noise_scale: float, steps: float) -> float:
    """The mean excess risk on the needle of `schedule_game.needle`, by the law of theta_1.

    theta_1 is a whole number over T (T + 1)/2, of which the law is carried along: e_1, -e_1 or another vertex in each
    step.
    """
    total, value = int(steps), lasso._lambert((2 * p - 2) / math.e)
    gap = noise_scale * (1 + value)
    entry = min(0.5, gap / (1 + math.sqrt(1 + 2 * gap)))
    room = total * (total + 1) // 2
    law = np.zeros(2 * room + 1)
    law[room] = 1.0
    for t in range(1, total):
        reached = np.flatnonzero(law)
        pull = 2 * entry * (1 - entry * 2 * (reached - room) / (t * (t + 1))) / noise_scale
        top = np.maximum(pull, 0.0)
        ahead, back, aside = np.exp(pull - top), np.exp(-pull - top), (2 * p - 2) * np.exp(-top)
        every = ahead + back + aside
        mass = law[reached]
        law = np.zeros(2 * room + 1)
        np.add.at(law, reached, mass * aside / every)
        np.add.at(law, reached + t + 1, mass * ahead / every)
        np.add.at(law, reached - t - 1, mass * back / every)
    places = (np.arange(2 * room + 1) - room) / room
    return float(law @ ((1 - entry * places) ** 2 - (1 - entry) ** 2))


def block_by_pairs(n: float, p: float, steps: float, pairs: float, crowd: float) -> float:
    """The excess risk on the block of `schedule_game.block` of a bad choice, no less than what is stated if that holds.

    The share ``pairs`` of the choices, from the heaviest on, cancel in pairs on heads of their own; the others lie on
    the share ``crowd`` of the heads in turn. k and s are whole: copies of a code of 2^j rows.
    """
    total, share = int(steps), (steps + 1) / (steps + 13)
    heads = max(1, math.floor(min(p, math.sqrt(share * n / (2 * squares(steps))))))
    rows = 2 ** math.ceil(math.log2(heads))
    copied = math.floor(share * n / rows) * rows / n
    weights = 2 * np.arange(total, 1, -1, dtype=np.float64) / (total * (total + 1))
    paired = min(2 * heads, 2 * int(pairs * len(weights) / 2))
    alone = weights[paired:]
    theta = _spread(weights[0:paired:2] - weights[1:paired:2], heads, heads)
    theta += _spread(alone, heads, max(1, round(crowd * heads)))
    lost = (1 - copied) * ((float(theta.sum()) / 2 - 1) ** 2 - 0.25)
    return float(lost + copied * float(((theta - 1 / heads) ** 2).sum()))


def _spread(weights: Vector, heads: int, some: int) -> Vector:
    """Weights laid on the last ``some`` of the heads in turn, shape (heads,)."""
    theta = np.zeros(heads)
    np.add.at(theta, heads - 1 - np.arange(len(weights)) % some, weights)
    return theta
