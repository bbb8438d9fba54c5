"""``python -m dprepro.ledger``: rebuild every results folder and the ledger from the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dprepro.commands.ending import arguments_of, console, tell_error

if TYPE_CHECKING:
    from dprepro.report.measured import Measured

HELP = """usage: python -m dprepro.ledger [results_dir=DIR] [--config-dir DIR] [--strict] [--single-file]

Rebuilds every results folder in DIR (default: results) from the measurements
stored there, and writes ledger.json, .md, .tex and .html: every numbered
statement of the papers with its verdict, and the errata. What ledger.json has
says ledger.schema.json. Nothing is measured, and no algorithm is imported; what
has not changed is not made again.

The page ledger.html needs no network; its figures are in ledger_files/. Every
entry has an address (ledger.html#lasso-theorem-2-5), the filter has one too
(ledger.html#paper=lasso&verdict=refuted). ledger.tex is read into a paper.

  --config-dir DIR  adds the papers of DIR/papers, as installed packs add theirs
  --strict          exit 1 if something in the store is not as expected: a check,
                    a statement, an erratum, or a run that cannot be judged
  --single-file     also write ledger_single.html, with its figures inside"""


def main(arguments: list[str]) -> int:
    """The exit code; see design's Commands, and 1 for --strict."""
    options = {"results_dir": "results", "--config-dir": "", "--strict": "false", "--single-file": "false"}
    values = arguments_of(arguments, options, HELP)
    if values is None:
        return 0
    from functools import partial
    from pathlib import Path

    from dprepro.config.asked import asked
    from dprepro.config.sources import changes
    from dprepro.errors import printable
    from dprepro.folders import unused_files
    from dprepro.report.ledger import build_ledger
    from dprepro.report.soundness import existing_store
    from dprepro.report.text import ledger_lines

    results_dir = existing_store(values["results_dir"])

    config_dir = values["--config-dir"] or None
    for said in unused_files(config_dir):
        tell_error(f"not used: {said}")
    ledger, measured = build_ledger(
        results_dir, partial(changes, config_dir=config_dir), config_dir, values["--single-file"] == "true",
        partial(asked, config_dir=config_dir),
    )  # fmt: skip
    verdicts = {name: (one.verdict["verdict"], one.verdict["claim"]) for name, one in measured.published.items()}
    unpublished = {name: ("not measured", note) for name, note in measured.notes.items() if name not in verdicts}
    print(ledger_lines(ledger, verdicts | unpublished))
    for name, said in measured.changed.items():
        print(printable(f"{name}: {said}"))
    print(f"written: {Path(results_dir) / 'ledger'}.json, .md, .tex and .html")
    odd = unexpected(ledger, measured)
    if odd:
        print("\n".join(f"NOT as expected: {one}" for one in odd))
    return int(bool(odd) and values["--strict"] == "true")


def unexpected(ledger: Mapping[str, Any], measured: Measured) -> list[str]:
    """What did not come out as expected: checks by experiment, runs without a verdict, statements, errata."""
    odd = []
    for name, one in measured.published.items():
        odd += [f"{name}: {key}" for key, check in one.verdict["checks"].items() if not check["as_expected"]]
    odd += [f"{name}: {note}" for name, note in measured.notes.items() if name not in measured.published]
    odd += [row["id"] for row in ledger["claims"] if row["as_expected"] is False]
    return odd + [slip["id"] for slip in ledger["errata"] if slip["state"] == "not as expected"]


if __name__ == "__main__":
    console(main, "dprepro.ledger")
