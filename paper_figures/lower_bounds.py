"""Four attacks that prove lower bounds: what is found out about the data, against what privacy allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from dprepro import figures
from dprepro.figures.attack_figure import AttackFigure
from dprepro.figures.fitting import cut, keys
from dprepro.figures.naming import NamedCurves, name_all
from dprepro.figures.style import WIDTHS, letters, styled
from dprepro.figures.words import headline

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

    from paper_figures.measured import Measured, Measurements


@dataclass(frozen=True)
class Panel:
    """One quantity of an attack experiment, its title and abscissa.

    ``broken`` series are drawn as controls, as in the other panels; ``hide`` are left out of the experiment's figure.
    """

    experiment: str
    quantity: str
    title: str
    x_label: str
    hide: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


PANELS = (
    Panel(
        "lasso_tardos", "caught", "padded Tardos code (Talwar et al., Theorem 3.2): a user of the code is traced",
        "privacy ε", ("attacked", "output_zero"), ("exact_minimiser",),
    ),
    Panel(
        "marginals_packing", "decoded", "packing (Bassily et al., Lemma 5.1.1): the secret codeword is decoded",
        "records n (the first 48 hold the secret word)", ("output_zero", "gaussian"),
    ),
    Panel(
        "marginals_fingerprinting", "traced", "fingerprinting (Bassily et al., Lemma 5.1.2): a member is traced",
        "records n / √p", ("centred", "subsampled"),
    ),
    Panel(
        "glm_lower_bound", "risk_over_zero", "hidden signs (Arora et al., Theorem 4): risk, over the trivial one",
        "Dε, where D records hide a sign",
    ),
)  # fmt: skip
#: Options of an attack figure that hold an entry for each quantity.
BY_QUANTITY = ("bounds", "curves", "constants")
BY_NAME = ("linear", "logarithmic")


def draw(measurements: Measurements) -> Figure:
    """Two by two; private algorithms drawn through, broken ones dashed, the limits of privacy dash-dotted."""
    known = measurements.all_of([panel.experiment for panel in PANELS])
    with styled("paper") as figure_class:
        figure: Figure = figure_class(figsize=(WIDTHS["paper"][2], 6.3), layout="constrained")
        parts: list[SubFigure] = list(np.ravel(np.asarray(figure.subfigures(2, 2), dtype=object)))
        names: list[NamedCurves] = []
        for place, (part, panel) in enumerate(zip(parts, PANELS, strict=True)):
            names += _fill(part, panel, known[panel.experiment], f"({'abcd'[place]}) {panel.title}")
        FigureCanvasAgg(figure)
        if engine := figure.get_layout_engine():
            engine.execute(figure)
        name_all(figure, names)
    return figure


def _fill(part: SubFigure, panel: Panel, measured: Measured, title: str) -> list[NamedCurves]:
    """Draws a panel; the curves that are to be named once the page is laid out."""
    drawing = figures.build(_only(measured.config["figure"], panel))
    assert isinstance(drawing, AttackFigure)
    rows = measured.frame.assign(
        role=measured.frame["role"].mask(measured.frame["series"].isin(panel.broken), "control")
    )
    few, names, axes = drawing.few(rows, measured.verdict, measured.config), list[NamedCurves](), part.subplots()
    entries = few.panel(axes, panel.quantity, names)
    room = WIDTHS["paper"][2] / 2 - 0.7
    said = [title.partition(":")[0] + ":", title.partition(": ")[2], headline(measured.verdict)]
    axes.set_title("\n".join(cut(line, room, "legend.fontsize") for line in said), loc="left", fontsize=letters())
    axes.set_xlabel(panel.x_label)
    keys(part, few.in_order(entries))
    return names


def _only(options: dict[str, Any], panel: Panel) -> dict[str, Any]:
    """The options of the experiment's figure, restricted to one quantity."""
    kept = {
        key: {name: number for name, number in value.items() if name == panel.quantity} if key in BY_QUANTITY else value
        for key, value in options.items()
    }
    kept |= {key: [name for name in kept[key] if name == panel.quantity] for key in BY_NAME if key in kept}
    return kept | {"panels": [panel.quantity], "hide": [*options.get("hide", ()), *panel.hide]}
