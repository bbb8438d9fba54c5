"""Measurements for the engine's tests, in a module that worker processes can import; also the child to be killed."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

from dprepro.engine import Cell, Row, Store, execute, expand, runner
from dprepro.errors import Interrupted, PremiseError

PAUSE = float(os.environ.get("ENGINE_PAUSE", "0"))  # seconds; changes no number


def cells(replicates: int, **axes: list[float]) -> list[Cell]:
    """One claim series and one control series over a small grid."""
    grid: dict[str, list[float]] = {
        "n": [10, 20],
        "p": [2.0],
        "epsilon": [1.0, float("inf")],
        "delta": [0.0],
        "norm": [1.0],
        **axes,
    }
    return [
        Cell(series, role, point, replicate, 7, f'{{"series":"{series}"}}')
        for series, role in (("ours", "claim"), ("naive", "control"))
        for point in expand(grid)
        for replicate in range(replicates)
    ]


def draw(cell: Cell, rng: np.random.Generator) -> list[Row]:
    """One draw in each of two quantities."""
    time.sleep(PAUSE)
    return [Row("excess_risk", rng.random(), 1.0, {"note": "x", "step": 3}), Row("agreement", rng.normal())]


def solve(cell: Cell, rng: np.random.Generator) -> list[Row]:
    """A linear system whose last bits depend on the number of BLAS threads."""
    matrix = rng.normal(size=(400, 400))
    return [Row("excess_risk", float(np.linalg.solve(matrix, matrix[0]).sum()), float((matrix @ matrix).sum()))]


def mixed(cell: Cell, rng: np.random.Generator) -> list[Row]:
    """Fails, skips or succeeds, by the replicate."""
    if cell.replicate == 0 and not os.environ.get("ENGINE_HEALED"):
        raise ValueError("first line\nsecond line")
    if cell.replicate == 1:
        raise PremiseError("n must be at least p\n+ 1")
    if cell.replicate == 2 and not os.environ.get("ENGINE_HEALED"):
        return [Row("excess_risk", 1.0), Row("agreement", float("nan"))]
    return [Row("excess_risk", 1.0)]


def endless(cell: Cell, rng: np.random.Generator) -> list[Row]:
    """Does not end for one replicate at the smaller n, whatever it is told by exceptions."""
    while cell.series == "ours" and cell.replicate == 1 and cell.axes["n"] == 10:
        with suppress(Exception):
            time.sleep(0.01)
    return draw(cell, rng)


DEADLY = {
    ("ours", 3): "the process died (SIGSEGV)", ("ours", 0): "the process died (exit code 0)",
    ("naive", 1): "SystemExit: 3",
    ("naive", 0): "KeyboardInterrupt",
}  # fmt: skip
"""What becomes of cells at n = 10, epsilon = 1, by series and replicate."""


def deadly(cell: Cell, rng: np.random.Generator) -> list[Row]:
    """Ends its own worker process at some cells, or tries to."""
    said = DEADLY.get((cell.series, cell.replicate), "") if cell.axes["n"] == 10 and cell.axes["epsilon"] == 1 else ""
    assert not said or os.getpid() != int(os.environ["ENGINE_PARENT"])
    if "SIGSEGV" in said:
        os.kill(os.getpid(), signal.SIGSEGV)
    elif "exit code" in said:
        os._exit(0)
    elif "SystemExit" in said:
        sys.exit(3)
    elif said:
        raise KeyboardInterrupt
    return draw(cell, rng)


def main(folder: Path, workers: int, replicates: int) -> int:
    """What a command does: open, run, and turn Ctrl-C into exit code 130."""
    runner.SERIAL_SECONDS = -1.0
    with Store.open(folder, create=True) as store:
        plan = cells(replicates)
        run = store.begin_run("killed", {}, [], {}, plan)
        print("ready", flush=True)
        try:
            execute(draw, plan, store, workers=workers)
        except Interrupted as error:
            print(error, file=sys.stderr)
            return 130
        store.finish_run(run, {})
    return 0


if __name__ == "__main__":
    from helpers import engine_measures  # not as __main__: the workers import it by name

    sys.exit(engine_measures.main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
