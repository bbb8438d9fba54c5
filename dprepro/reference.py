"""``python -m dprepro.reference``: keep the ledger and a small table of each experiment, to compare later runs with."""

from __future__ import annotations

from dprepro.commands.ending import console
from dprepro.errors import InputError

HELP = """usage: python -m dprepro.reference [results_dir=DIR] [reference_dir=DIR]

Copies the ledger of results_dir (default: results), and what dprepro.stability and dprepro.heldout found, to
reference_dir (default: results/reference). Writes there a table NAME.csv for each experiment: means, standard errors
and bounds at every grid point; checks.json, what every check found; power.json, power.md: the smallest errors that each
would notice; margins.md, the margin of each kind of check and all exceptions. Nothing is measured. Run all experiments
and `python -m dprepro.ledger` first, or `make reference`, which does everything."""


def main(arguments: list[str]) -> int:
    """The exit code; see HELP."""
    places = {"results_dir": "results", "reference_dir": "results/reference"}
    for argument in arguments:
        if argument in ("-h", "--help"):
            print(HELP)
            return 0
        key, equals, value = argument.partition("=")
        if key not in places or not equals or not value:
            raise InputError(f"unknown argument {argument!r}; choices: results_dir=DIR, reference_dir=DIR")
        places[key] = value
    from pathlib import Path

    results, reference = Path(places["results_dir"]), Path(places["reference_dir"])
    if not (results / "ledger.json").is_file():
        raise InputError(f"there is no ledger.json in {results}; run `python -m dprepro.ledger` first")
    from dprepro.report.reference import write_reference

    for path in write_reference(results, reference):
        print(f"{path}  {path.stat().st_size / 1000:.1f} kB")
    return 0


if __name__ == "__main__":
    console(main, "dprepro.reference")
