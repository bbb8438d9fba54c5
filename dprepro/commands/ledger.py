"""``python -m dprepro ledger``: rebuild every results folder and the ledger from the store."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dprepro.commands.ending import tell_error
from dprepro.commands.parser import config_dir, flag, results_dir
from dprepro.errors import printable

ABOUT = """\
Rebuilds every results folder from the measurements stored in results_dir, and
writes ledger.json, .md, .tex and .html: every numbered statement of the papers
with its verdict, and the errata. What ledger.json and each verdict.json hold,
ledger.schema.json and verdict.schema.json say.
Nothing is measured, and no algorithm is imported; what has not changed is not
made again.

The page ledger.html needs no network; its figures are in ledger_files/. Every
entry has an address (ledger.html#lasso-theorem-2-5), the filter has one too
(ledger.html#paper=lasso&verdict=refuted). ledger.tex is read into a paper."""

NOTES = "exit codes: 0 written; 1 with --strict, if something is not as expected; 2 bad input"


@dataclass(frozen=True)
class Arguments:
    """The store of the ledger, and what else to write."""

    results_dir: str = results_dir()
    config_dir: str | None = config_dir("adds the papers of DIR/papers, as installed packs add theirs")
    strict: bool = flag(
        "exit 1 if something in the store is not as expected: a check, a statement, an erratum, or a run that cannot "
        "be judged"
    )
    single_file: bool = flag("also write ledger_single.html, with its figures inside")


def main(arguments: Arguments) -> int:
    """Rebuild and say what stands; 1 where `strict` asks for it."""
    from dprepro.config.asked import asked
    from dprepro.config.sources import changes
    from dprepro.report.ledger import build_ledger
    from dprepro.report.soundness import existing_store
    from dprepro.report.text import ledger_lines
    from dprepro.report.unexpected import unexpected
    from dprepro.support.folders import unused_files

    results, folder = existing_store(arguments.results_dir), arguments.config_dir
    for said in unused_files(folder):
        tell_error(f"not used: {said}")
    ledger, measured = build_ledger(
        results, partial(changes, config_dir=folder), folder, arguments.single_file, partial(asked, config_dir=folder)
    )
    verdicts = {name: (run.verdict["verdict"], run.verdict["claim"]) for name, run in measured.published.items()}
    unpublished = {name: ("not measured", note) for name, note in measured.notes.items() if name not in verdicts}
    print(ledger_lines(ledger, verdicts | unpublished))
    for name, said in measured.changed.items():
        print(printable(f"{name}: {said}"))
    for name, said in measured.absent.items():
        print(printable(f"left out: {name}: {said}"))
    print(f"written: {Path(results) / 'ledger'}.json, .md, .tex and .html")
    odd = unexpected(ledger, measured)
    if odd:
        print("\n".join(f"NOT as expected: {what}" for what in odd))
    return int(bool(odd) and arguments.strict)
