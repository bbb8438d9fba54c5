"""Where measurements are kept: one SQLite file per results folder, written by the parent process only."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from dprepro.engine.cell import Cell, Row
from dprepro.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1
FILE_NAME = "measurements.sqlite"
AXES = ("n", "p", "epsilon", "delta", "norm")
LEADING = ("experiment", "series", "role", *AXES, "replicate", "quantity", "value", "bound", "status", "seconds")

_SCHEMA = f"""
CREATE TABLE cells(key BLOB PRIMARY KEY, status TEXT NOT NULL, seconds REAL NOT NULL, axes TEXT NOT NULL,
                   replicate INTEGER NOT NULL, rows TEXT NOT NULL, traceback TEXT);
CREATE TABLE runs(id INTEGER PRIMARY KEY, experiment TEXT NOT NULL, config TEXT NOT NULL, overrides TEXT NOT NULL,
                  provenance TEXT NOT NULL, layout TEXT NOT NULL, keys BLOB NOT NULL, finished INTEGER NOT NULL);
PRAGMA user_version = {SCHEMA_VERSION};
"""
_KEY_BYTES = 32
_BATCH = 10_000  # keys in one query; SQLite takes 32,766
_BUSY_SECONDS = 30.0


def _numpy_scalar(value: Any) -> Any:
    return value.item()


_dump = json.JSONEncoder(separators=(",", ":"), default=_numpy_scalar).encode


@dataclass(frozen=True)
class Result:
    """What measuring one cell gave: `status` is `ok`, `failed: <error>` or `skipped: <premise>`; wall `seconds`."""

    key: bytes
    status: str
    seconds: float
    axes: dict[str, float]
    replicate: int
    rows: Sequence[Row] = ()
    traceback: str | None = None


@dataclass(frozen=True)
class Run:
    """One run of an experiment, without its measurements."""

    id: int
    experiment: str
    config: dict[str, Any]
    overrides: list[str]
    provenance: dict[str, Any]
    finished: bool


class Store:
    """The measurements and runs of one results folder; a context manager, made by :meth:`open`."""

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self._database = database

    @classmethod
    def open(cls, results_dir: str | Path, create: bool = False) -> Self:
        """Open `results_dir/measurements.sqlite`; without `create` for reading only, and an absent file reads as empty.

        Raises `InputError` if the file is no store, is from a newer version, or cannot be created or written.
        """
        path = Path(results_dir) / FILE_NAME
        try:
            if create:
                path.parent.mkdir(parents=True, exist_ok=True)
            database = _connect(path, create)
        except (OSError, sqlite3.Error) as error:
            reason = getattr(error, "strerror", None) or error
            verb = "create or open" if create else "read"
            raise InputError(f"cannot {verb} the store {path}: {reason}; choose another results_dir") from None
        return cls(database, path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the last one to close it removes SQLite's side files."""
        self._database.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
                self._database.execute("COMMIT")
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise InputError(f"cannot write the store {self.path}: {error}") from error

    # cells

    def done(self, keys: Iterable[bytes]) -> set[bytes]:
        """Those of `keys` that are measured or skipped; failed cells are not done, they are tried again."""
        return {key for key, status in self._select("status", list(keys)) if not status.startswith("failed")}

    def commit(self, results: Iterable[Result]) -> None:
        """Store results in one transaction, in place of earlier ones with the same key."""
        lines = [
            (
                r.key,
                r.status,
                r.seconds,
                _dump(r.axes),
                r.replicate,
                _dump([(row.quantity, row.value, row.bound, row.columns) for row in r.rows]),
                r.traceback,
            )
            for r in results
        ]
        with self._transaction() as database:
            database.executemany("INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?)", lines)

    def _select(self, columns: str, keys: Sequence[bytes]) -> Iterator[tuple[Any, ...]]:
        for start in range(0, len(keys), _BATCH):
            batch = keys[start : start + _BATCH]
            marks = ",".join("?" * len(batch))
            yield from self._database.execute(f"SELECT key, {columns} FROM cells WHERE key IN ({marks})", batch)

    # runs

    def begin_run(
        self,
        experiment: str,
        config: Mapping[str, Any],
        overrides: Sequence[str],
        provenance: Mapping[str, Any],
        cells: Sequence[Cell],
    ) -> int:
        """Enter a run and give its id; a repetition of the experiment's newest run only renews its provenance."""
        texts = _dump(dict(config)), _dump(list(overrides)), _dump(dict(provenance))
        segments = itertools.groupby((cell.series, cell.role) for cell in cells)
        layout = _dump([(*label, sum(1 for _ in group)) for label, group in segments])
        keys = b"".join([cell.key for cell in cells])
        with self._transaction() as database:
            newest = database.execute(
                "SELECT id, config, overrides, layout, keys FROM runs WHERE experiment = ? ORDER BY id DESC LIMIT 1",
                (experiment,),
            ).fetchone()
            if newest and newest[1:] == (*texts[:2], layout, keys):
                # it stays finished if it was: a repetition takes no measurement away
                database.execute("UPDATE runs SET provenance = ? WHERE id = ?", (texts[2], newest[0]))
                return int(newest[0])
            cursor = database.execute(
                "INSERT INTO runs(experiment, config, overrides, provenance, layout, keys, finished)"
                " VALUES (?, ?, ?, ?, ?, ?, 0)",
                (experiment, *texts, layout, keys),
            )
            return int(cursor.lastrowid or 0)

    def finish_run(self, run_id: int, provenance: Mapping[str, Any]) -> None:
        """Mark a run as complete, with its final provenance."""
        with self._transaction() as database:
            database.execute("UPDATE runs SET finished = 1, provenance = ? WHERE id = ?", (_dump(provenance), run_id))

    def runs(self, experiment: str | None = None) -> list[Run]:
        """All runs, or those of one experiment, oldest first."""
        found = self._database.execute(
            "SELECT id, experiment, config, overrides, provenance, finished FROM runs"
            " WHERE ?1 IS NULL OR experiment = ?1 ORDER BY id",
            (experiment,),
        )
        return [Run(i, name, json.loads(c), json.loads(o), json.loads(p), bool(f)) for i, name, c, o, p, f in found]

    def latest(self, experiment: str, published: bool = True) -> Run | None:
        """The newest run of an experiment; `published` asks for the newest finished one without overrides."""
        for run in reversed(self.runs(experiment)):
            if not published or (run.finished and not run.overrides):
                return run
        return None

    def frame(self, run_id: int) -> pd.DataFrame:
        """The measurements of a run so far, one line per cell and quantity, ordered by key, series and quantity.

        Columns: the contract's, further axes, the study's own by name, `key`. A failed or skipped cell is one line of
        `excess_risk` without a value. Raises `InputError` for an unknown run.
        """
        import numpy as np
        import pandas as pd

        run = self._database.execute("SELECT experiment, layout, keys FROM runs WHERE id = ?", (run_id,)).fetchone()
        if run is None:
            raise InputError(f"the store {self.path} has no run {run_id}")
        experiment, layout, blob = run
        keys = [blob[i : i + _KEY_BYTES] for i in range(0, len(blob), _KEY_BYTES)]
        labels = itertools.chain.from_iterable(
            itertools.repeat((series, role), count) for series, role, count in json.loads(layout)
        )
        places = sorted({(key, *label) for key, label in zip(keys, labels, strict=True)})
        stored = list(self._select("status, seconds, replicate, axes, rows", sorted(set(keys))))
        # one parse of everything: a call of json.loads per cell would double the time
        rows = json.loads(f"[{','.join([cell[5] for cell in stored])}]")
        points = {text: json.loads(text) for text in {cell[4] for cell in stored}}
        cells = {cell[0]: (cell, measured or _UNMEASURED) for cell, measured in zip(stored, rows, strict=True)}

        lines: list[tuple[Any, ...]] = []
        for key, series, role in places:
            if key not in cells:
                continue
            (_, status, seconds, replicate, axes, _), measured = cells[key]
            point = points[axes]
            for quantity, value, bound, own in measured:
                lines.append((key, series, role, point, replicate, quantity, value, bound, own, status, seconds))
        columns = list(zip(*lines, strict=True)) or [()] * 11
        key_of, series_of, role_of, point_of, replicates, quantities, values, bounds, owns, statuses, seconds_of = (
            columns
        )

        further = sorted(set(itertools.chain.from_iterable(points.values())).difference(AXES))
        axis = {name: np.array([p.get(name, np.nan) for p in point_of], dtype=float) for name in (*AXES, *further)}
        for name in ("n", "p"):
            if (axis[name] % 1 == 0).all():
                axis[name] = axis[name].astype(np.int64)
        study = {name: [own.get(name) for own in owns] for name in sorted(set(itertools.chain.from_iterable(owns)))}
        return pd.DataFrame(
            {
                "experiment": [experiment] * len(lines),
                "series": series_of,
                "role": role_of,
                **{name: axis[name] for name in AXES},
                "replicate": np.array(replicates, dtype=np.int64),
                "quantity": quantities,
                "value": np.array(values, dtype=float),
                "bound": np.array(bounds, dtype=float),  # None becomes NaN
                "status": statuses,
                "seconds": np.array(seconds_of, dtype=float),
                **{name: axis[name] for name in further},
                **study,
                "key": [key.hex() for key in key_of],
            }
        )


_UNMEASURED: list[Any] = [["excess_risk", None, None, {}]]


def _connect(path: Path, create: bool) -> sqlite3.Connection:
    """A connection to a file that is known to be a store; an empty one in memory where there is nothing to read."""
    if not create and not path.exists():
        return _empty()
    address = f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}"
    database = sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        # one statement, so that the two numbers belong together even while another process creates the tables
        state = "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_master)"
        version, tables = database.execute(state).fetchone()
        if version > SCHEMA_VERSION:
            raise InputError(
                f"the store {path} has version {version}, this dprepro knows versions up to {SCHEMA_VERSION};"
                " update dprepro or choose another results_dir"
            )
        if version == 0 and tables:
            raise InputError(f"{path} is a database, but not a store of measurements; choose another results_dir")
        if not create:
            if version == 0:
                database.close()
                return _empty()
            database.execute("PRAGMA query_only = ON")
            return database
        if version == 0:
            database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute("BEGIN IMMEDIATE")  # also the proof that the file can be written
        if database.execute(state).fetchone() == (0, 0):
            for statement in _SCHEMA.split(";"):
                database.execute(statement)
        database.execute("COMMIT")
    except BaseException:
        database.close()
        raise
    return database


def _empty() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", isolation_level=None)
    database.executescript(_SCHEMA + "PRAGMA query_only = ON;")
    return database
