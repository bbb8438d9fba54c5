"""What both proofs of Lemma 5.1 share: n* records hold the secret, the others cancel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dprepro.constructions.ball import UnitBall
from dprepro.constructions.base import Point, recorded
from dprepro.constructions.challenge import Attackable
from dprepro.errors import PremiseError
from dprepro.problems import Domain, Problem, Records, RecordsView
from dprepro.problems.problem_data import FloatArray
from dprepro.support.last_result import cache_last


@dataclass(frozen=True)
class PaddedFamily(UnitBall, Attackable):
    """Records of norm 1 over the unit ball: n* of them hold a secret, and c and -c are the others."""

    loss: Literal["linear", "half_squared_distance"] = "linear"
    share: float = math.inf

    def __post_init__(self) -> None:
        self._demand("share", self.share > 0, "positive (inf: all records)")

    def representations(self, point: Point) -> frozenset[str]:
        return recorded(self.domain(point), self.secrets(point) + 2, "axis")

    def secrets(self, point: Point) -> float:
        """How many distinct records hold the secret, at most."""
        return 1

    def problem(self, point: Point, records: Records) -> Problem:
        """The data set of these records; the mean of them is all that the risk sees."""
        view = RecordsView(_domain(self, dict(point)), records)
        return Problem(view.domain, {"records": view, "moments": view.to_moments})

    def secret_rows(self, size: float, point: Point) -> int:
        """n* = share size/epsilon rounded down, at most n; raises PremiseError where nothing is left."""
        n, epsilon = point["n"], point["epsilon"]
        if math.isinf(self.share):
            return int(n)
        wanted = math.floor(self.share * size / epsilon * (1 + 1e-12))
        if wanted < 1:
            raise PremiseError(f"n* = {self.share:g} * {size:g}/epsilon is below 1 at epsilon={epsilon:g}")
        return int(min(n, wanted))


@cache_last
def _domain(family: PaddedFamily, point: Point) -> Domain:
    return family.domain(point)


def padded(secret: FloatArray, copies: int, n: float, rng: np.random.Generator) -> Records:
    """``copies`` secret records in all, then c and -c for half of the rest each.

    c is a random point of {-1, 1}^p / sqrt p and takes the odd record. ``secret`` has one row, or ``copies`` of them.
    """
    p = secret.shape[1]
    c = (2.0 * rng.integers(0, 2, p) - 1.0) / math.sqrt(p)
    rest = n - copies
    counts = np.array([copies / len(secret)] * len(secret) + [math.ceil(rest / 2), math.floor(rest / 2)])
    return Records(np.concatenate([secret, [c, -c]])[counts > 0], counts=counts[counts > 0])
