"""How often a check says something else at another seed: ``stability.json`` and ``stability.md``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dprepro.errors import InputError
from dprepro.report.standing import place
from dprepro.report.tables import table
from dprepro.support.regular_files import bytes_of, replace_texts

FILES = ("stability.json", "stability.md")


def flips(results_dir: Path, experiments: Iterable[str], seeds: Iterable[int]) -> list[dict[str, Any]]:
    """One entry for each check: its verdicts, first that of the run in ``results_dir``, and how many are another one.

    Experiments and checks that a seed lacks are counted as far as they go.
    """
    found = []
    seeds = list(seeds)
    for name in experiments:
        try:
            others = [results_dir / f"seed-{seed}" / place(name, [f"seed={seed}"]) for seed in seeds]
        except InputError:  # a damaged store may call an experiment anything
            continue
        runs = [checks for folder in (results_dir / name, *others) if (checks := _checks(folder / "verdict.json"))]
        for check, first in (runs[0] if runs else {}).items():
            verdicts = [run[check]["verdict"] for run in runs if check in run]
            entry = {"experiment": name, "check": check, "role": first["role"], "expect": first["expect"]}
            flipped = sum(verdict != verdicts[0] for verdict in verdicts)
            found.append(entry | {"verdicts": verdicts, "flips": flipped, "seeds": len(verdicts)})
    return found


def _checks(path: Path) -> Mapping[str, Mapping[str, Any]]:
    """The checks of a verdict.json as far as it can be read."""
    try:
        checks = json.loads(bytes_of(path))["checks"].items()
        return {name: check for name, check in checks if {"verdict", "role", "expect"} <= check.keys()}
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return {}


def markdown(found: Sequence[Mapping[str, Any]]) -> str:
    """The checks that flipped, and how many did not."""
    flipped = [entry for entry in found if entry["flips"]]
    most = max((entry["seeds"] for entry in found), default=0)
    lines = [
        "# Verdicts at other seeds",
        "",
        f"{len(found)} checks at {most} seeds; {len(flipped)} said something else at one of them:",
        "",
        *table(
            ("experiment", "check", "role", "expected", "verdicts", "flips"),
            ((entry["experiment"], entry["check"], entry["role"], entry["expect"], ", ".join(entry["verdicts"]),
              f"{entry['flips']} of {entry['seeds'] - 1}") for entry in flipped),
        ),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def write(found: Sequence[Mapping[str, Any]], results_dir: Path) -> list[Path]:
    """Write both files; raises InputError where that is not possible."""
    texts = (json.dumps(found, indent=1) + "\n", markdown(found))
    return replace_texts(results_dir, dict(zip(FILES, texts, strict=True)))
