"""Stores of shards, seeds or colleagues brought together in one: equal to what one process would have stored.

A store is merged whole or not at all, in one transaction, and what is there already is left as it is: a merge can be
killed, repeated, and done in any order. What cannot stand beside what is there is told, never dropped:

- the same cell with other rows, by the same code: the store is refused, with both origins;
- a run of other code for the same cells, or of another configuration or other cells under the same name: it is kept
  apart, in a store of its own below the folder, where it is a run like any other.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from dprepro.axes import AXES
from dprepro.engine.cell import LEADING
from dprepro.engine.cell_lines import Line, Origin
from dprepro.engine.comparing import TOLERANCE, lines_fault
from dprepro.engine.connection import SHAPE
from dprepro.engine.resources import gc_paused
from dprepro.engine.rows import grouped
from dprepro.engine.store import Record, Store
from dprepro.errors import InputError

APART = "apart"
"""The folder, in the one of results, of stores that cannot stand beside what is there."""

_BATCH = 10_000
_KEY_BYTES = 32
_RESERVED = frozenset((*LEADING, "key"))
_ENTRIES = {float, int, bool, str, type(None)}

Differences = Callable[[Mapping[str, Any], Mapping[str, Any]], Sequence[str]]
"""The keys in which two configurations differ, in words."""


@dataclass
class Merged:
    """What became of a store.

    Attributes:
        added, present: numbers of its cells that are new here, and that were here.
        left: its cells of other code than the ones here, for which it has no run: they stay where they are.
        apart: runs that are kept apart: experiment with overrides, why, and in which folder.
        runs: those that stand here or apart now, by folder, each with its place in that store.
    """

    added: int = 0
    present: int = 0
    left: int = 0
    apart: list[tuple[str, str, Path]] = field(default_factory=list)
    runs: dict[Path, set[tuple[str, ...]]] = field(default_factory=dict)

    def __str__(self) -> str:
        said = [f"{self.added} cells added, {self.present} were there"]
        said += [f"{name} is kept apart in {folder}: {why}" for name, why, folder in self.apart]
        said += [f"{self.left} cells of other code, of no run, stay there"] if self.left else []
        return "; ".join(said)


class Merger:
    """The store of a folder, and those kept apart in it, into which others are merged; a context manager."""

    def __init__(self, results_dir: str | Path, differences: Differences) -> None:
        self._folder = Path(results_dir)
        self._differences = differences
        self._stack = ExitStack()
        self._targets: list[_Target] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _target(self, number: int) -> _Target:
        while number >= len(self._targets):
            at = len(self._targets)
            folder = self._folder / APART / str(at) if at else self._folder
            store = self._stack.enter_context(Store.open(folder, create=True))
            if faults := store.health():
                raise InputError(f"the store {store.path} is not sound: {faults[0]}; nothing was merged into it")
            self._targets.append(_Target(store))
        return self._targets[number]

    @gc_paused()
    def merge(self, source: Store) -> Merged:
        """Take in all that a store holds.

        Raises:
            InputError: it is damaged, or contradicts what is here; nothing of it has been stored then.
        """
        place = source.path.parent
        if faults := source.health():
            raise InputError(f"{place} is not sound: {faults[0]}; nothing of it was merged")
        records = newest(source.records())
        if damaged := [record for record in records if record.run.damaged or _cells(record) is None]:
            raise InputError(
                f"{place} is not sound: of {damaged[0].run.experiment} the record of the run is not as it was stored; "
                "nothing of it was merged"
            )
        found, placed = Merged(), dict[int, list[tuple[Record, Record | None]]]()
        known = source.codes()
        for record in records:
            first = ""
            for number in itertools.count():
                target = self._target(number)
                why, same = target.misfit(record, self._differences, known)
                if not why:
                    break
                first = first or why
            placed.setdefault(number, []).append((record, same))
            found.runs.setdefault(target.folder, set()).add(record.group)
            if number:
                found.apart.append((" ".join([record.run.experiment, *record.run.overrides]), first, target.folder))
        self._target(0)
        takers = [_Taking(self._targets[number], placed.get(number, [])) for number in sorted({0, *placed})]
        with ExitStack() as stack:
            for taker in takers:
                stack.enter_context(taker.target.store.together())
            self._take(source, takers, found)
            for taker in takers:
                taker.enter(known)
        for taker in takers:
            taker.target.renew()
        return found

    def _take(self, source: Store, takers: Sequence[_Taking], found: Merged) -> None:
        """Hand each cell to whom it belongs; raises InputError, once all are seen, where one contradicts another."""
        main, *apart = takers
        elsewhere = set(itertools.chain.from_iterable(taker.wanted for taker in apart)) - main.wanted.keys()
        damaged, none, conflicts = 0, 0, list[str]()
        for lines in source.every_line(_BATCH):
            damaged += sum(not line.digest for line in lines)
            sound = [line for line in lines if line.digest]
            if strange := 0 if _are_cells(sound) else sum(not _are_cells([line]) for line in sound):
                none += strange
                continue  # nothing of this store is taken
            for taker in takers:
                own = [
                    line for line in lines
                    if line.digest and (line.key in taker.wanted or (taker is main and line.key not in elsewhere))
                ]  # fmt: skip
                taker.take(own, found, conflicts)
        if damaged:
            raise InputError(
                f"{source.path.parent} is not sound: {damaged} cells are not as they were stored; "
                "python -m dprepro check repair=true measures them again; nothing of it was merged"
            )
        if none:
            raise InputError(
                f"{source.path.parent} is not sound: {none} cells have another shape than any that was measured; "
                "nothing of it was merged"
            )
        if conflicts:
            more = f", and {len(conflicts) - 1} cells more" if conflicts[1:] else ""
            raise InputError(f"{source.path.parent}: {conflicts[0]}{more}; nothing of it was merged")


class _Target:
    """A store that others are merged into, with its runs, and what they ask for."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.folder = store.path.parent
        self.renew()

    def renew(self) -> None:
        """Read the runs."""
        self._runs = newest(self.store.records())
        self.asked: dict[bytes, str] = {}
        for record in self._runs:
            self.asked |= {key: code for key, (_, code) in (_cells(record) or {}).items()}

    def misfit(
        self, record: Record, differences: Differences, known: Mapping[str, Mapping[str, str]]
    ) -> tuple[str, Record | None]:
        """Why a run cannot stand here, empty if it can; and the same run where it stands here already.

        ``known`` are the modules behind the codes of its store.
        """
        beside = False
        for other in self._runs:
            if other.group == record.group:
                beside = True
                if differs := differences(other.run.config, record.run.config):
                    return f"another configuration, {differs[0]}", None
                if (other.layout, other.keys) == (record.layout, record.keys):
                    return "", other
        codes = {
            (self.asked[key], code)
            for key, (_, code) in (_cells(record) or {}).items()
            if self.asked.get(key, code) != code
        }
        if not codes:  # of two runs under one name the one merged last would hide the other
            return ("other cells, of other data or versions" if beside else ""), None
        here = self.store.codes()
        modules = sorted(
            {
                name
                for code, other in codes
                for name, digest in known.get(other, {}).items()
                if here.get(code, {}).get(name) != digest
            }
        )
        return "other code" + (f" ({', '.join(modules[:3])})" if modules else ""), None


class _Taking:
    """What one target takes of a store."""

    def __init__(self, target: _Target, runs: Sequence[tuple[Record, Record | None]]) -> None:
        self.target = target
        self._runs = runs
        self._series: dict[bytes, str] = {}
        self.wanted: dict[bytes, str] = {}
        for record, _ in runs:
            for key, (series, code) in (_cells(record) or {}).items():
                self._series[key], self.wanted[key] = series, code

    def take(self, lines: Sequence[Line], found: Merged, conflicts: list[str]) -> None:
        """Store those that are new here; what contradicts what is here is added to ``conflicts``."""
        here = self.target.store.lines([line.key for line in lines])
        taken = []
        for line in lines:
            other = here.get(line.key)
            wanted = self.target.asked.get(line.key, self.wanted.get(line.key))
            if other is None or not other.digest:
                taken.append(line)
                found.added += 1
            elif line.origin[0] != other.origin[0]:
                if line.origin[0] == wanted:
                    taken.append(line)
                    found.added += 1
                else:
                    found.left += 1
            else:
                found.present += 1
                if fault := _contradiction(other, line):
                    where = f"{self._series.get(line.key, 'a cell of no run')} at {_point(line.axes)}"
                    conflicts.append(
                        f"another result of {where}, replicate {line.replicate}, than in {self.target.folder} "
                        f"({_origin(line.origin)}; {_origin(other.origin)} there): {fault}"
                    )
                elif _rank(line) < _rank(other):
                    taken.append(line)
        if taken:
            self.target.store.commit(taken)

    def enter(self, known: Mapping[str, Mapping[str, str]]) -> None:
        """Enter the runs, with what is ``known`` of their codes."""
        for record, same in self._runs:
            self.target.store.enter(record, {code: known[code] for code in record.codes() if code in known}, same)


def newest(records: Sequence[Record]) -> list[Record]:
    """Of each experiment with the same overrides the newest run: those before it stand for nothing."""
    return sorted({record.group: record for record in records}.values(), key=lambda record: record.run.id)


def _cells(record: Record) -> Mapping[bytes, tuple[str, str]] | None:
    """The series and code of each cell of a run; None where its layout cannot be read."""
    try:
        return record.cells()
    except SHAPE:
        return None


def _are_cells(lines: Sequence[Line]) -> bool:
    """Whether all are what measuring gives: their digests fit whatever somebody has written with them."""
    for key, status, seconds, axes, replicate, rows, trace, *_ in lines:
        if not (
            type(key) is bytes and len(key) == _KEY_BYTES and type(replicate) is int
            and all(type(text) is str for text in (status, axes, rows, "" if trace is None else trace))
            and type(seconds) in (int, float) and math.isfinite(seconds)
        ):  # fmt: skip
            return False
    try:
        points = {text: json.loads(text) for text in {line.axes for line in lines}}
        for point in points.values():
            if not (_RESERVED - {*AXES}).isdisjoint(point):
                return False
            if any(type(value) not in (int, float) or math.isnan(float(value)) for value in point.values()):
                return False
        for names, (places, columns) in grouped([line.rows for line in lines]).items():
            taken = _RESERVED.union(*(points[text] for text in {lines[place].axes for place in places}))
            column = iter(columns)
            for quantity, further in names:
                " ".join((quantity, *further)).encode()  # raises ValueError where it can be written nowhere
                for entries in (next(column).entries, next(column).entries):
                    if not all(entry is None or math.isfinite(entry) for entry in entries):
                        return False
                if not taken.isdisjoint(further):
                    return False
                for own in itertools.islice(column, len(further)):
                    if not {*map(type, own.entries)} <= _ENTRIES:
                        return False
                    "".join([entry for entry in own.entries if type(entry) is str]).encode()
    except SHAPE:
        return False
    return True


def _contradiction(line: Line, other: Line) -> str:
    """Where two results of one cell by the same code contradict each other; empty if nowhere.

    A failure contradicts nothing: it may be the machine's, and a failed cell is tried again.
    """
    if line.digest == other.digest or _failed(line) or _failed(other):
        return ""
    if (line.axes, line.replicate) != (other.axes, other.replicate):
        return f"its place was {line.axes}, replicate {line.replicate}, and is {other.axes}, {other.replicate}"
    return lines_fault(line, other, 0.0 if line.origin[2] == other.origin[2] else TOLERANCE)


def _rank(line: Line) -> tuple[bool, str, str]:
    """Of two results that agree the one with the lesser rank stands, whatever was merged first."""
    return _failed(line), line.origin[2], line.rows


def _failed(line: Line) -> bool:
    return line.status.startswith("failed")


def _origin(origin: Origin) -> str:
    """The commit and the processor behind a cell, in words."""
    try:
        commit = str(json.loads(origin[1]).get("commit") or "")[:9]
    except SHAPE:
        commit = ""
    return f"by commit {commit or 'unknown'} on {origin[2] or 'an unknown CPU'}"


def _point(axes: str) -> str:
    try:
        return ", ".join(f"{name}={value:g}" for name, value in json.loads(axes).items())
    except SHAPE:
        return axes
