"""The printed table and the verdict lines of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

MAIN_AXES = ("n", "p", "epsilon", "delta", "norm")
ROWS_SHOWN = 12


def number(value: object) -> str:
    """A number in at most nine characters; an en dash for nothing."""
    if value is None or (isinstance(value, float) and value != value):
        return "-"
    return f"{value:.4g}" if isinstance(value, float | int) else str(value)


def table(frame: pd.DataFrame, axis: str) -> str:
    """Mean risk, bound and their ratio for every series along the axis; other axes that vary have columns too."""
    good = frame[(frame["quantity"] == "excess_risk") & (frame["status"] == "ok")]
    if good.empty:
        return "no cell was measured"
    others = [a for a in MAIN_AXES if a != axis and good[a].nunique() > 1]
    keys = ["role", "series", axis, *others]
    means = good.groupby(keys, sort=False)[["value", "bound"]].mean().reset_index()
    means["order"] = means["role"].map({"claim": 0, "context": 1, "control": 2})
    means = means.sort_values(["order", "series", axis], kind="stable")
    lines = [[*("series", axis), *others, "risk", "bound", "ratio"]]
    for row in means.to_dict("records"):
        bound = row["bound"] if row["bound"] == row["bound"] else None
        ratio = row["value"] / bound if bound else None
        lines.append([str(row["series"]), *(number(row[a]) for a in (axis, *others)),
                      number(row["value"]), number(bound), number(ratio)])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = []
    for line in lines:
        cells = [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        text.append("  ".join(cells).rstrip())
    return "\n".join(text)


def verdict_lines(verdict: Mapping[str, Any]) -> str:
    """One line for each check and a last one for the experiment."""
    lines = []
    width = max(len(name) for name in verdict["checks"])
    for name, check in verdict["checks"].items():
        said = f"{check['verdict']:<12}"
        if check["estimate"] is not None:
            said += f" {number(check['estimate'])} in [{number(check['low'])}, {number(check['high'])}]"
            said += f", expected {number(check['expected'])}"
            said += f" +- {number(check['margin'])}" if check["margin"] else ""
        if check["constant"] is not None:
            said += f"; constant {number(check['constant'])}"
        if check["reason"]:
            said += f"; {check['reason']}"
        mark = "" if check["as_expected"] else f"  <- expected to be {check['expect']}"
        lines.append(f"  {name:<{width}}  {check['role']:<8} {said}{mark}")
    if verdict["overrides"]:
        lines.append(f"  overridden: {' '.join(verdict['overrides'])}")
    tail = "all checks came out as expected" if verdict["as_expected"] else "NOT all checks came out as expected"
    lines.append(f"verdict: {verdict['experiment']} ({verdict['paper']}, {verdict['claim']}): {verdict['verdict']}; {tail}")
    return "\n".join(lines)
