"""Less than what a run takes on one core: from counts, never by a clock, and so the same anywhere."""

from __future__ import annotations

from dprepro.algorithms import Algorithm
from dprepro.budget import Budget
from dprepro.problems import Domain
from dprepro.reductions import LITERAL, REDUCTIONS, Reduction

# A third to a half of what they take here, for machines that are faster.
LEAST_STEPPED, LEAST_PER_NUMBER = 1.5e-8, 2e-9  # a compiled step, and a random number in it
LEAST_LOOPED, LEAST_PER_COORDINATE = 5e-6, 2e-9  # a step of Python's, and a coordinate in it
FEW = 100  # steps that count for nothing


def least_seconds(algorithm: Algorithm, domain: Domain, budget: Budget, backend: str) -> float:
    """Less than the seconds of one run, on any data; 0 where only they tell, as they do of `takes_few_steps`."""
    schedule = algorithm.schedule(domain, budget)
    steps = schedule.steps
    if steps < FEW or not algorithm.stepwise or takes_few_steps(backend):
        return 0.0
    if backend == LITERAL:
        listed = 1 if hasattr(schedule, "sketch") else domain.p
        return steps * (LEAST_LOOPED + LEAST_PER_COORDINATE * listed)
    if backend != "compiled_descent" or not schedule.noise_scale > 0:
        return least_steps(steps, 1)
    return least_steps(steps, int(getattr(schedule, "sketch", domain.p)))


def least_steps(steps: float, coordinates: int) -> float:
    """Less than the seconds of compiled steps, each of which draws a random number for some coordinates."""
    return steps * (LEAST_STEPPED + LEAST_PER_NUMBER * coordinates)


def takes_few_steps(backend: str) -> bool:
    """Whether a reduction takes as many steps as the data need, and not those of the schedule."""
    return backend in REDUCTIONS and REDUCTIONS[backend].effort is not Reduction.effort
