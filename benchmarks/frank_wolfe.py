"""Noisy Frank-Wolfe: the compiled reduction against the straightforward numpy loop and against the floor.

    python benchmarks/frank_wolfe.py [--quick]

The floor is the coefficient update alone, level <- (1 - mu) level + mu column: one column of the Gram matrix read, one
array of p numbers read and written, a step. Its columns are random but known beforehand, so that it may fetch them
early, which an algorithm that selects cannot. Floor and reduction are run in turn, in one process and one thread;
ratios are medians over the pairs, so that a busy machine slows both; the fastest run of each is the one that was least
disturbed. The floor grows with p and the rest hardly does: a ratio of 3 is for p = 1000 and more.

The second table is time a step against n, p and T.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from numba import njit
from threadpoolctl import threadpool_limits

from dprepro.algorithms import NoisyFrankWolfe
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import RandomDesign, TunedNeedle
from dprepro.problems import L1Ball, LeastSquares
from dprepro.reductions import GroupedVertices, IncrementalGradients, kernels


def straightforward(
    features: np.ndarray, labels: np.ndarray, steps: int, scale: float, rng: np.random.Generator
) -> np.ndarray:
    """Algorithm 2 as one would first write it: X-based gradient, 2p fresh Laplace draws a step."""
    n, p = features.shape
    theta = np.zeros(p)
    for t in range(1, steps):
        gradient = 2 / n * (features.T @ (features @ theta - labels))
        scores = np.concatenate([gradient, -gradient]) + rng.laplace(0, scale, 2 * p)
        j = int(np.argmin(scores))
        mu = 2 / (t + 2)
        theta *= 1 - mu
        theta[j % p] += mu if j < p else -mu
    return theta


@njit(cache=True, fastmath=True)
def _update(gram, level, steps, order):  # type: ignore[no-untyped-def]
    for t in range(1, steps):
        mu = 2.0 / (t + 2)
        column = gram[order[t % order.shape[0]]]
        for j in range(level.shape[0]):
            level[j] = (1.0 - mu) * level[j] + mu * column[j]


def in_turn(runs: list[Callable[[], object]], repeats: int) -> np.ndarray:
    """Wall times, shape (repeats, runs), after one call of each to compile and warm up."""
    for run in runs:
        run()
    times = np.empty((repeats, len(runs)))
    for row in times:
        for k, run in enumerate(runs):
            start = time.perf_counter()
            run()
            row[k] = time.perf_counter() - start
    return times


def side_by_side(rows: int, p: int, steps: int, numpy_steps: int) -> None:
    """One line for each selection and noise: microseconds a step of the three, and their ratios."""
    rng = np.random.default_rng(0)
    features = rng.integers(0, 2, (rows, p)) * 2.0 - 1.0
    labels = np.clip(features[:, :10].sum(axis=1) / 10 + 0.1 * rng.standard_normal(rows), -1, 1)
    moments = LeastSquares.from_records(features, labels, L1Ball(p)).moments
    gram = moments.gram
    assert gram is not None
    order = rng.integers(0, p, 1021)
    empty = np.zeros((0, p))
    print(f"N={rows} p={p} T={steps}, microseconds a step (medians); floor: the coefficient update alone")
    print("selection   lambda    numpy    floor compiled  numpy/compiled  compiled/floor (quartiles), fastest runs")
    for kind in ("laplace", "gumbel"):
        for n in (1e5, 1e7):  # how noisy the scores are: n and epsilon = 1 set lambda
            scale = 4 * np.sqrt(8 * (2 * n) ** (2 / 3) * np.log(1e6)) / n

            def literal(s: float = scale) -> None:
                straightforward(features, labels, numpy_steps, s, rng)

            def floor() -> None:
                _update(gram, np.zeros(p), steps, order)

            def fast(s: float = scale, kind: str = kind) -> None:
                kernels.vertex_frank_wolfe(
                    gram, empty, np.zeros(p), moments.cross, 1.0, True, np.zeros(p), np.zeros(p), steps, s,
                    kernels.KINDS[kind], False, rng,
                )  # fmt: skip

            slow = float(np.median(in_turn([literal], 3))) / numpy_steps * 1e6
            pairs = in_turn([floor, fast], 21) / steps * 1e6
            least, quick = np.median(pairs, axis=0)
            low, middle, high = np.quantile(pairs[:, 1] / pairs[:, 0], [0.25, 0.5, 0.75])
            print(
                f"{kind:9s} {scale:8.4f} {slow:8.1f} {least:8.3f} {quick:8.3f} {slow / quick:15.0f} "
                f"{middle:15.2f} ({low:.2f} to {high:.2f}), {pairs[:, 1].min() / pairs[:, 0].min():.2f}"
            )


def growth() -> None:
    """Time of whole solves: free of n at equal T, T log-free, linear in p; the grouped reduction is free of p too."""
    budget = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
    rng = np.random.default_rng(0)
    print("solve                         n          p          T   seconds   ns a step   ns a step and p")
    for n, p in ((1e5, 100), (1e6, 100), (1e7, 100), (1e6, 300), (1e6, 1000), (1e6, 3000)):
        _line("incremental", RandomDesign(kind="planted"), IncrementalGradients, n, p, budget, rng)
    for n, p in ((1e6, 1e3), (1e8, 1e3), (1e8, 1e12), (1e9, 1e12)):
        _line("grouped", TunedNeedle(), GroupedVertices, n, p, budget, rng)


def _line(label, construction, reduction, n, p, budget, rng) -> None:  # type: ignore[no-untyped-def]
    algorithm = NoisyFrankWolfe()
    point = {"n": n, "p": p}
    schedule = algorithm.schedule(construction.constants(point), budget)
    problem = construction.build(point, schedule.noise_scale)
    solver = reduction(algorithm)
    wall = float(np.median(in_turn([lambda: solver.solve(problem, budget, rng)], 5)))
    each = wall / schedule.steps * 1e9
    print(f"{label:12s} {n:18.0e} {p:10.0e} {schedule.steps:10d} {wall:9.4f} {each:11.1f} {each / p:17.3g}")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer steps of the numpy loop")
    few = parser.parse_args().quick
    with threadpool_limits(1):
        for p in (1000, 300, 3000):
            side_by_side(rows=2000, p=p, steps=50_000 if p < 3000 else 20_000, numpy_steps=50 if few else 300)
        growth()


if __name__ == "__main__":
    main()
