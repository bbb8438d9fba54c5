"""A checked experiment: what the YAML says, as typed values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from dprepro import figures
from dprepro.analysis.checks import build as build_check
from dprepro.axes import AXES
from dprepro.config.compose import Composed
from dprepro.config.grids import lacking
from dprepro.config.names import check_names
from dprepro.config.overrides import place_of
from dprepro.config.reach import reach
from dprepro.config.sources import judged_against
from dprepro.engine.code import forget
from dprepro.engine.resources import gc_paused
from dprepro.engine.shards import Shard
from dprepro.engine.workers import NAMED, is_scheduler, is_setup
from dprepro.errors import InputError, checked_name, label_fault, shortened
from dprepro.figures.rate_figure import RateFigure
from dprepro.figures.style import undrawable
from dprepro.support import typed

if TYPE_CHECKING:
    from dprepro.analysis.rule import Rule
    from dprepro.engine.cell import Cell
    from dprepro.figures.base import Drawing
    from dprepro.studies import Design, Study
    from dprepro.studies.base import Declaration

WORKERS_ALL = "auto"
ANY_PAIR = "pair"
"""The experiment that leaves algorithm and construction to the user."""
MOST_WORKERS = 1024
MOST_MINUTES = 1_000_000
LEFT_OUT = ("algorithm", "construction", "shard", "cell_minutes")
"""Keys that a run's record lacks: what series take of a part stands in these, and all shards are one run."""


@dataclass(frozen=True)
class Settings:
    """The keys of an experiment that need no science to be checked.

    ``label`` names the folder of a run with overrides, and its curves where several runs are drawn together. ``shard``
    asks for a share of the cells, as ``3/16``, without a verdict. A cell that takes longer than ``cell_minutes`` has
    failed.

    ``statements`` holds which series are held against which statements of the paper (`dprepro.config.statement_forms`);
    ``algorithm`` and ``construction`` hold what the config groups of those names chose, for use by the study's blocks.
    Of a run that stands in no YAML, ``run_as`` is the command that repeats it, ``own`` the files of its modules.
    """

    paper: str
    claim: str
    statement: str
    neighbours: str
    sweep: Mapping[str, Sequence[float]]
    checks: Mapping[str, Mapping[str, Any]]
    study: Mapping[str, Any]
    figure: Mapping[str, Any] = field(default_factory=dict)
    replicates: int = 1
    seed: int = 0
    workers: int | str = WORKERS_ALL
    results_dir: str = "results"
    reuse: Literal["same", "any"] = "same"
    label: str | None = None
    shard: str | None = None
    cell_minutes: float | None = None
    attack: Mapping[str, Any] = field(default_factory=dict)
    statements: Mapping[str, Any] = field(default_factory=dict)
    algorithm: Any = None
    construction: Any = None
    own: Mapping[str, str] = field(default_factory=dict)
    run_as: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**63:
            raise InputError(f"seed must be at least 0 and below 2^63, got seed={shortened(self.seed)}")
        if isinstance(self.workers, int) and not 1 <= self.workers <= MOST_WORKERS:
            bound = "at least 1" if self.workers < 1 else f"at most {MOST_WORKERS}"
            raise InputError(f"workers must be {bound}, got workers={shortened(self.workers)}")
        named = is_scheduler(self.workers) or is_setup(self.workers)
        if isinstance(self.workers, str) and self.workers != WORKERS_ALL and not named:
            raise InputError(f"workers must be {NAMED}, got workers={self.workers}")
        if not self.results_dir or "\0" in self.results_dir:
            raise InputError("results_dir is empty or has a null byte; it must name a folder, such as results_dir=.")
        if self.shard is not None:
            Shard.parse(self.shard)
            if is_setup(self.workers):
                raise InputError(f"each job of workers={self.workers} measures a shard already: leave shard= out")
        if self.cell_minutes is not None and not 0 < self.cell_minutes <= MOST_MINUTES:
            raise InputError(
                f"cell_minutes must be above 0 and at most {MOST_MINUTES}, got cell_minutes={self.cell_minutes:g}"
            )
        if self.label is not None and (fault := label_fault(self.label)):
            raise InputError(f"label: {fault}")
        if not self.checks:
            raise InputError("checks names no check, so nothing would be judged")


@dataclass(frozen=True)
class Experiment:
    """An experiment ready to run: its study with all cells, and the resolved configuration that is stored with them.

    ``reach`` says of overrides that touch only some of the series how many, what the study remarks, and what grids
    lack; ``sources`` is what its runs are judged against.
    """

    name: str
    settings: Settings
    study: Study
    cells: Sequence[Cell]
    config: Mapping[str, Any]
    overrides: tuple[str, ...]
    reach: tuple[str, ...] = ()
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)


@gc_paused()
def build_experiment(composed: Composed) -> Experiment:
    """Check everything that can be checked before measuring, the cheap first, and build the study and its cells.

    Raises:
        InputError: one line that names the key, the rule and the choices.
        MissingDependency: a part of the experiment needs a package that is not installed.
    """
    import numpy as np

    forget()
    try:
        checked = check(composed.config)
        with np.errstate(all="ignore"):  # one line, no warnings: what overflows is refused below, or its cell fails
            cells = checked.study.cells(checked.design)
            said = [*reach(composed, cells, _cells), *checked.study.remarks(cells)]
    except InputError as error:
        raise _explained(error, composed) from error
    except (ArithmeticError, ValueError) as error:
        if isinstance(error, ValueError) and "NaN to integer" not in str(error):
            raise
        raise InputError(
            f"a parameter or a value of the sweep is too large or too small to compute with: {error}"
        ) from error
    points: dict[str, dict[int, Mapping[str, float]]] = {}
    for cell in cells:
        points.setdefault(cell.series, {})[id(cell.axes)] = cell.axes  # replicates share that of their grid point
    grids = {series: list(own.values()) for series, own in points.items()}
    said += lacking(checked.rules, grids, checked.settings.study, bool(checked.settings.run_as))
    stored = {key: value for key, value in composed.config.items() if key not in LEFT_OUT}
    stored["figure"] = dict(checked.figure)

    @lru_cache
    def repeats(series: str, axes: tuple[str, ...]) -> bool:
        own = grids[series]
        return len({tuple(map(point.get, axes)) for point in own}) < len(own)

    stored["checks"] = {
        name: _told_apart(mapping, checked.rules[name], grids, repeats)
        for name, mapping in checked.settings.checks.items()
    }
    return Experiment(
        composed.name, checked.settings, checked.study, cells, stored, composed.overrides, tuple(said),
        judged_against(composed),
    )  # fmt: skip


def _explained(error: InputError, composed: Composed) -> InputError:
    """The error, with what to type: an axis as a list, or where the chosen algorithm or data can be measured."""
    if scalar := re.match(r"(sweep\.\w+) is (\S+); it must be a list of numbers$", str(error)):
        return type(error)(f"{error}: type '{scalar[1]}=[{scalar[2].strip(chr(39))}]'")
    chosen = {place_of(override): override for override in composed.overrides if "=" in override}
    parts = [part for part in ("algorithm", "construction") if part in chosen]
    if not parts or composed.name == ANY_PAIR or not str(error).startswith(("series ", "study.")):
        return error
    others = " ".join([*([] if "algorithm" in chosen else ["algorithm=NAME"]), *(chosen[part] for part in parts)])
    return type(error)(
        f"{error}; the series of {composed.name} are made for the {' and the '.join(parts)} that it has: "
        f"+experiment={ANY_PAIR} {others} holds any algorithm on any data against its own bound"
    )


@dataclass(frozen=True)
class Checked:
    """A configuration of which every key and every name is sound."""

    settings: Settings
    rules: Mapping[str, Rule]
    figure: Mapping[str, Any]
    study: Study
    design: Design


def check(config: Mapping[str, Any]) -> Checked:
    """All that can be told without making the cells; raises as `build_experiment`."""
    settings = typed.build(Settings, config)
    series = settings.study.get("series")
    for kind, names in (("series", series if isinstance(series, Mapping) else ()), ("check", settings.checks)):
        for name in names:
            checked_name(kind, name)
    rules = {name: build_check(name, mapping) for name, mapping in settings.checks.items()}
    if not any(rule.role == "claim" for rule in rules.values()):
        raise InputError("no check has role=claim, so the experiment would have no verdict")
    figure = settings.figure if "name" in settings.figure else {**_default_figure(settings.sweep), **settings.figure}
    if not figure.get("axis", "n"):
        raise InputError("figure.axis names no axis")
    drawing = figures.build(figure)
    _check_drawn(settings, figure)
    study, design = _study(settings)
    declared = study.declare(design)
    check_names(declared, settings.sweep, rules, drawing)
    _check_axes(drawing, declared, settings)
    return Checked(settings, rules, figure, study, design)


def _check_drawn(settings: Settings, figure: Mapping[str, Any]) -> None:
    """Raise InputError for a text of the figure that cannot stand in it."""
    drawn: list[tuple[str, Any]] = [] if figure.get("heading") else [("claim", settings.claim)]
    for key, said in figure.items():
        if isinstance(said, Mapping):
            drawn += [(f"figure.{key}.{name}", value) for name, value in said.items()]
        elif isinstance(said, str) or key == "names":
            drawn += [(f"figure.{key}", word) for word in ([said] if isinstance(said, str) else said)]
    labels, series = figure.get("labels") or (), settings.study.get("series") or ()
    drawn += [(f"series {name}, which has no label", name) for name in series if name not in labels]
    drawn += [(f"check {name}", name) for name in settings.checks]
    for where, text in drawn:
        if isinstance(text, str) and (fault := undrawable(text)):
            raise InputError(f"{where}: {fault}")


def _check_axes(drawing: Drawing, declared: Declaration, settings: Settings) -> None:
    """Raise InputError for curves along a sweep of what a study lists along an axis of its own, as attacks."""
    series = settings.study.get("series")
    blocks = series.values() if isinstance(series, Mapping) else ()
    sweeps = [settings.sweep, *(one.get("sweep") or {} for one in blocks if isinstance(one, Mapping))]
    own = declared.axes - {*AXES, *(axis for sweep in sweeps for axis in sweep)}
    if own and not series and isinstance(drawing, RateFigure):
        raise InputError(
            f"figure.name={drawing.name} draws curves along a sweep, and this study has none, but an axis of its own, "
            f"{', '.join(sorted(own))}; leave the figure as it is"
        )


def _study(settings: Settings) -> tuple[Study, Design]:
    """The study under the experiment's relation of neighbours, and what it is to sweep."""
    from dprepro.studies.base import Design, Study

    design = Design(settings.sweep, settings.replicates, settings.seed)
    if "neighbours" in settings.study:
        raise InputError("study.neighbours is set by the key neighbours of the experiment; leave it out")
    # `Study` is abstract: the block's _target_ chooses, and `build` checks that it is one.
    study: Study = typed.build(Study, settings.study, "study")  # type: ignore[type-abstract]
    return replace(study, neighbours=typed.build(type(study.neighbours), settings.neighbours, "neighbours")), design


def _cells(config: Mapping[str, Any]) -> Sequence[Cell]:
    study, design = _study(typed.build(Settings, config))
    return study.cells(design)


def _default_figure(sweep: Mapping[str, Sequence[float]]) -> Mapping[str, Any]:
    """Where the YAML has none: the rate figure over the first axis that has more than one value."""
    swept = [axis for axis, values in sweep.items() if len(values) > 1] or list(sweep)
    return {"name": "rate", "axis": swept[0]} if swept else {"name": "rate"}


def _told_apart(
    check: Mapping[str, Any],
    rule: Rule,
    grids: Mapping[str, Sequence[Mapping[str, float]]],
    repeats: Callable[[str, tuple[str, ...]], bool],
) -> Mapping[str, Any]:
    """The check with all axes in `axes` that are needed to tell the grid points of its series apart.

    A rule knows the main axes and those that it mentions; of an axis that a sweep adds it would see several values for
    one grid point. ``repeats`` says whether points of a series are equal in some axes.
    """
    if not hasattr(rule, "axes"):
        return check
    known = tuple(sorted({*AXES, *(mention.name for mention in rule.mentions() if mention.kind == "axis")}))
    further: dict[str, None] = {}
    for series in [series for series in rule.uses() or grids if series in grids]:
        if repeats(series, known):
            own = grids[series]
            further |= {axis: None for axis in own[0] if axis not in known and len({entry[axis] for entry in own}) > 1}
    return {**check, "axes": [*check.get("axes", ()), *further]} if further else check
