"""Attacks on Kifer, Smith and Thakurta (2012)."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.refute import kst_perturbation, kst_selection
from dprepro.refute.attack import Attack

ATTACKS: Mapping[str, tuple[Attack, ...]] = {**kst_perturbation.ATTACKS, **kst_selection.ATTACKS}
"""On what holds: the repaired statement where there is one."""

PRINTED: Mapping[str, tuple[Attack, ...]] = {**kst_perturbation.PRINTED, **kst_selection.PRINTED}
"""On what is printed where that is false; each finds its counterexample."""

UNTRIED: Mapping[str, str] = kst_perturbation.UNTRIED
"""Why no number can be attacked."""
