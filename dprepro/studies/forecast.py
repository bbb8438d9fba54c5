"""What measuring takes at least, said before it begins: from counts of steps, and never more than it takes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from dprepro.dispatch.prices import least_seconds, least_steps, takes_few_steps
from dprepro.engine.cell import Cell
from dprepro.errors import DpreproError, PremiseError
from dprepro.reductions import Reduction, solver
from dprepro.studies.series import CellContext

LONG = 180.0
"""Seconds of a processor from which on something is said."""

TRIED = 8
"""Grid points of a series, those that may take longest, whose data are drawn where only these tell the steps."""


UNITS = (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0))


class _Point(NamedTuple):
    cell: Cell
    times: int
    seconds: float


def forecast(cells: Sequence[Cell], context_of: Callable[[Cell], CellContext]) -> str:
    """A sentence where all cells take `LONG` or more of processor time; empty elsewhere.

    ``context_of`` gives the parts of a cell; a cell for which it raises PremiseError takes no time.
    """
    points = list(_points(cells, context_of))
    total = math.fsum(point.times * point.seconds for point in points)
    if total < LONG:
        return ""
    longest = max(points, key=lambda point: point.seconds)
    axes = ", ".join(f"{axis}={value:g}" for axis, value in longest.cell.axes.items())
    return (
        f"measuring all cells takes about {_worded(total)} or more of processor time, a single one up to "
        f"{_worded(longest.seconds)} (series {longest.cell.series}, {axes}); another sweep or fewer replicates take "
        "less"
    )


def _points(cells: Sequence[Cell], context_of: Callable[[Cell], CellContext]) -> Iterator[_Point]:
    """Every measurement once, with how often it is repeated."""
    known = set[tuple[str, str, tuple[float, ...]]]()
    for _, own in itertools.groupby(cells, key=attrgetter("series")):
        hard: list[tuple[float, _Point, CellContext]] = []
        for _, same in itertools.groupby(own, key=attrgetter("axes")):  # one object, so that they compare at once
            replicates = list(same)
            cell = replicates[0]
            if (name := (cell.science, ",".join(cell.axes), tuple(cell.axes.values()))) in known:
                continue
            known.add(name)
            with suppress(PremiseError):
                context = context_of(cell)
                parts = context.algorithm, context.dispatch.domain, context.budget, context.dispatch.backend
                point = _Point(cell, 1 if context.constant else len(replicates), least_seconds(*parts))
                if takes_few_steps(context.dispatch.backend):
                    hard.append((point.times * _most_seconds(context), point, context))
                elif point.seconds:
                    yield point
        hard.sort(key=lambda point: point[0], reverse=True)
        for most, point, context in hard[:TRIED]:
            if most * len(hard) >= LONG / 10:
                yield point._replace(seconds=_drawn_seconds(context, point.cell))


def _most_seconds(context: CellContext) -> float:
    """More than `_drawn_seconds`, as far as what is public tells."""
    schedule, domain = context.schedule, context.dispatch.domain
    path = (
        getattr(schedule, "step_size", 0.0)
        * schedule.steps
        * getattr(schedule, "sketched_smoothness", domain.smoothness)
    )
    return least_steps(min(schedule.steps, 1000 + 8 * path), getattr(schedule, "sketch", domain.p))


def _drawn_seconds(context: CellContext, cell: Cell) -> float:
    """Less than the seconds of one run on data as they may be drawn; 0 where it cannot run on them."""
    with suppress(DpreproError, ArithmeticError):
        runs = solver(context.dispatch.backend, context.algorithm)
        assert isinstance(runs, Reduction)
        problem = context.construction.draw(cell.axes, context.schedule.noise_scale, np.random.default_rng(0))
        return least_steps(*runs.effort(problem, context.budget))
    return 0.0


def _worded(seconds: float) -> str:
    """As in ``3.4 minutes`` or ``41 days``."""
    unit, size = next(((unit, size) for unit, size in UNITS if seconds >= 2 * size), ("seconds", 1.0))
    return f"{float(f'{seconds / size:.2g}'):,g} {unit}"
