"""An audit of all that an algorithm's mechanisms publish: `solve` on one data set, and again on its neighbour."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from dprepro.algorithms import Algorithm
from dprepro.budget import Budget
from dprepro.constructions.corners import Pair
from dprepro.errors import PremiseError
from dprepro.mechanisms import NoiseMoments, SampledGaussianShift, Transcript, noted
from dprepro.privacy.audit import LEVEL, Audited
from dprepro.privacy.losses import limit_of_losses
from dprepro.privacy.outcomes import Answer, Refused, answered, outcomes
from dprepro.problems import Problem, SupportPoint
from dprepro.problems.problem_data import FloatArray

SEARCH = 100
"""Transcripts by which the worst of all pairs is looked for, in either direction."""


def audit_transcripts(
    algorithm: Algorithm, pair: Pair, budget: Budget, draws: int, delta: float, rng: np.random.Generator
) -> tuple[Audited, NoiseMoments]:
    """The lower limit of epsilon at ``delta`` against whoever sees all transcripts; and the noise that was drawn.

    What is random beside the mechanisms (a map, a partition) is public: it is the same on both data sets. Transcripts
    whose first release has the record are judged apart from the others, since before any noise public numbers alone
    decide on that; so there are two limits, which hold together with probability `LEVEL`. They are drawn on the first
    data set.
    """
    losses, sees, drawn = losses_of(algorithm, pair, budget, draws, rng)
    limits = [limit_of_losses(some, delta, (1 + LEVEL) / 2) for some in (losses[sees], losses[~sees])]
    return Audited(max(limits), "transcript", draws), drawn


def losses_of(
    algorithm: Algorithm, pair: Pair, budget: Budget, draws: int, rng: np.random.Generator
) -> tuple[FloatArray, np.ndarray[tuple[int], np.dtype[np.bool_]], NoiseMoments]:
    """ln P/Q of transcripts drawn on the first of two data sets, shape (draws,); whether their first release tells.

    On the second data set the algorithm runs with the same random numbers, and its mechanisms publish what those of the
    first run did. Where it then asks for more or fewer, or answers otherwise, the answer tells what no mechanism has
    hidden: that loss is infinite. Answers that are no numbers, and none, are answers too.

    Raises:
        PremiseError: the algorithm draws records in secret, or publishes nothing by a mechanism; or what is random and
            public, such as a partition, falls on other records, since they do not stand at the same places.
        Exception: that of the algorithm, where it answers on neither data set.
    """
    if moved := places_that_differ(*pair):
        raise PremiseError(f"transcripts need records that stand at the same places, {moved} differ")
    parts = algorithm.parts(pair[0].domain, budget) or ()
    if any(isinstance(guarantee, SampledGaussianShift) for guarantee, _ in parts):
        raise PremiseError(f"{type(algorithm).__name__} draws records in secret: its transcripts have no known law")
    losses, sees, drawn = np.empty(draws), np.empty(draws, dtype=np.bool_), NoiseMoments()
    for i, seed in enumerate(rng.integers(2**63, size=draws)):
        noise: list[NoiseMoments | None] = []

        def solve(problem: Problem, seed: int = int(seed), noise: list[NoiseMoments | None] = noise) -> FloatArray:
            solution = algorithm.solve(problem, budget, np.random.default_rng(seed))
            noise.append(solution.noise)
            return as_vector(solution.theta, problem.domain.p)

        with noted() as first:
            answer = answered(partial(solve, pair[0]))
        drawn += (noise and noise[0]) or NoiseMoments()
        with noted(first.outputs) as second:
            again = answered(partial(solve, pair[1]))
        if not (first.outputs or second.outputs):
            outcomes([answer], [again])  # whoever never answers says why
            raise PremiseError(f"{type(algorithm).__name__} publishes nothing by a mechanism")
        same = len(first.outputs) == len(second.outputs) and _alike(answer, again)
        losses[i] = first.log_chance - second.log_chance if same else np.inf
        sees[i] = _tells(first, second)
    return losses, sees, drawn


def worst_transcripts(
    algorithm: Algorithm, pairs: Mapping[str, Pair], budget: Budget, rng: np.random.Generator
) -> tuple[str, Pair]:
    """The pair that a few transcripts tell apart best, with its name, in the better direction of the two.

    The transcripts are used for nothing else.
    """
    both = [(name, some) for name, pair in pairs.items() for some in (pair, pair[::-1])]
    seen = [limit_of_losses(losses_of(algorithm, pair, budget, SEARCH, rng)[0], budget.delta, 0.0) for _, pair in both]
    return both[int(np.argmax(seen))]


def places_that_differ(first: Problem, second: Problem) -> int:
    """At how many places, beyond one, records differ that both data sets list one by one; 0 for all other data."""
    if not {"records"} <= first.given & second.given or first.domain.n != second.domain.n:
        return 0
    tables = [
        np.column_stack([data.features, data.targets, data.copies])
        for data in (first.records.records, second.records.records)
    ]
    if tables[0].shape != tables[1].shape:
        return round(first.domain.n)
    differ = int(np.any(tables[0] != tables[1], axis=1).sum())
    return differ if differ > 1 else 0


def as_vector(theta: object, p: int) -> FloatArray:
    """An answer as numbers: of a choice of coordinates the indicator."""
    if isinstance(theta, SupportPoint):
        vector = np.zeros(p)
        vector[theta.chosen] = 1.0
        return vector
    assert isinstance(theta, np.ndarray)
    return theta


def _alike(first: Answer, second: Answer) -> bool:
    """Whether two answers are one, rounding aside."""
    if isinstance(first, Refused) or isinstance(second, Refused):
        return isinstance(first, Refused) and isinstance(second, Refused) and first.words == second.words
    return first.shape == second.shape and np.allclose(first, second, rtol=1e-9, equal_nan=True)


def _tells(first: Transcript, second: Transcript) -> bool:
    """Whether the record enters what is published first; noise has had no part in that."""
    return not (first.values and second.values and np.array_equal(first.values[0], second.values[0]))
