"""One experiment from its name to its verdict: what the command and a notebook call alike."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprepro.config.compose import compose
from dprepro.config.experiment import WORKERS_ALL, Experiment, build_experiment
from dprepro.config.overrides import literal
from dprepro.engine.code import behind, libraries
from dprepro.engine.pools import check_reachable
from dprepro.engine.room import check_room
from dprepro.engine.store import Store
from dprepro.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from dprepro.engine.progress import Progress
    from dprepro.engine.runner import Outcome as Execution
    from dprepro.report.publish import Published

NUMERICAL = ("numpy", "scipy", "numba")
"""Libraries that every worker must have in the same version."""

VERSIONED = ("dprepro", "numpy", "scipy", "numba", "pandas", "dp-accounting", "hydra-core", "matplotlib")


PEERS = ("diffprivlib", "opacus", "torch", "scikit-learn")
"""Versioned where they are installed."""

GROUPS = ("algorithm", "construction")


@dataclass(frozen=True)
class Outcome:
    """What a run gives.

    Attributes:
        published: what the results folder holds.
        failed: number of cells that failed.
        measured: number of cells measured now.
        reused: number of cells that the store held.
        again: why some of those measured now had been in the store; empty if none was.
        reach: of overrides that touch only some of the series, how many.
    """

    published: Published
    failed: int
    measured: int
    reused: int
    again: str = ""
    reach: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """The measurements, one line for each cell and quantity."""
        return self.published.frame

    @property
    def verdict(self) -> dict[str, Any]:
        """The content of verdict.json."""
        return self.published.verdict

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self.published.folder

    @property
    def figure(self) -> Figure:
        """The figure, drawn anew as a matplotlib object."""
        return self.published.figure()

    def __str__(self) -> str:
        return self.published.text

    def _repr_png_(self) -> bytes:
        """What a notebook shows where a cell ends with an outcome."""
        return self.published.png()


def run(experiment: str, *, config_dir: str | None = None, progress: bool = True, **changes: Any) -> Outcome:
    """Run an experiment by name, as ``python -m dprepro +experiment=NAME`` does, and return what it gives.

    ``changes`` replace keys of its configuration, mappings key by key: ``run("lasso_rate", sweep={"p": [100]})``; a
    name for ``algorithm`` or ``construction`` chooses from the config groups.

    Raises:
        InputError: an unknown name or key, or a value that cannot be.
        Interrupted: on Ctrl-C; what was measured is stored. SIGTERM and its like are taken for it by the commands only.
    """
    overrides = [f"+experiment={experiment}"]
    for key, value in changes.items():
        if key in GROUPS and isinstance(value, str):
            overrides.append(f"{key}={value}")
        else:
            overrides += [f"++{line}" for line in _flatten(key, value)]
    return run_experiment(build_experiment(compose(overrides, config_dir)), progress=progress)


def run_experiment(experiment: Experiment, progress: bool | Progress = True) -> Outcome:
    """Measure what the store lacks, then judge, draw and write the results folder."""
    return measure_experiment(experiment, progress).publish()


@dataclass(frozen=True)
class Stored:
    """A run whose cells are in the store, before it is judged: small enough to be sent to another process.

    Attributes:
        run_id: of the run in the store of ``results_dir``.
        experiment: its name.
        results_dir: as in the settings.
        workers: as in the settings, with a number for all of them.
        provenance: what the verdict says of where it comes from.
        done: what was measured.
        reach: as in `Outcome`.
    """

    run_id: int
    experiment: str
    results_dir: str
    workers: int | str
    provenance: dict[str, Any]
    done: Execution
    reach: tuple[str, ...]

    def publish(self) -> Outcome:
        """Judge, draw and write the results folder; raises InputError."""
        from dprepro.report.publish import alone, publish

        with Store.open(self.results_dir, create=True) as store, alone(self.results_dir):
            run = next((one for one in store.runs(self.experiment) if one.id == self.run_id), None)
            if run is None:
                raise InputError(f"the store in {self.results_dir} was removed or replaced during the run")
            published = publish(store, replace(run, provenance=self.provenance), self.results_dir)
            # Only now: a run that cannot be judged is none that the ledger should take for the latest.
            store.finish_run(self.run_id, self.provenance)
        done = self.done
        return Outcome(published, done.failed, done.measured, done.reused, _again(done), self.reach)


def measure_experiment(experiment: Experiment, progress: bool | Progress = True) -> Stored:
    """Measure what the store lacks; raises Interrupted."""
    from dprepro.engine.runner import execute

    settings, cells = experiment.settings, experiment.cells
    check_reachable(settings.workers)
    check_room(len(cells), settings.results_dir)
    with Store.open(settings.results_dir, create=True) as store:
        provenance = _provenance(experiment)
        store.made = json.dumps({key: provenance[key] for key in ("commit", "versions")}, sort_keys=True)
        codes = behind({cell.code for cell in cells})
        asked = (experiment.name, experiment.config, experiment.overrides)
        run_id = store.begin_run(*asked, provenance, cells, codes, experiment.sources)
        started = time.perf_counter()
        workers = _cores() if settings.workers == WORKERS_ALL else settings.workers
        done = execute(
            experiment.study.measure,
            cells,
            store,
            workers=workers,
            progress=progress,
            label=experiment.name,
            reuse=settings.reuse,
            sources={name: told for one in (*codes.values(), libraries(NUMERICAL)) for name, told in one.items()},
        )
        provenance["seconds"] = round(time.perf_counter() - started, 3)
    return Stored(run_id, experiment.name, settings.results_dir, workers, provenance, done, experiment.reach)


def _again(done: Execution) -> str:
    """Why cells were measured that the store had held."""
    why = []
    if done.other:
        modules = (
            f" ({', '.join(done.changed[:3])}{' and more' if len(done.changed) > 3 else ''})" if done.changed else ""
        )
        why.append(f"{done.other} had been measured by other code{modules}")
    if done.damaged:
        why.append(f"{done.damaged} were damaged in the store")
    return "; ".join(why)


def _cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _flatten(prefix: str, value: Any) -> list[str]:
    """Nested mappings as overrides in Hydra's grammar."""
    if isinstance(value, Mapping) and value:
        return [line for key, one in value.items() for line in _flatten(f"{prefix}.{key}", one)]
    return [f"{prefix}={literal(value)}"]


def _provenance(experiment: Experiment) -> dict[str, Any]:
    return {
        "versions": _versions(),
        "commit": _commit(),
        "seed": experiment.settings.seed,
        "platform": platform.platform(),
        "cells": len(experiment.cells),
        "seconds": 0.0,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


@lru_cache(maxsize=1)
def _versions() -> dict[str, str]:
    found = {"python": sys.version.split()[0]}
    for name in VERSIONED:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "unknown"
    for name in PEERS:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


@lru_cache(maxsize=1)
def _commit() -> str:
    """Commit of the checkout that the package is run from; empty for an installed one. ``+`` marks local changes."""
    root = Path(__file__).resolve().parent.parent
    if not (root / ".git").exists():
        return ""
    try:
        git = ["git", "-C", str(root)]
        commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        changed = subprocess.run([*git, "status", "--porcelain", "-uno"], capture_output=True, text=True, check=True)
        return commit + ("+" if changed.stdout.strip() else "")
    except (OSError, ValueError, subprocess.CalledProcessError):
        return ""
