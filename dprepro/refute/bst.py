"""Attacks on the statements of Bassily, Smith and Thakurta (2014)."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.refute import bst_algorithms, bst_lower, bst_sampling, bst_smooth
from dprepro.refute.attack import Attack

PARTS = (bst_algorithms, bst_sampling, bst_lower, bst_smooth)

ATTACKS: Mapping[str, tuple[Attack, ...]] = {item: found for part in PARTS for item, found in part.ATTACKS.items()}
"""By the item of a statement, on what holds."""

PRINTED: Mapping[str, tuple[Attack, ...]] = {item: found for part in PARTS for item, found in part.PRINTED.items()}
"""On what is printed, where that is false."""

UNTRIED: Mapping[str, str] = {
    "Table 1": "it is made of Theorems 2.4.1, 2.4.2, 3.2 and 4.3, which are attacked",
    "Table 1, lower bounds": "it is made of Theorems 5.2 to 5.5, which are attacked",
}
"""Why nothing is tried on a statement."""
