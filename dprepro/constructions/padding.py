"""What both proofs of Lemma 5.1 share: n* records hold the secret, the others cancel."""

from __future__ import annotations

import math

import numpy as np

from dprepro.constructions.base import Point
from dprepro.errors import InputError, PremiseError
from dprepro.problems.data import FloatArray


def check_share(share: float) -> None:
    """Raise InputError unless ``share`` is positive (infinite: all records hold the secret)."""
    if not share > 0:
        raise InputError(f"share must be positive (inf: all records), got share={share:g}")


def secret_rows(share: float, size: float, point: Point) -> int:
    """n* = share size/epsilon rounded down, at most n; raises PremiseError where nothing is left."""
    n, epsilon = point["n"], point["epsilon"]
    if math.isinf(share):
        return int(n)
    wanted = math.floor(share * size / epsilon * (1 + 1e-12))
    if wanted < 1:
        raise PremiseError(f"n* = {share:g} * {size:g}/epsilon is below 1 at epsilon={epsilon:g}")
    return int(min(n, wanted))


def padded(secret: FloatArray, copies: int, n: float, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Distinct records and their counts: ``copies`` secret ones in all, then c and -c for half of the rest each.

    c is a random point of {-1, 1}^p / sqrt p and takes the odd record. ``secret`` has one row, or ``copies`` of them.
    """
    p = secret.shape[1]
    c = (2.0 * rng.integers(0, 2, p) - 1.0) / math.sqrt(p)
    rest = n - copies
    counts = np.array([copies / len(secret)] * len(secret) + [math.ceil(rest / 2), math.floor(rest / 2)])
    records = np.concatenate([secret, [c, -c]])
    return records[counts > 0], counts[counts > 0]
