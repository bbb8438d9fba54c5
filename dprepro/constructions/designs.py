"""Ordinary designs, what a user meets, and the flat optimum on which Frank-Wolfe needs 1/T."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from dprepro.constructions.base import (
    RECORDS_LIMIT,
    Construction,
    Point,
    constraint_set,
    loss_of,
    offered,
    recorded,
    unit_lasso,
)
from dprepro.constructions.hadamard import dividing_order, orthogonal_columns
from dprepro.errors import PremiseError
from dprepro.problems import Domain, Loss, Moments, MomentsView, Problem, Records, RecordsView
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.views.base import as_theta

Kind = Literal["iid", "correlated", "planted", "noise"]


@dataclass(frozen=True)
class RandomDesign(Construction):
    """``rows`` random records, repeated in turn until there are n; the same base data at every n.

    Features and labels lie in [-1, 1].

    Attributes:
        kind: ``iid`` (signs, labels from a dense parameter outside the l1 ball), ``correlated`` (Gaussian AR(1) with
            correlation 0.9 along the coordinates, clipped, labels as before), ``planted`` (signs, ten coordinates of
            weight 1/10 plus noise of standard deviation 0.1) or ``noise`` (signs, labels independent signs).
        loss: its word (``squared``, ``huber``, ...), or the loss itself, your own among them.
        constraint_set, radius: the word of the set and its size.
    """

    kind: Kind = "iid"
    rows: int = 2000
    seed: int = 0
    loss: Loss | str = "squared"
    constraint_set: Literal["l1_ball", "l2_ball", "simplex", "box"] = "l1_ball"
    radius: float = 1.0

    def __post_init__(self) -> None:
        self._demand("rows", self.rows >= 2, "at least 2")
        self._demand("radius", 0 < self.radius < math.inf, "above 0")
        loss_of(self.loss)

    def domain(self, point: Point) -> Domain:
        within = constraint_set(self.constraint_set, point["p"], self.radius)
        return Domain(loss_of(self.loss), within, point["n"], feature_norm=math.inf)

    def representations(self, point: Point) -> frozenset[str]:
        return recorded(self.domain(point), self.rows)

    def base_records(self, p: int) -> tuple[FloatArray, FloatArray]:
        """The distinct records: features, shape (rows, p), and labels."""
        return _rows(self.kind, self.rows, p, self.seed)

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The data set; raises PremiseError when n is not a multiple of ``rows``."""
        n, domain = int(point["n"]), self.domain(point)
        if n % self.rows:
            raise PremiseError(f"n={n} is not a multiple of the {self.rows} rows that are repeated")

        def base() -> RecordsView:
            return _once(self.kind, self.seed, replace(domain, n=float(self.rows)))

        def known() -> FloatArray | None:
            """A smooth risk's minimiser is certified anew by its gradient, quickly."""
            return as_theta(base().minimum.theta, domain.p) if math.isfinite(domain.smoothness) else None

        def records() -> RecordsView:
            copies = np.full(self.rows, float(n // self.rows))
            return RecordsView(domain, replace(base().records, counts=copies), known())

        def moments() -> MomentsView:
            return MomentsView(domain, base().to_moments().moments, known())

        return offered(domain, self.representations(point), moments=moments, records=records)


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
        self._demand("share", 0 < self.share < 1, "in (0, 1)")

    def domain(self, point: Point) -> Domain:
        """The domain of the unit LASSO; the curvature 8 is attained along the segment from -e_1 to e_1."""
        return unit_lasso(point)

    def representations(self, point: Point) -> frozenset[str]:
        """Moments (one dense row and a diagonal), and records where an orthogonal block that is known here fits n."""
        there = {"moments": point["p"] <= RECORDS_LIMIT, "records": self._order(point)}
        return frozenset(name for name, found in there.items() if found)

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The data set; raises PremiseError where p orthogonal columns need more records than there are."""
        n, p, share, order, domain = point["n"], int(point["p"]), self.share, self._order(point), self.domain(point)
        if p > (1 - share) * n:
            raise PremiseError(f"p={p} orthogonal columns need as many records, of n={n:g} there are too few")

        def moments() -> MomentsView:
            form = Moments(np.full(p, share), share, factor=np.full((1, p), math.sqrt(share)), ridge=1 - share)
            # By symmetry the minimiser is flat; its sum minimises share (s - 1)^2 + (1 - share) s^2/p. It is certified
            # like any other: finding it would mean an active set of all p coordinates.
            return MomentsView(domain, form, np.full(p, share / (share * p + (1 - share))))

        def records() -> RecordsView:
            assert order is not None
            features = np.concatenate([np.ones((1, p)), orthogonal_columns(order, p)])
            labels, counts = np.repeat([1.0, 0.0], [1, order]), np.full(order + 1, round((1 - share) * n) / order)
            counts[0] = round(share * n)
            return RecordsView(domain, Records(features, labels, counts))

        return offered(domain, self.representations(point), moments=moments, records=records)

    def _order(self, point: Point) -> int | None:
        """Of a Hadamard matrix that is known here, divides (1 - share) n and has p columns; None if there is none."""
        block, p = (1 - self.share) * point["n"], int(point["p"])
        whole = math.isclose(round(block), block)
        return dividing_order(round(block), p, int(RECORDS_LIMIT / p)) if whole else None


@lru_cache(maxsize=2)
def _rows(kind: Kind, rows: int, p: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Features (rows, p) and labels (rows,)."""
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
        return features, np.asarray(rng.integers(0, 2, rows) * 2.0 - 1.0)
    if kind == "planted":
        truth = np.zeros(p)
        truth[: min(p, 10)] = 0.1
    else:
        truth = rng.standard_normal(p)
        truth *= 4 / np.abs(truth).sum()
    return features, np.clip(features @ truth + 0.1 * rng.standard_normal(rows), -1, 1)


@lru_cache(maxsize=8)
def _once(kind: Kind, seed: int, domain: Domain) -> RecordsView:
    """Each row once, with the minimiser that is the same at every n."""
    return RecordsView(domain, Records(*_rows(kind, int(domain.n), domain.p, seed), np.ones(int(domain.n))))
