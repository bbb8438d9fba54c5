"""Between which constants a theorem lies: what is known of the worst data, and what its explicit bound says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from dprepro.analysis.points import further_axes, number
from dprepro.axes import AXES
from dprepro.errors import unknown
from dprepro.figures.base import Drawing
from dprepro.figures.fitting import headed, keys
from dprepro.figures.lines import thin_grid
from dprepro.figures.style import COLOURS, letters, styled
from dprepro.figures.text_sizes import height_of
from dprepro.figures.words import SYMBOLS, controls

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

KNOWN, BOUND = "worst_known_risk", "explicit_bound"


@dataclass(frozen=True)
class ConstantsFigure(Drawing):
    """A line for each series and grid point: risk on the worst data known, and explicit bound, over the printed rate.

    Both are means over the replicates. The least constant with which the theorem holds lies between the two, up to the
    error of the first, which may exceed a bound that is attained; the ratio of the two stands at the right.

    Attributes:
        labels: series name to text. hide: series that are left out.
    """

    name: ClassVar[str] = "constants"
    kinds: ClassVar[dict[str, str]] = {"labels": "series", "hide": "series"}

    labels: Mapping[str, str] = field(default_factory=dict)
    hide: tuple[str, ...] = ()

    def draw(self, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> Figure:
        """The lines, as configured from above; see the class."""
        rows = frame[frame["quantity"].isin([KNOWN, BOUND]) & (frame["status"] == "ok")]
        rows = rows[~rows["series"].isin(self.hide)]
        if rows.empty:
            raise unknown("quantity of the figure", KNOWN, map(str, frame["quantity"].unique()))
        lines = self._lines(
            rows.assign(constant=rows["value"] / rows["bound"]),
            [*AXES, *further_axes(frame, config)],
            list(config.get("study", {}).get("series", {})),
            controls(verdict, config),
        )
        with styled(self.style) as figure_class:
            figure: Figure = figure_class(figsize=(self.width(2), 3), layout="constrained")
            panel = figure.subplots()
            handles: dict[str, Any] = {}
            for place, (role, constants) in enumerate(lines.values()):
                panel.plot([*constants.values()], [place] * len(constants), color="0.75", linewidth=1.5, zorder=2)
                for quantity, text, marker, colour in (
                    (BOUND, "explicit bound", "D", COLOURS["context"][0]),
                    (KNOWN, "worst data known", ">", COLOURS["claim"][0]),
                    (KNOWN, "the same of a control", "x", COLOURS["control"][0]),
                ):
                    if quantity in constants and (quantity == BOUND or (marker == "x") == (role == "control")):
                        (handles[text],) = panel.plot(
                            [constants[quantity]], [place], linestyle="none", marker=marker, color=colour, zorder=4
                        )
                if len(constants) == 2:
                    panel.annotate(
                        f"{constants[BOUND] / constants[KNOWN]:.3g}", (1.01, place),
                        xycoords=("axes fraction", "data"), fontsize=letters(), va="center",
                    )  # fmt: skip
            panel.annotate("ratio", (1.01, -1), xycoords=("axes fraction", "data"), fontsize=letters(), va="center")
            panel.set_yticks(range(len(lines)), list(lines))
            panel.set(xscale="log", ylim=(len(lines) - 0.5, -0.5), xlabel="excess risk over the rate, its constant 1")
            thin_grid(panel)
            high = headed(figure, verdict, self.heading) + keys(figure, handles)
            figure.set_size_inches(self.width(2), high + height_of(1.25 * (len(lines) + 4), "ytick.labelsize"))
        return figure

    def _lines(
        self, rows: pd.DataFrame, swept: Sequence[str], order: Sequence[str], came_out: Mapping[str, str]
    ) -> Mapping[str, tuple[str, Mapping[str, float]]]:
        """Text to role and the mean constants of each line; claims first, each role in the order configured."""
        names = sorted(map(str, rows["series"].unique()), key=lambda name: order.index(name) if name in order else -1)
        found: dict[str, tuple[str, Mapping[str, float]]] = {}
        for role in ("claim", "context", "control"):
            for name in names:
                own = rows[(rows["series"] == name) & (rows["role"] == role)]
                axes = [axis for axis in swept if own[axis].nunique() > 1]
                for point, part in own.groupby(axes, sort=True) if axes else [((), own)] if len(own) else []:
                    text = self.labels.get(name, name.replace("_", " "))
                    text += f" ({role}: {came_out[name].split()[0]})" if role == "control" and name in came_out else ""
                    said = ", ".join(
                        f"{SYMBOLS.get(a, a)} = {number(float(str(v)))}" for a, v in zip(axes, point, strict=True)
                    )
                    means = part.groupby("quantity", observed=True)["constant"].mean()
                    constants = {str(quantity): float(mean) for quantity, mean in means.items()}
                    found[f"{text}; {said}" if said else text] = role, constants
        return found
