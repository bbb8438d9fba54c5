"""``python -m dprepro verify``: measure a random share of a store again and compare."""

from __future__ import annotations

from dataclasses import dataclass

from dprepro.commands.parser import config_dir, flag, key, number_that, results_dir
from dprepro.errors import DpreproError, printable

ABOUT = """\
Builds every experiment of the store anew, with the overrides of its latest run,
and compares: the configuration, every cell's series, role and place, and what
its rows say of bounds, schedules and constants. Then measures a random share of
the cells again, on this machine, and for some seconds more of each run, first of
series, and of origins (merged stores have several), that were not met; and
compares all that they say: bit by bit with cells that a CPU of this type made,
to a relative 1e-9 with those of another type.
Nothing is stored. Code of a user's own that runs name is run with --trust only."""

NOTES = "exit codes: 0 all agree, 1 some do not, or nothing could be compared, 2 bad input"


@dataclass(frozen=True)
class Arguments:
    """The store to verify, and the share of its cells to measure again."""

    share: float = key(".02", "of the cells of each run", number_that("in (0, 1]", lambda share: 0 < share <= 1))
    results_dir: str = results_dir()
    config_dir: str | None = config_dir()
    trust: bool = flag("run the code of a user's own that stored runs name")


def main(arguments: Arguments) -> int:
    """Compare the latest runs of all experiments; 1 where one does not agree."""
    from dprepro.engine.store import Store
    from dprepro.replication.remeasured import compared, trust_run
    from dprepro.report.soundness import existing_store

    runs, agree = 0, True
    with Store.open(existing_store(arguments.results_dir)) as store:
        for name in sorted({run.experiment for run in store.runs()}):
            latest = (store.latest(name), store.latest(name, published=False))
            for run in {run.id: run for run in latest if run}.values():
                runs += 1
                try:
                    if arguments.trust:
                        trust_run(run)
                    found = compared(store, run, arguments.config_dir, arguments.share)
                    said, agrees = str(found), found.agrees
                except DpreproError as error:
                    said, agrees = f"cannot be measured again: {' '.join(str(error).split())}", False
                print(printable(f"{' '.join([name, *run.overrides])}: {said}"), flush=True)
                agree = agree and agrees
    agree = agree and runs > 0
    print("the store holds no run" if not runs else "all agree" if agree else "not all agree")
    return 0 if agree else 1
