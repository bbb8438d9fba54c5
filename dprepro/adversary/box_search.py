"""The largest value of a function on a box, by differential evolution from warm starts and a simplex at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dprepro.problems.problem_data import FloatArray

LAST = 0.2
"""Share of the evaluations that is kept for the simplex (Nelder and Mead) around the best place."""


@dataclass(frozen=True)
class Found:
    """A place with its value, and after how many evaluations the search ended."""

    place: FloatArray
    value: float
    evaluations: int


def search(
    value: Callable[[FloatArray], float],
    dimensions: int,
    starts: Sequence[FloatArray],
    evaluations: int,
    rng: np.random.Generator,
) -> Found:
    """The best place in [0, 1]^dimensions that about so many evaluations find: no more than that is claimed.

    ``value`` must be a function: what is random in it is drawn from the same stream each time. The starts are always
    evaluated, or the middle where there are none; where no evaluations are left after them, the best of them is the
    answer. Differential evolution (Storn and Price, 1997) runs twice, from the starts among a Latin hypercube and from
    another such cube alone: a known place may keep the first from a better one far away.
    """
    from scipy.optimize import Bounds, differential_evolution, minimize

    tried: list[tuple[float, FloatArray]] = []

    def loss(place: FloatArray) -> float:
        inside = np.clip(place, 0.0, 1.0)
        tried.append((value(inside), inside))
        return -tried[-1][0]

    for start in starts or [np.full(dimensions, 0.5)]:
        loss(start)
    members = max(2 * len(starts), 4 * dimensions, 8)
    generations = int((1 - LAST) / 2 * evaluations) // members - 1
    for first in (starts, []) if generations >= 1 else ():
        layers = (rng.permuted(np.tile(np.arange(members), (dimensions, 1)), axis=1).T + rng.random()) / members
        population = np.concatenate([*(vector[None] for vector in first), layers[len(first) :]])
        differential_evolution(
            loss, Bounds(np.zeros(dimensions), np.ones(dimensions)), init=population, maxiter=generations,
            tol=0, polish=False, mutation=(0.4, 0.9), recombination=0.8, rng=rng,
        )  # fmt: skip
    best = max(tried, key=lambda pair: pair[0])[1]
    if evaluations > len(tried):
        size = np.where(best > 0.5, -0.05, 0.05)  # inwards
        simplex = np.concatenate([best[None], best + np.diag(size)])
        minimize(loss, best, method="Nelder-Mead", options={"maxfev": evaluations - len(tried),
                 "initial_simplex": simplex, "xatol": 1e-4, "fatol": 0.0})  # fmt: skip
    highest, place = max(tried, key=lambda pair: pair[0])
    return Found(place, highest, len(tried))
