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

STEP = 0.01
"""Between epsilons that are tried."""

LARGEST_BET = 0.75
"""Share of the capital that a number can cost."""

MOST = 64.0
"""No larger epsilon is looked for; a transcript that the other data set cannot have counts as infinite."""


def limit_of_losses(losses: NDArray[np.float64], delta: float, level: float = LEVEL) -> float:
    """The epsilon that is spent at least at ``delta`` with probability ``level``, by losses of independent draws.

    At the true epsilon the mean is delta at most, which is refuted there with probability 1 - level at most; the answer
    is the largest epsilon up to which it is refuted everywhere, so it exceeds the true one no more often. At delta = 0
    the largest loss, which is certain.
    """
    if not losses.size:
        return 0.0
    if delta == 0:
        return float(np.clip(losses.max(), 0.0, MOST))
    found = 0.0
    while found < MOST and _exceeds(-np.expm1(np.minimum(found - losses, 0.0)), delta, level):
        found += STEP
    return max(0.0, found - STEP)


def _exceeds(some: NDArray[np.float64], delta: float, level: float) -> bool:
    """Whether independent numbers in [0, 1] refute a mean of at most ``delta``.

    By bets on every number, each sized by those before it (Waudby-Smith and Ramdas 2024): where the mean is no more
    than delta the capital is a supermartingale, which reaches 1/(1 - level) with probability 1 - level at most
    (Ville). The sizes are theirs, the best for a known variance.
    """
    goal, count = -math.log(1 - level), np.arange(2, some.size + 2)
    mean = (0.5 + np.cumsum(some)) / count
    variance = (0.25 + np.cumsum((some - mean) ** 2)) / count
    before = np.concatenate([[0.25], variance[:-1]])
    bets = np.minimum(np.sqrt(2 * goal / (before * some.size)), LARGEST_BET / delta)
    return bool(np.cumsum(np.log1p(bets * (some - delta))).max() >= goal)
