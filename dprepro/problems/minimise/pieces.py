"""Sums of maxima of affine functions, one maximum a record, over a set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprepro.problems.minimise.conic import solve_cones
from dprepro.problems.minimise.quadratic import minimise_quadratic
from dprepro.problems.moments import Moments
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.sets import ConstraintSet

AT_ONCE = 3000
"""Records of one programme: with five times as many it takes ten times as long, and ends less exact."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """sum_k weight_k max_i (slope_ik <x_k, theta> + offset_ik), of shapes (K,), (pieces, K), (K, p) and (pieces, K)."""

    slopes: FloatArray
    offsets: FloatArray
    features: FloatArray
    weights: FloatArray

    def heights(self, s: FloatArray) -> FloatArray:
        """At <x_k, theta> = s_k, shape (pieces, K)."""
        return np.asarray(self.slopes * s + self.offsets)

    def pull(self, shares: FloatArray) -> FloatArray:
        """The gradient of a combination of every record's pieces, shape (p,)."""
        return np.asarray((self.weights * (shares * self.slopes).sum(axis=0)) @ self.features)

    def of(self, kept: NDArray[Any]) -> Pieces:
        """The pieces of some records."""
        return Pieces(self.slopes[:, kept], self.offsets[:, kept], self.features[kept], self.weights[kept])


def minimise_pieces(
    pieces: Pieces, constraint_set: ConstraintSet, linear: FloatArray, ridge: float
) -> tuple[FloatArray, FloatArray]:
    """argmin of the pieces + linear.theta + ridge/2 ||theta||^2.

    Returns theta, and from the multipliers each record's convex combination of its pieces, shape (pieces, K).

    A record that has no kink within reach is one piece, and no part of the programme. Of more than `AT_ONCE` others,
    those with no kink near a sample's minimiser stand for the piece that is the largest there. Where it still is so at
    what is found, that is the minimiser; else the records of which it is not come back in.
    """
    # a piece that is the largest at both ends of what <x, theta> can be is so everywhere
    end = constraint_set.norm_bound(2) * np.linalg.norm(pieces.features, axis=1)
    heights = np.stack([pieces.heights(-end), pieces.heights(end)], axis=1)
    settled = (heights >= heights.max(axis=0) - 1e-14 * np.abs(heights).max()).all(axis=1)
    kept = live = ~settled.any(axis=0)
    numbers = np.arange(len(settled))[:, None]
    largest = numbers == settled.argmax(axis=0)

    if live.sum() > AT_ONCE:
        every = np.flatnonzero(live)[:: -(-int(live.sum()) // AT_ONCE)]
        few, cost = pieces.of(every), linear + pieces.pull(np.where(live, 0.0, largest))
        share = pieces.weights[live].sum() / few.weights.sum()
        theta = _programme(replace(few, weights=share * few.weights), constraint_set, cost, ridge)[0]
        heights = pieces.heights(pieces.features @ theta)
        first, second = np.partition(heights, -2, axis=0)[-1:-3:-1]
        kept = live & (first - second <= np.partition((first - second)[live], AT_ONCE)[AT_ONCE])
        largest = np.where(live, numbers == heights.argmax(axis=0), largest)
    while True:
        shares = np.where(kept, 0.0, largest)
        cost = linear + pieces.pull(shares)
        if kept.any():
            theta, shares[:, kept] = _programme(pieces.of(kept), constraint_set, cost, ridge)
        else:
            theta = minimise_quadratic(Moments(-0.5 * cost, ridge=0.5 * ridge), constraint_set)[0]
        heights = pieces.heights(pieces.features @ theta)
        wrong = live & ~kept & ((heights * largest).sum(axis=0) < heights.max(axis=0))
        if not wrong.any():
            return theta, shares
        kept = kept | wrong


def _programme(
    pieces: Pieces, constraint_set: ConstraintSet, linear: FloatArray, ridge: float
) -> tuple[FloatArray, FloatArray]:
    """The same by one conic programme of all records."""
    from clarabel import NonnegativeConeT
    from scipy import sparse

    slopes, offsets, features, weights = pieces.slopes, pieces.offsets, pieces.features, pieces.weights
    (count, rows), p = slopes.shape, constraint_set.p
    # the first piece goes into the linear term: of the others, and of zero, the largest is what levels are above
    steps = np.concatenate([slope[:, None] * features for slope in slopes[1:] - slopes[0]])
    unit = float(np.abs(steps).max()) or 1.0  # in which risk and levels are measured: small features are no trouble
    theta, multipliers = solve_cones(
        constraint_set,
        ridge / unit * sparse.eye_array(p),
        np.concatenate([(linear + (weights * slopes[0]) @ features) / unit, weights]),
        (
            sparse.vstack([sparse.csc_array((rows, p)), sparse.csc_array(steps / unit)]),
            sparse.vstack([-sparse.eye_array(rows, format="csc")] * count),
            np.concatenate([np.zeros(rows), (offsets[0] - offsets[1:]).ravel() / unit]),
            [NonnegativeConeT(rows * count)],
        ),
    )
    shares = np.maximum(multipliers.reshape(count, rows), 0.0)
    total = shares.sum(axis=0)
    return theta, np.divide(shares, total, out=np.full_like(shares, 1 / count), where=total > 0)
