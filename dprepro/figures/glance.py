"""What of an experiment is shown at a glance: of each panel the claim that matters most, and of all one control."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dprepro.analysis.checks import VERDICTS
from dprepro.figures.axis_panel import AxisPanel
from dprepro.figures.curves import bounds, thinned
from dprepro.figures.fitting import MOST_ENTRIES, MOST_PANELS
from dprepro.figures.style import looks
from dprepro.figures.words import JudgedCheck


def worst_first(claims: Iterable[JudgedCheck]) -> list[JudgedCheck]:
    """Claims that are refuted, then such as are inconclusive, then the others, each in their order."""
    return sorted(claims, key=lambda check: VERDICTS.index(str(check.result["verdict"])))


def panels(columns: Sequence[AxisPanel]) -> list[AxisPanel]:
    """The columns on which something is claimed, at most as many as stand side by side; what is not confirmed stays."""
    drawn = [column for column in columns if column.drawn]
    drawn = [column for column in drawn if heading_check(column) is not None] or drawn[:1]
    worst = {
        place: min((VERDICTS.index(str(check.result["verdict"])) for check in column.judged), default=len(VERDICTS))
        for place, column in enumerate(drawn)
    }
    chosen = sorted(worst, key=lambda place: (min(worst[place], VERDICTS.index("confirmed")), place))[:MOST_PANELS]
    return [drawn[place] for place in sorted(chosen)]


def heading_check(column: AxisPanel) -> JudgedCheck | None:
    """The claim that a panel is about: one not confirmed before others, an exponent of its axis before other rules."""
    own = [check for check in column.judged if _claimed(check, column)]
    return min(
        own, key=lambda check: (VERDICTS.index(str(check.result["verdict"])), check.rule != "exponent"), default=None
    )


def reduced(
    columns: Sequence[AxisPanel], named: Sequence[str], came_out: Mapping[str, str], risks: bool
) -> list[AxisPanel]:
    """The columns with the claim of each, one control of all and, where a legend has room, further claims.

    Args:
        columns: with all that is drawn along their axes.
        named: series that are shown in place of those that would be chosen.
        came_out: for each series that is judged as a control or an erratum, what came out.
        risks: whether rates are drawn.
    """
    shown = [[name for name in named if name in column.drawn] or _first(column) for column in columns]
    if named:
        return [_with(column, names, names[:1]) for column, names in zip(columns, shown, strict=True)]
    control = next((name for column in columns for name in _controls(column, came_out)), "")
    shown = [
        [*names, control] if control in column.drawn else names for column, names in zip(columns, shown, strict=True)
    ]
    found = [_with(column, names, names[:1]) for column, names in zip(columns, shown, strict=True)]
    rates = risks and any(_rated(panel) for panel in found)
    entries = any(column.bounds for column in found) + rates + 1 + bool(control)
    if len(columns) > 1 or rates or not shown[0]:
        return found
    column, names = columns[0], shown[0]
    # Such as the same bound is about: a second bound would need an entry of its own, and a name.
    others = [name for name in column.claimed if name not in names and _one_bound(column, [names[0], name])]
    extra = others[: max(0, MOST_ENTRIES - entries)]
    return [_with(column, [names[0], *extra, *names[1:]], names[:1])]


def _first(column: AxisPanel) -> list[str]:
    """The series that a panel is about."""
    check = heading_check(column)
    if check is not None:
        return [next(name for name in check.series(column.drawn) if name in column.claimed)]
    return [*column.claimed, *column.drawn][:1]


def _claimed(check: JudgedCheck, column: AxisPanel) -> bool:
    return any(name in column.claimed for name in check.series(column.drawn))


def _controls(column: AxisPanel, came_out: Mapping[str, str]) -> list[str]:
    """The series that show what is refuted: controls, then what is false as printed."""
    own = [name for name in column.drawn if column.roles[name] == "control"]
    printed = [name for name in column.drawn if column.roles[name] == "context" and name in came_out]
    refuted = [name for name in (*own, *printed) if came_out.get(name, "").startswith("refuted")]
    return [*refuted, *own]


def _rated(column: AxisPanel) -> bool:
    return any("rate" in curve.points for name in column.constants for curve in column.drawn[name])


def _one_bound(column: AxisPanel, names: Sequence[str]) -> bool:
    return len(bounds({name: column.drawn[name] for name in names}, names)) < 2


def _with(column: AxisPanel, names: Sequence[str], bounded: Sequence[str]) -> AxisPanel:
    """The column with only the series named, in looks of their own, and bounds and rates of those that are bounded."""
    roles = {name: column.roles[name] for name in names}
    drawn = thinned({name: column.drawn[name] for name in names}, roles)
    styles: dict[str, dict[str, Any]] = looks(roles, names)
    return replace(column, drawn=drawn, roles=roles, styles=styles, held=(), bounded=bounded)
