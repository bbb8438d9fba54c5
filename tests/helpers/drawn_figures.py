"""Made-up measurements and verdicts for figures, and what a figure says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from dprepro.figures.words import comparison, headline, judged


def cells(
    series: str, role: str, sweep: Mapping[str, Sequence[float]], risk: Any, **columns: Any
) -> list[dict[str, Any]]:
    """Rows of a series over a grid of two replicates; values are numbers or functions of the point."""
    rows = []
    grid = np.meshgrid(*sweep.values(), indexing="ij")
    for values in zip(*(one.ravel() for one in grid), strict=True):
        point = {"n": 100.0, "p": 10.0, "epsilon": 1.0, "delta": 0.0, "norm": 1.0} | dict(
            zip(sweep, values, strict=True)
        )
        given = {name: value(point) if callable(value) else value for name, value in {"value": risk, **columns}.items()}
        for replicate in range(2):
            rows.append(
                point
                | {"series": series, "role": role, "replicate": replicate, "status": "ok", "quantity": "excess_risk"}
                | {"bound": None, "rate": None, "trivial_risk": 1e9}
                | given
                | {"value": given["value"] * (1 + 0.01 * replicate)}
            )
    return rows


def check(name: str = "exponent", estimate: float = -1.0, **further: Any) -> dict[str, Any]:
    """A check of verdict.json."""
    found = {
        "role": "claim", "verdict": "confirmed", "expect": "confirmed", "as_expected": True, "estimate": estimate,
        "low": estimate - 0.01, "high": estimate + 0.01, "expected": -1.0, "margin": 0.05, "rule": name, "reason": "",
        "constant": None, "details": {},
    }  # fmt: skip
    return found | further


def verdict(verdict: str = "confirmed", **checks: Mapping[str, Any]) -> dict[str, Any]:
    """The part of verdict.json that figures read."""
    return {"claim": "Theorem 7", "verdict": verdict, "checks": checks}


def config(sweep: Mapping[str, Any] | None = None, **checks: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a run's configuration that figures read."""
    return {"checks": checks, "sweep": sweep or {}, "study": {"series": {}}}


def plain(text: str) -> str:
    """On one line, with ordinary spaces."""
    return " ".join(text.replace("\N{NO-BREAK SPACE}", " ").split())


def title(figure: Any) -> str:
    """The headline and all that stands over the panels."""
    return plain(" ".join([figure.get_suptitle(), *(panel.get_title(loc="left") for panel in figure.axes)]))


def entries(figure: Any) -> list[str]:
    """The texts of the legend."""
    return [plain(text.get_text()) for text in figure.legends[0].get_texts()]


def bound_lines(figure: Any) -> list[str]:
    """The series whose explicit bounds are drawn."""
    gids = [str(line.get_gid()) for panel in figure.axes for line in panel.lines]
    return [gid.removeprefix("bound of ") for gid in gids if gid.startswith("bound of ")]


def assert_says_the_verdict(
    figure: Any, verdict: Mapping[str, Any], config: Mapping[str, Any], heading: str = ""
) -> None:
    """The title has claim, verdict and whether it is up to logarithms, and the comparisons that were judged."""
    said = title(figure)
    assert plain(headline(verdict, heading)) in said
    for one in judged(verdict, config):
        axis = str(one.options.get("axis", "n"))
        assert plain(comparison(one, axis)) in said, f"{one.name} is judged and not said"


def texts_of(figure: Any) -> list[tuple[str, Any]]:
    """Every text that a laid-out figure shows, with its box in inches, rid of the margin that no letter reaches."""
    dots = figure.dpi
    found = [text for one in (figure, *figure.subfigs) for text in one.texts]  # with the titles of figures
    found += [text for legend in figure.legends for text in (*legend.get_texts(), legend.get_title())]
    for panel in figure.axes:
        found += [panel.title, panel._left_title, panel._right_title, panel.xaxis.label, panel.yaxis.label]
        found += [*panel.texts, panel.xaxis.offsetText, panel.yaxis.offsetText]
        for axis in (panel.xaxis, panel.yaxis):
            low, high = sorted(axis.get_view_interval())
            ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            room = 1e-9 * abs(high - low)
            found += [tick.label1 for tick in ticks if low - room <= tick.get_loc() <= high + room]
    shown = [text for text in found if text.get_visible() and text.get_text().strip()]
    boxes = [Text.get_window_extent(text).padded(-0.01 * dots) for text in shown]
    inches = Affine2D().scale(1 / dots)
    return [(plain(text.get_text()), box.transformed(inches)) for text, box in zip(shown, boxes, strict=True)]


def laid_out(figure: Any, dots: int = 300) -> Any:
    """The figure as its file has it."""
    figure.set_dpi(dots)
    FigureCanvasAgg(figure).draw()
    return figure


def collisions(figure: Any) -> list[str]:
    """Texts that lie on one another, and texts that leave the figure."""
    width, height = figure.get_size_inches()
    texts = texts_of(figure)
    found = [
        f"{text!r} leaves the figure" for text, box in texts
        if box.x0 < -0.01 or box.y0 < -0.01 or box.x1 > width + 0.01 or box.y1 > height + 0.01
    ]  # fmt: skip
    return found + [
        f"{text!r} lies on {other!r}" for (text, box), (other, beside) in combinations(texts, 2)
        if box.x0 < beside.x1 and beside.x0 < box.x1 and box.y0 < beside.y1 and beside.y0 < box.y1
    ]  # fmt: skip


def alike_in_grey(figure: Any) -> list[str]:
    """Lines of two colours that have one marker, dashes and width."""
    found: dict[Any, dict[str, None]] = {}
    for panel in (axis for axis in figure.axes if axis.get_label() != "<colorbar>"):
        for line in panel.lines:
            if line.get_marker() in ("|", "_") or line.get_xdata() is None or not len(line.get_xdata()):
                continue  # caps of bars
            look = (
                line.get_marker(),
                str(line._unscaled_dash_pattern),
                line.get_linestyle(),
                round(line.get_linewidth(), 1),
            )
            found.setdefault(look, {})[to_hex(line.get_color())] = None
    return [f"{look} is {', '.join(colours)}" for look, colours in found.items() if len(colours) > 1]
