"""``python -m dprepro.check [repair=true] [results_dir=DIR]``: whether a store holds what was measured."""

from __future__ import annotations

from dprepro.commands.ending import arguments_of, console, tell_error
from dprepro.errors import DpreproError, InputError

HELP = """usage: python -m dprepro.check [repair=true] [results_dir=DIR] [--config-dir DIR]

Tests the store in results_dir (default: results): the file, whether every table
holds what was stored, the digest of every cell and run, whether the latest run of
every experiment is complete, whether the code that made it is the code of today,
whether its configuration is the one of today, and whether the verdicts beside the
store are of its runs. Measures nothing.

  repair=true        measure what is missing, damaged, made by other code or has
                     changed again, and enter what is there as what is stored

exit codes: 0 all sound (or made so), 1 something is not, 2 bad input"""


def main(arguments: list[str]) -> int:
    """The exit code; see HELP."""
    values = arguments_of(arguments, {"results_dir": "results", "repair": "false", "--config-dir": ""}, HELP)
    if values is None:
        return 0
    config_dir = values["--config-dir"] or None
    if values["repair"] not in ("true", "false"):
        raise InputError(f"repair must be true or false, got repair={values['repair']}")
    from functools import partial

    from dprepro.config.sources import changes
    from dprepro.report.soundness import examine, existing_store

    results_dir = existing_store(values["results_dir"])
    since = partial(changes, config_dir=config_dir)

    found = examine(results_dir, since)
    print(*found.lines(), sep="\n")
    if values["repair"] == "true" and not found.sound:
        for name, overrides in found.broken:
            repair(name, overrides, results_dir, config_dir)
        from dprepro.engine.store import Store

        with Store.open(results_dir, create=True) as store:
            store.mend()  # cells of runs that nobody asks for any more
        found = examine(results_dir, since)
        print("after repair:", *found.lines(), sep="\n")
    print("all sound" if found.sound else "not sound")
    return 0 if found.sound else 1


def repair(experiment: str, overrides: list[str], results_dir: str, config_dir: str | None) -> None:
    """Run an experiment again: what is sound is kept."""
    from dprepro.config.compose import compose
    from dprepro.config.experiment import build_experiment
    from dprepro.config.overrides import literal
    from dprepro.session import run_experiment

    try:
        composed = compose([f"+experiment={experiment}", *overrides, f"results_dir={literal(results_dir)}"], config_dir)
        outcome = run_experiment(build_experiment(composed))
    except DpreproError as error:
        tell_error(f"{experiment} cannot be measured again: {error}")
        return
    print(f"{experiment}: {outcome.measured} cells measured again")


if __name__ == "__main__":
    console(main, "dprepro.check")
