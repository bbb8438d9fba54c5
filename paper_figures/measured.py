"""What a figure is drawn from: the latest published run of an experiment, as its store has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprepro.engine.store import FILE_NAME, Store
from dprepro.errors import DpreproError, InputError
from dprepro.report.publish import judge_run

if TYPE_CHECKING:
    import pandas as pd


class NotMeasuredError(DpreproError):
    """A figure needs experiments that the store does not hold: the message names the command that measures them."""


@dataclass(frozen=True)
class Measured:
    """One experiment: ``frame``, its measurements; ``verdict``, the content of verdict.json; ``config``, its YAML."""

    frame: pd.DataFrame
    verdict: dict[str, Any]
    config: dict[str, Any]

    def check(self, name: str) -> Mapping[str, Any]:
        """A check's result; raises InputError where the stored run has none of that name."""
        try:
            return dict(self.verdict["checks"][name])
        except KeyError:
            raise InputError(f"the stored run of {self.verdict['experiment']} has no check {name!r}") from None


@dataclass
class Measurements:
    """The latest finished run without overrides of each experiment in a results folder, judged when first asked for.

    Raises:
        InputError: there is no store in the folder.
    """

    results_dir: str
    _known: dict[str, Measured] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (Path(self.results_dir) / FILE_NAME).is_file():
            raise InputError(
                f"there is no store in {self.results_dir}; run `python -m dprepro -m '+experiment=glob(*)'` first, "
                "or name another results_dir"
            )

    def of(self, name: str) -> Measured:
        """One experiment; raises NotMeasuredError."""
        return self.all_of([name])[name]

    def all_of(self, names: Iterable[str]) -> dict[str, Measured]:
        """Several experiments by name; NotMeasuredError names all that are missing."""
        with Store.open(self.results_dir) as store:
            runs = {name: store.latest(name) for name in names}
            missing = [name for name, run in runs.items() if run is None]
            if missing:
                several = ",".join(missing)
                where = "" if self.results_dir == "results" else f" results_dir={self.results_dir}"
                flag = "-m " if len(missing) > 1 else ""
                raise NotMeasuredError(
                    f"{several.replace(',', ', ')} not measured yet; run: "
                    f"python -m dprepro {flag}+experiment={several}{where}"
                )
            for name, run in runs.items():
                if run is not None and name not in self._known:
                    frame, integrity = store.measurements(run.id)
                    verdict = judge_run(run, frame, integrity.problem)
                    self._known[name] = Measured(frame, verdict, run.config)
        return {name: self._known[name] for name in runs}
