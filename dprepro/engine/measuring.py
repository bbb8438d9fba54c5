"""One cell: its random stream, what may go wrong, and the threads and the processor that decide on last bits."""

from __future__ import annotations

import math
import platform
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dprepro.engine.blocks import MeasureMany, block_lines, finite
from dprepro.engine.cell import LEADING, Cell, Result, Row
from dprepro.engine.cell_lines import Line
from dprepro.engine.seeding import generator
from dprepro.errors import MissingDependency, PremiseError, Stop, printable
from dprepro.support import shared_memory

DPREPRO_READS = ()  # the name of the processor stands beside every result

Measure = Callable[[Cell, np.random.Generator], Sequence[Row]]

LONGEST_REASON = 500
"""Characters of a status."""
_RESERVED = frozenset((*LEADING, "key"))
_PLAIN = frozenset((float, int, bool, str, type(None)))
_ENTRIES = (float, int, str, type(None), np.generic)


def measure_cell(measure: Measure, cell: Cell) -> Result:
    """Measure one cell; whatever goes wrong becomes its status, except an interrupt and a missing package.

    While it is measured its key stands on the board, so that one that ends the process is found out.
    """
    rows: Sequence[Row] = ()
    status, trace = "ok", None
    start = time.perf_counter()
    key, memory = cell.key, shared_memory.memory
    memory[shared_memory.KEY] = key
    memory[shared_memory.MEASURING] = 1
    try:
        if key in shared_memory.died:
            status = f"failed: the process {shared_memory.died[key]}"
        else:
            made = measure(cell, generator(cell.stream))
            rows = made if isinstance(made, tuple) else list(made)  # a list may be another's rows tomorrow
            fault = _fault(rows, cell)
            if fault:
                rows, status = (), f"failed: {fault}"
    except PremiseError as error:
        status = f"skipped: {printable(str(error), LONGEST_REASON) or 'premise'}"
    except MissingDependency:
        raise  # the same for every cell, and no measurement: nothing is stored that installing it would not mend
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and not _its_own(error):
            raise
        first = printable(str(error).strip().partition("\n")[0], LONGEST_REASON)
        status = f"failed: {type(error).__name__}{': ' if first else ''}{first}"
        trace = traceback.format_exc()
    finally:
        memory[shared_memory.MEASURING] = 0
    seconds = time.perf_counter() - start
    return Result(key, status, seconds, cell.axes, cell.replicate, rows, trace, cell.code, cpu_type())


def measure_block(many: MeasureMany, cells: Sequence[Cell], made: str) -> list[Line]:
    """Measure cells of one grid point in one call; no lines where that is not possible, or where anything goes wrong.

    They are then measured one by one, which says what is wrong with which.
    """
    start = time.perf_counter()
    memory, modules = shared_memory.memory, len(sys.modules)
    memory[shared_memory.MEASURING] = shared_memory.SEVERAL
    try:
        block = many(cells, lambda: [generator(cell.stream) for cell in cells])
        if block is None or _fault(block.rows, cells[0]) or not finite(block):
            return []
    except MissingDependency:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and not _its_own(error):
            raise
        return []
    finally:
        memory[shared_memory.MEASURING] = 0
    if len(sys.modules) != modules and one_thread():
        return []
    return block_lines(cells, block, (time.perf_counter() - start) / len(cells), made, cpu_type())


def _its_own(error: KeyboardInterrupt) -> bool:
    """Whether a cell has raised it, and no signal: ours raise `Stop`, and nobody else's handler is in place."""
    if isinstance(error, Stop) or threading.current_thread() is not threading.main_thread():
        return not isinstance(error, Stop)
    handler = signal.getsignal(signal.SIGINT)
    return handler is signal.SIG_IGN or (getattr(handler, "__module__", None) or "").startswith("dprepro.")


def _fault(rows: Sequence[Row], cell: Cell) -> str | None:
    """What is wrong with the rows of a cell."""
    if not rows:
        return "no rows"
    for row in rows:
        if not math.isfinite(row.value) or (row.bound is not None and not math.isfinite(row.bound)):
            return f"not finite: {row.quantity}"
        if not {*map(type, row.columns.values())} <= _PLAIN:
            for name, entry in row.columns.items():
                if not isinstance(entry, _ENTRIES):
                    return f"the column {name} holds a {type(entry).__name__}, not a number or text"
        if not (_RESERVED.isdisjoint(row.columns) and row.columns.keys().isdisjoint(cell.axes)):
            name = min(row.columns.keys() & {*_RESERVED, *cell.axes})
            return f"the column {name} belongs to the engine; the study must call it something else"
    return None


@lru_cache(maxsize=1)
def cpu_type() -> str:
    """What decides on the last bits of a result: the processor, and the kernels that its BLAS libraries chose."""
    one_thread()
    libraries = _controller(len(sys.modules)).info()
    kernels = sorted({str(library["architecture"]) for library in libraries if library.get("architecture")})
    return " ".join([platform.machine(), _processor(), *kernels])


def _processor() -> str:
    """The processor's name; the platform's word for it where /proc has none."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        return names[0] if names else platform.processor()
    except OSError:
        return platform.processor()


def one_thread() -> bool:
    """Hold every loaded BLAS to one thread for good; says whether one of them had more."""
    controller = _controller(len(sys.modules))
    if all(library.num_threads == 1 for library in controller.lib_controllers):
        return False
    controller.limit(limits=1)
    return True


@lru_cache(maxsize=1)
def _controller(_modules: int) -> Any:
    """Finding the libraries takes .7 ms, so it is done again only after an import."""
    # scipy brings a BLAS of its own. It must be here before the first measurement: what that one computed with threads,
    # and kept in a cache, would outlive the repetition that mends its own rows.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
