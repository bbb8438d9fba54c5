"""Checks whether a large run fits on the disk and into the memory, and gives memory back."""

from __future__ import annotations

import ctypes
import gc
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dprepro.errors import InputError

SMALL = 10_000
"""Cells of a run that fits anywhere."""
DISK, MEMORY = 1_000, 2_500
"""Bytes of a cell: of its rows in the store with the side file, and of all that is held of it until it is drawn."""


def check_resources(cells: int, results_dir: str | Path | None = None) -> None:
    """Raise InputError where the memory, or the disk of ``results_dir``, is too small for so many cells."""
    if cells <= SMALL:
        return
    memory = available_memory()
    if memory is not None and cells * MEMORY > memory:
        raise InputError(
            f"{cells:,} cells need about {cells * MEMORY / 1e9:.1f} GB of memory, {memory / 1e9:.1f} GB are available; "
            "sweep less at a time: what is stored is kept, and a wider sweep takes it up"
        )
    if results_dir is None:
        return
    folder = Path(results_dir).absolute()
    folder = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(folder).free
    if cells * DISK > free:
        raise InputError(
            f"{cells:,} cells need about {cells * DISK / 1e9:.2g} GB on the disk of {results_dir}, {free / 1e9:.2g} GB "
            "are free; choose another results_dir, or sweep less"
        )


def give_back() -> None:
    """Hand freed memory back to the system: glibc keeps that of arrays of a middling size, Arrow that of texts."""
    if arrow := sys.modules.get("pyarrow"):
        arrow.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError, TypeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Without the collector of cycles: it would look through a million cells, which are in none, again and again."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextmanager
def gc_frozen() -> Iterator[None]:
    """The collector of cycles looks through nothing that was there before: a million cells are in no cycle."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def available_memory() -> int | None:
    """Bytes that this process may still take, by the kernel and its control group; None where neither says it."""
    found = []
    with suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    with suppress(OSError, ValueError):  # where there is no limit the file says max
        group = Path("/sys/fs/cgroup")
        limit, used = (int((group / f"memory.{name}").read_text(encoding="ascii")) for name in ("max", "current"))
        found.append(limit - used)
    return max(min(found), 0) if found else None
