"""A results folder from the store: measurements, verdict, figure, configuration, log. Nothing is measured here."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dprepro import figures
from dprepro.analysis.checks import as_expected, build, judge, worst
from dprepro.analysis.independence import dependence
from dprepro.analysis.points import averaged, further_axes
from dprepro.engine.resources import give_back
from dprepro.engine.store import Integrity, Run, Store
from dprepro.errors import InputError, shortened
from dprepro.figures import Drawing
from dprepro.figures.drawn import drawn
from dprepro.figures.style import rendered
from dprepro.report import kept_table, picture
from dprepro.report.formulas import plain
from dprepro.report.printed_answer import answer, question
from dprepro.report.standing import place_of
from dprepro.report.text import RAW, further, reads_a_table, table, unmeasured, verdict_lines
from dprepro.support.regular_files import bytes_of, kept_within, replace_file
from dprepro.support.texts import check_texts, visible

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Published:
    """What a results folder holds: ``frame``, the content of verdict.json, the text of run.log, and how it is drawn.

    ``config`` is the run's resolved configuration, ``fingerprint`` what its figure was drawn from.
    """

    folder: Path
    frame: pd.DataFrame
    config: Mapping[str, Any]
    verdict: dict[str, Any]
    text: str
    drawing: Drawing
    fingerprint: str

    @cached_property
    def series(self) -> frozenset[str]:
        """The series that were measured."""
        return frozenset(self.frame["series"].unique())

    @cached_property
    def bounded(self) -> tuple[tuple[str, str, str], ...]:
        """Series, role and quantity of the rows that have a bound, each once."""
        rows = self.frame.loc[self.frame["bound"].notna(), ["series", "role", "quantity"]].drop_duplicates()
        return tuple((str(row), str(role), str(quantity)) for row, role, quantity in rows.itertuples(index=False))

    @cached_property
    def measuring_seconds(self) -> float:
        """Of all its cells, whenever they were measured; the provenance has the last run's wall time."""
        seconds = self.frame.drop_duplicates("key")["seconds"]
        return round(float(seconds[seconds.between(0, 1e15)].sum()), 3)  # a damaged store may say anything

    def verbose(self) -> str:
        """The text with all that the verdict says of each check: its constant, rivals, further reasons."""
        return visible(log_text(self.config, self.frame, self.verdict, verbose=True))

    def figure(self) -> Figure:
        """The figure, drawn anew."""
        return drawn(self.drawing, self.frame, self.verdict, self.config)

    def png(self) -> bytes:
        """The figure as the content of a PNG file: that of the folder, or drawn anew where another run replaced it."""
        if picture.is_fresh(self.folder, self.fingerprint):
            return bytes_of(self.folder / "figure.png")
        return rendered(self.figure(), self.fingerprint, self.drawing.style)["png"]


@contextmanager
def alone(results_dir: str | Path) -> Iterator[None]:
    """Holds back every other process that publishes in this folder; without effect where folders cannot be locked."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(results_dir, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)  # which lets go of the lock


def folder_of(run: Run, results_dir: str | Path) -> Path:
    """``results_dir/NAME``, or ``NAME/overridden/LABEL`` in it for a run with overrides.

    Raises:
        InputError: a name that is none, or a link that leads elsewhere.
    """
    return kept_within(Path(results_dir) / place_of(run), results_dir)


def publish(store: Store, run: Run, results_dir: str | Path, doubt: str = "", known: int | None = None) -> Published:
    """Judge and draw a stored run, and write its folder; each file is replaced whole.

    With a ``doubt``, such as that its experiment asks for something else now, nothing is confirmed. Only what has
    changed is judged and drawn: a figure that stands says what it, and the verdict beside it, were made of:
    measurements, options and code. ``known`` is as in `Store.measurements`.

    Raises:
        InputError: the run's checks or figure do not fit its measurements, or the folder cannot be written.
    """
    folder = folder_of(run, results_dir)
    check_record(run)
    measured = _measured(store, run, folder, known)
    published = _rebuilt(run, folder, measured, doubt)
    frame, fingerprint = published.frame, published.fingerprint
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not measured.kept:
            try:
                table_of_cells = kept_table.file_of(frame, measured.content, measured.source)
            except (ValueError, TypeError, OverflowError) as error:  # two kinds of values, or a number of 20 digits
                raise InputError(f"the measurements of {run.experiment} are no table: {error}") from error
            replace_file(folder / kept_table.NAME, table_of_cells)
            give_back()
        replace_file(folder / "verdict.json", verdict_file(published.verdict))
        if not picture.is_fresh(folder, fingerprint, picture.files_of(published.drawing)):
            files = picture.files(published.drawing, frame, published.verdict, run.config, fingerprint)
            for name, content in files.items():
                replace_file(folder / name, content)
            for kind in picture.KINDS if not published.drawing.leaves_out else ():  # of an older run
                (folder / f"{picture.ALL}.{kind}").unlink(missing_ok=True)
        replace_file(folder / "config.yaml", _yaml(run.config).encode())
        replace_file(folder / "run.log", (published.text + "\n").encode())
    except OSError as error:
        raise InputError(f"cannot write {folder}: {error.strerror or error}; choose another results_dir") from error
    return published


class _Measured(NamedTuple):
    """The measurements of a run, and of what their table is made; ``kept`` where that stands in the folder."""

    frame: pd.DataFrame
    integrity: Integrity
    content: picture.Content
    source: str
    kept: bool


def _measured(store: Store, run: Run, folder: Path, known: int | None = None) -> _Measured:
    """From the folder, where all cells are ``known`` and its table is made of just them; else from the store."""
    source = kept_table.source_of(run, known)
    if known is not None and (found := kept_table.kept(folder, source)):
        frame, content = found
        return _Measured(frame, store.known_integrity(run.id, known), content, source, True)
    frame, integrity = store.measurements(run.id, known)
    if integrity.digest != known:
        source = kept_table.source_of(run, integrity.digest)
    return _Measured(frame, integrity, picture.content(frame), source, False)


def rebuilt(store: Store, run: Run, folder: Path, doubt: str = "") -> Published:
    """A stored run as its ``folder`` holds it, or would; nothing is written, and nothing drawn.

    Only what has changed is judged: see :func:`publish`, which says what a ``doubt`` is.

    Raises:
        InputError: the run's checks or figure do not fit its measurements.
    """
    check_record(run)
    return _rebuilt(run, folder, _measured(store, run, folder), doubt)


def _rebuilt(run: Run, folder: Path, measured: _Measured, doubt: str) -> Published:
    drawing, frame, content = figures.build(run.config["figure"]), measured.frame, measured.content
    problem = "; ".join(filter(None, (measured.integrity.problem, doubt)))
    before = picture.fresh_verdict(folder, drawing, content, run.config, problem)
    if before is not None and before["overrides"] == list(run.overrides):
        verdict = before | {"provenance": provenance_of(run)}
    else:
        verdict = judge_run(run, frame, problem)
    give_back()
    text = visible(log_text(run.config, frame, verdict))
    fingerprint = picture.fingerprint(drawing, content, verdict, run.config, problem)
    return Published(folder, frame, run.config, verdict, text, drawing, fingerprint)


_RECORD = {
    "paper": str, "claim": str, "statement": str, "neighbours": str,
    "checks": Mapping, "study": Mapping, "sweep": Mapping, "figure": Mapping,
}  # fmt: skip

_PROVENANCE = {"versions", "commit", "seed", "platform", "cells", "seconds", "date"}


def check_record(run: Run) -> None:
    """Raise InputError for a stored configuration that has another shape than any that was ever run."""
    wrong = [key for key, kind in _RECORD.items() if not isinstance(run.config.get(key), kind)]
    wrong += ["provenance"] if not _provenance(run.provenance) else []
    wrong += ["checks"] if not wrong and not _blocks(run.config["checks"]) else []
    wrong += ["study.series"] if not wrong and not _blocks(run.config["study"].get("series", {})) else []
    wrong += ["sweep"] if not wrong and not all(isinstance(item, list) for item in run.config["sweep"].values()) else []
    check_texts([run.config, run.overrides, run.provenance], f"the record of run {run.id}")
    if wrong:
        raise InputError(
            f"the record of run {run.id} ({shortened(run.experiment)}) is damaged at {', '.join(wrong)}; run it again"
        )


def _provenance(found: Mapping[str, Any]) -> bool:
    """Whether it has what a verdict says of where it comes from, and can be written."""
    try:
        json.dumps(found, allow_nan=False)
    except ValueError:
        return False
    return found.keys() >= _PROVENANCE and isinstance(found["versions"], Mapping)


def _blocks(value: object) -> bool:
    """Whether it maps names to mappings."""
    return isinstance(value, Mapping) and all(isinstance(item, Mapping) for item in value.values())


def judge_run(run: Run, frame: pd.DataFrame, problem: str = "") -> dict[str, Any]:
    """The content of verdict.json; with a ``problem`` of the stored measurements nothing is confirmed, or refuted.

    Replicates that are not independent are one.

    Raises:
        InputError: the record of the run is damaged.
    """
    check_record(run)
    rules = {name: build(name, check) for name, check in run.config["checks"].items()}
    results = judge(frame, rules, run.config["study"].get("series", ()))
    problem = "; ".join(filter(None, (problem, dependence(frame))))
    if problem:
        results = {name: result.doubted(problem) for name, result in results.items()}
    return {
        "experiment": run.experiment,
        **{key: run.config[key] for key in ("paper", "claim", "statement", "neighbours")},
        "verdict": worst(results),
        "as_expected": as_expected(results),
        "checks": {name: result.to_dict() for name, result in results.items()},
        "overrides": list(run.overrides),
        "provenance": provenance_of(run),
    }


def provenance_of(run: Run) -> dict[str, Any]:
    """Where a verdict comes from; ``run`` is the mark of the run in the store."""
    return dict(run.provenance) | {"run": run.mark}


def log_text(config: Mapping[str, Any], frame: pd.DataFrame, verdict: Mapping[str, Any], verbose: bool = False) -> str:
    """What a run prints at its end: the table, counts of what was not measured, and the verdict.

    A person's question is answered first, in words; then ``verbose`` tells the rest.
    """
    if not verbose and question(config):
        parts = answer(config, frame, verdict)
        parts += [RAW] if reads_a_table(config) else []
        parts += [f"run as: {config['run_as']}"] if config.get("run_as") else []
        said = f"verdict: {verdict['experiment']} ({verdict['paper']}, {verdict['claim']}): {verdict['verdict']}"
        return "\n".join([*parts, said])
    figure = config["figure"]
    axis, envelope, average = figure.get("axis", "n"), figure.get("envelope", ()), figure.get("average", ())
    rows, quantity = averaged(frame, average), figure.get("quantity", "excess_risk") if average else "excess_risk"
    more = further_axes(rows, config)
    parts = [
        plain(config["statement"]),
        table(rows, axis if isinstance(axis, str) else axis[0], envelope, more, quantity),
        *further(frame),
    ]
    parts += [*unmeasured(frame), verdict_lines(verdict, verbose)]
    parts += [RAW] if reads_a_table(config) else []
    parts += [f"run as: {config['run_as']}"] if config.get("run_as") else []
    return "\n".join(parts)


def verdict_file(verdict: Mapping[str, Any]) -> bytes:
    """The content of verdict.json."""
    return (json.dumps(verdict, indent=2, allow_nan=False) + "\n").encode()


def _yaml(config: Mapping[str, Any]) -> str:
    import yaml

    return str(yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True, width=100))
