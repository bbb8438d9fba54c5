"""What a run gives to whoever called it, and the same of a run that is stored; no algorithm is imported."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprepro.analysis.checks import said, worded
from dprepro.engine.store import FILE_NAME, Changes, Run, Store
from dprepro.errors import InputError, printable, shortened, unknown
from dprepro.report import frames
from dprepro.report.publish import Published, rebuilt
from dprepro.report.standing import OVERRIDDEN, all_standing, standing
from dprepro.report.text import finding, number, position, verdict_lines

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LINES = 60
"""Of a table in a notebook; of more the first are shown."""


@dataclass(frozen=True, repr=False, eq=False)
class Outcome:
    """What a run gives.

    Attributes:
        published: what the results folder holds.
        failed: number of cells that failed.
        measured: number of cells measured now.
        reused: number of cells that the store held.
        again: why some of those measured now had been in the store; empty if none was.
        reach: of overrides that touch only some of the series, how many.
    """

    published: Published
    failed: int
    measured: int
    reused: int
    again: str = ""
    reach: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """The measurements with all columns of the study, one line for each cell and quantity."""
        return self.published.frame

    @property
    def verdict(self) -> dict[str, Any]:
        """The content of verdict.json."""
        return self.published.verdict

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self.published.folder

    @property
    def figure(self) -> Figure:
        """The figure, drawn anew as a matplotlib object."""
        return self.published.figure()

    def summary(self, quantity: str = "") -> pd.DataFrame:
        """A line for each series and grid point; the columns: :func:`dprepro.report.frames.summary`."""
        return frames.summary(self.published, quantity)

    def long(self) -> pd.DataFrame:
        """A line for each replicate and quantity; the columns: :func:`dprepro.report.frames.long`."""
        return frames.long(self.published)

    def wide(self) -> pd.DataFrame:
        """A line for each replicate, a column for each quantity: :func:`dprepro.report.frames.wide`."""
        return frames.wide(self.published)

    def plot(
        self,
        *others: Outcome,
        axis: str = "",
        series: str | Sequence[str] = (),
        quantity: str = "",
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the curves of this run, and of ``others`` over them; see :func:`dprepro.report.overlay.overlay`."""
        from dprepro.report.overlay import labels, overlay

        runs = self._beside(others)
        return overlay(dict(zip(labels(runs), runs, strict=True)), axis, series, quantity, ax)

    def compare(self, *others: Outcome, axis: str = "", series: str = "", quantity: str = "") -> pd.DataFrame:
        """This run's mean over that of others, with intervals: :func:`dprepro.report.frames.compare`.

        ``outcome.plot(other)`` draws what it compares.
        """
        from dprepro.report.overlay import labels

        runs = self._beside(others)
        named = dict(zip(labels(runs), runs, strict=True))
        first, *rest = named.items()
        return frames.compare(first[1], dict(rest), axis, series, quantity)

    def _beside(self, others: Sequence[object]) -> list[Published]:
        """What is stored of this run and of others; raises InputError for what is no outcome."""
        if wrong := [other for other in others if not isinstance(other, Outcome)]:
            raise InputError(f"{shortened(wrong[0])} is no outcome; that of an earlier run is dprepro.load('NAME')")
        return [self.published, *(other.published for other in others if isinstance(other, Outcome))]

    def __str__(self) -> str:
        return self.published.text

    def __repr__(self) -> str:
        cells = f"{self.measured} cells measured, {self.reused} from the store"
        failed = f", {self.failed} failed" if self.failed else ""
        words = f"{self.verdict['experiment']}: {worded(self.verdict)}; {cells}{failed}; {self.folder}"
        return f"<Outcome {printable(words)}>"

    def _repr_png_(self) -> bytes:
        """The figure, for what shows no HTML."""
        return self.published.png()

    def _repr_html_(self) -> str:
        """What a notebook shows where a cell ends with an outcome: verdict, figure, summary, checks."""
        figure = b64encode(self.published.png()).decode()
        return "\n".join(
            [
                f"<p><strong>{escape(verdict_lines(self.verdict).splitlines()[-1])}</strong></p>",
                f'<img alt="the figure of the run" style="max-width: 48em" src="data:image/png;base64,{figure}">',
                _summary_html(self.published),
                _html(("check", "role", "verdict", "finding"), _checks(self.verdict)),
            ]
        )


def load(run: str | Path, results_dir: str | Path, since: Callable[[Run], Changes]) -> Outcome:
    """The outcome of a stored run; nothing is measured or written.

    Args:
        run: an experiment's name, or a folder in ``results_dir`` (``NAME/overridden/LABEL``), or the path of one in any
            results folder.
        results_dir: where names are looked for.
        since: says what an experiment asks for now that its run did not: what has changed confirms nothing.

    Raises:
        InputError: there is no such run, or no store beside it.
    """
    root, place = _place(Path(run), Path(results_dir))
    with Store.open(root) as store:
        published = _rebuilt(store, root, place, since)
    cells = published.frame.drop_duplicates("key")
    failed = int(cells["status"].astype(str).str.startswith("failed").sum())
    return Outcome(published, failed, 0, len(cells) - failed)


def _place(run: Path, results_dir: Path) -> tuple[Path, str]:
    """The results folder of a run, and its folder in there.

    Raises:
        InputError: no store is in a folder around it.
    """
    if not run.is_absolute() and (results_dir / run).is_dir() and (results_dir / FILE_NAME).is_file():
        return results_dir, run.as_posix()
    for root in list(run.parents)[:3]:
        if run.is_dir() and (root / FILE_NAME).is_file():
            return root, run.relative_to(root).as_posix()
    if not (results_dir / FILE_NAME).is_file():
        raise InputError(f"there is no store in {results_dir} to find {run} in; name another results_dir, or a path")
    return results_dir, run.as_posix()


def _rebuilt(store: Store, root: Path, place: str, since: Callable[[Run], Changes]) -> Published:
    """The run that stands in a folder, or, where none does, the latest of an experiment."""
    runs = {run.mark: run for run in store.runs()}
    found = standing(root, place, runs)
    run = found.run if found else store.latest(place) or store.latest(place, published=False)
    if run is None:
        if found:
            raise InputError(f"{root / place}: {found.problem}")
        known = {run.experiment for run in runs.values()}
        known |= {standing.place for standing in all_standing(root, runs) if OVERRIDDEN in standing.place}
        raise unknown("run", place, known)
    return rebuilt(store, run, root / place, since(run).doubt)


def _summary_html(run: Published) -> str:
    """The summary as a table without the columns that have one value, or none, and what it leaves out."""
    try:
        table = frames.summary(run)
    except InputError as error:
        return f"<p>{escape(str(error))}</p>"
    named = ["series", "role"]
    shown = [*named, *(name for name in table.columns if name not in named and _is_informative(table, name))]
    rows = [[_cell(str(name), value) for name, value in line.items()] for line in table[shown].to_dict("records")]
    rest = f"<p>and {len(rows) - MOST_LINES} more lines: summary()</p>" if len(rows) > MOST_LINES else ""
    return _html(shown, rows[:MOST_LINES]) + rest


def _is_informative(table: pd.DataFrame, name: str) -> bool:
    """Whether a column of the summary is worth its room."""
    if name in ("mean", "low", "high", "bound", "ratio") or name.startswith("exponent_"):
        return bool(table[name].notna().any()) and not name.endswith(("_low", "_high"))
    return table[name].nunique(dropna=False) > 1


def _cell(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    return (number if name in ("mean", "low", "high", "bound", "ratio") else position)(float(value))


def _checks(verdict: dict[str, Any]) -> list[list[str]]:
    return [
        [name, check["role"], said(check) + ("" if check["as_expected"] else " (not as expected)"), finding(check)]
        for name, check in verdict["checks"].items()
    ]


def _html(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; nothing in a cell is taken for markup."""
    lines = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    heads = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return f'<table class="dataframe">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table>'
