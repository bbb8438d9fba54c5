"""Ordinary designs, what a user meets, and the flat optimum on which Frank-Wolfe needs 1/T."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dprepro.constructions.base import Construction, Point, unit_lasso_constants
from dprepro.errors import InputError, PremiseError
from dprepro.problems import L1Ball, LeastSquares, Minimum, Moments
from dprepro.problems.constants import Constants

Kind = Literal["iid", "correlated", "planted", "noise"]


@dataclass(frozen=True)
class RandomDesign(Construction):
    """``rows`` random records, repeated in turn until there are n; the same base data at every n.

    ``kind`` is ``iid`` (signs, labels from a dense parameter outside the ball), ``correlated`` (Gaussian AR(1) with
    correlation 0.9 along the coordinates, clipped to [-1, 1], labels as before), ``planted`` (signs, ten coordinates
    of weight 1/10 plus noise of standard deviation 0.1) or ``noise`` (signs, labels independent signs).
    """

    kind: Kind = "iid"
    rows: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.rows < 2:
            raise InputError(f"rows must be at least 2, got rows={self.rows}")

    def constants(self, point: Point) -> Constants:
        """Those of the unit LASSO."""
        return unit_lasso_constants(point["n"], point["p"])

    def capabilities(self, point: Point) -> frozenset[str]:
        """Moments: n may be far larger than what is stored."""
        return frozenset({"moments"})

    def build(self, point: Point, noise_scale: float) -> LeastSquares:
        """The data set; raises PremiseError when n is not a multiple of ``rows``."""
        n, p = int(point["n"]), int(point["p"])
        if n % self.rows:
            raise PremiseError(f"n={n} is not a multiple of the {self.rows} rows that are repeated")
        return _random_design(self.kind, self.rows, p, self.seed, n)


@dataclass(frozen=True)
class FlatOptimum(Construction):
    """A minimiser near (1/p, ..., 1/p): what Frank-Wolfe can only approach coordinate by coordinate.

    A ``share`` of the records is ((1, ..., 1), 1), the others are rows of orthogonal +-1 columns with label 0, so

        L(theta) = share (sum_j theta_j - 1)^2 + (1 - share) ||theta||_2^2.

    A theta of sum s with t non-zero coordinates has ||theta||^2 >= s^2/t, and T - 1 steps from zero touch fewer than T,
    so the risk is of order (1 - share)/T while T is far below p. Zero is a bad answer here (risk near ``share``), which
    it is not for an optimum that is flat alone: the origin of the l1 ball is then close to it. The orthogonal block
    exists for (1 - share) n a multiple of a Hadamard order of at least p.
    """

    share: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise InputError(f"share must be in (0, 1), got share={self.share:g}")

    def constants(self, point: Point) -> Constants:
        """Those of the unit LASSO; the curvature 8 is attained along the segment from -e_1 to e_1."""
        return unit_lasso_constants(point["n"], point["p"])

    def capabilities(self, point: Point) -> frozenset[str]:
        """Moments: one dense row and a diagonal."""
        return frozenset({"moments"})

    def build(self, point: Point, noise_scale: float) -> LeastSquares:
        """The data set; raises PremiseError where p orthogonal columns need more records than there are."""
        n, p = int(point["n"]), int(point["p"])
        if p > (1 - self.share) * n:
            raise PremiseError(f"p={p} orthogonal columns need as many records, of n={n} there are too few")
        ones = np.full((1, p), np.sqrt(self.share))
        cross = np.full(p, self.share)
        moments = Moments(n=n, cross=cross, second_moment=self.share, factor=ones, ridge=1 - self.share)
        # By symmetry the minimiser is flat; its sum minimises share (s - 1)^2 + (1 - share) s^2/p. LeastSquares
        # certifies it: finding it would mean an active set of all p coordinates.
        theta = np.full(p, self.share / (self.share * p + (1 - self.share)))
        minimum = Minimum(theta, value=np.nan, gap=np.nan)
        return LeastSquares(L1Ball(p), n, moments=moments, minimum=minimum)


@lru_cache(maxsize=8)
def _moments(kind: Kind, rows: int, p: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    rng = np.random.default_rng([seed, ["iid", "correlated", "planted", "noise"].index(kind)])
    if kind == "correlated":
        features = np.empty((rows, p))
        features[:, 0] = rng.standard_normal(rows)
        for j in range(1, p):
            features[:, j] = 0.9 * features[:, j - 1] + np.sqrt(1 - 0.81) * rng.standard_normal(rows)
        np.clip(features / 2, -1, 1, out=features)
    else:
        features = 2 * rng.integers(0, 2, (rows, p)).astype(np.float64) - 1
    if kind == "noise":
        labels = rng.integers(0, 2, rows) * 2.0 - 1.0
    else:
        if kind == "planted":
            truth = np.zeros(p)
            truth[: min(p, 10)] = 0.1
        else:
            truth = rng.standard_normal(p)
            truth *= 4 / np.abs(truth).sum()
        labels = np.clip(features @ truth + 0.1 * rng.standard_normal(rows), -1, 1)
    return features.T @ features / rows, features.T @ labels / rows, float(labels @ labels / rows)


@lru_cache(maxsize=8)
def _minimum(kind: Kind, rows: int, p: int, seed: int) -> Minimum:
    gram, cross, second = _moments(kind, rows, p, seed)
    return LeastSquares.from_moments(Moments(rows, cross, second, gram), L1Ball(p)).minimum


def _random_design(kind: Kind, rows: int, p: int, seed: int, n: int) -> LeastSquares:
    gram, cross, second = _moments(kind, rows, p, seed)
    moments = Moments(n=n, cross=cross, second_moment=second, gram=gram)
    return LeastSquares(L1Ball(p), n, moments=moments, minimum=_minimum(kind, rows, p, seed))
