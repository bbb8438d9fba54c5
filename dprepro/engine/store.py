"""Where measurements are kept: one SQLite file per results folder, written by the parent process only.

It holds the cells (:mod:`dprepro.engine.cell_table`) and the runs that they belong to, each with a digest of all that
is stored of it.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from dprepro.engine.cell import Cell
from dprepro.engine.cell_table import FILE_NAME, CellTable
from dprepro.engine.code import changed
from dprepro.engine.connection import SHAPE, reading
from dprepro.engine.lines import digest
from dprepro.engine.room import uncollected
from dprepro.engine.rows import dump
from dprepro.errors import InputError, checked_name, folded

if TYPE_CHECKING:
    import pandas as pd

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
    """

    cells: int = 0
    missing: int = 0
    damaged: int = 0
    foreign: int = 0
    changed: tuple[str, ...] = ()
    record: str = ""

    @property
    def problem(self) -> str:
        """What keeps the run from being evidence, in words; empty if nothing."""
        counts = ((self.missing, "missing"), (self.damaged, "damaged"), (self.foreign, "made by other code"))
        said = [f"{count} of {self.cells} cells are {what}" for count, what in counts if count]
        if self.changed:
            more = f" and {len(self.changed) - 3} more" if len(self.changed) > 3 else ""
            said.append(f"the code has changed since ({', '.join(self.changed[:3])}{more})")
        return "; ".join([*([self.record] if self.record else []), *said])


@dataclass(frozen=True)
class Run:
    """One run of an experiment, without its measurements; ``damaged`` says what is wrong with its record."""

    id: int
    experiment: str
    config: dict[str, Any]
    overrides: list[str]
    provenance: dict[str, Any]
    finished: bool
    damaged: str = ""


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
    ) -> int:
        """Enter a run and give its id; a repetition of the experiment's newest run only renews its provenance.

        ``codes`` has the modules of each code that the cells name, with the digest of each.
        """
        checked_name("experiment", experiment)
        segments = itertools.groupby((cell.series, cell.role, cell.code) for cell in cells)
        layout = dump([(*label, sum(1 for _ in group)) for label, group in segments])
        same = (experiment, dump(dict(config)), dump(list(overrides)), layout, b"".join([cell.key for cell in cells]))
        with self._transaction() as database:
            for (other,) in database.execute("SELECT DISTINCT experiment FROM runs WHERE typeof(experiment) = 'text'"):
                if other != experiment and folded(other) == folded(experiment):
                    raise InputError(
                        f"{self.path} holds runs of {other}, whose name differs from {experiment} by case only; rename "
                        "the experiment, or choose another results_dir"
                    )
            for code, modules in (codes or {}).items():
                database.execute("INSERT OR IGNORE INTO codes VALUES (?, ?)", (code, dump(dict(modules))))
            newest = database.execute(
                "SELECT id, experiment, config, overrides, layout, keys, finished FROM runs WHERE experiment = ?"
                " ORDER BY id DESC LIMIT 1",
                (experiment,),
            ).fetchone()
            # it stays finished if it was: a repetition takes no measurement away
            repeated = newest is not None and newest[1:-1] == same
            finished = newest[-1] if repeated else 0
            columns = (*same[:3], dump(dict(provenance)), *same[3:], finished)
            cursor = database.execute(
                "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (newest[0] if repeated else None, *columns, digest(*columns)),
            )
            return int(cursor.lastrowid or 0)

    def finish_run(self, run_id: int, provenance: Mapping[str, Any]) -> None:
        """Mark a run as complete, with its final provenance."""
        with self._transaction() as database:
            columns = list(database.execute(f"SELECT {_RUN} FROM runs WHERE id = ?", (run_id,)).fetchone())
            columns[3], columns[6] = dump(provenance), 1
            database.execute(
                "UPDATE runs SET provenance = ?, finished = 1, digest = ? WHERE id = ?",
                (columns[3], digest(*columns), run_id),
            )

    def runs(self, experiment: str | None = None) -> list[Run]:
        """All runs, or those of one experiment, oldest first; a record that cannot be read says so."""
        with reading(self.path):
            found = self._database.execute(
                f"SELECT id, {_RUN}, digest FROM runs WHERE ?1 IS NULL OR experiment = ?1 ORDER BY id", (experiment,)
            ).fetchall()
            return [_run(*columns) for columns in found if isinstance(columns[1], str)]

    def latest(self, experiment: str, published: bool = True) -> Run | None:
        """The newest run of an experiment; `published` asks for the newest finished one without overrides."""
        for run in reversed(self.runs(experiment)):
            if not published or (run.finished and not run.overrides):
                return run
        return None

    def frame(self, run_id: int) -> pd.DataFrame:
        """The sound measurements of a run so far, one line per cell and quantity; see :meth:`measurements`."""
        return self.measurements(run_id)[0]

    @uncollected()
    def measurements(self, run_id: int) -> tuple[pd.DataFrame, Integrity]:
        """The sound measurements of a run so far, ordered by key, series and quantity, and what is wrong with them.

        Columns: the contract's, further axes, the study's own by name, `key`. A failed or skipped cell is one line of
        `excess_risk` without a value. Cells that are missing or damaged have no line.

        Raises:
            InputError: an unknown run, or a layout that cannot be read.
        """
        from dprepro.engine.frame import Part, joined, parts

        run, places, known = self._layout(run_id)
        integrity = _Tally(run, places, known)
        found = []
        for some in parts(places):
            stored = {
                key: cell
                for key, cell, origin, sound in self._cells(list(dict.fromkeys(place[0] for place in some)))
                if integrity.counts(key, origin[0], bool(sound))
            }
            with reading(self.path):
                found.append(Part(run.experiment, some, stored))
        with reading(self.path):
            return joined(found), integrity.result()

    def content(self, run_id: int) -> tuple[str, Integrity]:
        """A digest of all that is stored of a run but its provenance, and what is wrong with it; makes no frame.

        Every cell is read and held against its own digest, so that what has the same digest has the same measurements.

        Raises:
            InputError: as :meth:`measurements`.
        """
        run, places, known = self._layout(run_id)
        integrity, told = _Tally(run, places, known), hashlib.blake2b(digest_size=16)
        told.update(dump([run.experiment, run.config, run.overrides, run.finished, run.damaged]).encode())
        for key, series, role, code in places:
            told.update(b"%b %b" % (key, repr((series, role, code)).encode()))
        for key, cell, origin, sound in self._cells(sorted(integrity.wanted)):
            integrity.counts(key, origin[0], bool(sound))
            told.update(b"%b %b" % (key, sound or repr((cell, origin)).encode()))
        return told.hexdigest(), integrity.result()

    def _layout(self, run_id: int) -> tuple[Run, list[tuple[bytes, str, str, str]], dict[str, Mapping[str, str]]]:
        """A run, the (key, series, role, code) of its cells in order, and the modules behind each code on record."""
        with reading(self.path):
            columns = self._database.execute(f"SELECT id, {_RUN}, digest FROM runs WHERE id = ?", (run_id,)).fetchone()
        codes = self._codes()
        if columns is None:
            raise InputError(f"the store {self.path} has no run {run_id}")
        run, blob = _run(*columns), columns[6]
        try:
            keys = [bytes(memoryview(blob)[i : i + _KEY_BYTES]) for i in range(0, len(blob), _KEY_BYTES)]
            segments = [
                (str(series), str(role), str(code), int(count)) for series, role, code, count in json.loads(columns[5])
            ]
            if sum(count for *_, count in segments) != len(keys) or any(count < 0 for *_, count in segments):
                raise ValueError
        except SHAPE:
            raise InputError(
                f"the store {self.path}: the layout of run {run_id} ({run.experiment}) is damaged; run it again"
            ) from None
        labels = itertools.chain.from_iterable(itertools.repeat(one[:3], one[3]) for one in segments)
        places = list(dict.fromkeys((key, *label) for key, label in zip(keys, labels, strict=True)))
        places.sort(key=itemgetter(1, 2, 3))  # quick, since they come in segments
        places.sort(key=itemgetter(0))
        named = {segment[2] for segment in segments}
        return run, places, {code: codes[code] for code in named if code in codes}


class _Tally:
    """Counts what is wrong with a run's cells while they are read."""

    def __init__(
        self, run: Run, places: Sequence[tuple[bytes, str, str, str]], known: Mapping[str, Mapping[str, str]]
    ) -> None:
        self.wanted = {key: code for key, _, _, code in places}
        self._run, self._known = run, known
        self._sound = self._damaged = self._foreign = 0

    def counts(self, key: bytes, code: str, sound: bool) -> bool:
        """Count a cell; whether it is sound."""
        self._sound += sound
        self._damaged += not sound
        self._foreign += sound and code != self.wanted[key]
        return sound

    def result(self) -> Integrity:
        """What is wrong."""
        return Integrity(
            cells=len(self.wanted),
            missing=len(self.wanted) - self._sound - self._damaged,
            damaged=self._damaged,
            foreign=self._foreign,
            changed=tuple(sorted({name for modules in self._known.values() for name in changed(modules)})),
            record=self._run.damaged,
        )


_RUN = "experiment, config, overrides, provenance, layout, keys, finished"


def _run(number: int, experiment: str, config: str, overrides: str, provenance: str, *rest: Any) -> Run:
    layout, keys, finished, stored = rest
    parts: list[Any] = []
    sound = stored is None or stored == digest(experiment, config, overrides, provenance, layout, keys, finished)
    for text, kind in ((config, dict), (overrides, list), (provenance, dict)):
        try:
            part = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            part = None
        sound = sound and isinstance(part, kind)
        parts.append(part if isinstance(part, kind) else kind())
    damaged = "" if sound else "the record of the run is not as it was stored"
    return Run(number, experiment, parts[0], [str(one) for one in parts[1]], parts[2], bool(finished), damaged)
