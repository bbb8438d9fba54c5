"""Table 1 of Bassily, Smith and Thakurta (2014), measured: exponents and sizes against the printed rates.

The printed entries are sums over n at L = C = 1. They are divided by n here, multiplied by L C (Delta becomes
Delta C/L), and their slopes are taken on the very grid points on which the measured slope was fitted, so that their
logarithms count.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dprepro.figures.lines import thin_grid
from dprepro.figures.style import COLOURS, styled
from paper_figures.drawing import DOUBLE, interval, short, used_points

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from paper_figures.measured import Measured, Measurements

Formula = Callable[[float, float, float, float], float]


@dataclass(frozen=True)
class Row:
    """A cell of the table: where it is measured, and the printed entries as functions of n, p, epsilon, delta.

    ``scale`` is L C on Lipschitz and L^2/Delta on strongly convex losses, for the series that is measured;
    ``checks`` maps an axis to the check that has its log-log slope.
    """

    label: str
    experiment: str
    checks: Mapping[str, str]
    scale: float
    upper: Formula
    lower: Formula
    earlier: Formula
    printed: tuple[str, str, str]


EXPONENTS = {"n": "exponent_n", "p": "exponent_p", "epsilon": "exponent_epsilon"}
ROWS = (
    Row(
        "Lipschitz\npure ε\nTheorem 3.2", "erm_exponential", EXPONENTS | {"p": "bare_exponent_p"}, 2.0,
        lambda n, p, e, d: p / e, lambda n, p, e, d: p / e, lambda n, p, e, d: p * math.sqrt(n) / e,
        (r"$p/\varepsilon$", r"$p/\varepsilon$", r"$p\sqrt{n}/\varepsilon$"),
    ),
    Row(
        "Lipschitz\n(ε, δ)\nTheorem 2.4.1", "erm_rate",
        EXPONENTS | {"n": "bare_exponent_n", "p": "bare_exponent_p", "delta": "exact_exponent_delta"}, 2.0,
        lambda n, p, e, d: math.sqrt(p) * math.log(n / d) ** 2 / e, lambda n, p, e, d: math.sqrt(p) / e,
        lambda n, p, e, d: math.sqrt(p * n) * math.log(1 / d) / e,
        (r"$\sqrt{p}\,\ln^2(n/\delta)/\varepsilon$", r"$\sqrt{p}/\varepsilon$",
         r"$\sqrt{pn}\,\ln(1/\delta)/\varepsilon$"),
    ),
    Row(
        "strongly convex\npure ε\nTheorem 4.3", "erm_localization", EXPONENTS | {"n": "bare_exponent_n"}, 4.0,
        lambda n, p, e, d: p**2 * math.log(n) / (n * e**2), lambda n, p, e, d: p**2 / (n * e**2),
        lambda n, p, e, d: p**2 / (math.sqrt(n) * e**2),
        (r"$p^2\ln n/(n\Delta\varepsilon^2)$", r"$p^2/(n\varepsilon^2)$", r"$p^2/(\sqrt{n}\Delta\varepsilon^2)$"),
    ),
    Row(
        "strongly convex\n(ε, δ)\nTheorem 2.4.2", "erm_strongly_convex",
        EXPONENTS | {"n": "bare_exponent_n", "delta": "exact_exponent_delta"}, 4.0,
        lambda n, p, e, d: p * math.log(n / d) ** 3 / (n * e**2), lambda n, p, e, d: p / (n * e**2),
        lambda n, p, e, d: p * math.log(1 / d) / (math.sqrt(n) * e**2),
        (r"$p\,\ln^3(n/\delta)/(n\Delta\varepsilon^2)$", r"$p/(n\varepsilon^2)$",
         r"$p\,\ln(1/\delta)/(\sqrt{n}\Delta\varepsilon^2)$"),
    ),
)  # fmt: skip
AXES = {"n": "exponent of n", "p": "of p", "epsilon": "of ε", "delta": "of ln(1/δ)"}
ABOVE, BELOW, ASIDE = (0.25, 0.43), (-0.43, -0.12), -0.3
UPPER, LOWER, EARLIER = COLOURS["claim"][1], COLOURS["claim"][3], COLOURS["control"][0]


def draw(measurements: Measurements) -> Figure:
    """A line for each cell of the table: its entries, four exponents, and the risk at one point in units of them."""
    known = measurements.all_of([row.experiment for row in ROWS])
    with styled() as figure_class:
        figure: Figure = figure_class(figsize=(DOUBLE, 3.6), layout="constrained")
        panels = figure.subplots(1, 6, sharey=True, width_ratios=[1.45, 1, 1, 1, 1, 1.7])
        entries, size = panels[0], panels[-1]
        for place, row in enumerate(ROWS):
            measured = known[row.experiment]
            _entries(entries, row, -place)
            for panel, axis in zip(panels[1:-1], AXES, strict=True):
                if axis in row.checks:
                    _exponent(panel, row, measured, axis, -place)
                else:
                    panel.text(0.5, -place, "–", ha="center", va="center", transform=panel.get_yaxis_transform())
            _size(size, row, measured, -place)
        for panel, title in zip(panels, ["Table 1 (sum risk)", *AXES.values(), ""], strict=True):
            panel.set_title(title)
            for line in range(len(ROWS) - 1):
                panel.axhline(-line - 0.5, color="0.8", linewidth=0.5)
        entries.set(yticks=[-place for place in range(len(ROWS))], yticklabels=[row.label for row in ROWS], xticks=[])
        entries.tick_params(length=0)
        entries.set_ylim(-len(ROWS) + 0.5, 0.5)
        for panel in panels[1:]:
            panel.tick_params(axis="y", length=0)
        size.set(xscale="log", xlim=(0.2, 1e6))
        size.set_title("risk over lower rate")
        thin_grid(*panels[1:])
        for panel in panels:
            panel.grid(False, axis="y")
        figure.legend(handles=_handles(), loc="outside lower center", ncols=4, frameon=False, columnspacing=1.2)
    return figure


def _entries(panel: Axes, row: Row, place: float) -> None:
    for (word, color), text, up in zip(
        (("upper", UPPER), ("lower", LOWER), ("earlier", EARLIER)), row.printed, (0.27, 0, -0.27), strict=True
    ):
        panel.text(0.02, place + up, f"{word}  {text}", color=color, va="center", fontsize=6)
    panel.set_xlim(0, 1)


def _mean_risk(row: Row, formula: Formula, points: pd.DataFrame) -> np.ndarray:
    """A printed entry at grid points, as mean risk and in the loss's own scale."""
    where = zip(*(points[name].to_numpy(float) for name in ("n", "p", "epsilon", "delta")), strict=True)
    return np.array([row.scale * formula(n, p, e, d) / n for n, p, e, d in where])


def _exponent(panel: Axes, row: Row, measured: Measured, axis: str, place: float) -> None:
    name = row.checks[axis]
    points = used_points(measured, measured.config["checks"][name]["series"], axis)
    along = points[axis].to_numpy(float)
    inner = np.log(-np.log(along) if axis == "delta" else along)
    for formula, bottom, top, color in ((row.upper, *ABOVE, UPPER), (row.lower, *BELOW, LOWER)):
        slope = np.polyfit(inner, np.log(_mean_risk(row, formula, points)), 1)[0]
        panel.plot([slope, slope], [place + bottom, place + top], color=color, linewidth=2, solid_capstyle="butt")
    slope = np.polyfit(inner, np.log(_mean_risk(row, row.earlier, points)), 1)[0]
    panel.plot([slope], [place + ASIDE], "x", color=EARLIER, markersize=4)
    check = measured.check(name)
    interval(panel, place, check, "black", "o")
    panel.margins(x=0.3)
    panel.annotate(
        short(check["estimate"], ".2f"), (check["estimate"] or 0.0, place), xytext=(0, 4),
        textcoords="offset points", ha="center", va="bottom", fontsize=6,
    )  # fmt: skip


def _size(panel: Axes, row: Row, measured: Measured, place: float) -> None:
    """Everything at the largest n of the series that is swept over n, as a multiple of the printed lower rate."""
    series = measured.config["checks"][row.checks["n"]]["series"]
    point = used_points(measured, series, "n").nlargest(1, "n")
    unit = float(_mean_risk(row, row.lower, point)[0])
    panel.plot([1, 1], [place + side for side in BELOW], color=LOWER, linewidth=2, solid_capstyle="butt")
    upper = float(_mean_risk(row, row.upper, point)[0]) / unit
    panel.plot([upper, upper], [place + side for side in ABOVE], color=UPPER, linewidth=2, solid_capstyle="butt")
    panel.plot(
        [float(_mean_risk(row, row.earlier, point)[0]) / unit], [place + ASIDE], "x", color=EARLIER, markersize=4
    )
    risk = float(point["mean"].iloc[0]) / unit
    panel.plot([risk], [place], "o", color="black", markersize=4)
    panel.annotate(
        f"{risk:.3g}" if risk < 1000 else f"{risk:,.0f}", (risk, place), xytext=(0, 4),
        textcoords="offset points", ha="center", va="bottom", fontsize=6,
    )  # fmt: skip


def _handles() -> list[object]:
    from matplotlib.lines import Line2D

    def mark(label: str, marker: str, color: str, size: float = 4) -> Line2D:
        return Line2D([], [], marker=marker, color=color, linestyle="none", markersize=size, label=label)

    return [
        mark("measured, 99% interval", "o", "black"),
        mark("printed upper rate (above)", "|", UPPER, 7),
        mark("printed lower rate (below)", "|", LOWER, 7),
        mark("earlier upper rate", "x", EARLIER),
    ]
