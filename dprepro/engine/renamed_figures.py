"""Quantities that the figure of a stored run names, with the names of today.

Apart from `dprepro.engine.renamed`, which is behind every cell: no cell is measured again for a figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprepro.engine.renamed import QUANTITIES

OPTIONS = ("quantity", "panels", "names", "bounds", "curves", "constants", "linear", "logarithmic")
"""Options of figures that name quantities: alone, in a list, or as the keys of a mapping."""


def current_figure(config: Mapping[str, Any]) -> dict[str, Any]:
    """The resolved configuration of a run, its figure with the quantities of today."""
    current = dict(config)
    if isinstance(figure := config.get("figure"), Mapping):
        current["figure"] = {name: _current(value) if name in OPTIONS else value for name, value in figure.items()}
    return current


def _current(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {QUANTITIES.get(name, name): text for name, text in value.items()}
    if isinstance(value, list):
        return [_current(item) for item in value]
    return QUANTITIES.get(value, value) if isinstance(value, str) else value
