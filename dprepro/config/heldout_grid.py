"""The held-out grid of an experiment: sizes, budgets and dimensions that no YAML holds, made by one rule.

The rule was written before any verdict on a held-out grid was seen, and no value is tuned. It was changed after the
first verdicts, each time since a grid was refused or had too few values: `index` and `sparsity` go beyond their far
end, half steps follow until no value is missing, one rounding has many factors of two, and an axis whose far end is
refused is moved without it. Last, limits among other values and the ends of envelopes stay: without them 10 claims were
inconclusive, since the trivial risk, the largest of the envelope, had become up to 8 times smaller.

- A swept axis is moved by half a step: every two neighbouring values give their geometric mean (where they differ in
  sign, or one is 0, the arithmetic mean); beyond the far end of `FAR` half steps follow until there are as many values
  as are shipped: usually one.
- A single value of an axis of `SINGLE` is multiplied by the factor there.
- Draws and splits (`DRAWS`) are numbers of random streams: others follow those that are shipped.
- Axes of whole numbers stay whole; a number that is shipped is left out. What marks a limit (infinity, delta = 0,
  p = 1) stays as it is, also among values that move, and so does a single value of any other axis.
- An axis over which a slope or a ratio takes its envelope keeps its ends beside the values that move: the largest risk
  of the trivial predictor lies there, and a tenth of it is where a risk counts as saturated.
- Constructions may ask for even numbers, or for multiples: of the `ROUNDINGS` the first is taken at which no more
  series are refused than on the shipped grid, each with and without what lies beyond the far end. An axis for which
  none is stays as shipped.
- The seed is another one.

Values beyond the far end, and single values of n and p, are as shipped where the whole grid takes too long.
"""

from __future__ import annotations

import itertools
import math
import os
import signal
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dprepro.axes import LARGEST
from dprepro.config.compose import Composed, compose
from dprepro.config.overrides import literal
from dprepro.errors import DpreproError, InputError

if TYPE_CHECKING:
    from dprepro.engine.cell import Cell
    from dprepro.studies import Study

SEED = 7919
"""Of the held-out runs."""
FAR = {"n": 1, "p": 1, "steps": 1, "index": 1, "sparsity": 1, "epsilon": -1, "delta": -1}
"""Axes that go beyond: towards larger values (1) or smaller ones (-1), which no premise bounds."""
SINGLE = {"n": 1.4, "p": 1.4, "epsilon": 0.6, "delta": 0.03, "norm": 0.7}
"""Factors of a single value."""
DRAWS = ("draw", "split")
REAL = ("epsilon", "delta", "norm")
"""Axes that are not whole even where all shipped values are."""
COSTLY = ("n", "p")
WHOLE, WITHIN, NEAR = 0, 1, 2
"""How much of the grid is left out."""
DIGITS = 3
SATURATED = ("exponent", "ratio")
"""Rules that leave saturated points out."""

Grid = Mapping[str, Sequence[float]]
Rounding = Callable[[float], float]


def _multiple(step: int, odd: bool = False) -> Rounding:
    """To the next multiple of ``step``, or the next odd number."""
    return lambda value: float(2 * (value // 2) + 1 if odd else step * max(1, round(value / step)))


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS - 1}e}")


def _bits(value: float) -> float:
    """A number below 32 times a power of two, which can be halved many times."""
    return float(_multiple(2 ** max(0, math.floor(math.log2(value)) - 4))(value))


def _power(value: float) -> float:
    return float(2 ** math.ceil(math.log2(value)))


ROUNDINGS: dict[str, Sequence[Rounding]] = {
    "n": (_short, *(_multiple(step) for step in (2, 4, 8)), _bits, _power),
    "p": (_multiple(2, odd=True), *(_multiple(step) for step in (2, 4, 8)), _bits, _power),
}
"""By axis, in the order in which they are tried; other axes have one."""


def moved_values(
    axis: str, shipped: Sequence[float], rounding: int = 0, less: int = WHOLE, ends: bool = False
) -> list[float]:
    """The held-out values of an axis, and its limits; empty where it stays as shipped.

    Args:
        shipped: the values of the sweep, of which only finite ones are moved.
        rounding: which of the axis's `ROUNDINGS`.
        less: `WHOLE`, `WITHIN` the shipped ends, or `NEAR`, where single values of `COSTLY` axes stay too.
        ends: whether the least and the largest finite value stay beside those that move.
    """
    limits = {0.0} if axis == "delta" else {1.0} if axis == "p" and len(set(shipped)) == 1 else set[float]()
    known = sorted({float(value) for value in shipped if math.isfinite(value)} - limits)
    stay = {float(value) for value in shipped} - set(known)
    if not known:
        return []
    if axis in DRAWS:
        return [value + known[-1] - known[0] + 1 for value in known]
    whole = axis not in REAL and all(value == int(value) for value in known)
    if len(known) == 1:
        found = [known[0] * SINGLE[axis]] if axis in SINGLE and not (less >= NEAR and axis in COSTLY) else []
    else:
        found = [*itertools.starmap(_between, itertools.pairwise(known)), *([] if less else _beyond(axis, known))]
    kept: dict[float, None] = {}
    for number in found:
        value = _rounded(axis, number, whole, rounding)
        if value not in known and _inside(axis, value, known) and len(kept) < len(known):
            kept[value] = None
    return sorted({*kept, *stay, *((known[0], known[-1]) if ends else ())}) if kept else []


def _beyond(axis: str, known: Sequence[float]) -> list[float]:
    """Half steps beyond the far end, the nearest first: as many as may be wanted; none where no end is open."""
    way = FAR.get(axis, 0)
    last, before = (known[-1], known[-2]) if way >= 0 else (known[0], known[1])
    if not way or last <= 0 or before <= 0:
        return []
    logs = [math.log(last) + times * math.log(last / before) / 2 for times in range(1, len(known) + 2)]
    return [math.exp(log) for log in logs if abs(log) <= math.log(LARGEST)]


def _between(low: float, high: float) -> float:
    if low < 0 < high or not low or not high:
        return (low + high) / 2
    return math.copysign(math.sqrt(abs(low)) * math.sqrt(abs(high)), low)


def _rounded(axis: str, value: float, whole: bool, rounding: int) -> float:
    if axis in ROUNDINGS and whole and value >= 1:
        short = float(round(_short(value) if value >= 10**DIGITS else value))
        return ROUNDINGS[axis][rounding](short)
    return float(round(value)) if whole else _short(value)


def _inside(axis: str, value: float, known: Sequence[float]) -> bool:
    """Whether a value lies where the rule may place it: not over an end that is closed, nor out of range."""
    computable = not value or 1 / LARGEST <= abs(value) <= LARGEST
    return computable and (axis in FAR or len(known) == 1 or known[0] < value < known[-1])


def axes_of(config: Mapping[str, Any]) -> dict[str, Grid]:
    """The sweep of the experiment (under an empty name) and those of its series, with numbers only."""
    series = config["study"].get("series")
    blocks: dict[str, Any] = {"": config.get("sweep")}
    blocks |= {label: value.get("sweep") for label, value in (series if isinstance(series, Mapping) else {}).items()}
    return {
        label: {axis: values for axis, values in block.items() if _numbers(values)}
        for label, block in blocks.items()
        if isinstance(block, Mapping)
    }


def envelopes_of(config: Mapping[str, Any]) -> set[str]:
    """Axes over which a slope or a ratio takes the largest risk."""
    checks = [check for check in config["checks"].values() if check.get("rule") in SATURATED]
    return {axis for check in checks for axis in check.get("envelope") or ()}


def _numbers(values: object) -> bool:
    return isinstance(values, Sequence) and all(isinstance(value, int | float) for value in values) and bool(values)


def overrides_of(
    shipped: Mapping[str, Grid], roundings: Mapping[str, tuple[int, int]], envelopes: Collection[str] = ()
) -> list[str]:
    """Overrides that move the axes named in ``roundings``, wherever they are swept; empty where none moves.

    ``roundings`` has the rounding of each axis, and how much is left out, as in `moved_values`; the ends of
    ``envelopes`` stay.
    """
    blocks = {}
    for label, grid in shipped.items():
        moved = {
            axis: moved_values(axis, grid[axis], *how, ends=axis in envelopes)
            for axis, how in roundings.items()
            if axis in grid
        }
        if moved := {axis: values for axis, values in moved.items() if values}:
            blocks[label] = moved
    whole = [f"sweep={literal(blocks.pop(''))}"] if "" in blocks else []
    own = {label: {"sweep": moved} for label, moved in blocks.items()}
    return [*whole, *([f"study.series={literal(own)}"] if own else [])]


def held_out(
    plain: Composed, refused: Callable[[Composed], int], less: int = WHOLE
) -> tuple[Composed, list[str]] | None:
    """The experiment on its held-out grid, and the axes that stay as shipped since nothing else was accepted.

    None where no axis can be moved.

    Args:
        plain: the experiment as shipped.
        refused: how many series of a configuration cannot be measured; it raises InputError where none can.
        less: how much is left out, as in `moved_values`.
    """
    shipped, envelopes = axes_of(plain.config), envelopes_of(plain.config)

    @cache
    def usual() -> int:
        return refused(plain)

    def accepted(roundings: Mapping[str, tuple[int, int]]) -> Composed | None:
        try:
            said = overrides_of(shipped, roundings, envelopes)
            composed = compose([f"+experiment={plain.name}", *said, f"seed={SEED}"], plain.config_dir, plain.base)
            return composed if not (count := refused(composed)) or count <= usual() else None
        except InputError:
            return None

    axes = [
        axis for axis in dict.fromkeys(axis for grid in shipped.values() for axis in grid)
        if any(moved_values(axis, grid[axis], 0, less) for grid in shipped.values() if axis in grid)
    ]  # fmt: skip
    roundings = dict.fromkeys(axes, (0, less))
    found = accepted(roundings) if axes else None
    if found is None:
        roundings = {}
        for axis in axes:
            for how in itertools.product(
                range(len(ROUNDINGS.get(axis, (0,)))), dict.fromkeys((less, max(less, WITHIN)))
            ):
                if composed := accepted({**roundings, axis: how}):
                    found, roundings[axis] = composed, how
                    break
    return None if found is None else (found, [axis for axis in axes if axis not in roundings])


FIRST_SECONDS, TRIED_SECONDS = 2.0, 0.1
"""Of a processor, for the first cell that is tried, which loads libraries, and for each further one."""
MOST_SERIES = 255


def refused_series(study: Study, cells: Sequence[Cell]) -> int:
    """How many series (at most `MOST_SERIES`) cannot be measured at the first or last point of their grid.

    What a premise refuses is refused at once: what runs for `TRIED_SECONDS` is taken for accepted. The cells are tried
    in a copy of this process, since an exception that comes with the time may leave a library half loaded.
    """
    copy = os.fork()
    if not copy:
        count = MOST_SERIES
        with suppress(BaseException):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what libraries say of a time that is up
            count = min(count, _count_refused(study, cells))
        os._exit(count)
    return os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])


def _count_refused(study: Study, cells: Sequence[Cell]) -> int:
    ends: dict[str, tuple[Cell, Cell]] = {}
    for cell in cells:
        ends[cell.series] = ends.get(cell.series, (cell, cell))[0], cell
    signal.signal(signal.SIGPROF, _stop)
    found, seconds = 0, FIRST_SECONDS
    for pair in ends.values():
        refused = []
        for cell in pair:
            refused.append(_is_refused(study, cell, seconds))
            seconds = TRIED_SECONDS
        found += any(refused)
    return found


def _is_refused(study: Study, cell: Cell, seconds: float) -> bool:
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        with np.errstate(all="ignore"):
            study.measure(cell, np.random.default_rng(0))
    except (DpreproError, ArithmeticError, ValueError, LookupError, TypeError):
        return True
    except Exception:  # the time is up, or a fault, which measuring tells
        return False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return False


def _stop(*_: object) -> None:
    raise TimeoutError


PROMISED = (0.0, 1.0)
"""What a claim expects beside the formula of its statement: no difference of slopes, or a ratio of 1."""


def as_shipped(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration whose claims about a formula are judged as on the shipped grid: both sides, the same margin.

    For a user's own grid `overridden` holds rates from one side, and lets no slope refute. The held-out grid is moved
    by half a step only, so here a slope, a ratio to a law and a ratio to a bound have to come out as they did. Other
    numbers were read off the shipped grid, and stay `pinned`.
    """
    checks = {}
    for name, check in config["checks"].items():
        formula = check.get("rule") == "exponent" or check.get("expected", 1) in PROMISED
        if check.get("role") == "claim" and formula and check.get("quantity") != "certified_epsilon":
            checks[name] = {key: value for key, value in check.items() if key not in ("pinned", "grid")}
        else:
            checks[name] = check
    return {**config, "checks": checks}
