"""Orthogonal +-1 columns by Paley's first construction, whose existence needs a prime and nothing else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def paley_order(least: float) -> int:
    """The smallest q + 1 >= ``least`` with a prime q = 3 mod 4: a Hadamard matrix of that order exists (Paley 1933)."""
    order = max(4, -4 * int(-least // 4))  # q + 1 is a multiple of 4
    while not _is_prime(order - 1):
        order += 4
    return order


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
    matrix = np.zeros((order, order))
    matrix[0, 1:], matrix[1:, 0] = 1.0, -1.0
    matrix[1:, 1:] = character[(i[:, None] - i[None, :]) % q]
    np.fill_diagonal(matrix, 1.0)
    return matrix[:, :columns]


def _is_prime(number: int) -> bool:
    if number < 4:
        return number > 1
    if number % 2 == 0:
        return False
    return all(number % divisor for divisor in range(3, int(number**0.5) + 1, 2))
