"""Attacks on the statements of Bassily, Smith and Thakurta (2014)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dprepro.refute import bst_algorithms_attacks, bst_lower_attacks, bst_sampling_attacks, bst_smooth_attacks
from dprepro.refute.attack import Attack

PARTS = (bst_algorithms_attacks, bst_sampling_attacks, bst_lower_attacks, bst_smooth_attacks)

OWN = {item: found for part in PARTS for item, found in part.ATTACKS.items()}


def _those_of(*items: str) -> tuple[Attack, ...]:
    return tuple(replace(entry, name=f"{item}: {entry.name}") for item in items for entry in OWN[item] if entry.exact)


ATTACKS: Mapping[str, tuple[Attack, ...]] = {
    "Table 1": _those_of("Theorem 2.4.1", "Theorem 2.4.2", "Theorem 3.2", "Theorem 4.3"),
    "Table 1, lower bounds": _those_of("Theorem 5.2", "Theorem 5.3", "Theorem 5.4", "Theorem 5.5"),
    **OWN,
}
"""By the item of a statement, on what holds."""

PRINTED: Mapping[str, tuple[Attack, ...]] = {item: found for part in PARTS for item, found in part.PRINTED.items()}
"""On what is printed, where that is false."""

UNTRIED: Mapping[str, str] = {}
"""Why nothing is tried on a statement: there is none."""
