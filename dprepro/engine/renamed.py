"""Names in stores of older versions, with the names of today.

A store keeps its texts as they were written, since digests are taken of them. Whoever reads it sees names of today.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CHECK_KEYS = {"guards": "precondition"}
"""Keys of a check in the configuration of a run."""

RULES = {"enough": "attainment"}
"""Values of its key `rule`."""


def current_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """The resolved configuration of a run, its checks with the names of today."""
    checks = config.get("checks")
    if not isinstance(checks, Mapping):
        return dict(config)
    return {**config, "checks": {name: _current_check(check) for name, check in checks.items()}}


def _current_check(check: Any) -> Any:
    if not isinstance(check, Mapping):
        return check
    found = {CHECK_KEYS.get(key, key): value for key, value in check.items()}
    return found | {"rule": RULES.get(rule, rule)} if isinstance(rule := check.get("rule"), str) else found
