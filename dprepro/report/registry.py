"""What the papers state and where their print slips: plain data beside this file, one YAML for each paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

from dprepro.errors import InputError

#: Authors with year, and title, in the order of the years, by the key that experiments have for a paper.
PAPERS = {
    "kst": (
        "Kifer, Smith and Thakurta 2012",
        "Private convex empirical risk minimization and high-dimensional regression",
    ),
    "bst": (
        "Bassily, Smith and Thakurta 2014",
        "Private empirical risk minimization: efficient algorithms and tight error bounds",
    ),
    "lasso": ("Talwar, Thakurta and Zhang 2015", "Nearly-optimal private LASSO"),
    "glm": (
        "Arora, Bassily, Guzmán, Menart and Ullah 2022",
        "Differentially private generalized linear models revisited",
    ),
}

Kind = Literal["rate", "inequality", "privacy", "attack", "phase", "definition", "comparison"]
Severity = Literal["typo", "constant", "privacy failure"]


def citation(paper: str) -> str:
    """Authors and year of a paper; the key itself where it is not one of the four."""
    return PAPERS[paper][0] if paper in PAPERS else paper


@dataclass(frozen=True)
class Statement:
    """A numbered statement of a paper, in our own words.

    ``checks`` maps experiments to those of their checks that are about it; an empty list stands for all of role claim.
    """

    item: str
    kind: Kind
    statement: str
    checks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Evidence:
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

    ``about`` names the statements that it touches; without it, that is what ``item`` says up to its first comma.
    """

    item: str
    printed: str
    holds: str
    severity: Severity
    shown_by: Sequence[Evidence]
    about: Sequence[str] = ()

    @property
    def statements(self) -> tuple[str, ...]:
        """The items of the statements that it touches."""
        return tuple(self.about) or (self.item.partition(",")[0],)


@dataclass(frozen=True)
class Registry:
    """One paper's statements and slips."""

    claims: Sequence[Statement]
    errata: Sequence[Erratum]


@lru_cache(maxsize=1)
def registries() -> dict[str, Registry]:
    """All registries by paper, in the order of :data:`PAPERS`."""
    import yaml

    from dprepro import typed

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where PyYAML has it
    folder = Path(__file__).parent / "registry"
    texts = {paper: (folder / f"{paper}.yaml").read_text(encoding="utf-8") for paper in PAPERS}
    return {paper: typed.build(Registry, yaml.load(text, loader), f"{paper}.yaml") for paper, text in texts.items()}
