"""``python -m mutants [NAME ...]``: plant falsehoods in copies of the package, and see a verdict notice each."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

from dprepro.commands.ending import console
from dprepro.errors import InputError, unknown
from dprepro.support.regular_files import packed, replace_file, temporary_folder
from mutants.catalogue import ROOT, Grid, Mutant, grids, mutants
from mutants.running import Verdicts, copy_of_package, plant, run, run_tests
from mutants.table import Line, as_json, line, markdown, read, renewed, summary, text

HELP = """usage: python -m mutants [NAME ...] [experiment=NAME] [workers=2]
                         [reference_dir=DIR] [--list]

Plants one falsehood after the other in a copy of the package, runs the experiment
(or the tests) that should notice on a small grid, and compares its verdict with that
of the code as it is. NAME may be a pattern, such as 'glm_*'; the default is all of
them. What came out replaces the lines of these mutants in the table of reference_dir.

  experiment=NAME    only those that this experiment is to notice
  workers=N          runs at a time [2]
  reference_dir=DIR  where mutants.json.gz and mutants.md are [results/reference]
  --list             what is planted, and the commands, without running any

exit codes: 0 all were noticed, 1 some were not or could not be planted, 2 bad input"""


def main(arguments: list[str]) -> int:
    """The exit code; see HELP."""
    names, values, listed = [], {"experiment": "", "workers": "2", "reference_dir": "results/reference"}, False
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if argument in ("-h", "--help"):
            print(HELP)
            return 0
        if argument == "--list":
            listed = True
        elif not equals and not argument.startswith("-"):
            names.append(argument)
        elif key in values and value:
            values[key] = value
        else:
            raise unknown("argument", argument, ["NAME", "experiment=", "workers=", "reference_dir=", "--list"])
    if not values["workers"].isdigit() or values["workers"] == "0":
        raise InputError(f"workers must be a whole number of at least 1, got workers={values['workers']}")
    chosen, small = mutants(names), grids()
    if wanted := values["experiment"]:
        known = dict.fromkeys(item.experiment for item in chosen if item.experiment)
        if wanted not in known:
            raise unknown("experiment of these mutants", wanted, known)
        chosen = [item for item in chosen if item.experiment == wanted]
    if listed:
        for mutant in chosen:
            words = mutant.judge
            if mutant.experiment:
                words = " ".join(small.get(mutant.experiment, Grid()).command(mutant.experiment, mutant.checks))
            change = f"  - {mutant.expression}\n  + {mutant.replace}"
            print(f"{mutant.name}: {mutant.says}\n  {mutant.where}\n{change}\n  {words}")
        return 0
    folder = Path(values["reference_dir"])
    before = read(folder / "mutants.json.gz")
    lines = judged(chosen, int(values["workers"]))
    print(text(lines))
    print(summary(lines))
    every = renewed(before, lines, mutants())
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / "mutants.json.gz", packed(as_json(every).encode()))
    replace_file(folder / "mutants.md", markdown(every).encode())
    return 0 if all(line.good for line in lines) else 1


def judged(chosen: Sequence[Mutant], workers: int) -> list[Line]:
    """Run all of them, each experiment once without a mutant before; in the order of the catalogue."""
    small = grids()
    wanted: dict[str, list[Mutant]] = {}
    for mutant in chosen:
        if mutant.experiment:
            wanted.setdefault(mutant.experiment, []).append(mutant)
    words = {name: small.get(name, Grid()).command(name, _checks(some)) for name, some in wanted.items()}
    by_tests = {mutant.judge: mutant.tests for mutant in chosen if mutant.tests}
    with temporary_folder("mutants-") as folder, ThreadPoolExecutor(workers) as pool, _cut(pool):
        base = copy_of_package(folder / "base")
        before = {name: pool.submit(run, base, words[name], folder / f"results-{name}") for name in words}
        before |= {name: pool.submit(run_tests, base, tests) for name, tests in by_tests.items()}
        sound: dict[str, Verdicts] = {}
        for name, running in before.items():
            sound[name] = running.result()
            _tell(f"{name}, as it is: {sound[name].fault or f'{sound[name].seconds:.0f} s'}")
        commands = {
            mutant.name: small.get(mutant.experiment, Grid()).command(mutant.experiment, mutant.checks)
            if mutant.experiment
            else []
            for mutant in chosen
        }
        waiting = {pool.submit(_one, mutant, folder, commands[mutant.name]): mutant for mutant in chosen}
        found: dict[str, Line] = {}
        for number, future in enumerate(as_completed(waiting), 1):
            mutant = waiting[future]
            found[mutant.name] = line(mutant, sound[mutant.judge], future.result())
            done = found[mutant.name]
            outcome = f"{done.outcome}; {done.before} -> {done.after}; {done.seconds} s"
            _tell(f"[{number}/{len(chosen)}] {done.mutant}: {outcome}")
    return [found[mutant.name] for mutant in chosen]


@contextmanager
def _cut(pool: ThreadPoolExecutor) -> Iterator[None]:
    """Where something is raised, a signal for one, nothing further is started."""
    try:
        yield
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise


def _checks(some: Sequence[Mutant]) -> list[str]:
    """All checks that some mutants need; none, which stands for all, where one of them names none."""
    if not all(mutant.checks for mutant in some):
        return []
    return list(dict.fromkeys(check for mutant in some for check in mutant.checks))


def _one(mutant: Mutant, folder: Path, words: Sequence[str]) -> Verdicts:
    """Plant a mutant and run it; what was copied and measured goes away."""
    try:
        mutant.planted((ROOT / mutant.file).read_text(encoding="utf-8"))
    except (InputError, OSError) as error:
        return Verdicts({}, 0.0, " ".join(str(error).split()))
    own = folder / mutant.name
    tree = copy_of_package(own, folder / "base")
    plant(mutant, tree)
    try:
        return run(tree, words, own / "results") if mutant.experiment else run_tests(tree, mutant.tests)
    finally:
        shutil.rmtree(own, ignore_errors=True)


def _tell(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    console(main, "mutants")
