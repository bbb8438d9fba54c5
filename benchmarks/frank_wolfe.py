"""Noisy Frank-Wolfe: the compiled reduction against the straightforward numpy loop and against the floor.

    python benchmarks/frank_wolfe.py [--quick]

The floor is the coefficient update alone, level <- (1 - mu) level + mu column: one column of the Gram matrix read, one
array of p numbers read and written, a step. Its columns are random but known beforehand, so that it may fetch them
early, which an algorithm that selects cannot. Times are of the processor. Floor and reduction are run in turn, in one
process and one thread; ratios are medians over the pairs, so that a busy machine slows both; the fastest run of each
is the one that was least disturbed. The floor grows with p and the rest hardly does: a ratio of 3 is for p = 1000 and
more.

The second table is a single solve on records whose Gram matrix nobody has made, against making it; the third is time a
step against n, p and T.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits
from yardstick import yardstick

from dprepro.algorithms import Algorithm, FrankWolfe, NoisyFrankWolfe
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import Construction, RandomDesign, TunedNeedle
from dprepro.problems import Domain, L1Ball, Problem, Records, RecordsView, SquaredLoss
from dprepro.reductions import GroupedVertices, IncrementalGradients, Reduction
from dprepro.reductions.kernels import vertex_kernels
from dprepro.reductions.kernels.compiled import jit

BUDGET = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)


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


@jit(fastmath=True)
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
            start = time.process_time()
            run()
            row[k] = time.process_time() - start
    return times


def lasso(rows: int, p: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Features of signs, and labels that ten of them explain."""
    features = rng.integers(0, 2, (rows, p)) * 2.0 - 1.0
    return features, np.clip(features[:, :10].sum(axis=1) / 10 + 0.1 * rng.standard_normal(rows), -1, 1)


def on_records(features: np.ndarray, labels: np.ndarray) -> Problem:
    """The LASSO on these records, with nothing computed yet."""
    domain = Domain(SquaredLoss(), L1Ball(features.shape[1]), len(features), feature_norm=np.inf)
    return Problem(domain, {"records": RecordsView(domain, Records(features, labels))})


def side_by_side(rows: int, p: int, steps: int, numpy_steps: int, repeats: int) -> None:
    """One line for each selection and noise: microseconds a step of the three, and their ratios."""
    rng = np.random.default_rng(0)
    features, labels = lasso(rows, p, rng)
    moments = on_records(features, labels).moments.moments
    gram, ridge, factor, known = moments.matrix(), np.zeros(p), np.zeros((0, p)), np.ones(p, dtype=bool)
    order, noise_statistic = rng.integers(0, p, 1021), np.zeros(3)
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
                vertex_kernels.on_columns(
                    gram, known, factor, ridge, factor, known, p + 1, factor, ridge, moments.cross, 1.0, True,
                    np.zeros(p), np.zeros(p), 1, steps, s, kind == "laplace", False, noise_statistic, rng,
                )  # fmt: skip

            slow = float(np.median(in_turn([literal], 3))) / numpy_steps * 1e6
            pairs = in_turn([floor, fast], repeats) / steps * 1e6
            least, quick = np.median(pairs, axis=0)
            low, middle, high = np.quantile(pairs[:, 1] / pairs[:, 0], [0.25, 0.5, 0.75])
            print(
                f"{kind:9s} {scale:8.4f} {slow:8.1f} {least:8.3f} {quick:8.3f} {slow / quick:15.0f} "
                f"{middle:15.2f} ({low:.2f} to {high:.2f}), {pairs[:, 1].min() / pairs[:, 0].min():.2f}"
            )


def single_solves(quick: bool) -> None:
    """A first solve on records, and later ones on the same, against making the Gram matrix and solving with it.

    ``chosen`` are the columns that the answer has: to make just these of the Gram matrix would be p/chosen times as
    quick as the whole matrix, at best. The more steps the budget buys, the more there are.
    """
    rng = np.random.default_rng(0)
    repeats = 3 if quick else 15
    print(f"a single solve on records, ms of the processor (medians of {repeats}; the ratio too, of pairs run in turn)")
    print("algorithm          n      p  epsilon      T chosen  matrix  first solve  later  matrix/first (quartiles)")
    sizes = [(1000, 1000, 1.0), (10_000, 300, 1.0), (10_000, 300, 20.0)]
    more = [(1000, 1000, 5.0), (1000, 1000, 20.0), (300, 3000, 1.0), (10_000, 1000, 1.0), (1000, 100, 1.0)]
    for n, p, epsilon in sizes if quick else [*sizes, *more]:
        features, labels = lasso(n, p, rng)
        for kind in ("laplace", "gumbel"):
            _single(f"noisy, {kind}", NoisyFrankWolfe(selection=kind), features, labels, epsilon, repeats)
    _single("not private", FrankWolfe(steps=100), *lasso(1000, 1000, rng), 1.0, repeats)


def _single(
    label: str, algorithm: Algorithm, features: np.ndarray, labels: np.ndarray, epsilon: float, repeats: int
) -> None:
    budget, reduction = Budget(epsilon, 1e-6, Neighbours.REPLACE_ONE), IncrementalGradients(algorithm)
    problems = [on_records(features, labels) for _ in range(repeats + 1)]
    steps = algorithm.schedule(problems[0].domain, budget).steps

    def timed(run: Callable[[], object]) -> float:
        start = time.process_time()
        run()
        return (time.process_time() - start) * 1e3

    rows = []
    answer = reduction.solve(on_records(features, labels), budget, np.random.default_rng(0)).theta
    assert isinstance(answer, np.ndarray)
    for seed, problem in enumerate(problems):
        solve = partial(reduction.solve, problem, budget)
        first, later = (timed(partial(solve, np.random.default_rng(seed))) for _ in range(2))
        fresh = on_records(features, labels)  # the first solve may have made the matrix of the other
        rows.append((timed(partial(fresh.see, "moments")), first, later))
    matrix, first, later = np.median(rows[1:], axis=0)
    low, ratio, high = np.quantile([row[0] / row[1] for row in rows[1:]], [0.25, 0.5, 0.75])
    n, p = features.shape
    sizes = f"{label:14s} {n:5d} {p:6d} {epsilon:8.0f} {steps:6d} {np.count_nonzero(answer):6d}"
    print(f"{sizes} {matrix:7.1f} {first:12.2f} {later:6.2f} {ratio:13.1f} ({low:.1f} to {high:.1f})")


def growth(quick: bool) -> None:
    """Time of whole solves: free of n at equal T, T log-free, linear in p; the grouped reduction is free of p too.

    A design of 2000 rows and 3000 columns is no matrix: every step reads all of its rows.
    """
    rng = np.random.default_rng(0)
    print("solve                         n          p          T   seconds   ns a step   ns a step and p")
    sizes = [(1e5, 100), (1e6, 100), (1e7, 100), (1e6, 300), (1e6, 1000), (1e6, 3000)]
    for n, p in sizes[:2] if quick else sizes:
        _line("incremental", RandomDesign(kind="planted"), "moments", IncrementalGradients, n, p, rng)
    sizes = [(1e6, 1e3), (1e8, 1e3), (1e8, 1e12), (1e9, 1e12)]
    for n, p in sizes[:2] if quick else sizes:
        _line("grouped", TunedNeedle(), "groups", GroupedVertices, n, p, rng)


def _line(
    label: str, construction: Construction, view: str, reduction: type[Reduction], n: float, p: float,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    algorithm, point = NoisyFrankWolfe(), {"n": n, "p": p}
    domain = construction.domain(point)
    schedule = algorithm.schedule(domain, BUDGET)
    problem = Problem(domain, {view: construction.build(point, schedule.noise_scale).see(view)})
    solver = reduction(algorithm)
    each = float(np.median(in_turn([lambda: solver.solve(problem, BUDGET, rng)], 5)))
    step = each / schedule.steps * 1e9
    print(f"{label:12s} {n:18.0e} {p:10.0e} {schedule.steps:10d} {each:9.4f} {step:11.1f} {step / p:17.3g}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer and smaller sizes, fewer steps and repeats")
    quick = parser.parse_args().quick
    print(yardstick())
    with threadpool_limits(1):
        if quick:
            side_by_side(rows=500, p=300, steps=5000, numpy_steps=20, repeats=3)
        else:
            for p in (1000, 300, 3000):
                side_by_side(rows=2000, p=p, steps=50_000 if p < 3000 else 20_000, numpy_steps=300, repeats=21)
        single_solves(quick)
        growth(quick)


if __name__ == "__main__":
    main()
