"""Attacks on Kifer, Smith and Thakurta (2012)."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.refute import kst_perturbation_attacks, kst_selection_attacks
from dprepro.refute.attack import Attack

ATTACKS: Mapping[str, tuple[Attack, ...]] = {**kst_perturbation_attacks.ATTACKS, **kst_selection_attacks.ATTACKS}
"""On what holds: the repaired statement where there is one."""

PRINTED: Mapping[str, tuple[Attack, ...]] = {**kst_perturbation_attacks.PRINTED, **kst_selection_attacks.PRINTED}
"""On what is printed where that is false; each finds its counterexample."""

UNTRIED: Mapping[str, str] = kst_perturbation_attacks.UNTRIED
"""Why no number can be attacked."""
