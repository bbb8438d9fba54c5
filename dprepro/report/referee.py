"""Tables of the referee: other libraries' functions, accountants, and floating-point supports, as JSON and Markdown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dprepro.report.tables import table
from dprepro.support.regular_files import replace_texts

Rows = Sequence[Mapping[str, Any]]

TABLES = ("peers_audit", "accountants", "supports")
"""The names of the tables, and of their files."""

VERDICTS = ("below", "tight", "undecided", "above", "fails", "costly", "unknown")
"""On an answer of an accountant, as `dprepro.auditing.accountants` gives them."""

FILES = tuple(f"{name}.{kind}" for name in TABLES for kind in ("json", "md"))


def write(name: str, rows: Rows, skipped: Sequence[str], results_dir: Path) -> list[Path]:
    """Write both files of a table; raises InputError where that is not possible."""
    text = json.dumps({"rows": list(rows), "skipped": list(skipped)}, indent=1, allow_nan=False) + "\n"
    lines = {"peers_audit": _peers, "accountants": _accountants, "supports": _supports}[name](rows)
    if skipped:
        lines += ["", "Skipped:", "", *(f"- {line}" for line in skipped)]
    return replace_texts(results_dir, {f"{name}.json": text, f"{name}.md": "\n".join(lines) + "\n"})


def _peers(rows: Rows) -> list[str]:
    violated = sum("violates" in row["verdict"] for row in rows)
    return [
        "# Functions of other libraries, audited",
        "",
        f"{len(rows)} functions, each asked for epsilon = 1 under the relation that is named; {violated} spend more.",
        "The level of each limit is .99. `fault:` functions rebuild a fault that was reported in public.",
        "",
        *table(
            ("function", "library", "relation", "delta", "data", "verdict", "spends", "would notice", "report"),
            ((row["name"], row["version"], row["relation"], f"{row['delta']:g}", row["domain"], row["verdict"],
              _number(row["epsilon"]), _number(row["noticed"]), row["report"]) for row in rows),
        ),
    ]  # fmt: skip


def _accountants(rows: Rows) -> list[str]:
    names = list(dict.fromkeys((row["accountant"], row["version"]) for row in rows))
    counts = {name: Counter(row["verdict"] for row in rows if row["accountant"] == name) for name, _ in names}
    said = {row["accountant"]: row["warns"] for row in rows}
    wrong = [row for row in rows if row["verdict"] == "below"]
    failed = [row for row in rows if row["verdict"] in ("fails", "costly") and row["ordinary"]]
    far = [row for row in rows if row["verdict"] == "above" and row["ordinary"] and (row["ratio"] or 2) > 1.5]
    shown = ("accountant", "law", "delta", "exact epsilon", "answer", "answer / exact", "ordinary")
    return [
        "# Accountants, held against exact laws",
        "",
        "`below`: less than is spent, by an enclosure; `tight`: not below the enclosure and at most 1% above what is",
        "spent; `above`: more than that; `undecided`: the enclosure does not tell these apart; `fails`: an error, no",
        "number or an infinite one; `costly`: more time of a processor or memory than it was given, of which another",
        "machine may need less; `unknown`: the accountant has no form for the law.",
        "",
        f"The widest enclosure is {_widest(rows):.1g} of epsilon; the slowest answer took {_slowest(rows):g} s.",
        "",
        *table(
            ("accountant", "version", *VERDICTS, "largest ratio, ordinary", "to be said"),
            ((name, version, *(counts[name][verdict] for verdict in VERDICTS), _worst(rows, name), said[name])
             for name, version in names),
        ),
        "",
        "## Below what is spent",
        "",
        *(table(shown, map(_case, wrong)) if wrong else ["None."]),
        "",
        "## Ordinary questions with an answer above 1.5 times the exact one",
        "",
        *(table(shown, map(_case, far)) if far else ["None."]),
        "",
        "## Ordinary questions without an answer",
        "",
        *(table(("accountant", "law", "delta", "exact epsilon", "what it said"),
                ((row["accountant"], row["law"], f"{row['delta']:g}", _enclosed(row), row["error"] or "infinite")
                 for row in failed)) if failed else ["None."]),
    ]  # fmt: skip


def _widest(rows: Rows) -> float:
    return max((row["high"] / row["low"] - 1 for row in rows if row["low"] > 0), default=0.0)


def _slowest(rows: Rows) -> float:
    return max((row["seconds"] for row in rows if row["epsilon"] is not None), default=0.0)


def _worst(rows: Rows, name: str) -> str:
    ratios = [row["ratio"] for row in rows if row["accountant"] == name and row["ordinary"] and row["ratio"]]
    return f"{max(ratios):.4g}" if ratios else "-"


def _case(row: Mapping[str, Any]) -> tuple[str, ...]:
    ratio = "-" if row["ratio"] is None else f"{row['ratio']:.6g}"
    answer = "-" if row["epsilon"] is None else f"{row['epsilon']:.6g}"
    return (
        row["accountant"], row["law"], f"{row['delta']:g}", _enclosed(row), answer, ratio,
        "yes" if row["ordinary"] else "no",
    )  # fmt: skip


def _enclosed(row: Mapping[str, Any]) -> str:
    low, high = row["low"], row["high"]
    return f"{high:.6g}" if high - low <= 1e-6 * high else f"{low:.5g} to {high:.5g}"


def _supports(rows: Rows) -> list[str]:
    different = sum(row["verdict"] == "different" for row in rows)
    return [
        "# Floating-point supports of additive mechanisms",
        "",
        f"{len(rows)} mechanisms at epsilon = 1 on values one apart; of {different} the answers' last bits tell",
        "more than epsilon = 1 at delta = 0 (level .99).",
        "",
        *table(
            ("mechanism", "version", "verdict", "rounding spends at least", "values", "answers of one value only"),
            ((row["name"], row["version"], row["verdict"], f"{row['epsilon']:.3g}",
              "-" if row["pair"] is None else " and ".join(f"{value:g}" for value in row["pair"]),
              f"{row['only']:.2%}") for row in rows),
        ),
    ]  # fmt: skip


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
