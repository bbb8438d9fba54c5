"""Sums of maxima of affine functions, one maximum a record, over a set."""

from __future__ import annotations

import numpy as np

from dprepro.problems.data import FloatArray
from dprepro.problems.minimise.conic import solve_cones
from dprepro.problems.minimise.quadratic import minimise_quadratic
from dprepro.problems.moments import Moments
from dprepro.problems.sets import ConstraintSet

AT_ONCE = 3000
"""Records of one programme: with five times as many it takes ten times as long, and ends less exact."""


def minimise_pieces(
    slopes: FloatArray,
    offsets: FloatArray,
    features: FloatArray,
    weights: FloatArray,
    constraint_set: ConstraintSet,
    linear: FloatArray,
    ridge: float,
) -> tuple[FloatArray, FloatArray]:
    """argmin of sum_k weight_k max_i (slope_ik <x_k, theta> + offset_ik) + linear.theta + ridge/2 ||theta||^2.

    Returns theta, and from the multipliers each record's convex combination of its pieces, shape (pieces, K).

    A record that has no kink within reach is one piece, and no part of the programme. Of more than `AT_ONCE` others,
    those with no kink near a sample's minimiser stand for the piece that is the largest there. Where it still is so at
    what is found, that is the minimiser; else the records of which it is not come back in.
    """
    # a piece that is the largest at both ends of what <x, theta> can be is so everywhere
    ends = np.array([[-1.0], [1.0]]) * constraint_set.norm_bound(2) * np.linalg.norm(features, axis=1)
    heights = slopes[:, None] * ends + offsets[:, None]
    settled = (heights >= heights.max(axis=0) - 1e-14 * np.abs(heights).max()).all(axis=1)
    kept = live = ~settled.any(axis=0)
    largest = np.arange(len(slopes))[:, None] == settled.argmax(axis=0)

    def solved(kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> tuple[FloatArray, FloatArray]:
        shares = np.where(kept, 0.0, largest)
        cost = linear + (weights * (shares * slopes).sum(axis=0)) @ features
        if not kept.any():
            return minimise_quadratic(Moments(-0.5 * cost, ridge=0.5 * ridge), constraint_set)[0], shares
        part = slopes[:, kept], offsets[:, kept], features[kept], weights[kept]
        theta, shares[:, kept] = _programme(*part, constraint_set, cost, ridge)
        return theta, shares

    if live.sum() > AT_ONCE:
        every = np.flatnonzero(live)[:: -(-int(live.sum()) // AT_ONCE)]
        cost = linear + (weights * np.where(live, 0.0, (largest * slopes).sum(axis=0))) @ features
        scaled = weights[every] * (weights[live].sum() / weights[every].sum())
        sample = slopes[:, every], offsets[:, every], features[every], scaled
        heights = slopes * (features @ _programme(*sample, constraint_set, cost, ridge)[0]) + offsets
        first, second = np.partition(heights, -2, axis=0)[-1:-3:-1]
        kept = live & (first - second <= np.partition((first - second)[live], AT_ONCE)[AT_ONCE])
        largest = np.where(live, np.arange(len(slopes))[:, None] == heights.argmax(axis=0), largest)
    while True:
        theta, shares = solved(kept)
        heights = slopes * (features @ theta) + offsets
        wrong = live & ~kept & ((heights * largest).sum(axis=0) < heights.max(axis=0))
        if not wrong.any():
            return theta, shares
        kept = kept | wrong


def _programme(
    slopes: FloatArray,
    offsets: FloatArray,
    features: FloatArray,
    weights: FloatArray,
    constraint_set: ConstraintSet,
    linear: FloatArray,
    ridge: float,
) -> tuple[FloatArray, FloatArray]:
    """The same by one conic programme of all records."""
    from clarabel import NonnegativeConeT
    from scipy import sparse

    (count, rows), p = slopes.shape, constraint_set.p
    # the first piece goes into the linear term: of the others, and of zero, the largest is what levels are above
    steps = np.concatenate([one[:, None] * features for one in slopes[1:] - slopes[0]])
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
