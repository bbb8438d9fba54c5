"""The margins of all kinds of checks, and the checks that have another one: ``margins.md`` of the reference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dprepro.analysis.checks import build
from dprepro.analysis.margins import FROZEN, MEANING, RELATIVE
from dprepro.report.tables import table
from dprepro.report.text import number


def exceptions(configs: Mapping[str, Mapping[str, Any]]) -> list[list[str]]:
    """Experiment, check, role, kind, margin, that of the kind, and the reason, of the checks with another margin.

    Args:
        configs: by experiment the configuration of its run, written out.

    Raises:
        InputError: a check that can no longer be built.
    """
    found = []
    for name, config in configs.items():
        for key, check in config["checks"].items():
            rule = build(key, check)
            if abs(rule.margin - rule.frozen_margin) > 1e-12 * max(1.0, rule.margin):
                margins = [number(rule.margin), number(rule.frozen_margin)]
                found.append([name, key, rule.role, rule.kind, *margins, rule.margin_reason or "none is given"])
    return found


def markdown(found: Sequence[Sequence[str]]) -> str:
    """Both tables, as a page."""
    lines = [
        "# Margins",
        "",
        "One margin for each kind of check, whatever was measured. A confirmation within more than 0.05 says so.",
        "",
        *table(("kind", "margin", "what is compared"), _kinds()),
        "",
        "## Exceptions",
        "",
        "Checks with another margin, each with its reason. Controls mostly have that of the claim that they vary.",
        "",
        *table(("experiment", "check", "role", "kind", "margin", "of its kind", "reason"), found),
    ]
    return "\n".join(lines) + "\n"


def _kinds() -> Iterable[tuple[str, str, str]]:
    for name, margin in FROZEN.items():
        share = f"{number(100 * margin)}%" if name in RELATIVE else number(margin)
        yield name, share if margin else "none", MEANING[name]
