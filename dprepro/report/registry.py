"""What papers state and where their print slips: plain data, one YAML for each paper, ``papers/PAPER.yaml``.

Those of the package, of installed packs and of a user's ``--config-dir`` are read alike (`dprepro.folders`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from dprepro.analysis.rule import EVIDENCE
from dprepro.errors import InputError, unknown
from dprepro.folders import experiment_files, folders
from dprepro.yaml_files import load

Kind = Literal["rate", "inequality", "privacy", "attack", "phase", "definition", "comparison"]
Severity = Literal["typo", "constant", "privacy failure", "false", "proof gap"]
Checks = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Repaired:
    """What holds in the place of a statement that is false as printed, with its own evidence."""

    statement: str
    evidence: Mapping[str, Checks] = field(default_factory=dict)
    upper_only: bool = False

    def __post_init__(self) -> None:
        check_evidence(self.evidence)


@dataclass(frozen=True)
class Statement:
    """A numbered statement of a paper, in our own words.

    Attributes:
        evidence: kinds of evidence, and for each the experiments with those of their checks that are it; an empty list
            stands for all of role claim.
        false: items of the errata that disprove the statement as printed.
        repaired: what holds instead; without it ``note`` says why there is nothing.
        upper_only: a rate of which only the upper bound is claimed to be seen: no family shows it.
        nothing: why there is nothing to measure.
        constant: by experiment two checks of ratios to the rate's shape: of the worst risk known, and of the bound.
    """

    item: str
    kind: Kind
    statement: str
    evidence: Mapping[str, Checks] = field(default_factory=dict)
    false: Sequence[str] = ()
    repaired: Repaired | None = None
    upper_only: bool = False
    nothing: str = ""
    note: str = ""
    constant: Checks = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_evidence(self.evidence)
        if any(len(checks) != 2 for checks in self.constant.values()):
            raise InputError(f"constant of {self.item} must name two checks, of the worst known risk and of the bound")
        if self.nothing and (self.evidence or self.false):
            raise InputError(f"{self.item} has nothing to measure, and yet evidence")

    @property
    def experiments(self) -> tuple[str, ...]:
        """All experiments that are about the statement, as printed or as repaired."""
        both = (self.evidence, self.repaired.evidence if self.repaired else {})
        return tuple(dict.fromkeys(name for evidence in both for checks in evidence.values() for name in checks))


def check_evidence(evidence: Mapping[str, Checks]) -> None:
    """Raise InputError for a kind of evidence that does not exist."""
    for kind in evidence:
        if kind not in EVIDENCE:
            raise unknown("kind of evidence", kind, EVIDENCE)


def identity(paper: str, item: str) -> str:
    """The address of a statement: ``lasso-theorem-2-5``."""
    words = re.sub(r"[^a-z0-9]+", "-", f"{paper} {item}".lower())
    return words.strip("-")


@dataclass(frozen=True)
class Shown:
    """What shows an erratum: a check of an experiment that must come out ``expect``ed, or a test by path and name."""

    experiment: str = ""
    check: str = ""
    test: str = ""

    def __post_init__(self) -> None:
        if bool(self.test) == bool(self.experiment) or bool(self.experiment) != bool(self.check):
            raise InputError("an erratum is shown by experiment and check, or by test")


@dataclass(frozen=True)
class Erratum:
    """A slip of print: what is printed, what holds, and what showed it.

    Attributes:
        printed: in our own words or as a ``quote``.
        quote: the printed words; ``source``: their place; ``ocr``: the text at hand is a machine's reading of the page.
        range: for which epsilon and delta it fails.
        about: the statements that it touches; without it, that is what ``item`` says up to its first comma.
    """

    item: str
    printed: str
    holds: str
    severity: Severity
    shown_by: Sequence[Shown]
    about: Sequence[str] = ()
    quote: str = ""
    source: str = ""
    ocr: bool = True
    range: str = ""

    @property
    def statements(self) -> tuple[str, ...]:
        """The items of the statements that it touches."""
        return tuple(self.about) or (self.item.partition(",")[0],)


@dataclass(frozen=True)
class Registry:
    """One paper's statements and slips."""

    claims: Sequence[Statement]
    errata: Sequence[Erratum] = ()


@dataclass(frozen=True)
class Paper(Registry):
    """The same with what the paper is; ``authors`` are family names, as cited: ``Talwar, Thakurta and Zhang``."""

    title: str = field(kw_only=True)
    authors: str = field(kw_only=True)
    year: int = field(kw_only=True)

    @property
    def experiments(self) -> set[str]:
        """All experiments that are named."""
        shown = {one.experiment for slip in self.errata for one in slip.shown_by if one.experiment}
        return shown.union(*(one.experiments for one in self.claims))


def registries(config_dir: str | None = None) -> dict[str, Paper]:
    """All registries by paper, the key that experiments have for it, in the order of the years.

    Raises:
        InputError: a file that is no registry, or names an experiment that does not exist.
    """
    files: dict[str, Path] = {}
    for folder in folders(config_dir):
        for file in sorted((folder / "papers").glob("*.yaml")):
            files.setdefault(file.stem, file)
    known = frozenset(experiment_files(config_dir))
    found = {paper: _paper(file, file.stat().st_mtime_ns, known) for paper, file in files.items()}
    return dict(sorted(found.items(), key=lambda one: one[1].year))


@lru_cache(maxsize=64)
def _paper(file: Path, _time: int, known: frozenset[str]) -> Paper:
    from dprepro import typed

    try:
        paper = typed.build(Paper, load(file))
        if strange := sorted(paper.experiments - known):
            raise unknown("experiment", strange[0], known)
    except InputError as error:
        raise InputError(f"{file}: {' '.join(str(error).split())}") from error
    return paper


def heads(papers: Mapping[str, Paper]) -> dict[str, dict[str, Any]]:
    """What each paper is, as plain data."""
    return {paper: {key: getattr(one, key) for key in ("title", "authors", "year")} for paper, one in papers.items()}


def citation(paper: str, papers: Mapping[str, Mapping[str, Any]]) -> str:
    """Authors and year of a paper among these heads; the key itself where it is none of them."""
    return f"{papers[paper]['authors']} {papers[paper]['year']}" if paper in papers else paper
