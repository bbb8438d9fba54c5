"""The list of experiments with their last verdicts, readable at 80 columns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from textwrap import wrap

from dprepro.regular_files import bytes_of
from dprepro.report.registry import Paper, citation, heads

WIDTH = 80
SHOWN = ("confirmed", "inconclusive", "refuted")
"""What a verdict.json can say; one that says anything else was written by somebody else."""


def last_verdict(results_dir: str | Path, name: str) -> str:
    """The verdict in the experiment's results folder; a hyphen where there is none.

    A star marks one that was measured with overrides, an exclamation mark one of which a check came out unexpectedly.
    """
    try:
        verdict = json.loads(bytes_of(Path(results_dir) / name / "verdict.json"))
        marks = ("" if verdict["as_expected"] else "!") + ("*" if verdict["overrides"] else "")
        return verdict["verdict"] + marks if verdict["verdict"] in SHOWN else "-"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "-"


def listing(
    headers: Mapping[str, Mapping[str, str]], results_dir: str | Path, registries: Mapping[str, Paper] | None = None
) -> str:
    """Grouped by paper, the papers in the order of their years: name, claim and last verdict of every experiment."""
    if not headers:
        return "no experiments found"
    verdicts = {name: last_verdict(results_dir, name) for name in headers}
    width = max(map(len, headers))
    room = max(12, WIDTH - width - max(map(len, verdicts.values())) - 6)
    known = heads(registries or {})
    papers = sorted({head["paper"] for head in headers.values()}, key=lambda one: ([*known, one].index(one), one))
    lines = []
    for paper in papers:
        lines.append(citation(paper, known))
        for name, head in headers.items():
            if head["paper"] == paper:
                first, *rest = wrap(head["claim"], room) or ["?"]
                lines.append(f"  {name:<{width}}  {first:<{room}}  {verdicts[name]}")
                lines += [f"  {'':<{width}}  {line}" for line in rest]
    if any("!" in verdict for verdict in verdicts.values()):
        lines.append("! not all checks came out as expected")
    if any(verdict.endswith("*") for verdict in verdicts.values()):
        lines.append("* measured with overrides")
    return "\n".join(lines)
