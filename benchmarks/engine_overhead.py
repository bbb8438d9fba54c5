"""What the engine itself costs: microseconds per cell around a measurement of nothing, and seconds to load a frame.

    python benchmarks/engine_overhead.py [--quick | CELLS]

Ratios are to a plain loop over the same cells, which seeds and measures each and keeps nothing, in the same run.
"""

from __future__ import annotations

import argparse
import tempfile
import time

import numpy as np
from yardstick import yardstick

from dprepro.engine import Cell, Row, Store, execute, expand, measure_cell, runner


def nothing(cell: Cell, rng: np.random.Generator) -> list[Row]:
    """One draw."""
    return [Row("excess_risk", rng.random(), 1.0)]


def main(count: int) -> None:
    """Print one line per way of running."""
    science = '{"study":"nothing",' + ",".join(f'"key{i}":{i}' for i in range(100)) + "}"
    axes = {"n": range(100, 110), "p": range(10), "epsilon": [0.1, 1.0], "delta": [1e-6], "norm": [1.0]}
    points = expand(axes)
    runner.SERIAL_SECONDS = -1.0  # the second way goes to processes whatever the forecast
    print(yardstick())
    for workers in (1, 2):
        start = time.perf_counter()
        cells = [Cell("all", "claim", p, r, 0, science) for p in points for r in range(count // len(points))]
        made = time.perf_counter()
        assert len({cell.key for cell in cells}) == len(cells)
        keyed = time.perf_counter()
        measure_cell(nothing, cells[0])  # imports
        plain = time.perf_counter()
        for cell in cells:
            measure_cell(nothing, cell)
        begun = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder, Store.open(folder, create=True) as store:
            run = store.begin_run("nothing", {}, [], {}, cells)
            execute(nothing, cells, store, workers=workers)
            store.finish_run(run, {})
            measured = time.perf_counter()
            again = execute(nothing, cells, store, workers=workers)
            reused = time.perf_counter()
            lines = len(store.frame(run))
            loaded = time.perf_counter()
            assert lines == again.reused == len(cells)
        spent = {
            "durable": measured - begun + keyed - start,
            "measuring it alone": begun - plain,
            "making it": made - start,
            "its key": keyed - made,
            "finding it again": reused - measured,
        }
        each = ", ".join(f"{name} {seconds / len(cells) * 1e6:.1f}" for name, seconds in spent.items())
        ratio = spent["durable"] / spent["measuring it alone"]
        print(f"workers={workers}, us per cell: {each}; frame of {lines} lines: {loaded - reused:.2f} s")
        print(f"  durable is {ratio:.2f} times as long as measuring alone")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cells", nargs="?", type=int, default=100_000, help="how many [100000]")
    parser.add_argument("--quick", action="store_true", help="2000 cells")
    options = parser.parse_args()
    main(2000 if options.quick else options.cells)
