"""``python -m dprepro check``: whether a store holds what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from dprepro.commands.ending import tell_error
from dprepro.commands.parser import config_dir, key, results_dir, true_or_false
from dprepro.errors import DpreproError

ABOUT = """\
Tests the store in results_dir: the file, whether every table holds what was
stored, the digest of every cell and run, whether the latest run of every
experiment is complete, whether the code that made it is the code of today,
whether its configuration is the one of today, and whether the verdicts beside
the store are of its runs. Measures nothing."""

NOTES = "exit codes: 0 all sound (or made so), 1 something is not, 2 bad input"


@dataclass(frozen=True)
class Arguments:
    """The store to check, and whether to repair it."""

    repair: bool = key(
        "false",
        "true: measure what is missing, damaged, made by other code or has changed again, and enter what is there as "
        "what is stored",
        true_or_false,
    )
    results_dir: str = results_dir()
    config_dir: str | None = config_dir()


def main(arguments: Arguments) -> int:
    """Test, and repair where that is asked for; 1 where something is not sound."""
    from dprepro.config.sources import changes
    from dprepro.report.soundness import examine, existing_store

    results = existing_store(arguments.results_dir)
    since = partial(changes, config_dir=arguments.config_dir)
    found = examine(results, since)
    print(*found.lines(), sep="\n")
    if arguments.repair and not found.sound:
        from dprepro.engine.store import Store

        for name, overrides in found.broken:
            repair(name, overrides, results, arguments.config_dir)
        with Store.open(results, create=True) as store:
            store.mend()  # cells of runs that nobody asks for any more
        found = examine(results, since)
        print("after repair:", *found.lines(), sep="\n")
    print("all sound" if found.sound else "not sound")
    return 0 if found.sound else 1


def repair(experiment: str, overrides: list[str], results_dir: str, config_dir: str | None) -> None:
    """Run an experiment again: what is sound is kept."""
    from dprepro.config.checked_experiment import build_experiment
    from dprepro.config.compose import compose
    from dprepro.config.overrides import literal
    from dprepro.session import run_experiment

    try:
        composed = compose([f"+experiment={experiment}", *overrides, f"results_dir={literal(results_dir)}"], config_dir)
        outcome = run_experiment(build_experiment(composed))
    except DpreproError as error:
        tell_error(f"{experiment} cannot be measured again: {error}")
        return
    print(f"{experiment}: {outcome.measured} cells measured again")
