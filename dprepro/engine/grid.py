"""The grid of a sweep."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence


def expand(axes: Mapping[str, Sequence[float]]) -> list[dict[str, float]]:
    """All grid points, the last axis running fastest; whole numbers become ints, whatever they were written as."""
    columns = [[_whole(value) for value in values] for values in axes.values()]
    return [dict(zip(axes, point, strict=True)) for point in itertools.product(*columns)]


def _whole(value: float) -> float:
    number = float(value)
    return int(value) if number.is_integer() else number
