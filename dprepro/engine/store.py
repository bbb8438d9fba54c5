"""Where measurements are kept: one SQLite file per results folder, written by the parent process only.

It holds the cells (:mod:`dprepro.engine.cell_table`) and the runs that they belong to, each with a digest of all that
is stored of it.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dprepro.engine import manifest
from dprepro.engine.cell import Cell, keys_of
from dprepro.engine.cell_lines import Origin, digest
from dprepro.engine.cell_table import FILE_NAME, CellTable, Scan
from dprepro.engine.code import changed
from dprepro.engine.connection import SHAPE, reading
from dprepro.engine.renamed import current_config
from dprepro.engine.renamed_figures import current_figure
from dprepro.engine.resources import gc_paused
from dprepro.engine.rows import dump
from dprepro.errors import InputError, checked_name, folded

if TYPE_CHECKING:
    import pandas as pd

    from dprepro.engine.frame import Part

__all__ = ["FILE_NAME", "Integrity", "Run", "Store"]

_KEY_BYTES = 32


@dataclass(frozen=True)
class Integrity:
    """Whether a run's measurements are what they say.

    Attributes:
        cells: distinct cells of the run. missing, damaged: not stored, or not as they were stored.
        foreign: made by other code than the run's.
        changed: modules of the run's code that have other source now.
        record: what is wrong with the run's own record; empty if nothing.
        unknown: codes of the run of which no sound record says what they were.
        digest: that of all cells, as `manifest.together` has it; None where one is missing, damaged or foreign.
    """

    cells: int = 0
    missing: int = 0
    damaged: int = 0
    foreign: int = 0
    changed: tuple[str, ...] = ()
    record: str = ""
    unknown: int = 0
    digest: int | None = field(default=None, compare=False)

    @property
    def problem(self) -> str:
        """What keeps the run from being evidence, in words; empty if nothing."""
        counts = ((self.missing, "missing"), (self.damaged, "damaged"), (self.foreign, "made by other code"))
        said = [f"{count} of {self.cells} cells are {what}" for count, what in counts if count]
        if self.unknown:
            said.append("the record of the code that made it is missing or damaged")
        if self.changed:
            more = f" and {len(self.changed) - 3} more" if len(self.changed) > 3 else ""
            said.append(f"the code has changed since ({', '.join(self.changed[:3])}{more})")
        return "; ".join([*([self.record] if self.record else []), *said])


@dataclass(frozen=True)
class Changes:
    """What an experiment asks for now that a stored run of it did not.

    Attributes:
        keys: of its configuration, with what they said then and say now.
        absent: why nobody can tell; empty if somebody can.
    """

    keys: tuple[str, ...] = ()
    absent: str = ""

    def __str__(self) -> str:
        """In words; empty if nothing has changed."""
        more = f" and {len(self.keys) - 3} more" if len(self.keys) > 3 else ""
        return f"changed since the run: {', '.join(self.keys[:3])}{more}" if self.keys else ""

    @property
    def doubt(self) -> str:
        """The same, but empty if only the figure has: its words and its looks carry no verdict."""
        asked = tuple(key for key in self.keys if not key.startswith("figure"))
        return str(Changes(asked)) if asked else ""


@dataclass(frozen=True)
class Run:
    """One run of an experiment, without its measurements.

    Attributes:
        sources: what it was judged against, by name: digests that the configuration's room understands.
        mark: a digest of all that the run asked for: experiment, configuration, overrides and cells.
        damaged: what is wrong with its record.
    """

    id: int
    experiment: str
    config: dict[str, Any]
    overrides: list[str]
    provenance: dict[str, Any]
    finished: bool
    sources: Mapping[str, Any] = field(default_factory=dict)
    mark: str = ""
    damaged: str = ""


@dataclass(frozen=True)
class Record:
    """A run with all that is stored of it, as another store can enter it.

    Attributes:
        texts: of experiment, configuration, overrides, provenance and sources, as stored.
        layout, keys: series, role, code and number of each stretch of its cells, and their keys.
    """

    run: Run
    texts: tuple[str, str, str, str, str]
    layout: str
    keys: bytes

    @property
    def group(self) -> tuple[str, ...]:
        """What the newest of several runs stands for: experiment, overrides, and the label of its folder."""
        return self.run.experiment, *self.run.overrides, str(self.run.config.get("label") or "")

    def cells(self) -> dict[bytes, tuple[str, str]]:
        """The series and the code of each cell by its key; raises as a layout does that cannot be read."""
        keys = [self.keys[i : i + _KEY_BYTES] for i in range(0, len(self.keys), _KEY_BYTES)]
        labels = itertools.chain.from_iterable(
            itertools.repeat((str(series), str(code)), int(count)) for series, _, code, count in json.loads(self.layout)
        )
        return dict(zip(keys, labels, strict=True))

    def codes(self) -> set[str]:
        """The codes that its cells name."""
        return {str(code) for _, _, code, _ in json.loads(self.layout)}


class Store(CellTable):
    """The measurements and runs of one results folder; a context manager, made by :meth:`open`."""

    def begin_run(
        self,
        experiment: str,
        config: Mapping[str, Any],
        overrides: Sequence[str],
        provenance: Mapping[str, Any],
        cells: Sequence[Cell],
        codes: Mapping[str, Mapping[str, str]] | None = None,
        sources: Mapping[str, Any] | None = None,
    ) -> int:
        """Enter a run and give its id; a repetition of the experiment's newest run only renews what stands beside it.

        ``codes`` has the modules of each code that the cells name, with the digest of each; ``sources`` is what the
        run is judged against.
        """
        layout, keys = laid_out(cells)
        asked = (experiment, dump(dict(config)), dump(list(overrides)))
        mark = digest(*asked, layout, keys)
        with self._transaction() as database:
            self._check_name(database, experiment)
            for code, modules in (codes or {}).items():
                self._record_code(database, code, dump(dict(modules)))
            newest = database.execute(
                "SELECT id, mark, finished, digest FROM runs WHERE experiment = ? ORDER BY id DESC LIMIT 1",
                (experiment,),
            ).fetchone()
            # it stays finished if it was: a repetition takes no measurement away
            repeated = newest is not None and newest[1] == mark
            finished = newest[2] if repeated else 0
            beside = (dump(dict(provenance)), finished, dump(dict(sources or {})))
            whole = digest(mark, *beside)
            cursor = database.execute(
                "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (newest[0] if repeated else None, *asked, *beside, mark, whole, layout, keys),
            )
            number = int(cursor.lastrowid or 0)
            gone = [digest(newest[0], newest[3])] if repeated else []
            manifest.enter(database, "runs", [digest(number, whole)], gone, more=1 - len(gone))
            return number

    def _check_name(self, database: sqlite3.Connection, experiment: str) -> None:
        """Raise InputError for a name that is none, or that is one with another run's on some disks."""
        checked_name("experiment", experiment)
        for (other,) in database.execute("SELECT DISTINCT experiment FROM runs WHERE typeof(experiment) = 'text'"):
            if other != experiment and folded(other) == folded(experiment):
                raise InputError(
                    f"{self.path} holds runs of {other}, whose name differs from {experiment} by case only; rename "
                    "the experiment, or choose another results_dir"
                )

    def _record_code(self, database: sqlite3.Connection, code: str, modules: str) -> None:
        gone = [digest(*item) for item in database.execute("SELECT code, modules FROM codes WHERE code = ?", (code,))]
        if gone != [digest(code, modules)]:
            database.execute("INSERT OR REPLACE INTO codes VALUES (?, ?)", (code, modules))
            manifest.enter(database, "codes", [digest(code, modules)], gone, more=1 - len(gone))

    def finish_run(self, run_id: int, provenance: Mapping[str, Any]) -> None:
        """Mark a run as complete, with its final provenance."""
        with self._transaction() as database:
            find = "SELECT sources, mark, digest FROM runs WHERE id = ?"
            sources, mark, before = database.execute(find, (run_id,)).fetchone()
            text = dump(dict(provenance))
            whole = digest(mark, text, 1, sources)
            database.execute(
                "UPDATE runs SET provenance = ?, finished = 1, digest = ? WHERE id = ?", (text, whole, run_id)
            )
            manifest.enter(database, "runs", [digest(run_id, whole)], [digest(run_id, before)], more=0)

    def records(self) -> list[Record]:
        """All runs with all that is stored of them, oldest first."""
        with reading(self.path):
            found = []
            for columns in self._database.execute(f"SELECT {_RUN} FROM runs ORDER BY id"):
                _, experiment, config, overrides, provenance, _, sources, _, _, layout, keys = columns
                texts = (experiment, config, overrides, provenance, sources)
                found.append(Record(_run(*columns[:-2], layout, keys), texts, layout, bytes(keys)))
            return found

    def enter(self, record: Record, codes: Mapping[str, Mapping[str, str]], beside: Record | None = None) -> None:
        """Enter a run of another store, in place of ``beside``, which is the same run here, where there is one.

        ``codes`` has the modules of each code that it names. Provenance and sources are those of the later one.

        Raises:
            InputError: its experiment's name is none, or differs by case only from that of a run that is here.
        """
        if beside is not None and _later(beside) >= _later(record):
            return
        experiment, config, overrides, provenance, sources = record.texts if beside is None else beside.texts
        layout, keys = (record.layout, record.keys) if beside is None else (beside.layout, beside.keys)
        provenance, sources = record.texts[3:]
        mark = digest(experiment, config, overrides, layout, keys)
        with self._transaction() as database:
            self._check_name(database, experiment)
            for code, modules in codes.items():
                self._record_code(database, code, dump(dict(modules)))
            number, gone = None, []
            if beside is not None:
                number = beside.run.id
                ((before,),) = database.execute("SELECT digest FROM runs WHERE id = ?", (number,))
                gone = [digest(number, before)]
            finished = int(record.run.finished)
            whole = digest(mark, provenance, finished, sources)
            cursor = database.execute(
                "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (number, experiment, config, overrides, provenance, finished, sources, mark, whole, layout, keys),
            )
            manifest.enter(database, "runs", [digest(int(cursor.lastrowid or 0), whole)], gone, more=1 - len(gone))

    def codes(self) -> dict[str, dict[str, str]]:
        """The modules of every code on record, with their digests."""
        return self._codes()

    def runs(self, experiment: str | None = None) -> list[Run]:
        """All runs, or those of one experiment, oldest first; a record that cannot be read says so."""
        with reading(self.path):
            found = self._database.execute(
                f"SELECT {_RUN} FROM runs WHERE :name IS NULL OR experiment = :name ORDER BY id", {"name": experiment}
            ).fetchall()
            return [_run(*columns) for columns in found if isinstance(columns[1], str)]

    def latest(self, experiment: str, published: bool = True) -> Run | None:
        """The newest run of an experiment; `published` asks for the newest finished one without overrides."""
        for run in reversed(self.runs(experiment)):
            if not published or (run.finished and not run.overrides):
                return run
        return None

    def published(self) -> list[str]:
        """The names of the experiments that have a finished run without overrides, in order."""
        return sorted({run.experiment for run in self.runs() if self.latest(run.experiment) is not None})

    def frame(self, run_id: int) -> pd.DataFrame:
        """The sound measurements of a run so far, one line per cell and quantity; see :meth:`measurements`."""
        return self.measurements(run_id)[0]

    @gc_paused()
    def measurements(self, run_id: int, known: int | None = None) -> tuple[pd.DataFrame, Integrity]:
        """The sound measurements of a run so far, ordered by key, series and quantity, and what is wrong with them.

        Columns: the contract's, further axes, the study's own by name, `key`. A failed or skipped cell is one line of
        `excess_risk` without a value. Cells that are missing or damaged have no line.

        ``known`` is the digest of all its cells, as `manifest.together` has it, where this process has stored each of
        them or held it against its own digest: where the store has the same, no cell is held against its own again.

        Raises:
            InputError: an unknown run, or a layout that cannot be read.
        """
        from dprepro.engine.frame import joined

        found, integrity = self._parts(run_id, known is not None)
        if known is not None and integrity.digest != known:
            found, integrity = self._parts(run_id, False)
        with reading(self.path):
            return joined(found), integrity

    def _parts(self, run_id: int, trusted: bool) -> tuple[list[Part], Integrity]:
        """The parts of a run's frame, and what is wrong; ``trusted`` cells are not held against their digests."""
        from dprepro.engine.frame import Part, parts

        run, places, codes = self._layout(run_id)
        integrity, together, found, most = _Tally(run, places, codes), 0, list[Part](), self._holds_most(places)
        for some in parts(places):
            keys = list(dict.fromkeys(place[0] for place in some))
            stored, digests = integrity.sound(self._cells(keys, most, trusted))
            together ^= manifest.together(digests)
            with reading(self.path):
                found.append(Part(run.experiment, some, stored))
        return found, integrity.result(together)

    def known_integrity(self, run_id: int, known: int) -> Integrity:
        """What is wrong with a run whose cells are all ``known`` to be sound; see :meth:`measurements`."""
        run, segments, keys, codes = self._segments(run_id)
        return _integrity(run, {segment[2] for segment in segments}, codes, cells=len(set(keys)), digest=known)

    def integrity(self, run_id: int, scan: Scan) -> Integrity:
        """What is wrong with a run, by a scan of the store; raises as :meth:`measurements`."""
        integrity = _Tally(*self._layout(run_id))
        for key in integrity.wanted:
            if key in scan.sound or key in scan.damaged:
                integrity.counts(key, scan.sound.get(key, ""), key in scan.sound)
        return integrity.result()

    def places(self, run_id: int) -> list[tuple[bytes, str, str, str]]:
        """Key, series, role and code of a run's cells, each once, in order; raises as :meth:`measurements`."""
        return self._layout(run_id)[1]

    def content(self, run_id: int) -> tuple[str, Integrity]:
        """A digest of all that is stored of a run but its provenance, and what is wrong with it; makes no frame.

        Every cell is read and held against its own digest, so that what has the same digest has the same measurements.

        Raises:
            InputError: as :meth:`measurements`.
        """
        run, places, known = self._layout(run_id)
        integrity, hasher = _Tally(run, places, known), hashlib.blake2b(digest_size=16)
        hasher.update(dump([run.experiment, run.config, run.overrides, run.finished, run.mark, run.damaged]).encode())
        for key, series, role, code in places:
            hasher.update(b"%b %b" % (key, repr((series, role, code)).encode()))
        for key, cell, origin, sound in self._cells(sorted(integrity.wanted)):
            integrity.counts(key, origin[0], bool(sound))
            hasher.update(b"%b %b" % (key, sound or repr((cell, origin)).encode()))
        return hasher.hexdigest(), integrity.result()

    def _layout(self, run_id: int) -> tuple[Run, list[tuple[bytes, str, str, str]], dict[str, Mapping[str, str]]]:
        """A run, the (key, series, role, code) of its cells in order, and the modules behind each code on record."""
        run, segments, keys, codes = self._segments(run_id)
        labels = itertools.chain.from_iterable(itertools.repeat(segment[:3], segment[3]) for segment in segments)
        places = list(dict.fromkeys((key, *label) for key, label in zip(keys, labels, strict=True)))
        places.sort()
        return run, places, codes

    def _segments(
        self, run_id: int
    ) -> tuple[Run, list[tuple[str, str, str, int]], list[bytes], dict[str, Mapping[str, str]]]:
        """A run, its layout, the keys of its cells, and the modules behind each code on record."""
        with reading(self.path):
            columns = self._database.execute(f"SELECT {_RUN} FROM runs WHERE id = ?", (run_id,)).fetchone()
        codes = self._codes()
        if columns is None:
            raise InputError(f"the store {self.path} has no run {run_id}")
        run = _run(*columns)
        layout, blob = columns[-2:]
        try:
            keys = [bytes(memoryview(blob)[i : i + _KEY_BYTES]) for i in range(0, len(blob), _KEY_BYTES)]
            segments = [
                (str(series), str(role), str(code), int(count)) for series, role, code, count in json.loads(layout)
            ]
            if sum(count for *_, count in segments) != len(keys) or any(count < 0 for *_, count in segments):
                raise ValueError
        except SHAPE:
            raise InputError(
                f"the store {self.path}: the layout of run {run_id} ({run.experiment}) is damaged; run it again"
            ) from None
        named = {segment[2] for segment in segments}
        return run, segments, keys, {code: codes[code] for code in named if code in codes}


class _Tally:
    """Counts what is wrong with a run's cells while they are read."""

    def __init__(
        self, run: Run, places: Sequence[tuple[bytes, str, str, str]], known: Mapping[str, Mapping[str, str]]
    ) -> None:
        self.wanted = {key: code for key, _, _, code in places}
        self._run, self._known = run, known
        self._sound = self._damaged = self._foreign = 0

    def counts(self, key: bytes, code: str, sound: bool) -> None:
        """Count a cell."""
        self._sound += sound
        self._damaged += not sound
        self._foreign += sound and code != self.wanted[key]

    def sound(
        self, cells: Iterable[tuple[bytes, tuple[Any, ...], Origin, bytes]]
    ) -> tuple[dict[bytes, tuple[Any, ...]], list[bytes]]:
        """Count cells; the columns of the sound ones by their keys, and their digests."""
        found, digests, wanted = dict[bytes, tuple[Any, ...]](), list[bytes](), self.wanted
        foreign = damaged = 0
        for key, cell, origin, stored in cells:
            if not stored:
                damaged += 1
                continue
            found[key] = cell
            digests.append(stored)
            foreign += origin[0] != wanted[key]
        self._sound += len(found)
        self._damaged += damaged
        self._foreign += foreign
        return found, digests

    def result(self, together: int | None = None) -> Integrity:
        """What is wrong; ``together`` is the digest of the sound cells."""
        missing = len(self.wanted) - self._sound - self._damaged
        return _integrity(
            self._run, set(self.wanted.values()), self._known, cells=len(self.wanted), missing=missing,
            damaged=self._damaged, foreign=self._foreign,
            digest=None if missing or self._damaged or self._foreign else together,
        )  # fmt: skip


def _integrity(run: Run, wanted: set[str], known: Mapping[str, Mapping[str, str]], **counts: int | None) -> Integrity:
    """What is wrong with the record of a run and with the codes that its cells are wanted of, with these counts."""
    return Integrity(
        changed=tuple(sorted({name for modules in known.values() for name in changed(modules)})),
        record=run.damaged,
        unknown=len(wanted - known.keys()),
        **counts,  # type: ignore[arg-type]
    )


_RUN = "id, experiment, config, overrides, provenance, finished, sources, mark, digest, layout, keys"


def _run(number: int, *columns: Any) -> Run:
    experiment, config, overrides, provenance, finished, sources, mark, whole, layout, keys = columns
    parts: list[Any] = []
    sound = mark == digest(experiment, config, overrides, layout, keys)
    sound = sound and whole == digest(mark, provenance, finished, sources)
    for text, kind in ((config, dict), (overrides, list), (provenance, dict), (sources, dict)):
        try:
            part = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            part = None
        sound = sound and isinstance(part, kind)
        parts.append(part if isinstance(part, kind) else kind())
    damaged = "" if sound else "the record of the run is not as it was stored"
    mark_digest = mark.hex() if isinstance(mark, bytes) else ""
    texts, config = [str(part) for part in parts[1]], current_figure(current_config(parts[0]))
    return Run(number, experiment, config, texts, parts[2], bool(finished), parts[3], mark_digest, damaged)


def _later(record: Record) -> tuple[bool, str, str]:
    """Of one run in two stores, the record with the greater one stands, whatever was merged first."""
    return record.run.finished, str(record.run.provenance.get("date", "")), record.texts[3]


def laid_out(cells: Sequence[Cell]) -> tuple[str, bytes]:
    """The layout of cells as it is stored, series, role, code and number of each stretch, and their keys in order."""
    segments = itertools.groupby((cell.series, cell.role, cell.code) for cell in cells)
    return dump([(*label, sum(1 for _ in group)) for label, group in segments]), b"".join(keys_of(cells))
