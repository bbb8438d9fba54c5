"""``python -m dprepro.stability``: run every experiment with further seeds, and count the verdicts that flip."""

from __future__ import annotations

from pathlib import Path

from dprepro.commands.ending import arguments_of, console, tell_error
from dprepro.errors import DpreproError, InputError

HELP = """usage: python -m dprepro.stability [seeds=3] [results_dir=DIR] [--config-dir DIR]

Runs every experiment that results_dir (default: results) holds with further
seeds, 1 to seeds - 1, in results_dir/seed-1 and so on, and writes results_dir/
stability.json and stability.md: the verdict of every check at each seed, and
how often it is another one than that of the run in results_dir. What was
measured is kept; an interrupted run is resumed by the same command.

exit codes: 0 all were measured, 1 some experiments or cells failed, 2 bad input"""


def main(arguments: list[str]) -> int:
    """The exit code; see HELP."""
    values = arguments_of(arguments, {"results_dir": "results", "seeds": "3", "--config-dir": ""}, HELP)
    if values is None:
        return 0
    if not values["seeds"].isdigit() or int(values["seeds"]) < 2:
        raise InputError(f"seeds must be a whole number of at least 2, got seeds={values['seeds']}")
    from dprepro.report.soundness import existing_store
    from dprepro.report.stability import flips, write

    results_dir = Path(existing_store(values["results_dir"]))
    from dprepro.engine.store import Store

    with Store.open(results_dir) as store:
        names = sorted({run.experiment for run in store.runs() if store.latest(run.experiment) is not None})
    seeds, code = range(1, int(values["seeds"])), 0
    for seed in seeds:
        for name in names:
            try:
                code = max(code, run(name, seed, results_dir, values["--config-dir"] or None))
            except DpreproError as error:
                tell_error(f"{name}, seed {seed}: {error}")
                code = 1
    found = flips(results_dir, names, seeds)
    for path in write(found, results_dir):
        print(path)
    flipped = [one for one in found if one["flips"]]
    print(f"{len(flipped)} of {len(found)} checks said something else at another seed")
    return code


def run(name: str, seed: int, results_dir: Path, config_dir: str | None) -> int:
    """Run an experiment with a seed, in a folder of its own; 1 if a cell failed."""
    from dprepro.config.compose import compose
    from dprepro.config.experiment import build_experiment
    from dprepro.config.overrides import literal
    from dprepro.regular_files import kept_within
    from dprepro.session import run_experiment

    folder = kept_within(results_dir / f"seed-{seed}", results_dir)
    composed = compose([f"+experiment={name}", f"seed={seed}", f"results_dir={literal(folder)}"], config_dir)
    outcome = run_experiment(build_experiment(composed))
    print(f"{name}, seed {seed}: {outcome.verdict['verdict']}", flush=True)
    return 1 if outcome.failed else 0


if __name__ == "__main__":
    console(main, "dprepro.stability")
