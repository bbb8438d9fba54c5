"""Tick labels of logarithmic axes that span little: plain numbers, and few of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dprepro.analysis.points import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST = 1e40
"""Up to what ratio of its ends matplotlib's ticks of a logarithmic axis are taken."""

LONGEST = 5
"""Letters of a label that stands at every tick."""


def few_labels(panel: Axes) -> None:
    """On a short logarithmic axis label 300 beside 100 and 1000 only: matplotlib's own labels would touch."""
    low, high = panel.get_xlim()
    if high > MOST * low:
        _few_powers(panel, low, high)
        return
    if low > 5e-3 and high < 5e3:
        panel.xaxis.set_major_formatter(lambda value, position: f"{value:g}")
        if high < 8 * low:
            _level(panel, "x")
            panel.xaxis.set_minor_formatter(plain())
            return
    _level(panel, "x")
    powers = np.floor(np.log10(high)) - np.ceil(np.log10(low))

    def label(value: float, position: float) -> str:
        if powers >= 1 or round(value / 10 ** np.floor(np.log10(value) + 1e-9)) != 3:
            return ""
        return f"{value:g}" if 1e-3 < value < 1e4 else f"$3\\times10^{{{int(np.floor(np.log10(value)))}}}$"

    panel.xaxis.set_minor_formatter(label)


def _few_powers(panel: Axes, low: float, high: float) -> None:
    """Ticks at five powers of ten: matplotlib's own ones reach beyond the largest number there is."""
    from matplotlib.ticker import NullLocator

    first, last = np.ceil(np.log10(low)), np.floor(np.log10(high))
    step = max(1, int((last - first) // 25)) * 5
    powers = [int(value) for value in np.arange(np.ceil(first / step) * step, last + 1, step)]
    panel.set_xticks([10.0**power for power in powers], [f"$10^{{{power}}}$" for power in powers])
    panel.xaxis.set_minor_locator(NullLocator())


def few_ticks(panel: Axes, values: Sequence[Any]) -> None:
    """A tick at every value where these are few and near each other: powers of ten would be too few, or crowd."""
    from matplotlib.ticker import NullLocator

    places = np.unique(np.concatenate(values)) if values else np.empty(0)
    few_labels(panel)
    short = all(len(number(place)) <= LONGEST for place in places)
    if 2 <= len(places) <= 8 and places[-1] < 50 * places[0] and short:
        panel.set_xticks(places, [number(place) for place in places])
        panel.xaxis.set_minor_locator(NullLocator())


def _level(panel: Axes, axis: Literal["x", "y"]) -> None:
    """Labels of short ticks stand as far from the panel as those of long ones."""
    from matplotlib import rcParams

    style: Any = rcParams
    long, short = (style[f"{axis}tick.{kind}.size"] for kind in ("major", "minor"))
    panel.tick_params(axis=axis, which="minor", pad=style[f"{axis}tick.major.pad"] + long - short)


def plain() -> Any:
    """A formatter of a logarithmic axis: 0.6 and not 6 times a power of ten."""
    from matplotlib.ticker import LogFormatter

    class Plain(LogFormatter):
        """As the base class, which chooses what is labelled, in plain numbers."""

        def __call__(self, x: float, pos: int | None = None) -> str:
            return number(x) if super().__call__(x, pos) else ""

    return Plain(labelOnlyBase=False)


def plain_ticks(panel: Axes) -> None:
    """Plain numbers on a logarithmic axis of values that spans little."""
    low, high = panel.get_ylim()
    if panel.get_yscale() == "log" and high < 100 * low:
        panel.yaxis.set_major_formatter(plain())
        panel.yaxis.set_minor_formatter(plain())
        _level(panel, "y")
