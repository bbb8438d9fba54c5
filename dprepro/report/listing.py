"""The list of experiments with their last verdicts, readable at 80 columns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path


def last_verdict(results_dir: str | Path, name: str) -> str:
    """The verdict in the experiment's results folder; an en dash where there is none."""
    try:
        verdict = json.loads((Path(results_dir) / name / "verdict.json").read_text(encoding="utf-8"))
        return str(verdict["verdict"]) + (" (overridden)" if verdict["overrides"] else "")
    except (OSError, ValueError, KeyError):
        return "-"


def listing(headers: Mapping[str, Mapping[str, str]], results_dir: str | Path) -> str:
    """One line for each experiment, grouped by paper: name, claim, last verdict."""
    if not headers:
        return "no experiments found"
    width = max(len(name) for name in headers)
    lines = []
    for paper in sorted({head.get("paper", "?") for head in headers.values()}):
        lines.append(paper)
        for name, head in headers.items():
            if head.get("paper", "?") == paper:
                claim = head.get("claim", "")
                room = 80 - width - 20
                claim = claim if len(claim) <= room else claim[: room - 1] + "…"
                lines.append(f"  {name:<{width}}  {claim:<{room}} {last_verdict(results_dir, name)}")
    return "\n".join(lines)
