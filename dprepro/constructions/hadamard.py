"""Orthogonal +-1 columns by Paley's first construction, whose existence needs a prime and nothing else."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


def paley_order(least: float) -> int:
    """The smallest q + 1 >= ``least`` with a prime q = 3 mod 4: a Hadamard matrix of that order exists (Paley 1933)."""
    order = max(4, -4 * int(-least // 4))  # q + 1 is a multiple of 4
    while not _is_prime(order - 1):
        order += 4
    return order


@lru_cache(maxsize=256)
def dividing_order(number: int, least: int, most: int) -> int | None:
    """The smallest such order, from ``least`` to ``most``, that divides a number; None if there is none."""
    orders = range(max(4, -4 * (-least // 4)), min(number, most) + 1, 4)
    return next((order for order in orders if number % order == 0 and _is_prime(order - 1)), None)


def orthogonal_columns(order: int, columns: int) -> NDArray[np.float64]:
    """The first ``columns`` columns of a Hadamard matrix of a Paley order, shape (order, columns), entries +-1.

    H = I + [[0, 1], [-1, Q]] with Q_ij = chi(i - j), chi the quadratic character of the q = order - 1 elements. Q is
    skew for q = 3 mod 4, and Q Q^T = q I - J, so that H^T H = order * I.
    """
    q = order - 1
    character = np.full(q, -1.0)
    character[np.unique(np.arange(1, q, dtype=np.int64) ** 2 % q)] = 1.0
    character[0] = 0.0
    i = np.arange(q)
    matrix = np.zeros((order, columns))
    matrix[0, 1:], matrix[1:, 0] = 1.0, -1.0
    matrix[1:, 1:] = character[(i[:, None] - i[None, : columns - 1]) % q]
    np.fill_diagonal(matrix, 1.0)
    return matrix


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, math.isqrt(number) + 1))
