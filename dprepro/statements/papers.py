"""Papers: what each is, its statements as values, and its errata (``papers/PAPER.yaml``).

The statements of a shipped paper stand in `dprepro.statements`, in the module of the paper's name; those of a pack in a
module of its package, which the key ``statements`` of its YAML names. A paper without such a module has them in its
YAML, as ``claims``. All are read alike, from the package, installed packs and a user's ``--config-dir``
(`dprepro.support.folders`).
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from dprepro.errors import InputError, MissingDependency, unknown
from dprepro.statements.statement import Statement
from dprepro.support import typed
from dprepro.support.folders import conf_dir, experiment_files, folders
from dprepro.support.yaml_files import load

Severity = Literal["typo", "constant", "privacy failure", "false", "proof gap", "corner"]
"""A ``corner`` is a failure at a degenerate place alone, and no headline."""
DPREPRO_IMPORTS = DPREPRO_READS = ()  # what a measurement takes of a statement stands in its key

SHIPPED = "dprepro.statements"


@dataclass(frozen=True)
class ErratumEvidence:
    """What shows an erratum: a check of an experiment that must come out ``expect``ed, or a test by path and name."""

    experiment: str = ""
    check: str = ""
    test: str = ""

    def __post_init__(self) -> None:
        if bool(self.test) == bool(self.experiment) or bool(self.experiment) != bool(self.check):
            raise InputError("an erratum is shown by experiment and check, or by test")


@dataclass(frozen=True)
class Erratum:
    """An erratum: what is printed, what holds, and what showed it.

    Attributes:
        printed: in our own words or as a ``quote``.
        quote: the printed words; ``source``: their place; ``ocr``: the text at hand is a machine's reading of the page.
        range: for which epsilon and delta it fails.
        about: the statements that it touches; without it, that is what ``item`` says up to its first comma.
        cause: what errata of one cause have in common; without it, each is a cause of its own.
    """

    item: str
    printed: str
    holds: str
    severity: Severity
    shown_by: Sequence[ErratumEvidence]
    about: Sequence[str] = ()
    quote: str = ""
    source: str = ""
    ocr: bool = True
    range: str = ""
    cause: str = ""

    @property
    def statements(self) -> tuple[str, ...]:
        """The items of the statements that it touches."""
        return tuple(self.about) or (self.item.partition(",")[0],)


@dataclass(frozen=True, kw_only=True)
class Paper:
    """What a paper is, its statements, and its errata.

    Attributes:
        authors: family names, as cited: ``Talwar, Thakurta and Zhang``.
        statements: the module whose tuple ``STATEMENTS`` holds them; ``claims`` are those statements.
    """

    title: str
    authors: str
    year: int
    statements: str = ""
    claims: Sequence[Statement] = ()
    errata: Sequence[Erratum] = ()

    def __post_init__(self) -> None:
        items = [statement.item for statement in self.claims]
        if twice := sorted({item for item in items if items.count(item) > 1}):
            raise InputError(f"claims has {twice[0]} twice")
        for claim in self.claims:
            for other in claim.restates:
                if other not in items:
                    raise InputError(f"{claim.item} restates {unknown('statement', other, items)}")

    def find(self, item: str) -> Statement:
        """The statement of that number; raises InputError, with the choices, where there is none."""
        for claim in self.claims:
            if claim.item == item:
                return claim
        raise unknown("statement", item, [statement.item for statement in self.claims])


def papers(config_dir: str | None = None) -> dict[str, Paper]:
    """All papers by the key that experiments have for them, in the order of the years.

    Raises:
        InputError: a file that describes no paper, or an erratum that names an experiment that does not exist.
    """
    known = frozenset(experiment_files(config_dir))
    found = {key: _paper(file, file.stat().st_mtime_ns) for key, file in _files(config_dir).items()}
    for key, paper in found.items():
        shown = {
            evidence.experiment for erratum in paper.errata for evidence in erratum.shown_by if evidence.experiment
        }
        if strange := sorted(shown - known):
            raise InputError(f"papers/{key}.yaml: {unknown('experiment', strange[0], known)}")
    return dict(sorted(found.items(), key=lambda pair: pair[1].year))


def statements_of(key: str, config_dir: str | None = None) -> Sequence[Statement]:
    """The statements of one paper; none of one that nobody describes. Of a shipped one no file is read."""
    file = _files(config_dir).get(key)
    if file is None:
        return ()
    if module := _shipped(file):
        return _module(module)
    return _paper(file, file.stat().st_mtime_ns).claims


def sources_of(key: str, config_dir: str | None = None) -> tuple[str, ...]:
    """The sources of a paper's statements: its module, or a user's own file, and how premises are read."""
    file = _files(config_dir).get(key)
    if file is None:
        return ()
    module = _shipped(file) or _paper(file, file.stat().st_mtime_ns).statements
    return (module or f"papers/{key}.yaml", f"{SHIPPED}.conditions")


def _files(config_dir: str | None) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for folder in folders(config_dir):
        for file in sorted((folder / "papers").glob("*.yaml")):
            files.setdefault(file.stem, file)
    return files


def _shipped(file: Path) -> str:
    """The module of the project that holds the statements of a paper of its own; empty where there is none."""
    there = file.parent.parent == conf_dir() and (Path(__file__).parent / f"{file.stem}.py").is_file()
    return f"{SHIPPED}.{file.stem}" if there else ""


@lru_cache(maxsize=64)
def _paper(file: Path, _time: int) -> Paper:
    try:
        paper = typed.build(Paper, load(file))
        for claim in paper.claims:
            for says in filter(None, (claim.says, claim.repaired)):
                assert isinstance(says.conditions, tuple)  # functions are found by the studies: no ledger needs them
        module = paper.statements or _shipped(file)
        return replace(paper, claims=_module(module)) if module else paper
    except InputError as error:
        raise InputError(f"{file}: {' '.join(str(error).split())}") from error


def _module(name: str) -> Sequence[Statement]:
    """The tuple ``STATEMENTS`` of a module of the project, or of a package that is declared as a plug-in or a pack."""
    package = name.partition(".")[0]
    if package not in (allowed := typed.allowed_packages()):
        raise InputError(f"statements: {name} is in no package that is declared; choices: {', '.join(sorted(allowed))}")
    try:
        found = getattr(importlib.import_module(name), "STATEMENTS", None)
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in allowed and error.name not in name:
            raise InputError(f"statements {name} cannot be imported: {error}") from error
        if error.name and not f"{name}.".startswith(f"{error.name}."):
            raise MissingDependency(f"statements {name} needs {error.name}: pip install {error.name}") from error
        raise InputError(f"statements: there is no module {name}") from error
    if not isinstance(found, tuple) or not all(isinstance(item, Statement) for item in found):
        raise InputError(f"statements: {name} has no tuple STATEMENTS of dprepro.statements.statement.Statement")
    return found


def heads(papers: Mapping[str, Paper]) -> dict[str, dict[str, Any]]:
    """What each paper is, as plain data."""
    return {
        paper: {key: getattr(value, key) for key in ("title", "authors", "year")} for paper, value in papers.items()
    }


def citation(paper: str, papers: Mapping[str, Mapping[str, Any]]) -> str:
    """Authors and year of a paper among these heads; the key itself where it is none of them."""
    return f"{papers[paper]['authors']} {papers[paper]['year']}" if paper in papers else paper
