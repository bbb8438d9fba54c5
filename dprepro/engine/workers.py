"""What ``workers=`` names: a number of local processes, a Dask scheduler, or a file that sets jobs of a queue up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dprepro.engine import pools
from dprepro.engine.slurm import Setup, Slurm
from dprepro.errors import InputError

SUFFIXES = (".yaml", ".yml")
NAMED = "a number, auto, a Dask scheduler such as tcp://host:8786, or a file such as slurm.yaml"
"""What it may be, in words."""


def is_scheduler(workers: object) -> bool:
    """Whether it is the address of a Dask scheduler."""
    return isinstance(workers, str) and "://" in workers


def is_setup(workers: object) -> bool:
    """Whether it is a file that sets jobs up."""
    return isinstance(workers, str) and "://" not in workers and workers.endswith(SUFFIXES)


def parallel(workers: int | str, results_dir: Path, label: str = "") -> Callable[[], pools.ChunkPool] | None:
    """How to open the pool that ``workers`` names, None for this process alone.

    Jobs of a queue keep what they have in ``results_dir``, and are called by the ``label``.

    Raises:
        InputError: it names nothing, or a file that sets no jobs up.
    """
    if isinstance(workers, str):
        if is_scheduler(workers):
            return lambda: pools.Dask(workers)
        if is_setup(workers):
            setup = Setup.read(workers)
            return lambda: Slurm(setup, results_dir, label)
    elif isinstance(workers, int) and not isinstance(workers, bool) and workers >= 1:
        return (lambda: pools.local(workers)) if workers > 1 else None
    raise InputError(f"workers={workers!r} must be {NAMED}; a number from 1")


def check_reachable(workers: int | str) -> None:
    """Raise InputError where a scheduler does not answer, or a queue would not take such jobs."""
    if isinstance(workers, str):
        if is_scheduler(workers):
            pools.Dask(workers).close(drop=False)
        elif is_setup(workers):
            Setup.read(workers).check_accepted()
