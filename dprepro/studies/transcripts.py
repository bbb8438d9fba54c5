"""An audit of all that an algorithm's mechanisms publish: `solve` on one data set, and again on its neighbour."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dprepro.algorithms import Algorithm
from dprepro.budget import Budget
from dprepro.constructions.corners import Pair
from dprepro.errors import PremiseError
from dprepro.mechanisms import Drawn, SampledGaussianShift, Transcript, noted
from dprepro.privacy.audit import LEVEL, Audited
from dprepro.privacy.losses import limit_of_losses
from dprepro.problems.data import FloatArray

SEARCH = 100
"""Transcripts by which the worst of all pairs is looked for, in either direction."""


def audit_transcripts(
    algorithm: Algorithm, pair: Pair, told: Budget, draws: int, delta: float, rng: np.random.Generator
) -> tuple[Audited, Drawn]:
    """The lower limit of epsilon at ``delta`` against whoever sees all transcripts; and the noise that was drawn.

    What is random beside the mechanisms (a map, a partition) is public: it is the same on both data sets. Transcripts
    whose first release has the record are judged apart from the others, since before any noise public numbers alone
    decide on that; so there are two limits, which hold together with probability `LEVEL`. They are drawn on the first
    data set.
    """
    losses, sees, drawn = losses_of(algorithm, pair, told, draws, rng)
    limits = [limit_of_losses(some, delta, (1 + LEVEL) / 2) for some in (losses[sees], losses[~sees])]
    return Audited(max(limits), "transcript", draws), drawn


def losses_of(
    algorithm: Algorithm, pair: Pair, told: Budget, draws: int, rng: np.random.Generator
) -> tuple[FloatArray, np.ndarray[tuple[int], np.dtype[np.bool_]], Drawn]:
    """ln P/Q of transcripts drawn on the first of two data sets, shape (draws,); whether their first release tells.

    On the second data set the algorithm runs with the same random numbers, and its mechanisms publish what those of the
    first run did. Where it then asks for more or fewer, or answers otherwise, the answer tells what no mechanism has
    hidden: that loss is infinite.

    Raises:
        PremiseError: the algorithm draws records in secret, or publishes nothing by a mechanism.
    """
    parts = algorithm.parts(pair[0].domain, told) or ()
    if any(isinstance(guarantee, SampledGaussianShift) for guarantee, _ in parts):
        raise PremiseError(f"{type(algorithm).__name__} draws records in secret: its transcripts have no known law")
    losses, sees, drawn = np.empty(draws), np.empty(draws, dtype=np.bool_), Drawn()
    for i, seed in enumerate(rng.integers(2**63, size=draws)):
        with noted() as first:
            solution = algorithm.solve(pair[0], told, np.random.default_rng(seed))
        with noted(first.outputs) as second:
            again = algorithm.solve(pair[1], told, np.random.default_rng(seed))
        if not (first.outputs or second.outputs):
            raise PremiseError(f"{type(algorithm).__name__} publishes nothing by a mechanism")
        same = len(first.outputs) == len(second.outputs) and np.allclose(solution.theta, again.theta, rtol=1e-9)
        losses[i] = first.log_chance - second.log_chance if same else np.inf
        sees[i] = _tells(first, second)
        drawn += solution.drawn or Drawn()
    return losses, sees, drawn


def worst_transcripts(
    algorithm: Algorithm, pairs: Mapping[str, Pair], told: Budget, rng: np.random.Generator
) -> tuple[str, Pair]:
    """The pair that a few transcripts tell apart best, with its name, in the better direction of the two.

    The transcripts are used for nothing else.
    """
    both = [(name, some) for name, pair in pairs.items() for some in (pair, pair[::-1])]
    seen = [limit_of_losses(losses_of(algorithm, pair, told, SEARCH, rng)[0], told.delta, 0.0) for _, pair in both]
    return both[int(np.argmax(seen))]


def _tells(first: Transcript, second: Transcript) -> bool:
    """Whether the record enters what is published first; noise has had no part in that."""
    return not (first.values and second.values and np.array_equal(first.values[0], second.values[0]))
