"""Experiments on held-out grids, each in a process of its own, which ends where its time is up."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprepro.errors import DpreproError, InputError, MissingDependency

if TYPE_CHECKING:
    from dprepro.config.compose import Composed

FOLDER = "heldout"


def judged(name: str, results_dir: Path, seconds: int, config_dir: str | None) -> dict[str, Any]:
    """The entry of an experiment, measured in a process of its own, which ends where its time is up."""
    from dprepro.config.heldout_grid import NEAR, WHOLE
    from dprepro.report.heldout_report import FAILED, TOO_LONG
    from dprepro.support.regular_files import kept_within

    folder = kept_within(results_dir / FOLDER / name, results_dir)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "heldout.json"
    for less in (WHOLE, NEAR):
        file.unlink(missing_ok=True)
        process = multiprocessing.get_context("fork").Process(
            target=_limited, args=(name, results_dir, seconds, config_dir, less), daemon=True
        )
        process.start()
        process.join()
        if file.is_file():
            entry: dict[str, Any] = json.loads(file.read_bytes())
            return entry
        if process.exitcode is not None and process.exitcode >= 0:
            return {"experiment": name, "state": FAILED, "grid": "", "checks": []}
    return {"experiment": name, "state": TOO_LONG, "grid": "", "checks": []}


def _limited(name: str, results_dir: Path, seconds: int, config_dir: str | None, less: int) -> None:
    """Measure and judge, and write what came out; the system ends the process after its seconds of a processor."""
    import resource
    import signal

    from dprepro.report.heldout_report import FAILED
    from dprepro.support.regular_files import replace_file

    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    spent = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    resource.setrlimit(resource.RLIMIT_CPU, (int(spent) + seconds, resource.RLIM_INFINITY))
    folder = results_dir / FOLDER
    try:
        entry = measured(name, results_dir, config_dir, less)
    except MissingDependency as error:
        entry = {"experiment": name, "state": f"skipped: {error}", "grid": "", "checks": []}
    except DpreproError as error:
        entry = {"experiment": name, "state": f"{FAILED}: {error}", "grid": "", "checks": []}
    replace_file(folder / name / "heldout.json", json.dumps(entry, indent=1, allow_nan=False).encode())


def measured(name: str, results_dir: Path, config_dir: str | None = None, less: int = 0) -> dict[str, Any]:
    """Run an experiment on its held-out grid, and hold its verdicts against those of the shipped one.

    Raises:
        InputError: the grid cannot be run, or results_dir has no verdict of the shipped one.
    """
    from dataclasses import replace

    from dprepro.config.checked_experiment import build_experiment
    from dprepro.config.compose import compose
    from dprepro.config.heldout_grid import as_shipped, held_out
    from dprepro.engine.store import Store
    from dprepro.report.heldout_report import FAILED, JUDGED, UNMOVED, entries
    from dprepro.report.publish import judge_run
    from dprepro.session import measure_experiment

    shipped = shipped_verdicts(results_dir, name)
    found = held_out(compose([f"+experiment={name}"], config_dir), refused, less)
    if found is None:
        return {"experiment": name, "state": UNMOVED, "grid": "", "checks": []}
    composed, stay = found
    folder = str(results_dir / FOLDER)
    config = {**as_shipped(composed.config), "results_dir": folder, "workers": 1}
    # which series an override touches is not asked: the rule moves what is swept, and nothing else
    built = build_experiment(replace(composed, config=config, overrides=()))
    experiment = replace(built, overrides=composed.overrides)
    run_id = measure_experiment(experiment, progress=False).run_id
    with Store.open(folder) as store:
        run = next(run for run in store.runs(name) if run.id == run_id)
        frame, integrity = store.measurements(run_id)
        verdict = judge_run(run, frame, integrity.problem)
    failed = int((frame["status"].astype(str).str.startswith("failed")).sum())
    grid = "; ".join([*composed.overrides, *([f"as shipped: {', '.join(stay)}"] if stay else [])])
    return {
        "experiment": name, "state": f"{FAILED}: {failed} cells" if failed else JUDGED, "grid": grid,
        "checks": entries(verdict["checks"], experiment.settings.checks, shipped),
    }  # fmt: skip


def shipped_verdicts(results_dir: Path, name: str) -> dict[str, str]:
    """By check; raises InputError where verdict.json cannot be read."""
    from dprepro.support.regular_files import bytes_of

    path = results_dir / name / "verdict.json"
    try:
        return {key: load["verdict"] for key, load in json.loads(bytes_of(path))["checks"].items()}
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} is missing or damaged; python -m dprepro ledger makes it anew") from error


def refused(composed: Composed) -> int:
    """How many series of a configuration cannot be measured; raises InputError for all."""
    import numpy as np

    from dprepro.config.checked_experiment import check
    from dprepro.config.heldout_grid import refused_series

    checked = check(composed.config)
    with np.errstate(all="ignore"):
        return refused_series(checked.study, checked.study.cells(checked.design))
