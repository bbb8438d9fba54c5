"""The ledger as LaTeX tables to be read into a paper: needs the packages that its first line names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from dprepro.report.formulas import latex, tex_text
from dprepro.report.text import by_paper, counts
from dprepro.statements.papers import citation
from dprepro.statements.statement import WORDS

HEAD = (
    r"% The ledger of dprepro, to be read by \input; needs amsmath, amssymb, array, booktabs, graphicx and longtable."
)
FITTED = r"""\providecommand{\fitted}[1]{\sbox0{$#1$}%
\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi}"""
"""A formula that becomes smaller where its column is narrower."""
CLAIMS = {"Statement": 0.14, "What it says": 0.4, "What was found": 0.4}
SLIPS = {"Where": 0.18, "Severity": 0.1, "Printed": 0.28, "Holds": 0.34}
"""Columns, with their shares of the line."""
POWERS = re.compile(r"ln\^(\([^()]*\)|[^\s(),;]+) (\w+)")
"""Of a logarithm, in the words of a verdict."""


def tex(ledger: Mapping[str, Any]) -> str:
    """One table of statements for each paper, one of further experiments and one of errata, where there are any.

    A premise is a list of conditions that a program checks, so it stands in ``ledger.json`` and on the page alone.
    """
    lines, papers = [HEAD, FITTED], ledger.get("papers", {})
    for paper, rows in by_paper(ledger["claims"]).items():
        lines += _table(f"{citation(paper, papers)}: {counts(rows)}.", CLAIMS, map(_claim, rows))
    if further := [row for row in ledger["claims"] if row["kind"] == "further"]:
        lines += _table("Further experiments.", CLAIMS, map(_claim, further))
    if ledger["errata"]:
        lines += _table("Errata.", SLIPS, (_erratum_row(erratum, papers) for erratum in ledger["errata"]))
    return "\n".join(lines) + "\n"


def _table(title: str, head: Mapping[str, float], rows: Iterable[str]) -> Iterable[str]:
    """A table that may break over pages, with its head on each and some air between its rows."""
    columns = "".join(rf">{{\raggedright\arraybackslash}}p{{{width:g}\linewidth}}" for width in head.values())
    yield rf"\begin{{longtable}}{{@{{}}{columns}@{{}}}}"
    yield rf"\caption{{{tex_text(title)}}}\\"
    for end in ("first", ""):
        yield rf"\toprule {' & '.join(head)} \\ \midrule \end{end}head"
    yield r"\bottomrule \endfoot"
    yield from (rf"{row} \\ \addlinespace" for row in rows)
    yield r"\end{longtable}"


def _claim(row: Mapping[str, Any]) -> str:
    verdict, said = row["words"], _sentence(row["statement"]) + _formula(row)
    if "proof" in row:
        said += rf" \emph{{Derived here:}} {_sentence(row['proof'])}"
    evidence = list(row["evidence"])
    if row["repaired"]:
        verdict += f"; as repaired {row['repaired']['words']}"
        said += rf" \newline \emph{{Instead:}} {_sentence(row['repaired']['statement'])}{_formula(row['repaired'])}"
        evidence += row["repaired"]["evidence"]
    parts = (latex(_here(row.get("short", ""))), _kinds(evidence))
    found = r" \newline ".join(filter(None, parts)) or latex(row["note"])
    return rf"{_long(row['item'])} \newline \emph{{{verdict_words(verdict)}}} & {said} & {found}"


def verdict_words(words: str) -> str:
    """A verdict, with the powers of logarithms that it leaves open as formulas."""
    parts = POWERS.split(words)
    formulas = [_power(*found) for found in zip(parts[1::3], parts[2::3], strict=True)]
    return "".join(tex_text(plain) + formula for plain, formula in zip(parts[::3], [*formulas, ""], strict=True))


def _power(powers: str, of: str) -> str:
    """``ln^(-1 to 1.5) n`` as a formula."""
    exponent = powers.strip("()").replace("±", r"\pm ").replace(" to ", r"\ldots ")
    letter = of if len(of) == 1 else rf"\mathrm{{{of}}}"
    return rf"$\ln^{{{exponent}}} {letter}$"


def _formula(said: Mapping[str, Any]) -> str:
    """The formula as printed, on a line of its own, after the side on which it bounds."""
    if not said["formula"]:
        return ""
    side = WORDS.get(said.get("direction", ""), "")
    words = rf"\emph{{{side}}} " if side else ""
    return rf" \newline {words}{formulas(said['formula'])}"


def formulas(printed: str) -> str:
    """What stands side by side in print; a line may break between the parts."""
    return ", ".join(rf"\fitted{{{part.strip()}}}" for part in re.split(r",\s*\\q?quad\s", printed))


def _sentence(text: str) -> str:
    """A sentence whose formulas may break after a comma."""
    return re.sub(r"\$[^$]+\$", lambda found: found[0].replace(", ", r", \allowbreak "), latex(text))


def _here(short: str) -> str:
    """Without the words on a table that stands below a row on its page."""
    return re.sub(r" ?The table has [^.]*\.", "", short)


def _kinds(evidence: Iterable[Mapping[str, Any]]) -> str:
    """Each kind with its experiments; the sentences would not fit a cell, which cannot break over pages."""
    kinds: dict[str, dict[str, None]] = {}
    for entry in evidence:
        kinds.setdefault(entry["kind"], {})[entry["experiment"] or "a test"] = None
    return "; ".join(rf"\emph{{{kind}:}} {_long(', '.join(names))}" for kind, names in kinds.items())


def _long(name: str) -> str:
    """Words among which are names of experiments, which may break at a stroke."""
    return tex_text(name).replace(r"\_", r"\_\allowbreak ")


def _erratum_row(erratum: Mapping[str, Any], papers: Mapping[str, Mapping[str, Any]]) -> str:
    where = f"{citation(erratum['paper'], papers)}, {erratum['item']}"
    cells = (tex_text(where), tex_text(erratum["severity"]), latex(erratum["printed"]), latex(erratum["holds"]))
    return " & ".join(cells)
