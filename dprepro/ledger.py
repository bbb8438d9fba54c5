"""``python -m dprepro.ledger [results_dir=DIR]``: rebuild every results folder and the ledger from the store."""

from __future__ import annotations

import sys

from dprepro.__main__ import guarded, leave
from dprepro.errors import InputError

HELP = """usage: python -m dprepro.ledger [results_dir=DIR]

Rebuilds every results folder in DIR (default: results) from the measurements
stored there, and writes ledger.json, ledger.md and ledger.html: every numbered
statement of the papers with its verdict, and the errata. The page ledger.html
needs no network; ledger.html#paper=lasso&verdict=refuted presets its filter.
Nothing is measured, and no algorithm is imported."""


def main(arguments: list[str]) -> int:
    """The exit code; see design's Commands."""
    results_dir = "results"
    for argument in arguments:
        if argument in ("-h", "--help"):
            print(HELP)
            return 0
        key, equals, value = argument.partition("=")
        if key != "results_dir" or not equals or not value:
            raise InputError(f"unknown argument {argument!r}; the ledger takes results_dir=DIR")
        results_dir = value
    from pathlib import Path

    from dprepro.engine.store import FILE_NAME

    if not (Path(results_dir) / FILE_NAME).is_file():
        raise InputError(f"there is no store in {results_dir}; run an experiment first, or name another results_dir")
    from dprepro.report.ledger import build_ledger
    from dprepro.report.text import ledger_lines

    ledger, measured = build_ledger(results_dir)
    verdicts = {name: (one.verdict["verdict"], one.verdict["claim"]) for name, one in measured.published.items()}
    unpublished = {name: ("not measured", note) for name, note in measured.notes.items() if name not in verdicts}
    print(ledger_lines(ledger, verdicts | unpublished))
    print(f"written: {Path(results_dir) / 'ledger'}.json, .md and .html")
    return 0


if __name__ == "__main__":
    leave(guarded(main, sys.argv[1:], "dprepro.ledger"))
