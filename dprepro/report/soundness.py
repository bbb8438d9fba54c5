"""What can be said of a store without measuring: the file, every cell's digest, every run's completeness."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dprepro.engine.store import FILE_NAME, Integrity, Run, Store
from dprepro.errors import InputError


@dataclass(frozen=True)
class Soundness:
    """A store under test.

    Attributes:
        file: what SQLite says is wrong with it.
        damaged: number of cells that are not as they were stored, in whatever run.
        runs: the latest run of each experiment with what is wrong with it; those without overrides come first.
        unread: runs that cannot be read, by experiment.
    """

    file: list[str]
    damaged: int
    runs: list[tuple[Run, Integrity]]
    unread: dict[str, str]

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.file or self.damaged or self.unread or any(one.problem for _, one in self.runs))

    def lines(self) -> list[str]:
        """What was found, a line each."""
        said = [f"the file: {line}" for line in self.file]
        if self.damaged:
            said.append(f"{self.damaged} cells are not as they were stored")
        said += [f"{name}: {reason}" for name, reason in self.unread.items()]
        for run, integrity in self.runs:
            marked = f"{run.experiment} {' '.join(run.overrides)}".strip()
            said.append(f"{marked}: {integrity.problem or f'{integrity.cells} cells, all sound'}")
        return said


def existing_store(results_dir: str) -> str:
    """The folder, if there is a store in it; raises InputError otherwise."""
    if not (Path(results_dir) / FILE_NAME).is_file():
        raise InputError(f"there is no store in {results_dir}; run an experiment first, or name another results_dir")
    return results_dir


def examine(results_dir: str | Path) -> Soundness:
    """Test a store.

    Raises:
        InputError: it is missing, or cannot be read at all.
    """
    with Store.open(results_dir) as store:
        runs, unread = [], {}
        for name in sorted({run.experiment for run in store.runs()}):
            latest = {run.id: run for run in (store.latest(name), store.latest(name, published=False)) if run}
            for run in latest.values():
                try:
                    runs.append((run, store.measurements(run.id)[1]))
                except InputError as error:
                    unread[name] = str(error)
        return Soundness(store.health(), len(store.damaged()), runs, unread)
