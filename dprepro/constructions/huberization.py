"""The data sets of Appendix A of Bassily, Smith and Thakurta (2014), against Huberising a loss that is not smooth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dprepro.constructions.base import Construction, Point
from dprepro.errors import InputError
from dprepro.problems import BallRisk, L2Ball, ball_constants
from dprepro.problems.constants import Constants

INTERVAL = L2Ball(1, 2.0)


@dataclass(frozen=True)
class HuberCounterexample(Construction):
    """n records (x, y) with loss (y - x theta)_+ over [-2, 2]: L = 1, C = 4. All counts are rounded to whole records.

    Attributes:
        data: ``d1``: n/3 of (1, 1), 2n/3 of (-1, -1). The risk has slopes -1/3 and 2/3 at its minimiser 1, and a
            Huberised one its minimiser at 1 - h/3. ``d1_as_printed``: n/3 of (-1, 1), 2n/3 of (1, -1), whose minimiser
            is -1, not 1 as the text says. ``d2``: n/2 + 1/(32h) of (1, 1), the others (-1, 1), at most n and at least
            none of them: slope -1/(16h) of the sum on [-1, 1], minimiser 1.
        smoothing: h, against which d2 is made.
    """

    data: Literal["d1", "d2", "d1_as_printed"] = "d1"
    smoothing: float = 0.01

    def __post_init__(self) -> None:
        if not self.smoothing > 0:
            raise InputError(f"smoothing must be positive, got smoothing={self.smoothing:g}")

    def constants(self, point: Point) -> Constants:
        """Those of the loss over [-2, 2], records with |x| <= 1."""
        return ball_constants("positive_part", point["n"], INTERVAL)

    def capabilities(self, point: Point) -> frozenset[str]:
        """The records, listed once each."""
        return frozenset({"records"})

    def build(self, point: Point, noise_scale: float) -> BallRisk:
        """The data set."""
        n = point["n"]
        if self.data == "d2":
            first, second = (1.0, 1.0), (-1.0, 1.0)
            count = min(n, round(n / 2 + 1 / (32 * self.smoothing)))
        else:
            sign = 1.0 if self.data == "d1" else -1.0
            first, second = (sign, 1.0), (-sign, -1.0)
            count = round(n / 3)
        records, counts = np.array([first, second]), np.array([count, n - count], dtype=np.float64)
        (x, y), counts = records[counts > 0].T, counts[counts > 0]
        minimiser = [-1.0 if self.data == "d1_as_printed" else 1.0]
        return BallRisk("positive_part", INTERVAL, x[:, None], counts, y, minimiser=minimiser)
