"""The ledger in words, for its page, its tables and the terminal: verdicts counted, errata by severity, premises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dprepro.report.premise_words import in_words
from dprepro.statements.papers import citation

AT_A_CORNER = "refuted at a corner"
"""The words of a row whose statement fails at a degenerate corner of its range, and nowhere else."""

READING = (
    "The sentences of an entry are made of its checks: ± ends the 99% interval of an exponent, at most and at least "
    "hold at all points by 99% limits, and stated is the exponent of the statement. The range of each axis is told for "
    "itself; values of several axes were seldom all combined."
)
"""How the sentences of a row are to be read; see `in_short`."""

#: From what asks for attention to what does not.
ORDER = (
    "refuted", "inconclusive", "not contradicted", "confirmed", "not measured", "nothing to measure",
    "not as expected", "shown", "by a test", "not in this store",
)  # fmt: skip

SEVERITIES = ("privacy failure", "false", "constant", "proof gap", "typo", "corner")
"""Of errata, from the gravest."""


def several(severity: str, count: int) -> str:
    """The severity of so many errata: ``10 privacy failures``, ``6 false``."""
    return severity if count == 1 or severity == "false" else f"{severity}s"


def gravity(severity: str) -> int:
    """The place of a severity among all, from the gravest; an unknown one comes last."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


def claim(said: Mapping[str, Any]) -> str:
    """Of a ledger's row, or of what holds instead: on which side the formula bounds, and for what; sentences."""
    bounds = {"at_most": "An upper bound.", "at_least": "A lower bound.", "equals": "An equality."}
    premise = "; ".join(dict.fromkeys(map(in_words, said.get("premise", ()))))
    return " ".join(
        filter(None, (bounds.get(said.get("direction", ""), ""), f"Premise: {premise}." if premise else ""))
    )


def counts(rows: Iterable[Mapping[str, Any]], key: str = "verdict") -> str:
    """How many rows have each verdict, in words; of the refuted how many fail at a corner of their range alone."""
    tally: Counter[str] = Counter()
    corners = 0
    for row in rows:
        tally[row[key]] += 1
        corners += row.get("words") == AT_A_CORNER
    among = {"refuted": f" ({corners} at a corner alone)"} if corners else {}
    return ", ".join(f"{tally[name]} {name}{among.get(name, '')}" for name in sorted(tally, key=ORDER.index)) or "none"


def causes_in_words(causes: Mapping[str, int]) -> str:
    """Rows that are refuted as printed, by their causes."""
    words = f"{causes['rows']} rows are refuted as printed, for {causes['causes']} causes"
    return f"{words}; {causes['corners']} more at a corner alone" if causes["corners"] else words


def of_papers(claims: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows without those of results that are derived here."""
    return [row for row in claims if "proof" not in row]


def derived(claims: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows of results that are derived here, which no paper states."""
    return [row for row in claims if "proof" in row]


def rows_in_words(claims: Sequence[Mapping[str, Any]]) -> str:
    """How many rows have each verdict; those that are derived here, and experiments of no statement, apart."""
    own = derived(claims)
    others = [row for row in of_papers(claims) if row["kind"] != "further"]
    further = [row for row in claims if row["kind"] == "further"]
    words = [f"{len(others)} numbered statement{'s' * (len(others) != 1)}: {counts(others)}."]
    if own:
        words.append(f"Besides, {len(own)} derived here, which no paper states: {counts(own)}.")
    if further:
        words.append(f"Of no statement: {len(further)} experiment{'s' * (len(further) != 1)}, {counts(further)}.")
    return " ".join(words)


def by_paper(claims: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """The rows of each paper's statements; further experiments are about none."""
    papers: dict[str, list[Mapping[str, Any]]] = {}
    for row in claims:
        if row["kind"] != "further":
            papers.setdefault(row["paper"], []).append(row)
    return papers


def ledger_lines(ledger: Mapping[str, Any], experiments: Mapping[str, tuple[str, str]]) -> str:
    """Each experiment with its verdict and claim, and how many statements of each paper have which verdict."""
    width = max(map(len, experiments), default=0)
    lines = [f"{name:<{width}}  {verdict:<12}  {said}" for name, (verdict, said) in sorted(experiments.items())]
    papers = ledger.get("papers", {})
    for paper, rows in by_paper(ledger["claims"]).items():
        lines.append(f"{citation(paper, papers)}: {len(rows)} statements, {counts(rows)}")
    lines.append(f"errata: {counts(ledger['errata'], 'state')}")
    unmeasured_rows = [row for row in ledger["claims"] if row["verdict"] == "not measured"]
    if waiting := sum(not experiments.keys() >= set(row["experiments"]) for row in unmeasured_rows):
        lines.append(f"{waiting} not measured here: python -m dprepro -m '+experiment=glob(*)' runs all experiments")
    return "\n".join(lines)
