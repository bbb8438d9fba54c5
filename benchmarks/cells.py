"""What a cell costs, from its configuration to verdict and figure, beside benchopt's runner and a bare joblib loop.

    python benchmarks/cells.py [--quick | CELLS]

Every cell of `released_marginals` is one release of a mean of 200 numbers with normal noise, its projection, and its
risk. The joblib loop measures the same cells by the same function, one call a cell, and keeps the rows in a list;
benchopt runs the same arithmetic as a solver, a repetition a cell. Both are measured where they are installed, never
needed: benchopt may be in an environment of its own, if its command is on the PATH. Times are of the processor, of
children too, and marginal: of many cells less those of few, over the difference, so that imports, figures and folders
count for none.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from yardstick import yardstick

from dprepro.config.checked_experiment import Experiment, build_experiment
from dprepro.config.compose import compose
from dprepro.engine import measure_cell
from dprepro.session import run_experiment

GRID = "sweep.n=[1000,3000,10000,30000,100000]"
FASTER, DEARER = 100, 3
"""How many times benchopt's rate there should be, and how many times the loop's cost there may be."""

FILES = {
    "objective.py": '''
from benchopt import BaseObjective
class Objective(BaseObjective):
    name = "mean"
    sampling_strategy = "run_once"
    def set_data(self, mean, scale):
        self.mean, self.scale = mean, scale
    def get_objective(self):
        return dict(mean=self.mean, scale=self.scale)
    def evaluate_result(self, theta):
        return dict(value=float(self.mean @ self.mean) ** 0.5 - float(self.mean @ theta))
    def get_one_result(self):
        return dict(theta=self.mean)
''',
    "datasets/slope.py": '''
import numpy as np
from benchopt import BaseDataset
class Dataset(BaseDataset):
    name = "slope"
    def get_data(self):
        return dict(mean=np.full(200, 200**-0.5), scale=1e-3)
''',
    "solvers/released.py": '''
import numpy as np
from benchopt import BaseSolver
class Solver(BaseSolver):
    name = "released"
    sampling_strategy = "run_once"
    def set_objective(self, mean, scale):
        self.mean, self.scale = mean, scale
    def run(self, _):
        released = self.mean + self.scale * np.random.default_rng().standard_normal(200)
        self.theta = released / max(1.0, float(released @ released) ** 0.5)
    def get_result(self):
        return dict(theta=self.theta)
''',
}  # fmt: skip
"""A benchmark as benchopt wants it."""


def experiment(algorithm: str, replicates: int, folder: str) -> Experiment:
    """Five grid points with so many replicates each."""
    words = [f"algorithm={algorithm}", "construction=linear_slope", GRID]
    return build_experiment(compose(["+experiment=pair", *words, f"replicates={replicates}", f"results_dir={folder}"]))


def processor() -> float:
    """Seconds of this process and of its children that have ended."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def timed(run: Callable[[], object]) -> float:
    """Of one call."""
    start = processor()
    run()
    return processor() - start


def marginal(run: Callable[[int], float], few: int, many: int) -> float:
    """Microseconds of a further cell; ``run`` gives the seconds of so many."""
    run(few)  # imports, and loads kernels
    return (run(many) - run(few)) / (many - few) * 1e6


def measured(algorithm: str, few: int, many: int) -> tuple[float, float]:
    """Microseconds of a further cell, measured and published; and of one when all are stored."""
    again = dict[int, float]()

    def run(cells: int) -> float:
        with tempfile.TemporaryDirectory() as folder:

            def whole() -> None:
                run_experiment(experiment(algorithm, cells // 5, folder), progress=False)

            first = timed(whole)
            again[cells] = timed(whole)
            return first

    return marginal(run, few, many), (again[many] - again[few]) / (many - few) * 1e6


def looped(algorithm: str, few: int, many: int) -> float | None:
    """Microseconds of a further cell in a loop of joblib in one process; None where joblib is missing."""
    try:
        from joblib import Parallel, delayed
    except ImportError:
        return None

    def run(cells: int) -> float:
        made = experiment(algorithm, cells // 5, "unused")
        own = [cell for cell in made.cells if cell.series == "pair"]
        measure = made.study.measure
        return timed(lambda: Parallel(n_jobs=1)(delayed(measure_cell)(measure, cell) for cell in own))

    return marginal(run, few, many)


def benchopted(few: int, many: int) -> float | None:
    """Microseconds of a further repetition by benchopt's runner; None where its command is missing."""
    if (command := shutil.which("benchopt")) is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text.lstrip(), encoding="utf-8")

        def run(repetitions: int) -> float:
            words = ["run", folder, "-r", f"{repetitions}", "--no-cache", "--no-plot", "--no-html", "--no-display"]
            return timed(lambda: subprocess.run(
                [command, *words], check=True, capture_output=True, cwd=folder, env={**os.environ, "HOME": folder},
            ))  # fmt: skip

        return marginal(run, few, many)


def cell_costs(cells: int) -> list[str]:
    """Print a line for each algorithm; what misses its goal is said in the lines returned."""
    few, behind = max(cells // 10, 50), list[str]()
    print(f"a cell, us of the processor, marginal from {few} to {cells} cells of one process")
    runner = benchopted(10, 60)
    for algorithm in ("data_free", "released_marginals"):
        ours, again = measured(algorithm, few, cells)
        loop = looped(algorithm, few // 5, cells // 5)
        said = f"  {algorithm:18s} measured, judged and drawn {ours:6.1f}, found again {again:5.1f}"
        if loop is None:
            said += "; joblib: not installed"
        else:
            said += f"; joblib loop {loop:6.1f}, ratio {ours / loop:.2f}"
            behind += [f"{algorithm}: {ours / loop:.2f} times the loop, not {DEARER}"] if ours > DEARER * loop else []
        if algorithm != "data_free" and runner is not None:
            said += f"; benchopt {runner:.0f}, ratio {runner / ours:.0f}"
            behind += [f"{runner / ours:.0f} times benchopt's rate, not {FASTER}"] if runner < FASTER * ours else []
        print(said, flush=True)
    if runner is None:
        print("  benchopt: not installed")
    print(f"at least {FASTER} times benchopt's rate and at most {DEARER} times the loop, but for: "
          f"{'; '.join(behind) or 'none'}")  # fmt: skip
    return behind


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cells", nargs="?", type=int, default=200_000, help="how many [200000]")
    parser.add_argument("--quick", action="store_true", help="10000 cells")
    options = parser.parse_args()
    print(yardstick())
    cell_costs(10_000 if options.quick else options.cells)


if __name__ == "__main__":
    main()
