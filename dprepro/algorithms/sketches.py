"""Data-oblivious Johnson-Lindenstrauss maps, with E Phi^T Phi = I, as the columns that a problem needs."""

from __future__ import annotations

from typing import Literal

import numpy as np

from dprepro.problems.problem_data import FloatArray

Transform = Literal["gaussian", "rademacher", "srht", "countsketch"]


def columns(transform: Transform, k: int, p: int, touched: int, rng: np.random.Generator) -> FloatArray:
    """The first ``touched`` columns of a random k x p map, shape (k, touched).

    ``gaussian`` and ``rademacher`` have independent entries of variance 1/k; ``srht`` is sqrt(P/k) times k rows
    (distinct) of the orthonormal Hadamard matrix of size P (p rounded up to a power of two, at least k) after random
    signs; ``countsketch`` has one random sign in a random row of each column.
    """
    if transform == "gaussian":
        return np.asarray(rng.standard_normal((k, touched)) / np.sqrt(k), dtype=np.float64)
    if transform == "rademacher":
        return np.asarray(rng.choice([-1.0, 1.0], (k, touched)) / np.sqrt(k), dtype=np.float64)
    signs = rng.choice([-1.0, 1.0], touched)
    if transform == "countsketch":
        result = np.zeros((k, touched))
        result[rng.integers(k, size=touched), np.arange(touched)] = signs
        return result
    size = 1 << (max(p, k) - 1).bit_length()
    rows = rng.choice(size, k, replace=False)
    parity = np.bitwise_count(rows[:, None] & np.arange(touched)[None, :]) % 2
    return np.asarray((1.0 - 2.0 * parity) * signs / np.sqrt(k), dtype=np.float64)
