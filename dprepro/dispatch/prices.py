"""What a run takes on one core, about and at least: from counts, never by a clock, and so the same anywhere."""

from __future__ import annotations

from dprepro.algorithms import (
    Algorithm,
    ConfidenceBoosting,
    ExponentialMechanism,
    ExponentialSupport,
    FrankWolfe,
    GaussianFrankWolfe,
    GridSearch,
    HighProbability,
    JohnsonLindenstrauss,
    NoisyFrankWolfe,
    NoisyGD,
    NoisySGD,
    SampleAndAggregate,
    SparseRegression,
)
from dprepro.algorithms.samplers.exact import known_law
from dprepro.budget import Budget
from dprepro.problems import Domain
from dprepro.reductions import LITERAL, REDUCTIONS, Reduction

SOLVED = 3e-3  # seconds: a minimiser found, and
SOLVED_PER_ENTRY = 3e-7  # for each entry of its Hessian
WALKED = 1.6e-4  # a risk in a random walk
SUPPORTS = 0.1  # scores of supports, and
SUPPORTS_PER_COORDINATE = 2e-3
BLOCK = 6e-5  # a fit of one of sqrt(n) blocks
STEPPED, STEPPED_PER_ENTRY = 2e-7, 1e-9  # a compiled step
LOOPED = 2e-5  # a step of Python's

# A third to a half of what they take here, for machines that are faster.
LEAST_STEPPED, LEAST_PER_NUMBER = 1.5e-8, 2e-9  # a compiled step, and a random number in it
LEAST_LOOPED, LEAST_PER_COORDINATE = 5e-6, 2e-9  # a step of Python's, and a coordinate in it
FEW = 100  # steps that count for nothing

STEPWISE = (FrankWolfe, NoisyFrankWolfe, GaussianFrankWolfe, NoisyGD, NoisySGD, JohnsonLindenstrauss)
"""Algorithms whose literal form is a loop over the steps of their schedules."""


def run_seconds(algorithm: Algorithm, domain: Domain, budget: Budget, backend: str) -> float:
    """About the seconds of one run by a reduction, rather more than less, as measured on the families searched."""
    p, steps = domain.p, algorithm.schedule(domain, budget).steps
    solved = SOLVED + SOLVED_PER_ENTRY * p**2
    if isinstance(algorithm, ExponentialMechanism):
        return solved if known_law(domain, places=1) else WALKED * algorithm.steps * p * algorithm.chains
    if isinstance(algorithm, HighProbability):
        return steps * run_seconds(algorithm.inner, domain, budget, backend)
    if isinstance(algorithm, ConfidenceBoosting | GridSearch):
        return steps * solved
    if isinstance(algorithm, SparseRegression | ExponentialSupport | SampleAndAggregate):
        chooser = algorithm.selection if isinstance(algorithm, SparseRegression) else algorithm
        votes = isinstance(chooser, SampleAndAggregate)
        return solved + (BLOCK * domain.n**0.5 if votes else SUPPORTS + SUPPORTS_PER_COORDINATE * p)
    if backend == "compiled_descent":
        dimension = int(getattr(algorithm.schedule(domain, budget), "sketch", 0)) or p
        return steps * (STEPPED + STEPPED_PER_ENTRY * dimension**2)
    if steps == 1 or "few_steps" in backend:
        return solved
    return SOLVED + steps * (LOOPED if backend == LITERAL else STEPPED)


def least_seconds(algorithm: Algorithm, domain: Domain, budget: Budget, backend: str) -> float:
    """Less than the seconds of one run, on any data; 0 where only they tell, as they do of `takes_few_steps`."""
    schedule = algorithm.schedule(domain, budget)
    steps = schedule.steps
    if steps < FEW or not isinstance(algorithm, STEPWISE) or takes_few_steps(backend):
        return 0.0
    if backend == LITERAL:
        listed = 1 if isinstance(algorithm, JohnsonLindenstrauss) else domain.p
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
