"""The walkthroughs as pages, each cell with what it printed when all measurements of the last full run stood there.

``python -m docs.walkthroughs [NAME ...] [results_dir=DIR] [reference_dir=DIR]`` runs them over a results folder and
renews the record. Where the store holds everything nothing is measured, and it takes a minute or two.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docs.pictures import reference_figure
from dprepro.commands.ending import console
from dprepro.engine.store import FILE_NAME
from dprepro.errors import InputError
from dprepro.support.folders import experiment_files
from dprepro.support.regular_files import packed, replace_file, temporary_folder, unpacked

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = {path.stem: path for path in sorted((ROOT / "experiments").glob("*.py")) if path.stem != "walkthrough"}
REFERENCE = ROOT / "results" / "reference"
RECORD = "walkthroughs.json.gz"
CELL = re.compile(r"^# %%( \[markdown\])?$", re.MULTILINE)
RUN = re.compile(r'dprepro\.run\(\s*"(\w+)"')
HELP = f"""usage: python -m docs.walkthroughs [NAME ...] [results_dir=DIR] [reference_dir=DIR]

Runs walkthroughs (default: all) over the measurements of results_dir (default: results), and keeps what each cell
prints in walkthroughs.json.gz of reference_dir (default: results/reference of the checkout), from where the site takes
it. What the store lacks is measured.

walkthroughs: {", ".join(SCRIPTS)}

exit codes: 0 all were run, 2 bad input"""


@dataclass(frozen=True)
class Cell:
    """Text in Markdown, or code."""

    code: bool
    text: str

    @property
    def digest(self) -> str:
        """By which a record knows the cell that it belongs to."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]


def cells(name: str) -> list[Cell]:
    """The cells of a walkthrough, without its header."""
    parts = CELL.split(SCRIPTS[name].read_text(encoding="utf-8"))[1:]
    found = []
    for kind, body in zip(parts[::2], parts[1::2], strict=True):
        lines = body.strip().splitlines()
        text = "\n".join(re.sub("^# ?", "", line) for line in lines) if kind else "\n".join(lines)
        found.append(Cell(not kind, text))
    return found


def title(name: str) -> str:
    """The first heading."""
    return cells(name)[0].text.splitlines()[0].removeprefix("# ")


def recorded(reference: Path = REFERENCE) -> dict[str, dict[str, str]]:
    """By walkthrough and cell what was printed, as far as it stands in the reference folder."""
    path = reference / RECORD
    found: dict[str, dict[str, str]] = json.loads(unpacked(path)) if path.is_file() else {}
    return found


def page(name: str) -> str:
    """The whole page in Markdown, with what the record says was printed.

    Experiments that a cell runs are linked, with their figures where they come first.
    """
    printed, shown = recorded().get(name, {}), set[str]()
    return "\n\n".join(part for cell in cells(name) for part in _parts(cell, printed, shown)) + "\n"


def _parts(cell: Cell, printed: dict[str, str], shown: set[str]) -> Iterator[str]:
    if not cell.code:
        yield cell.text
        return
    yield f"```python\n{cell.text}\n```"
    if output := printed.get(cell.digest, ""):
        yield f"```text {{ .printed }}\n{output.rstrip()}\n```"
    known = experiment_files()
    names = [item for item in dict.fromkeys(RUN.findall(cell.text)) if item in known]
    if names:
        links = ", ".join(f"[`{name}`](../experiments/{name}.md)" for name in names)
        yield f"Checks, controls and grid: {links}."
    for experiment in names:
        if experiment not in shown and reference_figure(experiment).is_file():
            picture = f"![The figure of {experiment}](../assets/experiments/{experiment}.png)"
            yield f"[{picture}](../experiments/{experiment}.md)"
            shown.add(experiment)


def record(results_dir: Path, names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Run walkthroughs over a results folder; by walkthrough and cell what was printed."""
    sys.path.insert(0, str(ROOT / "experiments"))
    found: dict[str, dict[str, str]] = {}
    with temporary_folder("walkthroughs-") as folder, contextlib.chdir(folder):
        os.symlink(results_dir, "results", target_is_directory=True)
        for name in names:
            namespace: dict[str, Any] = {"__name__": "__main__"}
            found[name] = {}
            for cell in cells(name):
                if cell.code:
                    printed = io.StringIO()
                    with contextlib.redirect_stdout(printed):
                        exec(compile(cell.text, SCRIPTS[name].name, "exec"), namespace)
                    found[name][cell.digest] = printed.getvalue()
    return found


def main(arguments: list[str]) -> int:
    """The exit code; see HELP."""
    places, names = {"results_dir": "results", "reference_dir": str(REFERENCE)}, list[str]()
    for argument in arguments:
        if argument in ("-h", "--help"):
            print(HELP)
            return 0
        key, _, value = argument.partition("=")
        if argument in SCRIPTS:
            names.append(argument)
        elif key in places and value:
            places[key] = value
        else:
            choices = ", ".join([*(f"{key}=DIR" for key in places), *SCRIPTS])
            raise InputError(f"unknown argument {argument!r}; choices: {choices}")
    results, reference = Path(places["results_dir"]), Path(places["reference_dir"])
    if not (results / FILE_NAME).is_file():
        raise InputError(f"there are no measurements in {results}; run all experiments first, or `make reference`")
    reference.mkdir(parents=True, exist_ok=True)
    for name in names or SCRIPTS:
        records = recorded(reference) | record(results.resolve(), [name])
        text = json.dumps(records, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        replace_file(reference / RECORD, packed(text.encode()))
        print(name, flush=True)
    return 0


if __name__ == "__main__":
    console(main, "docs.walkthroughs")
