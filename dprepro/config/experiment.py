"""A checked experiment: what the YAML says, as typed values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dprepro.budget import Neighbours
from dprepro.config.build import build
from dprepro.config.compose import Composed
from dprepro.errors import InputError, unknown

if TYPE_CHECKING:
    from dprepro.studies import Design, Study

WORKERS_ALL = "auto"


@dataclass(frozen=True)
class Settings:
    """The keys of an experiment that need no science to be checked.

    ``algorithm`` and ``construction`` hold what the config groups of those names chose, for use by the study's blocks.
    """

    paper: str
    claim: str
    statement: str
    neighbours: Neighbours
    sweep: Mapping[str, Sequence[float]]
    checks: Mapping[str, Mapping[str, Any]]
    figure: Mapping[str, Any]
    study: Mapping[str, Any]
    replicates: int = 1
    seed: int = 0
    workers: int | str = WORKERS_ALL
    results_dir: str = "results"
    attack: Mapping[str, Any] = field(default_factory=dict)
    algorithm: Any = None
    construction: Any = None

    def __post_init__(self) -> None:
        if self.replicates < 1:
            raise InputError(f"replicates must be at least 1, got replicates={self.replicates}")
        if self.seed < 0:
            raise InputError(f"seed must be at least 0, got seed={self.seed}")
        if isinstance(self.workers, int) and self.workers < 1:
            raise InputError(f"workers must be at least 1, got workers={self.workers}")
        if isinstance(self.workers, str) and self.workers != WORKERS_ALL and "://" not in self.workers:
            raise InputError(
                f"workers must be a number, {WORKERS_ALL}, or a Dask scheduler such as tcp://host:8786, "
                f"got workers={self.workers}"
            )
        if not self.checks:
            raise InputError("checks names no check, so nothing would be judged")


@dataclass(frozen=True)
class Experiment:
    """An experiment ready to run: its settings, its study and the resolved configuration that is stored with it."""

    name: str
    settings: Settings
    study: Study
    design: Design
    config: Mapping[str, Any]
    overrides: tuple[str, ...]


def build_experiment(composed: Composed) -> Experiment:
    """Check everything and build the study.

    Raises:
        InputError: one line that names the key, the rule and the choices.
    """
    config = dict(composed.config)
    known = Settings.__dataclass_fields__
    for key in config:
        if key not in known:
            raise unknown("key", key, known)
    settings = _settings(config)
    from dprepro.studies.base import Design, Study

    design = Design(settings.sweep, settings.replicates, settings.seed)
    from dprepro.analysis.checks import build as build_check

    for name, mapping in settings.checks.items():
        build_check(name, mapping)
    _check_figure(settings.figure)
    # `Study` is abstract: the block's _target_ chooses, and `build` checks that it is one.
    study: Study = build(Study, settings.study, "study")  # type: ignore[type-abstract]
    study = replace(study, neighbours=settings.neighbours)
    stored = {key: value for key, value in config.items() if key not in ("algorithm", "construction")}
    return Experiment(composed.name, settings, study, design, stored, composed.overrides)


def _settings(config: Mapping[str, Any]) -> Settings:
    """The top-level keys, with messages that name them as the user wrote them."""
    try:
        return build(Settings, config, "")
    except InputError as error:
        raise InputError(str(error).replace("key .", "key ").lstrip(".: ")) from error


def _check_figure(figure: Mapping[str, Any]) -> None:
    from dprepro.figures import FIGURES

    if figure.get("name") not in FIGURES:
        raise unknown("figure.name:", figure.get("name"), FIGURES)
