"""Two articles in LaTeX, made of the reference folder: the errata of the papers, and what was measured and how.

``python -m docs.articles`` writes them into ``paper``, as ``errata.tex`` and ``report.tex``, with the tables of all
statements, ``ledger.tex``. No number of a measurement stands in a text: a command names it, and ``numbers.tex`` defines
it from ``ledger.json`` and the files beside it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from docs import laws, release
from docs.shown import shown
from docs.sources import ROOT, checks, reference
from docs.tex_numbers import Numbers
from docs.typeset import quoted, sentence, signs, words
from dprepro.report.formulas import latex, with_symbols
from dprepro.report.heldout_report import OTHERWISE, counts
from dprepro.report.tex import FITTED, formulas, tex, verdict_words
from dprepro.report.text import SEVERITIES, by_paper, derived, of_papers
from dprepro.statements.papers import citation

PAPER = ROOT / "paper"
TEMPLATES = Path(__file__).parent / "templates"
IN_BLOCKS = tuple(severity for severity in SEVERITIES if severity != "typo")
"""Errata with a paragraph each; typos stand in a table."""

HEADINGS = {
    "privacy failure": "Privacy failures: what is published loses more than its budget",
    "false": "False statements",
    "constant": "Constants that are too small",
    "proof gap": "Proofs with a gap",
    "corner": "Degenerate corners",
}
MEANINGS = {
    "privacy failure": "what is published tells two neighbours apart by more than its budget",
    "false": "fails for ordinary parameters, and needs another premise or rate",
    "constant": "an explicit constant, factor or step is wrong; another one will do",
    "proof gap": "only a step of a proof fails",
    "corner": "fails at a degenerate corner of the parameters alone",
    "typo": "mended by a factor or a word",
}
"""Severities, in the order of the article's sections."""


def causes(rows: Iterable[Mapping[str, Any]]) -> int:
    """For how many causes: a slip that several places repeat is one."""
    return len({(row["paper"], row["cause"]) for row in rows})


def texts() -> dict[str, str]:
    """Each file of the folder ``paper`` by its name."""
    ledger, number = reference("ledger.json"), Numbers()
    heads, errata = ledger["papers"], ledger["errata"]
    claims = [row for row in of_papers(ledger["claims"]) if row["kind"] != "further"]
    constants = [row for row in claims if row["constant"]]
    _count_errata(errata, ledger["causes"], number)
    _count_statements(claims, ledger["claims"], number)
    _count_trust(number)
    for row in constants:
        number(f"{row['id']}/lower", row["constant"]["lower"], math.floor)
        number(f"{row['id']}/upper", row["constant"]["upper"], math.ceil)
    blocks = {severity: [row for row in errata if row["severity"] == severity] for severity in IN_BLOCKS}
    own = release.citation()
    context = {
        "own": own,
        "fitted": FITTED,
        "works": [_work(work) for work in own["references"]],
        "heads": heads,
        "cited": lambda paper: citation(paper, heads),
        "key": lambda paper: _keys(heads)[paper],
        "blocks": {severity: group for severity, group in blocks.items() if group},
        "headings": HEADINGS,
        "severities": MEANINGS,
        "typos": [row for row in errata if row["severity"] == "typo"],
        "constants": by_paper(constants),
        "papers": list(by_paper(claims)),
        "derived": [row for row in derived(ledger["claims"]) if row["kind"] != "further"],
        "laws": list(laws.table()),
        "shown": lambda erratum: shown(erratum, number),
    }
    environment = _environment()
    made = {f"{name}.tex": environment.get_template(f"{name}.tex.j2").render(context) for name in ("errata", "report")}
    tables = ledger | {"claims": of_papers(ledger["claims"]), "errata": []}  # derived results and errata have more room
    return {**made, "ledger.tex": signs(tex(tables)), "numbers.tex": number.file()}


def _count_errata(rows: Sequence[Mapping[str, Any]], refuted: Mapping[str, int], number: Numbers) -> None:
    for severity in SEVERITIES:
        mine = [row for row in rows if row["severity"] == severity]
        number(f"errata/{severity}/places", len(mine))
        number(f"errata/{severity}/causes", causes(mine))
    number("errata/places", len(rows))
    number("errata/causes", causes(rows))
    for key, value in refuted.items():
        number(f"statements refuted as printed/{key}", value)


def _count_statements(rows: Sequence[Mapping[str, Any]], every: Sequence[Mapping[str, Any]], number: Numbers) -> None:
    number("statements", len(rows))
    for verdict, count in Counter(row["verdict"] for row in rows).items():
        number(f"statements/{verdict}", count)
    number("repaired", sum(1 for row in rows if row["repaired"]))
    number("experiments", len({name for row in of_papers(every) for name in row["experiments"]}))
    attacked = [form for row in rows for form in (row, row["repaired"]) if form and form.get("attack")]
    number("attacked", len(attacked))
    number("corners tried", sum(form["attack"]["corners"] for form in attacked))
    number("points searched", sum(form["attack"]["searched"] for form in attacked))


def _count_trust(number: Numbers) -> None:
    """What speaks for the verdicts: other seeds, other grids, planted falsehoods; and the exact optimum."""
    stability, planted = reference("stability.json"), reference("mutants.json")
    number("seeds/checks", len(stability))
    number("seeds/flipped", sum(1 for entry in stability if entry["flips"]))
    outcomes = counts(reference("heldout.json"))
    number("held out/otherwise", outcomes[OTHERWISE])
    number("held out/claims", outcomes[OTHERWISE] + outcomes["as shipped"])
    harmful = [entry for entry in planted if not entry["harmless"]]
    number("falsehoods", len(harmful))
    number("falsehoods/noticed", sum(1 for entry in harmful if entry["good"]))
    for name in ("packing", "fingerprinting"):
        number(f"minimax_linear/{name}", checks("minimax_linear")[name]["high"], math.ceil)


def _work(work: Mapping[str, Any]) -> dict[str, str]:
    """An entry of the bibliography."""
    people = release.names(work["authors"])
    pages = f", pages {work['start']}--{work['end']}" if "start" in work else ""
    preprint = next((known["value"] for known in work.get("identifiers", ()) if known["type"] == "other"), "")
    return {
        "key": release.key(work),
        "authors": words(" and ".join([", ".join(people[:-1]), people[-1]] if people[1:] else people)),
        "title": words(work["title"]),
        "in": words(f"{work['collection-title']}, {work['year']}{pages}. {preprint}".rstrip()).rstrip("."),
        "address": f"https://doi.org/{work['doi']}" if "doi" in work else work["url"],
    }


def _keys(heads: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """By paper the key of its entry: that of its first author and year."""
    return {paper: f"{head['authors'].partition(',')[0].lower()}{head['year']}" for paper, head in heads.items()}


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "latex": sentence,
        "sentence_case": lambda text: sentence(text[:1].upper() + text[1:]),
        "words": words,
        "quoted": quoted,
        "verdict": lambda text: signs(verdict_words(text)),
        "grid": lambda text: signs(latex(with_symbols(text))).replace("$ = ", "$~=~"),
        "formulas": formulas,
    }
    return environment


if __name__ == "__main__":
    PAPER.mkdir(exist_ok=True)
    for name, text in texts().items():
        (PAPER / name).write_text(text, encoding="utf-8")
        print(f"paper/{name}")
