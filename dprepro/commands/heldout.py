"""``python -m dprepro heldout``: judge every claim once more on a grid that no YAML holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dprepro.commands.parser import config_dir, key, results_dir, whole, words
from dprepro.errors import unknown

ABOUT = """\
Runs every experiment that results_dir holds, or the named ones, on a grid that
no YAML holds, in results_dir/heldout: sizes between and beyond those shipped,
another epsilon, delta and p, by one rule (dprepro.config.heldout_grid). Writes
results_dir/heldout.json and heldout.md: which claims came out otherwise than on
the shipped grid, each with its explanation. An experiment that takes more than
so many seconds of a processor is tried once more without its costly values, and
then left out. What was measured is kept; an interrupted run is resumed by the
same command."""

NOTES = "exit codes: 0 all were judged or left out, 1 some failed, 2 bad input"


@dataclass(frozen=True)
class Arguments:
    """The experiments to judge, and the seconds that each may take."""

    names: tuple[str, ...] = words("[NAME ...]")
    seconds: int = key("150", "of a processor, for each experiment", whole(1))
    results_dir: str = results_dir()
    config_dir: str | None = config_dir()


def main(arguments: Arguments) -> int:
    """Judge, write and count; 1 where an experiment failed."""
    import dprepro.session
    import dprepro.studies  # noqa: F401, loaded once: every experiment runs in a copy of this process
    from dprepro.engine.store import Store
    from dprepro.replication.heldout_runs import judged
    from dprepro.report.heldout_report import FAILED, counts, otherwise, write
    from dprepro.report.soundness import existing_store

    results = Path(existing_store(arguments.results_dir))
    with Store.open(results) as store:
        names = store.published()
    for name in arguments.names:
        if name not in names:
            raise unknown("experiment", name, names)
    found = []
    for name in arguments.names or names:
        found.append(judged(name, results, arguments.seconds, arguments.config_dir))
        claims = counts(found[-1:])
        print(f"{name}: {found[-1]['state']}, {', '.join(f'{claims[claim]} {claim}' for claim in claims)}", flush=True)
    for path in write(found, results):
        print(path)
    print(f"{len(otherwise(found))} of {counts(found).total()} claims came out otherwise on a held-out grid")
    return int(any(entry["state"].startswith(FAILED) for entry in found))
