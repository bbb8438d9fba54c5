"""The ledger as LaTeX tables to be read into a paper: needs ``array``, ``booktabs``, ``longtable``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dprepro.report.formulas import latex, tex_text
from dprepro.report.text import by_paper, claim, counts
from dprepro.statements.papers import citation

HEAD = r"% The ledger of dprepro, to be read by \input; needs \usepackage{array,booktabs,longtable}."
CLAIMS = {"Statement": 0.13, "Verdict": 0.13, "What it says": 0.32, "Evidence": 0.32}
SLIPS = {"Where": 0.18, "Severity": 0.1, "Printed": 0.28, "Holds": 0.34}
"""Columns, with their shares of the line."""


def tex(ledger: Mapping[str, Any]) -> str:
    """One table of statements for each paper, one of further experiments, and one of errata."""
    lines, papers = [HEAD], ledger.get("papers", {})
    for paper, rows in by_paper(ledger["claims"]).items():
        lines += _table(f"{citation(paper, papers)}: {counts(rows)}.", CLAIMS, map(_claim, rows))
    if further := [row for row in ledger["claims"] if row["kind"] == "further"]:
        lines += _table("Further experiments.", CLAIMS, map(_claim, further))
    lines += _table("Errata.", SLIPS, (_erratum_row(erratum, papers) for erratum in ledger["errata"]))
    return "\n".join(lines) + "\n"


def _table(title: str, head: Mapping[str, float], rows: Iterable[str]) -> Iterable[str]:
    """A table that may break over pages, with its head on each."""
    columns = "".join(rf">{{\raggedright\arraybackslash}}p{{{width:g}\linewidth}}" for width in head.values())
    yield rf"\begin{{longtable}}{{@{{}}{columns}@{{}}}}"
    yield rf"\caption{{{tex_text(title)}}}\\"
    for end in ("first", ""):
        yield rf"\toprule {' & '.join(head)} \\ \midrule \end{end}head"
    yield r"\bottomrule \endfoot"
    yield from rows
    yield r"\end{longtable}"


def _claim(row: Mapping[str, Any]) -> str:
    verdict, said = row["words"], latex(row["statement"]) + _claimed(row)
    if "proof" in row:
        said += rf" \emph{{Derived here:}} {latex(row['proof'])}"
    evidence = list(row["evidence"])
    if row["repaired"]:
        verdict += f"; as repaired {row['repaired']['words']}"
        said += rf" \emph{{Instead:}} {latex(row['repaired']['statement'])}{_claimed(row['repaired'])}"
        evidence += row["repaired"]["evidence"]
    shown = _kinds(evidence) or latex(row["note"])
    return rf"{tex_text(row['item'])} & {tex_text(verdict)} & {said} & {shown} \\"


def _claimed(said: Mapping[str, Any]) -> str:
    """Direction and premise, and the formula as printed."""
    words = rf" \emph{{{latex(claim(said))}}}" if claim(said) else ""
    # a line may break between formulas, not within one
    return words + (f" ${said['formula']}$".replace(r", \quad ", "$, $") if said["formula"] else "")


def _kinds(evidence: Iterable[Mapping[str, Any]]) -> str:
    """Each kind with its experiments; the sentences would not fit a cell, which cannot break over pages."""
    kinds: dict[str, dict[str, None]] = {}
    for entry in evidence:
        kinds.setdefault(entry["kind"], {})[entry["experiment"] or "a test"] = None
    return tex_text("; ".join(f"{kind} ({', '.join(names)})" for kind, names in kinds.items()))


def _erratum_row(erratum: Mapping[str, Any], papers: Mapping[str, Mapping[str, Any]]) -> str:
    where = f"{citation(erratum['paper'], papers)}, {erratum['item']}"
    cells = (tex_text(where), tex_text(erratum["severity"]), latex(erratum["printed"]), latex(erratum["holds"]))
    return rf"{' & '.join(cells)} \\"
