"""All pairs of what the config groups name: which algorithm runs on which construction, or why not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dprepro.errors import InputError

if TYPE_CHECKING:
    from dprepro.dispatch.pairs import Pair

POINT: Mapping[str, float] = MappingProxyType({"n": 2000.0, "p": 16.0, "epsilon": 1.0, "delta": 1e-6, "norm": 1.0})
"""Where pairs are tried unless another grid point is named."""


def all_pairs(point: Mapping[str, float] = POINT, neighbours: str = "", config_dir: str | None = None) -> list[Pair]:
    """All pairs at a grid point, of which `POINT` has what is not given, and under a relation, or any of the three.

    Raises:
        InputError: a value out of range, or a file that is no valid YAML.
    """
    from dprepro.axes import check_axis
    from dprepro.dispatch.pairs import matrix

    whole = {**POINT, **point}
    for axis, value in whole.items():
        check_axis(axis, value)
    if not math.isfinite(whole["epsilon"]):
        raise InputError("epsilon=inf is no privacy; give a finite epsilon")
    groups = blocks("algorithm", config_dir), blocks("construction", config_dir)
    with within_floats():
        return matrix(*groups, whole, sorted({whole["delta"], 0.0}, reverse=True), neighbours)


@contextmanager
def within_floats() -> Iterator[None]:
    """Raise InputError where what is asked for is so large or small that schedules cannot be computed."""
    try:
        yield
    except ArithmeticError as error:
        said = f"{type(error).__name__}: {error}"
        raise InputError(
            f"schedules at these values leave the range of floats ({said}); give epsilon from 1e-6 to 1000, n up "
            "to 1e15, and sizes from 1e-6 to 1e6"
        ) from error


def blocks(group: str, config_dir: str | None = None) -> dict[str, Any]:
    """The content of the files of a config group, by name, without those that hide behind a shipped one.

    Raises:
        InputError: a file that is no valid YAML.
    """
    from dprepro.config.config_files import read_block
    from dprepro.support.folders import folders, hidden_files

    hidden = hidden_files(config_dir)
    files = [file for folder in folders(config_dir) for file in sorted((folder / group).glob("*.yaml"))]
    return {file.stem: read_block(file) for file in files if file not in hidden}
