"""``python -m dprepro.verify [share=.02] [results_dir=DIR]``: measure a random share of a store again and compare."""

from __future__ import annotations

import math
import random
from typing import Any

from dprepro.command import arguments_of, console
from dprepro.errors import DpreproError, InputError

TOLERANCE = 1e-9

HELP = """usage: python -m dprepro.verify [share=.02] [results_dir=DIR] [--config-dir DIR]

Measures a random share of the cells of every experiment's latest run again, on
this machine, and compares: bit by bit with cells that a CPU of this type made,
to a relative 1e-9 with those of another type. Nothing is stored.

exit codes: 0 all agree, 1 some do not, 2 bad input"""


def main(arguments: list[str]) -> int:
    """The exit code; see HELP."""
    values = arguments_of(arguments, {"results_dir": "results", "share": ".02", "--config-dir": ""}, HELP)
    if values is None:
        return 0
    config_dir = values["--config-dir"] or None
    try:
        share = float(values["share"])
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise InputError(f"share must be in (0, 1], got share={values['share']}")
    from dprepro.report.soundness import existing_store

    results_dir = existing_store(values["results_dir"])
    from dprepro.engine.store import Store

    worst = 0
    with Store.open(results_dir) as store:
        for name in sorted({run.experiment for run in store.runs()}):
            run = store.latest(name) or store.latest(name, published=False)
            assert run is not None
            try:
                said, wrong = compared(store, name, list(run.overrides), config_dir, share)
            except DpreproError as error:
                said, wrong = f"cannot be measured again: {' '.join(str(error).split())}", 1
            print(f"{name}: {said}")
            worst = max(worst, min(wrong, 1))
    print("all agree" if not worst else "not all agree")
    return worst


def compared(store: Any, name: str, overrides: list[str], config_dir: str | None, share: float) -> tuple[str, int]:
    """What the comparison of one experiment says, and how many cells differ."""
    from dprepro.config.compose import compose
    from dprepro.config.experiment import build_experiment
    from dprepro.engine.measuring import cpu_type, measure_cell, one_thread

    experiment = build_experiment(compose([f"+experiment={name}", *overrides], config_dir))
    cells = {cell.key: cell for cell in experiment.cells}
    drawn = random.sample(sorted(cells), max(1, math.ceil(share * len(cells))))
    stored = store.results(drawn)
    one_thread()
    differ, exact, other = [], 0, 0
    for key, (status, rows, code, cpu) in stored.items():
        cell = cells[key]
        if code != cell.code or status.startswith("failed"):
            other += 1
            continue
        again = measure_cell(experiment.study.measure, cell)
        same_machine = cpu == cpu_type()
        exact += same_machine
        now = [[row.quantity, row.value, row.bound] for row in again.rows]
        tolerance = 0.0 if same_machine else TOLERANCE
        if again.status != status or not agree([row[:3] for row in rows], now, tolerance):
            differ.append(f"{cell.series} at " + ", ".join(f"{axis}={value:g}" for axis, value in cell.axes.items()))
    count = len(stored) - other
    said = f"{count - len(differ)} of {count} cells agree ({exact} bit by bit)"
    said += f"; {other} of other code or failed" if other else ""
    said += f"; {len(drawn) - len(stored)} missing or damaged" if len(drawn) > len(stored) else ""
    return said + (f"; different: {'; '.join(differ[:3])}" if differ else ""), len(differ) + len(drawn) - len(stored)


def agree(one: list[list[Any]], other: list[list[Any]], tolerance: float) -> bool:
    """Whether two lists of (quantity, value, bound) are equal up to a relative tolerance."""
    return len(one) == len(other) and all(
        a == b or (isinstance(a, float | int) and isinstance(b, float | int) and math.isclose(a, b, rel_tol=tolerance))
        for left, right in zip(one, other, strict=True)
        for a, b in zip(left, right, strict=True)
    )


if __name__ == "__main__":
    console(main, "dprepro.verify")
