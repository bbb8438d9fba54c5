"""The reference folder: the ledger of a full run, what its checks would notice, and a table of each experiment.

Pages are kept as they are, data packed (``.gz``), as they are ten times as large as all else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from dprepro.engine.store import Store
from dprepro.errors import InputError, checked_name
from dprepro.report import exceptions, heldout_report, power_report, referee, stability_report
from dprepro.report.entries import repeated
from dprepro.report.publish import check_record
from dprepro.report.summary import summary, to_csv
from dprepro.support.regular_files import bytes_of, packed, replace_file

CHECKS = "checks.json"
"""What every check found, by experiment; the ledger has only those that a statement rests on."""

COPIED = ("ledger.json", "ledger.md", *stability_report.FILES, *heldout_report.FILES, *referee.FILES)


def write_reference(results: Path, reference: Path) -> list[Path]:
    """Write the folder from a results folder with a ledger; the files written. Tables of other experiments go away.

    Raises:
        InputError: the store or the folder cannot be read or written, or measurements are missing or damaged.
    """
    try:
        files = {name: bytes_of(results / name) for name in COPIED if (results / name).is_file()}
    except OSError as error:
        raise InputError(f"cannot read {results}: {error.strerror or error}") from error
    with Store.open(results) as store:
        runs = {name: store.latest(name) for name in sorted({run.experiment for run in store.runs()})}
        for name, run in runs.items():
            if run is not None:
                check_record(run)
                frame, integrity = store.measurements(run.id)
                if integrity.record or integrity.missing or integrity.damaged or not len(frame):
                    reason = integrity.problem or "it has no cells"
                    raise InputError(f"{name}: {reason}; python -m dprepro check repair=true measures it again")
                files[f"{checked_name('experiment', name)}.csv"] = to_csv(summary(frame, run.config))
    files[CHECKS] = checks_file(results, [name for name, run in runs.items() if run is not None])
    configs = {name: run.config for name, run in runs.items() if run is not None}
    files["margins.md"] = exceptions.markdown(exceptions.exceptions(configs)).encode()
    noticed = power_report.powers(results)
    files |= {"power.json": power_report.as_json(noticed).encode(), "power.md": power_report.markdown(noticed).encode()}
    try:
        reference.mkdir(parents=True, exist_ok=True)
        kept = dict(_kept(name, content) for name, content in files.items())
        for old in reference.glob("*.csv.gz"):
            if old.name not in kept:
                old.unlink()
        for name, content in kept.items():
            replace_file(reference / name, content)
    except OSError as error:
        raise InputError(
            f"cannot write {reference}: {error.strerror or error}; choose another reference_dir"
        ) from error
    return [reference / name for name in kept]


def _kept(name: str, content: bytes) -> tuple[str, bytes]:
    """A file as it stands in the reference folder."""
    return (name, content) if name.endswith(".md") else (f"{name}.gz", packed(content))


def checks_file(results: Path, names: Iterable[str]) -> bytes:
    """The checks of these experiments from their verdict.json, one a line, without details.

    Raises:
        InputError: a verdict.json is missing or damaged; `python -m dprepro ledger` makes it anew.
    """
    found = []
    for name in names:
        path = results / name / "verdict.json"
        try:
            checks = json.loads(bytes_of(path))["checks"]
            kept = {key: repeated(check) for key, check in checks.items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(f"{path} is missing or damaged; python -m dprepro ledger makes it anew") from error
        lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(check)}" for key, check in kept.items())
        found.append(f"{json.dumps(name)}: {{\n{lines}\n}}")
    return ("{\n" + ",\n".join(found) + "\n}\n").encode()
