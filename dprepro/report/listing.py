"""The list of experiments with their last verdicts, readable at 80 columns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

WIDTH = 80


def last_verdict(results_dir: str | Path, name: str) -> str:
    """The verdict in the experiment's results folder, with a star if it had overrides; a hyphen where there is none."""
    try:
        verdict = json.loads((Path(results_dir) / name / "verdict.json").read_text(encoding="utf-8"))
        return str(verdict["verdict"]) + ("*" if verdict["overrides"] else "")
    except (OSError, ValueError, KeyError, TypeError):
        return "-"


def listing(headers: Mapping[str, Mapping[str, str]], results_dir: str | Path) -> str:
    """One line for each experiment, grouped by paper: name, claim, last verdict."""
    if not headers:
        return "no experiments found"
    verdicts = {name: last_verdict(results_dir, name) for name in headers}
    width = max(map(len, headers))
    room = max(12, WIDTH - width - max(map(len, verdicts.values())) - 6)
    lines = []
    for paper in sorted({head["paper"] for head in headers.values()}):
        lines.append(paper)
        for name, head in headers.items():
            if head["paper"] == paper:
                claim = head["claim"] if len(head["claim"]) <= room else head["claim"][: room - 1] + "…"
                lines.append(f"  {name:<{width}}  {claim:<{room}}  {verdicts[name]}")
    if any(verdict.endswith("*") for verdict in verdicts.values()):
        lines.append("* measured with overrides")
    return "\n".join(lines)
