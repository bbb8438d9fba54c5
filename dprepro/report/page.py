"""The ledger as an HTML page: no network, no script to be read; its figures are files beside it, or inside.

The command writes it of a results folder, and the site has it of the last full run, where each experiment has a page.

What is shown is gathered here; how, stands in ``templates``, which escape every text. Only two things are trusted as
markup: formulas from :func:`prose`, which escapes before it sets them, and the package's own style and script.

Every statement, erratum and experiment has an address, its ``id`` in the ledger. The script only adds the filter.
Without it, on paper and on a telephone the page is a plain long list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from dprepro.report import measured_grid
from dprepro.report.formulas import prose
from dprepro.report.pictures import Picture
from dprepro.report.publish import Published
from dprepro.report.text import (
    ORDER,
    READING,
    by_paper,
    causes_in_words,
    claim,
    counts,
    derived,
    finding,
    gravity,
    number,
    of_papers,
    rows_in_words,
    several,
    wanted,
)  # fmt: skip
from dprepro.statements.papers import citation
from dprepro.support.folders import command

SOURCES = Path(__file__).parent


@dataclass(frozen=True)
class PageEntry:
    """What the filter shows or hides; ``about`` is the row, the erratum or the verdict that the template sets."""

    title: str
    kind: str
    paper: str
    verdict: str
    about: Mapping[str, Any]
    id: str = ""


@dataclass(frozen=True)
class Section:
    """Entries of one template under a heading."""

    id: str
    title: str
    lead: str
    template: str
    entries: Sequence[PageEntry]


def page(
    ledger: Mapping[str, Any],
    published: Sequence[tuple[Published, Picture]],
    config_dir: str | None = None,
    *,
    experiments: Mapping[str, str] | None = None,
    beside: Mapping[str, str] | None = None,
) -> str:
    """The whole file, with the published experiments and where their figures are.

    Commands name the user's ``config_dir`` where they need it. A site's page has no experiments of its own: it gives
    the addresses of theirs by name in ``experiments``, and those of further pages by title in ``beside``.
    """
    sections = list(_sections(ledger, published))
    entries = [entry for section in sections for entry in section.entries]
    verdicts = {entry.verdict for entry in entries}
    return _page().render(
        summary=f"{rows_in_words(ledger['claims'])} {causes_in_words(ledger['causes'])}.",
        sections=sections,
        known={name: f"#experiment-{name}" for name in (item.verdict["experiment"] for item, _ in published)}
        | dict(experiments or {}),
        beside=beside or {},
        reading=READING,
        version=version("dprepro"),
        errata={(erratum["paper"], erratum["item"]): erratum["id"] for erratum in ledger["errata"]},
        read=len(by_paper(of_papers(ledger["claims"]))),
        papers={paper: citation(paper, ledger.get("papers", {})) for paper in by_paper(ledger["claims"])},
        config_dir=config_dir,
        verdicts={word: word for word in ORDER if word in verdicts},
        kinds={entry.kind: entry.kind for entry in entries},
        # The package's own files, which hold nobody else's text.
        style=Markup((SOURCES / "page.css").read_text(encoding="utf-8")),
        script=Markup((SOURCES / "page.js").read_text(encoding="utf-8")),
    )


@lru_cache(maxsize=1)
def _page() -> Template:
    return environment().get_template("page.html.j2")


def environment(*folders: Path) -> Environment:
    """The templates, those in further ``folders`` among them."""
    templates = Environment(
        loader=FileSystemLoader([*folders, SOURCES / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters |= {
        "anchor": anchor,
        "aside": _aside,
        "claim": claim,
        "command": command,
        "finding": finding,
        "findings_by_grid": _by_grid,
        "wanted": lambda shown: wanted({"side": "", **shown, "margin": 0}),
        "number": number,
        "prose": prose,
    }
    return templates


def anchor(row: Mapping[str, Any]) -> str:
    """Where a row stands in the page: at its id, or beside that if it is an experiment's, which has an entry there."""
    return str(row["id"]).replace("experiment-", "further-", 1) if row["kind"] == "further" else str(row["id"])


def _sections(ledger: Mapping[str, Any], published: Sequence[tuple[Published, Picture]]) -> Iterator[Section]:
    papers = ledger.get("papers", {})
    for paper, rows in by_paper(ledger["claims"]).items():
        title = f"{citation(paper, papers)}, {papers[paper]['title']}" if paper in papers else paper
        lead = f"{counts(rows)}."
        if derived(rows):
            lead = f"Results of this project, which no paper states, each with its proof in words: {lead}"
        yield Section(paper, title, lead, "statement.html.j2", [_statement(row) for row in rows])
    if further := [_statement(row) for row in ledger["claims"] if row["kind"] == "further"]:
        lead = "They serve no single statement of the papers."
        yield Section("further", "Further experiments", lead, "statement.html.j2", further)
    errata = sorted(ledger["errata"], key=lambda erratum: gravity(erratum["severity"]))
    severities = Counter(erratum["severity"] for erratum in errata)
    lead = "What print says and an exact computation, a check or a test shows to be false, or its proof does not carry"
    tally = ", ".join(f"{count} {several(word, count)}" for word, count in severities.items())
    lead += f", the grave ones first: {tally or 'none'}"
    lead += f". Reproduced: {counts(errata, 'state')}."
    yield Section("errata", "Errata", lead, "erratum.html.j2", [_erratum(erratum, papers) for erratum in errata])
    if published:
        lead, entries = (
            "What was measured, with figures and how to repeat it.",
            [_experiment(*item) for item in published],
        )
        yield Section("experiments", "Experiments", lead, "experiment.html.j2", entries)


def _statement(row: Mapping[str, Any]) -> PageEntry:
    return PageEntry(row["item"], row["kind"], row["paper"], row["verdict"], row, anchor(row))


def _erratum(erratum: Mapping[str, Any], papers: Mapping[str, Mapping[str, Any]]) -> PageEntry:
    title = f"{citation(erratum['paper'], papers)}: {erratum['item']}"
    return PageEntry(title, "erratum", erratum["paper"], erratum["state"], erratum, erratum["id"])


def _experiment(published: Published, picture: Picture) -> PageEntry:
    name, verdict = published.verdict["experiment"], published.verdict
    about = verdict | {"figure": picture, "seconds": published.measuring_seconds}
    return PageEntry(name, "experiment", verdict["paper"], verdict["verdict"], about, f"experiment-{name}")


def _by_grid(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The findings of an entry, those of the same families and grid in one line of the table."""
    lines: dict[tuple[Any, ...], dict[str, Any]] = {}
    for one in entry["findings"]:
        points = sum(one["points"].values())
        key = (tuple(one["families"]), str(one["grid"]), points)
        spans = [measured_grid.spans(one["grid"]), f"{points} point{'s' if points > 1 else ''}"]
        new = {"families": one["families"], "range": "; ".join(filter(None, spans)), "texts": []}
        lines.setdefault(key, new)["texts"].append(one["text"])
    return list(lines.values())


def _aside(measurement: Mapping[str, Any]) -> str:
    """Which controls came out refuted, or confirmed, as they should; which did not; and the measurement's note."""
    controls = measurement["controls"].items()
    said = []
    for verdict in dict.fromkeys(check["verdict"] for _, check in controls if check["as_expected"]):
        names = [name for name, check in controls if check["as_expected"] and check["verdict"] == verdict]
        said.append(f"{verdict} {', '.join(names)}")
    if odd := [name for name, check in controls if not check["as_expected"]]:
        said.append(f"NOT as expected: {', '.join(odd)}")
    return "; ".join([*said, *([measurement["note"]] if measurement["note"] else [])])
