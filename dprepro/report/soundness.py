"""What can be said of a store without measuring: the file, every cell's digest, every run's completeness.

And whether what stands beside it, verdicts and configurations, is what its runs were judged to be and asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from dprepro.engine.store import FILE_NAME, Changes, Integrity, Run, Store
from dprepro.errors import InputError, printable
from dprepro.report.publish import check_record
from dprepro.report.standing import all_standing


@dataclass(frozen=True)
class Examined:
    """A run with what is wrong with it, and with what its experiment asks for now that it did not."""

    run: Run
    integrity: Integrity
    changes: Changes

    @property
    def problem(self) -> str:
        """In words; empty if nothing is wrong."""
        return "; ".join(filter(None, (self.integrity.problem, str(self.changes), self.changes.absent)))


@dataclass(frozen=True)
class Soundness:
    """A store under test.

    Attributes:
        file: what is wrong with the file and its tables.
        damaged: number of cells that are not as they were stored, in whatever run.
        runs: of each experiment the latest run, the latest one without overrides, and those of standing verdicts.
        unread: runs that cannot be read, by experiment.
        verdicts: what is wrong with those that stand in folders, by folder.
    """

    file: list[str]
    damaged: int
    runs: list[Examined]
    unread: dict[str, str]
    verdicts: dict[str, str] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """Whether there is something, and nothing is wrong with it."""
        wrong = self.file or self.damaged or self.unread or self.verdicts or any(run.problem for run in self.runs)
        return bool(self.runs) and not wrong

    @property
    def broken(self) -> list[tuple[str, list[str]]]:
        """The experiments that are to be run again, with the overrides of their runs."""
        again = [(run.run.experiment, _asked(run.run)) for run in self.runs if run.problem]
        beside = [*self.unread, *(place.partition("/")[0] for place in self.verdicts)]
        for name in dict.fromkeys(name for name in beside if name not in {known for known, _ in again}):
            again += [(name, _asked(examined.run)) for examined in self.runs if examined.run.experiment == name] or [
                (name, [])
            ]
        return again

    def lines(self) -> list[str]:
        """What was found, a line each."""
        said = [f"the file: {line}" for line in self.file]
        if self.damaged:
            said.append(f"{self.damaged} cells are not as they were stored")
        said += [f"{name}: {reason}" for name, reason in (*self.unread.items(), *self.verdicts.items())]
        for run in self.runs:
            marked = f"{run.run.experiment} {' '.join(run.run.overrides)}".strip()
            said.append(f"{marked}: {run.problem or f'{run.integrity.cells} cells, all sound'}")
        said += [] if self.runs or self.unread else ["the store holds no run"]
        return [printable(line) for line in said]


def existing_store(results_dir: str) -> str:
    """The folder, if there is a store in it; raises InputError otherwise."""
    file = Path(results_dir) / FILE_NAME
    if not file.is_file() and not file.with_name(f"{FILE_NAME}-wal").is_file():
        raise InputError(f"there is no store in {results_dir}; run an experiment first, or name another results_dir")
    return results_dir


def _asked(run: Run) -> list[str]:
    """The overrides of a run, with the label of its folder if it has one."""
    label = run.config.get("label")
    return [*run.overrides, *([f"label={label}"] if label else [])]


def examine(results_dir: str | Path, since: Callable[[Run], Changes]) -> Soundness:
    """Test a store; ``since`` says what an experiment asks for now that its run did not.

    Raises:
        InputError: it is missing, or cannot be read at all.
    """
    with Store.open(results_dir) as store:
        health, scan, every = store.health(), store.scan(), store.runs()
        verdicts, wanted = dict[str, str](), dict[int, Run]()
        for verdict in all_standing(results_dir, {run.mark: run for run in every}):
            if verdict.problem:
                verdicts[verdict.place] = verdict.problem
            if verdict.run:
                wanted[verdict.run.id] = verdict.run
        for name in sorted({run.experiment for run in every}):
            latest = (store.latest(name), store.latest(name, published=False))
            wanted |= {run.id: run for run in latest if run}
        runs, unread = [], {}
        for run in sorted(wanted.values(), key=lambda run: (run.experiment, bool(run.overrides), run.id)):
            try:
                integrity = store.integrity(run.id, scan)
                if not integrity.record:
                    check_record(run)
                runs.append(Examined(run, integrity, since(run)))
            except InputError as error:
                unread[run.experiment] = str(error)
        return Soundness(health, len(scan.damaged), runs, unread, verdicts)
