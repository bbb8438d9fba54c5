"""A stored run against its experiment as it is built now, and some of its cells against new measurements."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dprepro.errors import PremiseError
from dprepro.support.user_files import trust_again, trust_overrides

if TYPE_CHECKING:
    from dprepro.config.checked_experiment import Experiment
    from dprepro.engine.cell import Cell
    from dprepro.engine.cell_lines import Origin
    from dprepro.engine.cell_table import StoredCell
    from dprepro.engine.store import Run, Store

SPARE_SECONDS = 0.5
"""Of each run: after its share, further cells are measured for so long, small runs whole."""

SERIES_SECONDS = 2.0
"""The same, while there are series of which no cell was measured."""

BATCH = 20_000


@dataclass
class Comparison:
    """What a comparison of a run with what its experiment is now has found.

    Attributes:
        faults: what differs, of the run and of single cells.
        agreeing, exact: cells measured again that agree, and those of them that did bit by bit.
        measured: cells measured again.
        other: cells of other code than today's.
        lost: cells that are missing or damaged.
        unseen, unseen_origins: series, and origins (code, commit and versions, CPU), of which no cell was measured
            again; ``origins`` is how many there are.
    """

    faults: list[str] = field(default_factory=list)
    agreeing: int = 0
    exact: int = 0
    measured: int = 0
    other: int = 0
    lost: int = 0
    unseen: int = 0
    origins: int = 0
    unseen_origins: int = 0

    @property
    def agrees(self) -> bool:
        """Whether something was compared and nothing differs."""
        return 0 < self.measured == self.agreeing and not (self.faults or self.other or self.lost)

    def __str__(self) -> str:
        said = [f"{self.agreeing} of {self.measured} cells agree ({self.exact} bit by bit)"]
        said += [f"{self.other} are of other code"] if self.other else []
        said += [f"{self.lost} missing or damaged"] if self.lost else []
        said += [f"of {self.unseen} series none was measured again"] if self.unseen else []
        said += [f"of {self.unseen_origins} of {self.origins} origins none was"] if self.unseen_origins else []
        more = f" and {len(self.faults) - 3} more" if len(self.faults) > 3 else ""
        said += [f"different: {'; '.join(self.faults[:3])}{more}"] if self.faults else []
        return "; ".join(said)


def trust_run(run: Run) -> None:
    """Let the code of the user's own be run that a stored run names; raises InputError where it is not here."""
    for module, source in (run.config.get("own") or {}).items():
        trust_again(str(module), str(source))
    trust_overrides(run.overrides)


def compared(store: Store, run: Run, config_dir: str | None, share: float) -> Comparison:
    """Hold a run against its experiment as it is built now, and some of its cells against new measurements.

    Raises:
        DpreproError: its experiment cannot be built.
    """
    from dprepro.config.checked_experiment import build_experiment
    from dprepro.config.compose import Composed, compose
    from dprepro.config.sources import differences
    from dprepro.engine.comparing import layout_differences

    own = run.config.get("run_as")  # what stands in no YAML stands in its record
    composed = (
        Composed(run.experiment, {**run.config}, (), config_dir)
        if own
        else compose([f"+experiment={run.experiment}", *run.overrides], config_dir)
    )
    experiment = build_experiment(composed)
    found = Comparison([run.damaged] if run.damaged else [])
    if not own and (changed := differences(run.config, experiment.config)):
        found.faults.append(f"changed since the run: {', '.join(changed)}")
    found.faults += layout_differences(store.places(run.id), experiment.cells)
    for key, now in (("cells", len(experiment.cells)), ("seed", experiment.settings.seed)):
        if run.provenance.get(key) != now:
            found.faults.append(f"its record says {key}={run.provenance.get(key)}, and that is {now}")
    _hold_cells(store, experiment, share, found)
    return found


def _hold_cells(store: Store, experiment: Experiment, share: float, found: Comparison) -> None:
    """All cells against what is known without measuring, some against what measuring gives."""
    from dprepro.engine.comparing import label_fault

    cells = {cell.key: cell for cell in experiment.cells}
    keys, known = sorted(cells), _KnownCells(experiment)
    drawn = set(random.sample(keys, math.ceil(share * len(keys))))
    again: dict[bytes, StoredCell] = {}
    sound: dict[bytes, Origin] = {}
    for start in range(0, len(keys), BATCH):
        batch = keys[start : start + BATCH]
        stored = store.stored(batch)
        found.lost += len(batch) - len(stored)
        for key, value in stored.items():
            cell = cells[key]
            found.other += value.code != cell.code
            fault, doubtful = known.fault(cell, value)
            if fault := label_fault(cell, value) or fault:
                found.faults.append(f"{_place(cell)}: {fault}")
            elif key in drawn or doubtful:
                again[key] = value
            else:
                sound[key] = value.origin
    found.origins = len({*sound.values(), *(stored.origin for stored in again.values())})
    for key, value in again.items():
        _measure(experiment, cells[key], value, found)
    seen = {label for key, number in again.items() for label in (cells[key].series, number.origin)}
    _measure_more(store, experiment, {key: (cells[key], origin) for key, origin in sound.items()}, seen, found)


def _measure_more(
    store: Store,
    experiment: Experiment,
    cells: Mapping[bytes, tuple[Cell, Origin]],
    seen: set[str | Origin],
    found: Comparison,
) -> None:
    """Measure further cells while there is time, first one of each series and origin of which none was measured."""
    start, order = time.perf_counter(), random.sample(sorted(cells), len(cells))
    first: dict[str | Origin, bytes] = {}
    for key in order:
        cell, origin = cells[key]
        for label in (cell.series, origin):
            if label not in seen:
                first.setdefault(label, key)
    for key in dict.fromkeys([*first.values(), *order]):
        if time.perf_counter() - start > (SERIES_SECONDS if first else SPARE_SECONDS):
            break
        cell, origin = cells[key]
        for stored in store.stored([key]).values():
            _measure(experiment, cell, stored, found)
        for label in (cell.series, origin):
            first.pop(label, None)
    found.unseen += sum(isinstance(label, str) for label in first)
    found.unseen_origins += sum(not isinstance(label, str) for label in first)


def _measure(experiment: Experiment, cell: Cell, stored: StoredCell, found: Comparison) -> None:
    """Measure a cell again, and compare all that it says."""
    from dprepro.engine.comparing import TOLERANCE, result_fault
    from dprepro.engine.measuring import cpu_type, measure_cell, one_thread

    one_thread()
    same_machine = stored.cpu == cpu_type()
    fault = result_fault(stored, measure_cell(experiment.study.measure, cell), 0.0 if same_machine else TOLERANCE)
    found.measured += 1
    found.agreeing += not fault
    found.exact += same_machine and not fault
    if fault:
        found.faults.append(f"{_place(cell)}: {fault}")


class _KnownCells:
    """What an experiment's study knows of cells without measuring them, asked once for all replicates of a point."""

    def __init__(self, experiment: Experiment) -> None:
        self._study = experiment.study
        self._points: dict[tuple[str, int], tuple[str, Mapping[str, Mapping[str, Any]]]] = {}

    def fault(self, cell: Cell, stored: StoredCell) -> tuple[str, bool]:
        """Where a stored cell contradicts it, and whether only measuring can tell why the cell has no rows."""
        from dprepro.engine.comparing import TOLERANCE, rows_fault
        from dprepro.engine.measuring import cpu_type

        place = (cell.series, id(cell.axes))
        if place not in self._points:
            try:
                self._points[place] = "", self._study.rebuilt(cell)
            except PremiseError as error:
                self._points[place] = f"skipped: {' '.join(str(error).split())}", {}
        skipped, rebuilt = self._points[place]
        if skipped:
            return "" if stored.status == skipped else f"it was {stored.status}, and is {skipped}", False
        if stored.status != "ok":
            return "", True
        tolerance = 0.0 if stored.cpu == cpu_type() else TOLERANCE
        return rows_fault(stored, rebuilt, tolerance) if rebuilt else "", False


def _place(cell: Cell) -> str:
    axes = ", ".join(f"{axis}={value:g}" for axis, value in cell.axes.items())
    return f"{cell.series} at {axes}, replicate {cell.replicate}"
