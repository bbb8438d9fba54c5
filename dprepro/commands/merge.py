"""``python -m dprepro merge``: bring stores of shards, seeds or colleagues together in one."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dprepro.commands.ending import tell_error
from dprepro.commands.parser import config_dir, results_dir, words
from dprepro.errors import InputError, printable

if TYPE_CHECKING:
    from dprepro.engine.store import Run, Store

ABOUT = """\
Brings stores together in that of results_dir: equal to what one process would
have stored, bit by bit on CPUs of one type. Each store is merged whole or not at
all, in any order and as often as you like; none of them is changed. Then every
run whose cells are all there is judged and drawn.

  python -m dprepro merge results/shards/* results_dir=results

A store is refused, in one line, where it is damaged, or has other rows for a
cell than those here by the same code. A run of other code, or of another
configuration or other data under the same name, is kept apart, in
results_dir/apart/1, which is a folder of results like any other."""

NOTES = "exit codes: 0 all merged, 1 a store was refused, 2 bad input"


@dataclass(frozen=True)
class Arguments:
    """The stores to merge, and the store to write."""

    stores: tuple[str, ...] = words("STORE ...", 1, needed="name the stores to be merged, by their folders or files")
    results_dir: str = results_dir("where they are brought together")
    config_dir: str | None = config_dir()


def main(arguments: Arguments) -> int:
    """Merge one store after the other, and judge what is complete; 1 where one was refused."""
    return merged(
        [Path(os.path.expanduser(store)) for store in arguments.stores], arguments.results_dir, arguments.config_dir
    )


def merged(stores: list[Path], results_dir: str, config_dir: str | None) -> int:
    """Merge stores, given by their folders or files, and judge what is complete; 1 where one was refused.

    Raises:
        InputError: a folder without a store, or the target itself; nothing was written.
    """
    from dprepro.config.sources import differences
    from dprepro.engine.merging import Merger
    from dprepro.engine.store import FILE_NAME, Store
    from dprepro.report.soundness import existing_store

    folders = list(dict.fromkeys(path.parent if path.name == FILE_NAME else path for path in stores))
    for folder in folders:
        existing_store(str(folder))
        if os.path.realpath(folder) == os.path.realpath(results_dir):
            raise InputError(f"{folder} is the store that the others are merged into: leave it out")
    refused, touched = 0, dict[Path, set[tuple[str, ...]]]()
    with Merger(results_dir, differences) as merger:
        for folder in folders:
            try:
                with Store.open(folder) as source:
                    found = merger.merge(source)
            except InputError as error:
                tell_error(f"refused: {error}")
                refused += 1
                continue
            print(printable(f"{folder}: {found}"), flush=True)
            for place, groups in found.runs.items():
                touched.setdefault(place, set()).update(groups)
    for place, groups in touched.items():
        for line in judged(place, groups, config_dir):
            print(printable(line), flush=True)
    return 1 if refused else 0


def judged(folder: Path, groups: set[tuple[str, ...]], config_dir: str | None) -> Iterator[str]:
    """Judge and draw those of these runs whose cells are all there; a line for each."""
    from dprepro.engine.merging import newest
    from dprepro.engine.store import Store
    from dprepro.errors import DpreproError

    with Store.open(folder, create=True) as store:
        scan = store.scan()
        for record in newest(store.records()):
            if record.group not in groups:
                continue
            name = " ".join([record.run.experiment, *record.run.overrides])
            integrity = store.integrity(record.run.id, scan)
            there = integrity.cells - integrity.missing - integrity.damaged - integrity.foreign
            if there < integrity.cells:
                yield f"{name}: {there} of {integrity.cells} cells are in {folder}"
                continue
            try:
                yield f"{name}: {integrity.cells} cells; {_published(store, record.run, folder, config_dir)}"
            except DpreproError as error:
                yield f"{name}: {integrity.cells} cells; it cannot be judged: {error}"


def _published(store: Store, run: Run, folder: Path, config_dir: str | None) -> str:
    """Judge and draw a run: its verdict, and its folder."""
    from dprepro.config.sources import changes
    from dprepro.report.publish import alone, publish
    from dprepro.support.folders import command

    with alone(folder):
        published = publish(store, run, folder, changes(run, config_dir).doubt)
        if not run.finished:
            store.finish_run(run.id, run.provenance)
    failed = published.frame.drop_duplicates("key")["status"].str.startswith("failed").sum()
    how = shlex.join([*run.overrides, f"results_dir={folder}"])
    again = f"{command(run.experiment, config_dir)} {how}"
    more = f"; {failed} cell{'s' if failed > 1 else ''} failed; to try again: {again}" if failed else ""
    return f"{published.verdict['verdict']}; files: {published.folder}{more}"
