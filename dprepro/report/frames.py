"""A run's results as tables that a person goes on computing with: a summary, the measurements long and wide, ratios.

All are made from a published run alone, and import no algorithm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dprepro.analysis.exponent import Exponent
from dprepro.analysis.inequality import half_widths
from dprepro.analysis.points import averaged, further_axes, grid_points, number
from dprepro.axes import AXES
from dprepro.errors import InputError, unknown

if TYPE_CHECKING:
    import pandas as pd

    from dprepro.report.publish import Published

RISK = "excess_risk"
ROLES = ("claim", "context", "control")
"""In the order of the lines; any other comes last."""
EVIDENCE = ("used", "saturated")
"""States of points that were measured."""


def summary(run: Published, quantity: str = "") -> pd.DataFrame:
    """A line for each series and grid point; claims come first.

    Where the experiment judges the worst of a family (its figure's ``envelope``), that member's line stands for all;
    where its figure averages over an axis, so does the table.

    Columns:
        series, role: as in the experiment: claim, context or control.
        n, p, epsilon, delta, norm: the grid point, and beside them a column for each further axis that is swept.
        quantity: what the numbers are of; ``excess_risk``, a mean over the n records, where that is measured.
        mean: over the replicates; NaN where nothing was measured.
        low, high: 99% interval of the mean, each point by itself: Student's law, with the wider of the point's own
            standard error and the spread, relative to the mean, of all points of the series. Both are the mean of a
            series without randomness, and NaN where a random one has no replicates.
        bound: the explicit bound; NaN where there is none.
        ratio: mean over bound.
        exponent_AXIS, exponent_AXIS_low, exponent_AXIS_high: for each axis that is swept, the slope of ln mean against
            ln AXIS (for delta: against ln ln(1/delta)) of the whole series with its 99% interval, as the rule
            ``exponent`` measures it; NaN where fewer than five values or 1.5 decades of the axis are usable.
        replicates: how many of the point were measured.
        state: ``used``; ``saturated`` (the mean is above a tenth of what the trivial answer loses, and no exponent uses
            the point); ``skipped``, ``failed`` or ``unusable``.

    Raises:
        InputError: a quantity that was not measured, or that has several values in one replicate.
    """
    import pandas as pd

    quantity = known_quantity(run, quantity)
    swept = swept_axes(run)
    tables = []
    for series, role in _series(run, quantity).items():
        found = points(run, series, quantity)
        table = found.assign(series=series, role=role, quantity=quantity)
        for axis in swept:
            slope = _exponent(run, found, series, quantity, axis)
            for end, value in zip(("", "_low", "_high"), slope, strict=True):
                table[f"exponent_{axis}{end}"] = value
        tables.append(table.rename(columns={"count": "replicates"}))
    whole = pd.concat(tables, ignore_index=True)
    whole["ratio"] = whole["mean"] / whole["bound"].where(whole["bound"] > 0)
    exponents = [f"exponent_{axis}{end}" for axis in swept for end in ("", "_low", "_high")]
    axes = [*AXES, *_further(run)]
    columns = [
        "series", "role", *axes, "quantity", "mean", "low", "high", "bound", "ratio", *exponents, "replicates", "state",
    ]  # fmt: skip
    return _sorted(whole, axes)[columns]


def long(run: Published) -> pd.DataFrame:
    """The measurements, a line for each series, grid point, replicate and quantity.

    Columns:
        series, role; n, p, epsilon, delta, norm and further axes: as in :func:`summary`.
        replicate: number of the repetition.
        repeat: only where some quantity has several values in a replicate: which of them.
        quantity, value, bound: what was measured, and its explicit bound or NaN.
        status: ``ok``, ``failed: <error>`` or ``skipped: <premise>``; of a cell that is not ok there is one line, of
            ``excess_risk``, without a value.
    """
    axes = [*AXES, *_further(run)]
    keys = ["series", *axes, "replicate"]
    repeat = run.frame.groupby([*keys, "quantity"], dropna=False, sort=False).cumcount()
    table = run.frame.assign(repeat=repeat)
    several = ["repeat"] if (repeat > 0).any() else []
    columns = ["series", "role", *axes, "replicate", *several, "quantity", "value", "bound", "status"]
    return _sorted(table, [*axes, "replicate", "quantity", *several])[columns]


def wide(run: Published) -> pd.DataFrame:
    """The measurements, a line for each series, grid point and replicate.

    Columns:
        series, role, the axes, replicate and, where there is one, repeat: as in :func:`long`.
        status: of the cell.
        QUANTITY: a column for each quantity that was measured, NaN where a series has none.
        QUANTITY_bound: beside it, where it has a bound anywhere.
    """
    table = long(run)
    keys = [name for name in table.columns if name not in ("quantity", "value", "bound")]
    named = {str(name): name for name in table["quantity"].unique()}
    # A gap in a key (an axis that a series does not have) is a value of its own.
    group = table.groupby(keys, dropna=False, sort=False).ngroup()
    lines = table.loc[~group.duplicated(), keys].set_axis(group[~group.duplicated()], axis=0)
    for name, quantity in named.items():
        own = (table["quantity"] == quantity).to_numpy(dtype=bool)
        for column, taken in (("value", name), ("bound", f"{name}_bound")):
            values = table.loc[own, column].set_axis(group[own], axis=0)
            if column == "value" or values.notna().any():
                lines[taken] = values.astype(float)
    return lines.reset_index(drop=True)


def compare(
    first: Published,
    others: Mapping[str, Published],
    axis: str = "",
    series: str = "",
    quantity: str = "",
) -> pd.DataFrame:
    """How many times the mean of other runs a run's mean is, at the points that both have.

    Points are matched along ``axis``, and along further axes that tell points apart in either run; what else differs
    between the runs (an algorithm, a budget that is the same at all of a run's points) is what is compared.

    Args:
        first: the run above the line.
        others: runs below the line, by the names that they have in the table.
        axis: an axis that is swept; default that of the figure.
        series: the series of both runs; default every one that is a claim in both, or else their only claims.
        quantity: what is compared; default as in :func:`summary`.

    Columns:
        run: name of the other run.
        series: of both; ``A over B`` where their names differ.
        AXIS and further axes: the points.
        mean, other_mean: of this run and of the other.
        ratio, low, high: mean over other_mean with its 99% interval, each point by itself: the relative half widths of
            both means, added in squares on the logarithm, as is right for independent runs. NaN where a mean is not
            positive or has no error.
        state: ``saturated`` where either point is, else ``used``.

    Raises:
        InputError: an unknown axis, series or quantity, or runs without a common series or point.
    """
    import pandas as pd

    if not others:
        raise InputError("compare needs another outcome: outcome.compare(other)")
    quantity, axis = known_quantity(first, quantity), known_axis([first, *others.values()], axis)
    tables = []
    for name, other in others.items():
        known_quantity(other, quantity)
        for mine, theirs in _pairs(first, other, series, quantity):
            table = _ratios(points(first, mine, quantity), points(other, theirs, quantity), axis, first, other)
            words = mine if mine == theirs else f"{mine} over {theirs}"
            if table.empty:
                ends = (
                    ", ".join(map(number, sorted(points(run, text, quantity)[axis].unique())))
                    for run, text in ((first, mine), (other, theirs))
                )
                raise InputError(f"{words}: no common points along {axis}: {' and '.join(ends)}; sweep the same values")
            tables.append(table.assign(run=name, series=words))
    whole = pd.concat(tables, ignore_index=True)
    rest = ["mean", "other_mean", "ratio", "low", "high", "state"]
    keys = [column for column in whole.columns if column not in ("run", "series", *rest)]
    return whole[["run", "series", *keys, *rest]]


def points(run: Published, series: str, quantity: str) -> pd.DataFrame:
    """The grid points of a series, as :func:`dprepro.analysis.points.grid_points` has them, with `low` and `high`.

    Raises:
        InputError: the quantity has several values in one replicate, so that no mean says anything.
    """
    frame, axes = _averaged(run), [*AXES, *_further(run)]
    bound = ["bound"] if "bound" in frame else []
    try:
        table = grid_points(
            frame, series, quantity, columns=bound, axes=axes, distinct=True, envelope=_envelope(run)
        )  # fmt: skip
    except InputError as error:
        if "several values" not in str(error):
            raise
        raise InputError(
            f"{quantity} of {series} has several values in one replicate, which no mean can stand for; see long()"
        ) from error
    return table.assign(**intervals(table, without_randomness(frame, series, quantity)))


def intervals(table: pd.DataFrame, exact: bool = False) -> dict[str, Any]:
    """The limits `low` and `high` of the means of one series' points; see :func:`summary`.

    Args:
        table: with the columns `mean`, `error`, `count` and `state`.
        exact: whether the series has no randomness.
    """
    half = np.full(len(table), math.nan)
    measured = table["state"].isin(EVIDENCE).to_numpy(dtype=bool)
    if exact or (table["count"] > 1).any():
        half[measured] = half_widths(table[measured], 1)
    return {"low": table["mean"] - half, "high": table["mean"] + half}


def without_randomness(frame: pd.DataFrame, series: str, quantity: str) -> bool:
    """Whether a study has said that the values of a series are no draws."""
    if "deterministic" not in frame.columns:
        return False
    said = frame.loc[(frame["series"] == series) & (frame["quantity"] == quantity), "deterministic"].dropna()
    return len(said) > 0 and bool(said.astype(bool).all())


def swept_axes(run: Published) -> list[str]:
    """The axes with several values, which a series can be looked at along; not those that only follow others."""
    config = run.config
    series = [entry for entry in config["study"].get("series", {}).values() if isinstance(entry, Mapping)]
    sweeps = [config.get("sweep") or {}, *((entry.get("sweep") or {}) for entry in series)]
    named = dict.fromkeys(axis for axis in (*AXES, *_further(run)) if any(axis in sweep for sweep in sweeps))
    frame, over = _averaged(run), _envelope(run)
    several = (frame[axis].groupby(frame["series"]).nunique().max() > 1 for axis in named)
    return [axis for axis, varies in zip(named, several, strict=True) if varies and axis not in over]


def known_axis(runs: Sequence[Published], axis: str = "") -> str:
    """The axis that is named, or that of the first run's figure if it is swept, or else the first one that is.

    Raises:
        InputError: no run sweeps it.
    """
    choices = list(dict.fromkeys(name for run in runs for name in swept_axes(run)))
    if axis:
        if axis not in choices:
            raise unknown("axis", axis, choices)
        return axis
    if not choices:
        raise InputError("no axis has several values; sweep one, as in sweep.n=[1e5,1e6,1e7]")
    of_figure = runs[0].config["figure"].get("axis", "n")
    wanted = [of_figure] if isinstance(of_figure, str) else list(of_figure)
    return next((name for name in wanted if name in choices), choices[0])


def known_quantity(run: Published, quantity: str = "") -> str:
    """The quantity that is named, or else the risk, the figure's, that of a claim, or the first that was measured.

    Raises:
        InputError: it was not measured.
    """
    measured = dict.fromkeys(map(str, run.frame.loc[run.frame["status"] == "ok", "quantity"].unique()))
    measured = measured or dict.fromkeys(map(str, run.frame["quantity"].unique()))
    if quantity:
        if quantity not in measured:
            raise unknown("quantity", quantity, measured)
        return quantity
    figure, checks = run.config["figure"], run.config["checks"].values()
    claimed = [str(check.get("quantity", RISK)) for check in checks if check.get("role") == "claim"]
    wanted = [RISK, str(figure.get("quantity", RISK)), *claimed]
    return next((name for name in wanted if name in measured), next(iter(measured)))


def known_series(run: Published, quantity: str, series: str | Sequence[str] = ()) -> list[str]:
    """The series that are named, or all that have the quantity.

    Raises:
        InputError: one that does not have it.
    """
    choices = list(_series(run, quantity))
    named = [series] if isinstance(series, str) and series else list(series)
    for name in named:
        if name not in choices:
            raise unknown("series", name, choices)
    return named or choices


def _pairs(first: Published, other: Published, series: str, quantity: str) -> list[tuple[str, str]]:
    """Which series of a run is held against which of another."""
    mine, theirs = (_series(run, quantity) for run in (first, other))
    if series:
        known_series(first, quantity, series)
        known_series(other, quantity, series)
        return [(series, series)]
    claims = [[name for name, role in own.items() if role == "claim"] for own in (mine, theirs)]
    common = [(name, name) for name in claims[0] if name in claims[1]]
    if common:
        return common
    if len(claims[0]) == len(claims[1]) == 1:
        return [(claims[0][0], claims[1][0])]
    named = sorted({*mine} & {*theirs})
    raise InputError(f"the runs have no claim in common; name a series; choices: {', '.join(named) or 'none'}")


def _ratios(mine: pd.DataFrame, theirs: pd.DataFrame, axis: str, first: Published, other: Published) -> pd.DataFrame:
    """Points of both with the ratio of their means; see :func:`compare`."""
    both = [table[table["state"].isin(EVIDENCE)] for table in (mine, theirs)]
    axes = [name for name in dict.fromkeys([*AXES, *_further(first), *_further(other)]) if name != axis]
    common = [name for name in axes if all(name in table for table in both)]
    apart = [
        name
        for name in common
        if any((table.groupby(axis, dropna=False)[name].nunique(dropna=False) > 1).any() for table in both)
    ]
    keys = [axis, *apart]
    columns = [*keys, "mean", "low", "high", "state"]
    table = both[0][columns].merge(both[1][columns], on=keys, suffixes=("", "_other"))
    positive = (table["mean"] > 0) & (table["mean_other"] > 0)
    ratio = (table["mean"] / table["mean_other"]).where(positive)
    half = np.hypot(
        (table["high"] - table["mean"]) / table["mean"],
        (table["high_other"] - table["mean_other"]) / table["mean_other"],
    )
    saturated = (table[["state", "state_other"]] == "saturated").any(axis=1)
    return table[keys].assign(
        mean=table["mean"], other_mean=table["mean_other"], ratio=ratio, low=ratio * np.exp(-half),
        high=ratio * np.exp(half), state=np.where(saturated, "saturated", "used"),
    )  # fmt: skip


def _exponent(run: Published, table: pd.DataFrame, series: str, quantity: str, axis: str) -> tuple[float, float, float]:
    """The slope of a series, whose points are the ``table``, on an axis with its limits; NaN where there is none."""
    rule = Exponent(
        role="context",
        expected=0.0,
        series=series,
        axis=axis,
        quantity=quantity,
        envelope=tuple(_envelope(run)),
        axes=tuple(_further(run)),
        transform="log_log_inverse" if axis == "delta" else "log",
        side="at_most",  # the slope alone: its rivals take a while
    )
    used = table.loc[(table["state"] == "used") & (table["mean"] > 0), axis]
    if used.nunique() < rule.minimum_points:  # which the rule would find too, after a while
        return (math.nan,) * 3
    with np.errstate(invalid="ignore", divide="ignore"):  # an axis may hold 0 or infinity
        found = rule.measure(_averaged(run)).interval
    return (math.nan,) * 3 if found is None else (found.estimate, found.low, found.high)


def _series(run: Published, quantity: str) -> dict[str, str]:
    """Series that have a quantity, or that lost all cells before they had one, with their roles; claims first."""
    frame = run.frame
    own = frame[(frame["quantity"] == quantity) | ((frame["status"] != "ok") & (quantity == RISK))]
    pairs = own[["series", "role"]].drop_duplicates()
    found = {str(series): str(role) for series, role in pairs.itertuples(index=False)}
    order = list(run.config["study"].get("series", {}))
    place = {name: place for place, name in enumerate(order)}
    return dict(sorted(found.items(), key=lambda pair: (_rank(pair[1]), place.get(pair[0], len(order)), pair[0])))


def _rank(role: str) -> int:
    return ROLES.index(role) if role in ROLES else len(ROLES)


def _sorted(table: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Claims first, then by series and keys."""
    ranked = table.assign(_rank=[_rank(str(role)) for role in table["role"]])
    return ranked.sort_values(["_rank", "series", *keys], kind="stable", ignore_index=True).drop(columns="_rank")


def _averaged(run: Published) -> pd.DataFrame:
    return averaged(run.frame, [name for name in run.config["figure"].get("average", ()) if name in run.frame])


def _envelope(run: Published) -> list[str]:
    return [name for name in run.config["figure"].get("envelope", ()) if name in run.frame]


def _further(run: Published) -> list[str]:
    return further_axes(run.frame, run.config)
