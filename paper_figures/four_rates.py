"""One rate of each paper: measured risk against the theorem's own formula, every axis of the theorem in one plot.

If the formula is right in all its axes, every sweep falls on one line of slope one, whose height is the constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dprepro.analysis.checks import VERDICTS, worded
from dprepro.analysis.inequality import half_widths
from dprepro.figures.lines import thin_grid
from dprepro.figures.style import COLOURS, RATE, styled
from paper_figures.drawing import DOUBLE, letters, used_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from paper_figures.measured import Measured, Measurements


ROOM = 0.17
"""Of a panel's height, above the points, for each entry of its legend."""


@dataclass(frozen=True)
class Family:
    """Sweeps that share one formula: experiment, series and the axis that is swept; the first one has the constant."""

    label: str
    sweeps: tuple[tuple[str, str, str], ...]
    check: str = "exponent_n"


@dataclass(frozen=True)
class Paper:
    """A panel: its title, the formula on its abscissa, one or two families, a note and its place."""

    title: str
    formula: str
    families: tuple[Family, ...]
    note: tuple[str, float, float] | tuple[()] = ()


AXES = {"n": ("o", "n"), "p": ("s", "p or d"), "epsilon": ("^", "ε"), "delta": ("D", "δ"), "norm": ("v", "norm")}
PAPERS = (
    Paper(
        "LASSO (Talwar et al. 2015, Theorem 2.5)",
        r"$\Gamma^{1/3}L_1^{2/3}\;\ln|S|\,\sqrt{\ln(1/\delta)}\;(n\varepsilon)^{-2/3}$",
        (
            Family(
                "noisy Frank-Wolfe",
                (
                    ("lasso_rate", "tuned_needle", "n"), ("lasso_dimension", "tuned_needle", "p"),
                    ("lasso_epsilon", "tuned_needle", "epsilon"), ("lasso_delta", "tuned_needle", "delta"),
                ),
            ),
        ),
        ("p = $10^3$ to $10^{12}$", 1.6e-3, 4.5e-3),
    ),
    Paper(
        "Lipschitz losses (Bassily et al. 2014, Theorem 2.4)",
        r"$LC\,\sqrt{p\,\ln(n/\delta)\,\ln(1/\delta)}\;(n\varepsilon)^{-1}$",
        (
            Family(
                "noisy gradient descent",
                tuple(("erm_rate", f"linear_{axis}", axis) for axis in ("n", "p", "epsilon", "delta")),
            ),
        ),
    ),
    Paper(
        "Linear losses (Kifer et al. 2012, Theorem 4)",
        r"$\zeta R\,\sqrt{p\,\ln(1/\delta)}\;(n\varepsilon)^{-1}$   or   $\zeta R\;p\,\ln p\;(n\varepsilon)^{-1}$",
        (
            Family(
                "objective perturbation, Gaussian",
                (
                    ("objective_perturbation", "gaussian_n", "n"), ("objective_perturbation", "gaussian", "p"),
                    ("objective_perturbation", "gaussian_epsilon", "epsilon"),
                    ("objective_perturbation", "gaussian_delta", "delta"),
                    ("objective_perturbation", "gaussian_norm", "norm"),
                ),
            ),
            Family(
                "objective perturbation, gamma",
                (
                    ("objective_perturbation", "gamma_n", "n"), ("objective_perturbation", "gamma", "p"),
                    ("objective_perturbation", "gamma_epsilon", "epsilon"),
                ),
                "exponent_n_gamma_n",
            ),
        ),
    ),
    Paper(
        "Squared loss (Arora et al. 2022, Theorems 1, 2)",
        r"$\sqrt{H}BY\,n^{-1/2}+GB\sqrt{d\ln(1/\delta)}\,(n\varepsilon)^{-1}$   or   $\ldots(n\varepsilon)^{-2/3}$",
        (
            Family(
                "noisy gradient descent",
                tuple(("glm_noisy_gd", f"in_{axis}", axis) for axis in ("n", "p", "epsilon", "delta", "norm")),
            ),
            Family(
                "projected first",
                tuple(("glm_jl", f"in_{axis}", axis) for axis in ("n", "p", "epsilon", "norm")),
            ),
        ),
    ),
)  # fmt: skip


def draw(measurements: Measurements) -> Figure:
    """Four panels, each with the ratio to the fitted line below it."""
    names = [name for paper in PAPERS for family in paper.families for name, *_ in family.sweeps]
    known = measurements.all_of(dict.fromkeys(names))
    with styled() as figure_class:
        figure: Figure = figure_class(figsize=(DOUBLE, 6.9), layout="constrained")
        panels = figure.subplots(4, 2, height_ratios=[3, 1, 3, 1], squeeze=False)
        for place, paper in enumerate(PAPERS):
            upper, lower = panels[2 * (place // 2), place % 2], panels[2 * (place // 2) + 1, place % 2]
            for index, family in enumerate(paper.families):
                _family(upper, lower, known, family, COLOURS["claim"][index], hollow=index > 0)
            upper.set(xscale="log", yscale="log", ylabel="excess risk (mean)" if place % 2 == 0 else "")
            upper.tick_params(labelbottom=False)
            lower.set(xscale="log", yscale="log", xlabel=paper.formula, ylim=(0.4, 2.5))
            lower.set_yticks([0.5, 1, 2], ["0.5", "1", "2"])
            lower.minorticks_off()
            lower.set_xlim(upper.get_xlim())
            if place % 2 == 0:
                lower.set_ylabel("ratio to line")
            if paper.note:
                upper.annotate(paper.note[0], paper.note[1:], fontsize=6, ha="right")
            upper.set_title(paper.title, loc="left")
            low, high = upper.get_ylim()
            upper.set_ylim(low, high * (high / low) ** (ROOM * len(paper.families)))
            upper.legend(loc="upper left", frameon=False, fontsize=6)
            thin_grid(upper, lower)
        letters(list(panels[::2].flat))
        figure.legend(
            handles=[_mark(marker, f"{word} is swept") for marker, word in AXES.values()],
            loc="outside lower center", ncols=5, frameon=False,
        )  # fmt: skip
    return figure


def _family(upper: Axes, lower: Axes, known: dict[str, Measured], family: Family, color: str, hollow: bool) -> None:
    fitted = known[family.sweeps[0][0]].check(family.check)["constant"]
    constant = float(fitted) if fitted is not None else _through(known, family)
    seen = []
    for experiment, series, axis in family.sweeps:
        points = used_points(known[experiment], series, axis)
        x, y = (points[name].to_numpy(float) for name in ("rate", "mean"))
        style: dict[str, Any] = {
            "marker": AXES[axis][0], "linestyle": "none", "color": color, "markersize": 3, "markeredgewidth": 0.7,
            "markerfacecolor": "white" if hollow else color, "elinewidth": 0.6,
        }  # fmt: skip
        half = np.minimum(np.nan_to_num(half_widths(points, 1)), 0.99 * y)
        upper.errorbar(x, y, yerr=half, **style)
        lower.errorbar(x, y / (constant * x), yerr=half / (constant * x), **style)
        seen.append(x)
    ends = np.array([min(map(np.min, seen)), max(map(np.max, seen))])
    line = f"{constant:.3g} × rate" if fitted is not None else "rate, through the points"
    upper.plot(ends, constant * ends, color=color, linewidth=0.8, linestyle="--" if hollow else "-",
               label=f"{family.label}: {line}\n({_verdict(known, family)})", zorder=1)  # fmt: skip
    lower.axhline(1, **{**RATE, "linewidth": 2})


def _through(known: dict[str, Measured], family: Family) -> float:
    """The constant of the line through the middle of all points, where no check has fitted one."""
    tables = [used_points(known[experiment], series, axis) for experiment, series, axis in family.sweeps]
    return float(np.exp(np.mean(np.log(np.concatenate([table["mean"] / table["rate"] for table in tables])))))


def _verdict(known: dict[str, Measured], family: Family) -> str:
    """The worst of the family's experiments, in words."""
    found = {worded(known[experiment].verdict): known[experiment].verdict for experiment, *_ in family.sweeps}
    return min(found, key=lambda words: (VERDICTS.index(found[words]["verdict"]), -len(words)))


def _mark(marker: str, label: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], marker=marker, color="0.3", linestyle="none", markersize=3.5, label=label)
