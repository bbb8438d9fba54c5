"""Attacks at a glance: several quantities of the same cells, one panel each, against one axis."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from dprepro.analysis.fits import LEVEL
from dprepro.analysis.inequality import half_widths
from dprepro.analysis.points import further_axes, number
from dprepro.analysis.proportion import clopper_pearson
from dprepro.analysis.rule import NameUse
from dprepro.axes import AXES
from dprepro.errors import InputError, unknown
from dprepro.figures.base import Drawing
from dprepro.figures.curves import Curve, curves, left_out, thinned
from dprepro.figures.fitting import HEIGHT, MOST_ENTRIES, MOST_PANELS, finish, headed, keys
from dprepro.figures.glance import worst_first
from dprepro.figures.lines import bounded, legend, legend_texts, name_curves, said, thin_grid, titles
from dprepro.figures.naming import NamedCurves
from dprepro.figures.style import COLUMN, letters, looks, roles_of, styled
from dprepro.figures.ticks import few_ticks, plain_ticks
from dprepro.figures.words import (
    OF_THE_SCHEDULE,
    JudgedCheck,
    axis_label,
    briefly,
    controls,
    entry,
    headline,
    judged,
    labelled,
    quantity_label,
    undrawn,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROUNDING = 1e-13
LINE_COLOURS = ("0.35", "0.6", "#A65628", "#4D4D99")
LINE_DASHES: tuple[Any, ...] = ((0, (6, 1, 1, 1)), (0, (1, 1.5)), (0, (4, 1, 1, 1, 1, 1)), (0, (2, 1)))


class Few(NamedTuple):
    """What of an attack is read at a glance.

    Attributes:
        drawing: the figure's options, with the lines that are shown.
        rows: measurements of what is shown.
        series, claims: of each panel, by its quantity: what is shown, and what is claimed of it, worst first.
        roles, styles, texts: of the series.
        further: axes of the sweep beyond the main ones.
    """

    drawing: AttackFigure
    rows: pd.DataFrame
    series: Mapping[str, Sequence[str]]
    claims: Mapping[str, Sequence[JudgedCheck]]
    roles: Mapping[str, str]
    styles: Mapping[str, dict[str, Any]]
    texts: Mapping[str, str]
    further: Sequence[str]

    def panel(self, panel: Axes, quantity: str, names: list[NamedCurves]) -> dict[str, Any]:
        """Draws a panel and adds its curves to the ``names``; the entries of its legend."""
        own = {name: self.styles[name] for name in self.styles if name in self.series[quantity]}
        self.drawing.panel(panel, self.rows, quantity, own, self.texts, self.further, names)
        panel.set_xlabel(self.drawing.x_label or axis_label(self.drawing.axis))
        found: dict[str, Any] = {}
        for mark, line in zip(*panel.get_legend_handles_labels(), strict=True):
            found.setdefault(line, mark)
        return found

    def in_order(self, handles: Mapping[str, Any]) -> dict[str, Any]:
        """The entries of a legend: series come before lines."""
        return {text: handles[text] for text in (*self.texts.values(), *handles) if text in handles}


@dataclass(frozen=True)
class AttackFigure(Drawing):
    """A panel for each quantity on which something is claimed: the claim, its bound, and a control.

    All series stand in the second figure, its panels one above the other, every one with its marker and its 99%
    interval.

    Rates (rows with the column ``trials``) have exact binomial intervals and an axis from 0 to 1, other quantities
    intervals of their mean and a logarithmic axis, without the points below `ROUNDING` of the largest (the exact
    minimiser's risk).

    Attributes:
        panels: the quantities.
        axis: the abscissa, logarithmic.
        times: axes and powers by which the abscissa is multiplied: axis n with times {p: -0.5} is n/sqrt(p).
        x_label: what to call the abscissa.
        names: quantity to what it is called; by default its name.
        labels: series name to legend text.
        hide: series that are left out.
        main: series of the first figure, where the first claim of each panel and the first control are not the ones.
        across: series of one point that are drawn as a horizontal line, with the interval as a band: what does not
            depend on the axis (the exact minimiser).
        bounds: quantities whose column ``bound`` is drawn as a line, with the text of the legend.
        curves: further quantities that are drawn as lines in a panel: panel's quantity to these.
        constants: horizontal lines: quantity to text of the legend to value.
        linear: quantities besides rates whose axis is linear, from 0 to 1.
        logarithmic: rates whose axis is logarithmic all the same: small ones. What never happened is left out.
        envelope: axes over which the largest mean is drawn, as in the rules.
    """

    name: ClassVar[str] = "attack"
    kinds: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("axis", "times", "envelope"), "axis"),
        **dict.fromkeys(("labels", "hide", "main", "across"), "series"),
        **dict.fromkeys(("panels", "names", "bounds", "curves", "constants", "linear", "logarithmic"), "quantity"),
    }

    leaves_out: ClassVar[bool] = True

    panels: tuple[str, ...] = ("excess_risk",)
    axis: str = "epsilon"
    times: Mapping[str, float] = field(default_factory=dict)
    x_label: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    hide: tuple[str, ...] = ()
    main: tuple[str, ...] = ()
    across: tuple[str, ...] = ()
    bounds: Mapping[str, str] = field(default_factory=dict)
    curves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    constants: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    linear: tuple[str, ...] = ()
    logarithmic: tuple[str, ...] = ()
    envelope: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.panels:
            raise InputError("panels names no quantity; give at least one, for example panels: [excess_risk]")
        for option in ("bounds", "curves", "constants"):
            for quantity in getattr(self, option):
                if quantity not in self.panels:
                    raise unknown(f"panel in {option}", quantity, self.panels)

    def mentions(self) -> list[NameUse]:
        """As for all figures; of `curves` the values too."""
        return [
            *super().mentions(),
            *(NameUse("curves", "quantity", text) for many in self.curves.values() for text in many),
        ]

    def draw(self, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> Figure:
        """The panels side by side; see the class."""
        few = self.few(frame, verdict, config)
        with styled(self.style) as figure_class:
            shown = list(few.series)
            width = self.width(1 if len(shown) == 1 else 2)
            figure: Figure = figure_class(figsize=(width, 2), layout="constrained")
            panels = figure.subplots(1, len(shown), squeeze=False)[0]
            high = headed(figure, verdict, self.heading)
            handles: dict[str, Any] = {}
            heads: list[tuple[Axes, list[str]]] = []
            names: list[NamedCurves] = []
            for panel, quantity in zip(panels, shown, strict=True):
                handles = few.panel(panel, quantity, names) | handles
                said = [briefly(check, bounded=bounded(check, frame, few.roles)) for check in few.claims[quantity][:1]]
                heads.append((panel, said[0] if said else []))
            high += keys(figure, few.in_order(handles))
            finish(figure, high + HEIGHT[self.style], heads, names)
        return figure

    def few(self, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> Few:
        """What of the measurements is read at a glance; raises as `draw`."""
        rows, came_out = self._rows(frame), controls(verdict, config)
        roles = roles_of(rows)
        drawn = {quantity: self._drawn(rows, quantity) for quantity in self.panels}
        claims = {quantity: self._claims(quantity, verdict, config, drawn[quantity]) for quantity in self.panels}
        shown = {quantity: claims[quantity] for quantity in self._shown(claims)}
        nearest = {evidence: _shares(rows, evidence) for evidence in shown}
        series, drawing = self._few(shown, drawn, nearest, roles, came_out)
        rows = rows[rows["series"].isin([name for names in series.values() for name in names])]
        known = [name for name in roles if name in set(rows["series"])]
        styles = looks({name: roles[name] for name in known}, known)
        texts = {name: entry(labelled(name, self.labels), name, roles[name], came_out) for name in styles}
        return Few(drawing, rows, series, shown, roles, styles, texts, further_axes(frame, config))

    def _rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The measurements that are drawn."""
        for quantity in (*self.panels, *(text for several in self.curves.values() for text in several)):
            if quantity not in frame["quantity"].unique():
                raise unknown("figure.panels or figure.curves", quantity, map(str, frame["quantity"].unique()))
        return frame[~frame["series"].isin(self.hide)]

    def _claims(
        self, quantity: str, verdict: Mapping[str, Any], config: Mapping[str, Any], drawn: Mapping[str, bool]
    ) -> list[JudgedCheck]:
        """The claims that a panel shows: worst first, of others such as are about a curve before those about a point.

        ``drawn`` are the series, and whether they have a curve.
        """
        own = [
            check for check in judged(verdict, config) if check.quantity in (quantity, *self.curves.get(quantity, ()))
        ]
        own = [check for check in own if check.rule not in OF_THE_SCHEDULE and check.series(drawn)]
        return worst_first(sorted(own, key=lambda check: not any(drawn[name] for name in check.series(drawn))))

    def _shown(self, claims: Mapping[str, Sequence[JudgedCheck]]) -> list[str]:
        """The panels on which something is claimed, as many as stand side by side: what is not confirmed first."""
        told = [quantity for quantity in self.panels if claims[quantity]] or list(self.panels[:1])
        confirmed = [bool(claims[text]) and claims[text][0].result["verdict"] == "confirmed" for text in told]
        chosen = sorted(range(len(told)), key=lambda place: (confirmed[place], place))[:MOST_PANELS]
        return [told[place] for place in sorted(chosen)]

    def _few(
        self,
        claims: Mapping[str, Sequence[JudgedCheck]],
        drawn: Mapping[str, Mapping[str, bool]],
        shares: Mapping[str, Mapping[str, tuple[float, float]]],
        roles: Mapping[str, str],
        came_out: Mapping[str, str],
    ) -> tuple[dict[str, list[str]], AttackFigure]:
        """The series of each panel and, of the figure's options, the lines that a short legend has room for.

        First comes of each panel what is claimed and what limits it, then a control, then what else is claimed.
        """
        claimed: dict[str, list[str]] = {}
        for claim in claims:
            before = [name for names in claimed.values() for name in names[:1]]
            claimed[claim] = self._claimed(drawn[claim], claims[claim], shares[claim], roles, before)
        limits = {text: self._limits(text, claims[text]) for text in claims}
        known = dict.fromkeys(name for text in claims for name in drawn[text])
        control = [name for name in known if roles[name] == "control"]
        control += [name for name in known if roles[name] == "context" and came_out.get(name, "").startswith("refuted")]
        wanted = [("series", name) for names in claimed.values() for name in names[:1]]
        wanted += [limit for own in limits.values() for limit in own[:1]]
        wanted += [("series", name) for name in control[:1]]
        wanted += [("series", name) for names in claimed.values() for name in names[1:]]
        wanted += [limit for own in limits.values() for limit in own[1:]]
        if self.main:
            wanted = [*(("series", name) for name in self.main), *(item for item in wanted if item[0] != "series")]
        few = list(dict.fromkeys(wanted))[:MOST_ENTRIES]
        kept = {kind: [name for of, name in few if of == kind] for kind in ("series", "bound", "curve", "constant")}
        elsewhere = {name for names in claimed.values() for name in names}
        shown = {
            text: [
                name for name in kept["series"]
                if name in self.main or name in claimed[text] or name not in elsewhere or roles[name] == "control"
            ]
            for text in claims
        }  # fmt: skip
        return shown, replace(
            self,
            bounds={key: text for key, text in self.bounds.items() if text in kept["bound"]},
            curves={key: tuple(q for q in several if q in kept["curve"]) for key, several in self.curves.items()},
            constants={
                key: {text: value for text, value in several.items() if text in kept["constant"]}
                for key, several in self.constants.items()
            },
        )

    def _drawn(self, rows: pd.DataFrame, quantity: str) -> dict[str, bool]:
        """The series that a panel could show, curves first, and whether they are such."""
        own = rows[(rows["quantity"] == quantity) & (rows["status"] == "ok")]
        places = own.groupby("series", observed=True)[self.axis].nunique()
        names = [name for name in dict.fromkeys([*self.labels, *roles_of(rows)]) if name in places.index]
        return {name: bool(places[name] > 1) for name in sorted(names, key=lambda name: places[name] <= 1)}

    @staticmethod
    def _claimed(
        drawn: Mapping[str, bool],
        claims: Sequence[JudgedCheck],
        shares: Mapping[str, tuple[float, float]],
        roles: Mapping[str, str],
        before: Sequence[str],
    ) -> list[str]:
        """The series that a panel is about, of each claim one; without a claim the first.

        Of several it is the one that comes nearest to its bound, which is what the claim is judged by, with a curve
        before a point; of equal ones such as stand in a panel ``before``.
        """
        found = []
        for claim in claims:
            own = claim.series(drawn)
            own = [name for name in own if roles[name] == "claim"] or own
            least = (claim.result.get("details") or {}).get("side") == "at_least"
            near = {name: shares[name][0] if least else -shares[name][1] for name in own if name in shares}
            order = sorted(own, key=lambda name: (not drawn[name], near.get(name, np.inf), name not in before))
            found += order[:1]
        return list(dict.fromkeys(found)) or [name for name in drawn if roles[name] == "claim"] or list(drawn)[:1]

    def _limits(self, quantity: str, claims: Sequence[JudgedCheck]) -> list[tuple[str, str]]:
        """The lines of a panel: its bound, curves on which something is claimed, constants, further curves."""
        about = [claim.quantity for claim in claims]
        curves = sorted(self.curves.get(quantity, ()), key=lambda text: text not in about)
        judged = sum(curve in about for curve in curves)
        found = [("bound", self.bounds[quantity])] if quantity in self.bounds else []
        found += [("curve", curve) for curve in curves[:judged]]
        found += [("constant", text) for text in self.constants.get(quantity, {})]
        return [*found, *(("curve", curve) for curve in curves[judged:])]

    def draw_all(self, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any]) -> Figure:
        """The panels with all series; see the class."""
        rows = self._rows(frame)
        further, claims = further_axes(frame, config), judged(verdict, config)
        styles = looks(roles_of(rows), list(self.labels))
        texts = legend_texts(rows, self.labels, controls(verdict, config))
        with styled() as figure_class:
            height = max(2.2, 1.45 * len(self.panels))
            figure: Figure = figure_class(figsize=(COLUMN, height), layout="constrained")
            panels = figure.subplots(len(self.panels), 1, sharex=True, squeeze=False)[:, 0]
            handles: dict[str, Any] = {}
            heads: list[tuple[Axes, list[str]]] = []
            said_of: set[str] = set()
            some: dict[str, None] = {}
            for panel, quantity in zip(panels, self.panels, strict=True):
                some[self.panel(panel, rows, quantity, styles, texts, further)] = None
                shown, names = panel.get_legend_handles_labels()
                handles |= {text: evidence for text, evidence in zip(names, shown, strict=True) if text not in handles}
                shown = (quantity, *self.curves.get(quantity, ()))
                own = [claim for claim in claims if claim.quantity in shown and claim.series(styles)]
                own = [check for check in own if check.rule not in OF_THE_SCHEDULE]
                heads.append((panel, [self._said(check, rows, texts, quantity) for check in own]))
                said_of |= {check.name for check in own}
            panels[-1].set_xlabel(self.x_label or axis_label(self.axis))
            series = [texts[name] for name in styles if texts[name] in handles]
            handles = {text: handles[text] for text in dict.fromkeys([*series, *handles])}  # lines come before errors
            more = titles(figure, headline(verdict, self.heading), heads, COLUMN - 0.55, stacked=True)
            more += legend(figure, handles, 2, " ".join(filter(None, (self.note, undrawn(claims, said_of), *some))))
            figure.set_size_inches(COLUMN, height + more)
        return figure

    def _said(self, check: JudgedCheck, rows: pd.DataFrame, texts: Mapping[str, str], quantity: str) -> str:
        """The comparison of a check; of a line in the panel it is told by the line's name, not by a series."""
        if check.quantity == quantity:
            return said(check, rows, texts)
        return (
            f"{self.names.get(check.quantity, quantity_label(check.quantity))}: {said(check, rows, texts, named=False)}"
        )

    def panel(
        self,
        panel: Axes,
        rows: pd.DataFrame,
        quantity: str,
        styles: Mapping[str, dict[str, Any]],
        texts: Mapping[str, str],
        further: Sequence[str] = (),
        few: list[NamedCurves] | None = None,
    ) -> str:
        """One panel, and what it leaves out.

        ``further`` are axes of the sweep beyond the main ones. With ``few`` it is read at a glance: of a series few
        curves are drawn, whose names are left to whom the list is given, and a claim at 0 makes the axis a linear one.
        """
        rate = bool("trials" in rows and rows.loc[rows["quantity"] == quantity, "trials"].notna().any())
        drawn = {name: self._curves(rows, name, quantity, further) for name in styles}
        if few is not None:
            drawn = thinned(drawn, roles_of(rows))
        linear = (rate or quantity in self.linear) and quantity not in self.logarithmic
        at_zero = few is not None and not linear and _at_zero(drawn, roles_of(rows))
        lost: dict[str, list[Curve]] = {}
        if not linear and not at_zero:
            every, drawn = drawn, _above_rounding(drawn)
            lost = {texts[name]: every[name] for name in every if every[name] and not drawn[name]}
        for name, several in drawn.items():
            for curve in several:
                if name in self.across and len(curve.points) == 1:
                    _level(panel, curve.points, styles[name], texts[name])
                else:
                    _points(panel, curve, styles[name], texts[name])
        for place, word in enumerate(self.curves.get(quantity, ())):
            label = self.names.get(word, quantity_label(word))
            self._line(panel, rows, word, "mean", label, place + 1, further)
        if quantity in self.bounds:
            place = list(dict.fromkeys(self.bounds.values())).index(self.bounds[quantity])  # one look for one text
            self._line(panel, rows, quantity, "bound", self.bounds[quantity], place, further)
        lines = list(dict.fromkeys(text for panel in self.panels for text in self.constants.get(panel, {})))
        for text, value in self.constants.get(quantity, {}).items():
            place = lines.index(text) % len(LINE_COLOURS)
            panel.axhline(
                value, color=LINE_COLOURS[-1 - place], linestyle=LINE_DASHES[-1 - place], label=text, zorder=1
            )
        panel.set_xscale("log")
        few_ticks(panel, [curve.points["x"].to_numpy(dtype=float) for several in drawn.values() for curve in several])
        if linear:
            panel.set_ylim(-0.04, 1.04)
        elif not at_zero:
            panel.set_yscale("log")
            if few is None:
                _name_lost(panel, lost)
        for name, several in drawn.items():
            if few is not None:
                few.append(NamedCurves(panel, several, styles[name]))
            elif len(several) > 1:
                name_curves(panel, several, styles[name]["color"])
        plain_ticks(panel)
        panel.set_ylabel(self.names.get(quantity, quantity_label(quantity, self.envelope)))
        thin_grid(panel)
        return left_out(curve for several in drawn.values() for curve in several)

    def _curves(self, rows: pd.DataFrame, series: str, quantity: str, further: Sequence[str]) -> list[Curve]:
        """The curves of one series, with columns ``low`` and ``high`` for the limits of every point."""
        own = rows[(rows["series"] == series) & (rows["quantity"] == quantity) & (rows["status"] == "ok")]
        if own.empty:
            return []
        if "trials" in own:
            trials = own["trials"].astype(float)
            own = own.assign(_trials=trials, _hits=own["value"].astype(float) * trials)
        found = curves(
            own, series, quantity, self.axis, [name for name in self.envelope if name in own.columns], further,
            self.times,
            columns=("_trials", "_hits"), positive=False,
        )  # fmt: skip
        return [replace(curve, points=curve.points.assign(**_limits(curve.points))) for curve in found]

    def _line(
        self,
        panel: Axes,
        rows: pd.DataFrame,
        quantity: str,
        column: str,
        label: str,
        place: int,
        further: Sequence[str],
    ) -> None:
        """A quantity, or its bound, as a line without markers along every curve; across the panel if all are points."""
        style = {"color": LINE_COLOURS[place % 4], "linestyle": LINE_DASHES[place % 4], "linewidth": 1.2, "zorder": 1}
        several = [self._curves(rows, name, quantity, further) for name in dict.fromkeys(rows["series"])]
        tables = [curve.points.dropna(subset=[column]) for item in several for curve in item]
        found = [points for points in tables if len(points)]
        long = sorted((points for points in found if len(points) > 1), key=len, reverse=True)
        drawn: set[tuple[str, str]] = set()
        for points in long:
            places = {(f"{x:.6g}", f"{y:.3g}") for x, y in zip(points["x"], points[column], strict=True)}
            if not places <= drawn:  # dashes over equal dashes would look like a full line
                panel.plot(points["x"], points[column], label=label, **style)
            drawn |= places
        for points in found[: 0 if long else 1]:
            panel.axhline(float(points[column].iloc[0]), label=label, **style)


def _shares(rows: pd.DataFrame, quantity: str) -> dict[str, tuple[float, float]]:
    """The least and the largest share of its bound that each series has at a grid point, to two digits."""
    own = rows[(rows["quantity"] == quantity) & (rows["status"] == "ok") & rows["bound"].notna()]
    share = own["value"].astype(float) / own["bound"].astype(float)
    means = share.groupby([own["series"], *(own[axis] for axis in AXES)], dropna=False, observed=True).mean()
    ends = means.groupby(level=0, observed=True).agg(["min", "max"])
    return {str(name): (float(f"{low:.2g}"), float(f"{high:.2g}")) for name, low, high in ends.itertuples()}


def _limits(points: pd.DataFrame) -> dict[str, Any]:
    """99% limits of every point: exact binomial ones where trials are counted, else of the mean."""
    mean, half = points["mean"].to_numpy(dtype=float), np.nan_to_num(half_widths(points, 1))
    low, high = mean - half, mean + half
    if "_trials" in points and points["_trials"].notna().all():
        count = points["count"].to_numpy(dtype=float)
        total, hits = (np.round(points[name].to_numpy(dtype=float) * count) for name in ("_trials", "_hits"))
        low, high = clopper_pearson(hits, total, LEVEL)
        mean = hits / total
    return {"mean": mean, "low": low, "high": high}


def _above_rounding(drawn: Mapping[str, list[Curve]]) -> dict[str, list[Curve]]:
    """What a logarithmic axis can show, with lower limits that stay on it."""
    tables = [curve.points for several in drawn.values() for curve in several]
    least = ROUNDING * max((float(points["mean"].max()) for points in tables), default=0.0)

    def kept(curve: Curve) -> Curve:
        points = curve.points[curve.points["mean"] > least]
        return replace(curve, points=points.assign(low=np.maximum(points["low"], 0.05 * points["mean"])))

    shown = {name: [kept(curve) for curve in several] for name, several in drawn.items()}
    return {name: [curve for curve in several if len(curve.points)] for name, several in shown.items()}


def _at_zero(drawn: Mapping[str, list[Curve]], roles: Mapping[str, str]) -> bool:
    """Whether a claim is zero throughout, which no logarithmic axis shows."""
    tables = [curve.points for name, several in drawn.items() if roles[name] == "claim" for curve in several]
    return bool(tables) and all((points["mean"] == 0).all() for points in tables)


def _name_lost(panel: Axes, lost: Mapping[str, list[Curve]]) -> None:
    """At the bottom of a panel: the series that lie below it, with their largest value."""
    tops = {text: max(float(curve.points["mean"].max()) for curve in several) for text, several in lost.items()}
    words = [f"{text.rpartition(' (')[0] or text}: {number(float(f'{top:.2g}'))}" for text, top in tops.items()]
    if words:
        lines = textwrap.wrap(f"below the panel: {', '.join(words)}", 70)
        low, high = panel.get_ylim()
        panel.set_ylim(low * (low / high) ** (0.05 + 0.1 * len(lines)), high)
        panel.text(
            0.01, 0.02, "\n".join(lines), transform=panel.transAxes, fontsize=letters(), va="bottom",
            zorder=9,
        )  # fmt: skip


def _points(panel: Axes, curve: Curve, style: Mapping[str, Any], label: str) -> None:
    points = curve.points
    mean = points["mean"].to_numpy(dtype=float)
    shown: Sequence[Any] = [np.maximum(0, mean - points["low"]), np.maximum(0, points["high"] - mean)]
    panel.errorbar(points["x"], mean, yerr=shown, label=label, capsize=1.5, elinewidth=0.6, zorder=4, **style)


def _level(panel: Axes, points: pd.DataFrame, style: Mapping[str, Any], label: str) -> None:
    """A series of one point: a line through the panel, its interval as a band, a marker at the left."""
    value = float(points["mean"].iloc[0])
    panel.axhspan(float(points["low"].iloc[0]), float(points["high"].iloc[0]), color=style["color"], alpha=0.12, lw=0)
    panel.axhline(value, color=style["color"], linestyle=style["linestyle"], linewidth=1.0, zorder=3)
    panel.plot([0.02], [value], transform=panel.get_yaxis_transform(), label=label, zorder=4, **style)
