"""Names in stores of older versions, with the names of today.

A store keeps its texts as they were written, since digests are taken of them. Whoever reads it sees names of today.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

CHECK_KEYS = {"guards": "precondition"}
"""Keys of a check in the configuration of a run."""

GONE = {"among": "these"}
"""Keys of a check that are gone, with the value that is meant now without them."""

QUANTITIES = {
    "spent_epsilon": "certified_epsilon", "overspent_epsilon": "violating_epsilon", "noise_drawn": "noise_moments",
    "exact_delta_silent": "exact_delta_zeroed_out",
}  # fmt: skip
"""Quantities of rows, which checks and figures name too."""

COLUMNS = {"shape": "rate"}

CHECK_VALUES: dict[str, dict[str, str]] = {
    "rule": {"enough": "attainment", "drawn": "noise"}, "quantity": QUANTITIES,
    "divide": COLUMNS, "along": COLUMNS, "column": COLUMNS,
}  # fmt: skip
"""Values of keys of a check."""

SETTINGS = {"shape": "rate", "overspend": "epsilon_factor", "overspends": "epsilon_factors"}
"""Settings of a study and of its series."""


def current_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """The resolved configuration of a run, its study and its checks with the names of today."""
    current = dict(config)
    if isinstance(checks := config.get("checks"), Mapping):
        current["checks"] = {name: _current_check(check) for name, check in checks.items()}
    if isinstance(study := config.get("study"), Mapping):
        current["study"] = _current_settings(study)
        if isinstance(series := study.get("series"), Mapping):
            current["study"]["series"] = {label: _current_settings(value) for label, value in series.items()}
    return current


def current_columns(quantity: str, columns: Sequence[str]) -> tuple[str, ...]:
    """The further columns of a row of that quantity, one of today."""
    if quantity == "violating_epsilon":
        return tuple(["epsilon_factor" if column == "overspend" else column for column in columns])
    if "shape" in columns and "law" in columns:  # as all risks beside a rate have; another study may mean what it says
        return tuple(["rate" if column == "shape" else column for column in columns])
    return tuple(columns)


def _current_settings(given: Any) -> Any:
    return {SETTINGS.get(key, key): value for key, value in given.items()} if isinstance(given, Mapping) else given


def _current_check(check: Any) -> Any:
    if not isinstance(check, Mapping):
        return check
    found = {CHECK_KEYS.get(key, key): value for key, value in check.items() if key not in GONE or value != GONE[key]}
    return {str(key): _current_value(CHECK_VALUES.get(str(key), {}), value) for key, value in found.items()}


def _current_value(names: Mapping[str, str], value: Any) -> Any:
    if isinstance(value, list) and names:
        return [_current_value(names, item) for item in value]
    return names.get(value, value) if isinstance(value, str) else value
