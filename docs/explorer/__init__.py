"""The explorer: one page of the site with every measured point of the reference folder, and a calculator of the bounds.

The page opens from a folder and fetches nothing: data, script and the part of Observable Plot that it uses stand in it.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from docs.explorer.calculator import RATES
from docs.sources import EXPERIMENTS, MEASURED, cited, has_table, header, reference, table_of
from dprepro.figures.words import AXES, QUANTITIES
from dprepro.report.formulas import plain, prose
from dprepro.report.frames import intervals
from dprepro.report.page import environment
from dprepro.support.regular_files import unpacked

HERE = Path(__file__).parent
SCRIPTS = ("points.js", "explorer.js", "calculator.js")
LEFT_OUT = ("advice", "table_")
"""Experiments about predictions and a person's table, whose points are no risks over a grid."""


def data() -> dict[str, Any]:
    """What the page knows: the experiments with their points by columns, formulas, words, the calculator's rates."""
    found = {name: _experiment(name) for name in shown()}
    used = {identity for experiment in found.values() for identity in experiment["statements"]}
    words = {"axes": AXES | {"delta": "privacy δ"}, "quantities": QUANTITIES}  # δ itself is shown, no logarithm of it
    rows = [row for row in reference("ledger.json")["claims"] if row["id"] in used]
    statements = {row["id"]: {"said": _said(row), "formula": str(prose(f"${row['formula']}$"))} for row in rows}
    return {"experiments": found, "statements": statements, "words": words, "rates": rates()}


def shown() -> list[str]:
    """The experiments of the page."""
    return [name for name in EXPERIMENTS if has_table(name) and not name.startswith(LEFT_OUT)]


def _experiment(name: str) -> dict[str, Any]:
    """Points by columns: numbers as they were written, words and axes as places in a list of their values."""
    rows = list(csv.DictReader(unpacked(table_of(name)).decode().splitlines()))
    head = header(name)
    axes = [key for key in rows[0] if key not in ("series", "role", *MEASURED)]
    labels = head.get("figure", {}).get("labels", {})
    series = list(dict.fromkeys(row["series"] for row in rows))
    roles = {row["series"]: row["role"] for row in rows}
    columns: dict[str, Any] = {}
    for key in ("series", "quantity", "state", *axes):
        values = list(dict.fromkeys(row[key] for row in rows))
        columns[key] = {"of": values}
        if len(values) > 1:
            columns[key]["at"] = [values.index(row[key]) for row in rows]
    for key in ("mean", "standard_error", "bound", "replicates"):
        columns[key] = [_short(row[key]) for row in rows]
    columns["half"] = half_widths(rows)
    return {
        "paper": cited(head["paper"]),
        "claim": plain(str(head["claim"])),
        "statement": plain(str(head["statement"])),
        "labels": [plain(str(labels.get(key, key))) for key in series],
        "roles": [roles[key] for key in series],
        "axes": axes,
        "columns": columns,
        "statements": _statements(name),
    }


def half_widths(rows: Iterable[Mapping[str, str]]) -> list[float | int | None]:
    """Of each row of a table half the width of its mean's 99% interval, as `summary` of a run has it; none without one.

    The points of a series share the spread of their replicates: two or three say next to nothing by themselves.
    """
    table = pd.DataFrame(list(rows)).replace({"state": {"": "used"}})
    numbers = {"mean": "mean", "standard_error": "error", "replicates": "count"}
    table = table.assign(**{name: pd.to_numeric(table[key]) for key, name in numbers.items()}).fillna({"count": 1})
    half = pd.Series(math.nan, index=table.index)
    for _, group in table.groupby(["series", "quantity"], sort=False):
        half[group.index] = intervals(group)["high"] - group["mean"]
    return [_short(f"{width:.3g}") for width in half]


def _statements(name: str) -> list[str]:
    """The statements with a formula that an experiment is about: those of its YAML, else all that its rows name."""
    rows, head = reference("ledger.json")["claims"], header(name)
    listed = head.get("statements", {})
    mine = [row for row in rows if row["paper"] == head["paper"] and row["item"] in listed]
    own = [row for row in mine if row["kind"] != "privacy"]
    named = [row for row in rows if name in row["experiments"] and row["statement"]]
    return [row["id"] for row in own or named if row["formula"]]


def _short(text: str) -> float | int | None:
    """The number; none where there is none, or where it is infinite and cannot be drawn."""
    number = float(text or "nan")
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 1e6 else number


def rates() -> list[dict[str, Any]]:
    """The calculator's lines, each with what the ledger says of the statement's constant."""
    rows = {row["id"]: row for row in reference("ledger.json")["claims"]}
    found = []
    for rate in RATES:
        line: dict[str, Any] = {"problem": rate.problem}
        for side, identity, text in (("upper", rate.upper, rate.upper_rate), ("lower", rate.lower, rate.lower_rate)):
            if identity:
                row = rows[identity]
                line[side] = {
                    "said": _said(row),
                    "page": f"ledger.html#{identity}",
                    "rate": text,
                    "constant": row["constant"] and [row["constant"]["lower"], row["constant"]["upper"]],
                    "at": row["constant"] and row["constant"]["at"],
                }
        found.append(line)
    return found


def _said(row: Mapping[str, Any]) -> str:
    return f"{cited(row['paper'])}, {row['item']}"


def page() -> str:
    """The page, with everything inside."""
    parts = {name: (HERE / name).read_text(encoding="utf-8") for name in ("explorer.css", "plot.js", *SCRIPTS)}
    script = "\n".join(parts[name] for name in SCRIPTS)
    text = json.dumps(data(), separators=(",", ":"), ensure_ascii=False, allow_nan=False).replace("</", "<\\/")
    template = environment().from_string((HERE / "explorer.html.j2").read_text(encoding="utf-8"))
    return template.render(style=parts["explorer.css"], script=script, plot=parts["plot.js"], data=text)
