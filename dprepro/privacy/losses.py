"""A lower limit of what an algorithm spends, from the privacy losses of all that its mechanisms publish.

Of a transcript drawn on one data set, the loss l = ln P/Q is known, not estimated. delta(epsilon) is the mean of
(1 - e^(epsilon - l))_+, numbers in [0, 1], so a few thousand draws tell what a count of rare events needs millions for.
At delta = 0 no mean is needed: densities are continuous, so a loss that was seen is one that events have.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dprepro.privacy.audit import LEVEL

MOST = 64.0
"""No larger epsilon is looked for; a transcript that the other data set cannot have counts as infinite."""


def limit_of_losses(losses: NDArray[np.float64], delta: float, level: float = LEVEL) -> float:
    """The epsilon that is spent at least at ``delta`` with probability ``level``, by losses of independent draws.

    Where the mean at the true epsilon is delta, its lower limit there exceeds delta with probability 1 - level at most
    (empirical Bernstein bound, Maurer and Pontil 2009); the answer is where the limit first comes down to delta, so it
    exceeds the true epsilon no more often. At delta = 0 the largest loss, which is certain.
    """
    if not losses.size:
        return 0.0
    if delta == 0:
        return float(np.clip(losses.max(), 0.0, MOST))

    def least(epsilon: float) -> float:
        some = -np.expm1(np.minimum(epsilon - losses, 0.0))
        size, tail = max(some.size, 2), math.log(2 / (1 - level))
        wide = math.sqrt(2 * float(some.var(ddof=1 if some.size > 1 else 0)) * tail / size) + 7 * tail / (3 * size - 3)
        return float(some.mean()) - wide

    step, found = 0.01, 0.0
    while found < MOST and least(found) > delta:
        found += step
    return max(0.0, found - step)
