"""``python -m dprepro.heldout``: judge every claim once more on a grid that no YAML holds."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprepro.commands.ending import arguments_of, console, tell_error
from dprepro.errors import DpreproError, InputError, MissingDependency, unknown

if TYPE_CHECKING:
    from dprepro.config.compose import Composed

HELP = """usage: python -m dprepro.heldout [NAME ...] [seconds=150] [results_dir=DIR] [--config-dir DIR]

Runs every experiment that results_dir (default: results) holds, or the named
ones, on a grid that no YAML holds, in results_dir/heldout: sizes between and
beyond those shipped, another epsilon, delta and p, by one rule
(dprepro.config.heldout). Writes results_dir/heldout.json and heldout.md: which
claims came out otherwise than on the shipped grid, each with its explanation.
An experiment that takes more than so many seconds of a processor is tried once
more without its costly values, and then left out. What was measured is kept;
an interrupted run is resumed by the same command.

exit codes: 0 all were judged or left out, 1 some failed, 2 bad input"""

FOLDER = "heldout"


def main(arguments: list[str]) -> int:
    """The exit code; see HELP."""
    asked = [one for one in arguments if "=" not in one and not one.startswith("-") and one != _folder_of(arguments)]
    values = arguments_of(
        [one for one in arguments if one not in asked],
        {"results_dir": "results", "seconds": "150", "--config-dir": ""},
        HELP,
    )
    if values is None:
        return 0
    if not values["seconds"].isdigit() or int(values["seconds"]) < 1:
        raise InputError(f"seconds must be a whole number of at least 1, got seconds={values['seconds']}")
    import dprepro.session
    import dprepro.studies  # noqa: F401, loaded once: every experiment runs in a copy of this process
    from dprepro.engine.store import Store
    from dprepro.report.heldout import FAILED, counts, otherwise, write
    from dprepro.report.soundness import existing_store

    results_dir = Path(existing_store(values["results_dir"]))
    with Store.open(results_dir) as store:
        names = sorted({run.experiment for run in store.runs() if store.latest(run.experiment) is not None})
    for name in asked:
        if name not in names:
            raise unknown("experiment", name, names)
    found = []
    for name in asked or names:
        found.append(judged(name, results_dir, int(values["seconds"]), values["--config-dir"] or None))
        claims = counts(found[-1:])
        print(f"{name}: {found[-1]['state']}, {', '.join(f'{claims[one]} {one}' for one in claims)}", flush=True)
    for path in write(found, results_dir):
        print(path)
    print(f"{len(otherwise(found))} of {counts(found).total()} claims came out otherwise on a held-out grid")
    return int(any(one["state"].startswith(FAILED) for one in found))


def _folder_of(arguments: list[str]) -> str:
    """What stands after --config-dir; empty if it is not given."""
    before = arguments.index("--config-dir") + 1 if "--config-dir" in arguments else len(arguments)
    return arguments[before] if before < len(arguments) else ""


def judged(name: str, results_dir: Path, seconds: int, config_dir: str | None) -> dict[str, Any]:
    """The entry of an experiment, measured in a process of its own, which ends where its time is up."""
    from dprepro.config.heldout import NEAR, WHOLE
    from dprepro.regular_files import kept_within
    from dprepro.report.heldout import FAILED, TOO_LONG

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

    from dprepro.regular_files import replace_file
    from dprepro.report.heldout import FAILED

    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    spent = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    resource.setrlimit(resource.RLIMIT_CPU, (int(spent) + seconds, resource.RLIM_INFINITY))
    folder = results_dir / FOLDER
    try:
        entry = measured(name, results_dir, config_dir, less)
    except MissingDependency as error:
        entry = {"experiment": name, "state": f"skipped: {error}", "grid": "", "checks": []}
    except DpreproError as error:
        tell_error(f"{name}: {error}")
        entry = {"experiment": name, "state": f"{FAILED}: {error}", "grid": "", "checks": []}
    replace_file(folder / name / "heldout.json", json.dumps(entry, indent=1, allow_nan=False).encode())


def measured(name: str, results_dir: Path, config_dir: str | None = None, less: int = 0) -> dict[str, Any]:
    """Run an experiment on its held-out grid, and hold its verdicts against those of the shipped one.

    Raises:
        InputError: the grid cannot be run, or results_dir has no verdict of the shipped one.
    """
    from dataclasses import replace

    from dprepro.config.compose import compose
    from dprepro.config.experiment import build_experiment
    from dprepro.config.heldout import as_shipped, held_out
    from dprepro.engine.store import Store
    from dprepro.report.heldout import FAILED, JUDGED, UNMOVED, entries
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
        run = next(one for one in store.runs(name) if one.id == run_id)
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
    from dprepro.regular_files import bytes_of

    path = results_dir / name / "verdict.json"
    try:
        return {key: one["verdict"] for key, one in json.loads(bytes_of(path))["checks"].items()}
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} is missing or damaged; python -m dprepro.ledger makes it anew") from error


def refused(composed: Composed) -> int:
    """How many series of a configuration cannot be measured; raises InputError for all."""
    import numpy as np

    from dprepro.config.experiment import check
    from dprepro.config.heldout import refused_series

    checked = check(composed.config)
    with np.errstate(all="ignore"):
        return refused_series(checked.study, checked.study.cells(checked.design))


if __name__ == "__main__":
    console(main, "dprepro.heldout")
