"""What an override touches: the series whose cells are other ones with it than without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dprepro.config.compose import Composed
from dprepro.config.config_files import PARTS
from dprepro.config.overrides import place_of
from dprepro.errors import DpreproError, InputError

if TYPE_CHECKING:
    from dprepro.engine.cell import Cell

SHARED = ("sweep", "replicates", "seed", "neighbours")
"""Keys that series take from the experiment: one that changes no cell is taken by none."""

MANY, FEW = 10_000, {"replicates": 2}
"""Cells that are not made anew for each override: what replicates have in common shows in a few of them."""


def reach(
    composed: Composed, cells: Sequence[Cell], build: Callable[[Mapping[str, Any]], Sequence[Cell]]
) -> tuple[str, ...]:
    """A sentence for each override that touches some series and not others: ``replicates=13: 1 of 10 series``.

    ``build`` makes the cells of a configuration. Overrides of checks, figure and texts change no measurement, and one
    that says what the YAML says changes nothing.

    Raises:
        InputError: an override touches no series, although it is about what is measured.
    """
    said = []
    for override in composed.overrides:
        key = place_of(override)
        first = key.partition(".")[0]
        if first not in (*PARTS, *SHARED, "study"):
            continue
        few = FEW if len(cells) > MANY and "replicates" not in key else {}
        try:
            before = composed.without(override)
            theirs, ours = build({**before.config, **few}), build({**composed.config, **few}) if few else cells
        except DpreproError:
            continue  # the other overrides need this one
        if _settings(before.config) == _settings(composed.config):
            continue
        mine, before_it = _by_series(ours), _by_series(theirs)
        every = {**mine, **before_it}
        touched = [label for label in every if mine.get(label) != before_it.get(label)]
        if not touched and (first in SHARED or (first in PARTS and not _uses(key, composed.parts_in_use))):
            raise InputError(
                f"{override} touches none of the {len(every)} series: each has a value of its own or does not use it; "
                "set it in study.series.NAME"
            )
        if 0 < len(touched) < len(every):
            said.append(f"{override} changes {len(touched)} of {len(every)} series")
    return tuple(said)


def _uses(key: str, parts_in_use: frozenset[str]) -> bool:
    """Whether something takes the experiment's own part that a key belongs to."""
    return any(key == place or key.startswith(f"{place}.") for place in parts_in_use)


def _settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """What measuring depends on, with the main axes that a sweep leaves out."""
    from dprepro.axes import DEFAULTS

    shown = {key: config.get(key) for key in (*PARTS, *SHARED, "study")}
    return shown | {"sweep": {axis: [value] for axis, value in DEFAULTS.items()} | dict(config.get("sweep") or {})}


def _by_series(cells: Sequence[Cell]) -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        found.setdefault(cell.series, []).append(cell)
    return found
