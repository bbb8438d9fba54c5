"""Attacks on statements: where over its whole premise a statement might fail, what was tried there, and a witness."""

from dprepro.refute.attack import GRANTED, VIOLATED, Attack, Sides, Trial
from dprepro.refute.hunt import Effort, Tried, hunt, measured_again
from dprepro.refute.neighbouring_attacks import Neighbouring
from dprepro.refute.risks import Risks
from dprepro.refute.search_axes import Axis, axis

__all__ = [
    "GRANTED",
    "VIOLATED",
    "Attack",
    "Axis",
    "Effort",
    "Neighbouring",
    "Risks",
    "Sides",
    "Trial",
    "Tried",
    "axis",
    "hunt",
    "measured_again",
]
