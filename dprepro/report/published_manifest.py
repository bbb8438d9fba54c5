"""The manifest of what was published: it says of each experiment which files are fresh and need not be made again.

An entry has the digest of all that the store holds of the run, of the code that judges and draws, and of its libraries;
and the digest of each file that was made of them. Where one of these differs, everything is made again. Each test of an
entry reads the store's cells and holds each of them against its own digest, so a damaged cell makes the entry void.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprepro import figures
from dprepro.axes import AXES
from dprepro.engine.store import Run, Store
from dprepro.report import picture
from dprepro.report.publish import Published, check_record, folder_of, provenance_of, publish, verdict_file
from dprepro.support.regular_files import bytes_of, replace_file

if TYPE_CHECKING:
    from dprepro.figures import Drawing

FILES = ("measurements.parquet", "config.yaml", "run.log")
"""Entered by their bytes, as figures are; verdict.json without its provenance, which says when it last ran."""

COLUMNS = ("series", "role", *AXES, "replicate", "quantity", "bound", "status", "seconds", "key")
"""Of a frame, what the ledger reads."""

OF_ATTACKS = ("value", "corners", "searched", "witness")
"""And of what attacks measured; see `dprepro.report.attacked`."""

WRITERS = ("pyarrow", "PyYAML")
"""Packages on which further files depend."""


@dataclass(frozen=True)
class ManifestEntry:
    """Digests of what stands in a folder and of what it was made; ``fingerprint`` is its figure's."""

    source: str
    fingerprint: str
    verdict: str
    files: Mapping[str, str]


class Manifest:
    """The entries of one results folder, kept in one file; whoever deletes it only has everything made again."""

    def __init__(self, results_dir: str | Path, path: Path) -> None:
        self._results, self._path = results_dir, path
        self._old, self._new = _read(path), dict[str, ManifestEntry]()

    def published(self, store: Store, run: Run, doubt: str) -> Published:
        """What stands of the run; published anew, with the ``doubt``, where its entry does not fit or is absent.

        The frame of one that stands has only :data:`COLUMNS`, and :data:`OF_ATTACKS` where these were measured.

        Raises:
            InputError: as :func:`publish`.
        """
        check_record(run)
        drawing, folder = figures.build(run.config["figure"]), folder_of(run, self._results)
        source = _source(store, run, drawing, doubt)
        old = self._old.get(run.experiment)
        found = _standing(old, source, run, folder, drawing) if old else None
        if old is None or found is None:
            found = publish(store, run, self._results, doubt)
            files = {name: digest(bytes_of(folder / name)) for name in _files(drawing)}
            old = ManifestEntry(source, found.fingerprint, _judgement(found.verdict), files)
        if source and found.fingerprint:
            self._new[run.experiment] = old
        return found

    def write(self) -> None:
        """Keep the entries of all that was published."""
        text = json.dumps({name: asdict(entry) for name, entry in sorted(self._new.items())}, indent=1) + "\n"
        with suppress(OSError):  # without a manifest the ledger is as right, and slower
            self._path.parent.mkdir(exist_ok=True)
            replace_file(self._path, text.encode())


def digest(content: bytes) -> str:
    """32 hexadecimal digits."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _source(store: Store, run: Run, drawing: Drawing, doubt: str) -> str:
    """The digest of all that a folder is made of; empty where the code cannot be read."""
    content, integrity = store.content(run.id)
    code = picture.code_behind(drawing, run.config)
    parts = (content, integrity.problem, doubt, code, picture.versions(WRITERS))
    return digest(json.dumps(parts).encode()) if code else ""


def _files(drawing: Drawing) -> tuple[str, ...]:
    return (*FILES, *picture.files_of(drawing))


def _judgement(verdict: Mapping[str, Any]) -> str:
    return digest(json.dumps({key: value for key, value in verdict.items() if key != "provenance"}).encode())


def _standing(entry: ManifestEntry, source: str, run: Run, folder: Path, drawing: Drawing) -> Published | None:
    """What the folder holds, if the entry fits both what it should be made of and what it is."""
    import pandas as pd
    from pyarrow.parquet import read_schema

    if not source or entry.source != source:
        return None
    try:
        verdict = json.loads(bytes_of(folder / "verdict.json"))
        contents = {name: bytes_of(folder / name) for name in _files(drawing)}
        if (
            _judgement(verdict) != entry.verdict
            or {name: digest(content) for name, content in contents.items()} != entry.files
        ):
            return None
        table = contents["measurements.parquet"]
        attacks = OF_ATTACKS if OF_ATTACKS[-1] in read_schema(io.BytesIO(table)).names else ()
        frame = pd.read_parquet(io.BytesIO(table), columns=[*COLUMNS, *attacks])
        text = contents["run.log"].decode().removesuffix("\n")
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    found = Published(folder, frame, run.config, verdict, text, drawing, entry.fingerprint)
    if verdict.get("provenance") != provenance_of(run):
        found = replace(found, verdict=verdict | {"provenance": provenance_of(run)})
        replace_file(folder / "verdict.json", verdict_file(found.verdict))
    return found


def _read(path: Path) -> dict[str, ManifestEntry]:
    try:
        return {name: ManifestEntry(**load) for name, load in json.loads(bytes_of(path)).items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}
