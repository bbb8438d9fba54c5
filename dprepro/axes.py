"""The axes that every cell has; a sweep may add more by the names of parameters."""

from __future__ import annotations

import math

DEFAULTS: dict[str, float] = {"n": 1, "p": 1, "epsilon": math.inf, "delta": 0, "norm": 1}
"""Their values where a sweep does not name them."""

AXES = tuple(DEFAULTS)
