"""The ledger as a Markdown page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from dprepro.report.formulas import FORMULA
from dprepro.report.text import (
    READING,
    by_paper,
    causes_in_words,
    claim,
    counts,
    finding,
    number,
    rows_in_words,
    wanted,
)
from dprepro.statements.papers import citation


def evidence(entry: Mapping[str, Any]) -> str:
    """What shows an erratum."""
    if "test" in entry:
        return _code(entry["test"])
    said = _code(f"{entry['experiment']}: {entry['check']}")
    if entry["verdict"] is None:
        return f"{said} (not in this store)"
    return f"{said} ({entry['verdict']}: {number(entry['estimate'])}, {wanted({**entry, 'margin': 0})})"


def markdown(ledger: Mapping[str, Any]) -> str:
    """One table of statements and one of errata for each paper, and what belongs to no statement."""
    lines = ["# Ledger", "", rows_in_words(ledger["claims"])]
    lines += [f"{causes_in_words(ledger['causes'])}.", "", READING, ""]
    papers = ledger.get("papers", {})
    for paper, rows in by_paper(ledger["claims"]).items():
        lines += [f"## {_cell(citation(paper, papers))}", "", f"{counts(rows)}.", "", *_claims(rows), ""]
    further = [row for row in ledger["claims"] if row["kind"] == "further"]
    if further:
        lines += ["## Further experiments", "", *_claims(further), ""]
    lines += ["## Errata", "", "| paper | where | severity | printed | holds | fails for | shown by |"]
    lines += ["|---|---|---|---|---|---|---|"]
    for row in ledger["errata"]:
        severity = row["severity"] + (" **(not as expected)**" if row["state"] == "not as expected" else "")
        quote = f"{row['printed']} Quote: {row['quote']} ({row['source']}{'; read by a machine' * row['ocr']})"
        cells = [
            citation(row["paper"], papers),
            row["item"],
            severity,
            quote,
            row["holds"],
            row["range"],
        ]
        lines.append(_line([*map(_cell, cells), "<br>".join(evidence(item) for item in row["shown_by"])]))
    return "\n".join(lines) + "\n"


def _claims(rows: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    yield "| item | kind | verdict | statement | in short, then what was measured |"
    yield "|---|---|---|---|---|"
    for row in rows:
        found = [
            f"{_code(measurement['experiment'] + ': ' + name)} {_cell(finding(check))}"
            for measurement in row["measurements"]
            for name, check in measurement["checks"].items()
        ]
        note = f"*{_cell(row['note'])}*" if row["note"] else ""
        verdict = f"**{row['words']}**" if row["verdict"] in ("refuted", "confirmed") else row["words"]
        statement, repaired = _cell(row["statement"]) + _claimed(row), row["repaired"]
        if "proof" in row:
            statement += f"<br>*Derived here:* {_cell(row['proof'])}"
        if repaired:
            verdict += f"<br>repaired: {repaired['words']}"
            statement += f"<br>*Instead:* {_cell(repaired['statement'])}{_claimed(repaired)}"
        why = [
            f"*{item['kind']}*: {_cell(item['text'])}"
            for item in [*row["evidence"], *(repaired or {}).get("evidence", [])]
        ]
        cells = [_cell(row["item"]), row["kind"], verdict, statement]
        short = [_cell(row["short"])] if row.get("short", row["note"]) != row["note"] else []
        yield _line([*cells, "<br>".join([*short, *(why or found), *([note] if note else [])])])


def _claimed(said: Mapping[str, Any]) -> str:
    """Direction and premise, and the formula as LaTeX, in which no bar may end the cell."""
    parts = [f"*{_cell(claim(said))}*"] if claim(said) else []
    if said["formula"]:
        parts.append(_formula(said["formula"]))
    return "".join(f"<br>{part}" for part in parts)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(text: str) -> str:
    """Text that cannot break a table's line, nor be taken for markup but for its formulas."""
    return "".join(_formula(part) if i % 2 else _words(part) for i, part in enumerate(FORMULA.split(text)))


def _words(text: str) -> str:
    plain = re.sub(r"\s+", " ", text)
    for sign in "\\|*_<>[]`&":
        plain = plain.replace(sign, f"\\{sign}")
    return plain


def _formula(latex: str) -> str:
    """A formula in which no bar may end the cell."""
    return "$" + " ".join(latex.split()).replace(r"\|", r"\Vert ").replace("|", r"\vert ") + "$"


def _code(text: str) -> str:
    """A name as code in a table's cell, where neither a bar nor a backtick can end it."""
    return "`" + " ".join(text.split()).replace("`", "'").replace("|", "\\|") + "`"
