"""What measuring takes at least, said before it begins: from counts of steps, and never more than it takes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from dprepro.engine.cell import Cell
from dprepro.errors import DpreproError, PremiseError
from dprepro.plans.prices import least_seconds, least_steps, takes_few_steps
from dprepro.reductions import Reduction, solver
from dprepro.studies.series import Setting

LONG = 180.0
"""Seconds of a processor from which on something is said."""

TRIED = 8
"""Grid points of a series, those that may take longest, whose data are drawn where only these tell the steps."""


UNITS = (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0))


class _Point(NamedTuple):
    cell: Cell
    times: int
    seconds: float


def forecast(cells: Sequence[Cell], setting_of: Callable[[Cell], Setting]) -> str:
    """A sentence where all cells take `LONG` or more of processor time; empty elsewhere.

    ``setting_of`` gives the parts of a cell; a cell for which it raises PremiseError takes no time.
    """
    points = list(_points(cells, setting_of))
    total = math.fsum(one.times * one.seconds for one in points)
    if total < LONG:
        return ""
    longest = max(points, key=lambda one: one.seconds)
    axes = ", ".join(f"{axis}={value:g}" for axis, value in longest.cell.axes.items())
    return (
        f"measuring all cells takes about {_worded(total)} or more of processor time, a single one up to "
        f"{_worded(longest.seconds)} (series {longest.cell.series}, {axes}); another sweep or fewer replicates take "
        "less"
    )


def _points(cells: Sequence[Cell], setting_of: Callable[[Cell], Setting]) -> Iterator[_Point]:
    """Every measurement once, with how often it is repeated."""
    known = set[tuple[str, str, tuple[float, ...]]]()
    for _, own in itertools.groupby(cells, key=lambda cell: cell.series):
        hard: list[tuple[float, _Point, Setting]] = []
        for _, same in itertools.groupby(own, key=lambda cell: id(cell.axes)):
            replicates = list(same)
            cell = replicates[0]
            if (name := (cell.science, ",".join(cell.axes), tuple(cell.axes.values()))) in known:
                continue
            known.add(name)
            with suppress(PremiseError):
                setting = setting_of(cell)
                parts = setting.algorithm, setting.plan.domain, setting.budget, setting.plan.how
                point = _Point(cell, 1 if setting.constant else len(replicates), least_seconds(*parts))
                if takes_few_steps(setting.plan.how):
                    hard.append((point.times * _most_seconds(setting), point, setting))
                elif point.seconds:
                    yield point
        hard.sort(key=lambda one: one[0], reverse=True)
        for most, point, setting in hard[:TRIED]:
            if most * len(hard) >= LONG / 10:
                yield point._replace(seconds=_drawn_seconds(setting, point.cell))


def _most_seconds(setting: Setting) -> float:
    """More than `_drawn_seconds`, as far as what is public tells."""
    schedule, domain = setting.schedule, setting.plan.domain
    path = (
        getattr(schedule, "step_size", 0.0)
        * schedule.steps
        * getattr(schedule, "sketched_smoothness", domain.smoothness)
    )
    return least_steps(min(schedule.steps, 1000 + 8 * path), getattr(schedule, "sketch", domain.p))


def _drawn_seconds(setting: Setting, cell: Cell) -> float:
    """Less than the seconds of one run on data as they may be drawn; 0 where it cannot run on them."""
    with suppress(DpreproError, ArithmeticError):
        runs = solver(setting.plan.how, setting.algorithm)
        assert isinstance(runs, Reduction)
        problem = setting.construction.draw(cell.axes, setting.schedule.noise_scale, np.random.default_rng(0))
        return least_steps(*runs.effort(problem, setting.budget))
    return 0.0


def _worded(seconds: float) -> str:
    """As in ``3.4 minutes`` or ``41 days``."""
    unit, size = next(((unit, size) for unit, size in UNITS if seconds >= 2 * size), ("seconds", 1.0))
    return f"{float(f'{seconds / size:.2g}'):,g} {unit}"
