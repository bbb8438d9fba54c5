"""Noisy Frank-Wolfe: the compiled reduction against the straightforward numpy loop and against the floor.

    python benchmarks/frank_wolfe.py [--quick]

All figures of a line come from one process, one thread, in turn; quote ratios. The floor is the coefficient update
alone (level <- (1 - mu) level + mu column) for random columns of the Gram matrix; the scan floor adds the least score,
without which no vertex can be chosen. The second table is time a step against n, p and T.
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


@njit(cache=True)
def _scan(gram, level, offset, steps, order):  # type: ignore[no-untyped-def]
    least, second = np.empty(level.shape[0] // kernels.BLOCK), np.empty(level.shape[0] // kernels.BLOCK)
    for t in range(1, steps):
        mu = 2.0 / (t + 2)
        kernels.advance(level, gram[order[t % order.shape[0]]], offset, 1.0 - mu, mu, True, least, second)
    return least.min()


def seconds(run: Callable[[], object], repeats: int = 5) -> float:
    """Median wall time, after one call to compile and warm up."""
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def side_by_side(rows: int, p: int, steps: int, numpy_steps: int) -> None:
    """One line for each selection: microseconds a step of the three, and their ratios."""
    rng = np.random.default_rng(0)
    features = rng.integers(0, 2, (rows, p)) * 2.0 - 1.0
    labels = np.clip(features[:, :10].sum(axis=1) / 10 + 0.1 * rng.standard_normal(rows), -1, 1)
    problem = LeastSquares.from_records(features, labels, L1Ball(p))
    moments = problem.moments
    assert moments.gram is not None
    order = rng.integers(0, p, 1021)
    size = kernels.padded(p)
    floor = seconds(lambda: _update(moments.gram, np.zeros(p), steps, order)) / steps
    scan = seconds(lambda: _scan(moments.gram, np.zeros(size), np.zeros(size), steps, order)) / steps
    print(
        f"N={rows} p={p}: coefficient update alone {floor * 1e6:.2f} us a step, with the least score {scan * 1e6:.2f}"
    )
    empty = np.zeros((0, p))
    for kind in ("laplace", "gumbel"):
        for n in (1e5, 1e7):  # how noisy the scores are: n and epsilon = 1 set lambda
            scale = 4 * np.sqrt(8 * (2 * n) ** (2 / 3) * np.log(1e6)) / n
            slow = seconds(lambda s=scale: straightforward(features, labels, numpy_steps, s, rng), 3) / numpy_steps

            def fast(s: float = scale, kind: str = kind) -> None:
                kernels.vertex_frank_wolfe(
                    moments.gram, empty, np.zeros(p), moments.cross, 1.0, True, np.zeros(p), np.zeros(p), steps, s,
                    kernels.KINDS[kind], False, rng,
                )  # fmt: skip

            quick = seconds(fast) / steps
            print(
                f"  {kind:8s} lambda={scale:.4f}: numpy {slow * 1e6:7.1f} us, compiled {quick * 1e6:5.2f} us, "
                f"{slow / quick:5.0f} times faster, {quick / floor:4.1f} x update, {quick / scan:4.1f} x with scan"
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
    wall = seconds(lambda: solver.solve(problem, budget, rng), 3)
    each = wall / schedule.steps * 1e9
    print(f"{label:12s} {n:18.0e} {p:10.0e} {schedule.steps:10d} {wall:9.4f} {each:11.1f} {each / p:17.3g}")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer steps of the numpy loop")
    few = parser.parse_args().quick
    with threadpool_limits(1):
        side_by_side(rows=2000, p=1000, steps=50_000, numpy_steps=50 if few else 300)
        growth()


if __name__ == "__main__":
    main()
