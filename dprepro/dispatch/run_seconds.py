"""About what a run takes on one core: from counts, never by a clock, and so the same anywhere."""

from __future__ import annotations

from dprepro.algorithms import (
    Algorithm,
    ConfidenceBoosting,
    ExponentialMechanism,
    ExponentialSupport,
    GridSearch,
    HighProbability,
    SampleAndAggregate,
    SparseRegression,
)
from dprepro.algorithms.samplers.exact import known_law
from dprepro.budget import Budget
from dprepro.problems import Domain
from dprepro.reductions import LITERAL

SOLVED = 3e-3  # seconds: a minimiser found, and
SOLVED_PER_ENTRY = 3e-7  # for each entry of its Hessian
WALKED = 1.6e-4  # a risk in a random walk
SUPPORTS = 0.1  # scores of supports, and
SUPPORTS_PER_COORDINATE = 2e-3
BLOCK = 6e-5  # a fit of one of sqrt(n) blocks
STEPPED, STEPPED_PER_ENTRY = 2e-7, 1e-9  # a compiled step
LOOPED = 2e-5  # a step of Python's


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
