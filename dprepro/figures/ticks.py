"""Tick labels of logarithmic axes that span little: plain numbers, and few of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dprepro.analysis.points import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def few_labels(panel: Axes) -> None:
    """On a short logarithmic axis label 300 beside 100 and 1000 only: matplotlib's own labels would touch."""
    low, high = panel.get_xlim()
    if low > 5e-3 and high < 5e3:
        panel.xaxis.set_major_formatter(lambda value, position: f"{value:g}")
        if high < 8 * low:
            panel.xaxis.set_minor_formatter(plain())
            return
    powers = np.floor(np.log10(high)) - np.ceil(np.log10(low))

    def label(value: float, position: float) -> str:
        if powers >= 1 or round(value / 10 ** np.floor(np.log10(value) + 1e-9)) != 3:
            return ""
        return f"{value:g}" if 1e-3 < value < 1e4 else f"$3\\times10^{{{int(np.floor(np.log10(value)))}}}$"

    panel.xaxis.set_minor_formatter(label)


def few_ticks(panel: Axes, values: Sequence[Any]) -> None:
    """A tick at every value where these are few and near each other: powers of ten would be too few, or crowd."""
    from matplotlib.ticker import NullLocator

    places = np.unique(np.concatenate(values)) if values else np.empty(0)
    few_labels(panel)
    if 2 <= len(places) <= 8 and places[-1] < 50 * places[0]:
        panel.set_xticks(places, [number(place) for place in places])
        panel.xaxis.set_minor_locator(NullLocator())


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
