"""The ledger of the last full run as pages: every statement and erratum at an address of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from docs.sources import EXPERIMENTS, cited, known_errata, reference, templates
from dprepro.report.text import by_paper, counts

SEVERITIES = ("privacy failure", "false", "constant", "proof gap", "typo", "corner")
"""From the gravest."""


def papers() -> dict[str, list[Mapping[str, Any]]]:
    """The rows of every paper."""
    return by_paper(reference("ledger.json")["claims"])


def paper_page(paper: str) -> str:
    """All statements of a paper, with evidence, controls and what holds where print is false."""
    head, rows = reference("ledger.json")["papers"][paper], papers()[paper]
    return _rendered("paper.md.j2", "../", head=head, rows=rows, summary=counts(rows))


def index() -> str:
    """All statements in tables, and how the ledger is built."""
    ledger = reference("ledger.json")
    further = [row for row in ledger["claims"] if row["kind"] == "further"]
    return _rendered(
        "ledger.md.j2",
        "../",
        papers=papers(),
        further=further,
        count=len(ledger["claims"]),
        errata_count=len(ledger["errata"]),
    )


def errata() -> str:
    """The errata as an article: the grave ones first, then paper by paper."""
    rows = reference("ledger.json")["errata"]
    grave = {word: [erratum for erratum in rows if erratum["severity"] == word] for word in SEVERITIES}
    own = {paper: [erratum for erratum in rows if erratum["paper"] == paper] for paper in papers()}
    return _rendered("errata.md.j2", "", grave=grave, papers=own, count=len(rows))


def _rendered(template: str, prefix: str, **context: Any) -> str:
    known = {"known": set(EXPERIMENTS), "errata": known_errata(), "config_dir": None, "counts": counts, "cited": cited}
    return templates(prefix).get_template(template).render(**known, **context)
