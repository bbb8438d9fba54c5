"""``python -m dprepro collect``: take in what jobs of a queue have measured, and judge it."""

from __future__ import annotations

from dataclasses import dataclass

from dprepro.commands.ending import say
from dprepro.commands.parser import config_dir, key, results_dir, text
from dprepro.errors import DpreproError, InputError

ABOUT = """\
Collects the jobs that a run with workers=slurm.yaml has left to their queue,
after --detach, Ctrl-C or a kill: waits for those that wait or run, takes in what
each has measured, hands in again what a job has left undone, and then judges and
draws. The run's own command, without --detach, does the same for its jobs alone.

  python -m dprepro +experiment=lasso_rate workers=slurm.yaml --detach
  python -m dprepro collect workers=slurm.yaml"""

NOTES = "exit codes: 0 all collected, 1 some cells failed or are left, 2 bad input"


@dataclass(frozen=True)
class Arguments:
    """The set-up of the jobs, and the store of their runs."""

    workers: str = key("", "the file that the jobs were set up by", text, shown="slurm.yaml")
    results_dir: str = results_dir("where the runs are")
    config_dir: str | None = config_dir()


def main(arguments: Arguments) -> int:
    """Collect run after run; the exit code is the worst.

    Raises:
        InputError: no such store, or no file that sets jobs up.
    """
    from dprepro.commands.jobs import run_built
    from dprepro.config.checked_experiment import build_experiment
    from dprepro.config.compose import compose
    from dprepro.config.overrides import literal
    from dprepro.engine.merging import newest
    from dprepro.engine.slurm import has_jobs, limit_of
    from dprepro.engine.store import Store
    from dprepro.engine.workers import is_setup
    from dprepro.report.soundness import existing_store

    if not is_setup(arguments.workers):
        raise InputError("collect needs the file that the jobs were set up by: workers=slurm.yaml")
    results = existing_store(arguments.results_dir)
    with Store.open(results) as store:
        records = newest(store.records())
    given = [f"results_dir={literal(results)}", f"workers={literal(arguments.workers)}"]
    codes = []
    for record in records:
        label = record.group[-1]
        asked = [f"+experiment={record.run.experiment}", *record.run.overrides, *([f"label={label}"] if label else [])]
        cells = {cell: code for cell, (_, code) in record.cells().items()}
        if not has_jobs(results, cells):
            continue
        # neither is among a run's overrides, and what is handed in again needs both
        limit, reuse = limit_of(results, cells), record.run.config.get("reuse")
        asked += [f"cell_minutes={limit / 60!r}"] if limit else []
        asked += [f"reuse={literal(reuse)}"] if reuse else []
        try:
            codes.append(run_built(build_experiment(compose([*asked, *given], arguments.config_dir))))
        except DpreproError as error:
            codes.append(say(error))
    if not codes:
        print(f"no run in {results} has jobs that are to be collected")
    return max(codes, default=0)
