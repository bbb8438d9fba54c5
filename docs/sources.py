"""What the generated pages are made of: YAML files of experiments, and the reference folder of the last full run."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment

from dprepro.analysis.points import number
from dprepro.config.config_files import read_block
from dprepro.report.formulas import with_symbols
from dprepro.report.measured_grid import span
from dprepro.report.page import environment
from dprepro.statements.papers import citation
from dprepro.support.regular_files import unpacked

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "results" / "reference"
EXPERIMENTS = {path.stem: path for path in sorted((ROOT / "conf" / "experiment").glob("*.yaml"))}
OTHERS = {"table": "A person's table"}
"""Headings for experiments that serve no single paper."""

NEIGHBOURS = {
    "replace_one": "one record is replaced, n is public (replace_one)",
    "zero_out": "one record becomes one that says nothing, n is public (zero_out)",
    "add_or_remove_one": "one record is added or removed, n is private (add_or_remove_one)",
}
MEASURED = ("quantity", "mean", "standard_error", "replicates", "bound", "state")


@lru_cache(maxsize=8)
def reference(name: str) -> Any:
    """A JSON file of the reference folder."""
    return json.loads(unpacked(REFERENCE / f"{name}.gz"))


@lru_cache(maxsize=256)
def header(experiment: str) -> Mapping[str, Any]:
    """The keys of an experiment's YAML, as they are written."""
    return read_block(EXPERIMENTS[experiment])


def cited(paper: str) -> str:
    """Authors and year; for experiments of no paper, what they are about."""
    return OTHERS.get(paper) or citation(paper, reference("ledger.json")["papers"])


def by_paper() -> dict[str, list[str]]:
    """Experiments by paper, the papers in the order of the ledger."""
    papers = [*reference("ledger.json")["papers"], *OTHERS]
    found: dict[str, list[str]] = {paper: [] for paper in papers}
    for name in EXPERIMENTS:
        found.setdefault(str(header(name)["paper"]), []).append(name)
    return {paper: names for paper, names in found.items() if names}


def checks(experiment: str) -> Mapping[str, Mapping[str, Any]]:
    """What every check found in the last full run; nothing of an experiment that is younger."""
    found: Mapping[str, Mapping[str, Any]] = reference("checks.json").get(experiment, {})
    return found


def rivals(experiment: str) -> dict[str, str]:
    """Claims that are confirmed up to logarithms, with the powers that their grids do not exclude."""
    claims = {name: check for name, check in checks(experiment).items() if check["role"] == "claim"}
    return {
        name: claim["reason"]
        for name, claim in claims.items()
        if claim["verdict"] == "confirmed" and "up to logarithms" in claim["reason"]
    }


def table_of(experiment: str) -> Path:
    """Where the last full run left means and bounds of an experiment, packed."""
    return REFERENCE / f"{experiment}.csv.gz"


def has_table(experiment: str) -> bool:
    """Whether it left some; not of an experiment that is younger."""
    return table_of(experiment).is_file()


def series(experiment: str) -> list[dict[str, str]]:
    """Name, label, role, grid and replicates of every series, as it was measured."""
    if not has_table(experiment):
        return []
    rows = list(csv.DictReader(unpacked(table_of(experiment)).decode().splitlines()))
    axes = [key for key in rows[0] if key not in ("series", "role", *MEASURED)]
    labels = header(experiment).get("figure", {}).get("labels", {})
    return [
        {
            "name": name,
            "label": str(labels.get(name, "")),
            "role": next(row["role"] for row in rows if row["series"] == name),
            "grid": _grid([row for row in rows if row["series"] == name], axes),
            "replicates": ", ".join(
                sorted({row["replicates"] for row in rows if row["series"] == name and row["replicates"]}, key=float)
            ),
        }
        for name in dict.fromkeys(row["series"] for row in rows)
    ]


def _grid(rows: Sequence[Mapping[str, str]], axes: Sequence[str]) -> str:
    said = []
    for axis in axes:
        texts = sorted({row[axis] for row in rows if row[axis]})
        try:
            values = sorted({float(text) for text in texts})
            said.append("" if (axis, values) == ("norm", [1.0]) else with_symbols(span(axis, values)))
        except ValueError:
            said.append(f"{axis}: {', '.join(texts)}" if texts else "")
    return ", ".join(filter(None, said))


def noticed(experiment: str) -> dict[str, str]:
    """By check the smallest error that would have changed its verdict, in words."""
    words = {
        "above": "a factor of {}", "below": "a factor of {}", "steeper": "a power of {} more",
        "flatter": "a power of {} less", "epsilon": "{} times the epsilon",
    }  # fmt: skip
    return {
        item["check"]: ", ".join(text.format(number(item[key])) for key, text in words.items() if item[key] is not None)
        for item in reference("power.json")["checks"]
        if item["experiment"] == experiment
    }


@lru_cache(maxsize=1)
def templates() -> Environment:
    """The ledger's templates and those of the site."""
    found = environment(Path(__file__).parent / "templates")
    found.filters |= {"cited": cited}
    return found
