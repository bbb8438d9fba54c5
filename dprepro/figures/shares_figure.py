"""Empirical distribution functions: for each quantity, the share of cases in which it is at most x."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dprepro.analysis.points import number
from dprepro.errors import unknown
from dprepro.figures.base import Drawing
from dprepro.figures.fitting import HEIGHT, finish, headed, keys
from dprepro.figures.lines import thin_grid
from dprepro.figures.style import styled
from dprepro.figures.words import judged, kept, quantity_label

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

LOOKS: tuple[Mapping[str, Any], ...] = (
    {"color": "#000000", "linestyle": "-", "linewidth": 1.6},
    {"color": "#0072B2", "linestyle": (0, (5, 1.5))},
    {"color": "#D55E00", "linestyle": (0, (1, 1))},
    {"color": "#7B1E3A", "linestyle": (0, (5, 1.5, 1, 1.5))},
)


@dataclass(frozen=True)
class SharesFigure(Drawing):
    """A step function for each quantity, and a cross at each limit that a check of rule `share` claims.

    Attributes:
        quantities: at most four, each with the text that names its line.
    """

    name: ClassVar[str] = "shares"
    kinds: ClassVar[dict[str, str]] = {"quantities": "quantity"}

    quantities: Mapping[str, str] = field(default_factory=dict)

    def draw(self, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> Figure:
        """See the class."""
        with styled(self.style) as figure_class:
            width = self.width(1)
            figure: Figure = figure_class(figsize=(width, 3), layout="constrained")
            panel = figure.subplots()
            for place, (quantity, text) in enumerate(self.quantities.items()):
                rows = frame[(frame["quantity"] == quantity) & (frame["status"] == "ok")]
                if rows.empty:
                    raise unknown("figure.quantities", quantity, frame["quantity"].unique())
                values = np.sort(rows["value"].to_numpy(dtype=float))
                share = np.arange(1, len(values) + 1) / len(values)
                look = LOOKS[place % len(LOOKS)]
                panel.step(values, share, where="post", **look, label=text)
            lines: list[str] = []
            handles: dict[str, Any] = dict(zip(self.quantities.values(), panel.lines, strict=True))
            for check in judged(verdict, config):
                limit = (check.result.get("details") or {}).get("limit")
                if check.rule == "share" and limit is not None:
                    (handles["claimed: at least"],) = panel.plot(
                        limit, check.result["expected"], marker="x", color="0.2", markersize=5, linestyle="none"
                    )
                    lines += [_compared(check.result, limit)]
            panel.set(
                xscale="log",
                ylim=(0, 1.02),
                ylabel="share of cases",
                xlabel=quantity_label(next(iter(self.quantities))),
            )
            thin_grid(panel)
            high = headed(figure, verdict, self.heading) + keys(figure, handles)
            finish(figure, high + HEIGHT[self.style], [(panel, lines[:1])])
        return figure


def _compared(check: Mapping[str, Any], limit: float) -> str:
    """What was compared with what: the share of cases within the limit, and what is claimed of it."""
    found, claimed = (f"{100 * check[key]:.0f}" for key in ("estimate", "expected"))
    margin = f", margin {100 * check['margin']:.0f}%" if check["margin"] else ""
    among = f"{found}% of {check['details']['cases']} within {number(limit)}"
    text = f"{among}, {kept(f'claimed ≥ {claimed}%{margin}')}"
    return text if check["verdict"] == "confirmed" else f"{text}: {check['verdict']}"
