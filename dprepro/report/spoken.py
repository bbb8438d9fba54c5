"""Which checks of a store speak of which statement, and which experiments would that are not in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from dprepro.analysis.rule import EVIDENCE
from dprepro.errors import InputError
from dprepro.report.publish import Published
from dprepro.statements.about import place
from dprepro.statements.papers import Paper
from dprepro.statements.statement import Statement

Checks = Mapping[str, Mapping[str, Any]]
"""Of an experiment's configuration."""

Evidence = dict[str, dict[str, list[str]]]
"""By kind and experiment the names of checks; of an experiment that is not in the store too."""

CARRYING = ("claim", "context")
"""Roles of checks that can be evidence: a control and an erratum show that others can fail."""


def places(check: Mapping[str, Any], paper: str, papers: Mapping[str, Paper]) -> Iterable[tuple[tuple[str, str], str]]:
    """Paper, item and kind of evidence of all that a check is about; nothing of papers and statements that are gone."""
    for item, kind in (check.get("about") or {}).items() if check.get("role") in CARRYING else ():
        with suppress(InputError):
            yield place(item, paper, lambda key: papers[key].claims if key in papers else ()), kind


@dataclass(frozen=True)
class Spoken:
    """The checks of experiments, by the statements that they are about.

    Attributes:
        papers: of whose statements there are rows.
        published: the experiments of the store.
        elsewhere: experiments that are not in it, each with its paper and its checks.
    """

    papers: Mapping[str, Paper]
    published: Mapping[str, Published] = field(default_factory=dict)
    elsewhere: Mapping[str, tuple[str, Checks]] = field(default_factory=dict)

    def of(self, paper: str, statement: Statement) -> Evidence:
        """The evidence of a statement, and of those that it restates; the strongest kind first."""
        found: Evidence = {}
        for item in (statement.item, *statement.restates):
            for kind, experiments in self._by_statement.get((paper, item), {}).items():
                for experiment, names in experiments.items():
                    known = found.setdefault(kind, {}).setdefault(experiment, [])
                    known += [name for name in names if name not in known]
        return {kind: found[kind] for kind in EVIDENCE if kind in found}

    def experiments(self, paper: str, statement: Statement) -> list[str]:
        """All experiments that are about a statement."""
        return list(dict.fromkeys(name for by_name in self.of(paper, statement).values() for name in by_name))

    @cached_property
    def _by_statement(self) -> dict[tuple[str, str], Evidence]:
        found: dict[tuple[str, str], Evidence] = {}
        for experiment, paper, checks in self._all():
            for name, check in checks.items():
                for where, kind in places(check, paper, self.papers):
                    found.setdefault(where, {}).setdefault(kind, {}).setdefault(experiment, []).append(name)
        return found

    def _all(self) -> Iterable[tuple[str, str, Checks]]:
        for name, published in self.published.items():
            yield name, str(published.config.get("paper", "")), published.config["checks"]
        for name, (paper, checks) in self.elsewhere.items():
            if name not in self.published:
                yield name, paper, checks
