"""Theorem 2.5 of Talwar, Thakurta and Zhang (2015): risk against n, and what the checks say about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dprepro.analysis.checks import said
from dprepro.figures.lines import legend, legend_texts, thin_grid
from dprepro.figures.style import BOUND, RATE, SATURATED, styled
from dprepro.figures.words import controls
from paper_figures.drawing import DOUBLE, MARKS, draw_series, interval, letters, short, styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from paper_figures.measured import Measured, Measurements

ROLES = {
    "tuned_needle": "claim",
    "as_printed": "context", "centred_needle": "context", "iid_design": "context", "correlated_design": "context",
    "planted_sparse": "context", "pure_noise": "context", "output_zero": "context",
    "steps_too_few": "control", "steps_too_many": "control", "constant_step": "control",
}  # fmt: skip
#: Series, check, and how the row is called.
EXPONENTS = (
    ("tuned_needle", "exponent_n", "private Frank-Wolfe"),
    ("as_printed", "exponent_n_as_printed", "Laplace, as printed"),
    ("steps_too_few", "steps_too_few", "T = (2nε)$^{0.5}$"),
    ("steps_too_many", "steps_too_many", "T = (2nε)$^{0.9}$"),
)
RATIOS = (
    ("tuned_needle", "below_bound", "private Frank-Wolfe"),
    ("centred_needle", "context_below_bound", "all other data"),
    ("constant_step", "constant_step", "constant step"),
)


def draw(measurements: Measurements) -> Figure:
    """Risk against n on the left; exponents and shares of the explicit bound on the right."""
    measured = measurements.of("lasso_rate")
    looks = styles(ROLES)
    came_out = controls(measured.verdict, measured.config)
    labels = legend_texts(measured.frame, measured.config["figure"]["labels"], came_out)
    with styled() as figure_class:
        figure: Figure = figure_class(figsize=(DOUBLE, 3.75), layout="constrained")
        panels = figure.subplot_mosaic(
            [["risk", "slope"], ["risk", "ratio"]], width_ratios=[1.25, 1], height_ratios=[4, 3.2]
        )
        risk, slope, ratio = panels["risk"], panels["slope"], panels["ratio"]
        for name in ROLES:
            found = draw_series(risk, measured, name, "n", labels[name], looks[name])
            if name == "tuned_needle":
                points, check = found[0].points, measured.check("exponent_n")
                risk.plot(points["x"], points["bound"], label="explicit bound", **BOUND)
                constant = check["constant"] or 1.0
                shape = constant * points["shape"].astype(float)
                risk.plot(points["x"], shape, label=f"{constant:.3g} × rate, n$^{{-2/3}}$ (fitted)", **RATE)
        risk.set(xscale="log", yscale="log", xlabel="records n", ylabel="excess risk (mean)")
        risk.set_title("p = 1000, ε = 1, δ = 10$^{-6}$", loc="left")
        _rows(slope, measured, EXPONENTS, looks)
        check = measured.check("exponent_n")
        low, high = check["expected"] - check["margin"], check["expected"] + check["margin"]
        slope.axvspan(low, high, color="0.88", zorder=0)
        slope.axvline(check["expected"], color="0.4", linestyle="--", linewidth=0.8)
        slope.set_xlim(-0.78, -0.36)
        slope.set_title("exponent of n: expected −2/3 ± 0.03", loc="left")
        _rows(ratio, measured, RATIOS, looks)
        ratio.axvspan(ratio.get_xlim()[0], 1, color="0.88", zorder=0)
        ratio.axvline(1, color="0.4", linestyle="--", linewidth=0.8)
        ratio.set(xscale="log", xlim=(0.02, 1000), xlabel="largest risk, as a share of the explicit bound")
        ratio.set_title("expected: at most 1", loc="left")
        thin_grid(risk, slope, ratio)
        letters([risk, slope, ratio])
        risk.plot([], [], "o", color="0.3", markerfacecolor="white", markeredgewidth=0.7, label=SATURATED)
        handles, texts = risk.get_legend_handles_labels()
        figure.set_size_inches(DOUBLE, 3.2 + legend(figure, dict(zip(texts, handles, strict=True)), 4))
    return figure


def _rows(panel: Axes, measured: Measured, rows: tuple[tuple[str, str, str], ...], looks: dict[str, Any]) -> None:
    for place, (series, name, _) in enumerate(rows):
        check = measured.check(name)
        word = said(check).removeprefix("confirmed ")
        interval(panel, -place, check, looks[series]["color"], looks[series]["marker"])
        panel.annotate(
            f"{short(check['estimate'])} {MARKS[check['verdict']]} {word}", (1, -place), xytext=(-2, 3),
            xycoords=("axes fraction", "data"), textcoords="offset points", ha="right", fontsize=6,
        )  # fmt: skip
    panel.set(yticks=[-place for place in range(len(rows))], yticklabels=[label for *_, label in rows])
    panel.set_ylim(-len(rows) + 0.5, 0.7)
