"""The axes that every cell has; a sweep may add more by the names of parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TypeVar

from dprepro.errors import InputError

T = TypeVar("T")

DEFAULTS: dict[str, float] = {"n": 1, "p": 1, "epsilon": math.inf, "delta": 0, "norm": 1}
"""The values of axes that a sweep does not name."""

AXES = tuple(DEFAULTS)

LARGEST = 1e300
"""Of the numbers on an axis; a shipped sweep goes to 1e250."""


def check_axis(axis: str, value: float) -> None:
    """Raise InputError unless the value can stand on that axis."""
    if math.isnan(value):
        raise InputError(f"sweep.{axis} must hold numbers, got nan")
    if math.isfinite(value) and value and not LARGEST**-1 <= abs(value) <= LARGEST:
        raise InputError(
            f"sweep.{axis} must hold 0 or numbers of size {1 / LARGEST:g} to {LARGEST:g}, with which one can still "
            f"compute, got {axis}={float(value):g}"
        )
    if axis in ("n", "p", "steps") and not (math.isfinite(value) and value >= 1 and value == int(value)):
        raise InputError(f"sweep.{axis} must hold whole numbers of at least 1, got {axis}={float(value)!r}")
    if axis == "epsilon" and not value > 0:
        raise InputError(f"sweep.epsilon must hold positive numbers (inf for no privacy), got epsilon={value:g}")
    if axis == "delta" and not 0 <= value < 1:
        raise InputError(f"sweep.delta must hold numbers in [0, 1), got delta={value:g}")
    if axis == "norm" and not (math.isfinite(value) and value > 0):
        raise InputError(f"sweep.norm must hold positive numbers, got norm={value:g}")


def at(value: T, point: Mapping[str, float]) -> T:
    """The algorithm or construction with those fields replaced that are axes of the grid."""
    changes = {f.name: point[f.name] for f in fields(value) if f.name in point and f.name not in AXES}  # type: ignore[arg-type]
    return replace(value, **changes) if changes else value  # type: ignore[type-var]
