"""Four attacks that prove lower bounds: what is found out about the data, against what privacy allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dprepro import figures
from dprepro.figures.attack import Attack
from dprepro.figures.lines import legend, legend_texts
from dprepro.figures.style import looks, styled
from dprepro.figures.words import controls, headline
from paper_figures.drawing import DOUBLE

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
        "lasso_tardos", "caught", "padded Tardos code (Talwar et al., Theorem 3.2):\na user of the code is traced",
        "privacy ε", ("attacked", "output_zero"), ("exact_minimiser",),
    ),
    Panel(
        "marginals_packing", "decoded", "packing (Bassily et al., Lemma 5.1.1):\nthe secret codeword is decoded",
        "records n (the first 48 hold the secret word)", ("output_zero", "gaussian"),
    ),
    Panel(
        "marginals_fingerprinting", "traced", "fingerprinting (Bassily et al., Lemma 5.1.2):\na member is traced",
        "records n / √p", ("centred", "subsampled"),
    ),
    Panel(
        "glm_lower_bound", "risk_over_zero", "hidden signs (Arora et al., Theorem 4):\nrisk, over the trivial one",
        "Dε, where D records hide a sign",
    ),
)  # fmt: skip
#: Options of an attack figure that hold an entry for each quantity.
BY_QUANTITY = ("bounds", "curves", "constants")
BY_NAME = ("linear", "logarithmic")


def draw(measurements: Measurements) -> Figure:
    """Two by two; private algorithms drawn through, broken ones dashed, the limits of privacy dash-dotted."""
    known = measurements.all_of([panel.experiment for panel in PANELS])
    with styled() as figure_class:
        figure: Figure = figure_class(figsize=(DOUBLE, 7.6), layout="constrained")
        parts: list[SubFigure] = list(np.ravel(np.asarray(figure.subfigures(2, 2), dtype=object)))
        for place, (part, panel) in enumerate(zip(parts, PANELS, strict=True)):
            _fill(part, panel, known[panel.experiment], f"({'abcd'[place]}) {panel.title}")
    return figure


def _fill(part: SubFigure, panel: Panel, measured: Measured, title: str) -> None:
    options = _only(measured.config["figure"], panel)
    drawing = figures.build(options)
    assert isinstance(drawing, Attack)
    rows = measured.frame[~measured.frame["series"].isin(drawing.hide)]
    rows = rows[(rows["quantity"] == panel.quantity) | (rows["status"] != "ok")]
    rows = rows.assign(role=rows["role"].mask(rows["series"].isin(panel.broken), "control"))
    axes = part.subplots()
    # The drawing of one panel is the experiment's own; only the page is arranged here.
    texts = legend_texts(rows, drawing.labels, controls(measured.verdict, measured.config))
    styles = looks(dict(zip(rows["series"], rows["role"], strict=True)), list(drawing.labels))
    drawing.panel(axes, rows, panel.quantity, styles, texts)
    axes.set_title(f"{title}\n{headline(measured.verdict)}", loc="left")
    axes.set_xlabel(panel.x_label)
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    series = [texts[name] for name in (*drawing.labels, *texts) if name in texts]  # what is attacked first, lines last
    order = sorted(unique, key=lambda label: series.index(label) if label in series else len(series))
    legend(part, {label: unique[label] for label in order}, 2)


def _only(options: dict[str, Any], panel: Panel) -> dict[str, Any]:
    """The options of the experiment's figure, restricted to one quantity."""
    kept = {
        key: {name: one for name, one in value.items() if name == panel.quantity} if key in BY_QUANTITY else value
        for key, value in options.items()
    }
    kept |= {key: [name for name in kept[key] if name == panel.quantity] for key in BY_NAME if key in kept}
    return kept | {"panels": [panel.quantity], "hide": [*options.get("hide", ()), *panel.hide]}
