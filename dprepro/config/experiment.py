"""A checked experiment: what the YAML says, as typed values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dprepro import figures, typed
from dprepro.analysis.checks import build as build_check
from dprepro.config.compose import Composed
from dprepro.errors import InputError, unknown

if TYPE_CHECKING:
    from dprepro.engine.cell import Cell
    from dprepro.studies import Study

WORKERS_ALL = "auto"


@dataclass(frozen=True)
class Settings:
    """The keys of an experiment that need no science to be checked.

    ``algorithm`` and ``construction`` hold what the config groups of those names chose, for use by the study's blocks.
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
    attack: Mapping[str, Any] = field(default_factory=dict)
    algorithm: Any = None
    construction: Any = None

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise InputError(f"seed must be at least 0, got seed={self.seed}")
        if isinstance(self.workers, int) and self.workers < 1:
            raise InputError(f"workers must be at least 1, got workers={self.workers}")
        if isinstance(self.workers, str) and self.workers != WORKERS_ALL and "://" not in self.workers:
            raise InputError(
                f"workers must be a number, {WORKERS_ALL}, or a Dask scheduler such as tcp://host:8786, "
                f"got workers={self.workers}"
            )
        if not self.results_dir:
            raise InputError("results_dir is empty; it must name a folder, such as results_dir=.")
        if not self.checks:
            raise InputError("checks names no check, so nothing would be judged")


@dataclass(frozen=True)
class Experiment:
    """An experiment ready to run: its study with all cells, and the resolved configuration that is stored with them."""

    name: str
    settings: Settings
    study: Study
    cells: Sequence[Cell]
    config: Mapping[str, Any]
    overrides: tuple[str, ...]


def build_experiment(composed: Composed) -> Experiment:
    """Check everything that can be checked before measuring, the cheap first, and build the study and its cells.

    Raises:
        InputError: one line that names the key, the rule and the choices.
        MissingDependency: a part of the experiment needs a package that is not installed.
    """
    settings = typed.build(Settings, composed.config)
    rules = {name: build_check(name, mapping) for name, mapping in settings.checks.items()}
    if not any(rule.role == "claim" for rule in rules.values()):
        raise InputError("no check has role=claim, so the experiment would have no verdict")
    figure = settings.figure or _default_figure(settings.sweep)
    figures.build(figure)
    from dprepro.studies.base import Design, Study

    design = Design(settings.sweep, settings.replicates, settings.seed)
    if "neighbours" in settings.study:
        raise InputError("study.neighbours is set by the key neighbours of the experiment; leave it out")
    # `Study` is abstract: the block's _target_ chooses, and `build` checks that it is one.
    study: Study = typed.build(Study, settings.study, "study")  # type: ignore[type-abstract]
    study = replace(study, neighbours=typed.build(type(study.neighbours), settings.neighbours, "neighbours"))
    cells = study.cells(design)
    series = {cell.series for cell in cells}.union(settings.study.get("series", ()))
    for name, rule in rules.items():
        for one in rule.uses():
            if one not in series:
                raise InputError(f"check {name}: {unknown('series', one, series)}")
    _check_figure(figure, cells, series, rules)
    stored = {key: value for key, value in composed.config.items() if key not in ("algorithm", "construction")}
    stored["figure"] = dict(figure)
    return Experiment(composed.name, settings, study, cells, stored, composed.overrides)


def _default_figure(sweep: Mapping[str, Sequence[float]]) -> Mapping[str, Any]:
    """Where the YAML has none: the rate figure over the first axis that has more than one value."""
    swept = [axis for axis, values in sweep.items() if len(values) > 1] or list(sweep)
    return {"name": "rate", "axis": swept[0]} if swept else {"name": "rate"}


def _check_figure(
    figure: Mapping[str, Any], cells: Sequence[Cell], series: set[str], checks: Mapping[str, Any]
) -> None:
    """What a figure names must be there; otherwise it would be missed only after everything is measured."""
    axes = {axis for cell in cells for axis in cell.axes}
    named = {
        "axis": axes,
        "hide": series,
        "claim": series,
        "series": series,
        "labels": series,
        "across": series,
        "check": set(checks),
    }
    for option, choices in named.items():
        given = figure.get(option) or ()
        for one in [given] if isinstance(given, str) else given:
            if one not in choices:
                raise InputError(f"figure.{option}: {unknown(option, one, choices)}")
