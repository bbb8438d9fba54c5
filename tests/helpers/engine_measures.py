"""Measurements for the engine's tests, in a module that worker processes can import; also the child to be killed."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dprepro.engine import Cell, Row, Store, execute, expand, runner
from dprepro.engine.cell_lines import Line
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


SELF_KILLING, ENDLESS, KILLED_ONCE = ("ours", 3, 10, 1.0), ("ours", 1, 10, float("inf")), ("naive", 2, 20, 1.0)
"""Series, replicate, n and epsilon of the cells of which `troubled` makes trouble."""


def troubled(cell: Cell, rng: np.random.Generator) -> list[Row]:
    """As `solve`, but one cell ends its process, one never ends, and one has its worker killed the first time.

    `beside` is a folder for marks, which shapes no number.
    """
    place = cell.series, cell.replicate, cell.axes["n"], cell.axes["epsilon"]
    assert place not in (SELF_KILLING, KILLED_ONCE) or os.getpid() != int(os.environ["ENGINE_PARENT"])
    if place == SELF_KILLING:
        os.kill(os.getpid(), signal.SIGSEGV)
    elif place == ENDLESS:
        return endless(replace(cell, series="ours", replicate=1, axes={"n": 10.0}), rng)
    elif place == KILLED_ONCE and first_time(cell.beside, "killed"):
        a_job = "SUBMITIT_EXECUTOR" in os.environ  # whose process is the one above its workers
        os.kill(os.getppid() if a_job else os.getpid(), signal.SIGKILL)
        time.sleep(60)
    return solve(cell, rng)


def killed_twice(cell: Cell, rng: np.random.Generator) -> list[Row]:
    """As `draw`, but its worker is killed the first two times."""
    if first_time(cell.beside, "killed") or first_time(cell.beside, "killed again"):
        os.kill(os.getpid(), signal.SIGKILL)
    return draw(cell, rng)


def killed_always(cell: Cell, rng: np.random.Generator) -> list[Row]:
    """Its worker is killed each time."""
    assert os.getpid() != int(os.environ["ENGINE_PARENT"])
    os.kill(os.getpid(), signal.SIGKILL)
    return []


def first_time(marks: str, name: str) -> bool:
    """Whether nobody has asked so before, in whatever process."""
    try:
        (Path(marks) / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


@dataclass(frozen=True)
class Lossy(runner.Chunk):
    """A chunk whose worker is gone, the first time, after it has measured and before anybody hears of it."""

    def __call__(self) -> list[Line]:
        lines = super().__call__()
        if first_time(self.cells[0].beside, "lost"):
            os._exit(1)
        return lines

    def into(self, folder: str, processes: int) -> None:
        super().into(folder, processes)
        if first_time(self.cells[0].beside, "lost"):
            shutil.rmtree(folder)
            os._exit(1)


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
