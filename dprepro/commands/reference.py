"""``python -m dprepro reference``: keep the ledger and a small table of each experiment, to compare later runs with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dprepro.commands.parser import key, results_dir
from dprepro.errors import InputError

ABOUT = """\
Copies the ledger of results_dir, and what the commands stability and heldout
found, to reference_dir. Writes there a table NAME.csv for each experiment: means,
standard errors and bounds at every grid point; checks.json, what every check
found; power.json, power.md: the smallest errors that each would notice;
margins.md, the margin of each kind of check and all exceptions. Tables and
*.json are packed (.gz): `zless` shows them, pandas reads them. Nothing is
measured. Run all experiments and `python -m dprepro ledger` first, or
`make reference`, which does everything."""

NOTES = "exit codes: 0 written, 2 bad input"


@dataclass(frozen=True)
class Arguments:
    """The folder to read, and the folder to write."""

    results_dir: str = results_dir()
    reference_dir: str = key("results/reference", "where it is kept")


def main(arguments: Arguments) -> int:
    """Write, and say what; 0."""
    results, reference = Path(arguments.results_dir), Path(arguments.reference_dir)
    if not (results / "ledger.json").is_file():
        raise InputError(f"there is no ledger.json in {results}; run `python -m dprepro ledger` first")
    from dprepro.report.reference import write_reference

    for path in write_reference(results, reference):
        print(f"{path}  {path.stat().st_size / 1000:.1f} kB")
    return 0
