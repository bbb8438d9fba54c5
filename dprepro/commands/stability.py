"""``python -m dprepro stability``: run every experiment with further seeds, and count the verdicts that flip."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dprepro.commands.ending import tell_error
from dprepro.commands.parser import config_dir, key, results_dir, whole
from dprepro.errors import DpreproError

ABOUT = """\
Runs every experiment that results_dir holds with further seeds, 1 to seeds - 1,
in results_dir/seed-1 and so on, and writes results_dir/stability.json and
stability.md: the verdict of every check at each seed, and how often it is
another one than that of the run in results_dir. What was measured is kept; an
interrupted run is resumed by the same command."""

NOTES = "exit codes: 0 all were measured, 1 some experiments or cells failed, 2 bad input"


@dataclass(frozen=True)
class Arguments:
    """The store to measure again, and with how many seeds."""

    seeds: int = key("3", "how many, the shipped one among them", whole(2))
    results_dir: str = results_dir()
    config_dir: str | None = config_dir()


def main(arguments: Arguments) -> int:
    """Run, write and count; 1 where an experiment or a cell failed."""
    from dprepro.engine.store import Store
    from dprepro.report.soundness import existing_store
    from dprepro.report.stability_report import flips, write

    results = Path(existing_store(arguments.results_dir))
    with Store.open(results) as store:
        names = store.published()
    seeds, code = range(1, arguments.seeds), 0
    for seed in seeds:
        for name in names:
            try:
                code = max(code, run(name, seed, results, arguments.config_dir))
            except DpreproError as error:
                tell_error(f"{name}, seed {seed}: {error}")
                code = 1
    found = flips(results, names, seeds)
    for path in write(found, results):
        print(path)
    flipped = [entry for entry in found if entry["flips"]]
    print(f"{len(flipped)} of {len(found)} checks said something else at another seed")
    return code


def run(name: str, seed: int, results_dir: Path, config_dir: str | None) -> int:
    """Run an experiment with a seed, in a folder of its own; 1 if a cell failed."""
    from dprepro.config.checked_experiment import build_experiment
    from dprepro.config.compose import compose
    from dprepro.config.overrides import literal
    from dprepro.session import run_experiment
    from dprepro.support.regular_files import kept_within

    folder = kept_within(results_dir / f"seed-{seed}", results_dir)
    composed = compose([f"+experiment={name}", f"seed={seed}", f"results_dir={literal(folder)}"], config_dir)
    outcome = run_experiment(build_experiment(composed))
    print(f"{name}, seed {seed}: {outcome.verdict['verdict']}", flush=True)
    return 1 if outcome.failed else 0
