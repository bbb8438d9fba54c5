"""``python -m dprepro.ledger [results_dir=DIR]``: rebuild every results folder and the ledger from the store."""

from __future__ import annotations

import sys

from dprepro.__main__ import guarded, leave
from dprepro.errors import InputError

HELP = """usage: python -m dprepro.ledger [results_dir=DIR]

Rebuilds every results folder in DIR (default: results) from the measurements stored there, and writes ledger.json.
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

    ledger, _ = build_ledger(results_dir)
    width = max((len(claim["experiment"]) for claim in ledger["claims"]), default=0)
    for claim in ledger["claims"]:
        print(f"{claim['experiment']:<{width}}  {claim['verdict']:<12}  {claim.get('claim') or claim['note']}")
    print(f"{len(ledger['claims'])} experiments; written: {Path(results_dir) / 'ledger.json'}")
    return 0


if __name__ == "__main__":
    leave(guarded(main, sys.argv[1:], "dprepro.ledger"))
