"""The compiled loop of a phase of SGD."""

from __future__ import annotations

import math

from numba import float64, int64, types

from dprepro.reductions.kernels.compiled import RANDOM, entry

PAIR = types.UniTuple(float64, 2)  # type: ignore[no-untyped-call]


@entry(float64, float64, int64, int64, float64, RANDOM, returns=PAIR)
def one_pass(along, across, size, plus, eta, rng):  # type: ignore[no-untyped-def]
    """The mean of the ``size`` points at which gradients are taken, in a random order of ``plus`` records +c."""
    total_along, total_across, left = 0.0, 0.0, plus
    for t in range(size):
        total_along += along
        total_across += across
        if rng.random() * (size - t) < left:
            left -= 1
            along += eta
        else:
            along -= eta
        square = along * along + across * across
        if square > 1.0:
            shrink = 1.0 / math.sqrt(square)
            along *= shrink
            across *= shrink
    return total_along / size, total_across / size
