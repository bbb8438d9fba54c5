"""One experiment from its name to its verdict: what the command and a notebook call alike."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from dprepro.config.checked_experiment import WORKERS_ALL, Experiment, build_experiment
from dprepro.config.compose import compose
from dprepro.config.overrides import literal
from dprepro.engine.code import behind, libraries
from dprepro.engine.resources import check_resources, give_back
from dprepro.engine.shards import Shard
from dprepro.engine.store import Store
from dprepro.engine.workers import check_reachable, is_setup
from dprepro.errors import Detached, InputError

if TYPE_CHECKING:
    from dprepro.budget import Budget
    from dprepro.engine.progress import Progress
    from dprepro.engine.runner import RunCounts
    from dprepro.own.experiment import Swept
    from dprepro.report.outcome import Outcome

NUMERICAL = ("numpy", "scipy", "numba")
"""Libraries that every worker must have in the same version."""

VERSIONED = ("dprepro", "numpy", "scipy", "numba", "pandas", "dp-accounting", "hydra-core", "matplotlib")


PEERS = ("diffprivlib", "opacus", "torch", "scikit-learn")
"""Versioned where they are installed."""


def run(
    experiment: str | None = None,
    *,
    algorithm: object = None,
    construction: object = None,
    sweep: Swept | None = None,
    rate: str | Callable[..., float] | None = None,
    direction: Literal["at_most", "at_least", "equals"] = "at_most",
    budget: Budget | float | tuple[float, float] | None = None,
    loss: object = None,
    constraint_set: str | None = None,
    radius: float | None = None,
    feature_bound: float | None = None,
    feature_norm: float | None = None,
    label_bound: float | None = None,
    margin: float | None = None,
    name: str = "",
    neighbours: str | None = None,
    replicates: int | None = None,
    seed: int | None = None,
    workers: int | str | None = None,
    results_dir: str | os.PathLike[str] | None = None,
    progress: bool = True,
    config_dir: str | None = None,
    **changes: Any,
) -> Outcome:
    """Measure what a theorem claims, and judge it: an experiment by name, or an algorithm of yours against a rate.

    By name it does what ``python -m dprepro +experiment=NAME`` does::

        dprepro.run("lasso_rate", sweep={"p": [100]}, workers=2)
        dprepro.run("pair", algorithm=MyAlgorithm(steps=20), construction="planted_design")

    Without a name it makes the experiment. Each axis with several values is swept by itself, with the others at the
    middle one of theirs, and has a panel of the figure and a check: the slope of the risk against the rate's own slope
    on these values, up to a constant. Where the algorithm promises privacy, what it spends is held against the budget.
    One control, the rate with twice its slope, must be refuted::

        outcome = dprepro.run(
            algorithm=MyAlgorithm(), construction="planted_design",
            sweep={"n": [2000, 6000, 20000, 60000, 200000], "p": [5, 10, 30, 80, 200]},
            rate="sqrt(p)/(n*epsilon)", direction="at_most", budget=(1, 1e-6), replicates=20,
        )
        outcome.verdict["verdict"], outcome.folder

    An object's class or function is known by its source and by what that uses (`dprepro.own.capture`), in a notebook
    too: after an edit it is measured again. What is wrong is said before anything is measured or written.

    Args:
        experiment: the name of an experiment, or None to make one of the arguments that follow.
        algorithm: an object or a class of ``dprepro.algorithms.Algorithm``; an object or a class with
            ``fit(X, y, ...)``; a function ``fit(X, y, epsilon, delta, rng) -> theta``, of which further arguments are
            given where it names them (`dprepro.own.adapters.Fitted`); a name of the configuration, as ``"noisy_gd"``;
            or a file, ``"FILE.py:NAME"``.
        construction: the data: a name of the configuration; an object or a class of
            ``dprepro.constructions.Construction``; arrays ``(X, y)`` of shapes (N, p) and (N,), of which n records are
            taken; a function of ``n``, ``p`` and ``rng`` that returns them; or ``"FILE.py:NAME"``.
        sweep: for each axis its values, or one: ``n``, ``p``, ``epsilon``, ``delta``, ``norm``, and parameters of the
            algorithm or the data by name. A slope needs 5 values over 1.5 decades. With a name it replaces axes of the
            experiment's.
        rate: the risk as a function of axes and public constants that it names, ``lambda n, p, epsilon: p / n``, or as
            a text, ``"sqrt(p)/(n*epsilon)"``; it is meant up to a constant.
        direction: whether the rate bounds the risk from above (a risk that falls faster is no contradiction), from
            below, or ``equals`` it.
        budget: epsilon, (epsilon, delta), or a ``dprepro.budget.Budget``, where these are not swept; by default
            (1, 1e-6).
        loss, constraint_set, radius: of the data, where they have such parameters; for arrays and functions by default
            ``squared``, ``l2_ball``, 1.
        feature_bound, feature_norm, label_bound: of arrays and functions, what is public about one record:
            ||x||_feature_norm <= feature_bound and |y| <= label_bound; by default 1, 2 and 1.
        margin: how far the slope may be from the rate's; by default .1.
        name: of the experiment that is made, and of its folder; by default the algorithm's.
        neighbours: ``replace_one``, ``zero_out`` or ``add_or_remove_one``.
        replicates: of each grid point, each with random numbers of its own; by default 100, or the experiment's.
        seed: of all random numbers.
        workers: a number of local processes, ``"auto"``, the address of a Dask scheduler, or a file that sets jobs of
            a queue up, ``"slurm.yaml"``.
        results_dir: where the store and ``NAME/`` with measurements, verdict and figure are; by default ``results``.
        progress: whether a bar is shown on a terminal.
        config_dir: a folder with experiments and groups of your own.
        **changes: further keys of the configuration, mappings key by key: ``checks={"exponent_n": {"margin": .05}}``.

    Returns:
        The outcome: ``frame``, ``verdict``, ``figure``, ``folder``.

    Raises:
        InputError: an unknown name or key, or a value that cannot be; in one line.
        Interrupted: on Ctrl-C; what was measured is stored. SIGTERM and its like are taken for it by the commands only.
    """
    settings = {
        "neighbours": neighbours, "replicates": replicates, "seed": seed, "workers": workers,
        "results_dir": None if results_dir is None else os.fspath(results_dir),
    }  # fmt: skip
    settings = {key: value for key, value in settings.items() if value is not None}
    data = {
        "loss": loss, "constraint_set": constraint_set, "radius": radius, "feature_bound": feature_bound,
        "feature_norm": feature_norm, "label_bound": label_bound,
    }  # fmt: skip
    if experiment is not None:
        alone = {"rate": rate, "budget": budget, "margin": margin, "name": name or None, **data}
        if said := [key for key, value in alone.items() if value is not None]:
            raise InputError(f"{said[0]} belongs to a run that has no experiment's name; {experiment} says it itself")
        parts = {"algorithm": algorithm, "construction": construction}
        return _run_named(experiment, parts, {"sweep": sweep, **settings, **changes}, progress, config_dir)
    for key, value in (("algorithm", algorithm), ("construction", construction), ("sweep", sweep), ("rate", rate)):
        if value is None:
            raise InputError(
                f"{key} is missing: give the name of an experiment, or algorithm, construction, sweep and rate"
            )
    from dprepro.own.experiment import Asked, described

    assert sweep is not None
    assert rate is not None
    asked = Asked(
        algorithm=algorithm, construction=construction, sweep=sweep, rate=rate, direction=direction, budget=budget,
        data=data, margin=margin, name=name, settings=settings, changes=changes, config_dir=config_dir,
    )  # fmt: skip
    made = described(asked)
    built = build_experiment(made.composed)
    for line in (*made.said, *built.reach):
        print(line, flush=True)
    return run_experiment(built, progress=progress)


def _run_named(
    experiment: str, parts: Mapping[str, object], changes: Mapping[str, Any], progress: bool, config_dir: str | None
) -> Outcome:
    """Run an experiment by name; ``parts`` stand for what its configuration chooses from the groups."""
    from dprepro.own.chosen import chosen

    overrides = [f"+experiment={experiment}"]
    for group, given in parts.items():
        if isinstance(given, Mapping):
            overrides += [f"++{line}" for line in _flatten(group, given)]
        elif given is not None:
            part = chosen(group, given)
            overrides.append(f"{group}={part.said or part.name}")
            overrides += [
                f"++{line}"
                for key, parameter in part.parameters.items()
                for line in _flatten(f"{group}.{key}", parameter)
            ]
    for key, value in changes.items():
        if value is not None or key != "sweep":
            overrides += [f"++{line}" for line in _flatten(key, value)]
    return run_experiment(build_experiment(compose(overrides, config_dir)), progress=progress)


def run_experiment(experiment: Experiment, progress: bool | Progress = True) -> Outcome:
    """Measure what the store lacks, then judge, draw and write the results folder; raises InputError for a shard."""
    if experiment.settings.shard:
        raise InputError(
            f"shard={experiment.settings.shard} measures and does not judge: it is for the command, python -m dprepro"
        )
    return measure_experiment(experiment, progress).publish()


@dataclass(frozen=True)
class StoredRun:
    """A run whose cells are in the store, before it is judged: small enough to be sent to another process.

    Attributes:
        run_id: of the run in the store of ``results_dir``.
        experiment: its name.
        results_dir: as in the settings.
        workers: as in the settings, with a number for all of them.
        provenance: what the verdict says of where it comes from.
        done: what was measured.
        reach: as in `Outcome`.
        shard: which share of its cells was measured; None for all of them.
        detached: how the jobs of a queue are that nobody waits for; empty where all is measured.
    """

    run_id: int
    experiment: str
    results_dir: str
    workers: int | str
    provenance: dict[str, Any]
    done: RunCounts
    reach: tuple[str, ...]
    shard: Shard | None = None
    detached: str = ""

    @property
    def again(self) -> str:
        """Why cells were measured that the store had held."""
        return _again(self.done)

    def publish(self) -> Outcome:
        """Judge, draw and write the results folder; raises InputError, of a shard too."""
        from dprepro.report.outcome import Outcome
        from dprepro.report.publish import alone, publish

        if self.detached:
            raise InputError(f"the jobs of {self.experiment} are not collected: python -m dprepro collect")
        if self.shard:
            raise InputError(
                f"shard {self.shard} of {self.experiment} is measured, and is judged with the others: "
                "python -m dprepro merge"
            )
        give_back()  # a million cells are gone, and what follows takes as much again
        with Store.open(self.results_dir, create=True) as store, alone(self.results_dir):
            run = next((run for run in store.runs(self.experiment) if run.id == self.run_id), None)
            if run is None:
                raise InputError(f"the store in {self.results_dir} was removed or replaced during the run")
            now = replace(run, provenance=self.provenance)
            published = publish(store, now, self.results_dir, known=self.done.digest)
            # Only now: a run that cannot be judged is none that the ledger should take for the latest.
            store.finish_run(self.run_id, self.provenance)
        done = self.done
        return Outcome(published, done.failed, done.measured, done.reused, self.again, self.reach)


def measure_experiment(experiment: Experiment, progress: bool | Progress = True, detach: bool = False) -> StoredRun:
    """Measure what the store lacks; raises Interrupted. With ``detach`` jobs of a queue are left to it."""
    from dprepro.engine.runner import RunCounts, execute

    settings, cells = experiment.settings, experiment.cells
    if detach and not is_setup(settings.workers):
        raise InputError(
            "--detach leaves jobs to their queue, and needs a file that sets them up, such as workers=slurm.yaml, got "
            f"workers={settings.workers}"
        )
    check_reachable(settings.workers)
    check_resources(len(cells), settings.results_dir)
    shard = Shard.parse(settings.shard) if settings.shard else None
    with Store.open(shard.folder(settings.results_dir) if shard else settings.results_dir, create=True) as store:
        provenance = _provenance(experiment)
        store.made = json.dumps({key: provenance[key] for key in ("commit", "versions")}, sort_keys=True)
        codes = behind({cell.code for cell in cells})
        asked = (experiment.name, experiment.config, experiment.overrides)
        run_id = store.begin_run(*asked, provenance, cells, codes, experiment.sources)
        started = time.perf_counter()
        workers = _cores() if settings.workers == WORKERS_ALL else settings.workers
        sources = {name: digest for entry in (*codes.values(), libraries(NUMERICAL)) for name, digest in entry.items()}
        detached = ""
        try:
            done = execute(
                experiment.study.measure,
                shard.share(cells) if shard else cells,
                store,
                many=experiment.study.measure_many,
                workers=workers,
                cell_seconds=60 * settings.cell_minutes if settings.cell_minutes else None,
                progress=progress,
                label=experiment.name,
                reuse=settings.reuse,
                sources=sources,
                detach=detach,
            )
        except Detached as error:
            done, detached = RunCounts(len(cells), 0, 0, 0, 0, 0.0), str(error)
        provenance["seconds"] = round(time.perf_counter() - started, 3)
    return StoredRun(
        run_id, experiment.name, settings.results_dir, workers, provenance, done, experiment.reach, shard, detached
    )


def _again(done: RunCounts) -> str:
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
        return [line for key, number in value.items() for line in _flatten(f"{prefix}.{key}", number)]
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
