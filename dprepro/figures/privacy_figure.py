"""Privacy at a glance: for each series what is claimed, what is certified, and what a distinguisher achieves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from dprepro.axes import AXES
from dprepro.errors import unknown
from dprepro.figures.base import Drawing
from dprepro.figures.lines import legend, thin_grid, titles
from dprepro.figures.style import COLOURS, letters, styled
from dprepro.figures.text_sizes import height_of
from dprepro.figures.words import SYMBOLS, controls, headline

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

MARKS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "certified_epsilon": ("certified", {"marker": "D", "color": COLOURS["context"][0]}),
    "audited_epsilon": ("audited: at least that much", {"marker": ">", "color": COLOURS["claim"][0]}),
    "lower_epsilon": ("at least, by its law", {"marker": "|", "color": COLOURS["claim"][1], "markersize": 6}),
    "violating_epsilon": ("of a run that violates its guarantee", {"marker": "x", "color": COLOURS["control"][0]}),
}
"""What a legend calls the quantities, and how they look."""

SHOWN = ("audited_epsilon", "lower_epsilon")
"""What is shown to be spent."""

MOST = 6.0
"""Shares of what is claimed beyond that are drawn at the edge."""


@dataclass(frozen=True)
class PrivacyFigure(Drawing):
    """A line for each series and grid point, with epsilons as shares of the one that is claimed.

    Claims first, then context and controls. The number beside a cross is the factor of that run's epsilon; at the right
    stands the slack, what is certified over the most that is shown to be spent, by law or by draws.

    Attributes:
        labels: series name to text. hide: series that are left out.
        worst: axes over which the line is that of the point at which most is seen to be spent.
        certified: what the legend calls ``certified_epsilon``; of another library it is only what that claims.
    """

    name: ClassVar[str] = "ledger"
    kinds: ClassVar[dict[str, str]] = {"labels": "series", "hide": "series", "worst": "axis"}

    labels: Mapping[str, str] = field(default_factory=dict)
    hide: tuple[str, ...] = ()
    worst: tuple[str, ...] = ()
    certified: str = MARKS["certified_epsilon"][0]

    def draw(self, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> Figure:
        """The lines; see the class."""
        rows = frame[frame["quantity"].isin(list(MARKS)) & (frame["status"] == "ok") & ~frame["series"].isin(self.hide)]
        if rows.empty:
            raise unknown("quantity of the figure", "audited_epsilon", map(str, frame["quantity"].unique()))
        order = list(config.get("study", {}).get("series", {}))
        lines = self._lines(rows, controls(verdict, config), order, str(config.get("neighbours", "replace_one")))
        marks = {**MARKS, "certified_epsilon": (self.certified, MARKS["certified_epsilon"][1])}
        with styled(self.style) as figure_class:
            width, height = self.width(2), height_of(1.15 * (len(lines) + 4), "ytick.labelsize")
            figure: Figure = figure_class(figsize=(width, height), layout="constrained")
            panel = figure.subplots()
            handles: dict[str, Any] = {"claimed": panel.axvline(1.0, color="0.35", linewidth=1.0, zorder=1)}
            for place, (_, own) in enumerate(lines):
                shares = {str(q): self._share(part) for q, part in own.groupby("quantity") if q in MARKS}
                if own.loc[own["quantity"].isin([*SHOWN, "certified_epsilon"]), "bound"].nunique() > 1:
                    # a pair that sees a part of the algorithm alone: what is certified is of the whole, at its delta
                    shares.pop("certified_epsilon", None)
                ends = [shares[word] for word in (*SHOWN, "certified_epsilon") if word in shares]
                panel.plot(ends, [place] * len(ends), color="0.75", linewidth=1.5, zorder=2)
                for quantity, share in shares.items():
                    text, look = marks[quantity]
                    above = 5 if quantity == "violating_epsilon" else 4  # a cross stays visible on a diamond
                    (handles[text],) = panel.plot([share], [place], linestyle="none", zorder=above, **look)
                most = max((shares[evidence] for evidence in SHOWN if evidence in shares), default=0.0)
                if most and "certified_epsilon" in shares:
                    panel.annotate(
                        f"{shares['certified_epsilon'] / most:.2g}", (1.01, place), xycoords=("axes fraction", "data"),
                        fontsize=letters(), va="center",
                    )  # fmt: skip
                violating = own[own["quantity"] == "violating_epsilon"]
                for value in violating["epsilon_factor"].astype(float) if len(violating) else ():
                    panel.annotate(
                        f"×{value:g}", (shares["violating_epsilon"], place), xytext=(4, 0), textcoords="offset points",
                        fontsize=letters(), va="center", color=COLOURS["control"][0],
                    )  # fmt: skip
            panel.set_yticks(range(len(lines)), [text for text, _ in lines])
            if "certified_epsilon" in set(rows["quantity"]) and rows["quantity"].isin(SHOWN).any():
                panel.annotate("slack", (1.01, -1), xycoords=("axes fraction", "data"), fontsize=letters(), va="center")
            panel.set(ylim=(len(lines) - 0.5, -0.5), xlabel="ε over the ε that is claimed", xlim=(-0.03, None))
            thin_grid(panel)
            shown = ["claimed", *(text for text, _ in marks.values() if text in handles)]
            more = titles(figure, headline(verdict, self.heading), [(panel, [])], width - 0.5)
            more += legend(figure, {text: handles[text] for text in shown}, 4, self.note, bars=False)
            figure.set_size_inches(width, height + more)
        return figure

    def _lines(
        self, rows: pd.DataFrame, came_out: Mapping[str, str], order: Sequence[str], usual: str
    ) -> Sequence[tuple[str, pd.DataFrame]]:
        """Text, with a relation that is not the usual one, and measurements of each line; ordered as configured."""
        swept = [axis for axis in AXES if axis != "norm"]
        found = []
        for role in ("claim", "context", "control"):
            names = set(rows.loc[rows["role"] == role, "series"])
            for name in [*(word for word in order if word in names), *sorted(names - set(order))]:
                own = self._worst(rows[(rows["series"] == name) & (rows["replicate"] == 0)])
                several = [axis for axis in swept if own[axis].nunique() > 1]
                shown = list(dict.fromkeys([*self.worst, *several, "epsilon", "delta"]))
                for point, part in own.groupby(shown, sort=True):
                    said = ", ".join(f"{SYMBOLS.get(a, a)} = {v:g}" for a, v in zip(shown, point, strict=True))
                    text = self.labels.get(str(name), str(name).replace("_", " "))
                    text += f" ({role})" if role == "control" else ""
                    text += f": {came_out[str(name)].split()[0]}" if str(name) in came_out else ""
                    relations = part["relation"].dropna() if "relation" in part else ()
                    said += "".join(f", {relation}".replace("_", " ") for relation in set(relations) - {usual})
                    found.append((f"{text}; {said}", part))
        return found

    def _worst(self, own: pd.DataFrame) -> pd.DataFrame:
        """The rows of the point of the axes `worst` that spends most."""
        seen = own[own["quantity"].isin(["audited_epsilon", "lower_epsilon"])]
        if not self.worst or seen.empty:
            return own
        most = seen.iloc[int((seen["value"] / seen["bound"]).argmax())]
        for axis in self.worst:
            own = own[own[axis] == most[axis]]
        return own

    @staticmethod
    def _share(rows: pd.DataFrame) -> float:
        return min(MOST, float(rows["value"].iloc[0]) / float(rows["bound"].iloc[0]))
