"""The verdicts of claims on held-out grids, beside the shipped ones: ``heldout.json`` and ``heldout.md``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dprepro.analysis.noise_rule import NO_NOISE
from dprepro.analysis.rule import NO_POINT
from dprepro.report.heldout_words import EXPLANATIONS
from dprepro.report.tables import table
from dprepro.support.regular_files import replace_texts

FILES = ("heldout.json", "heldout.md")
JUDGED, UNMOVED, TOO_LONG, FAILED = "judged", "nothing to move", "too long", "failed"
SAME, OTHERWISE, NO_STATEMENT = "as shipped", "otherwise", "no statement"
UNEXPLAINED = "unexplained"
SHOWN = 200
"""Number of characters of a grid that the table shows."""


def outcome(check: Mapping[str, Any], pinned: str, shipped: str) -> str:
    """How a check came out on the held-out grid beside its ``shipped`` verdict.

    ``pinned`` is the reason why the check's number holds on the shipped grid alone, or empty. No statement is made for
    a pinned check, for one that lacks something, and for one with a series that has no point on the held-out grid.
    """
    if check["verdict"] == shipped:
        return SAME
    lacking = (check.get("details") or {}).get("lacks") or check["reason"].startswith((NO_POINT, NO_NOISE))
    return NO_STATEMENT if pinned or lacking else OTHERWISE


def entries(
    verdict: Mapping[str, Mapping[str, Any]], checks: Mapping[str, Mapping[str, Any]], shipped: Mapping[str, str]
) -> list[dict[str, Any]]:
    """One entry for each check that was run as shipped.

    Args:
        verdict: the results on the held-out grid, as in verdict.json.
        checks: the checks as configured there.
        shipped: the verdicts on the shipped grid.
    """
    return [
        {
            "check": name, "role": found["role"], "shipped": shipped[name], "held_out": found["verdict"],
            "outcome": outcome(found, str(checks[name].get("pinned", "")), shipped[name]), "reason": found["reason"],
            **{key: found[key] for key in ("estimate", "low", "high", "expected", "margin", "rule")},
        }
        for name, found in verdict.items() if name in shipped
    ]  # fmt: skip


def otherwise(found: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The claims whose verdict differs from the shipped one, by ``experiment:check``."""
    return {
        f"{entry['experiment']}:{check['check']}": check
        for entry in found
        for check in entry["checks"]
        if check["role"] == "claim" and check["outcome"] == OTHERWISE
    }


def counts(found: Sequence[Mapping[str, Any]], role: str = "claim") -> Counter[str]:
    """How many checks of a role have each outcome."""
    return Counter(check["outcome"] for entry in found for check in entry["checks"] if check["role"] == role)


def markdown(found: Sequence[Mapping[str, Any]], explanations: Mapping[str, str] = EXPLANATIONS) -> str:
    """The counts, the claims that came out otherwise with their explanations, and the grids."""
    claims, controls = counts(found), counts(found, "control")
    states = Counter(entry["state"] for entry in found)
    judged = claims[SAME] + claims[OTHERWISE]
    cases = otherwise(found)
    explained = sum(key in explanations for key in cases)
    lines = [
        "# Claims on held-out grids",
        "",
        f"{len(found)} experiments: {', '.join(f'{states[state]} {state}' for state in sorted(states))}.",
        f"{judged} claims were judged on a grid that no YAML holds; {claims[OTHERWISE]} came out otherwise "
        f"({100 * claims[OTHERWISE] / max(judged, 1):.1f}%), {explained} of them explained. "
        f"Of {claims[NO_STATEMENT]} more no statement is made: their number was read off the shipped grid, or a series "
        "has no point on the other one.",
        f"{controls[SAME]} of {controls.total()} controls came out as on the shipped grid.",
        "",
        *table(
            ("experiment", "claim", "shipped", "held out", "reason", "explanation"),
            ((*key.split(":"), case["shipped"], case["held_out"], case["reason"], explanations.get(key, UNEXPLAINED))
             for key, case in cases.items()),
        ),
        "",
        "## Grids",
        "",
        *table(("experiment", "state", "held-out grid"), ((entry["experiment"], entry["state"], _short(entry["grid"]))
                                                         for entry in found)),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _short(grid: str) -> str:
    """The first words of a grid; heldout.json has all."""
    return grid if len(grid) <= SHOWN else f"{grid[:SHOWN]} ..."


def write(found: Sequence[Mapping[str, Any]], results_dir: Path) -> list[Path]:
    """Write both files; raises InputError where that is not possible."""
    texts = (json.dumps(found, indent=1, allow_nan=False) + "\n", markdown(found))
    return replace_texts(results_dir, dict(zip(FILES, texts, strict=True)))
