"""The curves of one run or of several on the axes that a person passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dprepro.analysis.points import further_axes, number
from dprepro.errors import InputError
from dprepro.figures.curves import Curve, bounds, curves
from dprepro.figures.lines import draw_bounds, draw_curve, draw_rate, legend_texts, line_mark, name_curves, thin_grid
from dprepro.figures.style import HOLLOW, RATE, SATURATED, look, looks
from dprepro.figures.ticks import few_labels, plain_ticks
from dprepro.figures.words import axis_label, controls, headline, quantity_label
from dprepro.report.frames import (
    RISK,
    intervals,
    known_axis,
    known_quantity,
    known_series,
    swept_axes,
    without_randomness,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from dprepro.report.publish import Published

OF_THE_RATE = ("exponent", "ratio", "affine")
"""Rules whose constant is that of value / rate."""


@dataclass(frozen=True)
class ShownSeries:
    """A series of a run: its curves, what the legend calls it, and the constant of its rate, if one was fitted."""

    run: Published
    name: str
    text: str
    role: str
    curves: Sequence[Curve]
    constant: float | None


def overlay(
    runs: Mapping[str, Published],
    axis: str = "",
    series: str | Sequence[str] = (),
    quantity: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the curves of runs over one another: means with 99% intervals, explicit bounds, rates times their constants.

    A rate has the constant that a check has fitted, or else goes through the middle of its points. Saturated points are
    hollow. Settings of matplotlib are left as they are.

    Args:
        runs: by what the legend calls them, which a single one needs not be.
        axis: the abscissa, one of the axes that are swept; default that of the first run's figure.
        series: what is drawn of each run that has it; default its claims, or all where no claim varies along the axis.
        quantity: what is drawn; default the risk.
        ax: where to draw; default new axes of pyplot's.

    Returns:
        The axes.

    Raises:
        InputError: an unknown axis, series or quantity, with the choices; or no points.
    """
    axis = known_axis(list(runs.values()), axis)
    quantity = next((name for run in runs.values() if (name := known_quantity(run, quantity))), quantity)
    shown = [
        evidence
        for label, run in runs.items()
        for evidence in _shown(run, label, axis, series, quantity, len(runs) > 1)
    ]
    if not shown:
        raise InputError(f"no series has points of {quantity} along {axis}")
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(layout="constrained")
        if len(runs) == 1:
            (run,) = runs.values()
            ax.set_title(headline(run.verdict, str(run.config["figure"].get("heading", ""))), fontsize="medium")
    _draw(ax, shown, quantity)
    envelope = {name for run in runs.values() for name in run.config["figure"].get("envelope", ())}
    ax.set(xlabel=axis_label(axis), ylabel=quantity_label(quantity, sorted(envelope)))
    return ax


def labels(runs: Sequence[Published], named: Sequence[str] = ()) -> list[str]:
    """What a legend calls each run: the label that its user gave it, else its overrides, else its experiment.

    Runs that would have one name have that by which they were asked for, ``named``, or a number.
    """
    found = [_label(run) for run in runs]
    for given in (named, [f"{label} ({place})" for place, label in enumerate(found, 1)]):
        count = Counter(found)
        found = [given[place] if count[label] > 1 and given else label for place, label in enumerate(found)]
    return found


def _label(run: Published) -> str:
    chosen, overrides = str(run.config.get("label") or ""), " ".join(map(str, run.verdict["overrides"]))
    return (chosen or overrides or str(run.verdict["experiment"])).replace("$", "\\$")  # no mathematics


def _shown(
    run: Published, label: str, axis: str, series: str | Sequence[str], quantity: str, several: bool
) -> list[ShownSeries]:
    """The series of a run that are drawn."""
    if axis not in swept_axes(run):
        raise InputError(
            f"{label} has one value of {axis} only; its axes with several: {', '.join(swept_axes(run)) or 'none'}"
        )
    names = known_series(run, quantity, series)
    figure, frame = run.config["figure"], run.frame
    rows = frame[frame["series"].isin(names)]
    envelope = tuple(name for name in figure.get("envelope", ()) if name != axis)
    further = further_axes(frame, run.config)
    found = {}
    for name in names:
        own = curves(rows, name, quantity, axis, envelope, further, positive=False)
        if series or any(len(curve.points) > 1 for curve in own):
            found[name] = _with_intervals(own, without_randomness(frame, name, quantity))
    roles = {str(name): str(role) for name, role in rows[["series", "role"]].drop_duplicates().itertuples(index=False)}
    claims = [name for name in found if roles[name] == "claim"]
    kept = claims if claims and not series else [name for name in found if found[name]]
    texts = legend_texts(rows, figure.get("labels", {}), controls(run.verdict, run.config))
    if several:
        texts = {name: label if len(kept) == 1 else f"{label}: {texts[name]}" for name in kept}
    constants = _constants(run, quantity)
    return [ShownSeries(run, name, texts[name], roles[name], found[name], constants.get(name)) for name in kept]


def _with_intervals(several: Sequence[Curve], exact: bool) -> list[Curve]:
    """The same curves with errors that make a figure's bars the intervals of the summary."""
    import pandas as pd

    if not several:
        return []
    table: pd.DataFrame = pd.concat([curve.points for curve in several])
    half = (intervals(table, exact)["high"] - table["mean"]).fillna(0.0)
    return [Curve(curve.points.assign(half=half.loc[curve.points.index]), curve.name, curve.of) for curve in several]


def _constants(run: Published, quantity: str) -> dict[str, float]:
    """The constants of rates that checks of the run have fitted, by series; the first check counts."""
    found: dict[str, float] = {}
    for name, result in run.verdict["checks"].items():
        options = run.config["checks"].get(name, {})
        named = options.get("series") or ()
        fits = result["rule"] in OF_THE_RATE and options.get("quantity", RISK) == quantity
        for series in [named] if isinstance(named, str) else named:
            if fits and result.get("constant") is not None:
                found.setdefault(series, float(result["constant"]))
    return found


def _draw(ax: Axes, shown: Sequence[ShownSeries], quantity: str) -> None:
    """Curves, bounds, rates and the legend."""
    keys = [str(place) for place in range(len(shown))]  # two runs may have series of one name
    drawn = dict(zip(keys, (evidence.curves for evidence in shown), strict=True))
    styles = _styles(shown)
    logarithmic = all((curve.points["mean"] > 0).all() for own in drawn.values() for curve in own)
    entries: dict[str, Any] = {}
    fitted: list[float | None] = []
    for key, series in zip(keys, shown, strict=True):
        handles = [draw_curve(ax, curve, styles[key], series.text) for curve in series.curves]
        entries[series.text] = handles[0]
        for curve in series.curves if quantity == RISK and series.role != "control" else ():
            if "rate" in curve.points and curve.points["rate"].notna().any():
                draw_rate(ax, curve, series.constant)
                fitted.append(series.constant)
    lines = bounds(drawn, keys)
    if lines:
        word, mark = draw_bounds(ax, lines, styles, marked=len(lines) > 1, vacuous=False)
        entries[word] = mark
    if fitted:
        entries[_rate_text(fitted)] = line_mark(RATE)
    if SATURATED in {line.get_gid() for line in ax.lines}:
        entries[SATURATED] = line_mark(HOLLOW)
    spread = [x for own in drawn.values() for curve in own for x in curve.points["x"] if np.isfinite(x)]
    ax.set(xscale="log" if min(spread, default=1.0) > 0 else "linear", yscale="log" if logarithmic else "linear")
    for key, series in zip(keys, shown, strict=True):
        if len(series.curves) > 1:
            name_curves(ax, series.curves, styles[key]["color"])
    plain_ticks(ax)
    if ax.get_xscale() == "log":
        few_labels(ax)
    thin_grid(ax)
    ax.legend(list(entries.values()), list(entries), frameon=False, fontsize="small")


def _styles(shown: Sequence[ShownSeries]) -> dict[str, dict[str, Any]]:
    """The look of each series: by its role in one run; of several runs each curve has a colour and a marker."""
    if len({id(series.run) for series in shown}) > 1:
        found = {str(place): look("claim", place) for place in range(len(shown))}
    else:
        found = looks({str(place): series.role for place, series in enumerate(shown)})
    return {key: {**style, "zorder": 5} for key, style in found.items()}


def _rate_text(fitted: Sequence[float | None]) -> str:
    """What the legend says of rates."""
    known = sorted({value for value in fitted if value is not None})
    if len(known) == 1 and None not in fitted:
        return f"rate × {number(known[0])} (fitted)"
    if not known:
        return "rate, through the points"
    return "rate × its constant, fitted" + (" or through the points" if None in fitted else "")
